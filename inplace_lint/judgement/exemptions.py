"""Habits about the code around a stale read, before and after, that shows that it is meant."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from inplace_lint.judgement.filled_anew import FILLED_ANEW, is_filled_anew
from inplace_lint.judgement.intent import is_average, is_taken_for_copy, puts_where_it_is
from inplace_lint.judgement.pair import links_of, parameters
from inplace_lint.judgement.put_away import PUT_AWAY_TO_FILL, is_put_away_to_fill
from inplace_lint.judgement.reason import Reason, StaleKind, fact, silent
from inplace_lint.torch_model.coverage import covers, includes, within
from inplace_lint.torch_model.events import MODULE, Backward, Bind, Escape, Event, Read, Trace, Write
from inplace_lint.torch_model.labels import last_name
from inplace_lint.torch_model.op_names import GETITEM, LOAD_STATE_DICT, SETITEM, ZERO_GRAD, has_out
from inplace_lint.torch_model.op_table import adds, filling, fills
from inplace_lint.torch_model.operands import Binding
from inplace_lint.torch_model.regions import extent
from inplace_lint.torch_model.tensor import Storage

OVERWRITTEN_AGAIN = fact("overwritten-again", "the read is the old value that an in-place op starts from")
FED_BACK = fact("fed-back", "what is read goes, changed, to where it was")

REPLACED = silent(
    "replaced",
    "before the read, other values were assigned to where the write was",
    """
    import torch

    points = torch.ones(3)
    size = points.square_().sum()
    points[:] = torch.rand(3)
    result = points.mean() / size
    """,
)
CARRIED_ON = silent(
    "carried-on",
    "the argument carries the state of a loop, whose next round reads it",
    """
    import torch


    def attack(weight, noise):
        losses = []
        for _ in range(2):
            moved = noise.clone().requires_grad_(True)
            loss = (weight * moved).square().sum()
            loss.backward()
            losses.append(loss.detach())
            noise += moved.grad.sign()
        return torch.stack(losses)


    weight, noise = torch.ones(2), torch.rand(2)
    for _ in range(2):
        losses = attack(weight, noise)
    """,
)
UNUSED_RESULT = silent(
    "unused-result",
    "what is computed of the changed values gets a name that nobody reads, or that is asked for its shape only",
    """
    import torch


    def mix(values, noise):
        values += noise
        return values


    def mixed(values, noise):
        values = values / values.norm()
        noisy = mix(values, noise)
        scale = 1 / noisy.norm()
        noisy = noisy * scale
        values = values * scale
        return noisy


    result = mixed(torch.rand(4), torch.rand(4))
    """,
)
LEFT_FOR_CALLER = silent(
    "left-for-caller",
    "a function that neither reads nor returns what it wrote has written it for its caller",
    """
    import torch


    def matched(cost, mask):
        chosen = cost.argmin(0) > 0
        mask[mask.clone()] = chosen[mask]
        return cost[:, chosen].sum()


    mask = torch.ones(3, dtype=torch.bool)
    cost = matched(torch.rand(2, 3), mask)
    print(mask)
    """,
)
CHOSEN_BY_CALL = silent(
    "chosen-by-call",
    "what is read was put back by the call that masked the rest, which gave the places to read at",
    """
    import torch


    def best(scores, allowed):
        kept = scores[allowed]
        scores[:] = -float("inf")
        scores[allowed] = kept
        return scores.topk(2)[1]


    scores, allowed = torch.rand(8), torch.tensor([0, 2, 5])
    places = best(scores, allowed)
    result = scores[places]
    """,
)
PADDING_BLANKED = silent(
    "padding-blanked",
    "a layer blanks the padding of its argument, where no caller reads anything",
    """
    import torch


    def encode(x, padding_mask):
        x[padding_mask] = 0
        return x.cumsum(1)


    features = torch.rand(2, 3)
    hidden = encode(features, torch.zeros(2, 3, dtype=torch.bool))
    result = features + hidden
    """,
)
LOOKED_THROUGH = silent(
    "looked-through",
    "the name is read between calls that change the tensor, to see what they did",
    """
    import torch


    class Cart:
        def __init__(self):
            self.state = torch.zeros(2)

        def step(self, force):
            self.state.add_(force)
            return self.state.norm()


    cart = Cart()
    state = cart.state
    for _ in range(3):
        force = state.sum() - 1
        size = cart.step(force)
    """,
)


def exemption(read: Read, write: Write, held: Binding, how: StaleKind, trace: Trace) -> Reason | None:
    """Why a stale read is meant; None if nothing tells so."""
    if not _tells(read, write, held, how):
        return OVERWRITTEN_AGAIN if read.overwrites else FED_BACK
    if REPLACED.on and _is_replaced(write, read):
        return REPLACED
    if (filled := _filled(read, write, held, how, trace)) is not None:
        return filled
    if CHOSEN_BY_CALL.on and _is_at_places_of_call(write, read, trace) and _is_put_back(write, read, trace):
        return CHOSEN_BY_CALL
    if PADDING_BLANKED.on and len(write.stack) > len(read.stack) and _is_at_padding_of_argument(write):
        return PADDING_BLANKED
    if how in ("argument", "same-name") and (reason := _unused(read, trace)) is not None:
        return reason
    if how == "argument":
        return _left(write, read, trace)
    return _in_a_window(held, write, read, how, trace)


def _filled(read: Read, write: Write, held: Binding, how: StaleKind, trace: Trace) -> Reason | None:
    """Why it does not matter, or is meant, that memory gets other values; None if nothing tells so."""
    if is_filled_anew(read, trace):
        return FILLED_ANEW
    return PUT_AWAY_TO_FILL if is_put_away_to_fill(read, write, held, how, trace) else None


def _in_a_window(held: Binding, write: Write, read: Read, how: StaleKind, trace: Trace) -> Reason | None:
    """Why what was read through a window is meant to have changed; None if nothing tells so."""
    return LOOKED_THROUGH if how == "alias" and LOOKED_THROUGH.on and _is_window(held, write, read, trace) else None


def _unused(read: Read, trace: Trace) -> Reason | None:
    """Why it does not matter that values were changed: nobody reads what is computed of them."""
    return UNUSED_RESULT if UNUSED_RESULT.on and _is_for_nothing(read, trace) else None


def _left(write: Write, read: Read, trace: Trace) -> Reason | None:
    """Why a callee has changed its argument on purpose; None if nothing tells so."""
    if CARRIED_ON.on and (_is_carried_on(write, read, trace) or _is_averaged_again(write, read)):
        return CARRIED_ON
    return LEFT_FOR_CALLER if LEFT_FOR_CALLER.on and _is_left_for_caller(write, trace) else None


def _tells(read: Read, write: Write, held: Binding, how: StaleKind) -> bool:
    """Whether a read tells of the author's mind, though it may only be where an in-place op starts from."""
    starts_there = how == "argument" and not _refills(read.reader) and not _adds_again(read, write)
    return not (read.overwrites or _feeds(read)) or starts_there or is_taken_for_copy(read, held, write)


