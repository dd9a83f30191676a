"""Habits about what was kept in an attribute or element, was taken out, and then written."""

from __future__ import annotations

from inplace_lint.judgement.callees import judge_callee
from inplace_lint.judgement.intent import has_computed_key, is_average, is_collected, is_taken_as_value, stands_for
from inplace_lint.judgement.pair import Pair, links_of
from inplace_lint.judgement.reason import Reason, fact, silent, suspect
from inplace_lint.torch_model.events import Read, Slot
from inplace_lint.torch_model.op_names import SETITEM
from inplace_lint.torch_model.slots import came_by_call, sources

STARTS_THERE = fact("starts-there", "the read is the old value that an in-place op starts from")
NOT_TAKEN_BY_NAME = fact("not-taken-by-name", "what was kept is written where it is, without a name of its own")

NAMED_STATE = silent("named-state", "what is called a state is kept to be brought up to date", "")
LAID_OVER = suspect("laid-over", "captured", "a parameter became part of what is kept, and is written", "")
COPIED_CONTAINER = suspect(
    "copied-container", "captured", "a container or object was copied to leave the first one as it is", ""
)
FILLED_WHERE_KEPT = silent(
    "filled-where-kept", "what is filled by `[]=`, `copy_` and the like is kept to be filled", ""
)
MOVED = suspect("moved", "captured", "what was kept is put into another place, and is changed there", "")
TAKEN_TO_CHANGE = silent("taken-to-change", "what was taken out for nothing but the write is meant to change", "")
GIVEN_BY_CALL = suspect("given-by-call", "captured", "a call gave what it keeps, and its caller cannot see that", "")
TAKEN_AS_VALUE = suspect(
    "taken-as-value", "captured", "what was kept is put through a function for the sake of the result", ""
)
COLLECTED = suspect("collected", "captured", "what is added to is put into another container, as if it were new", "")
OWN_LOOP = silent("own-loop", "what the reader's own loop takes out is meant to change", "")
STATE_OF_OBJECT = silent("state-of-object", "methods of one object change, and read, what it keeps", "")
GIVEN_BACK_AS_NEW = suspect(
    "given-back-as-new", "captured", "a function was given it in a list, and gives it back as something new", ""
)
AVERAGE = silent("average", "a running average is kept to be brought up to date", "")
TAKEN_IN_TURN = silent("taken-in-turn", "what a loop takes out in turn is meant to change", "")
STANDS_FOR = silent("stands-for", "a name that is short for what was kept stands for it", "")


def judge_taken_out(pair: Pair, way: list[Slot]) -> Reason:
    """What was kept in a place was taken out by a way, last slot first, and then written."""
    return _judge_place(pair, way) or _judge_use(pair, way) or _judge_callee(pair, way) or _judge_name(pair, way[-1])


def _judge_place(pair: Pair, way: list[Slot]) -> Reason | None:
    """What the place tells that it was taken from, and what came of it on the way."""
    held, first = pair.held, way[-1]
    if pair.read.overwrites:
        return STARTS_THERE
    passed = any(link.kind == "parameter" for link in way)
    if NAMED_STATE.on and _is_state(pair, way) and not (passed or is_taken_as_value(pair.write)):
        return NAMED_STATE
    if LAID_OVER.on and first.laid:
        return LAID_OVER
    same_key = held.kind == first.kind == "element" and _has_same_key(held, first)
    if COPIED_CONTAINER.on and (same_key or _is_namesake(held, first)) and not first.is_result:
        return COPIED_CONTAINER
    return None


def _judge_use(pair: Pair, way: list[Slot]) -> Reason | None:
    """What the write tells, and what is done with its result."""
    held, write, first = pair.held, pair.write, way[-1]
    if FILLED_WHERE_KEPT.on and (write.op == SETITEM or write.filler):
        return FILLED_WHERE_KEPT
    if MOVED.on and any(link.kind == "attribute" and not came_by_call(link) for link in way[:-1]):
        return MOVED
    if TAKEN_TO_CHANGE.on and write.use == "statement" and first.kind == "name" and first.read_at < write.time:
        return TAKEN_TO_CHANGE
    if GIVEN_BY_CALL.on and any(_is_of_call(link, held, way[0]) for link in way):
        return GIVEN_BY_CALL
    if TAKEN_AS_VALUE.on and is_taken_as_value(write):
        return TAKEN_AS_VALUE
    if COLLECTED.on and is_collected(way[0], write):
        return COLLECTED
    return OWN_LOOP if OWN_LOOP.on and _of_own_loop(way, pair.read) else None


