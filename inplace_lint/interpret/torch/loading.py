"""Data sets: what others write to an item that they keep stands in it when it is given again."""

from __future__ import annotations

from typing import TypeGuard

from inplace_lint.effort import STEP
from inplace_lint.interpret.state.classes import library_bases
from inplace_lint.interpret.state.naming import DATA_SET
from inplace_lint.interpret.state.plain_data import take_for_data
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.tensors_within import tensors_of
from inplace_lint.interpret.state.values import Arguments, Class, Instance, Ref, Value, resolve
from inplace_lint.torch_model.coverage import covers
from inplace_lint.torch_model.events import Write
from inplace_lint.torch_model.tensor import Tensor

_DATA_SET = "torch.utils.data.Dataset"


def is_data_set(cls: Class) -> bool:
    """Whether a class is derived from PyTorch's `Dataset`."""
    return _DATA_SET in library_bases(cls)


def gives_data(cls: Class) -> bool:
    """Whether what the methods of a class compute of data is data, whatever they call for that."""
    return DATA_SET.on and is_data_set(cls)


def note_data_set(cls: Class, arguments: Arguments) -> None:
    """What a data set is made of is data."""
    if not gives_data(cls):
        return
    for passed in arguments.all():
        take_for_data(passed.ref.value)


def is_loader(value: Value) -> TypeGuard[Instance]:
    """Whether it is PyTorch's `DataLoader`."""
    cls = value.cls if isinstance(value, Instance) else None
    return isinstance(cls, Class) and bool(cls.module.library) and cls.code.name == "DataLoader"


def note_fetch(run: Run, data: Instance, item: Ref, began: int) -> None:
    """A data set has given an item: mark what others have written to it since it was given the first time.

    Args:
        began: when the item was asked for; what was made since then is no part of the data set.
    """
    if not isinstance(data.cls, Class) or not is_data_set(data.cls):
        return
    for ref, _ in tensors_of(item.value):
        tensor = resolve(ref.value)
        if not isinstance(tensor, Tensor) or tensor.storage.made_at > began:
            continue
        first = tensor.storage.fetched_at = tensor.storage.fetched_at or began
        run.torch.trace.effort.spend(STEP * len(tensor.storage.writes))
        for write, _, _ in tensor.storage.writes:
            foreign = write.time > first and write.fetching is None and not _is_within(run, data.cls, write)
            if foreign and covers(tensor, write.operand.tensor):
                write.note("refetched")


def _is_within(run: Run, cls: Class, write: Write) -> bool:
    """Whether a method of the class runs when something is written: that may be meant to change the data."""
    return any(frame.self_class in cls.lineage and frame.began in write.calls for frame in run.past)