def _adds_again(read: Read, write: Write) -> bool:
    """Whether a statement adds to what its last turn has added to, in a function that gives something else back."""
    same_row = read.site.path == write.site.path and read.site.span.row == write.site.span.row
    return same_row and adds(write.op) and bool(write.calls) and write.gave(-1) is not None


def _feeds(read: Read) -> bool:
    """Whether a part that is read goes, changed, to where it was: `x[i] = f(x[i])`."""
    binding, tensor = read.operand.binding, read.operand.tensor
    if binding is None or extent(tensor.region) == ():
        return False
    first = tensor.storage.count_until(read.time)
    for write, _, _ in tensor.storage.writes[first : first + 1]:
        same_one = write.operand.binding is not None and write.operand.binding.place == binding.place
        return same_one and write.op == SETITEM and write.statement == read.statement
    return False


def _refills(op: str) -> bool:
    """Whether an op leaves nothing of what was in the part that it writes."""
    return op in (SETITEM, ZERO_GRAD) or bool(filling(op))


# How much of a call is looked through for a loop's next round.
_MOST_EVENTS = 2_000


def _following(trace: Trace, began: int, most: int) -> Iterator[Event]:
    """The events from an index on, so many at most."""
    for index in range(began, min(began + most, len(trace.events))):
        trace.effort.spend(1)
        yield trace.events[index]


