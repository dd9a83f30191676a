"""Checkpointed code reads more than its arguments, and computes with it again what backward needs.

A checkpoint keeps its arguments. What else its function reads, a parameter, a buffer, a variable of the function
around it, may have been overwritten when it is read anew; then what is computed again is something else, and nobody
raises. Which values came out in forward is remembered as a digest, so that a write that changed none of them is no
matter.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor
from torch.multiprocessing.reductions import StorageWeakRef

from inplace_lint.runtime.recorder.records import Keep
from inplace_lint.runtime.recorder.saves import address, aside

Digest = tuple[Tensor, Tensor] | None
"""Sums that tell whether values are the same; None of what cannot be summed."""


class Region:
    """What a function under a checkpoint has read from outside, and what came out.

    Attributes:
        digests: of each tensor that was saved in forward, or of each result.
    """

    def __init__(self) -> None:
        self.digests: list[Digest] = []
        self._reads: dict[int, Keep] = {}
        self._pins: list[StorageWeakRef] = []  # no other memory gets the address of one of these
        self._made: set[int] = set()

    def note(
        self,
        operands: Sequence[Tensor],
        results: Sequence[Tensor],
        written: Sequence[Tensor],
        keep: Callable[[Tensor], Keep],
    ) -> None:
        """Take note of an op: what it reads and has not made or written itself comes from outside."""
        for tensor in operands:
            where = address(tensor)
            if where in self._made or where in self._reads or not where or any(tensor is each for each in written):
                continue
            self._reads[where] = keep(tensor)
            self._pins.append(StorageWeakRef(tensor.untyped_storage()))
        given = [address(each) for each in operands]
        self._made.update(where for each in results if (where := address(each)) not in given)

    def forward_is_over(self) -> None:
        """Forget what was needed to tell inside from outside."""
        self._made.clear()

    def overwritten(self) -> Keep | None:
        """The first that was read and whose values were changed since."""
        return next((keep for keep in self._reads.values() if keep.unseen), None)


class Replay:
    """The same function runs again: what comes out is compared, in order."""

    def __init__(self, region: Region) -> None:
        self._region = region
        self._count = 0
        self._told = False

    def culprit(self, tensor: Tensor) -> Keep | None:
        """Compare the next tensor; what was overwritten, if it explains a difference that was not told of yet."""
        index, self._count = self._count, self._count + 1
        keep = None if self._told else self._region.overwritten()
        if keep is None or index >= len(self._region.digests) or _equal(self._region.digests[index], digest(tensor)):
            return None
        self._told = True
        return keep


def digest(tensor: Tensor) -> Digest:
    """Two sums over the values of a tensor, which stay on its device until they are compared."""
    with torch._C.DisableTorchFunction(), torch.no_grad(), aside():
        try:
            values = tensor.detach()
            values = values.to(torch.complex128 if values.is_complex() else torch.float64)
            return values.sum(), values.abs().sum()
        except (NotImplementedError, RuntimeError):
            return None


def _equal(a: Digest, b: Digest) -> bool:
    if a is None or b is None:
        return True
    return all(bool(x == y) or bool((x != x) & (y != y)) for x, y in zip(a, b, strict=True))
