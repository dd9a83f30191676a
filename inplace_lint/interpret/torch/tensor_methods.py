"""Methods of tensors that do more than the op table says; the rest go to the table."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace

from inplace_lint.interpret.state.keys import Attribute, Count, Item, Key, Shape
from inplace_lint.interpret.state.naming import named
from inplace_lint.interpret.state.result_binding import result_binding
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import (
    Arguments,
    Library,
    List,
    Native,
    Passed,
    Ref,
    Unknown,
    Value,
    identity,
    resolve,
)
from inplace_lint.interpret.torch import asked_sizes, conversions, hooks, numpy, own_tensors, training
from inplace_lint.interpret.torch.ops import apply, known, unknown_call
from inplace_lint.interpret.torch.results import METHOD, dtype_named, size_of
from inplace_lint.source import ir
from inplace_lint.torch_model import layout, sizes
from inplace_lint.torch_model.effects import KINDS
from inplace_lint.torch_model.machine import note_clone
from inplace_lint.torch_model.op_table import table
from inplace_lint.torch_model.operands import Operand
from inplace_lint.torch_model.spellings import ARRAY_METHODS
from inplace_lint.torch_model.subscript import Position
from inplace_lint.torch_model.tensor import NO, YES, Assumption, Tensor, assumed

Handler = Callable[[Run, Ref, Tensor, Arguments, ir.Node], Value]

# What the table says may be a copy, but never is for a tensor that is there already, as is supposed here.
_IDENTITIES = frozenset("cuda cpu pin_memory share_memory_".split())


def call(run: Run, receiver: Ref, tensor: Tensor, name: str, arguments: Arguments, node: ir.Node) -> Ref:
    """Call a method of a tensor."""
    if name not in _HANDLERS and _looks_at_no_value(name):
        return Ref(_looked_at(run, tensor, name, arguments))
    if tensor.array and name in ARRAY_METHODS:
        numpy.write_to(run, f"numpy.ndarray.{name}", _self(run, receiver, node), node)
        return Ref(None)
    if tensor.array and name in numpy.VIEWS:
        merged = Arguments([_self(run, receiver, node), *arguments.positional], arguments.keywords)
        return numpy.view(run, f"numpy.ndarray.{name}", merged, node)
    handler = _HANDLERS.get("copy" if tensor.array and name == "flatten" else name)
    if handler is not None:
        value = handler(run, receiver, tensor, arguments, node)
    elif name in _IDENTITIES:
        value = tensor
    elif known(METHOD + name):
        value = _op(run, receiver, tensor, name, arguments, node)
    else:
        value = unknown_call(run, name, Arguments([_self(run, receiver, node), *arguments.positional]), node)
    memory = arguments.positional[0].ref if name == "set_" and arguments.positional else receiver
    binding = result_binding(run, value, memory)
    if binding is not None and value is tensor and name in conversions.NAMES:
        binding = replace(binding, bound_at=run.torch.clock, source=binding, way=receiver.way, converted=True)
    return Ref(value, binding)


def _looked_at(run: Run, tensor: Tensor, name: str, arguments: Arguments) -> Value:
    """What a method tells of a tensor that looks at none of its values."""
    known_number = _asked_size(tensor, name, arguments)
    if known_number is not None:
        return known_number
    keys = tuple(identity(passed.ref.value) for passed in arguments.all())
    asked = run.unknown(Shape(name, tensor.storage.key, tensor.region, keys))
    if isinstance(asked, Unknown):
        if name == "is_floating_point" and tensor.need.level == 1:
            run.asked_need[asked.key] = tensor
        if name == "size" and not keys:
            run.described[asked.key] = tensor
    return asked


def _asked_size(tensor: Tensor, name: str, arguments: Arguments) -> int | None:
    """The number that a method tells of a tensor's shape, if that is known."""
    if name == "size":
        return asked_sizes.size(tensor, resolve(arguments.get(0, "dim")))
    if name in ("dim", "ndimension"):
        return asked_sizes.rank(tensor)
    return asked_sizes.count(tensor) if name in ("numel", "nelement") else None


def _looks_at_no_value(name: str) -> bool:
    """Whether a method gives the shape, the dtype or the like."""
    rows = table().overloads(METHOD + name)
    return bool(rows) and all(row.metadata_only and row.outputs[0].origin == "value" for row in rows)


def converts_to_whole_numbers(name: str) -> bool:
    """Whether a method gives the tensor itself as whole numbers or truth values."""
    rows = table().overloads(METHOD + name)
    return bool(rows) and all(row.outputs[0].origin == "maybe" and _is_whole(row.dtypes[:1]) for row in rows)


