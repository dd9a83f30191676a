"""Functions that an option chooses from a table, `FUSERS[fuse]`: paths try those that write, beside the default."""

from __future__ import annotations

from itertools import islice

from inplace_lint.interpret.state.conditions import is_taken_for
from inplace_lint.interpret.state.facts import facts
from inplace_lint.interpret.state.keys import TakenFor
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import Dict, Function, Option, Ref, Value, resolve
from inplace_lint.torch_model.constant import Constant

# So many functions of a table are tried.
_MOST_FUNCTIONS = 4


def chosen_entry(run: Run, table: Dict, key: Value) -> Ref | None:
    """The entry of a function that writes, on paths where an option that is the key is given for it."""
    if not isinstance(key, Option) or key.given or not isinstance(key.value, str):
        return None
    others = (entry for entry in table.items if isinstance(entry, Constant) and entry.value != key.value)
    for entry in islice((each for each in others if _writes(table.items[each])), _MOST_FUNCTIONS):
        if is_taken_for(run, key, (entry,)):
            return table.items[entry]
        run.oracle.press(TakenFor(key.key, (entry,)))
    return None


def _writes(ref: Ref) -> bool:
    value = resolve(ref.value)
    if not isinstance(value, Function):
        return False
    value.module.program.look_into(value.module, value.code)
    return bool(facts(value.code).write_rows)
