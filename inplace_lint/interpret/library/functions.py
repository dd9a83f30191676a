"""Calls of library functions by qualified name, for functions that the op table does not cover."""

from __future__ import annotations

from collections.abc import Callable

from inplace_lint.interpret.library import intrinsics, standard_library
from inplace_lint.interpret.python import contexts, plain
from inplace_lint.interpret.state.keys import Answer
from inplace_lint.interpret.state.result_binding import result_binding
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import (
    Arguments,
    Builtin,
    Native,
    Ref,
    Unknown,
    identity,
    resolve,
)
from inplace_lint.interpret.torch import (
    broadcasting,
    checkpointing,
    embeddings,
    foreach,
    functional,
    modules,
    numpy,
    optimizers,
    own_tensors,
    statistics,
    torch_function,
    training,
)
from inplace_lint.interpret.torch.module_tree import is_module_class
from inplace_lint.interpret.torch.ops import apply, known, unknown_call, unknown_function
from inplace_lint.interpret.torch.results import METHOD
from inplace_lint.source import ir
from inplace_lint.torch_model.effects import DtypeKind
from inplace_lint.torch_model.events import Untrainable
from inplace_lint.torch_model.modes import GRAD_MODES, NO_GRAD, SWITCHES, modes
from inplace_lint.torch_model.tensor import NO, YES, AutogradMeta, Tensor, assumed

Handler = Callable[[Run, str, Arguments, ir.Node], Ref]


