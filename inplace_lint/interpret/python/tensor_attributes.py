"""Attributes of tensors: those that PyTorch gives each, and what a program has given one of its own."""

from __future__ import annotations

from dataclasses import replace

from inplace_lint.interpret.state.keys import Metadata, Shape
from inplace_lint.interpret.state.naming import named
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import Ref, Unknown, Value, resolve
from inplace_lint.interpret.torch import asked_sizes, conversions
from inplace_lint.source import ir
from inplace_lint.torch_model.bindings import reached_by, sources
from inplace_lint.torch_model.effects import Effects, Param
from inplace_lint.torch_model.gradients import gradient_binding, gradient_place
from inplace_lint.torch_model.layout import part_shown
from inplace_lint.torch_model.op_names import EXCHANGE
from inplace_lint.torch_model.operands import Binding, Operand
from inplace_lint.torch_model.tensor import NO, YES, Counter, Storage, Tensor, assumed, same

# Attributes are no ops: the table has no rows for them.
METADATA = frozenset(
    "shape dtype device ndim is_leaf requires_grad grad_fn is_cuda names itemsize nbytes layout _version is_sparse "
    "is_quantized is_meta is_mps output_nr retains_grad name".split()
)
TRANSPOSES = frozenset({"T", "mT", "H", "mH"})
# Texts that classes and functions have; what the documentation says is nobody's concern.
_TRANSPOSE = Effects((Param("self", "tensor"),), part="turned")
_OF_AUTOGRAD = frozenset({"data", "grad", "requires_grad"})


def get(run: Run, ref: Ref, tensor: Tensor, name: str, node: ir.Node) -> Ref | None:
    """What `tensor.name` refers to; None if it is nothing that each tensor has, and this one was not given it."""
    site = run.site(node)
    if name == "data":
        return Ref(run.torch.data(tensor, site), ref.binding, ref.way)
    if name == "grad":
        meta = tensor.autograd_meta
        if meta.grad is None:
            # What has a gradient is hardly ever complex, and surely not whole.
            facts = {"dtype": tensor.dtype or "float", "precision": tensor.precision, "label": f"{tensor.label}.grad"}
            meta.grad = run.torch.tensor(site, NO, **facts)
        return Ref(meta.grad, gradient_binding(meta))
    if name in TRANSPOSES:
        part = part_shown(_TRANSPOSE, tensor, {})
        return Ref(run.torch.view(tensor, site, part=part, contiguous=False), ref.binding)
    if name == "real" and tensor.dtype != "complex":
        return ref
    if name in ("real", "imag"):
        return Ref(run.torch.view(tensor, site, part="real" if name == "real" else "imaginary"), ref.binding)
    if name == "requires_grad":
        return Ref(_requires_grad(run, tensor))
    if name == "ndim" and (dimensions := asked_sizes.rank(tensor)) is not None:
        return Ref(dimensions)
    if name in METADATA:
        of, region = tensor.storage.key, tensor.region
        made = Shape("", of, region) if name == "shape" else Metadata(name, of, region)
        known = run.unknown(made, f"{tensor.label}.{name}")
        if name in ("shape", "dtype") and isinstance(known, Unknown):
            run.described[known.key] = tensor
        return Ref(known)
    kept = run.on_tensors.get(tensor, {}).get(name)
    return ref.has(kept) if kept is not None else None


def _requires_grad(run: Run, tensor: Tensor) -> Value:
    if tensor.need.level == 2:
        return True
    by_name = run.on_data and tensor.external  # An optimizer is given what requires grad, but never differentiates.
    if not tensor.need and not by_name:
        return False
    known = run.unknown(Metadata("requires_grad", tensor.storage.key))
    if isinstance(known, Unknown) and tensor.need:
        run.asked_need[known.key] = tensor
    return known