def _is_carried_on(write: Write, read: Read, trace: Trace) -> bool:
    """Whether an argument is the state of a loop, and only the function with that loop, called again, reads it."""
    depth = len(write.stack)
    if write.gave(-1) != "other":
        return False
    if parameters(write.operand.binding).isdisjoint(parameters(read.operand.binding)):
        return False
    written = False
    began = bisect_right(trace.events, write.calls[-1], key=lambda each: each.time)
    for event in _following(trace, began, _MOST_EVENTS):
        if isinstance(event, (Read, Write)) and event.calls[:depth] != write.calls:
            break  # The call is over.
        if isinstance(event, Write):
            written |= event.site == write.site
        elif written and isinstance(event, Read):
            again = event.calls == write.calls and event.site.span.row < write.site.span.row
            if again and within(event.operand.tensor, write.operand.tensor):
                return True
    return False


def _is_averaged_again(write: Write, read: Read) -> bool:
    """Whether a loop hands its state to a function that averages it, and only the next such call goes on from that.

    It may also give the average, which its caller reads.
    """
    depth = len(read.calls)
    given = any(link.is_result and link.by_call for link in links_of(read.operand.binding))
    if read.stack != (write.stack[:depth] if given else write.stack) or not is_average(write):
        return False
    again = (each for each in write.storage.latest(read.time) if each.calls[:depth] == read.calls)
    return read.overwrites or any(each.site == write.site and each is not write for each in again)


def _is_for_nothing(read: Read, trace: Trace) -> bool:
    """Whether what is computed of what is read becomes a variable of a function that is never used."""
    if not trace.complete or (trace.entry == MODULE and not read.stack):
        return False
    after = bisect_right(trace.events, read.time, key=lambda each: each.time)
    events = _following(trace, after, _MOST_EVENTS)
    bound = next((each for each in events if not isinstance(each, Read) or each.statement != read.statement), None)
    if not isinstance(bound, Bind) or bound.binding.kind != "name" or bound.stack != read.stack:
        return False
    made = bound.tensor
    if made.storage.made_at < read.time or made.made_site is None or not read.site.is_within(made.made_site):
        return False
    return not any(_uses(event, made.storage) for event in events) and after + _MOST_EVENTS >= len(trace.events)


def _uses(event: Event, storage: Storage) -> bool:
    if isinstance(event, Bind):
        return event.tensor.storage is storage
    if isinstance(event, Backward):
        return event.via != "return"
    return isinstance(event, (Read, Write, Escape)) and event.operand.tensor.storage is storage


def _is_at_places_of_call(write: Write, read: Read, trace: Trace) -> bool:
    """Whether elements are read at places that were given by the call that wrote."""
    given = trace.results.returned.get(write.calls[-1]) if write.calls and write.calls[-1] not in read.calls else None
    if read.reader != GETITEM or not given:
        return False
    after = bisect_right(trace.events, read.time, key=lambda each: each.time)
    return any(
        isinstance(each, Read)
        and (each.reader, each.statement) == (GETITEM, read.statement)
        and each.operand.tensor.storage in given
        for each in _following(trace, after, 2)
    )


def _is_put_back(write: Write, read: Read, trace: Trace) -> bool:
    """Whether the last of a call's writes put back what it had taken out before the first."""
    own = [each for each in write.storage.latest(read.time) if each.calls == write.calls]
    names = [other.binding for other in own[-1].others] if own and own[-1].op == SETITEM else []
    return any(name is not None and name.bound_at < own[0].time and _is_of(name, write, trace) for name in names)


def _is_of(name: Binding, write: Write, trace: Trace) -> bool:
    """Whether the statement that bound a name took elements out of the memory that is written."""
    taken = False
    began = bisect_right(trace.events, write.calls[-1], key=lambda each: each.time)
    for event in _following(trace, began, _MOST_EVENTS):
        if isinstance(event, Read):
            taken |= event.reader == GETITEM and event.operand.tensor.storage is write.storage
        elif isinstance(event, Bind):
            if event.binding is name:
                return taken
            taken = False
    return False


