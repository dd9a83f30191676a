"""States that a call takes and gives back beside its result: the caller hands them to the next call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from inplace_lint.interpret.analysis.returning import differentiate
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.tensors_within import tensors_of
from inplace_lint.interpret.state.values import Frame, Function, List, Ref, resolve
from inplace_lint.source.place import Site
from inplace_lint.torch_model.events import Backward, Write
from inplace_lint.torch_model.op_names import SETITEM, copies
from inplace_lint.torch_model.tensor import Assumption, Storage, Tensor

# So many things are given back by what has a state.
_MOST_GIVEN = 8


def fed_back(run: Run, function: Function, began: int) -> dict[str, Ref]:
    """What a call has given back of its arguments, changed by what they were, and used for a result: by parameter.

    Args:
        began: when it did.
    """
    trace, items = run.torch.trace, _given_together(run.returned)
    if not items or not run.torch.grad_mode:
        return {}
    if any(isinstance(event, Backward) and event.stale for event in trace.events):
        return {}  # It goes wrong as it is.
    saved = {save.storage for save in run.torch.saved}
    names = {param.name for param in function.code.params}
    changed = {
        write.storage: name
        for write in trace.writes_since(began)
        if write.storage in saved and _adds_up(write) and (name := _argument(write.operand.tensor)) in names
    }
    found: dict[str, Ref] = {}
    for item in items if changed else ():
        given = {changed.get(storage, "") for storage in _storages(item)}
        if len(given) == 1 and "" not in given:
            found[given.pop()] = item
    return found if len(found) < len(items) else {}


def _given_together(returned: Ref | None) -> list[Ref]:
    """The few things that a call has given back together."""
    value = resolve(returned.value) if returned is not None else None
    few = isinstance(value, List) and value.kind == "tuple" and len(value.items) <= _MOST_GIVEN
    return value.items if few and isinstance(value, List) else []


def hand_over(run: Run, frame: Frame, function: Function, given: Mapping[str, Ref]) -> None:
    """Give parameters other values than those that are made up."""
    for name, ref in given.items():
        for storage in _storages(ref):
            storage.suppose(Assumption(f"`{name}`", "is what the call before gave back"))
            run.torch.trace.supposes = True
    for param in function.code.params:
        if param.name in given:
            site = Site(function.module.path, param.span)
            run.bind(frame, param.name, given[param.name].value, site, None, "parameter")


def differentiate_before(run: Run, given: Mapping[str, Ref], first: Ref | None) -> None:
    """Run a backward pass through what a call gave back beside its state, now that the next call has been made."""
    value = resolve(first.value) if first is not None else None
    passes = (event for event in reversed(run.torch.trace.events) if isinstance(event, Backward))
    site = next((event.site for event in passes if event.via == "return"), None)
    if isinstance(value, List) and site is not None:
        for item in value.items:
            if not any(item is each for each in given.values()):
                differentiate(run, item, site)


def _argument(tensor: Tensor) -> str:
    """The argument of the entry point that a tensor was, or was taken from."""
    return tensor.label.partition("[")[0].partition(".")[0] if tensor.external else ""


def _adds_up(write: Write) -> bool:
    """Whether a state goes on from what it was; what is put into a cache, or over all of a buffer, is no such."""
    replaces = write.filler or write.op == SETITEM or copies(write.op)
    return write.use in ("statement", "rebound") and not replaces and not write.is_refused


def _storages(ref: Ref) -> Iterator[Storage]:
    for part, _ in tensors_of(ref.value):
        tensor = resolve(part.value)
        if isinstance(tensor, Tensor):
            yield tensor.storage
