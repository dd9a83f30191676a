"""Items of what nobody knows, and of the dictionaries that are shallow copies of it."""

from __future__ import annotations

from dataclasses import replace

from inplace_lint.interpret.python.annotated import annotate
from inplace_lint.interpret.state import parts
from inplace_lint.interpret.state.annotation import Annotation
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.unsure_keys import entry_key
from inplace_lint.interpret.state.values import Dict, Ref, Unknown, Value, resolve
from inplace_lint.source import ir
from inplace_lint.torch_model.constant import Constant
from inplace_lint.torch_model.subscript import Position, Subscript


def item(run: Run, base: Ref, places: Subscript, told: Annotation | None, node: ir.Node) -> Ref:
    """`base[places]`, which the program declares to be as `told`."""
    value = resolve(base.value)
    assert isinstance(value, Unknown)
    found = parts.item(run, value, places)
    if value.annotation is not None:
        found = annotate(run, found, told, run.site(node))
    if base.binding is None or found.binding is not None:
        return found
    place, label = (value.key, places), f"{value.label}[...]" if value.label else ""
    return Ref(found.value, replace(base.binding, place=place, label=label, kind="element", source=base.binding))


def shallow_copy(ref: Ref, of: Unknown) -> Dict | None:
    """A shallow copy of what the program declares to be a mapping; None if it declares nothing of the kind."""
    return Dict(open=True, rest=ref) if of.annotation is not None and of.annotation.is_mapping else None


def copied_entry(run: Run, table: Dict, key: Value, node: ir.Node) -> Ref | None:
    """The entry that a shallow copy shares with what it copies; None if it copies nothing, or the key is no text."""
    whole = resolve(table.rest.value) if table.rest is not None else None
    if table.rest is None or not isinstance(whole, Unknown) or not isinstance(key, str):
        return None
    told = whole.annotation.entry(key) if whole.annotation is not None else None
    given = item(run, table.rest, (Position(Constant(key)),), told, node)
    entry = entry_key(key)
    label = given.binding.label if given.binding is not None else ""
    table.items[entry] = run.ref(run.place(table, entry), label, "element", given.value, None, given)
    return table.items[entry]
