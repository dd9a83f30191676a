"""What a result is bound to that is, or shares memory with, what an op was given."""

from __future__ import annotations

from dataclasses import replace

from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import Frame, Instance, List, Ref, Value, resolve
from inplace_lint.source import ir
from inplace_lint.source.spelling import ir_text
from inplace_lint.source.walk import nodes
from inplace_lint.torch_model.bindings import kept_since
from inplace_lint.torch_model.events import Detach, Event, Write
from inplace_lint.torch_model.operands import Binding
from inplace_lint.torch_model.tensor import Tensor


def _is_cut(event: Event, tensor: Tensor) -> bool:
    return isinstance(event, Detach) and event.operand.tensor is tensor


def result_binding(run: Run, value: Value, ref: Ref | None) -> Binding | None:
    """The binding of an op's result that is, or shares memory with, its first argument.

    What an in-place op gives back is the new value: reading it is no late read of the old one.
    """
    source, result = resolve(ref.value) if ref is not None else None, resolve(value)
    if ref is None or ref.binding is None or not isinstance(source, Tensor) or not isinstance(result, Tensor):
        return None
    last = run.torch.trace.events[-1] if run.torch.trace.events else None
    written = isinstance(last, Write) and last.storage is source.storage
    if last is not None and result is source and (written or _is_cut(last, source)):
        made = replace(ref.binding, bound_at=run.torch.clock, source=ref.binding, way=ref.way)
        made.is_result, made.produced_from = True, last.time - 1  # what was written before is no part of the value
        return made
    return ref.binding if result.storage is source.storage else None


def argument_binding(result: Ref, frame: Frame) -> Binding | None:
    """The caller's binding, if the callee returned its argument unchanged."""
    binding, kept = result.binding, None
    while binding is not None and binding.depth >= frame.depth and binding.kind in ("parameter", "name"):
        kept = kept or binding.kept_as
        binding = binding.source
    if binding is None and kept is not None and frame.code is not None and _gives_again(frame, frame.code, kept):
        return kept
    return binding


def given_back(run: Run, result: Ref, binding: Binding | None, began: int, code: ir.Function) -> Ref:
    """What a call of a function gives, which began then.

    Args:
        binding: what that was read from, if it is nothing of the call's own.
    """
    if binding is None:
        _note_given(run, result.value, began)
        return Ref(result.value)
    since = max(began, kept_since(binding))
    written = isinstance(tensor := resolve(result.value), Tensor) and any(
        write.time > since for write, _, _ in tensor.storage.writes[-1:]
    )
    way = result.way if binding is result.binding else None
    given = replace(
        binding, bound_at=run.torch.clock, source=binding, way=way, is_result=written, produced_from=began, by_call=True
    )
    given.when_asked = _made_when_asked(run, binding, began, code)
    return Ref(result.value, given)


def _made_when_asked(run: Run, kept: Binding, began: int, code: ir.Function) -> bool:
    """Whether a call that began then gives what it has made and kept itself, or an earlier call of its function."""
    made = kept.source
    if made is None or made.kept_as is not kept:
        return False
    return made.bound_at > began or any(id(frame) == made.owner for frame in run.past if frame.code is code)


def _note_given(run: Run, value: Value, began: int) -> None:
    """A call gives several values in a tuple: those that attributes keep are given by the call, too."""
    if not (isinstance(value, List) and value.kind == "tuple"):
        return
    for item in value.items:
        made = item.binding
        if made is None or made.owner != id(value) or made.bound_at < began or made.source is None:
            continue
        if made.source.kind == "attribute":
            made.source = replace(made.source, bound_at=run.torch.clock, source=made.source, by_call=True)


def _gives_again(frame: Frame, code: ir.Function, kept: Binding) -> bool:
    """Whether a function gives back what it has kept the next time: `if self.made is not None: return self.made`."""
    returned = (node.value for node in nodes(code.body, inner=False) if isinstance(node, ir.Return))
    if kept.kind == "element":
        return any(id(value) == kept.owner for node in returned if (value := _looked_into(frame, node)) is not None)
    return any(isinstance(value, ir.Attr) and ir_text(value) == kept.label for value in returned)


def _looked_into(frame: Frame, node: ir.Expr | None) -> Value:
    """The list or dictionary of an object in which `self.made[key]` looks; None for what is spelled otherwise."""
    place = node.value if isinstance(node, ir.Index) else None
    holder = place.value if isinstance(place, ir.Attr) else None
    ref = frame.variables.get(holder.id) if isinstance(holder, ir.Name) else None
    found = resolve(ref.value) if ref is not None else None
    held = found.attribute(place.name) if isinstance(found, Instance) and isinstance(place, ir.Attr) else None
    return resolve(held.value) if held is not None else None
