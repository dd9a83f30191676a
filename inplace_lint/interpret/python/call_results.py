"""What calls gave, as far as it tells what they were for: nothing, a number, or memory that they were given."""

from __future__ import annotations

from inplace_lint.interpret.state.naming import names_getter, names_measure
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.tensors_within import tensors_of
from inplace_lint.interpret.state.values import Arguments, Dict, Frame, Instance, List, Value, resolve
from inplace_lint.torch_model.tensor import Tensor


def note_result(run: Run, frame: Frame, value: Value, arguments: Arguments) -> None:
    """Record what a call gave."""
    of_call = run.torch.trace.results
    given_back = [tensor for ref, _ in tensors_of(value) if isinstance(tensor := resolve(ref.value), Tensor)]
    memory = {tensor.storage for tensor in given_back}
    if not memory or _is_container_of(value, arguments):
        measures = names_measure(frame.name, frame.self_class.code.name if frame.self_class is not None else "")
        of_call.gave[frame.began] = "measure" if measures else "number" if _tells(value, arguments) else "nothing"
        return
    of_call.returned[frame.began] = memory
    if names_getter(frame.name):
        of_call.getters.add(frame.began)
    given = (resolve(ref.value) for passed in arguments.all() for ref, _ in tensors_of(passed.ref.value))
    if not any(isinstance(one, Tensor) and one.storage in memory for one in given):
        of_call.gave[frame.began] = "other"
        if all(tensor.sizes == () for tensor in given_back):
            of_call.scalars.add(frame.began)


def _tells(value: Value, arguments: Arguments) -> bool:
    """Whether a call gives a number or several: a tuple, but for what the call was given."""
    if isinstance(value, List) and value.kind == "tuple":
        return not _is_container_of(value, arguments)
    return value is not None and not isinstance(value, (List, Dict, Instance))


def _is_container_of(value: Value, arguments: Arguments) -> bool:
    """Whether a call gives back a container that it was given, perhaps among others: what it changed there is meant."""
    parts = [value, *(ref.value for ref in value.items)] if isinstance(value, List) else [value]
    containers = [part for part in parts if isinstance(part, (List, Dict, Instance))]
    return any(part is passed.ref.value for passed in arguments.all() for part in containers)
