"""Whether an entry point is called once more: its object keeps what the first call has left."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from inplace_lint.interpret.state.asked import changed_by, renewed_by
from inplace_lint.interpret.state.facts import facts
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.tensors_within import tensors_of
from inplace_lint.interpret.state.values import Class, Function, Instance, Ref, resolve
from inplace_lint.judgement.intent import is_average, is_put_through, is_taken_as_value
from inplace_lint.judgement.pair import links_of
from inplace_lint.judgement.second_names import names_still_network
from inplace_lint.judgement.tables import changes_further, table_changed
from inplace_lint.torch_model.bindings import came_by_call
from inplace_lint.torch_model.events import Read, Write
from inplace_lint.torch_model.op_names import SETITEM
from inplace_lint.torch_model.op_table import adds
from inplace_lint.torch_model.operands import Binding
from inplace_lint.torch_model.tensor import Storage, Tensor


def wants_another_call(run: Run, function: Function, receiver: Ref) -> bool:
    """Whether a call has put what its object keeps through an op for the result, or what it changed in a list there."""
    writes = [write for write in run.torch.trace.writes_since(0) if not run.was_preparing(write.time)]
    if function.code.name in ("forward", "__call__") and any(
        _is_result_used(write) and not write.filler and run.made_up(write.storage) for write in writes
    ):
        return True
    if "training" in _attributes_of(receiver) and _changes_table(run, writes):
        return True
    if _keeps_graph(run, writes) or _trains_by_second_name(receiver, writes) or _keeps_gradient(run, receiver):
        return True
    spoilt = list(_changed_sums(run, function, receiver, writes))
    for write in spoilt:
        write.note("of-sum")
    if spoilt or any(map(_is_of_kept_result, writes)):
        return True
    taken = set(_taken(run, writes)) | set(_compared_with_itself(run, writes))
    return bool(taken) and any(tensor.storage in taken for tensor in _kept_by(receiver, function))


def _is_result_used(write: Write) -> bool:
    """Whether the result of a write is used; one that is returned, if the op is called for it: `return x.exp_()`."""
    return write.use in ("expression", "bound") or (write.use == "returned" and is_taken_as_value(write))


def _trains_by_second_name(receiver: Ref, writes: Sequence[Write]) -> bool:
    """Whether a network was trained that the object also keeps under a name for one that is not."""
    value = resolve(receiver.value)
    if not isinstance(value, Instance) or not any(write.operand.tensor.is_parameter for write in writes):
        return False
    kept = {name: resolve(ref.value) for name, ref in value.held.items()}
    still = [name for name, each in kept.items() if isinstance(each, Instance) and names_still_network(name)]
    return any(kept[name] is each for name in still for other, each in kept.items() if other != name)


def _taken(run: Run, writes: Sequence[Write]) -> Iterator[Storage]:
    """The memory that was put through an op for the result, or changed after it had been put into a list."""
    for write in writes:
        put = write.operand.binding.stored_as if write.operand.binding is not None else None
        changed_there = put is not None and put.bound_at < write.time and not run.was_preparing(put.bound_at)
        if changed_there or (write.use == "expression" and is_taken_as_value(write)):
            yield write.storage


def _compared_with_itself(run: Run, writes: Sequence[Write]) -> Iterator[Storage]:
    """The memory that a call has written, and taken the difference of with itself, by another name."""
    written = {write.storage for write in writes}
    for event in run.torch.trace.events if written else ():
        if isinstance(event, Read) and event.twin is not None and event.operand.tensor.storage in written:
            yield event.operand.tensor.storage


def _is_of_kept_result(write: Write) -> bool:
    """Whether what was changed was given by a call that had kept it in an attribute or element, for the next time."""
    links = list(links_of(write.operand.binding))
    ways = (link.way.binding for link in links if link.way is not None)
    return is_put_through(write) and any(map(came_by_call, (*links, *ways)))


def _changed_sums(run: Run, function: Function, receiver: Ref, writes: Sequence[Write]) -> Iterator[Write]:
    """Writes to what other methods of the object add up, by a name that a method then uses for its result.

    `hits = self.total; hits[mask] = 0; return hits / n`
    """
    value = resolve(receiver.value)
    if not writes or not isinstance(value, Instance) or not isinstance(value.cls, Class) or not _gives(run):
        return
    kept = {name: ref for name, ref in value.held.items() if isinstance(resolve(ref.value), Tensor)}
    sums = changed_by(value.cls, frozenset(kept)).counted - facts(function.code).assigned - facts(function.code).counted
    for name in sums:
        storages = {tensor.storage for tensor in [resolve(kept[name].value)] if isinstance(tensor, Tensor)}
        for write in writes:
            by = write.operand.binding
            if write.storage in storages and by is not None and _is_of_name(by, write, name) and not _adds_to(write):
                yield write


def _adds_to(write: Write) -> bool:
    """Whether a write adds something itself, or puts other values to their places."""
    if write.op == SETITEM:
        return any(other.tensor.dtype not in ("int", "bool") for other in write.others)
    return adds(write.op) or is_average(write)


def _gives(run: Run) -> bool:
    """Whether the call has given something back."""
    return run.returned is not None and resolve(run.returned.value) is not None


def _is_of_name(binding: Binding, write: Write, attribute: str) -> bool:
    """Whether a variable, which tells of another meaning than an attribute, is used after it was changed."""
    own = binding.kind == "name" and binding.label != attribute and not binding.in_loop
    return own and binding.read_at > write.time


def _changes_table(run: Run, writes: Sequence[Write]) -> bool:
    """Whether a call has changed a table of its module, or what is the table if an op that need not copy did not."""
    copies = {op.copy for op in run.torch.undecided if run.made_up(op.of) and not op.of.start}
    return any(
        table_changed(write) is not None or (write.storage in copies and changes_further(write)) for write in writes
    )


def _keeps_graph(run: Run, writes: Sequence[Write]) -> bool:
    """Whether a call that has run backward leaves a history in what its object keeps: the next one may follow it."""
    return run.torch.trace.runs_backward() and any(
        write.grad_mode and run.made_up(write.storage) and write.operand.tensor.need for write in writes
    )


# So many objects are looked through that one is made of.
_MOST_OBJECTS = 8


def _keeps_gradient(run: Run, receiver: Ref) -> bool:
    """Whether a call has run backward, and its object keeps a gradient itself, which the next one goes on with."""
    if not run.torch.trace.runs_backward():
        return False
    todo, kept = [resolve(receiver.value)], list[Tensor]()
    for value in todo:
        held = value.held.values() if isinstance(value, Instance) else ()
        kept += [
            tensor
            for ref in held
            for part, _ in tensors_of(ref.value)
            if isinstance(tensor := resolve(part.value), Tensor)
        ]
        inner = [each for ref in held if isinstance(each := resolve(ref.value), Instance)]
        todo += [each for each in inner if each not in todo][: _MOST_OBJECTS - len(todo)]
    grads = [tensor.autograd_meta.grad for tensor in kept]
    storages = {grad.storage for grad in grads if grad is not None}
    return any(tensor.storage in storages for tensor in kept)


def _attributes_of(receiver: Ref) -> Mapping[str, Ref]:
    """The attributes of an object."""
    value = resolve(receiver.value)
    return value.held if isinstance(value, Instance) else {}


def _kept_by(receiver: Ref, function: Function) -> Iterator[Tensor]:
    """The tensors that the attributes of an object keep, also in lists and dicts, and that its method meets again."""
    value = resolve(receiver.value)
    if not isinstance(value, Instance):
        return
    kept = {
        name: [tensor for part, _ in tensors_of(ref.value) if isinstance(tensor := resolve(part.value), Tensor)]
        for name, ref in value.held.items()
    }
    names = frozenset(name for name, tensors in kept.items() if tensors)
    renewed = renewed_by(value.cls, names, function.code) if isinstance(value.cls, Class) else ()
    for name in kept:
        yield from kept[name] if name not in renewed else ()
