"""What each in-place op of a model saves: runs with it, and with it alone out of place."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import nullcontext
from dataclasses import dataclass

import torch
from torch import fx

from inplace_lint.runtime.confirm.experiment import plainly
from inplace_lint.runtime.confirm.outcome import backward, seed
from inplace_lint.runtime.confirm.trace import Traced, trace
from inplace_lint.runtime.errors import TargetError
from inplace_lint.runtime.memory.meter import Alive, Meter
from inplace_lint.runtime.memory.variant import Variant, Written
from inplace_lint.runtime.target import Call, Target, told
from inplace_lint.runtime.values import leaves
from inplace_lint.source.place import Site


@dataclass(frozen=True, slots=True)
class Run:
    """The memory of one forward and backward.

    Args:
        timeline: live bytes after each op.
        forward: how many ops of it are forward.
        written: what in-place nodes wrote.
        allocated: the allocator's own peak in bytes on a GPU; None on the CPU.
        alive: what is alive at the peak, the largest first.
    """

    timeline: Sequence[int]
    forward: int
    written: dict[fx.Node, Written]
    allocated: int | None = None
    alive: Sequence[Alive] = ()

    @property
    def peak(self) -> int:
        """The most bytes that were alive at once."""
        return max(self.timeline)

    @property
    def kept(self) -> int:
        """Bytes that are alive between forward and backward."""
        return self.timeline[self.forward - 1]


@dataclass(frozen=True, slots=True)
class Saving:
    """An in-place op of the source, and what it saves, in bytes.

    Args:
        site: where it stands.
        op: what it is.
        times: how often it ran.
        size: of the tensor that it writes, the largest of these times.
        at_peak: how much higher the peak is with this op out of place.
        after_forward: how much more is alive then between forward and backward.
    """

    site: Site | None
    op: str
    times: int
    size: int
    at_peak: int
    after_forward: int


@dataclass(frozen=True, slots=True)
class Weighed:
    """The run as it is, the run with all in-place ops out of place, and what each op saves."""

    original: Run
    out_of_place: Run
    savings: list[Saving]


def weigh(target: Target, recorded: bool = True) -> Weighed:
    """Weigh the in-place ops of a model.

    Args:
        target: the model and its inputs; it is run several times.
        recorded: record gradients, and run backward.

    Raises:
        TargetError: it fails, cannot be traced, or PyTorch refuses one of its in-place ops.
    """
    outcome = plainly(target)
    if outcome.error is not None:
        words = told(outcome.error).partition(" Hint:")[0]
        raise TargetError(f"{target.name}: PyTorch raises, see `inplace-lint confirm`: {words}")
    traced = _traced(target, recorded)
    original = _run(target, traced)
    nodes: dict[tuple[Site | None, str], list[fx.Node]] = {}
    for node in original.written:
        nodes.setdefault((node.meta["place"].site, original.written[node].op), []).append(node)
    savings = []
    for (site, op), some in nodes.items():
        run = _run(target, traced, some)
        size = max(original.written[node].size for node in some)
        at_peak, after_forward = run.peak - original.peak, run.kept - original.kept
        savings.append(Saving(site, op, len(some), size, at_peak, after_forward))
    return Weighed(original, _run(target, traced, original.written), savings)


def _traced(target: Target, recorded: bool) -> Traced:
    call = target.fresh()
    if call.is_program:
        raise TargetError(f"{target.name}: is a whole program; give a model, or a function and its inputs")
    seed()
    try:
        with nullcontext() if recorded else torch.no_grad():
            return trace(call)
    except Exception as error:
        raise TargetError(f"{target.name}: cannot be traced: {told(error)}; --advise runs it as it is") from error


def _run(target: Target, traced: Traced, apart: Collection[fx.Node] = ()) -> Run:
    call, meter = target.fresh(), Meter()
    assert call.model is not None
    variant = Variant(traced, call, apart)
    meter.hold([*call.model.parameters(), *call.model.buffers(), *variant.given()])
    gpu = _gpu(call)
    if gpu is not None:
        torch.cuda.reset_peak_memory_stats(gpu)
    seed()
    with meter:
        meter.where = lambda: variant.place.site
        results = variant.tensors()
        meter.where = lambda: None  # what backward makes has no place in the source
        meter.sample()  # when what the last op alone needed is gone
        forward = len(meter.timeline)
        backward([results[i] for i in traced.roots if results[i].requires_grad])
    allocated = torch.cuda.max_memory_allocated(gpu) if gpu is not None else None
    return Run(meter.timeline, forward, variant.written, allocated, meter.alive)


def _gpu(call: Call) -> torch.device | None:
    assert call.model is not None
    tensors = [*call.model.parameters(), *leaves((call.args, dict(call.kwargs)))]
    return next((tensor.device for tensor in tensors if tensor.is_cuda), None)
