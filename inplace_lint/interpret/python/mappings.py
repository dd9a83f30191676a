"""Methods that mappings of a program inherit from `collections.abc` (`update`, `items`), in terms of their items."""

from __future__ import annotations

from collections.abc import Iterator

from inplace_lint.interpret.state.classes import library_bases
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.unsure_keys import entry_key
from inplace_lint.interpret.state.values import Arguments, Class, Dict, Instance, List, Ref, resolve
from inplace_lint.source import ir

METHODS = frozenset("update get items values keys".split())


def is_mapping(value: object) -> bool:
    """Whether an object of the program derives from `Mapping` or `MutableMapping`."""
    cls = value.cls if isinstance(value, Instance) else None
    return isinstance(cls, Class) and any(base.endswith("Mapping") for base in library_bases(cls))


def pairs(run: Run, ref: Ref, node: ir.Node) -> Iterator[tuple[Ref, Ref]]:
    """The keys and values of a mapping, of a dictionary, or of a list of pairs."""
    value = resolve(ref.value)
    if isinstance(value, Dict):
        keys = run.elements(ref, node).items
        yield from zip(keys, list(value.items.values()), strict=False)
    elif is_mapping(value):
        for key in run.elements(ref, node).items:
            found = run.special_method(ref, "__getitem__", (key,), node)
            if found is not None:
                yield key, found
    elif isinstance(value, List):
        for item in value.items:
            pair = resolve(item.value)
            if isinstance(pair, List) and len(pair.items) == 2:
                yield pair.items[0], pair.items[1]


def call_method(run: Run, receiver: Ref, name: str, arguments: Arguments, node: ir.Node) -> Ref | None:
    """Call a method that a mapping has from its base; None if it is not understood."""
    if name == "update":
        for passed in arguments.positional:
            for key, item in pairs(run, passed.ref, node):
                run.special_method(receiver, "__setitem__", (key, item), node)
        for word, passed in arguments.keywords.items():
            run.special_method(receiver, "__setitem__", (Ref(word), passed.ref), node)
        return Ref(None)
    if name == "get" and arguments.positional:
        return run.special_method(receiver, "__getitem__", (arguments.positional[0].ref,), node)
    if name in ("items", "values", "keys"):
        found = list(pairs(run, receiver, node))
        if name != "items":
            return Ref(List("list", [pair[name == "values"] for pair in found], True))
        return Ref(List("list", [Ref(List("tuple", list(pair))) for pair in found], True))
    return None


def as_dict(run: Run, ref: Ref, node: ir.Node) -> Dict:
    """`dict(mapping)`."""
    return Dict({entry_key(key.value): item for key, item in pairs(run, ref, node)}, True)
