"""The life of each storage in a run of the program itself: who makes it, who reads it, when it dies."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from types import FrameType
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from inplace_lint.runtime.recorder.saves import address
from inplace_lint.source.place import Site

GIVEN = -1
"""When parameters, buffers and inputs were made."""


@dataclass(slots=True)
class Life:
    """A storage.

    Args:
        size: its bytes.
        site: the line that made it; None in backward.
        op: what made it.
        born: the step that made it.
        read: the last step that read or wrote it.
        died: the step before which it was freed; None if it outlived the run.
        copy_of: the storage whose values it holds, perhaps in another type.
        written: the last step that wrote it after it was made.
    """

    size: int
    site: Site | None
    op: str
    born: int
    read: int
    died: int | None = None
    copy_of: int | None = None
    written: int = GIVEN

    def alive(self, step: int) -> bool:
        """Whether it is alive after a step."""
        return self.born <= step and (self.died is None or self.died > step)


class Lives(TorchDispatchMode):
    """Follows storages inside `with lives:`, forward, recomputed, and backward. A step is an op of the dispatcher.

    A view reads nothing. What a kernel allocates for itself alone is not seen.

    Attributes:
        lives: all storages, by number.
        timeline: live bytes after each step.
        site: the line of the program that runs; None in backward.

    Args:
        stop: at this step, call `look` with the frames that are running.
    """

    def __init__(self, stop: int = GIVEN, look: Callable[[FrameType], None] = lambda frame: None) -> None:
        super().__init__()
        self.lives: list[Life] = []
        self.timeline: list[int] = []
        self.site: Site | None = None
        self._stop = stop
        self._look = look
        self._numbers: dict[int, int] = {}
        self._live = 0

    @property
    def step(self) -> int:
        """The step that runs, or is next."""
        return len(self.timeline)

    def give(self, tensors: Iterable[Tensor]) -> None:
        """Tensors that are there before the run."""
        for tensor in tensors:
            self.number(tensor, "given", GIVEN)

    def number(self, tensor: Tensor, op: str = "", born: int | None = None) -> int | None:
        """The number of the storage of a tensor, which may be new; None if it has none of its own."""
        key = address(tensor)
        if not key:
            return None
        if key not in self._numbers:
            storage = tensor.untyped_storage()
            self._numbers[key] = len(self.lives)
            born = self.step if born is None else born
            self.lives.append(Life(storage.nbytes(), self.site, op, born, born))
            self._live += storage.nbytes()
            weakref.finalize(storage, self._free, key).atexit = False
        return self._numbers[key]

    def finish(self) -> None:
        """Forget what is alive: whatever dies from now on has outlived the run."""
        self._numbers.clear()

    def __torch_dispatch__(
        self, func: Any, types: Sequence[type], args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        operands = _tensors((args, kwargs))
        read = [number for each in operands if (number := self.number(each, "given", GIVEN)) is not None]
        result = func(*args, **(kwargs or {}))
        name = func.overloadpacket.__name__
        made = [number for each in _tensors(result) if (number := self.number(each, name)) is not None]
        if not (func.is_view or name == "detach"):
            for number in read:
                self.lives[number].read = self.step
        if func._schema.is_mutable:
            for number in set(read) & set(made):
                self.lives[number].written = self.step
        if name in ("clone", "_to_copy") and read and made and made[0] != read[0]:
            self.lives[made[0]].copy_of = read[0]
        del operands
        self.timeline.append(self._live)
        if self.step - 1 == self._stop:
            self._look(sys._getframe(1))
        return result

    def _free(self, key: int) -> None:
        number = self._numbers.pop(key, None)
        if number is not None:
            self.lives[number].died = self.step
            self._live -= self.lives[number].size


def _tensors(values: Any) -> list[Tensor]:
    return [leaf for leaf in tree_leaves(values) if isinstance(leaf, torch.Tensor)]
