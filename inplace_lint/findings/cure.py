"""Cures: what a rule proposes against a hazard, and where. `fixes` turns them into edits of the source."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, replace
from itertools import islice, takewhile
from typing import Literal

from inplace_lint.judgement.broken_saves import Broken
from inplace_lint.judgement.stale_reads import StaleRead
from inplace_lint.source.place import Site
from inplace_lint.torch_model.bindings import is_of_context, sources
from inplace_lint.torch_model.events import Read, Refusal, Trace, Write
from inplace_lint.torch_model.op_names import OPTIMIZER_STEP, SETITEM, changes_statistics, is_augmented, twin_of
from inplace_lint.torch_model.op_table import filling, table
from inplace_lint.torch_model.operands import Binding
from inplace_lint.torch_model.sizes import is_elementwise

Kind = Literal[
    "out-of-place",
    "copy-first",
    "module-out-of-place",
    "clone",
    "clone-source",
    "clone-saved-by-function",
    "clone-state",
    "take-result",
    "no-grad",
    "no-grad-for-inference-mode",
    "mark-dirty",
    "element-each",
    "put-back",
]


@dataclass(frozen=True, slots=True)
class Cure:
    """A change of the source text that removes a hazard.

    Args:
        kind: what to do.
        sites: where: one place, or several that belong together.
        name: the variable or attribute that is written, where that is all there is to the operand.
        alone: the write is a statement of its own, so the name must be bound to the new tensor.
        safe: it computes what the program computed, or raised instead of computing.
        unshared: right only if nobody sees the write through another name, and unsafe if perhaps
            somebody does.
        returned: right only if the function gives the variable back.
    """

    kind: Kind
    sites: tuple[Site, ...]
    name: str = ""
    alone: bool = False
    safe: bool = False
    unshared: bool = False
    returned: bool = False

    def from_afar(self) -> Cure:
        """The same, where not all who may see the write are known."""
        return replace(self, safe=self.safe and not self.unshared)


def out_of_place(write: Write, safe: bool = False, unshared: bool = False, returned: bool = False) -> tuple[Cure, ...]:
    """The twin of an in-place op that leaves its operand alone, or else a copy to write into.

    Args:
        safe, unshared, returned: as for `Cure`; `returned` matters where the name is bound anew.
    """
    alone, name = write.use == "statement", _name(write)
    if write.had_need and not write.grad_mode:
        return ()  # the new tensor would have no history
    if is_of_context(write.operand.binding):
        return ()  # what a custom function keeps there is to change
    if alone and not (unshared or returned) and _is_shorthand(write.operand.binding):
        return ()
    if write.built is not None:
        return (Cure("module-out-of-place", (write.built,), safe=safe, unshared=unshared),) if not alone else ()
    cure = Cure("out-of-place", (write.site,), name, alone, safe, unshared, returned and alone)
    copy = (replace(cure, kind="copy-first"),) if alone and name and not write.operand.tensor.array else ()
    # An op like `addmm_` reads parts of its target that it has written already.
    reads_itself = any(operand.tensor.storage is write.storage for operand in write.others)
    mixes = reads_itself and not is_elementwise(twin_of(write.op))
    return (cure, *copy) if has_twin(write.op) and not mixes else copy


def clones_of_saved(found: Broken) -> tuple[Cure, ...]:
    """Let the ops save copies: that changes no value, whoever else sees the write."""
    sites: dict[Site, None] = {}
    for stale in found.saves:
        save = stale.save
        made_here = save.storage.site == save.site and _gives_one_tensor(save.op)
        place = save.place if not save.is_result else save.site if made_here else None
        if place is None or save.site == found.write.site:  # an op that reads its own target
            return ()
        sites[place] = None
    return (Cure("clone", tuple(sites), safe=True),)


def of_kept(found: StaleRead) -> tuple[Cure, ...]:
    """Keep a copy, or write another tensor; not where what had no values yet is filled, which a copy would not be."""
    fills = found.write.op == SETITEM or bool(filling(found.write.op))
    if fills and found.write.storage.is_constant(found.held.bound_at):
        return ()
    return (*out_of_place(found.write), *clone_of_kept(found))


def clone_of_kept(found: StaleRead) -> tuple[Cure, ...]:
    """Keep a copy where the second name, or the container, was given the tensor; a module keeps its parameters."""
    written = found.write.operand.tensor
    if written.detached_from is not None and written.detached_from.parameter:
        return out_of_place(found.write)
    if is_of_context(found.held):  # what is kept there is to change, too
        return ()
    is_parameter = found.read.operand.tensor.autograd_meta.parameter or (written.is_leaf and written.need.certain)
    is_own = is_parameter or changes_statistics(found.write.op)
    if found.held.source is None and is_own:  # it stands where it, or its module, was made
        return ()
    if (
        found.write.op == OPTIMIZER_STEP and found.write.operand.binding is None
    ):  # moments, of which it keeps a dictionary
        return ()
    holder = found.held.source
    if found.held.kind == "element" and holder is not None and holder.site == found.held.site:
        return ()  # only its container was put there
    site = found.held.site if not written.array and found.held.site not in found.write.results.objects else None
    kind: Kind = "clone-state" if found.held.keeper == "state_dict" else "clone"
    return (Cure(kind, (site,)),) if site is not None else ()


def under_no_grad(write: Write, trace: Trace) -> tuple[Cure, ...]:
    """Gradients switched off around a statement that writes a leaf.

    That is surely meant where the leaf's own gradient is applied, or where the op only fills it. Where
    the result is used, or another operand requires grad, whose gradient it would cut, a new tensor is
    rather meant.
    """
    grad = write.operand.tensor.autograd_meta.grad
    gradient = grad.storage if grad is not None else None
    began = bisect_right(trace.events, write.statement, key=lambda event: event.time)
    applied = any(
        isinstance(event, Read) and event.statement == write.statement and event.operand.tensor.storage is gradient
        for event in takewhile(lambda event: event.time < write.time, islice(trace.events, began, None))
    )
    cut = any(operand.tensor.need for operand in write.others)
    if write.use != "statement" or (cut and not applied):
        return out_of_place(write, unshared=True)
    return (Cure("no-grad", (write.site,), safe=applied or write.filler),)


def separate_memory(write: Write) -> tuple[Cure, ...]:
    """A copy where elements came to share memory, or of what a write reads from its own target."""
    refusal = write.refusal
    if "torn" in write.marks or (refusal is not None and refusal.kind == "overlap"):
        return (Cure("clone-source", (write.site,), safe=refusal is not None),)
    made = refusal.origin if refusal and write.operand.tensor.view != "multi" else None
    kept = write.operand.binding.site if write.operand.binding else None
    places = [place for place in (made, kept) if place is not None and place not in write.results.objects]
    return tuple(Cure("clone", (place,), safe=True) for place in places)


def own_memory(write: Write) -> tuple[Cure, ...]:
    """A tensor for each element of a list, or for each row of an expanded tensor."""
    binding, made = write.operand.binding, write.storage.site
    if write.operand.tensor.array:
        return ()
    if write.rows_shared or write.operand.tensor.self_overlapping:
        place = binding.site if binding is not None and binding.site not in write.results.objects else None
        return (Cure("clone", (place,)),) if place is not None else ()
    return (Cure("element-each", (made,)),) if write.storage.role == "repeated" and made is not None else ()


def put_back(write: Write) -> tuple[Cure, ...]:
    """An assignment to the elements of which a copy was written."""
    return (Cure("put-back", (write.site,)),)


def counted_memory(refusal: Refusal) -> tuple[Cure, ...]:
    """`no_grad` where a tensor was made under `inference_mode`."""
    return (Cure("no-grad-for-inference-mode", (refusal.origin,), safe=True),) if refusal.origin else ()


def marked_dirty(write: Write) -> tuple[Cure, ...]:
    """A word to autograd in `forward` of a custom function, or a copy of what was saved before the write."""
    kind: Kind = "clone-saved-by-function" if "after-save" in write.marks else "mark-dirty"
    return (Cure(kind, (write.site,), _name(write)),)


def result_taken(write: Write) -> tuple[Cure, ...]:
    """The result of an op in place of its `out=`."""
    return (Cure("take-result", (write.site,)),)


def has_twin(op: str) -> bool:
    """Whether an op has an out-of-place twin that gives the same values in the same dtype."""
    if is_augmented(op):
        return True
    name, own = twin_of(op), table().overloads(op)
    twins = [row for row in table().overloads(name) if ("inplace", True) not in row.given]
    if filling(op) == "drawn" or not twins:  # `x.bernoulli()` draws otherwise
        return False
    if name == op:  # `F.relu(x, inplace=True)`
        return any(("inplace", True) in row.given for row in own)
    return all(
        set(row.writes) <= {"out"} and not any(row.dtypes) and row.outputs[0].origin in ("fresh", "view")
        for row in twins
    )


def _gives_one_tensor(op: str) -> bool:
    module = table().module(op)
    rows = module.forward if module is not None else table().overloads(op)
    return bool(rows) and not any(row.tupled or row.outputs[0].many for row in rows)


def _is_shorthand(binding: Binding | None) -> bool:
    """Whether a name stands for an attribute or an element, whose content is meant to change."""
    return (
        binding is not None
        and binding.kind in ("name", "parameter")
        and any(link.kind in ("attribute", "element") for link in sources(binding))
    )


def _name(write: Write) -> str:
    """The variable or attribute that holds just what is written."""
    binding: Binding | None = write.operand.binding
    if binding is None or binding.label != write.operand.text or binding.kind == "element":
        return ""
    return binding.label
