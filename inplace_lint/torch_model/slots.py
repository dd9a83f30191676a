"""Alias chains: the slots that a value went through, each read from the next."""

from __future__ import annotations

from collections.abc import Iterator

from inplace_lint.torch_model.labels import has_computed_position
from inplace_lint.torch_model.operands import Slot


def is_variable(slot: Slot) -> bool:
    """Whether a value was kept with all other buffers of a module: who does so keeps variables, not values."""
    return any(link.keeper == "buffers" for link in (slot, *sources(slot)))


def passed_from(slot: Slot) -> Iterator[Slot]:
    """The callers' slots that an argument, or a local name for it, came from, innermost first."""
    passed = False
    while slot.is_result and slot.source is not None and slot.source.place == slot.place:
        slot = slot.source
    while slot.source is not None and slot.kind in ("parameter", "name") and not slot.is_result:
        passed = passed or (slot.kind == "parameter" and not is_given_back(slot))
        slot = slot.source
        if passed:
            yield slot


def is_given_back(slot: Slot) -> bool:
    """Whether it stands for what a call or an op gave, which it had found in another slot of this place."""
    return slot.source is not None and slot.source.place == slot.place


def came_by_call(slot: Slot) -> bool:
    """Whether a call gave what it had found in an attribute or element."""
    kept = slot.kind in ("attribute", "element") and not slot.is_result
    return kept and slot.by_call and is_given_back(slot)


def was_put(slot: Slot) -> bool:
    """Whether the program put a value into an attribute or element; an op that gives several puts them in a tuple."""
    if slot.kind == "element":
        return slot.site is not None or slot.source is not None
    return slot.kind == "attribute"


def held_since(slot: Slot | None) -> int:
    """When the value was put where it was read from at last; 0 if it has no name."""
    while slot is not None and slot.source is not None and not slot.is_result and slot.kind == "name":
        slot = slot.source
    return slot.bound_at if slot is not None else 0


COPY = "<copy>"


def is_copy(slot: Slot) -> bool:
    """Whether it stands for what `copy.copy` made of a module: another one, with the same parameters."""
    return slot.place[1] == COPY


def is_of_context(slot: Slot | None) -> bool:
    """Whether a place is an attribute of the `ctx` of a custom function."""
    return slot is not None and slot.keeper == "context"


def sources(slot: Slot) -> Iterator[Slot]:
    """The slots that a value was read from, nearest first."""
    current = slot.source
    for _ in range(20):
        if current is None:
            return
        yield current
        current = current.source


def derived(slot: Slot, origin: Slot) -> bool:
    """Whether a value was read from another slot, at whatever time."""
    return any(source.place == origin.place for source in sources(slot))


def common_source(a: Slot, b: Slot) -> bool:
    """Whether two values were read from the same place; an element of a copied container is no place of its own."""
    kinds = {"name", "parameter"}
    if a.kind == "element":
        kinds |= {"attribute", "element"} if a.site is not None else {"attribute"}
    ours = {source.place for source in sources(a) if source.kind in kinds}
    return any(source.place in ours for source in sources(b))


def alias_path(link: Slot, slot: Slot) -> list[Slot] | None:
    """The alias chain from the attribute or element `slot` to `link`, newest first; None if they are unrelated."""
    way = [link]
    for source in sources(link):
        if source.place == slot.place and not source.is_result and not came_by_call(source):
            return way
        way.append(source)
    return None


def is_chosen(slot: Slot) -> bool:
    """Whether an element of a list was taken from another one by its position: that makes a choice, and no copy."""
    return isinstance(slot.place[1], int) and has_computed_position(slot.label)


def origin(slot: Slot) -> Slot:
    """The element or attribute of which a slot is a copy, as its container or object was copied, perhaps many times."""
    while (source := slot.source) is not None and not source.is_result and not came_by_call(source):
        if source.place != slot.place and not _is_copied(slot, source):
            break
        slot = source
    return slot


def _is_copied(slot: Slot, source: Slot) -> bool:
    """Whether a container or object was copied, and something in it has come along."""
    same_key = slot.kind == source.kind == "element" and slot.place[1] == source.place[1] and not is_chosen(slot)
    came_with_object = slot.kind == "attribute" and slot.site is None
    return same_key or came_with_object
