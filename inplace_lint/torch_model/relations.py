"""What the reading of a value and the overwriting of it have to do with each other."""

from __future__ import annotations

from itertools import takewhile
from typing import Literal

from inplace_lint.diagnostic import Site
from inplace_lint.torch_model.events import Read, Slot, Write
from inplace_lint.torch_model.intent import (
    LIBRARY_WRITES,
    MIXING,
    for_output,
    gives_what_it_wrote,
    has_computed_key,
    is_activation,
    is_average,
    is_foreign,
    is_taken_as_value,
    is_taken_for_copy,
    is_used,
    stands_for,
)
from inplace_lint.torch_model.layout import EXCHANGE
from inplace_lint.torch_model.op_table import filling
from inplace_lint.torch_model.regions import apart, extent, meet
from inplace_lint.torch_model.slots import (
    came_by_call,
    common_source,
    derived,
    is_of_context,
    is_variable,
    passed_from,
    sources,
    was_put,
    way_to,
)
from inplace_lint.torch_model.tensor import Tensor, same

How = Literal["same-name", "same-expression", "alias", "captured", "argument"]


def relation(read: Read, slot: Slot, write: Write) -> How | None:
    """What the reading of `slot` and the writing have to do with each other."""
    written, tensor = write.operand.slot, read.operand.tensor
    if written is None and slot.kind in ("element", "attribute") and not (write.filler or write.is_refused):
        # What was kept is overwritten by code that has no name for it (the next layer).
        return "captured" if covers(tensor, write.operand.tensor) else None
    if written is None or write.is_refused or not write.certain or _changes_nothing(write):
        return None
    if write.op == EXCHANGE and slot.kind in ("element", "attribute"):
        return None  # Who keeps a tensor to give it other memory keeps it as a variable.
    if tensor.counter.copied != write.operand.tensor.counter.copied and covers(tensor, write.operand.tensor):
        return "captured" if slot.kind in ("element", "attribute") else "alias"
    if is_taken_for_copy(read, slot) and slot.place != written.place and covers(tensor, write.operand.tensor):
        return "captured" if slot.kind in ("element", "attribute") else "alias"
    if write.operand.tensor.array and tensor.array:
        return None
    both = _are_fields(slot, written) or write.storage.is_constant(written.bound_at)
    if write.operand.tensor.array != tensor.array and both:
        return None  # An object with an array and a tensor of one memory wants both; so does who fills one.
    known = not slot.detached or any(link is slot for link in sources(written))
    if is_of_context(written):  # A custom function keeps there what it is to bring up to date.
        both = is_of_context(slot) and slot.place != written.place
        return "captured" if both and covers(tensor, write.operand.tensor) else None
    if _is_data(tensor, write) and covers(tensor, write.operand.tensor):
        return "captured" if slot.kind in ("element", "attribute") else "alias"
    if write.op in LIBRARY_WRITES and known and not _is_laid_over(written, slot):
        return None
    variable = (tensor.hides or tensor.family).parameter or is_variable(slot)
    if variable and not slot.detached and slot.kind in ("attribute", "element"):
        # Kept as a variable, not for its value: tied weights, what an optimizer updates.
        return "captured" if is_used(write) and covers(tensor, write.operand.tensor) else None
    if write.operand.tensor.hides is not None and tensor.hides is None and tensor.need.certain and read.grad_mode:
        return None
    same_statement = write.time >= read.statement and slot.depth == len(read.stack)
    if slot.place == written.place:
        return _same_place(slot, write, read, same_statement) if within(tensor, write.operand.tensor) else None
    if any(slot.place == caller.place for caller in passed_from(written)):
        if slot.kind == "attribute" and _is_handed_on(slot, write):
            return None
        own = slot.kind == "element" and _of_own_loop(way_to(written, slot) or [], read)
        if own and not gives_what_it_wrote(write):
            return None
        return _in_callee(slot, write, read, same_statement) if covers(tensor, write.operand.tensor) else None
    if slot.kind == "attribute" and slot.label.endswith(".grad") and write.use in ("statement", "rebound"):
        return None  # Who reads a gradient wants it scaled, clipped, summed or cleared as it is by then.
    how = _other_place(slot, write, read)
    if how == "captured" and slot.region and write.storage.is_blank(slot.bound_at):
        return None  # Parts of a buffer that was to be filled are windows on it.
    if how == "captured":
        return how if covers(tensor, write.operand.tensor) else None
    if how == "alias" and _is_source(slot, write):
        return how if covers(tensor, write.operand.tensor) else None
    if how == "alias" and tensor.sizes == () and slot.region:
        return how if within(tensor, write.operand.tensor) else None  # Who named one number wants that number.
    # The whole through another name, or the very part that the reader has a name for.
    mine, parts = slot.region, [written.region, write.operand.tensor.region]
    # Who has another shape for the elements may want to see a statement, but hardly one that writes an array.
    if write.use not in ("statement", "rebound") or write.operand.tensor.array:
        mine, parts = extent(mine), list(map(extent, parts))
    return how if mine is not None and mine in parts else None


