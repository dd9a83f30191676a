"""Counts the bytes of all live storages while a program runs, on the CPU as on other devices."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Sequence
from typing import Any

from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves


class Meter(TorchDispatchMode):
    """Follows memory inside `with meter:`, forward and backward.

    A storage counts from the op that makes it until nothing refers to it: no name of the program, no
    tensor that autograd keeps. What a kernel allocates for itself alone is not seen.

    Attributes:
        timeline: live bytes after each op, and at each sample.
    """

    def __init__(self) -> None:
        super().__init__()
        self.timeline: list[int] = []
        self._sizes: dict[int, int] = {}
        self._live = 0

    @property
    def peak(self) -> int:
        """The most bytes that were alive at once."""
        return max(self.timeline, default=self._live)

    def hold(self, tensors: Iterable[Tensor]) -> None:
        """Count these tensors, which were there before."""
        for tensor in tensors:
            self._count(tensor)
        self.sample()

    def sample(self) -> None:
        """Note how much is alive now."""
        self.timeline.append(self._live)

    def __torch_dispatch__(
        self, func: Any, types: Sequence[type], args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        for leaf in tree_leaves(result):
            if isinstance(leaf, Tensor):
                self._count(leaf)
        self.sample()
        return result

    def _count(self, tensor: Tensor) -> None:
        try:
            storage = tensor.untyped_storage()
        except NotImplementedError:  # sparse tensors are made of others
            return
        key, size = storage._cdata, storage.nbytes()
        if key not in self._sizes:
            weakref.finalize(storage, self._free, key).atexit = False
        self._live += size - self._sizes.get(key, 0)
        self._sizes[key] = size

    def _free(self, key: int) -> None:
        self._live -= self._sizes.pop(key)
