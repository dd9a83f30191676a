"""Attributes and items of an object that nobody knows: what is read twice is one place, and what is set stays there."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from inplace_lint.interpret.state.keys import Attribute, item_of
from inplace_lint.interpret.state.naming import names_data
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import Ref, Unknown, Value
from inplace_lint.source import ir
from inplace_lint.torch_model.constant import Constant
from inplace_lint.torch_model.operands import Keeper
from inplace_lint.torch_model.subscript import IndexPart, Position, Subscript, Unsure


@dataclass(frozen=True, slots=True)
class _Appended:
    """Where `append` puts an item of what is a list, then: the items that were put into it before are counted."""

    after: int


Places = tuple[IndexPart | _Appended, ...]

# Of these, nothing is derived from what the object was made of.
_ASIDE = frozenset({"shape", "dtype", "device", "data"})


def attribute(run: Run, owner: Unknown, name: str) -> Ref:
    """The attribute of that name."""
    made = _known(run, owner, name)
    if made is None:
        label = f"{owner.label}.{name}" if owner.label else ""
        history = () if name in _ASIDE else owner.history
        value = run.unknown(Attribute(owner.key, name), label, history, owner.is_data)
        made = owner.parts[name] = run.ref(run.place(owner, name), label, "attribute", value, None, None)
    return made


def same_memory(run: Run, owner: Unknown, name: str) -> Value:
    """`owner.data` or `owner.grad`: whenever it is read, the memory is the same."""
    made = _known(run, owner, name)
    if made is None:
        label = f"{owner.label}.{name}" if owner.label else ""
        made = owner.parts[name] = Ref(run.unknown(Attribute(owner.key, name), label, is_data=True))
    return made.value


def exchange(owner: Unknown, ref: Ref) -> None:
    """`owner.data = ...`"""
    owner.parts["data"] = Ref(ref.value)


def attribute_set(owner: Unknown, name: str) -> Ref | None:
    """The attribute of that name, if the program has set it."""
    made = owner.parts.get(name)
    return made if made is not None and made.binding is not None and made.binding.site is not None else None


def set_attribute(run: Run, owner: Unknown, name: str, ref: Ref, node: ir.Node) -> None:
    """`owner.name = ...`."""
    label = f"{owner.label}.{name}" if owner.label else ""
    owner.parts[name] = run.store(run.place(owner, name), label, "attribute", ref.value, run.site(node), ref)


def item(run: Run, owner: Unknown, places: Subscript) -> Ref:
    """The item at some places."""
    made = _known(run, owner, places)
    if made is None:
        label = f"{owner.label}[...]" if owner.label else ""
        value = run.unknown(item_of(owner.key, places), label, owner.history, owner.is_data or _says_data(places))
        made = Ref(value)
        if _is_one(places):
            owner.parts[places] = made
    return made


def set_item(run: Run, owner: Unknown, places: Subscript, ref: Ref, node: ir.Node, keeper: Keeper = "") -> None:
    """`owner[places] = ...`, which may be any item unless the place is a constant."""
    for known in [each for each in owner.parts if isinstance(each, tuple) and not _are_apart(each, places)]:
        del owner.parts[known]
    if _is_one(places):
        owner.parts[places] = run.store(run.place(owner, places), "", "element", ref.value, run.site(node), ref, keeper)


def append(run: Run, owner: Unknown, ref: Ref, node: ir.Node) -> None:
    """`owner.append(...)`, of what is a list, then."""
    place = (_Appended(len(owner.parts)),)
    owner.parts[place] = run.store(run.place(owner, place), "", "element", ref.value, run.site(node), ref)


def put_into(owner: Unknown) -> list[Ref]:
    """The items that the program has put into it."""
    return [
        made
        for place, made in owner.parts.items()
        if isinstance(place, tuple) and made.binding is not None and made.binding.site is not None
    ]


def set_on(owner: Unknown) -> list[Ref]:
    """The attributes that the program has given it."""
    return [
        made
        for place, made in owner.parts.items()
        if isinstance(place, str) and made.binding is not None and made.binding.site is not None
    ]


def forget(owner: Unknown) -> None:
    """A method of the object may have set anything anew."""
    owner.parts.clear()


def _known(run: Run, owner: Unknown, place: Hashable) -> Ref | None:
    made = owner.parts.get(place)
    if made is not None and isinstance(made.value, Unknown):
        run.proven.note_read(made.value.key)
    return made


def _is_one(places: Subscript) -> bool:
    """Whether it is one place: no range or mask, of which nobody knows whether it is copied."""
    return len(places) == 1 and isinstance(places[0], (Position, Unsure))


def _says_data(places: Subscript) -> bool:
    """Whether an item is asked for by a name for data: `batch["labels"]`."""
    at = places[0].at if len(places) == 1 and isinstance(places[0], Position) else None
    return isinstance(at, Constant) and isinstance(at.value, str) and names_data(at.value)


def _are_apart(one: Places, other: Places) -> bool:
    """Whether two places are surely different."""
    return one != other and all(_is_constant(each[0]) for each in (one, other) if len(each) == 1)


def _is_constant(place: IndexPart | _Appended) -> bool:
    return isinstance(place, Position) and isinstance(place.at, Constant)
