"""Tensors that `detach_` took out of the graph, and that are used again where a gradient was wanted."""

from __future__ import annotations

from collections.abc import Iterator

from inplace_lint.judgement.pair import links_of
from inplace_lint.judgement.stale_reads import binding_at_write
from inplace_lint.torch_model.bindings import passed_from
from inplace_lint.torch_model.events import Backward, Detach, Read, Trace
from inplace_lint.torch_model.op_names import RETURN
from inplace_lint.torch_model.op_table import table
from inplace_lint.torch_model.operands import Binding
from inplace_lint.torch_model.tensor import AutogradMeta


def cut_off(trace: Trace) -> Iterator[tuple[Detach, Read]]:
    """What `detach_` took out of the graph though others go on with it, and the first use that gets no gradient."""
    detached: dict[AutogradMeta, Detach] = {}
    until = max((event.time for event in trace.events if isinstance(event, Backward)), default=0)
    for event in trace.events:
        if isinstance(event, Detach):
            detached[event.operand.tensor.autograd_meta] = event
        elif isinstance(event, Read) and event.grad_mode and event.time < until:
            detach = detached.get(event.operand.tensor.autograd_meta)
            if detach is not None and _loses_gradient(event, detach, trace):
                del detached[detach.operand.tensor.autograd_meta]
                yield detach, event


def _loses_gradient(read: Read, detach: Detach, trace: Trace) -> bool:
    """Whether an op would have given a gradient had the tensor been detached out of place, as was meant."""
    if read.operand.tensor.need or not _differentiates(read.reader):
        return False
    held = binding_at_write(read, detach)
    return held is not None and not _is_meant(detach, held, trace)


def _differentiates(reader: str) -> bool:
    rows = table().overloads(reader)
    return reader != RETURN and (not rows or any(row.differentiable for row in rows))


def _is_meant(detach: Detach, held: Binding, trace: Trace) -> bool:
    """Whether who reads a place again wanted the tensor there detached: a statement did so, or a loop over them."""
    binding = detach.operand.binding
    if binding is None:
        return False
    itself = [binding, *passed_from(binding)]
    if any(link.in_loop for link in links_of(binding)):
        itself += links_of(binding)
        return any(link.place == held.place for link in itself)
    return trace.results.uses.get(detach.time) == "statement" and any(link.place == held.place for link in itself)
