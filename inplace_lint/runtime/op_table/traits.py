"""Traits of an op that calls with varied tensors show: other values, integers, another order of dimensions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import cast

import torch

from inplace_lint.runtime.op_table.exchanged import is_kept_as_view
from inplace_lint.runtime.op_table.observe import Call, strided
from inplace_lint.runtime.op_table.overlaps import unchecked
from inplace_lint.runtime.op_table.parts import part
from inplace_lint.runtime.op_table.passed_on import passes
from inplace_lint.runtime.op_table.probe import quiet
from inplace_lint.runtime.op_table.samples import seed
from inplace_lint.runtime.op_table.shapes import shape
from inplace_lint.runtime.op_table.varied import (
    FAILED,
    REFUSED,
    copied,
    on_plain_tensors,
    results,
    run,
    tensors,
    written,
)
from inplace_lint.torch_model.effects import Effects, Filling, Whole

_FEW = 6
_MADE = frozenset({"device", "pin_memory"})


def with_traits(calls: Sequence[Call], effects: Effects) -> Effects:
    """The row, and what the first calls tell besides."""
    if not calls or effects.metadata_only:
        return effects
    calls = [*calls[:_FEW], *on_plain_tensors(calls[0], effects)]
    saves = tuple(replace(save, view=True) if is_kept_as_view(calls, effects, save) else save for save in effects.saves)
    with quiet():
        return replace(
            effects,
            saves=saves,
            dtypes=tuple(
                "int" if told == "int64" and _narrows(calls, i) else told for i, told in enumerate(effects.dtypes)
            ),
            dense=_is_dense(calls),
            part=part(calls, effects),
            filling=_filling(calls, effects),
            shape=shape(calls, effects),
            unchecked=unchecked(calls, effects),
            passes=passes(calls, effects),
            compares=not written(effects) and _compares(calls),
            whole=None if any(effects.dtypes) or written(effects) else _whole(calls),
        )


def _is_dense(calls: Sequence[Call]) -> bool:
    """Whether what is new is contiguous, although the first tensor given is laid out column by column."""
    dense: list[bool] = []
    for call in calls:
        turned: list[torch.Tensor] = []

        def turn(name: str, tensor: torch.Tensor, turned: list[torch.Tensor] = turned) -> torch.Tensor:
            turned.append(copied(name, tensor) if turned else strided(copied(name, tensor)))
            return turned[-1]

        found = run(call, turn)
        if turned and not turned[0].is_contiguous():
            old = {t.untyped_storage().data_ptr() for t in turned}
            new = [t for t in results(found) if t.untyped_storage().data_ptr() not in old]
            dense += [t.is_contiguous() for t in new]
    return bool(dense) and all(dense)


def _filling(calls: Sequence[Call], effects: Effects) -> Filling:
    """What an op puts into memory, if it leaves nothing of what was there, or makes it."""
    targets = written(effects)
    if targets:
        found = {_refilling(call, targets[0]) for call in calls}
    elif any(param.name in _MADE for param in effects.params) and effects.outputs[0].origin == "fresh":
        found = {_made_with(call) for call in calls}
    else:
        return ""
    found.discard(None)
    if found and found <= {"zeros", "ones", "constant"}:
        return cast(Filling, found.pop()) if len(found) == 1 else "constant"
    return cast(Filling, found.pop()) if len(found) == 1 else ""


def _refilling(call: Call, target: str) -> Filling | None:
    given = tensors(call)
    if any(name != target and t.dim() and not _is_float(t) for name, t in given):
        return ""  # an index or mask may stand for all elements in a sample, and for a few elsewhere
    if all(t.numel() < 2 for name, t in given if name == target):
        return None
    values = [_written(call, target, old, 0) for old in (torch.clone, torch.zeros_like, _noise)]
    left = [value for value in values if value is not None]
    if len(left) < len(values) or left[0].numel() < 2:  # perhaps it was resized
        return None
    if not all(torch.equal(value, left[0]) for value in left):
        return ""
    if _is_uniform(left[0]):
        return _constant(left[0])
    other = _written(call, target, torch.clone, 1)
    return "given" if other is not None and torch.equal(other, left[0]) else "drawn"


def _noise(tensor: torch.Tensor) -> torch.Tensor:
    seed(7)
    return (torch.randn(tensor.shape) * 3).to(tensor.dtype)


def _written(call: Call, target: str, old: Callable[[torch.Tensor], torch.Tensor], start: int) -> torch.Tensor | None:
    """What an op leaves in its target, where there were old values."""
    held: list[torch.Tensor] = []

    def change(name: str, tensor: torch.Tensor) -> torch.Tensor:
        tensor = old(copied(name, tensor)) if name == target else copied(name, tensor)
        held.extend([tensor] if name == target else [])
        return tensor

    found = run(call, change, start)
    return None if found is FAILED or found is REFUSED or not held else held[0].nan_to_num()


def _made_with(call: Call) -> Filling | None:
    """Memory that nobody has written is marked where PyTorch is asked to be deterministic."""
    torch.use_deterministic_algorithms(True)
    try:
        made = results(run(call))
    finally:
        torch.use_deterministic_algorithms(False)
    if not made or made[0].numel() < 2:
        return None
    first = made[0].flatten()[0]
    unwritten = first.isnan() if _is_float(first) else first == _largest(first.dtype)
    if _is_uniform(made[0]):
        return "none" if unwritten else _constant(made[0])
    return ""


def _is_float(tensor: torch.Tensor) -> bool:
    return tensor.is_floating_point() or tensor.is_complex()


def _constant(tensor: torch.Tensor) -> Filling:
    value = tensor.flatten()[0]
    return "zeros" if value == 0 else "ones" if value == 1 else "constant"


def _is_uniform(tensor: torch.Tensor) -> bool:
    return bool((tensor == tensor.flatten()[0]).all() or tensor.isnan().all())


def _largest(dtype: torch.dtype) -> int:
    return 1 if dtype is torch.bool else torch.iinfo(dtype).max


def _compares(calls: Sequence[Call]) -> bool:
    """Whether the op gives one and the same of every tensor that is given to it twice."""
    seen: list[torch.Tensor] = []
    for call in calls:
        given = tensors(call)
        if len(given) != 2 or len(call.args) + len(call.kwargs) != 2 or given[0][1].numel() < 3:
            continue
        for start in (0, 1):
            seed(start)
            values = copied("", given[0][1]).float().normal_().flatten()
            values[0] = 0
            twin = values.reshape(given[0][1].shape).to(given[0][1].dtype)
            found = run(call, lambda name, tensor, twin=twin: twin)  # type: ignore[misc]
            made = [torch.tensor(found)] if isinstance(found, bool) else results(found)
            if not made or not twin.is_floating_point():
                return False
            seen.append(made[0].flatten())
    return bool(seen) and _is_uniform(torch.cat(seen).double())


def _narrows(calls: Sequence[Call], output: int) -> bool:
    """Whether other integers come of other integers."""

    def narrowed(name: str, tensor: torch.Tensor) -> torch.Tensor:
        return tensor.to(torch.int32) if tensor.dtype is torch.int64 else copied(name, tensor)

    made = [results(run(call, narrowed)) for call in calls]
    return any(output < len(each) and each[output].dtype is torch.int32 for each in made)


def _whole(calls: Sequence[Call]) -> Whole | None:
    """The dtype that comes of whole numbers, if it is not theirs."""
    found = {_of_whole(call) for call in calls}
    found.discard(None)
    only = found.pop() if len(found) == 1 else None
    return cast(Whole, only) if only else None


def _of_whole(call: Call) -> str | None:
    """Empty if whole numbers keep their dtype; None if the op does not take them, or is given other numbers, too."""
    given = [t for _, t in tensors(call)]
    if not given or any(isinstance(value, float) for value in (*call.args, *call.kwargs.values())):
        return None
    floats, kinds = any(map(_is_float, given)), []
    for dtype in (torch.int64, torch.int32):

        def rounded(name: str, tensor: torch.Tensor, dtype: torch.dtype = dtype) -> torch.Tensor:
            if _is_float(tensor) or (not floats and tensor.dtype is torch.int64):
                return (tensor.real * 5 if _is_float(tensor) else tensor).to(dtype)
            return copied(name, tensor)

        made = results(run(call, rounded))
        kinds.append(made[0].dtype if made else None)
    return {(torch.float32,) * 2: "float32", (torch.int64,) * 2: "int64"}.get(tuple(kinds), "")  # type: ignore[arg-type]