def call(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Ref:
    """Call `name` of a library."""
    name = _ALIASES.get(name, name)
    if name.startswith("numpy."):
        numpy.take(run, arguments)
        if "out" in arguments.keywords:
            return numpy.write(run, name, arguments, node)
    handler = _HANDLERS.get(name)
    if handler is not None:
        return handler(run, name, arguments, node)
    if name.startswith(foreach.PREFIX):
        return foreach.call(run, name, arguments, node)
    if name.startswith("builtins."):
        return run.call_builtin(name.removeprefix("builtins."), arguments, node)
    if is_module_class(name):
        return Ref(modules.build(run, name, arguments, node))
    if name in GRAD_MODES:
        return _grad_mode(run, name, arguments, node)
    if name.startswith("torch.optim.") and not name.startswith("torch.optim.lr_scheduler"):
        return Ref(optimizers.optimizer(run, name, arguments, node))
    if name.startswith("torch.") and (given := torch_function.override(run, name, arguments, node)) is not None:
        return given
    if name.startswith(METHOD) and arguments.positional:
        first, rest = arguments.positional[0], Arguments(arguments.positional[1:], arguments.keywords, arguments.open)
        return run.call_method(Builtin(first.ref, name.removeprefix(METHOD)), rest, node)
    if known(name):
        return _op(run, name, arguments, node)
    if name in plain.FUNCTIONS and (result := plain.called(plain.FUNCTIONS[name], arguments)) is not None:
        return result
    if numpy.writes(name, arguments):
        return numpy.write(run, name, arguments, node)
    if optimizers.seems_optimizer(name, arguments):
        return Ref(optimizers.optimizer(run, "torch.optim.Optimizer", arguments, node))
    return Ref(unknown_function(run, name, arguments, node))


def _op(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Ref:
    if name.startswith("torch.nn.init."):
        with modes(run.torch, grad=False, documented=True):
            value = apply(run, name, arguments, node)
    else:
        value = apply(run, name, arguments, node)
    given = arguments.keywords.get("out") or next(iter(arguments.positional), None)
    return Ref(value, result_binding(run, value, given.ref if given is not None else None))


def _grad_mode(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Ref:
    given = resolve(arguments.get(0, "mode"))
    if isinstance(given, Unknown):  # perhaps: nothing is said of what only holds with or without
        return Ref(Native(name, mode=NO_GRAD))
    if given not in (None, True, False):
        return Ref(given)
    return Ref(Native(name, mode=GRAD_MODES[name][given is False]))


def _set_grad_enabled(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Ref:
    return Ref(contexts.grad_switch(run, resolve(arguments.get(0, "mode")), node))


def _parameter(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Ref:
    data = resolve(arguments.get(0, "data"))
    site = run.site(node)
    made = run.torch.detach(data, site) if isinstance(data, Tensor) else run.torch.tensor(site)
    made.autograd_meta = AutogradMeta(YES, parameter=True, site=run.site(node))
    if isinstance(data, Tensor) and not data.need:
        made.detached_from = None  # from no history
    made.precision = data.precision if isinstance(data, Tensor) else "float32"
    made.label = "parameter"
    wanted = resolve(arguments.get(1, "requires_grad"))
    if wanted is False:
        made.autograd_meta.need = NO
    elif isinstance(wanted, Unknown):
        made.autograd_meta.need = assumed(f"`{wanted.label or 'requires_grad'}`", "is true")
    if isinstance(data, Tensor) and made.expanded is not False:
        event = Untrainable(run.torch.tick(), site, run.torch.stack, made, made.storage, data.made_site)
        run.torch.trace.events.append(event)
    return Ref(made)


def _buffer(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Ref:
    return Ref(resolve(arguments.get(0, "data")))


def _as_method(method: str) -> Handler:
    """A function that does what a method of its first argument does."""

    def handler(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Ref:
        first, rest = arguments.split("input")
        if first is None:
            return Ref(unknown_call(run, name, arguments, node))
        return run.call_method(Builtin(first.ref, method), rest, node)

    return handler


_TYPED: dict[str, tuple[DtypeKind, str]] = {
    "": ("float", "float32"),
    "Float": ("float", "float32"),
    "Double": ("float", "float64"),
    "Half": ("float", "float16"),
    "Long": ("int", "int64"),
    "Int": ("int", "int32"),
    "Byte": ("int", "uint8"),
    "Bool": ("bool", "bool"),
}


def _tensor(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Ref:
    """`torch.FloatTensor(...)` and its like."""
    kind, precision = _TYPED[name.removeprefix("torch.").removesuffix("Tensor")]
    return Ref(run.torch.tensor(run.site(node), NO, dtype=kind, precision=precision))


def _device(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Ref:
    """`torch.device("cpu")` is as good as its name; of another one nobody knows if a tensor is there."""
    first = arguments.positional[0] if len(arguments.positional) == 1 else None
    spelled = first is not None and isinstance(first.node, ir.Const)
    named = resolve(first.ref.value) if first is not None and spelled else None
    return Ref(named if named == "cpu" else run.unknown(_told(name, arguments)))


def _is_tensor(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Ref:
    value = resolve(arguments.get(0, "obj"))
    if isinstance(value, Unknown):
        return Ref(run.unknown(Answer(name, (value.key,))))
    return Ref(isinstance(value, Tensor))


def _getter(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Ref:
    return Ref(run.unknown(_told(name, arguments)))


def _told(name: str, arguments: Arguments) -> Answer:
    return Answer(name, tuple([identity(passed.ref.value) for passed in arguments.all()]))


def _is_grad_enabled(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Ref:
    return Ref(run.torch.grad_mode)


def _size(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Ref:
    """`torch.Size((2, 3))` is a tuple."""
    return run.call_builtin("tuple", arguments, node)


def _make_subclass(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Ref:
    made = own_tensors.make_subclass(run, arguments, node)
    return Ref(made if made is not None else run.unknown(run.key(node)))


_ALIASES = {
    "collections.OrderedDict": "builtins.dict",
    "typing.OrderedDict": "builtins.dict",
    "typing.Deque": "collections.deque",
    "torch.nn.parameter.Parameter": "torch.nn.Parameter",
    "torch.nn.parameter.Buffer": "torch.nn.Buffer",
    **dict.fromkeys(("torch.nn.UninitializedBuffer", "torch.nn.parameter.UninitializedBuffer"), "torch.empty"),
    **dict.fromkeys(
        ("torch.nn.UninitializedParameter", "torch.nn.parameter.UninitializedParameter"), "torch.nn.Parameter"
    ),
    "torch.functional.einsum": "torch.einsum",
    "torch.nn.utils.stateless.functional_call": "torch.func.functional_call",
}

_HANDLERS: dict[str, Handler] = {
    "torch.nn.Parameter": _parameter,
    "torch.nn.Buffer": _buffer,
    **dict.fromkeys(SWITCHES, _set_grad_enabled),
    "torch.is_grad_enabled": _is_grad_enabled,
    "torch.is_tensor": _is_tensor,
    "torch.Tensor._make_subclass": _make_subclass,
    "torch.device": _device,
    "torch.Size": _size,
    **numpy.HANDLERS,
    "torch.compile": standard_library.same,
    "torch.jit.script": standard_library.same,
    "torch.autograd.Variable": standard_library.same,
    "torch.utils.checkpoint.checkpoint": checkpointing.checkpoint,
    **{f"torch.autograd.graph.{name}": checkpointing.hooks for name in checkpointing.HOOKS},
    "torch.autograd.grad": training.autograd_grad,
    "torch.nn.utils.clip_grad_norm_": training.clip_gradients,
    "torch.nn.utils.clip_grad_value_": training.clip_gradients,
    "torch.autograd.backward": training.autograd_backward,
    **{f"torch.{kind}Tensor": _tensor for kind in _TYPED},
    "torch.broadcast_to": _as_method("expand"),
    "torch.broadcast_tensors": broadcasting.broadcast_tensors,
    "torch.meshgrid": broadcasting.meshgrid,
    "torch.as_strided": _as_method("as_strided"),
    "torch.nn.functional.embedding": embeddings.functional,
    "torch.nn.functional.embedding_bag": embeddings.functional,
    "torch.nn.functional.batch_norm": statistics.functional,
    **functional.HANDLERS,
    "torch.cuda.is_available": _getter,
    "torch.jit.is_scripting": lambda run, name, arguments, node: Ref(False),
    "torch.jit.is_tracing": lambda run, name, arguments, node: Ref(False),
    "torch.onnx.is_in_onnx_export": lambda run, name, arguments, node: Ref(False),
    "torch.compiler.is_compiling": lambda run, name, arguments, node: Ref(False),
    **standard_library.HANDLERS,
    **intrinsics.HANDLERS,
}
