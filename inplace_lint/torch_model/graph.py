"""Backward: which saves a backward pass reads, and which of them have been overwritten."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from inplace_lint.effort import STEP, Effort
from inplace_lint.torch_model.events import StaleSave, Trace, Write
from inplace_lint.torch_model.op_names import EXCHANGE
from inplace_lint.torch_model.op_table import adds, filling
from inplace_lint.torch_model.tensor import AutogradMeta, Node, Save

_NOTHING: Mapping[Write, Node] = {}


def reachable(
    roots: Iterable[Node | AutogradMeta],
    targets: frozenset[Node | AutogradMeta] | None = None,
    effort: Effort | None = None,
) -> list[Node]:
    """The nodes that a backward pass from `roots` runs, each once.

    With `targets`, only nodes on a way to one of them, as `torch.autograd.grad` does.
    """
    order: list[Node] = []
    seen: set[int] = set()
    todo = list(roots)
    while todo:
        node = todo.pop()
        if isinstance(node, AutogradMeta) or id(node) in seen or node.is_spent:
            continue
        seen.add(id(node))
        order.append(node)
        todo.extend(node.inputs)
    if effort is not None:
        effort.spend(sum(STEP // 4 + len(node.saves) for node in order))
    return order if targets is None else _leading_to(order, targets)


def reaches(
    roots: Iterable[Node | AutogradMeta], nodes: Iterable[Node], targets: frozenset[Node | AutogradMeta] | None
) -> bool:
    """Whether a pass over `nodes` comes to every target."""
    if not targets:
        return True
    come_to = {id(source) for node in nodes for source in node.inputs}.union(map(id, roots))
    return all(id(target) in come_to for target in targets)


def heirs_of_one(
    roots: Iterable[Node | AutogradMeta], targets: Collection[Node | AutogradMeta]
) -> list[list[Node | AutogradMeta]]:
    """Targets to which backward hands one and the same gradient: the addends of a sum, used for nothing else.

    Source: `AddBackward0` in `tools/autograd/derivatives.yaml` gives `grad` to both; nothing is copied.
    """
    nodes = reachable(roots)
    uses = Counter(id(source) for node in nodes for source in node.inputs)
    inner = {id(source) for node in nodes if adds(node.op) for source in node.inputs if uses[id(source)] == 1}
    found = []
    for node in nodes:
        if not adds(node.op) or (id(node) in inner and node not in targets):
            continue
        heirs = list(_addends(node, uses, targets))
        found += [heirs] if len(heirs) > 1 else []
    return found


def _addends(
    total: Node, uses: Counter[int], targets: Collection[Node | AutogradMeta]
) -> Iterator[Node | AutogradMeta]:
    """The targets that a sum adds, be it by other sums, and that nothing else uses."""
    todo = list(total.inputs)
    while todo:
        source = todo.pop()
        if uses[id(source)] > 1:
            continue
        if source in targets:
            yield source
        elif isinstance(source, Node) and adds(source.op):
            todo += source.inputs


@dataclass(frozen=True, slots=True)
class _Way:
    """The last node on a way through a graph, and the way before it; `brought`: it goes on to another operand."""

    node: Node
    brought: bool
    before: _Way | None


def keeping(roots: Sequence[Node | AutogradMeta], in_view: bool, upstream: Collection[Node] = ()) -> list[Write]:
    """The writes that surely kept, in memory that lasts, what an earlier backward pass has released.

    A root that is differentiated requires grad: where that rests on one assumption alone, it holds.

    Args:
        in_view: the roots are what is differentiated, and not what code out of view has made that of, perhaps together
            with parameters of its own.
        upstream: what stands for histories out of view that an earlier pass has released.
    """
    needs = [root.need for root in roots if isinstance(root, Node) and in_view]
    holds = frozenset(needs[0].assumptions) if len(needs) == len(roots) == 1 else frozenset()
    holds = holds if len(holds) == 1 else frozenset()
    holds = holds.union(*(node.need.assumptions for node in upstream))
    found: dict[int, Write] = {}
    todo: list[tuple[Node | AutogradMeta, _Way | None]] = [(root, None) for root in roots]
    seen: set[int] = set()
    while todo:
        node, way = todo.pop()
        if isinstance(node, AutogradMeta) or id(node) in seen or not node.need:
            continue
        if not node.need.certain and not holds.issuperset(node.need.assumptions):
            continue
        above = node in upstream
        if not above:  # other arguments stand for themselves, by other ways
            seen.add(id(node))
        if node.is_spent or (above and node.released):
            write = _keeper(_Way(node, False, way))
            found.update({id(write): write} if write is not None else {})
            continue
        others = len(node.inputs) - node.own
        todo += [(source, _Way(node, index < others, way)) for index, source in enumerate(node.inputs)]
    return list(found.values())


def _keeper(way: _Way) -> Write | None:
    """The write by which what a spent node belongs to was still in memory when the next step began.

    That is the last one before the node was released, or the first one after it: that brought other values there, or
    replaced all values, but not the history.
    """
    released, last = way.node.released, way
    again: set[int] = set()
    first: _Way | None = way
    while first is not None and first.node.made_at < released:
        last, first = first, first.before
    step = first
    while step is not None:
        if step.node.write is not None:
            again.add(id(step.node.write.storage))
        step = step.before
    write = last.node.write
    if write is not None and (id(write.storage) in again or not write.storage.writes[0][0].had_need):
        return write
    write = first.node.write if first is not None else None
    if write is None or first is None or not (first.brought or filling(write.op)):
        return None
    return write if write.storage.made_at < released else None


def _leading_to(nodes: list[Node], targets: frozenset[Node | AutogradMeta]) -> list[Node]:
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


def overwritten(
    nodes: Iterable[Node], within: Mapping[Write, Node] = _NOTHING
) -> tuple[list[StaleSave], list[StaleSave]]:
    """Saves whose memory was written since: those that the version check sees, and those it does not.

    Args:
        within: the writes of this very pass, and the custom functions whose backward wrote.
    """
    stale: list[StaleSave] = []
    hidden: list[StaleSave] = []
    for node in nodes:
        for save in node.saves:
            if not save.storage.writes:
                continue
            write, counted = _first_write_after(save, node, within)
            if write is not None and (counted or not save.unused):
                (stale if counted else hidden).append(_stale(node, save, write))
    return stale, hidden


def written_after(save: Save) -> Write | None:
    """The first write to the memory of a save that the version check sees; None if there is none."""
    write, counted = _first_write_after(save, None, _NOTHING)
    return write if counted else None


def _first_write_after(save: Save, node: Node | None, within: Mapping[Write, Node]) -> tuple[Write | None, bool]:
    unseen: Write | None = None
    for write, counter, version in save.storage.writes[save.writes_before :]:
        if save.until is not None and write.time > save.until:
            break
        if save.statement and write.time > save.time and write.statement != save.statement:
            break
        # Whether a custom function still reads what its `ctx` keeps, its backward has shown.
        writer = within.get(write)
        if writer is not None and node is not None and (not save.node or not _runs_after(node, writer)):
            continue
        if counter is save.counter and version > save.version:
            return write, True
        if write.op == EXCHANGE and save.view:
            continue  # views keep the memory that a tensor had before
        if counter is not save.counter and write.time > save.time and unseen is None:
            unseen = write
    return unseen, False


def run_custom(nodes: Iterable[Node], trace: Trace) -> dict[Write, Node]:
    """Run what the program wrote for the backward of its own functions, each once; what that writes, and where."""
    found: dict[Write, Node] = {}
    waiting = [node for node in nodes if node.custom is not None]
    for node in sorted(waiting, key=lambda each: -each.made_at):
        began, run, node.custom = len(trace.events), node.custom, None
        if run is not None:
            run()
        found.update({event: node for event in trace.events[began:] if isinstance(event, Write)})
    return found


def _runs_after(node: Node, other: Node) -> bool:
    """Whether a backward pass comes to a node after another one: it takes the latest first.

    Source: `CompareNodeTaskTime` in torch/csrc/autograd/engine.h.
    """
    return node.made_at < other.made_at


def _stale(node: Node, save: Save, write: Write) -> StaleSave:
    certain = save.need.certain and node.need.certain and write.certain and save.certain
    assumptions = save.need.assumptions or node.need.assumptions
    return StaleSave(save, write, "certain" if certain else "assumed", assumptions)


def leaves(nodes: Iterable[Node]) -> Iterable[AutogradMeta]:
    """The leaves to which a backward pass gives a gradient."""
    return dict.fromkeys(source for node in nodes for source in node.inputs if isinstance(source, AutogradMeta))


def pass_through(nodes: Iterable[Node], retain: bool, time: int) -> None:
    """A backward pass has run; without `retain_graph` it drops what it read."""
    for node in nodes:
        node.differentiated = True
        node.released = node.released or (0 if retain else time)
