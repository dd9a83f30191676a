"""A tensor at the time at which an expression gives it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import Dict, Frame, Instance, List, Ref, resolve
from inplace_lint.knowledge.facts import Relation
from inplace_lint.source.place import Site, Span
from inplace_lint.torch_model.events import Refusal, Write
from inplace_lint.torch_model.tensor import AutogradMeta, Counter, Node, RequiresGrad, Storage, Tensor

# So many attributes of an object, or elements of a container, are asked whether they are other names.
_MOST_PARTS = 16


@dataclass(frozen=True, slots=True, eq=False)
class Sight:
    """What is known of a tensor before the path goes on, and changes it.

    Args:
        span: the expression.
        text: how the program spells it.
        time: the time of the trace.
        statement: when the statement around it began.
        history: what an op that uses it would continue.
        may_be_copy: it is open whether it has memory of its own.
        others: other names for the memory: name, relation, and where they were bound.
    """

    span: Span
    text: str
    tensor: Tensor
    time: int
    statement: int
    storage: Storage
    counter: Counter
    version: int
    need: RequiresGrad
    is_leaf: bool | None
    external: bool
    history: Node | AutogradMeta
    refusal: Refusal | None
    written: Write | None
    may_be_copy: bool
    others: tuple[tuple[str, Relation, Site | None], ...]


def sight_of(run: Run, span: Span, text: str, tensor: Tensor) -> Sight:
    """A tensor as it is now."""
    need, storage = tensor.need, tensor.storage
    lasts = storage.role == "global" and not run.frame.is_module
    return Sight(
        span=span,
        text=text,
        tensor=tensor,
        time=run.torch.clock,
        statement=run.torch.statement,
        storage=storage,
        counter=tensor.counter,
        version=tensor.counter.value,
        need=need,
        is_leaf=_is_leaf(tensor, need),
        external=tensor.external or lasts or run.made_up(storage),
        history=tensor.own if tensor.own is not None else tensor.autograd_meta.history,
        refusal=run.torch.refusal(tensor, need),
        written=storage.writes[-1][0] if storage.writes else None,
        may_be_copy=any(op.copy is storage for op in run.torch.undecided),
        others=tuple(_others(run, text, tensor)),
    )


def _is_leaf(tensor: Tensor, need: RequiresGrad) -> bool | None:
    """As `is_leaf` has it, where what requires no grad always is one; None if that is not known."""
    if not need:
        return True
    if tensor.external and tensor.view == "base":
        return None
    if tensor.view == "base":
        leaf = tensor.autograd_meta.node is None
    else:
        late = tensor.seen != tensor.counter.value and (tensor.autograd_meta.node or tensor.autograd_meta).need
        leaf = not (isinstance(tensor.own, Node) or late)
    return leaf if leaf or need.certain else None


def _others(run: Run, text: str, tensor: Tensor) -> list[tuple[str, Relation, Site | None]]:
    """The variables that the running function sees, and parts of what they hold, that have the memory of a tensor."""
    storage = tensor.storage
    alike = {op.copy for op in run.torch.undecided if op.of is storage}
    alike.update(op.of for op in run.torch.undecided if op.copy is storage)
    others: list[tuple[str, Relation, Site | None]] = []
    for name, ref in _variables(run.frame).items():
        for before, key, part in _parts(ref):
            found = resolve(part.value)
            if not isinstance(found, Tensor) or (found.storage is not storage and found.storage not in alike):
                continue
            label = f"{name}{before}{key}{']' if before == '[' else ''}"
            if label != text:
                relation = _relation(tensor, found) if found.storage is storage else "perhaps"
                others.append((label, relation, _bound(part)))
    return others


def _variables(frame: Frame) -> dict[str, Ref]:
    """The variables of a call, and of the calls around its function."""
    around = frame.parent
    if around is None or around.is_module:
        return frame.variables
    return {**_variables(around), **frame.variables}


def _parts(ref: Ref) -> list[tuple[str, object, Ref]]:
    """What a variable holds: itself, attributes, or elements; before each what stands between the names."""
    value = resolve(ref.value)
    if isinstance(value, Tensor):
        return [("", "", ref)]
    if isinstance(value, Instance):
        return [(".", key, part) for key, part in islice(value.held.items(), _MOST_PARTS)]
    if isinstance(value, List):
        return [("[", index, part) for index, part in enumerate(value.items[:_MOST_PARTS])]
    if isinstance(value, Dict):
        return [("[", "...", part) for part in islice(value.items.values(), _MOST_PARTS)]
    return []


def _relation(tensor: Tensor, other: Tensor) -> Relation:
    if other is tensor:
        return "same"
    if not (other.certain and tensor.certain):
        return "perhaps"
    if other.autograd_meta is tensor.autograd_meta and (other.view == "base") != (tensor.view == "base"):
        return "base" if other.view == "base" else "view"
    return "memory"


def _bound(ref: Ref) -> Site | None:
    return ref.binding.site if ref.binding is not None else None