def _judge_callee(pair: Pair, way: list[Slot]) -> Reason | None:
    """What the call tells in which it was written."""
    held, read = pair.held, pair.read
    own = way[-1].container.startswith("self.")
    if held.kind == "element" and not own and (call := pair.callee()) is not None:
        deeper = len(read.stack) > pair.write.stack.index(call[0])
        if STATE_OF_OBJECT.on and deeper and not _is_passed(read):
            return STATE_OF_OBJECT
        return judge_callee(pair)
    in_list = held.kind == "attribute" and way[-1].kind == "element"
    return GIVEN_BACK_AS_NEW if GIVEN_BACK_AS_NEW.on and in_list and _is_given_back(pair) else None


def _judge_name(pair: Pair, name: Slot) -> Reason:
    """What the name tells that it was taken out by."""
    if name.kind != "name":
        return NOT_TAKEN_BY_NAME
    if TAKEN_IN_TURN.on and name.in_loop:
        return TAKEN_IN_TURN
    if AVERAGE.on and is_average(pair.write):
        return AVERAGE
    stands = has_computed_key(pair.read.operand.text) or stands_for(name, pair.held)
    return STANDS_FOR if STANDS_FOR.on and stands and not _adds_up(pair) else TAKEN_AND_CHANGED


TAKEN_AND_CHANGED = fact("taken-and-changed", "what was kept was taken out under another name, and changed", "captured")


def _is_passed(read: Read) -> bool:
    """Whether a value is read in a function that was given it."""
    return any(link.kind == "parameter" for link in links_of(read.operand.slot))


def _is_of_call(link: Slot, held: Slot, name: Slot) -> bool:
    """Whether a call gave it, perhaps as one of several results: who wrote it could not see whence."""
    return (link.place == held.place and came_by_call(link)) or (link.kind == "element" and link.depth > name.depth)


def _is_given_back(pair: Pair) -> bool:
    """Whether the callee in which a write happened gives memory that it was given."""
    write, found = pair.write, pair.callee()
    return found is not None and not write.filler and write.gave(write.calls.index(found[1])) is None


def _is_state(pair: Pair, way: list[Slot]) -> bool:
    """Whether an element belongs to what is called a state."""
    texts = (pair.held.container, pair.read.operand.text, *(link.container for link in way))
    return pair.held.kind == "element" and any(text.partition("[")[0].endswith("state") for text in texts)


def _has_same_key(slot: Slot, other: Slot) -> bool:
    """Whether two elements have the same place in their containers, as in a container and its copy."""
    places = [place[1:] if isinstance(place, tuple) else place for place in (slot.place, other.place)]
    return places[0] == places[1] and not is_chosen(other)


def is_chosen(slot: Slot) -> bool:
    """Whether an element of a list was taken from another one by its position: that makes a choice, and no copy."""
    in_list = isinstance(slot.place, tuple) and len(slot.place) == 2 and isinstance(slot.place[1], int)
    position = slot.label.rpartition("[")[2]
    computed = position.endswith("]") and not position[:-1].isdigit()
    taken = slot.source is not None and slot.source.kind == "element"
    return slot.kind == "element" and in_list and taken and computed


def _is_namesake(slot: Slot, other: Slot) -> bool:
    """Whether two places are the same field of two objects, the other one filled when that object was made."""
    names = [place[1:] for place in (slot.place, other.place) if isinstance(place, tuple)]
    fields = slot.kind == other.kind == "attribute" and other.site is None
    return fields and len(names) == 2 and names[0] == names[1]


def _of_own_loop(way: list[Slot], read: Read) -> bool:
    return any(link.in_loop and link.depth <= len(read.stack) for link in way)


def _adds_up(pair: Pair) -> bool:
    """Whether other elements of the same container are added: the name stands for their total."""
    held = pair.held
    container = held.place[0] if held.kind == "element" and isinstance(held.place, tuple) else None
    others = [operand.slot for operand in pair.write.others if operand.slot is not None]
    return container is not None and any(
        isinstance(link.place, tuple) and link.place[0] == container and link.place != held.place
        for other in others
        for link in (other, *sources(other))
    )
