"""The methods of `nn.Module` and its containers, but for `forward`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator
from dataclasses import replace
from itertools import islice

from inplace_lint.interpret.state.run import MOST_ITERATIONS, Run
from inplace_lint.interpret.state.unsure_keys import layer_to_ask
from inplace_lint.interpret.state.values import (
    Arguments,
    Builtin,
    Dict,
    Instance,
    Library,
    List,
    Passed,
    Ref,
    Value,
    identity,
    resolve,
)
from inplace_lint.interpret.torch import hooks
from inplace_lint.interpret.torch.module_tree import (
    children_of,
    is_open,
    name_child,
    own_tensors,
    parameters_of,
    submodules,
)
from inplace_lint.interpret.torch.ops import unknown_call
from inplace_lint.interpret.torch.own_states import note_loaded_state
from inplace_lint.interpret.torch.results import dtype_named
from inplace_lint.interpret.torch.states import note_loaded
from inplace_lint.interpret.torch.training import forget_gradients
from inplace_lint.interpret.torch.unseen_models import some_parameter
from inplace_lint.source import ir
from inplace_lint.torch_model.constant import Constant
from inplace_lint.torch_model.modes import modes
from inplace_lint.torch_model.op_names import LOAD_STATE_DICT
from inplace_lint.torch_model.operands import Operand
from inplace_lint.torch_model.tensor import NO, YES, AutogradMeta, Tensor, same


def _parameters(run: Run, ref: Ref, instance: Instance, arguments: Arguments, node: ir.Node) -> Ref:
    found = [own for _, own in islice(parameters_of(instance, ref), 1 if run.first_of is node else None)]
    if not found and (instance.guess or is_open(instance)):
        return Ref(List("generator", [Ref(some_parameter(run, node))], True))
    return Ref(List("generator", found))


def _named_parameters(run: Run, ref: Ref, instance: Instance, arguments: Arguments, node: ir.Node) -> Ref:
    found = islice(parameters_of(instance, ref), MOST_ITERATIONS)
    return Ref(List("generator", [Ref(List("tuple", [Ref(name), own])) for name, own in found], False))


def _buffers(run: Run, ref: Ref, instance: Instance, arguments: Arguments, node: ir.Node) -> Ref:
    return Ref(List("generator", [own for _, own in _buffers_of(instance)]))


def _named_buffers(run: Run, ref: Ref, instance: Instance, arguments: Arguments, node: ir.Node) -> Ref:
    return Ref(List("generator", [Ref(List("tuple", [Ref(name), own])) for name, own in _buffers_of(instance)]))


def _buffers_of(instance: Instance) -> Iterator[tuple[str, Ref]]:
    """The buffers of a module and the modules below it, for what they will be."""
    for prefix, inner in submodules(instance):
        module = resolve(inner.value)
        assert isinstance(module, Instance)
        for name, own in own_tensors(module):
            tensor = resolve(own.value)
            if isinstance(tensor, Tensor) and not tensor.autograd_meta.parameter:
                binding = replace(own.binding, keeper="buffers") if own.binding is not None else None
                yield f"{prefix}.{name}" if prefix else name, Ref(tensor, binding)


def _modules(run: Run, ref: Ref, instance: Instance, arguments: Arguments, node: ir.Node) -> Ref:
    return Ref(List("generator", [inner for _, inner in _named(run, ref, instance, node)], is_open(instance)))


def _named_modules(run: Run, ref: Ref, instance: Instance, arguments: Arguments, node: ir.Node) -> Ref:
    pairs = [Ref(List("tuple", [Ref(name), inner])) for name, inner in _named(run, ref, instance, node)]
    return Ref(List("generator", pairs, is_open(instance)))


def _named(run: Run, ref: Ref, instance: Instance, node: ir.Node) -> Iterator[tuple[Value, Ref]]:
    """A module and all below it; where calls are not followed, one stands for those that nobody has seen made."""
    yield from submodules(instance, ref)
    if run.oracle.alone and is_open(instance):
        yield run.unknown(run.key(node)), Ref(run.unknown(run.key(node)))


def _submodule(run: Run, ref: Ref, instance: Instance, arguments: Arguments, node: ir.Node) -> Ref:
    """`get_submodule`: the layer of that name; of a name from out of view, one for which it makes a difference."""
    target, layers = resolve(arguments.get(0, "target")), dict(submodules(instance, ref))
    found = layers.get(target) if isinstance(target, str) else layer_to_ask(list(layers.values()))
    return found if found is not None else Ref(run.unknown(run.key(node)))


def _children(run: Run, ref: Ref, instance: Instance, arguments: Arguments, node: ir.Node) -> Ref:
    return Ref(List("generator", [ref.has(child) for _, child in children_of(instance)]))


def _named_children(run: Run, ref: Ref, instance: Instance, arguments: Arguments, node: ir.Node) -> Ref:
    return Ref(
        List("generator", [Ref(List("tuple", [Ref(name), ref.has(child)])) for name, child in children_of(instance)])
    )


def _mode(training: bool) -> Callable[[Run, Ref, Instance, Arguments, ir.Node], Ref]:
    def set_mode(run: Run, ref: Ref, instance: Instance, arguments: Arguments, node: ir.Node) -> Ref:
        wanted = resolve(arguments.get(0, "mode"))
        mode = Ref(training if wanted is None else wanted)
        if training or run.special_method(ref, "train", (mode,), node) is None:
            _set_mode(run, ref, instance, mode, node, set())
        return ref

    return set_mode


def _set_mode(run: Run, ref: Ref, instance: Instance, mode: Ref, node: ir.Node, seen: set[int]) -> None:
    """Set the mode of a module, and have its children do so, some of which have a method of their own for that."""
    instance.give("training", mode)
    seen.add(id(instance))
    for _, child in children_of(instance):
        module = resolve(child.value)
        if isinstance(module, Instance) and id(module) not in seen:
            seen.add(id(module))
            if run.special_method(ref.has(child), "train", (mode,), node) is None:
                _set_mode(run, ref.has(child), module, mode, node, seen)


def _itself(run: Run, ref: Ref, instance: Instance, arguments: Arguments, node: ir.Node) -> Ref:
    return ref


def _requires_grad_(run: Run, ref: Ref, instance: Instance, arguments: Arguments, node: ir.Node) -> Ref:
    wanted = resolve(arguments.get(0, "requires_grad"))
    for _, own in parameters_of(instance):
        tensor = resolve(own.value)
        if isinstance(tensor, Tensor) and tensor.is_leaf:
            tensor.autograd_meta.need = NO if wanted is False else YES
    return ref


def _nothing(run: Run, ref: Ref, instance: Instance, arguments: Arguments, node: ir.Node) -> Ref:
    return Ref(None)


def _zero_grad(run: Run, ref: Ref, instance: Instance, arguments: Arguments, node: ir.Node) -> Ref:
    tensors = (resolve(own.value) for _, own in parameters_of(instance))
    forget_gradients(run, (tensor for tensor in tensors if isinstance(tensor, Tensor)), arguments, node)
    return Ref(None)


def _register(run: Run, ref: Ref, instance: Instance, arguments: Arguments, node: ir.Node) -> Ref:
    """`register_buffer`, `register_parameter`, `add_module`."""
    name = resolve(arguments.get(0, "name"))
    passed = arguments.positional[1] if len(arguments.positional) > 1 else None
    for key in ("tensor", "param", "module"):
        passed = passed or arguments.keywords.get(key)
    if not isinstance(name, str) or passed is None:
        if isinstance(instance.children, List) and passed is not None:
            instance.children.items.append(passed.ref)
        return Ref(None)
    if isinstance(instance.children, List):
        name_child(instance.children, name, passed.ref)
    elif isinstance(instance.children, Dict):
        instance.children.items[identity(name)] = passed.ref
    value, label = passed.ref.value, f"self.{name}"
    made = run.store(run.place(instance, name), label, "attribute", value, run.site(node), passed.ref)
    if instance.children is None:
        instance.give(name, made)
    return Ref(None)


def _on_children(name: str) -> Callable[[Run, Ref, Instance, Arguments, ir.Node], Ref]:
    def forwarded(run: Run, ref: Ref, instance: Instance, arguments: Arguments, node: ir.Node) -> Ref:
        if instance.children is None:
            return Ref(unknown_call(run, name, arguments, node))
        given = [_as_children(each) for each in arguments.positional] if name in _JOINING else arguments.positional
        passed = Arguments(given, arguments.keywords, arguments.open)
        result = run.call_method(Builtin(Ref(instance.children), name), passed, node)
        return ref if name in ("append", "extend", "insert") else result

    return forwarded


# What these are given is gone through, item by item.
_JOINING = frozenset({"extend", "update"})


def _as_children(passed: Passed) -> Passed:
    """What is passed, or the layers in it, if it is a container of layers: `layers.extend(nn.ModuleList(...))`."""
    value = resolve(passed.ref.value)
    held = value.children if isinstance(value, Instance) else None
    return passed if held is None else replace(passed, ref=Ref(held))


def _apply(run: Run, ref: Ref, instance: Instance, arguments: Arguments, node: ir.Node) -> Ref:
    if arguments.positional:
        for _, inner in list(submodules(instance))[:16]:
            passed = Passed(inner, node, "", run.torch.clock)
            run.call(arguments.positional[0].ref, Arguments([passed]), node)
    return ref


def _state_dict(run: Run, ref: Ref, instance: Instance, arguments: Arguments, node: ir.Node) -> Ref:
    """References to the module's own memory, detached."""
    made = Dict(open=is_open(instance))
    for name, own in _named_tensors(instance, ref):
        tensor = resolve(own.value)
        if isinstance(tensor, Tensor):
            value = run.torch.detach(tensor, run.site(node))
            label = f"state_dict()[{name.rpartition('.')[2]!r}]"
            key = Constant(name)
            entry = run.ref(run.place(made, key), label, "element", value, run.site(node), own, "state_dict")
            made.items[key] = entry
    return Ref(made)


