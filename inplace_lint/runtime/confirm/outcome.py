"""The outcome of a run, and the difference of two."""

from __future__ import annotations

import io
import math
import random
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from typing import Any, Literal, TextIO

import torch
from torch import Tensor

from inplace_lint.runtime.recorder.engine import Watcher, watched
from inplace_lint.runtime.recorder.saves import nodes_from
from inplace_lint.runtime.target import SEED, Call
from inplace_lint.torch_model.messages import is_in_place

# Rounding may differ where memory is laid out otherwise: this many units in the last place.
_ULPS = 1000
# A tensor much smaller than its fellows is judged by their size: it may be nothing but rounding.
_SMALL = 1e-3


@dataclass(frozen=True, slots=True)
class Outcome:
    """The tensors that a run left, copied, or what PyTorch raised.

    Args:
        values: what the program returned.
        gradients: of parameters and inputs; empty for a program that takes its gradients itself.
        inputs: the inputs as they are afterwards.
        printed: what a program wrote to standard output.
        error: what PyTorch raised because of an in-place change.
    """

    values: Mapping[str, Tensor] = field(default_factory=dict)
    gradients: Mapping[str, Tensor] = field(default_factory=dict)
    inputs: Mapping[str, Tensor] = field(default_factory=dict)
    printed: str = ""
    error: RuntimeError | None = None


@dataclass(frozen=True, slots=True)
class Difference:
    """The largest difference between two outcomes, and where it is."""

    kind: Literal["values", "gradients", "shapes", "printed"]
    largest: float
    name: str


def seed() -> None:
    """Make random numbers those of every other run."""
    torch.manual_seed(SEED)
    random.seed(SEED)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(SEED)


def observe(call: Call, run: Callable[[], tuple[list[Tensor], list[Tensor]]]) -> Outcome:
    """Run, and for a model also backward, and copy what is left.

    Args:
        call: what `run` runs, of which the gradients are read.
        run: returns the tensors of the result, and those to differentiate.

    Raises:
        Exception: whatever the program raises, except PyTorch's refusal of in-place changes.
    """
    grad_enabled, leaves, printed = torch.is_grad_enabled(), _Leaves(), _Copy(sys.stdout)
    try:
        seed()
        if call.is_program:
            with watched(leaves), redirect_stdout(printed):
                results, roots = run()
        else:
            results, roots = run()
        if not call.is_program:
            backward(roots)
    except RuntimeError as error:
        if not is_in_place(str(error)):
            raise
        return Outcome(error=error)
    finally:
        torch.set_grad_enabled(grad_enabled)
    with torch._C.DisableTorchFunction():  # whoever listens to the program has no business with the copies
        values = {f"result {i}" if len(results) > 1 else "the result": tensor for i, tensor in enumerate(results, 1)}
        taken = _gradients(call, values, leaves.found)
        others = {name: tensor for name, tensor in values.items() if name not in taken}
        return Outcome(_copied(others), _copied(taken), _copied(_inputs(call)), printed.getvalue())