def _is_whole(dtypes: tuple[str | None, ...]) -> bool:
    return any(dtype is not None and KINDS[dtype] in ("int", "bool") for dtype in dtypes)


def _self(run: Run, receiver: Ref, node: ir.Node) -> Passed:
    place: ir.Node = node.func.value if isinstance(node, ir.Call) and isinstance(node.func, ir.Attr) else node
    return Passed(receiver, place, run.spelled(place), run.torch.clock)


def _op(run: Run, receiver: Ref, tensor: Tensor, name: str, arguments: Arguments, node: ir.Node) -> Value:
    merged = Arguments([_self(run, receiver, node), *arguments.positional], arguments.keywords, arguments.open)
    value = apply(run, METHOD + name, merged, node)
    if isinstance(value, Unknown) and name.endswith("_"):
        return tensor
    return value


def operand(run: Run, receiver: Ref, tensor: Tensor, node: ir.Node) -> Operand:
    """The receiver of a method as an operand."""
    passed = _self(run, receiver, node)
    return Operand(
        tensor, run.site(passed.node), receiver.binding, passed.at, passed.text or tensor.label, receiver.way
    )


def _detach(run: Run, receiver: Ref, tensor: Tensor, arguments: Arguments, node: ir.Node) -> Value:
    return run.torch.detach(tensor, run.site(node))


def _as_subclass(run: Run, receiver: Ref, tensor: Tensor, arguments: Arguments, node: ir.Node) -> Value:
    return own_tensors.as_subclass(run, tensor, resolve(arguments.get(0, "cls")), node)


def _detach_(run: Run, receiver: Ref, tensor: Tensor, arguments: Arguments, node: ir.Node) -> Value:
    if run.torch.inference:
        return tensor
    if tensor.view != "base":
        run.torch.impasse("detached-view", tensor, run.site(node))
        return tensor
    run.torch.cut(operand(run, receiver, tensor, node), run.site(node))
    return tensor


def _requires_grad_(run: Run, receiver: Ref, tensor: Tensor, arguments: Arguments, node: ir.Node) -> Value:
    wanted = resolve(arguments.get(0, "requires_grad"))
    if wanted in (None, True) and not tensor.need.certain:
        # Nobody asks this of a tensor that an op has made: what is not known here was a leaf.
        if tensor.view == "base":
            tensor.autograd_meta.node = None
        tensor.require(YES)
    elif tensor.is_leaf:
        if isinstance(wanted, Unknown):
            tensor.require(assumed(named(tensor.label)))
        else:
            tensor.require(NO if wanted is False else YES)
    return tensor


def _backward(run: Run, receiver: Ref, tensor: Tensor, arguments: Arguments, node: ir.Node) -> Value:
    training.backward(run, [operand(run, receiver, tensor, node)], arguments, node)
    return None


def _converting(name: str) -> Handler:
    def handler(run: Run, receiver: Ref, tensor: Tensor, arguments: Arguments, node: ir.Node) -> Value:
        return conversions.converted(run, name, _self(run, receiver, node), arguments, node)

    return handler


def _numpy(run: Run, receiver: Ref, tensor: Tensor, arguments: Arguments, node: ir.Node) -> Value:
    """PyTorch refuses it for what requires grad, where that is recorded (torch/csrc/utils/tensor_numpy.cpp)."""
    if run.torch.grad_mode and not tensor.need.certain and "force" not in arguments.keywords:
        run.torch.refuted.update(tensor.need.assumptions)
    return numpy.of_tensor(run, tensor, node)


def _copy(run: Run, receiver: Ref, tensor: Tensor, arguments: Arguments, node: ir.Node) -> Value:
    """NumPy's `copy`."""
    made = _new_array(run, receiver, tensor, node)
    note_clone(made, operand(run, receiver, tensor, node))
    return made


def _new_array(run: Run, receiver: Ref, tensor: Tensor, node: ir.Node) -> Tensor:
    """An array of its own, with values of another one."""
    run.torch.read(operand(run, receiver, tensor, node), "copy")
    made = run.torch.tensor(run.site(node), label=tensor.label)
    made.array, made.sizes = tensor.array, tensor.sizes
    return made


def _astype(run: Run, receiver: Ref, tensor: Tensor, arguments: Arguments, node: ir.Node) -> Value:
    """NumPy's `astype`: with `copy=False`, the array itself if it has the type already."""
    keywords = {name: passed for name, passed in arguments.keywords.items() if name != "copy"}
    copy = arguments.keywords.get("copy")
    if copy is not None and resolve(copy.ref.value) is False and tensor.array:
        asked = Arguments(arguments.positional, keywords, arguments.open)
        return conversions.converted(run, "astype", _self(run, receiver, node), asked, node)
    made = _new_array(run, receiver, tensor, node)
    wanted = resolve(arguments.get(0, "dtype"))
    named = dtype_named(wanted.name) if isinstance(wanted, Library) else None
    if isinstance(made, Tensor) and named is not None:
        made.dtype, made.precision = named
    return made


