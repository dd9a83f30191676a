"""What real PyTorch says of the tensors that the expressions of a program give, and of a write to each of them."""

from __future__ import annotations

import ast
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

import torch
from torch_oracle import seed

from inplace_lint.knowledge.facts import Known, State
from inplace_lint.source.place import Span

Comes = Literal["raises", "later", "finishes"]


@dataclass(frozen=True)
class Seen:
    """A real tensor when an expression gave it.

    Args:
        version: since it was first seen; None if it has none.
        names: the other variables that hold tensors.
        sharing: those of them on its memory.
    """

    is_leaf: bool
    requires_grad: bool
    version: int | None
    is_view: bool
    names: frozenset[str]
    sharing: frozenset[str]


@dataclass
class Probes:
    """Looks at the value of each expression; `write_at` is the one to write, the first time that it is met."""

    seen: dict[Span, list[Seen]] = field(default_factory=lambda: defaultdict(list))
    born: dict[int, tuple[torch.UntypedStorage, int]] = field(default_factory=dict)
    write_at: Span | None = None
    refused: bool = False

    def __call__(self, span: tuple[int, int, int, int], value: Any, of_name: str = "") -> Any:
        if type(value) in (torch.Tensor, torch.nn.Parameter):
            where = Span(*span)
            self.seen[where].append(self._real(value, sys._getframe(1).f_locals, of_name))
            if self.write_at == where:
                self.write_at = None
                self._write(value)
        return value

    def _real(self, tensor: torch.Tensor, variables: dict[str, Any], text: str) -> Seen:
        tensors = {name: value for name, value in variables.items() if isinstance(value, torch.Tensor)}
        memory = tensor.untyped_storage()
        shared = {name for name, value in tensors.items() if value.untyped_storage().data_ptr() == memory.data_ptr()}
        version = None
        if not tensor.is_inference():
            _, born = self.born.setdefault(memory._cdata, (memory, tensor._version))
            version = tensor._version - born
        names = frozenset(tensors) - {text}
        return Seen(tensor.is_leaf, tensor.requires_grad, version, tensor._is_view(), names, names & shared)

    def _write(self, value: torch.Tensor) -> None:
        try:
            value.logical_or_(value) if value.dtype == torch.bool else value.add_(0)
        except RuntimeError:
            self.refused = True
            raise


class _Instrument(ast.NodeTransformer):
    """Puts a probe around each expression, behind each assignment to a name, and before each that is augmented."""

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, (ast.AnnAssign, ast.arg, ast.JoinedStr, ast.Delete)):
            return node
        read = isinstance(getattr(node, "ctx", None), ast.Load) or isinstance(node, (ast.Call, ast.BinOp))
        span = _span(node) if isinstance(node, ast.expr) else None
        name = node.id if isinstance(node, ast.Name) else ""
        made = self.generic_visit(node)
        if read and isinstance(node, (ast.Name, ast.Attribute, ast.Call, ast.BinOp, ast.Subscript)):
            return ast.copy_location(_probe(span, made, name), node)
        return made

    def visit_Call(self, node: ast.Call) -> ast.AST:
        return node if isinstance(node.func, ast.Name) and node.func.id == "super" else self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.body = [inner for statement in node.body for inner in _several(self.visit(statement))]
        return node

    def visit_Assign(self, node: ast.Assign) -> Any:
        targets = [target for target in node.targets if isinstance(target, ast.Name)]
        after = [ast.Expr(_probe(_span(target), ast.Name(target.id, ast.Load()), target.id)) for target in targets]
        return [self.generic_visit(node), *after]

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        target = node.target
        before = []
        if isinstance(target, ast.Name):
            before = [ast.Expr(_probe(_span(target), ast.Name(target.id, ast.Load()), target.id))]
        node.value = self.visit(node.value)
        return [*before, node]


def _several(found: Any) -> list[Any]:
    return found if isinstance(found, list) else [found]


def _span(node: Any) -> tuple[int, int, int, int]:
    return node.lineno, node.col_offset + 1, node.end_lineno, node.end_col_offset + 1


def _probe(span: Any, value: Any, name: str) -> ast.Call:
    place = ast.Tuple([ast.Constant(each) for each in span], ast.Load())
    return ast.Call(ast.Name("__probe__", ast.Load()), [place, value, ast.Constant(name)], [])


