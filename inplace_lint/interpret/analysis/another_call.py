"""Whether an entry point is called once more: its object keeps what the first call has left."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from inplace_lint.interpret.state.asked import renewed_by
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import Cell, Class, Function, Instance, resolve, tensors_of
from inplace_lint.judgement.intent import is_taken_as_value
from inplace_lint.judgement.tables import changes_further, table_changed
from inplace_lint.torch_model.events import Write
from inplace_lint.torch_model.tensor import Tensor


def wants_another_call(run: Run, function: Function, receiver: Cell) -> bool:
    """Whether a call has put what its object keeps through an op for the result, or what it changed in a list there."""
    writes = [write for write in run.torch.trace.writes_since(0) if not run.was_preparing(write.time)]
    if function.code.name in ("forward", "__call__") and any(
        write.use in ("expression", "bound") and not write.filler and run.made_up(write.storage) for write in writes
    ):
        return True
    if "training" in _attributes_of(receiver) and _changes_table(run, writes):
        return True
    taken = {write.storage for write in writes if write.use == "expression" and is_taken_as_value(write)}
    for write in writes:
        put = write.operand.binding.stored_as if write.operand.binding is not None else None
        if put is not None and put.bound_at < write.time and not run.was_preparing(put.bound_at):
            taken.add(write.storage)
    return bool(taken) and any(tensor.storage in taken for tensor in _kept_by(receiver, function))


def _changes_table(run: Run, writes: Sequence[Write]) -> bool:
    """Whether a call has changed a table of its module, or what is the table if an op that need not copy did not."""
    copies = {op.copy for op in run.torch.undecided if run.made_up(op.of) and not op.of.start}
    return any(
        table_changed(write) is not None or (write.storage in copies and changes_further(write)) for write in writes
    )


def _attributes_of(receiver: Cell) -> Mapping[str, Cell]:
    """The attributes of an object."""
    value = resolve(receiver.value)
    return value.held if isinstance(value, Instance) else {}


def _kept_by(receiver: Cell, function: Function) -> Iterator[Tensor]:
    """The tensors that the attributes of an object keep, also in lists and dicts, and that its method meets again."""
    value = resolve(receiver.value)
    if not isinstance(value, Instance):
        return
    kept = {
        name: [tensor for part, _ in tensors_of(cell.value) if isinstance(tensor := resolve(part.value), Tensor)]
        for name, cell in value.held.items()
    }
    names = frozenset(name for name, tensors in kept.items() if tensors)
    renewed = renewed_by(value.cls, names, function.code) if isinstance(value.cls, Class) else ()
    for name in kept:
        yield from kept[name] if name not in renewed else ()
