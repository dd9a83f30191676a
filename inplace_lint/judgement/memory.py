"""Habits about the memory itself: what shares it, what is kept as a variable, what autograd is led around."""

from __future__ import annotations

from inplace_lint.judgement.intent import LIBRARY_WRITES, is_taken_for_copy, is_used
from inplace_lint.judgement.pair import Pair
from inplace_lint.judgement.reason import Reason, fact, silent, suspect
from inplace_lint.torch_model.events import Slot
from inplace_lint.torch_model.op_names import EXCHANGE, OPTIMIZER_STEP, copies
from inplace_lint.torch_model.slots import is_of_context, is_variable, sources
from inplace_lint.torch_model.tensor import same

APART = fact("apart", "the write changes nothing of what is read, as far as is known")
REFUSED = fact("refused", "PyTorch raises at the write")
UNSURE = fact("unsure", "the write perhaps changes other memory")
NOTHING_CHANGED = fact("nothing-changed", "a tensor is copied to where it is")
UNNAMED = fact("unnamed", "what was written has no name that could be read again")
OVERWRITTEN_WHERE_KEPT = fact(
    "overwritten-where-kept", "code that has no name for it overwrites what was kept", "captured"
)

EXCHANGED = silent("exchanged", "who keeps a tensor to give it other memory by `.data` keeps a variable", "")
SHALLOW_COPY = suspect("shallow-copy", "kept", "a copy made by `copy.copy` has the same memory", "")
TAKEN_FOR_COPY = suspect(
    "taken-for-copy", "kept", "a value that is compared or averaged with itself was taken for a copy", ""
)
ARRAYS = silent("arrays", "two NumPy arrays of one memory are meant to show the same", "")
ARRAY_BESIDE = silent("array-beside", "an object with an array and a tensor of one memory wants both to change", "")
CONTEXT = silent("context", "a custom function keeps on `ctx` what it brings up to date", "")
CONTEXT_KEPT = suspect(
    "context-kept", "captured", "what was kept on `ctx` is overwritten through another attribute of it", ""
)
STEPPED_DATA = suspect(
    "stepped-data", "kept", "an optimizer writes the memory of data that a parameter was made of", ""
)
LIBRARY_WRITE = silent("library-write", "optimizers and `load_state_dict` are there to change what others hold", "")
VARIABLE = silent("variable", "a parameter or buffer is kept as a variable, not for its value", "")
USED_VARIABLE = suspect(
    "used-variable", "captured", "a parameter is overwritten for the sake of a value that is used", ""
)
AROUND_AUTOGRAD = silent("around-autograd", "who writes a tensor around autograd wants the tensor to change", "")


def judge_memory(pair: Pair) -> Reason | None:
    """What the memory, or what it is kept as, tells; None if nothing."""
    return _judge_facts(pair) or _judge_copies(pair) or _judge_arrays(pair) or _judge_owners(pair)


def _judge_facts(pair: Pair) -> Reason | None:
    write = pair.write
    if write.is_refused:
        return REFUSED
    if not write.certain:
        return UNSURE
    onto_itself = copies(write.op) and any(same(other.tensor, write.operand.tensor) for other in write.others)
    return NOTHING_CHANGED if onto_itself else None


def _judge_copies(pair: Pair) -> Reason | None:
    if EXCHANGED.on and pair.write.op == EXCHANGE and pair.is_kept:
        return EXCHANGED
    if SHALLOW_COPY.on and pair.tensor.counter.copied != pair.target.counter.copied and pair.covered():
        return SHALLOW_COPY
    if TAKEN_FOR_COPY.on and is_taken_for_copy(pair.read, pair.held) and pair.held.place != pair.written.place:
        return TAKEN_FOR_COPY if pair.covered() else None
    return None


def _judge_arrays(pair: Pair) -> Reason | None:
    if ARRAYS.on and pair.target.array and pair.tensor.array:
        return ARRAYS
    if ARRAY_BESIDE.on and pair.target.array != pair.tensor.array:
        constant = pair.write.storage.is_constant(pair.written.bound_at)
        return ARRAY_BESIDE if constant or _are_fields(pair.held, pair.written) else None
    return None


def _judge_owners(pair: Pair) -> Reason | None:
    held, write = pair.held, pair.write
    if is_of_context(pair.written) and (found := _judge_context(pair)) is not None:
        return found
    if STEPPED_DATA.on and _is_data(pair) and pair.covered():
        return STEPPED_DATA
    if LIBRARY_WRITE.on and write.op in LIBRARY_WRITES and _is_known(pair) and not _is_laid_over(pair):
        return LIBRARY_WRITE
    if VARIABLE.on and pair.is_kept and not held.detached and _is_variable(pair):
        if USED_VARIABLE.on and is_used(write):
            return USED_VARIABLE if pair.covered() else APART
        return VARIABLE
    aside = pair.target.hides is not None and pair.tensor.hides is None
    if AROUND_AUTOGRAD.on and aside and pair.tensor.need.certain and pair.read.grad_mode:
        return AROUND_AUTOGRAD
    return None


def _judge_context(pair: Pair) -> Reason | None:
    if CONTEXT_KEPT.on and is_of_context(pair.held) and pair.held.place != pair.written.place:
        return CONTEXT_KEPT if pair.covered() else APART
    return CONTEXT if CONTEXT.on else None


def _are_fields(slot: Slot, other: Slot) -> bool:
    """Whether two places are attributes of one object."""
    places = slot.place, other.place
    owners = [place[0] for place in places if isinstance(place, tuple) and len(place) == 2]
    return slot.kind == other.kind == "attribute" and len(owners) == 2 and owners[0] == owners[1]


def _is_data(pair: Pair) -> bool:
    """Whether an optimizer has written a parameter on the memory of what is no parameter, and was not made of one."""
    tensor, owner = pair.tensor, pair.target.hides or pair.target.family
    apart_from_it = tensor.hides is None and tensor.family is not owner and not tensor.family.parameter
    written = pair.write.op == OPTIMIZER_STEP and owner.parameter
    return written and apart_from_it and tensor.storage.filling == "values"


def _is_known(pair: Pair) -> bool:
    """Whether what is read is not cut off from the gradient, or the parameter that is written came from there."""
    return not pair.held.detached or any(link is pair.held for link in sources(pair.written))


def _is_laid_over(pair: Pair) -> bool:
    """Whether a parameter has become part of what is kept in a place, by `vector_to_parameters`."""
    return pair.written.laid and any(link.place == pair.held.place for link in sources(pair.written))


def _is_variable(pair: Pair) -> bool:
    tensor = pair.tensor
    return (tensor.hides or tensor.family).parameter or is_variable(pair.held)