def _item(run: Run, receiver: Ref, tensor: Tensor, arguments: Arguments, node: ir.Node) -> Value:
    run.torch.read(operand(run, receiver, tensor, node), "item")
    return run.unknown(Count(run.key(node)))


def _python_numbers(run: Run, receiver: Ref, tensor: Tensor, arguments: Arguments, node: ir.Node) -> Value:
    """The elements as Python numbers; of a tensor with several dimensions, nobody knows the lists in the list."""
    if len(tensor.sizes or ()) > 1:
        return _item(run, receiver, tensor, arguments, node)
    run.torch.read(operand(run, receiver, tensor, node), "tolist")
    return numbers(run, node)


def numbers(run: Run, node: ir.Node) -> List:
    """The Python numbers of a tensor or array with one dimension, of which nobody knows how many there are."""
    return List("list", [Ref(run.unknown(Count(run.key(node), index))) for index in range(run.turns)], True)


def _expand(run: Run, receiver: Ref, tensor: Tensor, arguments: Arguments, node: ir.Node) -> Value:
    shape = arguments.positional or [arguments.keywords[key] for key in ("size",) if key in arguments.keywords]
    given = [resolve(passed.ref.value) for passed in shape]
    if arguments.open or (len(given) == 1 and not isinstance(given[0], (int, List)) and not _is_size(given[0])):
        return _expand_as(run, receiver, tensor, arguments, node)  # a shape, perhaps its own
    if len(given) == 1 and isinstance(given[0], List):
        if not isinstance(shape[0].node, ir.Sequence):
            return _expand_as(run, receiver, tensor, arguments, node)
        nodes: Sequence[ir.Node] = shape[0].node.items
        given = [resolve(ref.value) for ref in given[0].items]
    else:
        nodes = [passed.node for passed in shape]
    made = _stretched(run, tensor, [size_of(size) for size in given], node)
    variable = (size for size, each in zip(given, nodes, strict=False) if not isinstance(each, ir.Const))
    if not made.expanded and any(size == 1 for size in variable):
        made.expanded, made.contiguous = None, False  # Who expands by a variable wants more than one at times.
    return made


def _is_size(value: Value) -> bool:
    """Whether a value is the size of one dimension, and no shape."""
    if not isinstance(value, Unknown):
        return False
    made = value.key.made
    of = made.of.made if isinstance(made, Item) and isinstance(made.of, Key) else None
    of_shape = isinstance(of, Attribute) and of.name == "shape" and isinstance(made, Item) and _is_one(made.places)
    return value.is_whole or of_shape or (isinstance(made, Shape) and bool(made.arguments))


def _is_one(places: Hashable) -> bool:
    return isinstance(places, tuple) and len(places) == 1 and isinstance(places[0], Position)


def _stretched(run: Run, tensor: Tensor, wanted: Sequence[sizes.Size], node: ir.Node) -> Tensor:
    """`tensor.expand(*wanted)`"""
    broadcast_dims = sizes.expand(tensor.sizes, wanted) if not tensor.expanded else None
    grows = any(broadcast_dims) if broadcast_dims is not None else any(size not in (-1, 1) for size in wanted)
    made = run.torch.view(tensor, run.site(node), expanded=tensor.expanded or grows)
    made.sizes, made.broadcast_dims, made.dense_if_unexpanded = (
        sizes.expanded(tensor.sizes, wanted),
        broadcast_dims,
        tensor.contiguous,
    )
    made.contiguous = False if made.expanded else tensor.contiguous
    return made


def _expand_as_tensor(run: Run, receiver: Ref, tensor: Tensor, arguments: Arguments, node: ir.Node) -> Value:
    first = resolve(arguments.get(0, "other"))
    if isinstance(first, Unknown):
        run.promote(first, run.site(node))
    return _expand_as(run, receiver, tensor, arguments, node)


def _expand_as(run: Run, receiver: Ref, tensor: Tensor, arguments: Arguments, node: ir.Node) -> Value:
    first = resolve(arguments.positional[0].ref.value) if arguments.positional else None
    like = run.described.get(first.key) if isinstance(first, Unknown) else first
    if isinstance(like, Tensor) and None not in (like.sizes or (None,)) and None not in (tensor.sizes or (None,)):
        return _stretched(run, tensor, like.sizes or (), node)
    grows = True if _wants_to_grow(tensor, like if isinstance(like, Tensor) else None) else None
    made = run.torch.view(tensor, run.site(node), expanded=grows, contiguous=False)
    if grows is None and isinstance(like, Tensor) and not _has_shape_of(tensor, like):
        made.expanded_if = (Assumption(named(like.label), f"is larger than {named(tensor.label)}"),)
    return made


