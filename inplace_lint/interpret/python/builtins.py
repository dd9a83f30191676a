"""Python's own functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

from inplace_lint.interpret.python import attributes, having, indices, kinds, mappings, namespaces, plain
from inplace_lint.interpret.python.containers import items_of, kept_items
from inplace_lint.interpret.python.copies import copy_entries, copy_items, put_entry
from inplace_lint.interpret.python.evaluate import combine
from inplace_lint.interpret.state.conditions import EVERY
from inplace_lint.interpret.state.keys import Answer, Count, Joined, Shape, size_at
from inplace_lint.interpret.state.program import ModuleFile
from inplace_lint.interpret.state.run import MOST_ITERATIONS, USUAL_TURNS, Run
from inplace_lint.interpret.state.unsure_keys import entry_key
from inplace_lint.interpret.state.values import (
    Arguments,
    Builtin,
    Class,
    Dict,
    Instance,
    List,
    Ref,
    Unknown,
    Value,
    identity,
    resolve,
)
from inplace_lint.interpret.torch import asked_sizes
from inplace_lint.interpret.torch.ops import unknown_call
from inplace_lint.source import ir
from inplace_lint.torch_model.tensor import Tensor


def call_builtin(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Ref:
    """Call `len`, `zip`..."""
    handler = _BUILTINS.get(name)
    if handler is not None:
        return handler(run, arguments, node)
    return _pure(run, name, arguments, node)


def _pure(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Ref:
    """Call a function of numbers and texts."""
    found = plain.called(_PURE[name], arguments) if name in _PURE else None
    if found is None and name in _SPELLING and len(arguments.positional) == 1:
        value = resolve(arguments.positional[0].ref.value)
        if not isinstance(value, (Tensor, Instance)):
            return Ref(run.unknown(Joined((identity(value),))))
    return found if found is not None else Ref(unknown_call(run, name, arguments, node))


_SPELLING = frozenset({"str", "repr"})
_PURE: dict[str, Callable[..., Any]] = {
    "int": int, "float": float, "bool": bool, "str": str, "abs": abs, "round": round, "max": max, "min": min,
    "divmod": divmod, "pow": plain.power, "bin": bin, "hex": hex, "oct": oct, "ord": ord, "chr": chr, "repr": repr,
}  # fmt: skip


def _len(run: Run, arguments: Arguments, node: ir.Node) -> Ref:
    ref = arguments.positional[0].ref if arguments.positional else Ref(None)
    value = resolve(ref.value)
    if isinstance(value, Instance):
        found = run.special_method(ref, "__len__", (), node)
        if found is not None:
            return found
        value = value.children
    if isinstance(value, (List, Dict)) and not value.open:
        return Ref(len(value.items))
    if isinstance(value, str):
        return Ref(len(value))
    if isinstance(value, Tensor):
        length = asked_sizes.size(value, 0)
        return Ref(run.unknown(size_at(value.storage.key, value.region, 0)) if length is None else length)
    shown = asked_sizes.shown_by(run, value)
    dimensions = asked_sizes.rank(shown) if shown is not None else None
    return Ref(run.unknown(Shape("len", identity(value))) if dimensions is None else dimensions)


def _range(run: Run, arguments: Arguments, node: ir.Node) -> Ref:
    bounds = [resolve(passed.ref.value) for passed in arguments.positional]
    known = [bound for bound in bounds if isinstance(bound, int)]
    if bounds and len(known) == len(bounds):
        try:
            numbers = range(*known)
        except (TypeError, ValueError):
            numbers = range(0)
        # A range may have more numbers than `len` can tell.
        run.oracle.shortens |= bool(numbers[USUAL_TURNS:])
        most = USUAL_TURNS if run.oracle.short else MOST_ITERATIONS
        return Ref(List("list", [Ref(number) for number in numbers[:most]], bool(numbers[most:])))
    start = bounds[0] if len(bounds) > 1 else 0
    place = run.key(node)
    step = bounds[2] if len(bounds) > 2 else 1
    if isinstance(start, int) and isinstance(step, int):
        numbers_open = [Ref(start + step * i) for i in range(run.turns)]
        return Ref(List("list", numbers_open, True))
    if step == -1 and isinstance(bounds[1], int):
        return Ref(List("list", [Ref(bounds[1] + run.turns - i) for i in range(run.turns)], True))
    counts = [Ref(run.unknown(Count(place, i))) for i in range(run.turns)]
    return Ref(List("list", counts, True))


def _enumerate(run: Run, arguments: Arguments, node: ir.Node) -> Ref:
    items = items_of(run, arguments, 0, node)
    start = resolve(arguments.get(1, "start"))
    first = start if isinstance(start, int) else 0
    pairs = [Ref(List("tuple", [Ref(first + i), item])) for i, item in enumerate(items.items)]
    return Ref(List("list", pairs, items.open))


def _zip(run: Run, arguments: Arguments, node: ir.Node) -> Ref:
    columns = [items_of(run, arguments, i, node) for i in range(len(arguments.positional))]
    rows = zip(*(column.items for column in columns), strict=False)
    return Ref(List("list", [Ref(List("tuple", list(row))) for row in rows], any(c.open for c in columns)))


def _as_list(kind: Literal["list", "tuple", "set"]) -> Callable[[Run, Arguments, ir.Node], Ref]:
    def convert(run: Run, arguments: Arguments, node: ir.Node) -> Ref:
        made = List(kind)
        kept_items(run, made, arguments, 0, node)
        distinct = plain.computed(lambda items: items, made) if kind == "set" else None
        return distinct or Ref(made)

    return convert


def _new_tuple(run: Run, arguments: Arguments, node: ir.Node) -> Ref:
    """`tuple.__new__(cls, items)`"""
    cls, items = resolve(arguments.get(0, "cls")), items_of(run, arguments, 1, node)
    return Ref(copy_items(run, List("tuple", [], items.open, cls=cls if isinstance(cls, Class) else None), items))


def _reversed(run: Run, arguments: Arguments, node: ir.Node) -> Ref:
    items = items_of(run, arguments, 0, node)
    return Ref(List("list", items.items[::-1], items.open))


def _sorted(run: Run, arguments: Arguments, node: ir.Node) -> Ref:
    made = List("list")
    kept_items(run, made, arguments, 0, node)
    keys = _keys(run, arguments, made.items, node)
    made.items = _in_order(made.items, keys, resolve(arguments.get(None, "reverse")) is True)
    return Ref(made)


def _in_order(items: list[Ref], keys: list[Value], backwards: bool) -> list[Ref]:
    """Elements sorted by their keys, if these are known; else as they are."""

    def places(known: Sequence[Any]) -> list[int]:
        return sorted(range(len(known)), key=known.__getitem__, reverse=backwards)

    order = plain.computed(places, List("list", list(map(Ref, keys))))
    return [items[place] for place in plain.plain(order.value)] if order is not None else items


def _keys(run: Run, arguments: Arguments, items: list[Ref], node: ir.Node) -> list[Value]:
    """By which keys `sorted`, `min` or `max` compares elements: what a function says of them, or they themselves."""
    key = arguments.keywords.get("key")
    return _told_of(run, key.ref if key is not None else Ref(None), items, node)


def _extreme(name: str) -> Callable[[Run, Arguments, ir.Node], Ref]:
    """`min` and `max`: of objects in a container, the one that was put there last may be it."""

    def choose(run: Run, arguments: Arguments, node: ir.Node) -> Ref:
        if len(arguments.positional) == 1:
            given = items_of(run, arguments, 0, node)
            keys = _keys(run, arguments, given.items, node)
            if "key" in arguments.keywords and not given.open and given.items:
                ordered = _in_order(given.items, keys, name == "max")
                if ordered is not given.items:
                    return ordered[0]
            items, last = given.items, resolve(given.items[-1].value) if given.items else None
            if isinstance(last, (Tensor, List, Dict, Instance)):
                return items[-1]
            if not given.open and len(items) == 1 and isinstance(last, (int, float)):
                return Ref(last)
            if not given.open and items:
                arguments = run.passing(node, *items)
        return _pure(run, name, arguments, node)

    return choose


def _dict(run: Run, arguments: Arguments, node: ir.Node) -> Ref:
    made = Dict()
    if arguments.positional:
        value = resolve(arguments.positional[0].ref.value)
        if mappings.is_mapping(value):
            made = mappings.as_dict(run, arguments.positional[0].ref, node)
        elif isinstance(value, Dict):
            copy_entries(run, made, value)
        elif isinstance(value, List):
            for item in value.items:
                pair = resolve(item.value)
                if isinstance(pair, List) and len(pair.items) == 2:
                    put_entry(run, made, entry_key(pair.items[0].value), pair.items[1], node)
            made.open = value.open
        else:
            made.open, made.rest = True, arguments.positional[0].ref
    for key, passed in arguments.keywords.items():
        put_entry(run, made, identity(key), passed.ref, node)
    return Ref(made)


def _from_keys(run: Run, arguments: Arguments, node: ir.Node) -> Ref:
    """`dict.fromkeys(keys, value)`: one value in all entries."""
    ref = arguments.positional[1].ref if len(arguments.positional) > 1 else Ref(None)
    if isinstance(tensor := resolve(ref.value), Tensor):
        tensor.storage.share("repeated", run.torch.clock)
    keys = items_of(run, arguments, 0, node)
    made = Dict(open=keys.open)
    for key in (entry_key(item.value) for item in keys.items):
        made.items[key] = run.ref(run.place(made, key), "", "element", ref.value, run.site(node), ref)
    return Ref(made)


def _getattr(run: Run, arguments: Arguments, node: ir.Node) -> Ref:
    name = resolve(arguments.get(1, "name"))
    base = resolve(arguments.positional[0].ref.value) if arguments.positional else None
    if isinstance(base, Instance) and isinstance(name, Unknown):
        return _by_unknown_name(run, base, name, node)
    if arguments.positional and isinstance(name, str):
        if isinstance(base, Instance) and len(arguments.positional) > 2 and not having.is_there(run, base, name):
            return arguments.positional[2].ref
        if isinstance(base, ModuleFile) and len(arguments.positional) > 2 and not namespaces.has(run, base, name):
            return arguments.positional[2].ref
        found = run.get_attribute(arguments.positional[0].ref, name, node)
        if isinstance(found.value, Builtin) and isinstance(resolve(found.value.receiver.value), Unknown):
            return attributes.of_unknown(run, found.value, node)
        return found
    return Ref(run.unknown(run.key(node)))


def _by_unknown_name(run: Run, base: Instance, name: Unknown, node: ir.Node) -> Ref:
    """What an object has under a name that nobody knows: by that name, it is the same each time."""
    found = base.by_unknown_name.get(name.key)
    if found is None:
        place = (identity(base), name.key)
        found = run.ref(place, "", "attribute", run.unknown(run.key(node)), None, None)
        base.by_unknown_name[name.key] = found
    return found


def _vars(run: Run, arguments: Arguments, node: ir.Node) -> Ref:
    first = arguments.positional[0].ref if arguments.positional else Ref(None)
    return run.get_attribute(first, "__dict__", node)


def _setattr(run: Run, arguments: Arguments, node: ir.Node) -> Ref:
    name = resolve(arguments.get(1, "name"))
    if len(arguments.positional) > 2 and isinstance(name, str):
        run.set_attribute(arguments.positional[0].ref, name, arguments.positional[2].ref, node)
    elif len(arguments.positional) > 2 and isinstance(name, Unknown):
        base, given = resolve(arguments.positional[0].ref.value), arguments.positional[2].ref
        if isinstance(base, Instance):
            place, value = (identity(base), name.key), resolve(given.value)
            base.by_unknown_name[name.key] = run.store(place, "", "attribute", value, run.site(node), given)
    return Ref(None)


def _set_plainly(run: Run, arguments: Arguments, node: ir.Node) -> Ref:
    """`object.__setattr__(value, name, given)`"""
    if len(arguments.positional) == 3:
        base, name, given = (passed.ref for passed in arguments.positional)
        owner, word = resolve(base.value), resolve(name.value)
        if isinstance(owner, Instance) and isinstance(word, str):
            attributes.set_on_instance(run, base, owner, word, given, node)
    return Ref(None)


def _delattr(run: Run, arguments: Arguments, node: ir.Node) -> Ref:
    value, name = resolve(arguments.get(0, "object")), resolve(arguments.get(1, "name"))
    if isinstance(value, Instance) and isinstance(name, str):
        value.take(name)
    return Ref(None)


def _sum(run: Run, arguments: Arguments, node: ir.Node) -> Ref:
    items = items_of(run, arguments, 0, node)
    if not items.items:
        return Ref(0 if not items.open else run.unknown(run.key(node)))
    total = arguments.positional[1].ref if len(arguments.positional) > 1 else Ref(0)
    place = ir.Opaque(node.span, ())
    for item in items.items:
        total = Ref(combine(run, "+", total, item, node, place, place))
    return total


def _map(run: Run, arguments: Arguments, node: ir.Node) -> Ref:
    columns = [items_of(run, arguments, i, node) for i in range(1, len(arguments.positional))]
    made = List("list", [], any(column.open for column in columns))
    for row in zip(*(column.items for column in columns), strict=False):
        made.items.append(run.call(arguments.positional[0].ref, run.passing(node, *row), node))
    return Ref(made)


def _filter(run: Run, arguments: Arguments, node: ir.Node) -> Ref:
    items = items_of(run, arguments, 1, node)
    told = _told_of(run, arguments.positional[0].ref if arguments.positional else Ref(None), items.items, node)
    kept = [item for item, says in zip(items.items, told, strict=True) if says or not isinstance(says, _PLAIN)]
    unsure = any(not isinstance(says, _PLAIN) for says in told)
    return Ref(List("list", kept, items.open or unsure))


_PLAIN = (bool, int, float, str, type(None))


def _told_of(run: Run, function: Ref, items: list[Ref], node: ir.Node) -> list[Value]:
    """What a function says of each element; the element itself, if there is no function."""
    if resolve(function.value) is None:
        return [resolve(item.value) for item in items]
    return [resolve(run.call(function, run.passing(node, item), node).value) for item in items]


def _next(run: Run, arguments: Arguments, node: ir.Node) -> Ref:
    iterator = arguments.positional[0].ref if arguments.positional else Ref(None)
    item = run.special_method(iterator, "__next__", (), node)
    if item is not None:
        return item
    items = items_of(run, arguments, 0, node)
    if not items.items and not items.open and len(arguments.positional) == 2:
        return arguments.positional[1].ref
    return items.items[0] if items.items else Ref(run.unknown(run.key(node)))


def _iter(run: Run, arguments: Arguments, node: ir.Node) -> Ref:
    return arguments.positional[0].ref if arguments.positional else Ref(None)


def _quantifier(decisive: bool) -> Callable[[Run, Arguments, ir.Node], Ref]:
    """`any`, which one True decides; or `all`, which one False decides."""

    def handler(run: Run, arguments: Arguments, node: ir.Node) -> Ref:
        items = items_of(run, arguments, 0, node)
        known = [bool(value) for item in items.items if isinstance(value := resolve(item.value), (bool, int))]
        if decisive in known:
            return Ref(decisive)
        if len(known) == len(items.items) and not items.open:
            return Ref(not decisive)
        if not decisive and not items.open:
            return Ref(run.unknown(Answer(EVERY, tuple([identity(item.value) for item in items.items]))))
        return Ref(run.unknown(run.key(node)))

    return handler


def _nothing(run: Run, arguments: Arguments, node: ir.Node) -> Ref:
    return Ref(None)


def _number_of(run: Run, arguments: Arguments, node: ir.Node) -> Ref:
    """`float(x)` of a tensor reads it and gives a number."""
    value = resolve(arguments.get(0, "x"))
    if isinstance(value, (int, float, str, bool)):
        return call_builtin_pure(value)
    if isinstance(value, Instance):
        for name in ("__int__", "__float__", "__index__"):
            if (told := run.special_method(arguments.positional[0].ref, name, (), node)) is not None:
                return told
    unknown_call(run, "float", arguments, node)
    return Ref(run.unknown(Count(run.key(node))))


def call_builtin_pure(value: int | float | str | bool) -> Ref:
    """A number as it is; a numeral as a number."""
    try:
        return Ref(float(value) if isinstance(value, str) else value)
    except ValueError:
        return Ref(0.0)


_BUILTINS: dict[str, Callable[[Run, Arguments, ir.Node], Ref]] = {
    "len": _len,
    "range": _range,
    "enumerate": _enumerate,
    "zip": _zip,
    "list": _as_list("list"),
    "tuple": _as_list("tuple"),
    "tuple.__new__": _new_tuple,
    "set": _as_list("set"),
    "reversed": _reversed,
    "sorted": _sorted,
    "min": _extreme("min"),
    "max": _extreme("max"),
    "dict": _dict,
    "dict.fromkeys": _from_keys,
    "isinstance": kinds.is_instance,
    "getattr": _getattr,
    "setattr": _setattr,
    "object.__setattr__": _set_plainly,
    "delattr": _delattr,
    "vars": _vars,
    "globals": namespaces.own_names,
    "dir": namespaces.names,
    "eval": namespaces.evaluated,
    "hasattr": having.hasattr,
    "sum": _sum,
    "map": _map,
    "filter": _filter,
    "next": _next,
    "iter": _iter,
    "any": _quantifier(True),
    "all": _quantifier(False),
    "type": kinds.type_of,
    "callable": kinds.is_callable,
    "print": lambda run, arguments, node: Ref(unknown_call(run, "print", arguments, node)),
    "slice": lambda run, arguments, node: Ref(indices.range_of(arguments)),
    "int": _number_of,
    "float": _number_of,
}
