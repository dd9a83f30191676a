"""Habits about one name, attribute or element that was overwritten, and is read again."""

from __future__ import annotations

from inplace_lint.judgement.callees import judge_callee
from inplace_lint.judgement.intent import DRAWN, MIXING, is_activation, is_foreign, is_taken_as_value
from inplace_lint.judgement.memory import APART
from inplace_lint.judgement.pair import Pair
from inplace_lint.judgement.reason import Reason, fact, silent, suspect
from inplace_lint.torch_model.op_names import SETITEM
from inplace_lint.torch_model.slots import was_put

READ_AGAIN = fact("read-again", "the name is read again, and has the new value", "same-name")
READ_BESIDE = fact("read-beside", "the expression that writes reads the name, too", "same-expression")

TAKEN_WHEN_CHANGED = suspect(
    "taken-when-changed",
    "same-expression",
    "elements are taken from a tensor that the same statement changed before",
    "",
)
STATEMENT = silent("statement", "a statement that does nothing but write means to change the variable", "")
FILLING = silent("filling", "ops such as `copy_` and `zero_` are called for the write", "")
KEPT_VALUE_CHANGED = suspect(
    "kept-value-changed", "same-name", "what was kept is put through a function for the sake of the result", ""
)
SHORTHAND = silent("shorthand", "a name for an attribute or element stands for it", "")
STATE = silent("state", "what an object or container keeps is brought up to date", "")


def judge_same_place(pair: Pair) -> Reason:
    """The place that was written is read again."""
    if not pair.within():
        return APART
    return _judge_call(pair) or _judge_statement(pair) or _judge_name(pair)


def _judge_call(pair: Pair) -> Reason | None:
    held, write = pair.held, pair.write
    foreign = write.op != SETITEM and not write.filler and is_foreign(held, write, pair.read)
    if foreign and pair.callee() is not None:
        return judge_callee(pair)  # It changed what is in the container or object that it was given.
    named = held.kind in ("name", "parameter")
    if named and len(write.stack) > held.depth and write.operand.text != held.label:
        return judge_callee(pair, pair.in_one_statement)  # The variable was handed over in a container.
    return None


def _judge_statement(pair: Pair) -> Reason | None:
    read, write = pair.read, pair.write
    before = read.statement <= write.statement and pair.in_one_statement
    if TAKEN_WHEN_CHANGED.on and before and read.reader in MIXING:
        return TAKEN_WHEN_CHANGED
    if STATEMENT.on and write.use in ("statement", "rebound", "returned"):
        return STATEMENT
    drawn = write.op.rpartition(".")[2] in DRAWN and write.use == "bound"
    if FILLING.on and write.filler and not drawn:
        return FILLING
    return READ_BESIDE if pair.in_one_statement and write.use == "expression" else None


def _judge_name(pair: Pair) -> Reason:
    held, write = pair.held, pair.write
    if pair.is_kept:
        changed = is_activation(write) or is_taken_as_value(write)
        if KEPT_VALUE_CHANGED.on and changed:
            return KEPT_VALUE_CHANGED
        return STATE if STATE.on else READ_AGAIN
    shorthand = held.kind == "name" and held.source is not None and was_put(held.source)
    return SHORTHAND if SHORTHAND.on and shorthand else READ_AGAIN
