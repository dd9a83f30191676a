"""Functions that an option chooses from a table, `FUSERS[fuse]`: paths try those that write, beside the default."""

from __future__ import annotations

from inplace_lint.interpret.state.conditions import is_taken_for
from inplace_lint.interpret.state.facts import facts
from inplace_lint.interpret.state.keys import TakenFor
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import Dict, Function, Option, Ref, Value, resolve
from inplace_lint.torch_model.constant import Constant


def chosen_entry(run: Run, table: Dict, key: Value) -> Ref | None:
    """The entry of a function that writes, on paths where an option that is the key is given for it."""
    if not isinstance(key, Option) or key.given or not isinstance(key.value, str):
        return None
    for entry, ref in table.items.items():
        if isinstance(entry, Constant) and entry.value != key.value and _writes(ref):
            if is_taken_for(run, key, (entry,)):
                return ref
            run.oracle.press(TakenFor(key.key, (entry,)))
    return None


def _writes(ref: Ref) -> bool:
    value = resolve(ref.value)
    if not isinstance(value, Function):
        return False
    value.module.program.look_into(value.module, value.code)
    return bool(facts(value.code).write_rows)