def _is_at_padding_of_argument(write: Write) -> bool:
    """Whether a callee puts one and the same value where there is padding in its argument."""
    if not any(link.kind == "parameter" for link in links_of(write.operand.binding)):
        return False
    places = write.others if write.op == SETITEM and "scattered" in write.marks else ()
    return len(places) == 1 and _PADDING.search(last_name(places[0].text).lower()) is not None


_PADDING = re.compile("pad(ding)?s?_?(mask|pos|ind|idx)|mask_?pad|^pad(ding)?s?$")


def _is_left_for_caller(write: Write, trace: Trace) -> bool:
    """Whether a callee neither reads nor gives back what it wrote: then it wrote it for its caller."""
    depth, call = len(write.stack), write.calls[-1]
    gave = trace.results.gave.get(call)
    unseen = (write.storage,) if gave is None else ()
    if gave not in ("other", None) or write.storage in trace.results.returned.get(call, unseen):
        return False
    began = bisect_right(trace.events, write.time, key=lambda each: each.time)
    for event in _following(trace, began, _MOST_EVENTS):
        if isinstance(event, (Read, Write)) and event.calls[:depth] != write.calls:
            break  # The call is over.
        if isinstance(event, Read) and event.operand.tensor.storage is write.storage and not _is_only_filled(event):
            return False
    return True


def _is_only_filled(read: Read) -> bool:
    """Whether a part is read only where it is given other values."""
    return read.overwrites and _refills(read.reader)


def _is_window(held: Binding, write: Write, read: Read, trace: Trace) -> bool:
    """Whether a name is there to see what calls do to the memory: it is read turn by turn, and nothing else is."""
    if len(write.calls) <= held.depth or is_taken_for_copy(read, held, write):
        return False  # No call does it, or nothing is seen by it.
    if _is_argument(held, write):
        return False
    seen = False
    began = bisect_right(trace.events, held.bound_at, key=lambda each: each.time)
    for event in _following(trace, began, 20 * _MOST_EVENTS):
        if event.time >= read.time:
            return seen
        if isinstance(event, Read) and event.operand.tensor.storage is write.storage:
            if any(link is held for link in links_of(event.operand.binding)):
                seen |= event.site == read.site
            elif len(event.calls) <= held.depth:
                return False
    return False


def _is_argument(held: Binding, write: Write) -> bool:
    """Whether the call in which a write happened was given what is written, or a part of it, by a name."""
    links, inside, began = list(links_of(write.operand.binding)), held.depth + 1, write.calls[held.depth]
    given = any(link.kind == "parameter" and link.depth == inside and link.bound_at >= began for link in links)
    return given and any(link.place == held.place for link in links)


def _is_earlier_time(write: Write, read: Read) -> bool:
    """Whether a write was in another call than a read, or in an earlier turn: it stands behind the read."""
    return write.calls != read.calls or write.site.span.row > read.site.span.row


def _is_replaced(write: Write, read: Read) -> bool:
    """Whether who reads had other values put in the place of what a write left."""
    for later in write.storage.latest(read.time):
        written = later.operand.tensor
        if not write.time < later.time < read.time:
            continue
        if read.twin is not None and puts_where_it_is(later) and _is_earlier_time(later, read):
            continue  # Who made two tensors the same, and compares them another time, takes them for two.
        if later.op == SETITEM and later.statement < write.time and within(write.operand.tensor, written):
            return True  # `x[0] = x[0].mul_(2)` puts the result back.
        into = has_out(later.op)
        loaded = later.op == LOAD_STATE_DICT
        if not (into or loaded) and (not _refills(later.op) or "scattered" in later.marks):
            continue
        if _has_replaced(later, write):
            return True
    return False


def _has_replaced(later: Write, write: Write) -> bool:
    """Whether what was written later is where a write was: all of it, or a part if the same call has written both."""
    written, before = later.operand.tensor, write.operand.tensor
    return includes(written, before) or (later.calls == write.calls and not fills(write.op) and covers(written, before))