def set(run: Run, base: Ref, tensor: Tensor, name: str, ref: Ref, node: ir.Node) -> None:
    """`tensor.name = ...`"""
    if name not in _OF_AUTOGRAD:
        made = run.store(run.place(tensor, name), f"{tensor.label}.{name}", "attribute", ref.value, run.site(node), ref)
        run.on_tensors.setdefault(tensor, {})[name] = made
        return
    if name in ("data", "grad"):
        _read_given(run, base, tensor, name, ref, node)
    if name == "data":
        note_given(run, base.binding, ref, node)
    before = tensor.storage
    _take(tensor, name, resolve(ref.value), run.torch.clock)
    if tensor.storage is not before:
        _note_exchange(run, base, tensor, before, ref, node)
    if name == "grad" and tensor.autograd_meta.grad is not None:
        place = gradient_place(tensor.autograd_meta)
        label = f"{tensor.label}.grad"
        made = run.store(place, label, "attribute", ref.value, run.site(node), ref, "gradient")
        tensor.autograd_meta.grad_binding = made.binding


def note_given(run: Run, binding: Binding | None, given: Ref, node: ir.Node) -> None:
    """After `x.data = ...`, the attribute that `x` is, or was taken from, holds what was given."""
    links = (binding, *sources(binding)) if binding is not None else ()
    held = next((link for link in links if link.kind == "attribute"), None)
    if held is not None:
        run.hold(held, given.value, run.site(node))


def _read_given(run: Run, base: Ref, tensor: Tensor, name: str, ref: Ref, node: ir.Node) -> None:
    """What `x.data` or `x.grad` is given is read if others keep it, or if it is what `x` holds itself."""
    given = run.operand(ref, run.site(node), "")
    if given is None:
        return
    links = (ref.binding, *sources(ref.binding)) if ref.binding is not None else ()
    kept = any(link.kind in ("attribute", "element") for link in (links[:1] if name == "data" else links))
    here = Operand(tensor, run.site(node), base.binding, run.torch.clock, tensor.label)
    twin = here if same(given.tensor, tensor) and not reached_by(ref.binding, base.binding) else None
    if kept or twin is not None:
        run.torch.read(given, name, twin=twin)
    hidden = run.frame.module.library != ""
    if name == "data" and twin is None and (hidden or given.tensor.region == ()):
        _follow(run, base.binding, ref.binding, hidden, node)


def _follow(run: Run, binding: Binding | None, given: Binding | None, hidden: bool, node: ir.Node) -> None:
    """One of many parameters is given memory that another place keeps: what is written there is read here.

    Args:
        hidden: a library does so: its caller may keep the whole for the values that it has.
    """
    if binding is None or not (binding.in_loop or hidden):
        return
    place = next((link for link in (binding, *sources(binding)) if link.kind == "attribute"), None)
    if place is not None and given is not None:
        place.source, place.detached, place.is_vector_slice, place.site = given, True, hidden, run.site(node)
        place.bound_at = run.torch.clock


def _note_exchange(run: Run, base: Ref, tensor: Tensor, before: Storage, given: Ref, node: ir.Node) -> None:
    """After `x.data = ...`, who holds or has saved `x` has other values, unseen by autograd; views of `x` do not."""
    site = run.site(node)
    operand = Operand(tensor, site, base.binding, run.torch.clock, tensor.label)
    write = run.torch.writing(operand, EXCHANGE, site, NO, use="statement", unchecked=True)
    if given.binding is not None or tensor.autograd_meta.parameter:  # that is what parameters have `data` for
        write.storage = replace(before, writes=[])
    write.source = run.operand(given, site, "")
    run.torch.emit(write)
    if not conversions.is_conversion_of(resolve(given.value), tensor):
        before.writes.append((write, Counter(hidden=True), 0))


def _take(tensor: Tensor, name: str, value: Value, time: int) -> None:
    """The tensor itself after `tensor.name = value`."""
    if name == "requires_grad" and value is True and not tensor.need.certain:
        # Nobody asks this of a tensor that an op has made: what is not known here was a leaf.
        if tensor.view == "base":
            tensor.autograd_meta.node = None
        tensor.require(YES)
    elif name == "requires_grad" and tensor.is_leaf:
        if isinstance(value, bool):
            tensor.require(YES if value else NO)
        else:
            tensor.require(assumed(named(tensor.label)))
    elif name == "grad" and value is None:
        tensor.autograd_meta.clear(time)
    elif name == "grad":
        tensor.autograd_meta.reached, tensor.autograd_meta.grad = True, value if isinstance(value, Tensor) else None
    elif name == "data" and isinstance(value, Tensor):
        tensor.move_to(value, time)