def _has_shape_of(tensor: Tensor, like: Tensor) -> bool:
    """Whether a tensor is another one, or was computed of its elements one by one."""
    return like.storage in (tensor.storage, tensor.shape_of)


def _wants_to_grow(tensor: Tensor, like: Tensor | None) -> bool:
    """Whether a tensor has fewer dimensions than it is expanded to, or one of size 1: that is seldom the size wanted.

    What was summed over a dimension grows again to what that was.
    """
    old, wanted = tensor.sizes, like.sizes if like is not None else None
    if tensor.collapsed or old == ():
        return True
    if old is None or (wanted is not None and len(wanted) < len(old)):
        return False
    if wanted is None:
        return 1 in old
    return len(wanted) > len(old) or any(a == 1 != b for a, b in zip(old, wanted, strict=True))


def _unfold(run: Run, receiver: Ref, tensor: Tensor, arguments: Arguments, node: ir.Node) -> Value:
    made = _op(run, receiver, tensor, "unfold", arguments, node)
    size, step = resolve(arguments.get(1, "size")), resolve(arguments.get(2, "step"))
    if isinstance(made, Tensor):
        whole_steps = step == 1 and not isinstance(size, int)  # Nobody asks for windows of one element.
        made.self_overlapping = step < size if isinstance(size, int) and isinstance(step, int) else whole_steps or None
    return made


def _as_strided(run: Run, receiver: Ref, tensor: Tensor, arguments: Arguments, node: ir.Node) -> Value:
    made = _op(run, receiver, tensor, "as_strided", arguments, node)
    size, stride = arguments.get(0, "size"), arguments.get(1, "stride")
    shape, strides = _numbers(size), _numbers(stride)
    if any(isinstance(each, List) and each.open for each in (size, stride)):  # as `shape[:-1] + [frames, width]`
        last = min(len(shape), len(strides))
        shape, strides = shape[len(shape) - last :], strides[len(strides) - last :]
    if isinstance(made, Tensor) and layout.overlap(shape, strides):
        made.self_overlapping = True
    return made


def _numbers(value: Value) -> list[int | None]:
    refs = value.items if isinstance(value, List) else []
    return [number if isinstance(number := resolve(ref.value), int) else None for ref in refs]


def _set_(run: Run, receiver: Ref, tensor: Tensor, arguments: Arguments, node: ir.Node) -> Value:
    """The tensor is another one now, which autograd sees; it does not see writes to memory that both have then.

    What `.data` has just made is another object than the tensor that it is of, which keeps its memory.
    """
    if tensor.counter.hidden:
        return tensor
    made, source = _op(run, receiver, tensor, "set_", arguments, node), resolve(arguments.get(0, "source"))
    taken = source if isinstance(source, Tensor) else run.torch.tensor(run.site(node), region=None)
    tensor.move_to(taken, run.torch.clock)
    return made


def _retain_grad(run: Run, receiver: Ref, tensor: Tensor, arguments: Arguments, node: ir.Node) -> Value:
    tensor.retained_at = run.torch.tick()
    return None


def _register_hook(run: Run, receiver: Ref, tensor: Tensor, arguments: Arguments, node: ir.Node) -> Value:
    training.gradient_hook(run, tensor, arguments, node)
    return Native("handle")


def _register_on_leaf(run: Run, receiver: Ref, tensor: Tensor, arguments: Arguments, node: ir.Node) -> Value:
    return hooks.register_on_leaf(run, receiver, tensor, arguments).value


_HANDLERS: dict[str, Handler] = {
    "detach": _detach,
    "as_subclass": _as_subclass,
    "detach_": _detach_,
    "requires_grad_": _requires_grad_,
    "backward": _backward,
    **{name: _converting(name) for name in ("to", "type", "type_as")},
    "numpy": _numpy,
    "__array__": _numpy,
    "copy": _copy,
    "astype": _astype,
    "item": _item,
    "tolist": _python_numbers,
    "expand": _expand,
    "expand_as": _expand_as_tensor,
    "broadcast_to": _expand,
    "unfold": _unfold,
    "as_strided": _as_strided,
    "set_": _set_,
    "register_hook": _register_hook,
    "register_post_accumulate_grad_hook": _register_on_leaf,
    "retain_grad": _retain_grad,
}