def instrumented(text: str, filename: str) -> Any:
    """The code of a program that calls `__probe__` with everything that it evaluates."""
    tree = ast.fix_missing_locations(_Instrument().visit(ast.parse(text)))
    return compile(tree, filename, "exec", dont_inherit=True)


def run(code: Any, probes: Probes, name: str | None) -> Comes:
    """Run a program, or a function of it without arguments, and a backward pass through what it returns."""
    seed()
    namespace: dict[str, Any] = {"__name__": "program", "__probe__": lambda *args: args[1]}
    recording = torch.is_grad_enabled()
    try:
        if name is None:
            namespace["__probe__"] = probes
        exec(code, namespace)
        namespace["__probe__"] = probes
        result = namespace[name]() if name is not None else None
        torch.set_grad_enabled(True)
        roots = [tensor.sum() for tensor in _tensors(result) if tensor.requires_grad]
        if roots:
            torch.autograd.backward(roots)
    except RuntimeError:
        return "raises" if probes.refused else "later"
    finally:
        torch.set_grad_enabled(recording)
    return "finishes"


def _tensors(value: Any) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from _tensors(each)


Verdict = Literal["right", "unknown", "wrong"]


def judged(known: Known, seen: Seen) -> Iterator[tuple[str, Verdict]]:
    """Each thing that is said of an expression, held against what it really gave, once."""
    states = known.states
    surely = not any(other.relation == "perhaps" for state in states for other in state.others)
    yield "leaf", _verdict({state.is_leaf for state in states}, seen.is_leaf)
    need = {{"yes": True, "no": False, "maybe": None}[state.requires_grad] for state in states}
    yield "requires grad", _verdict(need, seen.requires_grad)
    if (surely and seen.sharing) or any(state.kind == "view" for state in states):
        # Many an op gives a view of memory that nobody else has.
        yield "view", _verdict({state.kind == "view" for state in states}, seen.is_view)
    if seen.version is not None:
        versions = {None if state.counting != "exact" or state.hidden else state.version for state in states}
        yield "version", _verdict(versions, seen.version)
    named = [{other.name for other in state.others} & seen.names for state in states]
    if surely and known.complete and all(len(state.others) < 6 for state in states):
        yield "shares memory", _verdict({frozenset(names) for names in named}, seen.sharing)


def _verdict(said: set[Any], real: object) -> Verdict:
    if said == {real}:
        return "right"
    return "unknown" if real in said or None in said else "wrong"


def comes(known: Known, real: Comes) -> Verdict:
    """What is said of a write, held against what it really led to."""
    return _verdict({None if _is_open(state) else _REAL[state.writing.comes] for state in known.states}, real)


_REAL = {"raises": "raises", "breaks": "later", "unseen": "finishes", "safe": "finishes"}


def _is_open(state: State) -> bool:
    return state.writing.comes == "unknown" or bool(state.writing.assumptions)


@dataclass
class Score:
    """How often what was said was right, unknown or wrong; and the places where it was wrong."""

    counts: Counter[tuple[str, Verdict]] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    untold: int = 0

    def add(self, what: str, verdict: Verdict, where: Callable[[], str]) -> None:
        self.counts[what, verdict] += 1
        if verdict == "wrong":
            self.wrong.append(f"{what}: {where()}")


def score(text: str, name: str | None, known: dict[Span, Known], into: Score, writes: int = 0) -> None:
    """Hold all that is known of a program against a run of it; write to so many of its tensors, each in its own run."""
    code = instrumented(text, "program.py")
    probes = Probes()
    plain = run(code, probes, name)
    for span, some in probes.seen.items():
        told = known.get(span)
        into.untold += told is None
        for seen in some if told is not None else ():
            for what, verdict in judged(told, seen):
                into.add(what, verdict, lambda at=span, real=seen: f"{name} {at}: {real}")
    spans = [span for span in probes.seen if span in known]
    step = max(1, len(spans) // writes) if writes else 1
    for span in spans[::step][:writes] if plain == "finishes" else ():
        real = run(code, Probes(write_at=span), name)
        into.add("write", comes(known[span], real), lambda at=span, led=real: f"{name} {at}: {led}")