def _changes_nothing(write: Write) -> bool:
    """Whether a tensor was copied to where it is."""
    return write.op.endswith(".copy_") and any(same(other.tensor, write.operand.tensor) for other in write.others)


def _is_data(tensor: Tensor, write: Write) -> bool:
    """Whether an optimizer has written a parameter on the memory of what is no parameter, and was not made of one."""
    owner = write.operand.tensor.hides or write.operand.tensor.family
    apart_from_it = tensor.hides is None and tensor.family is not owner and not tensor.family.parameter
    return write.op == "optimizer.step" and owner.parameter and apart_from_it and not tensor.storage.filling


def _is_laid_over(written: Slot, slot: Slot) -> bool:
    """Whether a parameter has become part of what is kept in a place, by `vector_to_parameters`."""
    return written.laid and any(link.place == slot.place for link in sources(written))


def _is_source(slot: Slot, write: Write) -> bool:
    """Whether a write used what it has overwritten: who reads that again wants the value that was used."""
    return any(other.slot is not None and other.slot.place == slot.place for other in write.others)


def _are_fields(slot: Slot, other: Slot) -> bool:
    """Whether two places are attributes of one object."""
    places = slot.place, other.place
    owners = [place[0] for place in places if isinstance(place, tuple) and len(place) == 2]
    return slot.kind == other.kind == "attribute" and len(owners) == 2 and owners[0] == owners[1]


def _same_place(slot: Slot, write: Write, read: Read, same_statement: bool) -> How | None:
    foreign = write.op != "[]=" and not write.filler and is_foreign(slot, write, read)
    if foreign and _callee(slot, write, read) is not None:
        # A callee changed what is in the container or object that it was given.
        return _in_callee(slot, write, read)
    if slot.kind in ("name", "parameter") and len(write.stack) > slot.depth and write.operand.text != slot.label:
        return _in_callee(slot, write, read, same_statement)  # a variable that was handed over in a container
    if same_statement and read.reader in MIXING and read.statement <= write.statement:
        return "same-expression"
    drawn = filling(write.op) == "drawn" and write.use == "bound"
    if write.use in ("statement", "rebound", "returned") or (write.filler and not drawn):
        return None
    if same_statement and write.use == "expression":
        return "same-expression"
    if slot.kind in ("attribute", "element") and (is_activation(write) or is_taken_as_value(write)):
        return "same-name"
    # A name for an element or attribute is a shorthand: what it stands for is meant to change.
    shorthand = slot.kind == "name" and slot.source is not None and was_put(slot.source)
    return "same-name" if slot.kind in ("name", "parameter") and not shorthand else None


def _callee(slot: Slot, write: Write, read: Read) -> tuple[Site, int] | None:
    """The call in which the write happened, and when it began: after the slot was bound; it was over at the read."""
    for site, began in zip(write.stack, write.calls, strict=True):
        if began > slot.bound_at and began not in read.calls:
            return site, began
    return None


