"""Counts the bytes of all live storages while a program runs, on the CPU as on other devices."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from inplace_lint.source.place import Site


@dataclass(frozen=True, slots=True)
class Alive:
    """Memory that is alive: where and by what it was made, how many storages, and their bytes together."""

    site: Site | None
    op: str
    count: int
    size: int


class Meter(TorchDispatchMode):
    """Follows memory inside `with meter:`, forward and backward.

    A storage counts from the op that makes it until nothing refers to it: no name of the program, no
    tensor that autograd keeps. What a kernel allocates for itself alone is not seen.

    Attributes:
        timeline: live bytes after each op, and at each sample.
        where: gives the place of the program that runs, for what it makes.
    """

    def __init__(self) -> None:
        super().__init__()
        self.timeline: list[int] = []
        self.where: Callable[[], Site | None] = lambda: None
        self._sizes: dict[int, int] = {}
        self._makers: dict[int, tuple[Site | None, str]] = {}
        self._at_peak: list[tuple[tuple[Site | None, str], int]] = []
        self._live = self._most = 0

    @property
    def peak(self) -> int:
        """The most bytes that were alive at once."""
        return max(self.timeline, default=self._live)

    def hold(self, tensors: Iterable[Tensor]) -> None:
        """Count these tensors, which were there before."""
        for tensor in tensors:
            self._count(tensor, "parameters, buffers and inputs")
        self.sample()

    def sample(self) -> None:
        """Note how much is alive now."""
        self.timeline.append(self._live)
        if self._live > self._most:
            self._most = self._live
            self._at_peak = [(self._makers[key], size) for key, size in self._sizes.items()]

    @property
    def alive(self) -> list[Alive]:
        """What was alive when most was, the largest first."""
        sizes: dict[tuple[Site | None, str], list[int]] = {}
        for maker, size in self._at_peak:
            sizes.setdefault(maker, []).append(size)
        made = [Alive(*maker, len(some), sum(some)) for maker, some in sizes.items()]
        return sorted(made, key=lambda each: -each.size)

    def __torch_dispatch__(
        self, func: Any, types: Sequence[type], args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        for leaf in tree_leaves(result):
            if isinstance(leaf, Tensor):
                self._count(leaf, func.overloadpacket.__name__)
        self.sample()
        return result

    def _count(self, tensor: Tensor, op: str) -> None:
        try:
            storage = tensor.untyped_storage()
        except NotImplementedError:  # sparse tensors are made of others
            return
        key, size = storage._cdata, storage.nbytes()
        if key not in self._sizes:
            weakref.finalize(storage, self._free, key).atexit = False
            self._makers[key] = (self.where(), op)
        self._live += size - self._sizes.get(key, 0)
        self._sizes[key] = size

    def _free(self, key: int) -> None:
        self._live -= self._sizes.pop(key)
        del self._makers[key]
