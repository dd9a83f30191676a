"""Habits about a tensor that a program goes on with in two ways, as if it were two."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterator
from itertools import islice

from inplace_lint.effort import STEP
from inplace_lint.judgement import memory, same_place, windows
from inplace_lint.judgement.pair import beside, links_of
from inplace_lint.judgement.reason import Reason, suspect
from inplace_lint.torch_model.coverage import covers, includes
from inplace_lint.torch_model.events import Bind, Event, Read, Trace, Write
from inplace_lint.torch_model.labels import last_name
from inplace_lint.torch_model.op_names import LATER_USE, RETURN, SETITEM
from inplace_lint.torch_model.op_table import compares, shifts
from inplace_lint.torch_model.operands import Binding, Operand
from inplace_lint.torch_model.tensor import AutogradMeta, Node, Save

COMPARED_WITH_VIEW = suspect(
    "compared-with-view",
    "kept",
    "what a model makes of a changed view is compared with the tensor, which was to be as it was before",
    """
    import torch
    from torch import nn
    from torch.nn.functional import mse_loss

    fill, images = nn.Linear(6, 6), torch.rand(4, 2, 3)
    rows = images.view(4, 6)
    rows[torch.rand(4, 6) < 0.5] = 0
    loss = mse_loss(fill(rows).view(4, 2, 3), images)
    """,
)


MERGED_INTO_TIED = suspect(
    "merged-into-tied",
    "captured",
    "a module adds parameters of its own to a weight that another one has as well, which gets them, too",
    """
    import torch
    from torch import nn


    class Adapted(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(torch.rand(3, 3))
            self.a, self.b = nn.Parameter(torch.rand(1, 3)), nn.Parameter(torch.rand(3, 1))

        def merge(self):
            self.weight.data += self.b @ self.a

        def forward(self, x):
            return x @ self.weight


    first, second = Adapted(), Adapted()
    second.weight = first.weight
    first.merge()
    result = second(first(torch.rand(3)))
    """,
)


ASSIGNED_STATE = suspect(
    "assigned-state",
    "captured",
    "`load_state_dict(..., assign=True)` has put another module's own weights into a module that then changes them",
    """
    import torch
    from torch import nn

    base, merged = nn.Linear(3, 3), nn.Linear(3, 3, device="meta")
    merged.load_state_dict(base.state_dict(), assign=True)
    with torch.no_grad():
        merged.weight.add_(torch.rand(3, 3))
    result = base(torch.ones(3)) - merged(torch.ones(3))
    """,
)


VIEW_USED_APART = suspect(
    "view-used-apart",
    "alias",
    "an op changes a whole tensor through a view, and others go on with the view and with the tensor",
    """
    import torch
    from torch import nn

    embed, x = nn.Linear(3, 3), torch.rand(4, 3, 2)
    rows = x.permute(0, 2, 1)
    rows.sub_(rows.mean(-1, keepdim=True))
    result = embed(rows).mean(1) + x.mean(2)
    """,
)
RESULT_NAMED_APART = suspect(
    "result-named-apart",
    "same-name",
    "the result of a write to what is kept got a name of its own, and ops read both",
    """
    import torch


    class Cell:
        def __init__(self):
            self.v = torch.ones(2)

        def step(self, i):
            v_next = self.v.add_(i)
            decay = 0.1 * (self.v - 1)
            return v_next - decay


    result = Cell().step(torch.ones(2))
    """,
)


def judge_held_apart(reason: Reason, read: Read, held: Binding, write: Write, trace: Trace) -> Reason | None:
    """What is told of a tensor by who goes on with it beside who has changed it."""
    if reason in (same_place.STATE, same_place.SHORTHAND) and RESULT_NAMED_APART.on:
        return RESULT_NAMED_APART if _is_named_apart(read, held, write, trace) else None
    if (kept := _judge_variable(reason, read, held, write, trace)) is not None:
        return kept
    if reason is not windows.WINDOW or not covers(read.operand.tensor, write.operand.tensor):
        return None
    if VIEW_USED_APART.on and _is_view_used_apart(read, held, write, trace):
        return VIEW_USED_APART
    if not COMPARED_WITH_VIEW.on or not compares(read.reader):
        return None
    computed = any(_is_computed_from(other, write, trace) for other in beside(read, trace))
    return COMPARED_WITH_VIEW if computed else None


def _judge_variable(reason: Reason, read: Read, held: Binding, write: Write, trace: Trace) -> Reason | None:
    """What is told of a parameter that two modules have; None if it is kept as a variable."""
    variable = reason in (memory.VARIABLE, memory.AROUND_AUTOGRAD)
    if variable and ASSIGNED_STATE.on and _is_of_assigned_state(read, held, write):
        return ASSIGNED_STATE
    tied = reason is memory.VARIABLE and MERGED_INTO_TIED.on and _merges_into_tied(read, held, write, trace)
    return MERGED_INTO_TIED if tied else None


def _is_view_used_apart(read: Read, held: Binding, write: Write, trace: Trace) -> bool:
    """Whether ops read the view that a statement has changed for its values, and then the tensor by another name."""
    view = write.operand.binding
    named = view is not None and view.kind == "name" and held.kind in ("name", "parameter")
    changed = write.use == "statement" and write.op != SETITEM and not write.filler
    taken = any(link.place == held.place for link in links_of(view))
    if not taken or not includes(write.operand.tensor, read.operand.tensor):
        return False
    if view is None or not (named and changed) or read.reader in (RETURN, LATER_USE) or read.calls != write.calls:
        return False
    at = bisect_left(trace.events, write.time, key=lambda each: each.time)
    trace.effort.spend(_MOST_READS)
    return any(_goes_on_with(view, event, write) for event in islice(trace.events, at, at + _MOST_READS))


def _goes_on_with(name: Binding, event: Event, write: Write) -> bool:
    """Whether an event is that an op reads a name, in the call that wrote and in a later statement."""
    if not isinstance(event, Read) or event.statement <= write.time or event.overwrites:
        return False
    own = event.operand.binding
    return own is not None and own.place == name.place and event.calls == write.calls


def _is_named_apart(read: Read, held: Binding, write: Write, trace: Trace) -> bool:
    """Whether an op reads what is kept, in the call that bound the result of the write to a name that is read, too."""
    spelled_alike = read.operand.text == write.operand.text and read.calls == write.calls
    if write.use != "bound" or read.reader in (RETURN, LATER_USE) or not spelled_alike:
        return False
    at = bisect_left(trace.events, write.time, key=lambda each: each.time)
    for event in islice(trace.events, at, at + _MOST_READS):
        trace.effort.spend(1)
        if isinstance(event, Bind) and event.binding.kind == "name" and event.tensor.storage is write.storage:
            name = event.binding
            return name.name != last_name(held.label) and name.bound_at < read.time and name.read_at > name.bound_at
    return False


def _is_of_assigned_state(read: Read, held: Binding, write: Write) -> bool:
    """Whether a module's tensor is read that another one was given with its state, and has changed by its own name."""
    links = list(links_of(write.operand.binding))
    written = next((link for link in links if link.kind == "attribute"), None)
    if written is None or held.kind != "attribute" or written.owner == held.owner:
        return False
    at = next((index for index, link in enumerate(links) if link.keeper == "state_dict"), None)
    given = at is not None and any(link.place == held.place for link in links[at:])
    return given and covers(read.operand.tensor, write.operand.tensor)


def _merges_into_tied(read: Read, held: Binding, write: Write, trace: Trace) -> bool:
    """Whether an attribute of another object is read than that to which parameters were added that only its own has."""
    written = next((link for link in links_of(write.operand.binding) if link.kind == "attribute"), None)
    if written is None or held.kind != "attribute" or held.owner == written.owner or not shifts(write.op):
        return False
    owners = {written.owner, *islice(_holders(write.operand), 1)}
    if not owners.isdisjoint(_holders(read.operand)):
        return False  # Who has both modules knows of both.
    at = bisect_left(trace.events, write.statement, key=lambda each: each.time)
    for event in islice(trace.events, at, at + _MOST_READS):
        trace.effort.spend(1)
        if event.time >= write.time:
            break
        if isinstance(event, Read) and _is_own_parameter(event.operand, owners, write):
            return True
    return False


def _is_own_parameter(operand: Operand, owners: Collection[object], write: Write) -> bool:
    """Whether a tensor is a parameter of one of some objects, and not what is written."""
    binding, tensor = operand.binding, operand.tensor
    own = binding is not None and binding.kind == "attribute" and binding.owner in owners
    return own and tensor.is_parameter and tensor.storage is not write.storage


def _holders(operand: Operand) -> Iterator[object]:
    """The objects by whose attributes that was reached which has a tensor, the nearest first."""
    way = operand.way
    while way is not None:
        yield from (link.owner for link in islice(links_of(way.binding), 1) if link.kind == "attribute")
        way = way.of


_MOST_READS = 100


def _is_computed_from(operand: Operand, write: Write, trace: Trace) -> bool:
    """Whether an op on the way to a result has saved what was written, which it got by the name that wrote."""
    node = operand.tensor.autograd_meta.node
    if node is None or operand.tensor.storage is write.storage:
        return False
    saves = (save for each in _history(node, trace) for save in each.saves)
    return any(save.storage is write.storage and _came_by(save, write, trace) for save in saves)


def _history(last: Node, trace: Trace) -> Iterator[Node]:
    """A node and those that it continues, be it that a backward pass has released them since."""
    seen: set[int] = set()
    todo: list[Node | AutogradMeta] = [last]
    while todo:
        node = todo.pop()
        if isinstance(node, Node) and id(node) not in seen:
            trace.effort.spend(STEP // 4 + len(node.saves))
            seen.add(id(node))
            todo.extend(node.inputs)
            yield node


def _came_by(save: Save, write: Write, trace: Trace) -> bool:
    """Whether an op that saved after a write had read what it saved by the name that was written."""
    if save.time < write.time:
        return False
    at = bisect_left(trace.events, save.time, key=lambda each: each.time)
    for event in reversed(trace.events[max(0, at - _MOST_OPERANDS) : at]):
        if isinstance(event, Read) and event.reader == save.op and event.operand.tensor.storage is write.storage:
            return any(link is write.operand.binding for link in links_of(event.operand.binding))
    return False


_MOST_OPERANDS = 8