def _in_callee(slot: Slot, write: Write, read: Read, same_statement: bool = False) -> How | None:
    """The callee wrote what it was given: meant where its name says so, or where it gives nothing back."""
    found = _callee(slot, write, read)
    if write.declared or found is None or for_output(write.operand.slot):
        return None
    call, began = found
    if write.storage.is_constant(began) and parameters(write.operand.slot).isdisjoint(parameters(read.operand.slot)):
        return None  # Who reads what was zero when it was handed over, wants what was put there.
    gives = write.gave(write.calls.index(began))
    given_back = read.reader == "return" or slot.depth > len(read.stack)
    if gives in ("number", "other") and slot.kind == "parameter" and given_back:
        return None  # Who gives back what it was given itself, knows that it was changed.
    through_array = write.operand.tensor.array and write.operand.tensor.hides is not None
    # What a function does to an array that it measures is hardly meant for the tensor.
    procedure = gives == "nothing" or (gives == "number" and not through_array)
    if procedure and (write.stack[-1] == call or not gives_what_it_wrote(write)):
        return None
    return "same-expression" if same_statement else "argument"


def parameters(slot: Slot | None, depth: int | None = None) -> set[Site | None]:
    """Where the parameters stand through which a value came, those of a function that runs at a depth, or all."""
    links = (slot, *sources(slot)) if slot is not None else ()
    return {link.site for link in links if link.kind == "parameter" and depth in (None, link.depth)}


def _is_handed_on(slot: Slot, write: Write) -> bool:
    """Whether who took an attribute out had it changed by a call that gives nothing back: to change it is its use."""
    way = way_to(write.operand.slot, slot) if write.operand.slot is not None else None
    depth = next((link.depth for link in reversed(way or ()) if link.kind == "parameter"), 0)
    return 0 < depth <= len(write.stack) and write.gave(depth - 1) == "nothing"


def _is_passed(read: Read) -> bool:
    """Whether a value is read in a function that was given it."""
    slot = read.operand.slot
    return slot is not None and any(link.kind == "parameter" for link in (slot, *sources(slot)))


def _other_place(slot: Slot, write: Write, read: Read) -> How | None:
    written = write.operand.slot
    assert written is not None
    chain = [written, *passed_from(written)]
    if slot.kind in ("name", "parameter"):
        own = {link.place for link in (slot, *sources(slot))}
        taken = [link for link in takewhile(lambda link: link.place not in own, chain) if link.in_loop]
        if taken and not any(_is_collected(link, write) for link in taken):
            # What a loop takes out of a container stands for what was put there.
            return None
        if slot.kind == "parameter" and read.operand.tensor.family.parameter and derived(slot, written):
            return None  # A function was given the variable to use it as it will be.
        if write.storage.is_blank(slot.bound_at):
            return None  # Who named it before it had values waits for them.
        if any(_is_named_after(link, slot) for link in chain):
            return None
        filled = write.op == "[]=" or write.filler
        if filled and (for_output(written) or (derived(written, slot) and _is_changed_by(slot, write))):
            return None  # The new name is one more for what is filled by the old one, too.
        related = any(derived(link, slot) or derived(slot, link) for link in chain) or common_source(slot, written)
        return "alias" if related else None
    way = next((way for link in chain if (way := way_to(link, slot)) is not None), None)
    if way is not None:
        return _taken_out(slot, way, write, read)
    if _is_chosen(slot) and written.in_loop:
        return None
    if any(derived(slot, link) for link in chain) or common_source(slot, written):
        return "captured"
    return None


def _is_collected(variable: Slot, write: Write) -> bool:
    """Whether a loop puts what it has added something to into another container, as if it were new."""
    put = variable.put
    if put is None or put.bound_at < write.time or not write.op.endswith("=") or write.op == "[]=":
        return False
    containers = [slot.place[0] if isinstance(slot.place, tuple) else None for slot in (put, *sources(variable))]
    return containers[0] not in containers[1:]


def _is_named_after(other: Slot, slot: Slot) -> bool:
    """Whether a name says that it stands for another shape of what is elsewhere: `data_2d`, of `data`."""
    name, _, shape = other.label.rpartition("_")
    return name == slot.label and shape in ("1d", "2d", "3d", "4d", "flat", "flattened", "view", "reshaped")


def _is_changed_by(slot: Slot, write: Write) -> bool:
    """Whether the memory was changed by statements through this very place, before another name was used for it."""
    return any(
        earlier.use == "statement" and earlier.operand.slot is not None and earlier.operand.slot.place == slot.place
        for earlier in write.storage.latest(write.time - 1)
    )


