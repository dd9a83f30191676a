"""Writes to memory that several places share, and writes to temporary copies, which are lost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from inplace_lint.torch_model.bindings import came_by_call, is_in_copy, sources
from inplace_lint.torch_model.coverage import within
from inplace_lint.torch_model.events import Bind, Trace, Untrainable, Write
from inplace_lint.torch_model.op_names import SETITEM, has_out
from inplace_lint.torch_model.op_table import filling, fills
from inplace_lint.torch_model.operands import Binding
from inplace_lint.torch_model.tensor import Role, Storage


def refetched(trace: Trace) -> Iterator[Write]:
    """Writes by `__getitem__`, or a `collate_fn`, to what the data set keeps: the next call does it again."""
    for write in trace.events:
        if not isinstance(write, Write) or write.fetching is None or write.refusal is not None:
            continue
        binding = write.operand.binding
        if binding is None or not _is_taken_since(binding, write.fetching):
            continue
        if write.storage.made_at > write.fetching and not write.operand.tensor.external:
            continue
        if _is_filled_anew(write, write.fetching):
            continue
        if any(link.kind in ("attribute", "element") and link.bound_at < write.fetching for link in sources(binding)):
            yield write


def _is_taken_since(binding: Binding, since: int) -> bool:
    """Whether what is written by a way has a name of its own, or was put into another object since a time."""
    links = [binding, *sources(binding)]
    named = any(link.kind in ("name", "parameter") for link in links)
    put = binding.kind == "attribute" or any(map(is_in_copy, links))
    return named or (put and binding.bound_at > since)


def _is_filled_anew(write: Write, since: int) -> bool:
    """Whether all that is written had been given other values since a time, by the same way to the memory."""
    return any(
        earlier.time > since and within(write.operand.tensor, earlier.operand.tensor)
        for earlier in write.storage.latest(write.time - 1)
        if (has_out(earlier.op) or filling(earlier.op)) and "scattered" not in earlier.marks
    )


Shared = Literal["expanded", "windows", "default", "repeated", "global", "cached", "fetched"]


def shared_writes(trace: Trace) -> Iterator[tuple[Write, Shared]]:
    """Writes to memory that stands in several places, and why it does."""
    for write in trace.events:
        if isinstance(write, Write) and write.refusal is None and not write.operand.tensor.is_empty:
            if write.rows_shared:
                yield write, "expanded"
            elif write.operand.tensor.self_overlapping and not _fills(write):
                yield write, "windows"
            elif "refetched" in write.marks:
                yield write, "fetched"
            elif (role := _role(write)) and role != "gradient" and (role != "global" or _came_by_call(write)):
                yield write, role


def untrainable(trace: Trace) -> Iterator[Untrainable]:
    """Parameters that objects keep to be trained, on memory that their elements share; not those that a write shows."""
    made = [event for event in trace.events if isinstance(event, Untrainable)]
    if not made:
        return
    kept = {id(each.tensor) for each in trace.events if isinstance(each, Bind) and each.binding.kind in _KEEPING}
    for event in made:
        tensor = event.tensor
        shown = any(write.is_refused for write in event.storage.latest(trace.events[-1].time))
        stands_in = event.storage.is_blank(event.time)  # It has a shape, and is never to have values.
        if id(tensor) in kept and tensor.need and tensor.storage is event.storage and not (shown or stands_in):
            yield event


_KEEPING = ("attribute", "element")


def lost_writes(trace: Trace) -> Iterator[Write]:
    """Statements that write a copy which advanced indexing made for them, and which has no name: their last write."""
    last: dict[Storage, Write] = {}
    for write in trace.events:
        if not isinstance(write, Write) or not write.storage.copied or write.refusal is not None:
            continue
        if write.use == "statement" and write.operand.binding is None and write.storage.made_at >= write.statement:
            last[write.storage] = write
    yield from last.values()


def repeated_additions(trace: Trace) -> Iterator[Write]:
    """Augmented assignments to elements of which several are very likely the same."""
    for write in trace.events:
        if not isinstance(write, Write) or write.refusal is not None:
            continue
        once = "added-to-zeros" in write.marks and len(write.storage.writes) == 1
        if once or "repeated" in write.marks:
            yield write


def _fills(write: Write) -> bool:
    """Whether all elements get the same value, so that it does not matter how often."""
    return fills(write.op) or (write.op == SETITEM and not write.others)


def _role(write: Write) -> Role:
    role = write.storage.role if write.storage.role_since < write.time else ""
    binding = write.operand.binding
    if role == "repeated" and not (binding is not None and _is_taken_out(binding, write.storage.role_in)):
        return ""  # The list was perhaps only handed to an op.
    return role


def _is_taken_out(binding: Binding, within: tuple[object, ...]) -> bool:
    """Whether a value was taken out of a list, or of one that was made of it; not of one that was there before it."""
    elements = (link for link in (binding, *sources(binding)) if link.kind == "element")
    since = min((each.bound_at for each in within if isinstance(each, Binding)), default=0)
    return any(link.bound_at >= since for link in elements)


def _came_by_call(write: Write) -> bool:
    binding = write.operand.binding
    return binding is not None and any(came_by_call(link) for link in (binding, *sources(binding)))
