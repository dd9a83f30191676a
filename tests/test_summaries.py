"""What the engine infers of functions, held against what real PyTorch does.

A function of `summaries/*.py` with a comment `# summary: ...` on its `def` line, or alone on the
line before it, must have exactly that effect, as inferred and as seen when it is called: with every
choice of its flags, on tensors of positive and of negative numbers that require grad.
"""

from __future__ import annotations

import ast
import inspect
import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch
from expectations import announced
from torch_oracle import load, seed

from inplace_lint.interpret.analysis.entries import entries
from inplace_lint.interpret.analysis.summary import Result, Summary, joined, summarize
from inplace_lint.interpret.state.program import Program
from inplace_lint.source.lower import lower

FILES = sorted((Path(__file__).parent / "summaries").glob("*.py"))
MULTIPLE = torch._C._autograd.CreationMeta.MULTI_OUTPUT_NODE


@dataclass(frozen=True)
class Case:
    file: Path
    name: str
    text: str


def _cases(file: Path) -> Iterator[Case]:
    text = file.read_text()
    announcements = announced(text, "summary")
    for node in ast.parse(text).body:
        members = node.body if isinstance(node, ast.ClassDef) else [node]
        for member in members:
            if isinstance(member, ast.FunctionDef) and member.lineno in announcements:
                name = member.name if member is node else f"{getattr(node, 'name', '')}.{member.name}"
                yield Case(file, name, announcements[member.lineno])


CASES = [case for file in FILES for case in _cases(file)]
every_case = pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.file.stem}-{case.name}")


@every_case
def test_inferred(case: Case) -> None:
    module = Program(lambda path: None, lower).add(str(case.file), case.file.read_text())
    entry = next(entry for entry in entries(module) if entry.name == case.name)
    summary = summarize(entry)
    assert summary.complete
    assert summary.spelled() == case.text


@every_case
def test_torch_agrees(case: Case) -> None:
    namespace = load(case.file.read_text(), str(case.file))
    owner, _, name = case.name.rpartition(".")
    signature = inspect.signature(getattr(namespace[owner], name) if owner else namespace[name])
    choices = [_choices(parameter) for parameter in signature.parameters.values() if parameter.name != "self"]
    observed = []
    for makers in itertools.product(*choices):
        seed()
        held: dict[str, torch.Tensor] = {}
        function = namespace[name] if not owner else getattr(namespace[owner], name)
        if owner and "self" in signature.parameters:
            receiver = namespace[owner]()
            function = getattr(receiver, name)
            held = dict(_held(receiver))
        parameters = [parameter for parameter in signature.parameters.values() if parameter.name != "self"]
        values = {parameter.name: make() for parameter, make in zip(parameters, makers, strict=True)}
        held |= {label: value for label, value in values.items() if isinstance(value, torch.Tensor)}
        observed.append(_observe(lambda f=function, v=values: f(**v), held))  # type: ignore[misc]
    assert joined(observed).spelled() == case.text


def _choices(parameter: inspect.Parameter) -> list[Callable[[], Any]]:
    """Ways to make an argument, anew for every call."""
    kind = str(parameter.annotation)
    if parameter.name == "mask":
        return [lambda: torch.eye(2, 3) > 0]
    if "LongTensor" in kind:
        return [lambda: torch.tensor([1, 0])]
    if kind in ("bool", "<class 'bool'>") or isinstance(parameter.default, bool):
        return [lambda: True, lambda: False]
    makers: list[Callable[[], Any]] = []
    if "Tensor" in kind:
        makers += [lambda: torch.rand(2, 3, requires_grad=True) * 1, lambda: torch.rand(2, 3, requires_grad=True) * -1]
    if parameter.default is not inspect.Parameter.empty:
        makers.append(lambda: parameter.default)
    return makers or [lambda: 2]


def _held(receiver: object) -> Iterator[tuple[str, torch.Tensor]]:
    """The tensors of an object."""
    found = {name: value for name, value in vars(receiver).items() if isinstance(value, torch.Tensor)}
    if isinstance(receiver, torch.nn.Module):
        found |= {**dict(receiver.named_parameters()), **dict(receiver.named_buffers())}
    yield from ((f"self.{name}", value) for name, value in found.items())


def _observe(call: Callable[[], object], held: Mapping[str, torch.Tensor]) -> Summary:
    """Call a function and look at the tensors before and after."""
    before = {name: (tensor._version, tensor.detach().clone()) for name, tensor in held.items()}
    kept: list[torch.Tensor] = []

    def pack(tensor: torch.Tensor) -> torch.Tensor:
        kept.append(tensor)
        return tensor

    returns: tuple[Result, ...] = ()
    value: object = None
    try:
        with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
            value = call()
        returns = (_result(value, held),)
    except ValueError:
        pass
    counted = {name for name, tensor in held.items() if tensor._version != before[name][0]}
    unseen = {name for name in held.keys() - counted if not torch.equal(held[name], before[name][1])}
    names = {_memory(tensor): "result" for tensor in _tensors(value)}
    names |= {_memory(tensor): name for name, tensor in held.items()}
    saves = {names[_memory(tensor)] for tensor in kept if _memory(tensor) in names}
    return Summary(tuple(counted), tuple(unseen), returns, tuple(saves))


def _memory(tensor: torch.Tensor) -> int:
    return tensor.untyped_storage().data_ptr()


def _tensors(value: object) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple, dict)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _tensors(item)


def _result(value: object, held: Mapping[str, torch.Tensor]) -> Result:
    if value is None:
        return Result("nothing")
    if isinstance(value, (list, tuple, dict)):
        items = value.values() if isinstance(value, dict) else value
        return Result(parts=tuple(_result(item, held) for item in items))
    if not isinstance(value, torch.Tensor):
        return Result("value")
    for name, tensor in held.items():
        if value is tensor:
            return Result("alias", name)
    for name, tensor in held.items():
        if _memory(value) == _memory(tensor):
            if not value._is_view():
                return Result("detached", name)
            multiple = torch._C._autograd._get_creation_meta(value) == MULTIPLE
            return Result("views" if multiple else "view", name)
    return Result("fresh")
