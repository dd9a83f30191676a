"""Which writes are seen through more than the name that was written: those cannot simply become out-of-place ops."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Literal

from inplace_lint.judgement.stale_reads import binding_at_write
from inplace_lint.source.place import Site
from inplace_lint.torch_model.bindings import sources
from inplace_lint.torch_model.events import MODULE, Bind, Escape, Read, Trace, Write
from inplace_lint.torch_model.operands import Binding
from inplace_lint.torch_model.tensor import Storage, Tensor

Seen = Literal["perhaps", "surely"]
"""Whether others see what a write changes."""


def seen_elsewhere(trace: Trace) -> Iterator[tuple[Site, Seen]]:
    """The places of writes, and of the modules that made them, whose new value others see.

    Another name for the memory that is read later sees it surely. Another name that is still there, an
    attribute or container, code out of view that was given the tensor before, and the caller of the
    entry point perhaps do. The name that was written does not count if the result of the op goes by it.
    """
    kept: set[Storage] = set()
    surely: set[int] = set()
    names = _Names()
    for event in trace.events:
        if isinstance(event, Write):
            if event.storage in kept or _is_held(event, names, trace) or not trace.complete:
                yield from _told(event, "perhaps")
            yield from _needed(event)
        elif isinstance(event, Read):
            for write in _seen_by(event, surely):
                surely.add(id(write))
                yield from _told(write, "surely")
        elif isinstance(event, Escape):
            kept.add(event.operand.tensor.storage)
        elif isinstance(event, Bind) and event.binding.kind in ("attribute", "element"):
            kept.add(event.tensor.storage)
            for write in _kept_by(event):
                yield from _told(write, "perhaps")
        elif isinstance(event, Bind):
            names.bind(event)


def _is_held(write: Write, names: _Names, trace: Trace) -> bool:
    """Whether what a write changes has another holder: by its role, from outside, or by another name."""
    return bool(write.storage.role) or _outlives(write.operand.binding) or _has_other_name(write, names, trace)


def _needed(write: Write) -> Iterator[tuple[Site, Seen]]:
    """Where only the tensor itself will do: it is to keep its gradient, or nobody takes what the module gives."""
    if write.operand.tensor.retained_at is not None:  # a new tensor would keep no gradient
        yield from _told(write, "surely")
    if write.built is not None and write.use == "statement":
        yield write.built, "surely"


def _seen_by(read: Read, known: Collection[int]) -> Iterator[Write]:
    """The writes whose new value is read by another name; without those that are known by their id."""
    for write in read.operand.tensor.storage.latest(read.time):
        if id(write) not in known and write.time < read.time and _is_other(read, write):
            yield write


def _kept_by(bind: Bind) -> Iterator[Write]:
    """The writes within an expression whose tensor, too, goes into an attribute or container."""
    for write in bind.tensor.storage.latest(bind.time):
        if write.use == "expression" and _is_also_kept(bind.binding, write):
            yield write


@dataclass(slots=True)
class _Names:
    """The variables that hold tensors, by place, and by the memory that they hold."""

    by_place: dict[object, list[Bind]] = field(default_factory=dict)
    by_memory: dict[Storage, dict[int, Bind]] = field(default_factory=dict)

    def bind(self, event: Bind) -> None:
        """A variable is given a tensor, or something with several."""
        bound = self.by_place.setdefault(event.binding.place, [])
        if bound and bound[0].binding is not event.binding:
            for earlier in bound:
                self.by_memory[earlier.tensor.storage].pop(id(earlier), None)
            bound.clear()
        bound.append(event)
        self.by_memory.setdefault(event.tensor.storage, {})[id(event)] = event


def places(write: Write) -> Iterator[Site]:
    """Where a write can be mended: at itself, or where the module was constructed that wrote."""
    yield write.site
    if write.built is not None:
        yield write.built


def _told(write: Write, seen: Seen) -> Iterator[tuple[Site, Seen]]:
    for place in places(write):
        yield place, seen


def _has_other_name(write: Write, names: _Names, trace: Trace) -> bool:
    """Whether a variable of a running function, or of the module, holds the memory besides the one written.

    A variable of the module outlives the run; if it does not get the result, it counts.
    """
    depth = len(write.stack)
    binds = names.by_memory.get(write.storage, {})
    trace.effort.spend(len(binds))
    counts = write.use not in ("statement", "rebound") and trace.entry == MODULE and depth == 0
    own = write.operand.binding.place if write.operand.binding is not None and not counts else None
    return any(
        bind.binding.depth <= depth and bind.binding.place != own and not _are_parts(bind.tensor, write.operand.tensor)
        for bind in binds.values()
    )


def _is_also_kept(binding: Binding, write: Write) -> bool:
    """Whether what was written goes into an attribute or container under its name, besides the op's result."""
    written = write.operand.binding
    return written is not None and any(link.place == written.place for link in sources(binding))


def _outlives(binding: Binding | None) -> bool:
    """Whether a place is, or was read from, an attribute or an argument of the entry point."""
    return binding is not None and any(
        link.kind == "attribute" or (link.kind == "parameter" and link.depth == 0)
        for link in (binding, *sources(binding))
    )


def _is_other(read: Read, write: Write) -> bool:
    if _are_parts(read.operand.tensor, write.operand.tensor):
        return False
    held = binding_at_write(read, write)
    if held is None:
        # A value without a name, taken before the write within one expression.
        return read.operand.binding is None and read.operand.evaluated_at < write.time
    renamed = write.use not in ("statement", "rebound")
    written = write.operand.binding
    return renamed or written is None or held.place != written.place or read.operand.evaluated_at < write.time


def _are_parts(a: Tensor, b: Tensor) -> bool:
    """Whether they are two of the results of one `chunk`."""
    return a is not b and a.view == b.view == "multi" and a.made_site == b.made_site
