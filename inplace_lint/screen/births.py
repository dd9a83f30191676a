"""Escape analysis by syntax: which writes go to memory that the function allocated, and that has not escaped yet.

Such a write matters in the function itself, but cannot matter to its callers. It is cheap evidence from syntax:
what it does not see is taken for memory of others.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache

from inplace_lint.screen.evidence import BINDERS, bound
from inplace_lint.source.syntax import Function, last_word, nodes_below, root_name
from inplace_lint.torch_model.op_table import shipped
from inplace_lint.torch_model.spellings import POSITIONAL

_LIBRARIES = frozenset({"torch", "F", "functional", "np", "numpy"})
_ARRAYS = frozenset("zeros ones empty full array arange linspace zeros_like ones_like empty_like full_like".split())
_DISPLAYS = (ast.List, ast.Tuple, ast.Set, ast.Dict, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_NESTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
# These say nothing of births.
_SILENT = frozenset({ast.Constant, ast.keyword, ast.arg, ast.arguments, ast.Slice, ast.Starred, ast.JoinedStr})
_METADATA = frozenset("shape dtype device ndim size dim numel stride is_contiguous".split())
# Whether elements of their results share memory, their arguments decide: callers matter.
_STRIDED = frozenset("unfold as_strided expand expand_as broadcast_to".split())
# These keep their arguments, where they are not methods of tensors.
_KEEPERS = frozenset({"add", "put", "where"})
_GRAD_MODES = frozenset({"no_grad", "inference_mode", "enable_grad", "set_grad_enabled"})


class Births:
    """The names of a function that hold memory which was born in it.

    Args:
        function: with all that is nested in it.
        layer: all values that an attribute of `self` is given in the file; empty if nobody knows.
    """

    def __init__(self, function: Function, layer: Callable[[str], Sequence[object]]) -> None:
        self._layer = layer
        self._values: dict[str, list[ast.expr | None]] = defaultdict(list)
        self._aliases: dict[str, set[str]] = defaultdict(set)
        self._handed_on: dict[str, list[int]] = defaultdict(list)
        self._loops: list[tuple[int, int]] = []
        self._born: dict[str, bool] = {}
        self._blocks: dict[int, tuple[list[ast.stmt], int, ast.stmt]] = {}
        self._rows: list[ast.stmt] = []
        self._passed: set[int] = set()
        self._unread: set[int] = set()
        self._read: dict[str, list[int]] = defaultdict(list)
        self._written: dict[str, list[int]] = defaultdict(list)
        self._yields = False
        self._blocks_of_modes: list[tuple[int, int]] = []
        # Those of decorators hold for the whole function.
        self._modes = {id(inner) for each in function.decorator_list for inner in ast.walk(each)}
        self._switches = False
        for node in nodes_below([function]):
            if node.__class__ not in _SILENT:
                self._see(node, node is function)

    def covers(self, target: ast.expr, at: ast.AST) -> bool:
        """Whether what a node writes was born here and handed to nobody before."""
        row = getattr(at, "lineno", None)
        if row is None or self._yields:
            return False
        names = list(_sharing(target))
        given = self._just_given(names[0], row) if len(names) == 1 else None
        if given is not None and self._is_born(given.value, 0) and not isinstance(given.value, ast.Name):
            return not any(given.lineno < handed <= row for name in names for handed in self._handed_on[name])
        if not self._is_born(target, 0):
            return False
        return not any(self._is_before(handed, row) for name in self._group(names) for handed in self._handed_on[name])

    def is_filled(self, target: ast.expr, at: ast.AST) -> bool:
        """Whether a node writes new memory that nobody has read: no result of an op that saves it."""
        whole = _whole(target)
        part = whole is not target or isinstance(at, (ast.Assign, ast.For))
        row = getattr(at, "lineno", None)
        if self._yields or row is None:
            return False
        if not isinstance(whole, ast.Name):
            return whole is target and self._is_unsaved(target, part)
        given = self._just_given(whole.id, row) if self._gives_nothing(at, row) else None
        if given is not None and len(given.targets) == 1 and self._is_unsaved(given.value, part):
            read = any(given.lineno < read <= row for read in self._read[whole.id])
            return not read and self._is_one_mode([given.lineno, row])
        if len(self._group([whole.id])) > 1:
            return False
        return self._is_filled_first(whole.id, row, part)

    def _gives_nothing(self, at: ast.AST, row: int) -> bool:
        """Whether a write is all that a statement does: its result gets no other name."""
        statement = self._statement(row)
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            return at in (statement.value, statement.value.func)
        return statement is at

    def _is_filled_first(self, name: str, row: int, part: bool) -> bool:
        """Whether all writes to what a name holds come before all reads."""
        values = self._values.get(name)
        if not values or not all(value is not None and self._is_unsaved(value, part) for value in values):
            return False
        last = max([row, *self._written[name]])
        births = [value.lineno for value in values if value is not None]
        if not self._is_one_mode([row, *births, *self._written[name]]):
            return False
        for read in self._read[name]:
            if read <= last:
                return False
            for start, end in self._loops:
                if start <= read <= end and start <= row <= end and not all(start <= birth <= row for birth in births):
                    return False
        return True

    def _is_one_mode(self, rows: Sequence[int]) -> bool:
        """Whether all of these rows see one grad mode: none of the writes there is hidden from autograd by it."""
        around = {tuple(block for block in self._blocks_of_modes if block[0] <= row <= block[1]) for row in rows}
        return len(around) == 1 and not self._switches

    def _is_unsaved(self, node: ast.expr, part: bool) -> bool:
        """Whether a value is new, and no op has saved it as its result; with `part`, surely no list."""
        if isinstance(node, ast.BinOp):
            listed = isinstance(node.op, (ast.Add, ast.Mult)) and part
            return not isinstance(node.op, ast.Pow) and not listed
        if isinstance(node, (ast.UnaryOp, ast.Compare)):
            return not _is_plus(node)
        if isinstance(node, ast.Constant):
            return not isinstance(node.value, str)
        if not isinstance(node, ast.Call) or any(keyword.arg == "requires_grad" for keyword in node.keywords):
            return False
        if isinstance(node.func, ast.Attribute) and node.func.attr in _methods() - _makers():
            return False
        name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        return name not in _savers() and self._is_born_call(node, 0)

    def _see(self, node: ast.AST, outermost: bool) -> None:
        if isinstance(node, ast.Name):  # half of all nodes
            if isinstance(node.ctx, ast.Load) and id(node) not in self._unread:
                self._read[node.id].append(node.lineno)
            if node.id in _GRAD_MODES:
                self._switches |= id(node) not in self._modes
            return
        self._note_use(node)
        self._note_mode(node)
        if isinstance(node, (ast.For, ast.AsyncFor, ast.While)):
            self._loops.append((node.lineno, node.end_lineno or node.lineno))
        if isinstance(node, ast.stmt) and not (isinstance(node, _NESTED) and not outermost):
            self._note_blocks(node)
        if isinstance(node, (ast.Yield, ast.YieldFrom, ast.Await)):
            self._yields = True
        elif isinstance(node, _NESTED) and not outermost:
            inner = (each.id for each in ast.walk(node) if isinstance(each, ast.Name))
            self._hand_on(inner, node.lineno)
        elif isinstance(node, ast.Call) and is_library(node.func):
            self._passed.update(map(id, node.args))  # `torch.cat([a, b])` keeps no list
        elif isinstance(node, ast.Call):
            given = [*node.args, *(keyword.value for keyword in node.keywords)]
            self._hand_on((name for each in given for name in _sharing(each)), node.lineno)
        elif isinstance(node, _DISPLAYS) and id(node) not in self._passed:
            inner = (name for each in ast.iter_child_nodes(node) for name in _sharing(each))
            self._hand_on(inner, node.lineno)
        elif isinstance(node, ast.Assign) and not all(isinstance(target, ast.Name) for target in node.targets):
            self._hand_on(_sharing(node.value), node.lineno)
        elif isinstance(node, ast.Assign) and len(node.targets) > 1:
            twins = [name for target in node.targets for name in _sharing(target)]
            for twin in twins:
                self._aliases[twin].update(twins)
        if node.__class__ in BINDERS and not isinstance(node, ast.AugAssign):
            for target, value in bound(node):
                name = target if isinstance(target, str) else target.id if isinstance(target, ast.Name) else None
                if name is not None:
                    self._bind(name, value if isinstance(value, ast.expr) else None)

    def _note_use(self, node: ast.AST) -> None:
        """Keep apart, by row, where a name is read and where what it holds is written."""
        written: ast.expr | None = None
        if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
            written = node
        elif isinstance(node, ast.AugAssign):
            written = node.target
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            func = node.value.func
            fills = isinstance(func, ast.Attribute) and func.attr.endswith("_") and func.attr != "requires_grad_"
            written = func.value if isinstance(func, ast.Attribute) and fills else None
        elif isinstance(node, ast.Attribute) and (node.attr in _METADATA or node.attr in _frugal()):
            self._unread.add(id(node.value))
        elif isinstance(node, ast.Call) and last_word(node.func) in _frugal():
            if is_library(node.func) and not any(keyword.arg in ("out", "inplace") for keyword in node.keywords):
                self._unread.update(map(id, node.args))
        elif isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):
            self._unread.update(map(id, (node.left, node.right)))  # saves nothing
        elif isinstance(node, ast.Compare):
            self._unread.update(map(id, (node.left, *node.comparators)))  # saves nothing, is not differentiated
        whole = _whole(written)
        if isinstance(whole, ast.Name):
            self._unread.add(id(whole))
            self._written[whole.id].append(whole.lineno)

    def _note_mode(self, node: ast.AST) -> None:
        """Keep apart grad modes that hold for a block, and those that hold nobody knows where."""
        if isinstance(node, (ast.With, ast.AsyncWith)):
            modes = [item.context_expr for item in node.items if _is_mode(item.context_expr)]
            if modes:
                self._blocks_of_modes.append((node.lineno, node.end_lineno or node.lineno))
                self._modes.update(id(inner) for mode in modes for inner in ast.walk(mode))
        elif isinstance(node, ast.Attribute) and node.attr in _GRAD_MODES:
            self._switches |= id(node) not in self._modes

    def _note_blocks(self, parent: ast.stmt) -> None:
        for name in ("body", "orelse", "finalbody"):
            block: list[ast.stmt] = getattr(parent, name, [])
            for index, statement in enumerate(block):
                self._blocks[id(statement)] = block, index, parent
                self._rows.append(statement)

    def _statement(self, row: int) -> ast.stmt | None:
        """The innermost statement in a row."""
        around = [each for each in self._rows if each.lineno <= row <= (each.end_lineno or each.lineno)]
        return max(around, key=lambda each: each.lineno, default=None)

    def _just_given(self, name: str, row: int) -> ast.Assign | None:
        """The assignment that surely gave a name the value which it has in a row."""
        at = self._statement(row)
        while at is not None and id(at) in self._blocks:
            block, index, parent = self._blocks[id(at)]
            for earlier in reversed(block[:index]):
                if isinstance(earlier, ast.Assign) and any(_is_name(target, name) for target in earlier.targets):
                    return earlier
                binders = nodes_below([earlier]) if not isinstance(earlier, ast.AugAssign) else []
                if any(_binds(node, name) for node in binders):
                    return None
            at = parent if isinstance(parent, (ast.If, ast.With)) else None
        return None

    def _bind(self, name: str, value: ast.expr | None) -> None:
        self._values[name].append(value)
        for other in _sharing(value) if value is not None else ():
            self._aliases[name].add(other)
            self._aliases[other].add(name)

    def _hand_on(self, names: Iterable[str], row: int) -> None:
        for name in names:
            self._handed_on[name].append(row)

    def _group(self, names: Iterable[str]) -> list[str]:
        """Names that may stand for the same memory."""
        group = list(dict.fromkeys(names))
        for name in group:  # grows
            group += [other for other in self._aliases[name] if other not in group]
        return group

    def _is_before(self, handed: int, row: int) -> bool:
        return handed <= row or any(first <= row <= last and first <= handed <= last for first, last in self._loops)

    def _is_born(self, node: ast.expr, depth: int) -> bool:
        if depth > 20:
            return False
        if isinstance(node, ast.Name):
            if node.id not in self._born:
                self._born[node.id] = True  # until proven otherwise: `x = x.view(-1)` says nothing new
                values = self._values.get(node.id)
                self._born[node.id] = bool(values) and all(
                    value is not None and self._is_born(value, depth + 1) for value in values or ()
                )
            return self._born[node.id]
        if isinstance(node, ast.Constant):
            return not isinstance(node.value, str)
        if isinstance(node, (ast.BinOp, ast.UnaryOp, ast.Compare)):
            return not _is_plus(node)
        if isinstance(node, ast.IfExp):
            return self._is_born(node.body, depth + 1) and self._is_born(node.orelse, depth + 1)
        if isinstance(node, ast.Subscript):
            return self._is_born(node.value, depth + 1)
        if isinstance(node, ast.Attribute):
            return node.attr in ("data", "T", "mT") and self._is_born(node.value, depth + 1)
        return isinstance(node, ast.Call) and self._is_born_call(node, depth)

    def _is_born_call(self, node: ast.Call, depth: int) -> bool:
        func = node.func
        if isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name) and func.value.id == "self":
            layers = self._layer(func.attr)
            return bool(layers) and all(isinstance(each, ast.Call) and _makes_maker(each) for each in layers)
        if not isinstance(func, ast.Attribute) or any(keyword.arg in ("out", "inplace") for keyword in node.keywords):
            return False
        if root_name(func.value) in ("self", "cls") or func.attr in _STRIDED:
            return False
        if func.attr in _makers():
            return True
        of_numpy = isinstance(func.value, ast.Name) and func.value.id in ("np", "numpy")
        if of_numpy:
            return func.attr in _ARRAYS
        if func.attr.endswith("Tensor"):
            return root_name(func) == "torch"
        views = isinstance(func.value, ast.Name) and func.value.id in _LIBRARIES
        return not views and func.attr in _methods() and self._is_born(func.value, depth + 1)


def _is_mode(node: ast.expr) -> bool:
    return last_word(node.func if isinstance(node, ast.Call) else node) in _GRAD_MODES


def _whole(target: ast.expr | None) -> ast.expr | None:
    """What is written, where only a part of it may be."""
    while isinstance(target, ast.Subscript):
        target = target.value
    return target


def _sharing(node: ast.AST | None) -> Iterator[str]:
    """The names whose memory an expression may share."""
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, (ast.Attribute, ast.Subscript, ast.Starred, ast.keyword)):
        yield from _sharing(node.value)
    elif isinstance(node, ast.IfExp):
        yield from _sharing(node.body)
        yield from _sharing(node.orelse)
    elif isinstance(node, ast.BoolOp):
        for each in node.values:
            yield from _sharing(each)
    elif isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        for each in node.elts:
            yield from _sharing(each)
    elif isinstance(node, ast.Dict):
        for each in node.values:
            yield from _sharing(each)
    elif isinstance(node, ast.NamedExpr):
        yield from _sharing(node.target)
        yield from _sharing(node.value)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr not in _makers():
        if root_name(node.func) not in _LIBRARIES:
            yield from _sharing(node.func.value)
        if is_library(node.func) and not node.func.attr.endswith("Tensor"):
            for each in node.args:
                yield from _sharing(each)


def _is_plus(node: ast.expr) -> bool:
    """Whether this is `+x`, which is `x` itself."""
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.UAdd)


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _binds(node: ast.AST, name: str) -> bool:
    if node.__class__ not in BINDERS:
        return False
    return any(target == name or (isinstance(target, ast.Name) and target.id == name) for target, _ in bound(node))


def _makes_maker(node: ast.Call) -> bool:
    """Whether a call constructs a layer whose results are always new, and not saved."""
    name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    spec = shipped().module(f"torch.nn.{name}")
    if spec is None or any(keyword.arg == "inplace" for keyword in node.keywords):
        return False
    rows = [row for row in spec.forward if ("inplace", True) not in row.given]
    fresh = bool(rows) and all(each.origin == "fresh" for row in rows for each in row.outputs)
    return fresh and not any(save.what.startswith("result") for row in rows for save in row.saves)


def is_library(func: ast.expr) -> bool:
    """Whether a call goes to an op, which keeps nothing but for its backward."""
    if not isinstance(func, ast.Attribute):
        return isinstance(func, ast.Name) and func.id in ("len", "range", "int", "float", "isinstance", "print", "str")
    if root_name(func) in _LIBRARIES:
        return True
    return func.attr in _methods() and func.attr not in _KEEPERS and root_name(func) not in ("self", "cls")


@cache
def _methods() -> frozenset[str]:
    """The names of the methods of tensors."""
    return frozenset(name.rpartition(".")[2] for name in shipped().names() if name.startswith("torch.Tensor."))


@cache
def _makers() -> frozenset[str]:
    """The names of ops that always make new memory."""
    fresh: dict[str, bool] = {}
    for name in shipped().names():
        last = name.rpartition(".")[2]
        rows = [row for row in shipped().overloads(name) if ("inplace", True) not in row.given]
        new = all(not set(row.writes) - {"out"} and all(each.origin == "fresh" for each in row.outputs) for row in rows)
        fresh[last] = fresh.get(last, True) and new and not last.endswith("_")
    return frozenset(name for name, new in fresh.items() if new)


@cache
def _frugal() -> frozenset[str]:
    """The names of ops that save none of their arguments, and whose results share no memory with them."""
    frugal: dict[str, bool] = {}
    for name in shipped().names():
        last = name.rpartition(".")[2]
        rows = shipped().overloads(name)
        saves = any(not save.what.startswith("result") for row in rows for save in row.saves)
        seen = all(row.source == "probed" for row in rows)
        frugal[last] = frugal.get(last, True) and seen and not saves
    named = frozenset(name for name, saves_none in frugal.items() if saves_none)
    return (named & _makers()).difference(POSITIONAL)


@cache
def _savers() -> frozenset[str]:
    """The names of ops that save their result for backward."""
    saving = set()
    for name in shipped().names():
        if any(save.what.startswith("result") for row in shipped().overloads(name) for save in row.saves):
            saving.add(name.rpartition(".")[2])
    return frozenset(saving)