def _load_state_dict(run: Run, ref: Ref, instance: Instance, arguments: Arguments, node: ir.Node) -> Ref:
    """Copies into every parameter and buffer, under no_grad; with `assign=True` they are put in their places."""
    state = arguments.split("state_dict")[0]
    given_as = state.ref if state is not None else Ref(None)
    source = resolve(given_as.value)
    assigned = resolve(arguments.get(2, "assign")) is True
    at_once = given_as.binding is None and not assigned  # `target.load_state_dict(net.state_dict())`: by which names?
    tensors = _named_tensors(instance, ref if at_once else None)
    own: dict[Hashable, Ref] = {Constant(name): tensor for name, tensor in tensors}
    unchanged: list[Tensor] = []
    for key, entry in source.items.items() if isinstance(source, Dict) else ():
        tensor, target = resolve(entry.value), own.get(key)
        if isinstance(tensor, Tensor):
            given = Operand(tensor, run.site(node), entry.binding, run.torch.clock, "", given_as.has(entry).way)
            there = resolve(target.value) if target is not None else None
            alike = isinstance(there, Tensor) and same(there, tensor)
            twin = replace(given, binding=target.binding, way=target.way) if alike and target is not None else None
            run.torch.read(given, LOAD_STATE_DICT, twin=twin)
            if not alike:
                note_loaded(run, entry.binding, tensor)
            unchanged += [tensor, there] if isinstance(there, Tensor) and alike else []
            if assigned and target is not None and isinstance(there, Tensor):
                _assign(run, target, there, entry, node)
    if not assigned:
        _write_all(run, instance, node, LOAD_STATE_DICT, unchanged)
    note_loaded_state(run, state, len(unchanged) // 2, node)
    return Ref(None)


def _named_tensors(instance: Instance, root: Ref | None = None) -> Iterator[tuple[str, Ref]]:
    """What a module and those below it hold, by the keys of its state; `root` is how the module was reached."""
    for prefix, inner in submodules(instance, root):
        module = resolve(inner.value)
        for name, own in own_tensors(module) if isinstance(module, Instance) else ():
            yield f"{prefix}.{name}" if prefix else name, own if root is None else inner.has(own)


def _assign(run: Run, target: Ref, old: Tensor, entry: Ref, node: ir.Node) -> None:
    """Put a tensor of a state in the place of a parameter or buffer: the memory is the state's own."""
    given = resolve(entry.value)
    assert isinstance(given, Tensor)
    made = run.torch.detach(given, run.site(node))
    made.autograd_meta = AutogradMeta(
        old.autograd_meta.need, parameter=old.autograd_meta.parameter, site=run.site(node)
    )
    made.label = old.label
    label = target.binding.label if target.binding is not None else old.label
    place = target.binding.place if target.binding is not None else run.place(target, label)
    stored = run.store(place, label, "attribute", made, run.site(node), entry)
    target.value, target.binding = stored.value, stored.binding


def _write_all(run: Run, instance: Instance, node: ir.Node, op: str, unchanged: Collection[Tensor]) -> None:
    """Write all parameters; those that are put where they were keep their values, though the version goes up."""
    with modes(run.torch, grad=False):
        for _, own in parameters_of(instance):
            tensor = resolve(own.value)
            if isinstance(tensor, Tensor):
                target = Operand(tensor, run.site(node), own.binding, run.torch.clock, "")
                write = run.torch.writing(target, op, run.site(node), NO, True, "statement")
                write.certain = tensor not in unchanged
                run.torch.emit(write)


def _hook(kind: str) -> Callable[[Run, Ref, Instance, Arguments, ir.Node], Ref]:
    def register(run: Run, ref: Ref, instance: Instance, arguments: Arguments, node: ir.Node) -> Ref:
        return hooks.register(run, instance, kind, arguments)

    return register


def _forward(run: Run, ref: Ref, instance: Instance, arguments: Arguments, node: ir.Node) -> Ref:
    return run.call_module(ref, instance, arguments, node)


def _cast(name: str) -> Callable[[Run, Ref, Instance, Arguments, ir.Node], Ref]:
    def cast(run: Run, ref: Ref, instance: Instance, arguments: Arguments, node: ir.Node) -> Ref:
        given = [resolve(passed.ref.value) for passed in arguments.all()]
        asked = given if name in ("to", "type") else [Library(f"torch.{name}")]
        kinds = [kind for value in asked if isinstance(value, Library) and (kind := dtype_named(value.name))]
        if kinds or "dtype" in " ".join([*arguments.keywords, *(passed.text for passed in arguments.all())]):
            for _, module in submodules(instance):
                for _, own in own_tensors(module.value) if isinstance(module.value, Instance) else ():
                    if isinstance(tensor := resolve(own.value), Tensor) and tensor.dtype not in ("int", "bool"):
                        tensor.precision = kinds[0][1] if kinds else None
        return ref

    return cast


METHODS: dict[str, Callable[[Run, Ref, Instance, Arguments, ir.Node], Ref]] = {
    "parameters": _parameters,
    "named_parameters": _named_parameters,
    "buffers": _buffers,
    "named_buffers": _named_buffers,
    "modules": _modules,
    "named_modules": _named_modules,
    "get_submodule": _submodule,
    "children": _children,
    "named_children": _named_children,
    "train": _mode(True),
    "eval": _mode(False),
    "requires_grad_": _requires_grad_,
    "zero_grad": _zero_grad,
    "register_buffer": _register,
    "register_parameter": _register,
    "add_module": _register,
    "register_module": _register,
    "apply": _apply,
    "state_dict": _state_dict,
    "load_state_dict": _load_state_dict,
    "forward": _forward,
    "register_forward_hook": _hook("forward"),
    "register_forward_pre_hook": _hook("forward_pre"),
    "register_full_backward_hook": _hook("backward"),
    "register_backward_hook": _hook("backward"),
    "register_full_backward_pre_hook": _hook("backward"),
    "__init__": _nothing,
    **{name: _on_children(name) for name in "append extend insert pop keys values items clear update".split()},
    **dict.fromkeys("cuda cpu to_empty share_memory".split(), _itself),
    "compile": _nothing,
    **{name: _cast(name) for name in "to type float half double bfloat16".split()},
}