def _copied(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    return {name: tensor.detach().clone() for name, tensor in tensors.items()}


def roots_of(result: Any, tensors: Sequence[Tensor]) -> list[Tensor]:
    """What to differentiate: the loss, if the result names one, else all of it."""
    loss = result.get("loss") if isinstance(result, Mapping) else getattr(result, "loss", None)
    wanted = [loss] if isinstance(loss, Tensor) and loss.requires_grad else tensors
    return [tensor for tensor in wanted if tensor.requires_grad]


def backward(roots: Sequence[Tensor]) -> None:
    """Differentiate results: with random gradients for results that are no loss, lest some parts cancel out."""
    generator = torch.Generator().manual_seed(SEED)
    with torch._C.DisableTorchFunction():
        given = [None if root.numel() == 1 else _noise(root, generator) for root in roots]
    if roots:
        torch.autograd.backward(list(roots), given)


def _noise(like: Tensor, generator: torch.Generator) -> Tensor:
    dtype = like.dtype if like.dtype.is_complex or like.dtype == torch.float64 else torch.float32
    return torch.randn(like.shape, generator=generator, dtype=dtype).to(like.device, like.dtype)


def _inputs(call: Call) -> dict[str, Tensor]:
    named = [*enumerate(call.args, 1), *call.kwargs.items()]
    return {f"input {name}": value for name, value in named if isinstance(value, Tensor)}


def _gradients(call: Call, values: Mapping[str, Tensor], leaves: Sequence[Tensor]) -> dict[str, Tensor]:
    if call.model is None:
        return {name: tensor for name, tensor in values.items() if any(tensor is leaf.grad for leaf in leaves)}
    named = {**dict(call.model.named_parameters()), **_inputs(call)}
    return {name: tensor.grad for name, tensor in named.items() if tensor.is_leaf and tensor.grad is not None}


class _Copy(io.StringIO):
    """Keeps what it passes on."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__()
        self._stream = stream

    def write(self, text: str) -> int:
        self._stream.write(text)
        return super().write(text)


class _Leaves(Watcher):
    """Keeps the leaves that backward passes of a program reach, so that gradients are known as such."""

    def __init__(self) -> None:
        self.found: list[Tensor] = []

    def backward(self, call: Callable[[], Any], outputs: Sequence[Any], inputs: Sequence[Any]) -> Any:
        nodes = nodes_from(output.grad_fn for output in outputs if isinstance(output, Tensor))
        self.found += [node.variable for node in nodes if hasattr(node, "variable")]
        return call()

    def apply(self, call: Callable[[], Any], name: str, arguments: Sequence[Any]) -> Any:
        return call()

    def checkpointed(self, owner: object, saved: Sequence[Any]) -> None:
        return None


def difference(a: Outcome, b: Outcome, inputs: bool = False, printed: bool = False) -> Difference | None:
    """How two outcomes differ by more than rounding; values come before gradients.

    Args:
        a: one outcome.
        b: the other.
        inputs: also compare what the inputs hold afterwards.
        printed: also compare what was printed.
    """
    if inputs and (found := _largest("values", a.inputs, b.inputs)):
        return found
    found = _largest("values", a.values, b.values) or _largest("gradients", a.gradients, b.gradients)
    return Difference("printed", 0.0, "") if found is None and printed and a.printed != b.printed else found


def _largest(
    kind: Literal["values", "gradients"], a: Mapping[str, Tensor], b: Mapping[str, Tensor]
) -> Difference | None:
    if a.keys() != b.keys():
        missing = sorted(a.keys() ^ b.keys())
        return Difference(kind, math.inf, missing[0])
    floor = _SMALL * max((_size(tensor) for each in (a, b) for tensor in each.values()), default=0.0)
    found: Difference | None = None
    for name in a:
        ours, theirs = a[name], b[name]
        if ours.shape != theirs.shape or ours.dtype != theirs.dtype:
            return Difference("shapes", math.inf, name)
        gap = _gap(ours, theirs)
        epsilon = torch.finfo(ours.dtype).eps if ours.dtype.is_floating_point or ours.dtype.is_complex else 0.0
        tolerance = _ULPS * epsilon * max(_size(ours), _size(theirs), floor)
        if gap > tolerance and (found is None or gap > found.largest):
            found = Difference(kind, gap, name)
    return found


def _wide(tensor: Tensor) -> Tensor:
    if tensor.layout is not torch.strided or tensor.is_quantized:
        tensor = tensor.to_dense()
    return tensor.to(torch.complex128 if tensor.dtype.is_complex else torch.float64)


def _gap(a: Tensor, b: Tensor) -> float:
    if not a.numel():
        return 0.0
    a, b = _wide(a), _wide(b)
    same = (a == b) | (a.isnan() & b.isnan())
    gap = float(torch.where(same, 0.0, (a - b).abs()).max())
    return math.inf if math.isnan(gap) else gap


def _size(tensor: Tensor) -> float:
    if not tensor.numel():
        return 0.0
    wide = _wide(tensor).abs()
    return float(torch.where(wide.isfinite(), wide, 0.0).max())
