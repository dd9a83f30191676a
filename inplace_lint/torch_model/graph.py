"""Backward: which saves a backward pass reads, and which of them have been overwritten."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from inplace_lint.torch_model.events import StaleSave, Write
from inplace_lint.torch_model.tensor import Family, Node, Save


def reachable(roots: Iterable[Node | Family], targets: frozenset[Node | Family] | None = None) -> list[Node]:
    """The nodes that a backward pass from `roots` runs, each once.

    With `targets`, only nodes on a way to one of them, as `torch.autograd.grad` does.
    """
    order: list[Node] = []
    seen: set[int] = set()
    todo = list(roots)
    while todo:
        node = todo.pop()
        if isinstance(node, Family) or id(node) in seen or (node.released and node.saves):
            continue
        seen.add(id(node))
        order.append(node)
        todo.extend(node.inputs)
    return order if targets is None else _leading_to(order, targets)


@dataclass(frozen=True, slots=True)
class _Way:
    """The last write on a way through a graph, and the way before it."""

    write: Write
    before: _Way | None


def keeping(roots: Iterable[Node | Family]) -> list[Write]:
    """The writes that kept, in memory that was written again since, what an earlier backward pass has released.

    Of each way from the roots to a released node, the write that comes nearest to it.
    """
    found: dict[int, Write] = {}
    todo: list[tuple[Node | Family, _Way | None]] = [(root, None) for root in roots]
    seen: set[int] = set()
    while todo:
        node, way = todo.pop()
        if isinstance(node, Family) or id(node) in seen:
            continue
        seen.add(id(node))
        if node.write is not None:
            way = _Way(node.write, way)
        if not (node.released and node.saves):
            todo.extend((source, way) for source in node.inputs)
        elif (write := _keeper(way, node.released)) is not None:
            found[id(write)] = write
    return list(found.values())


def _keeper(way: _Way | None, released: int) -> Write | None:
    """The last write before memory was released among those to memory that was written again afterwards."""
    writes: list[Write] = []
    while way is not None:
        writes.append(way.write)
        way = way.before
    again = {id(write.storage) for write in writes if write.time > released}
    return next((write for write in writes if write.time < released and id(write.storage) in again), None)


def _leading_to(nodes: list[Node], targets: frozenset[Node | Family]) -> list[Node]:
    """Those of `nodes` from which a target can be reached; a target itself is not run."""
    leads: set[int] = set()
    changed = True
    while changed:
        changed = False
        for node in reversed(nodes):
            if id(node) in leads:
                continue
            if any(source in targets or id(source) in leads for source in node.inputs):
                leads.add(id(node))
                changed = True
    return [node for node in nodes if id(node) in leads]


def overwritten(nodes: Iterable[Node]) -> tuple[list[StaleSave], list[StaleSave]]:
    """Saves whose memory was written since: those that the version check sees, and those it does not."""
    stale: list[StaleSave] = []
    hidden: list[StaleSave] = []
    for node in nodes:
        for save in node.saves:
            if not save.storage.writes:
                continue
            write, counted = _first_write_after(save)
            if write is not None and (counted or not save.unused):
                (stale if counted else hidden).append(_stale(node, save, write))
    return stale, hidden


def _first_write_after(save: Save) -> tuple[Write | None, bool]:
    unseen: Write | None = None
    for write, counter, version in save.storage.writes:
        if save.until is not None and write.time > save.until:
            break
        if counter is save.counter and version > save.version:
            return write, True
        if counter is not save.counter and write.time > save.time and unseen is None:
            unseen = write
    return unseen, False


def _stale(node: Node, save: Save, write: Write) -> StaleSave:
    certain = save.need.certain and node.need.certain and write.certain and save.certain
    assumptions = save.need.assumptions or node.need.assumptions
    return StaleSave(save, write, "certain" if certain else "assumed", assumptions)


def leaves(nodes: Iterable[Node]) -> Iterable[Family]:
    """The leaves to which a backward pass gives a gradient."""
    return dict.fromkeys(source for node in nodes for source in node.inputs if isinstance(source, Family))


def pass_through(nodes: Iterable[Node], retain: bool, time: int) -> None:
    """A backward pass has run; without `retain_graph` it drops what it read."""
    for node in nodes:
        node.differentiated = True
        node.released = node.released or (0 if retain else time)
