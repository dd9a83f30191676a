"""The methods of lists, tuples, sets and dicts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from inplace_lint.interpret.python import plain
from inplace_lint.interpret.python.copies import copy_entries, copy_items, empty_list, put_entry
from inplace_lint.interpret.python.tables_of_functions import chosen_entry
from inplace_lint.interpret.python.unknown_items import copied_entry
from inplace_lint.interpret.state import unsure_keys
from inplace_lint.interpret.state.keys import Item
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.unsure_keys import entry_key
from inplace_lint.interpret.state.values import (
    MOST_ITEMS,
    Arguments,
    Dict,
    Instance,
    List,
    Ref,
    Unknown,
    resolve,
)
from inplace_lint.interpret.torch.module_tree import is_module
from inplace_lint.interpret.torch.ops import past_of
from inplace_lint.source import ir


def items_of(run: Run, arguments: Arguments, index: int, node: ir.Node) -> List:
    """What an argument iterates over."""
    if index >= len(arguments.positional):
        return List("list")
    return run.elements(arguments.positional[index].ref, node)


def kept_items(run: Run, made: List, arguments: Arguments, index: int, node: ir.Node) -> None:
    """Put what an argument iterates over into a list, in places of their own if no list has kept them yet."""
    if index >= len(arguments.positional):
        return
    ref = arguments.positional[index].ref
    given, items = resolve(ref.value), run.all_elements(ref, node)
    kept = isinstance(given, List) and given.kind != "generator"
    copy_items(run, made, items, None if kept else node).open |= items.open


def _append(run: Run, value: List, arguments: Arguments, node: ir.Node) -> Ref:
    for passed in arguments.positional[-1:]:
        place, ref = run.place(value, value.dropped + len(value.items)), passed.ref
        made = run.store(place, passed.text, "element", ref.value, run.site(passed.node), ref)
        value.grow([made])
        _leave_earlier(run, value)
    return Ref(None)


def _leave_earlier(run: Run, value: List) -> None:
    """The turns that are not run fill a bounded `deque`: what it had before the loop has likely left it."""
    if value.most is None or not run.shortened:
        return
    began = run.shortened[-1]
    while value.items and (binding := value.items[0].binding) is not None and binding.bound_at < began:
        value.drop_first()


def _extend(run: Run, value: List, arguments: Arguments, node: ir.Node) -> Ref:
    kept_items(run, value, arguments, 0, node)
    return Ref(None)


def _insert(run: Run, value: List, arguments: Arguments, node: ir.Node) -> Ref:
    position = resolve(arguments.get(0, "index"))
    ref = arguments.positional[1].ref if len(arguments.positional) > 1 else Ref(None)
    run.store(run.place(value, "inserted"), "", "element", ref.value, run.site(node), ref)
    last = len(value.items)
    value.items.insert(min(max(position, -last), last) if isinstance(position, int) else 0, ref)
    if last >= MOST_ITEMS:
        value.items.pop()
        value.open = True
    return Ref(None)


def _pop(run: Run, value: List, arguments: Arguments, node: ir.Node) -> Ref:
    position = resolve(arguments.get(0, "index")) if arguments.positional else -1
    if not value.items:
        return Ref(run.unknown(run.key(node)))
    index = position if isinstance(position, int) and -len(value.items) <= position < len(value.items) else -1
    return value.items.pop(index)


def _append_left(run: Run, value: List, arguments: Arguments, node: ir.Node) -> Ref:
    for passed in arguments.positional[-1:]:
        value.dropped -= 1
        place, ref = run.place(value, value.dropped), passed.ref
        value.items.insert(0, run.store(place, passed.text, "element", ref.value, run.site(passed.node), ref))
        if len(value.items) > (value.most or MOST_ITEMS):
            value.items.pop()
            value.open = value.open or value.most is None
    return Ref(None)


def _pop_left(run: Run, value: List, arguments: Arguments, node: ir.Node) -> Ref:
    return value.drop_first() if value.items else Ref(run.unknown(run.key(node)))


def _clear(run: Run, value: List, arguments: Arguments, node: ir.Node) -> Ref:
    value.items.clear()
    value.open = False
    return Ref(None)


def _list_copy(run: Run, value: List, arguments: Arguments, node: ir.Node) -> Ref:
    return Ref(copy_items(run, List(value.kind, [], value.open), value))


def _list_reverse(run: Run, value: List, arguments: Arguments, node: ir.Node) -> Ref:
    value.items.reverse()
    return Ref(None)


def _sort(run: Run, value: List, arguments: Arguments, node: ir.Node) -> Ref:
    given = Arguments([*run.passing(node, Ref(value)).positional, *arguments.positional], arguments.keywords)
    ordered = resolve(run.call_builtin("sorted", given, node).value)
    if isinstance(ordered, List):
        order = {id(resolve(ref.value)): place for place, ref in enumerate(ordered.items)}
        value.items.sort(key=lambda ref: order.get(id(resolve(ref.value)), 0))
    return Ref(None)


def _remove(run: Run, value: List, arguments: Arguments, node: ir.Node) -> Ref:
    """Take out the first element that is what is given; one that nobody knows stays."""
    place = _place_of(value, arguments)
    if place is not None:
        value.items.pop(place)
    return Ref(None)


def _place_of(value: List, arguments: Arguments) -> int | None:
    """Where an element stands: the object itself, or an equal number or text."""
    given = resolve(arguments.positional[0].ref.value) if arguments.positional else None
    for place, ref in enumerate(value.items):
        item = resolve(ref.value)
        if item is given or (isinstance(item, (int, float, str)) and plain.are_equal(item, given)):
            return place
    return None


def _index(run: Run, value: List, arguments: Arguments, node: ir.Node) -> Ref:
    place = _place_of(value, arguments) if len(arguments.positional) == 1 else None
    return Ref(run.unknown(run.key(node)) if place is None else place)


def _count(run: Run, value: List, arguments: Arguments, node: ir.Node) -> Ref:
    given = arguments.positional[0].ref.value if arguments.positional else None
    return plain.computed(list.count, value, given) or Ref(run.unknown(run.key(node)))


def _add(run: Run, value: List, arguments: Arguments, node: ir.Node) -> Ref:
    """`set.add`; of lists, it is a method of objects that have them for their elements."""
    if value.kind == "set" and _place_of(value, arguments) is not None:
        return Ref(None)
    return _append(run, value, arguments, node)


def _replace(run: Run, value: List, arguments: Arguments, node: ir.Node) -> Ref:
    """A copy of a named tuple with other values for some fields."""
    made = copy_items(run, empty_list(value), value)
    for index, name in enumerate(made.fields[: len(made.items)]):
        if name in arguments.keywords:
            passed = arguments.keywords[name]
            place, site = run.place(made, index), run.site(passed.node)
            made.items[index] = run.store(place, passed.text, "element", passed.ref.value, site, passed.ref)
    return Ref(made)


def _as_dict(run: Run, value: List, arguments: Arguments, node: ir.Node) -> Ref:
    """The fields of a named tuple as a dictionary."""
    made = Dict()
    for name, ref in zip(value.fields, value.items, strict=False):
        put_entry(run, made, entry_key(name), ref, node)
    return Ref(made)


LIST_METHODS: dict[str, Callable[[Run, List, Arguments, ir.Node], Ref]] = {
    "append": _append,
    "add": _add,
    "appendleft": _append_left,
    "extend": _extend,
    "update": _extend,
    "insert": _insert,
    "pop": _pop,
    "popleft": _pop_left,
    "clear": _clear,
    "copy": _list_copy,
    "tolist": _list_copy,  # of an array of objects
    "_replace": _replace,
    "_asdict": _as_dict,
    "reverse": _list_reverse,
    "sort": _sort,
    "remove": _remove,
    "discard": _remove,
    "index": _index,
    "count": _count,
}


def _keys(run: Run, value: Dict, arguments: Arguments, node: ir.Node) -> Ref:
    return Ref(run.elements(Ref(value), node))


def _values(run: Run, value: Dict, arguments: Arguments, node: ir.Node) -> Ref:
    return Ref(List("list", list(value.items.values()), value.open))


def _pairs(run: Run, value: Dict, arguments: Arguments, node: ir.Node) -> Ref:
    keys = run.elements(Ref(value), node).items
    rows = zip(keys, value.items.values(), strict=False)
    return Ref(List("list", [Ref(List("tuple", [key, ref])) for key, ref in rows], value.open))


def _get(run: Run, value: Dict, arguments: Arguments, node: ir.Node) -> Ref:
    found = chosen_entry(run, value, arguments.get(0, "key"))
    key = resolve(arguments.get(0, "key"))
    found = found or value.items.get(entry_key(key)) or unsure_keys.likely(run, value, key)
    found = found or copied_entry(run, value, key, node)
    if found is not None:
        return found
    if value.open or (value.items and isinstance(key, Unknown)):
        past = past_of(run, value.items.values(), node) if isinstance(key, Unknown) else ()
        return Ref(run.unknown(Item(run.known(value), entry_key(key)), history=past))
    return arguments.positional[1].ref if len(arguments.positional) > 1 else Ref(None)


def _set_default(run: Run, value: Dict, arguments: Arguments, node: ir.Node) -> Ref:
    key = entry_key(arguments.get(0, "key"))
    if key not in value.items:
        ref = arguments.positional[1].ref if len(arguments.positional) > 1 else Ref(None)
        put_entry(run, value, key, ref, node)
    return value.items[key]


def _dict_pop(run: Run, value: Dict, arguments: Arguments, node: ir.Node) -> Ref:
    found = _get(run, value, arguments, node)
    value.items.pop(entry_key(arguments.get(0, "key")), None)
    return found


def _dict_update(run: Run, value: Dict, arguments: Arguments, node: ir.Node) -> Ref:
    other = resolve(arguments.get(0, "other"))
    if isinstance(other, Dict):
        copy_entries(run, value, other)
    value.open |= bool(arguments.positional) and not isinstance(other, Dict)
    for name, passed in arguments.keywords.items():
        put_entry(run, value, entry_key(name), passed.ref, passed.node)
    return Ref(None)


def _dict_copy(run: Run, value: Dict, arguments: Arguments, node: ir.Node) -> Ref:
    return Ref(copy_entries(run, Dict(makes=value.makes), value))


DICT_METHODS: dict[str, Callable[[Run, Dict, Arguments, ir.Node], Ref]] = {
    "keys": _keys,
    "values": _values,
    "items": _pairs,
    "get": _get,
    "setdefault": _set_default,
    "pop": _dict_pop,
    "update": _dict_update,
    "copy": _dict_copy,
}


def reached_from(container: Ref, found: Ref) -> Ref:
    """What a method of a container has found: an element, or a list of them, or of pairs with them."""
    if container.binding is None:
        return found
    if not isinstance(found.value, List) or found.binding is not None:
        return container.has(found)
    return Ref(replace(found.value, items=[reached_from(container, item) for item in found.value.items]))


def inherited(instance: Instance) -> Mapping[str, Callable[[Run, Any, Arguments, ir.Node], Ref]]:
    """The methods that an object of the program inherits from `list` or `dict`."""
    if instance.children is None or is_module(instance):
        return {}
    return LIST_METHODS if isinstance(instance.children, List) else DICT_METHODS
