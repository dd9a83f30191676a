"""`del`: of variables, attributes, items and ranges of a list."""

from __future__ import annotations

from inplace_lint.interpret.python import indices, list_items
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import Dict, Instance, List, Ref, resolve
from inplace_lint.source import ir
from inplace_lint.torch_model.subscript import Full, Range


def delete(run: Run, node: ir.Delete) -> None:
    """Take away what is bound to each target."""
    for target in node.targets:
        if isinstance(target, ir.Name):
            run.frame.variables.pop(target.id, None)
        elif isinstance(target, ir.Attr):
            owner = run.evaluate(target.value)
            run.call_builtin("delattr", run.passing(target, owner, Ref(target.name)), target)
        elif isinstance(target, ir.Index):
            _delete_item(run, target)


def _delete_item(run: Run, target: ir.Index) -> None:
    """`del value[index]`: an item goes as it does by `pop`, a range as if nothing were put in its place."""
    ref = run.evaluate(target.value)
    value = resolve(ref.value)
    inside = value.children if isinstance(value, Instance) else value
    if isinstance(target.index, ir.Slice):
        taken = indices.index_of(run, target.index)[0].cut
        if isinstance(inside, List) and isinstance(taken, (Full, Range)):
            list_items.set_slice(run, inside, taken, List("list"), target)
        return
    index = run.evaluate(target.index)
    if run.special_method(ref, "__delitem__", (index,), target) is None and isinstance(inside, (Dict, List)):
        run.call(run.get_attribute(ref, "pop", target), run.passing(target, index), target)
