"""Runs one call and looks: what it wrote, what it returned, what autograd saved."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch.autograd.graph import saved_tensors_hooks
from torch.utils._pytree import tree_flatten, tree_map_only

from inplace_lint.torch_model.effects import DtypeKind, Output

NESTED = "<nested>"


@dataclass(frozen=True)
class Call:
    """A callable with arguments of which the names are known.

    `owned` are tensors that the callable holds by itself: a module's parameters and buffers, those
    of modules inside it all under the one name `NESTED`.
    """

    function: Callable[..., object]
    args: tuple[object, ...]
    kwargs: Mapping[str, object]
    names: tuple[str, ...]
    owned: Sequence[tuple[str, torch.Tensor]] = ()


@dataclass(frozen=True)
class Seen:
    """What one call did while the tensors of `grad` required grad."""

    grad: frozenset[str]
    writes: frozenset[str]
    outputs: tuple[Output, ...]
    tupled: bool
    saves: frozenset[tuple[str, bool]]
    requires_grad: bool
    given: DtypeKind | None
    dtypes: tuple[torch.dtype | None, ...]
    contiguous: bool
    node: str | None
    fields: tuple[str, ...]


_PROMOTION: tuple[DtypeKind, ...] = ("complex", "float", "int", "bool")


def kind_of(dtype: torch.dtype) -> DtypeKind:
    """The kind of a dtype, as `Effects.dtype` names it."""
    if dtype is torch.bool:
        return "bool"
    if dtype.is_complex:
        return "complex"
    return "float" if dtype.is_floating_point else "int"


def _memory(t: torch.Tensor) -> int:
    # the address of the storage object: unlike data_ptr, also right for empty tensors
    return int(t.untyped_storage()._cdata)


def strided(t: torch.Tensor) -> torch.Tensor:
    """The same values, laid out column by column."""
    return t.mT.contiguous().mT if t.dim() > 1 else t


def tensor_names(call: Call) -> frozenset[str]:
    """Names of the arguments that are tensors, or hold some."""
    return frozenset(name for name, _ in _tensors(call))


def subjects(call: Call) -> frozenset[str]:
    """Names of the arguments that could require grad."""
    return frozenset(name for name, t in _tensors(call) if _differentiable(t))


def _tensors(call: Call) -> Iterator[tuple[str, torch.Tensor]]:
    values = [*zip(call.names, call.args, strict=True), *call.kwargs.items(), *call.owned]
    for name, value in values:
        yield from ((name, t) for t in tree_flatten(value)[0] if isinstance(t, torch.Tensor))


def _differentiable(t: torch.Tensor) -> bool:
    return t.dtype.is_floating_point or t.dtype.is_complex


class _Run:
    """The copies of the arguments made for one run, by parameter."""

    def __init__(self, call: Call, grad: frozenset[str], strided: bool) -> None:
        self.tensors: list[tuple[str, torch.Tensor]] = []
        self._grad = grad
        self._strided = strided
        self.args = [self._copy(n, v) for n, v in zip(call.names, call.args, strict=True)]
        self.kwargs = {n: self._copy(n, v) for n, v in call.kwargs.items()}
        for name, tensor in call.owned:
            if _differentiable(tensor):
                tensor.requires_grad_(name in grad)
            self.tensors.append((name, tensor))
        self.old = [t.detach().clone() for _, t in self.tensors]
        self.nodes = [t.grad_fn for _, t in self.tensors]
        self.versions = [t._version for _, t in self.tensors]

    def _copy(self, name: str, value: object) -> object:
        return tree_map_only(torch.Tensor, lambda t: self._one(name, t), value)

    def _one(self, name: str, t: torch.Tensor) -> torch.Tensor:
        t = t.detach().clone(memory_format=torch.contiguous_format)
        if self._strided:
            t = strided(t)
        if name in self._grad and _differentiable(t):
            # a leaf could not be written; its clone can, and cloning saves nothing
            t = t.requires_grad_().clone()
        self.tensors.append((name, t))
        return t

    def written(self) -> frozenset[str]:
        pairs = zip(self.tensors, self.versions, strict=True)
        return frozenset(name for (name, t), version in pairs if t._version != version)

    def owner(self, t: torch.Tensor) -> str | None:
        return next((name for name, mine in self.tensors if _memory(mine) == _memory(t)), None)

    def is_old_value(self, t: torch.Tensor, writes: frozenset[str]) -> str | None:
        for (name, _), old in zip(self.tensors, self.old, strict=True):
            same = name in writes and old.shape == t.shape and old.dtype == t.dtype
            if same and torch.allclose(old, t, equal_nan=True):
                return name
        return None


def observe(call: Call, grad: frozenset[str], strided: bool = False) -> Seen:
    """Runs the call on copies of its arguments. Whatever the callable raises comes through."""
    run = _Run(call, grad, strided)
    packed: list[torch.Tensor] = []

    def keep(t: torch.Tensor) -> torch.Tensor:
        packed.append(t.detach())
        return t

    with saved_tensors_hooks(keep, lambda t: t):
        result = call.function(*run.args, **run.kwargs)
    writes = run.written()
    results = _results(result)
    tensors = [r for r in results if isinstance(r, torch.Tensor)]
    outputs = tuple(_output(r, run, writes) for r in results)
    if isinstance(result, tuple | list) and len(result) == len(outputs):
        # A list among the results (`out, (h, c)` of an LSTM) is known by its first element.
        nested = [isinstance(part, tuple | list) for part in result]
        outputs = tuple(replace(o, many=many) for o, many in zip(outputs, nested, strict=True))
    return Seen(
        grad,
        writes,
        _tied(outputs, tensors),
        isinstance(result, tuple | list) and bool(tensors),
        frozenset(filter(None, (_saved(t, run, writes, results) for t in packed))),
        any(t.requires_grad for t in tensors),
        _promoted([t for _, t in run.tensors]),
        tuple(r.dtype if isinstance(r, torch.Tensor) else None for r in results),
        all(t.is_contiguous() for t in tensors if t.layout is torch.strided),
        _node(tensors, run),
        # the named tuples of `torch.return_types`
        getattr(type(result), "__match_args__", ()) if isinstance(result, tuple) else (),
    )


def _results(result: object) -> list[object]:
    if isinstance(result, tuple | list) and any(isinstance(r, torch.Tensor) for r in result):
        return [r[0] if isinstance(r, tuple | list) and r else r for r in result]
    return [result]


def _output(value: object, run: _Run, writes: frozenset[str]) -> Output:
    if not isinstance(value, torch.Tensor):
        return Output("value")
    if value.layout is not torch.strided:
        return Output("fresh")
    for name, t in run.tensors:
        if value is t:
            return Output("alias", name)
    owner = run.owner(value)
    return Output("fresh") if owner is None else Output("view", owner)


def _tied(outputs: tuple[Output, ...], tensors: list[torch.Tensor]) -> tuple[Output, ...]:
    """Marks views that autograd ties together: writing one of them is refused; and parts of one new memory."""
    if len(outputs) > 1 and len(tensors) == len(outputs) and {o.origin for o in outputs} == {"fresh"}:
        together = len({_memory(t) for t in tensors}) == 1
        return (Output("parts", many=True),) * len(outputs) if together else outputs
    views = [o.origin for o in outputs] == ["view"] * len(outputs)
    if len(outputs) < 2 or not views or not tensors[0].requires_grad:
        return outputs
    try:
        tensors[0].zero_()
    except RuntimeError as error:
        if "multiple views" in str(error):
            return tuple(Output("views", o.of) for o in outputs)
    return outputs


def _saved(t: torch.Tensor, run: _Run, writes: frozenset[str], results: list[Any]) -> tuple[str, bool] | None:
    if t.layout is not torch.strided:
        return None
    owner = run.owner(t)
    if owner is not None and owner not in writes:
        return owner, False
    for i, result in enumerate(results):
        same = isinstance(result, torch.Tensor) and result.layout is torch.strided
        if same and _memory(result) == _memory(t):
            return (f"result{i}" if len(results) > 1 else "result"), False
    if owner is not None:
        return owner, False
    old = run.is_old_value(t, writes)
    return None if old is None else (old, True)


def _promoted(given: list[torch.Tensor]) -> DtypeKind | None:
    """The kind that arithmetic on the arguments has."""
    kinds = {kind_of(t.dtype) for t in given}
    return next((kind for kind in _PROMOTION if kind in kinds), None)


def _node(results: list[torch.Tensor], run: _Run) -> str | None:
    new = (t.grad_fn for t in results if t.grad_fn is not None and t.grad_fn not in run.nodes)
    return next((str(node.name()).rpartition("::")[2] for node in new), None)
