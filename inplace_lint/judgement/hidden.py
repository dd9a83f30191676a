"""Writes that autograd does not see, to what is differentiated through afterwards."""

from __future__ import annotations

from collections.abc import Iterator

from inplace_lint.judgement.broken_saves import broken
from inplace_lint.judgement.intent import LIBRARY_WRITES, others_need
from inplace_lint.torch_model.events import Read, Trace, Write
from inplace_lint.torch_model.op_names import RETURN, base_name
from inplace_lint.torch_model.regions import apart, meet
from inplace_lint.torch_model.tensor import YES, Tensor


def hidden_changes(trace: Trace) -> Iterator[tuple[Write, Read]]:
    """Writes that no gradient sees, to a result that is differentiated through afterwards."""
    reported = {id(found.write) for found in broken(trace)}
    for event in trace.events:
        if not isinstance(event, Read) or not event.grad_mode:
            continue
        tensor = event.operand.tensor
        if tensor.detached_from is not None or tensor.is_leaf or not tensor.need.certain:
            continue
        trace.effort.spend(len(tensor.storage.writes))
        for write, _, _ in tensor.storage.writes:
            if write.time < event.time and id(write) not in reported and _unseen(write, tensor):
                if "masked" in write.marks and _gives_masked_no_gradient(event.reader):
                    continue
                reported.add(id(write))
                yield write, event


def _unseen(write: Write, tensor: Tensor) -> bool:
    written = write.operand.tensor
    elsewhere = write.storage is not tensor.storage  # `x.data = ...` leaves the old memory as it was
    if elsewhere or write.op in LIBRARY_WRITES or write.is_refused or "custom" in write.marks:
        return False
    if apart(written.region, tensor.region):
        return False
    if base_name(write.op) in _SHIFTS and not others_need(write):
        return False
    if written.detached_from is not None:
        return written.detached_from is tensor.family
    same = not write.grad_mode and written.family is tensor.family and write.had_need == YES
    return same and _overwrites_history(write)


# Adding what needs no gradient leaves the gradient as it was.
_SHIFTS = frozenset({"add_", "sub_", "+=", "-="})


def _overwrites_history(write: Write) -> bool:
    """Whether what a write changes had a history: not the part of a plain tensor that nothing was put into."""
    before = [earlier for earlier, _, _ in write.storage.writes if earlier.time < write.time]
    if not before or before[0].had_need:
        return True
    ours = write.operand.tensor.region
    regions = (earlier.operand.tensor.region for earlier in before if others_need(earlier))
    return ours is None or any(theirs is None or meet(ours, theirs) for theirs in regions)


def _gives_masked_no_gradient(reader: str) -> bool:
    """Whether backward gives what is as good as minus infinity no gradient, as if it were a constant."""
    name = base_name(reader).lower().replace("_", "")
    return reader == RETURN or name in ("softmax", "logsoftmax", "logsumexp", "crossentropy", "crossentropyloss")
