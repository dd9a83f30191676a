"""Calls of library functions by qualified name: what the op table does not say."""

from __future__ import annotations

import re
from collections.abc import Callable

from inplace_lint.interpret import calls, contexts, iteration, modules, python, training
from inplace_lint.interpret.copies import copy_entries, deep_copy
from inplace_lint.interpret.module_tree import is_module_class
from inplace_lint.interpret.run import Run, identity, plain, result_slot
from inplace_lint.interpret.torch_ops import METHOD, apply, known, operand_of, unknown_call
from inplace_lint.interpret.values import (
    Arguments,
    Builtin,
    Cell,
    Dict,
    Instance,
    List,
    Native,
    Partial,
    Passed,
    Unknown,
    Value,
)
from inplace_lint.source import ir
from inplace_lint.torch_model.events import Mark, Operand, Write
from inplace_lint.torch_model.tensor import NO, YES, Family, Tensor, assumed

Handler = Callable[[Run, str, Arguments, ir.Node], Cell]


def call(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Cell:
    """Call `name` of a library."""
    name = _ALIASES.get(name, name)
    handler = _HANDLERS.get(name)
    if handler is not None:
        return handler(run, name, arguments, node)
    if name.startswith("builtins."):
        return python.call_builtin(run, name.removeprefix("builtins."), arguments, node)
    if is_module_class(name):
        return Cell(modules.build(run, name, arguments, node))
    if name in calls.GRAD_MODES:
        return _grad_mode(run, name, arguments, node)
    if name.startswith("torch.optim.") and not name.startswith("torch.optim.lr_scheduler"):
        return Cell(training.optimizer(run, name, arguments, node))
    if name.startswith(METHOD) and arguments.positional:
        first, rest = arguments.positional[0], Arguments(arguments.positional[1:], arguments.keywords, arguments.open)
        return python.call_method(run, Builtin(first.cell, name.removeprefix(METHOD)), rest, node)
    if known(name):
        return _op(run, name, arguments, node)
    return Cell(unknown_call(run, name, arguments, node))


def _op(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Cell:
    declared, run.torch.declared = run.torch.declared, True if name.startswith("torch.nn.init.") else run.torch.declared
    grad_mode = run.torch.grad_mode
    if name.startswith("torch.nn.init."):
        run.torch.grad_mode = False
    value = apply(run, name, arguments, node)
    run.torch.declared, run.torch.grad_mode = declared, grad_mode
    first = arguments.positional[0].cell if arguments.positional else None
    return Cell(value, result_slot(run, value, first))


def _grad_mode(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Cell:
    mode = plain(arguments.get(0, "mode"))
    if mode is False:
        return Cell(Native("grad:True"))
    if mode not in (None, True) and not isinstance(mode, Unknown):
        return Cell(mode)
    return Cell(Native(name))


def _set_grad_enabled(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Cell:
    return Cell(contexts.grad_switch(run, plain(arguments.get(0, "mode")), node))


def _parameter(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Cell:
    data = plain(arguments.get(0, "data"))
    site = run.site(node)
    made = run.torch.detach(data, site) if isinstance(data, Tensor) else run.torch.tensor(site)
    made.family = Family(YES, parameter=True, site=run.site(node))
    made.precision, made.label = "float32", "parameter"
    wanted = plain(arguments.get(1, "requires_grad"))
    if wanted is False:
        made.family.need = NO
    elif isinstance(wanted, Unknown):
        made.family.need = assumed(f"`{wanted.label or 'requires_grad'}` is true")
    return Cell(made)


def _buffer(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Cell:
    return Cell(plain(arguments.get(0, "data")))


def _partial(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Cell:
    first, *rest = arguments.positional
    keywords = {key: passed.cell for key, passed in arguments.keywords.items()}
    return Cell(Partial(first.cell.value, [passed.cell for passed in rest], keywords))


def _same(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Cell:
    """Gives back its first argument; as a decorator with arguments, a function that does."""
    if arguments.positional:
        return arguments.positional[0].cell
    return Cell(Native(name, lambda later: later.positional[0].cell.value if later.positional else None))


def _deepcopy(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Cell:
    return Cell(deep_copy(run, arguments.get(0, "x"), run.site(node)))


def _copy(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Cell:
    value = plain(arguments.get(0, "x"))
    if isinstance(value, List):
        return Cell(List(value.kind, list(value.items), value.open, value.fields))
    if isinstance(value, Dict):
        return Cell(copy_entries(run, Dict(), value))
    return Cell(deep_copy(run, value, run.site(node)) if isinstance(value, Tensor) else value)


def _ordered_dict(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Cell:
    return python.call_builtin(run, "dict", arguments, node)


def _default_dict(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Cell:
    return Cell(Dict(open=True))


def _deque(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Cell:
    return python.call_builtin(run, "list", arguments, node)


def _chain(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Cell:
    made = List("list")
    for passed in arguments.positional:
        items = iteration.elements(run, passed.cell, node)
        made.items.extend(items.items)
        made.open |= items.open
    return Cell(made)


def _checkpoint(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Cell:
    first, *rest = arguments.positional
    own = {"use_reentrant", "preserve_rng_state", "context_fn", "determinism_check", "debug"}
    keywords = {key: passed for key, passed in arguments.keywords.items() if key not in own}
    began = run.torch.clock
    result = calls.call(run, first.cell, Arguments(rest, keywords, arguments.open), node)
    _mark(run, began, "replayed")
    return result


def _mark(run: Run, began: int, mark: Mark) -> None:
    """Mark the writes since `began` to memory that was there before."""
    for event in reversed(run.torch.trace.events):
        if event.time <= began:
            break
        if isinstance(event, Write) and event.storage.made_at <= began:
            event.marks.add(mark)


def _transform(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Cell:
    """`vmap` and its like: a function that runs the given one on the parts of its arguments."""
    function = arguments.positional[0].cell if arguments.positional else Cell(None)
    is_map = name.endswith("vmap") and len(arguments.positional) == 1 and "in_dims" not in arguments.keywords

    def transformed(later: Arguments) -> Value:
        given = {tensor.storage for passed in later.all() if isinstance(tensor := plain(passed.cell.value), Tensor)}
        began = run.torch.clock
        # Which arguments are mapped is clear only where nothing else is said.
        outer, run.torch.mapped = run.torch.mapped, set(given) if is_map else run.torch.mapped
        calls.call(run, function, later, node)
        run.torch.mapped = outer
        for event in reversed(run.torch.trace.events):
            if event.time <= began:
                break
            if isinstance(event, Write) and event.storage not in given:
                event.marks.add("transformed")
        return run.unknown(run.key(node))

    return Cell(Native(name, transformed))


def _broadcast(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Cell:
    first, rest = arguments.positional[0], Arguments(arguments.positional[1:], arguments.keywords)
    return python.call_method(run, Builtin(first.cell, "expand"), rest, node)


def _scaler(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Cell:
    return Cell(Instance(name, key=run.key(node), label="scaler"))


def _loader(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Cell:
    instance = Instance(name, key=run.key(node), label="DataLoader")
    first = arguments.keywords.get("dataset") or (arguments.positional[0] if arguments.positional else None)
    instance.attributes["dataset"] = first.cell if first is not None else Cell(run.unknown(run.key(node)))
    return Cell(instance)


def _tensor(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Cell:
    """`torch.FloatTensor(...)` and its like."""
    whole = any(kind in name for kind in ("Long", "Int", "Byte", "Bool"))
    return Cell(run.torch.tensor(run.site(node), NO, dtype="int" if whole else "float"))


def _array(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Cell:
    """A new NumPy array."""
    for passed in arguments.all():
        bound = operand_of(run, passed)
        if isinstance(bound, Operand):
            run.torch.read(bound, name)
    made = run.torch.tensor(run.site(node))
    made.array = True
    return Cell(made)


def _from_numpy(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Cell:
    """A tensor on the memory of an array."""
    cell = arguments.positional[0].cell if arguments.positional else Cell(None)
    value = plain(cell.value)
    if isinstance(value, Tensor):
        if not value.array:
            return Cell(value, result_slot(run, value, cell))
        made = run.torch.data(value, run.site(node))
        made.array, made.hides = False, None
        return Cell(made, cell.slot)
    if isinstance(value, Unknown):
        array = run.promote(value, run.site(node))
        array.array, array.family = True, Family(NO)
        return _from_numpy(run, name, arguments, node)
    return Cell(run.torch.tensor(run.site(node), NO, contiguous=None))


def _is_tensor(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Cell:
    value = plain(arguments.get(0, "obj"))
    if isinstance(value, Unknown):
        return Cell(run.unknown(("is_tensor", value.key)))
    return Cell(isinstance(value, Tensor))


def _getter(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Cell:
    return Cell(run.unknown((name, tuple(identity(passed.cell.value) for passed in arguments.all()))))


def _is_grad_enabled(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Cell:
    return Cell(run.torch.grad_mode)


def _reduce(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Cell:
    items = iteration.elements(run, arguments.positional[1].cell, node).items if len(arguments.positional) > 1 else []
    cells = [*(passed.cell for passed in arguments.positional[2:3]), *items]
    total = cells[0] if cells else Cell(None)
    for cell in cells[1:]:
        total = calls.call(run, arguments.positional[0].cell, python.passing(run, node, total, cell), node)
    return total


def _einops(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Cell:
    """`rearrange` and its like: a view where no axes are merged or repeated, otherwise taken for a copy."""
    value = plain(arguments.get(0, "tensor"))
    if isinstance(value, Unknown) and arguments.positional:
        run.promote(value, run.site(node))
        value = plain(value)
    if isinstance(value, Tensor):
        first = arguments.positional[0].cell
        if name.endswith("rearrange") and is_view_pattern(plain(arguments.get(1, "pattern"))):
            view = run.torch.view(value, run.site(node), contiguous=False)
            return Cell(view, result_slot(run, view, first))
        return Cell(apply(run, METHOD + "clone", Arguments(arguments.positional[:1]), node))
    if isinstance(value, List):
        return Cell(apply(run, "torch.stack", Arguments(arguments.positional[:1]), node))
    return Cell(unknown_call(run, name, arguments, node))


def _einops_layer(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Cell:
    function = "einops.rearrange" if name.endswith("Rearrange") else "einops.reduce"

    def layer(later: Arguments) -> Value:
        merged = Arguments([*later.positional[:1], *arguments.positional], arguments.keywords)
        return _einops(run, function, merged, node).value

    return Cell(Native(name, layer))


def _einsum(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Cell:
    """einops puts the equation last."""
    *tensors, equation = arguments.positional or [Passed(Cell(None), node, "", run.torch.clock)]
    return Cell(apply(run, "torch.einsum", Arguments([equation, *tensors]), node))


def _pack(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Cell:
    packed = apply(run, "torch.cat", Arguments(arguments.positional[:1]), node)
    return Cell(List("tuple", [Cell(packed), Cell(run.unknown(run.key(node)))]))


def _unpack(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Cell:
    value = plain(arguments.get(0, "tensor"))
    if not isinstance(value, Tensor):
        return Cell(unknown_call(run, name, arguments, node))
    slot = arguments.positional[0].cell.slot if arguments.positional else None
    parts = [Cell(run.torch.view(value, run.site(node), contiguous=None), slot) for _ in range(2)]
    return Cell(List("list", parts, True))


def is_view_pattern(pattern: object) -> bool:
    """Whether an einops pattern only splits and permutes axes, which never copies."""
    if not isinstance(pattern, str) or "->" not in pattern:
        return False
    right = pattern.partition("->")[2]
    groups = re.findall(r"\(([^)]*)\)", right)
    return all(len(group.split()) <= 1 for group in groups)


def _named_tuple(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Cell:
    names = plain(arguments.get(1, "field_names"))
    if isinstance(names, str):
        fields = tuple(names.replace(",", " ").split())
    elif isinstance(names, List):
        fields = tuple(str(plain(cell.value)) for cell in names.items)
    else:
        return Cell(run.unknown(run.key(node)))

    def make(later: Arguments) -> Value:
        cells = [passed.cell for passed in later.positional]
        cells += [later.keywords[key].cell for key in fields[len(cells) :] if key in later.keywords]
        return List("tuple", cells, fields=fields)

    return Cell(Native("namedtuple", make))


_ALIASES = {
    "torch.nn.parameter.Parameter": "torch.nn.Parameter",
    "torch.nn.parameter.Buffer": "torch.nn.Buffer",
    "torch.functional.einsum": "torch.einsum",
}

_HANDLERS: dict[str, Handler] = {
    "torch.nn.Parameter": _parameter,
    "torch.nn.Buffer": _buffer,
    "torch.set_grad_enabled": _set_grad_enabled,
    "torch.is_grad_enabled": _is_grad_enabled,
    "torch.is_tensor": _is_tensor,
    "torch.from_numpy": _from_numpy,
    "torch.as_tensor": _from_numpy,
    "torch.asarray": _from_numpy,
    **{f"numpy.{name}": _array for name in "zeros ones empty full array zeros_like ones_like full_like eye".split()},
    **{f"numpy.{name}": _array for name in "abs sin cos exp log sqrt stack concatenate arange linspace".split()},
    "torch.compile": _same,
    "torch.jit.script": _same,
    "torch.autograd.Variable": _same,
    "torch.utils.checkpoint.checkpoint": _checkpoint,
    "torch.autograd.grad": training.autograd_grad,
    "torch.nn.utils.clip_grad_norm_": training.clip_gradients,
    "torch.nn.utils.clip_grad_value_": training.clip_gradients,
    "torch.autograd.backward": training.autograd_backward,
    **{f"torch.{kind}Tensor": _tensor for kind in ("", "Float", "Double", "Half", "Long", "Int", "Bool", "Byte")},
    "torch.broadcast_to": _broadcast,
    "torch.vmap": _transform,
    "torch.func.vmap": _transform,
    "torch.utils.data.DataLoader": _loader,
    **dict.fromkeys(training.SCALERS, _scaler),
    "functools.partial": _partial,
    "functools.reduce": _reduce,
    "functools.wraps": _same,
    "functools.lru_cache": _same,
    "functools.cache": _same,
    "copy.deepcopy": _deepcopy,
    "copy.copy": _copy,
    "collections.OrderedDict": _ordered_dict,
    "collections.defaultdict": _default_dict,
    "collections.deque": _deque,
    "collections.namedtuple": _named_tuple,
    "itertools.chain": _chain,
    "einops.einsum": _einsum,
    "einops.pack": _pack,
    "einops.unpack": _unpack,
    "einops.layers.torch.Rearrange": _einops_layer,
    "einops.layers.torch.Reduce": _einops_layer,
    "einops.rearrange": _einops,
    "einops.reduce": _einops,
    "einops.repeat": _einops,
    "torch.cuda.is_available": _getter,
    "torch.jit.is_scripting": lambda run, name, arguments, node: Cell(False),
    "torch.jit.is_tracing": lambda run, name, arguments, node: Cell(False),
    "torch.onnx.is_in_onnx_export": lambda run, name, arguments, node: Cell(False),
    "torch.compiler.is_compiling": lambda run, name, arguments, node: Cell(False),
    "typing.cast": lambda run, name, arguments, node: (
        arguments.positional[-1].cell if arguments.positional else Cell(None)
    ),
}
