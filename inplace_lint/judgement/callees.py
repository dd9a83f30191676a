"""Habits about calls: a function that writes what it was given."""

from __future__ import annotations

from inplace_lint.judgement.intent import for_output, gives_what_it_wrote
from inplace_lint.judgement.memory import APART
from inplace_lint.judgement.pair import Pair, parameters
from inplace_lint.judgement.reason import Reason, fact, silent
from inplace_lint.torch_model.slots import passed_from, way_to

NO_CALL_BETWEEN = fact("no-call-between", "no call that is over by now wrote what is read")
ARGUMENT_CHANGED = fact("argument-changed", "a call changed its argument, which is read afterwards", "argument")
CHANGED_BESIDE = fact(
    "changed-beside", "a call changed its argument, which the same expression reads", "same-expression"
)

SAYS_SO = silent("says-so", "the function says by its name or arguments that it writes", "")
OUTPUT_PARAMETER = silent("output-parameter", "the name of the parameter says that it is filled", "")
BLANK_ARGUMENT = silent("blank-argument", "who hands over zeros wants what is put there", "")
GIVES_ARGUMENT_BACK = silent("gives-argument-back", "who gives back what it was given knows that it was changed", "")
PROCEDURE = silent("procedure", "a function that gives nothing back is called for what it writes", "")
HANDED_ON = silent("handed-on", "an attribute that a call changes, which gives nothing back, is there for that", "")
OWN_LOOP_HANDS_ON = silent("own-loop-hands-on", "what the reader's own loop takes out is meant to change", "")


def judge_callee(pair: Pair, in_one_statement: bool = False) -> Reason:
    """The callee wrote what it was given: meant where its name says so, or where it gives nothing back."""
    write, found = pair.write, pair.callee()
    if SAYS_SO.on and write.declared:
        return SAYS_SO
    if found is None:
        return NO_CALL_BETWEEN
    if OUTPUT_PARAMETER.on and for_output(pair.written):
        return OUTPUT_PARAMETER
    call, began = found
    if BLANK_ARGUMENT.on and _was_blank(pair, began):
        return BLANK_ARGUMENT
    gives = write.gave(write.calls.index(began))
    if GIVES_ARGUMENT_BACK.on and gives in ("number", "other") and _is_given_back(pair):
        return GIVES_ARGUMENT_BACK
    through_array = pair.target.array and pair.target.hides is not None
    # What a function does to an array that it measures is hardly meant for the tensor.
    procedure = gives == "nothing" or (gives == "number" and not through_array)
    if PROCEDURE.on and procedure and (write.stack[-1] == call or not gives_what_it_wrote(write)):
        return PROCEDURE
    return CHANGED_BESIDE if in_one_statement else ARGUMENT_CHANGED


def _was_blank(pair: Pair, began: int) -> bool:
    """Whether what was handed over was one constant, and the reader has it from somewhere else."""
    ours, theirs = parameters(pair.written), parameters(pair.read.operand.slot)
    return pair.write.storage.is_constant(began) and ours.isdisjoint(theirs)


def _is_given_back(pair: Pair) -> bool:
    read, held = pair.read, pair.held
    return held.kind == "parameter" and (read.reader == "return" or held.depth > len(read.stack))


def judge_handed_over(pair: Pair) -> Reason | None:
    """What is read was handed to the function that wrote; None if it was not."""
    held, written = pair.held, pair.written
    if not any(held.place == caller.place for caller in passed_from(written)):
        return None
    if HANDED_ON.on and held.kind == "attribute" and _is_handed_on(pair):
        return HANDED_ON
    way = way_to(written, held) or [] if held.kind == "element" else []
    own = any(link.in_loop and link.depth <= len(pair.read.stack) for link in way)
    if OWN_LOOP_HANDS_ON.on and own and not gives_what_it_wrote(pair.write):
        return OWN_LOOP_HANDS_ON
    return judge_callee(pair, pair.in_one_statement) if pair.covered() else APART


def _is_handed_on(pair: Pair) -> bool:
    """Whether who took an attribute out had it changed by a call that gives nothing back: to change it is its use."""
    way = way_to(pair.written, pair.held)
    depth = next((link.depth for link in reversed(way or ()) if link.kind == "parameter"), 0)
    return 0 < depth <= len(pair.write.stack) and pair.write.gave(depth - 1) == "nothing"