def _taken_out(slot: Slot, way: list[Slot], write: Write, read: Read) -> How | None:
    """What was kept in an attribute or element was taken out, and then written."""
    passed = any(link.kind == "parameter" for link in way)
    if read.overwrites or (_is_state(slot, way, read) and not (passed or is_taken_as_value(write))):
        return None
    if way[-1].laid:
        return "captured"
    copied = (slot.kind == way[-1].kind == "element" and _has_same_key(slot, way[-1])) or _is_namesake(slot, way[-1])
    if copied and not way[-1].is_result:
        return "captured"  # A copy of the container or object was made, to leave the first as it is.
    if write.op == "[]=" or write.filler:
        return None
    if any(link.kind == "attribute" and not came_by_call(link) for link in way[:-1]):
        return "captured"  # It was put into another place, and is changed there.
    if write.use == "statement" and way[-1].kind == "name" and way[-1].read_at < write.time:
        return None  # It was taken out to be changed: the name is not used otherwise.
    if any((link.place == slot.place and came_by_call(link)) or _within_result(link, way[0]) for link in way):
        return "captured"  # A call gave it; who wrote it could not see whence.
    if is_taken_as_value(write) or _is_collected(way[0], write):
        return "captured"
    if _of_own_loop(way, read):
        return None
    own = way[-1].container.startswith("self.")
    if slot.kind == "element" and not own and (call := _callee(slot, write, read)) is not None:
        if len(read.stack) > write.stack.index(call[0]) and not _is_passed(read):
            return None  # Who reads has it from the same object or container: that is its state.
        return _in_callee(slot, write, read)
    if slot.kind == "attribute" and way[-1].kind == "element" and _is_given_back(slot, write, read):
        return "captured"  # A callee was given it in a list, and gives it back as something new.
    name = way[-1]
    if name.kind != "name" or name.in_loop or is_average(write):
        return None
    stands = has_computed_key(read.operand.text) or stands_for(name, slot)
    return "captured" if _adds_up(slot, write) or not stands else None


def _is_given_back(slot: Slot, write: Write, read: Read) -> bool:
    """Whether the callee in which a write happened gives memory that it was given."""
    found = _callee(slot, write, read)
    return found is not None and not write.filler and write.gave(write.calls.index(found[1])) is None


def _is_state(slot: Slot, way: list[Slot], read: Read) -> bool:
    """Whether an element belongs to what is called a state: that is kept to be brought up to date."""
    texts = (slot.container, read.operand.text, *(link.container for link in way))
    return slot.kind == "element" and any(text.partition("[")[0].endswith("state") for text in texts)


def _has_same_key(slot: Slot, other: Slot) -> bool:
    """Whether two elements have the same place in their containers, as in a container and its copy."""
    places = [place[1:] if isinstance(place, tuple) else place for place in (slot.place, other.place)]
    return places[0] == places[1] and not _is_chosen(other)


def _is_chosen(slot: Slot) -> bool:
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


def _within_result(link: Slot, name: Slot) -> bool:
    """Whether a slot is one of several results that a call gave to the function of `name`."""
    return link.kind == "element" and link.depth > name.depth


def _of_own_loop(way: list[Slot], read: Read) -> bool:
    """Whether the reader's own loop took the element out: then it is meant to change."""
    return any(link.in_loop and link.depth <= len(read.stack) for link in way)


def _adds_up(slot: Slot, write: Write) -> bool:
    """Whether other elements of the same container are added: the name stands for their total."""
    container = slot.place[0] if slot.kind == "element" and isinstance(slot.place, tuple) else None
    others = [operand.slot for operand in write.others if operand.slot is not None]
    return container is not None and any(
        isinstance(link.place, tuple) and link.place[0] == container and link.place != slot.place
        for other in others
        for link in (other, *sources(other))
    )


def within(part: Tensor, whole: Tensor) -> bool:
    """Whether a write to `whole` surely changes all of `part`."""
    return part is whole or (whole.region is not None and part.storage is whole.storage and covers(whole, part))


def covers(whole: Tensor, part: Tensor) -> bool:
    """Whether a write to `part` surely changes `whole`."""
    all_of, some = extent(whole.region), extent(part.region)
    if whole is part or all_of == ():
        return True
    if all_of is None or some is None or apart(whole.region, part.region):
        return False
    return some[: len(all_of)] == all_of or meet(all_of, some)
