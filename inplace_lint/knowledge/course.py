"""What one path did with each memory from some time on: what it saved, read, handed out and differentiated."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.tensors_within import tensors_of
from inplace_lint.interpret.state.values import resolve
from inplace_lint.torch_model.events import Backward, Escape, Read
from inplace_lint.torch_model.graph import reachable
from inplace_lint.torch_model.tensor import AutogradMeta, Node, Save, Storage, Tensor


class Course:
    """A path that has ended.

    Args:
        run: the path.
        histories: nodes of the graphs that it built.
    """

    def __init__(self, run: Run, histories: Iterable[Node | AutogradMeta]) -> None:
        self.complete = run.torch.trace.complete
        self._saves: dict[int, list[Save]] = defaultdict(list)
        for save in run.torch.saved:
            if save.need:
                self._saves[id(save.storage)].append(save)
        self._nodes = {id(save): node for node in _all(histories) for save in node.saves}
        self._returned = {id(node) for node in reachable(_roots(run))}
        self._passes: list[Backward] = []
        self._reads: dict[int, list[Read]] = defaultdict(list)
        self._escapes: dict[int, int] = {}
        for event in run.torch.trace.events:
            if isinstance(event, Read) and not event.overwrites:
                self._reads[id(event.operand.tensor.storage)].append(event)
            elif isinstance(event, Backward) and event.via != "return":
                self._passes.append(event)
            elif isinstance(event, Escape):
                self._escapes.setdefault(id(event.operand.tensor.storage), event.time)

    def saves(self, storage: Storage, time: int) -> list[Save]:
        """What was saved of a memory up to a time."""
        return [save for save in self._saves.get(id(storage), ()) if save.time <= time]

    def reader(self, save: Save, time: int) -> tuple[bool, Backward | None]:
        """Whether a backward pass after a time reads what was saved, and which; None if it is the caller's."""
        node = self._nodes.get(id(save))
        if node is None:
            return False, None
        if node.released:
            found = [each for each in self._passes if each.time == node.released > time]
            return bool(found), found[0] if found else None
        later = [each for each in self._passes if each.time > time]
        if node.differentiated and later:
            return True, later[0]
        return id(node) in self._returned, None

    def reads(self, storage: Storage, time: int, statement: int) -> list[Read]:
        """The reads of a memory after a time, outside of the statement that began then."""
        return [read for read in self._reads.get(id(storage), ()) if read.time > time and read.statement != statement]

    def is_handed_out(self, storage: Storage, time: int) -> bool:
        """Whether code that is not in view was given a memory up to a time."""
        return self._escapes.get(id(storage), time + 1) <= time


def _all(histories: Iterable[Node | AutogradMeta]) -> Iterable[Node]:
    """All nodes that lead to some, each once, whether they can be run again or not."""
    seen: dict[int, Node] = {}
    todo = list(histories)
    while todo:
        node = todo.pop()
        if isinstance(node, Node) and id(node) not in seen:
            seen[id(node)] = node
            todo.extend(node.inputs)
    return seen.values()


def _roots(run: Run) -> Iterable[Node | AutogradMeta]:
    """Where a backward pass through what the entry point returned begins."""
    for ref, _ in tensors_of(run.returned.value) if run.returned is not None else ():
        tensor = resolve(ref.value)
        if isinstance(tensor, Tensor) and tensor.need:
            yield tensor.autograd_meta.history
            if tensor.own is not None:
                yield tensor.own
