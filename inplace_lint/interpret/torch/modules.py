"""`torch.nn` modules: how they are built, what calling them does, and the methods of `nn.Module`."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import cache, partial

from inplace_lint.effort import STEP
from inplace_lint.interpret.state.classes import class_member, own_attribute
from inplace_lint.interpret.state.conditions import asks_in_place
from inplace_lint.interpret.state.keys import Field, spelled
from inplace_lint.interpret.state.result_binding import result_binding
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import (
    Arguments,
    Class,
    Dict,
    Function,
    Instance,
    List,
    Option,
    Passed,
    Ref,
    Unknown,
    Value,
    identity,
    resolve,
)
from inplace_lint.interpret.torch import asked_layers, embeddings, hooks, optimizers, rates, statistics
from inplace_lint.interpret.torch.module_methods import METHODS
from inplace_lint.interpret.torch.module_tree import DICTS, LISTS, bases_of, is_module
from inplace_lint.interpret.torch.ops import bind, run_either, unknown_call
from inplace_lint.interpret.torch.overloads import choose, same_for_all, supposed
from inplace_lint.source import ir
from inplace_lint.torch_model.effects import COMPUTED, REQUIRED, Effects, ModuleSpec
from inplace_lint.torch_model.emission import emitting
from inplace_lint.torch_model.events import Write
from inplace_lint.torch_model.modes import modes
from inplace_lint.torch_model.op_table import table
from inplace_lint.torch_model.operands import Operand
from inplace_lint.torch_model.spellings import is_inplace_option
from inplace_lint.torch_model.tensor import NO, YES, AutogradMeta, RequiresGrad, Tensor


def spec_of(name: str) -> ModuleSpec | None:
    """What the table says of a module class."""
    return table().module(name)


def prepare(instance: Instance, bases: list[str]) -> None:
    """Give a container of modules, or what derives from a list or dictionary, its empty children."""
    if any(base in LISTS or base in ("builtins.list", "collections.deque") for base in bases):
        instance.children = List("list")
    elif any(base in DICTS or base == "builtins.dict" for base in bases):
        instance.children = Dict()


def build(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Value:
    """An instance of a class of `torch.nn`."""
    if asked_layers.is_asked(arguments) and not asked_layers.takes_option(spec_of(name)):
        return asked_layers.asked_layer(run, run.spelled(node.func) if isinstance(node, ir.Call) else name, node)
    instance = Instance(name, key=run.key(node), label=name.rpartition(".")[2], built=run.site(node))
    prepare(instance, [name])
    initialize(run, instance, [name], arguments, node)
    return instance


def initialize(run: Run, instance: Instance, bases: list[str], arguments: Arguments, node: ir.Node) -> None:
    """Run the library's `__init__`."""
    if instance.children is not None:
        _fill(run, instance, arguments, node)
        return
    spec = next((spec for base in bases if (spec := spec_of(base)) is not None), None)
    if spec is None:
        return
    given = [passed.ref for passed in arguments.positional]
    for index, (name, default) in enumerate(spec.init):
        if name in arguments.keywords:
            ref = arguments.keywords[name].ref
        elif index < len(given):
            ref = given[index]
        elif default in (REQUIRED, COMPUTED):
            ref = Ref(run.unknown(Field(name, instance.key)))
        else:
            ref = Ref(default)
        held = asks_in_place(run, ref.value) if is_inplace_option(name) else resolve(ref.value)
        instance.asked |= held is True and isinstance(ref.value, Option)
        instance.held.setdefault(name, Ref(held))
    for names, need in ((spec.parameters, YES), (spec.buffers, NO)):
        for name in names:
            absent = name == "bias" and resolve(instance.held.get("bias", Ref(True)).value) is False
            value = None if absent else _own_tensor(run, node, name, need)
            place = run.place(instance, name)
            instance.held.pop(name, None)  # the option `bias` came before the weight, its parameter comes after
            instance.give(name, run.ref(place, name, "attribute", value, run.site(node), None))


def _own_tensor(run: Run, node: ir.Node, name: str, need: RequiresGrad) -> Tensor:
    made = run.torch.tensor(run.site(node), NO, dtype="float", precision="float32", label=name)
    made.autograd_meta = AutogradMeta(need, parameter=bool(need), site=run.site(node))
    made.inference = False
    return made


def _fill(run: Run, instance: Instance, arguments: Arguments, node: ir.Node) -> None:
    first = resolve(arguments.positional[0].ref.value) if arguments.positional else None
    if isinstance(instance.children, Dict):
        if isinstance(first, Dict):
            instance.children = Dict(dict(first.items), first.open)
        elif isinstance(first, List):
            _update(run, instance.children, first)
    elif isinstance(instance.children, List):
        if isinstance(first, Dict):
            instance.children = List("list", list(first.items.values()), first.open, tuple(map(spelled, first.items)))
        elif isinstance(first, List):
            instance.children = List("list", list(first.items), first.open)
        elif (
            bases_of(instance)[-1:] != ["torch.nn.Sequential"]
            and arguments.positional
            and not isinstance(first, Instance)
        ):
            items = run.elements(arguments.positional[0].ref, node)
            instance.children = List("list", list(items.items), items.open)
        else:
            instance.children = List("list", [p.ref for p in arguments.positional], arguments.open)


def _update(run: Run, children: Dict, pairs: List) -> None:
    for item in pairs.items:
        pair = resolve(item.value)
        if isinstance(pair, List) and len(pair.items) == 2:
            children.items[identity(resolve(pair.items[0].value))] = pair.items[1]
    children.open |= pairs.open


def call_instance(run: Run, ref: Ref, instance: Instance, arguments: Arguments, node: ir.Node) -> Ref:
    """Call an object: `forward` of a module with its hooks, or `__call__`."""
    run.torch.trace.effort.spend(5 * STEP)
    for name in instance.declared:
        instance.held.pop(name, None)
    if isinstance(instance.cls, Class):
        member = class_member(run, instance.cls, "__call__")
        if member is not None and isinstance(member.value, Function):
            return run.call_function(member.value, arguments, node, ref)
    if not is_module(instance):
        return Ref(unknown_call(run, instance.label, arguments, node))
    arguments = hooks.before(run, ref, instance, arguments, node)
    before, effort = run.oracle.effort.left, run.oracle.effort
    result = forward(run, ref, instance, arguments, node)
    if instance.guess and isinstance(instance.cls, Class):
        effort.note_cost(instance.cls.code, before)
    return hooks.after(run, ref, instance, arguments, result, node)


def forward(run: Run, ref: Ref, instance: Instance, arguments: Arguments, node: ir.Node) -> Ref:
    """Run `forward` of a module."""
    own = instance.attribute("forward")
    if own is not None:
        return run.call(own, arguments, node)
    if isinstance(instance.cls, Class):
        member = class_member(run, instance.cls, "forward")
        if member is not None and isinstance(member.value, Function):
            with emitting(run.torch, _note_evaluated) if _is_evaluated(instance) else nullcontext():
                return run.call_function(member.value, arguments, node, ref)
    return library_forward(run, ref, instance, arguments, node)


def _is_evaluated(instance: Instance) -> bool:
    """Whether a module is known to be in evaluation mode: the program has said so."""
    mode = instance.attribute("training")
    return mode is not None and resolve(mode.value) is False


def _note_evaluated(write: Write) -> None:
    write.marked |= {"evaluated"}


def library_forward(run: Run, module: Ref, instance: Instance, arguments: Arguments, node: ir.Node) -> Ref:
    """Run the `forward` that `torch.nn` defines."""
    if instance.children is not None:
        return _sequential(run, module, instance, arguments, node)
    spec = next((spec for base in bases_of(instance) if (spec := spec_of(base)) is not None), None)
    if spec is None:
        return Ref(unknown_call(run, instance.label, arguments, node))
    name = next(base for base in bases_of(instance) if spec_of(base) is not None)
    if name == "torch.nn.Identity":
        return _passed_on(run, module, arguments)
    selecting = Arguments(arguments.positional, dict(arguments.keywords), arguments.open)
    rows = [row for row in spec.forward if _selected(run, instance, row.given)]
    row = choose(run, tuple(_without_given(row) for row in rows), selecting)
    if row is None:
        return Ref(unknown_call(run, instance.label, arguments, node))
    bound = bind(run, row, arguments, node)
    for own in (*spec.parameters, *spec.buffers):
        ref = own_attribute(run, instance, own, node)
        tensor = resolve(ref.value) if ref is not None else None
        if ref is not None and isinstance(tensor, Tensor):
            bound[own] = Operand(tensor, run.site(node), ref.binding, run.torch.clock, own, module.has(ref).way)
    norm = instance.attribute("max_norm") if name in embeddings.LAYERS else None
    embeddings.renormalize(run, bound.get("weight"), resolve(norm.value) if norm is not None else None, node)
    row = _as_built(_without_writes(row, (*spec.parameters, *spec.buffers)), instance)
    with _asking(run, instance), emitting(run.torch, partial(_note_layer, run, instance)):
        zero = rates.row_at_zero(spec.forward, lambda param: _setting(instance, param))
        value = run_either(run, zero, asked_layers.name_of(instance, name), row, bound, node, arguments)
    if _tracks(run, instance, name):
        statistics.update(run, name, value, bound, node)
    first = arguments.positional[0].ref if arguments.positional else None
    return Ref(value, result_binding(run, value, first))


def _asking(run: Run, instance: Instance) -> AbstractContextManager[None]:
    """A block in which writes are declared, if an option of the program has asked the layer for them."""
    return modes(run.torch, documented=True) if instance.asked else nullcontext()


def _setting(instance: Instance, name: str) -> Value:
    """What a layer was built with."""
    ref = instance.attribute(name)
    return ref.value if ref is not None else None


def _passed_on(run: Run, module: Ref, arguments: Arguments) -> Ref:
    """What `nn.Identity` gives; another object may have a layer in its place."""
    if module.binding is not None and module.binding.kind == "attribute":
        run.oracle.wanted.add(module.binding.label.rpartition(".")[2])
    return arguments.positional[0].ref if arguments.positional else Ref(None)


def _note_layer(run: Run, instance: Instance, write: Write) -> None:
    write.built = instance.built
    if instance.stands_in:
        asked_layers.note_supposed(run, instance, write)


@cache
def _without_writes(row: Effects, names: tuple[str, ...]) -> Effects:
    """`row`, if it writes some of `names` only as `max_norm` asks."""
    return replace(row, writes=tuple(written for written in row.writes if written not in names))


def _as_built(row: Effects, instance: Instance) -> Effects:
    """`row`, without saves of inputs if the layer copies these."""
    return _without_saved_inputs(row) if _turns_inputs(instance) else row


def _turns_inputs(instance: Instance) -> bool:
    """Whether a recurrent or attention layer copies its inputs with the batch second, and saves the copies.

    A layer that normalizes its inputs first saves them all the same.
    """
    batch, norm = (instance.attribute(name) for name in ("batch_first", "norm_first"))
    turned = batch is not None and resolve(batch.value) is True
    return turned and (norm is None or resolve(norm.value) is False)


@cache
def _without_saved_inputs(row: Effects) -> Effects:
    inputs = {param.name for param in row.params if param.kind == "tensor"}
    return replace(row, saves=tuple(save for save in row.saves if save.what not in inputs))


def _tracks(run: Run, instance: Instance, name: str) -> bool:
    """Whether a layer is one of batch norm, in training."""
    ref = instance.attribute("training")
    training = True if ref is None else resolve(ref.value)
    return name.startswith("torch.nn.BatchNorm") and training is True


@cache
def _without_given(row: Effects) -> Effects:
    return replace(row, given=())


def _selected(run: Run, instance: Instance, given: tuple[tuple[str, object], ...]) -> bool:
    for name, wanted in given:
        ref = instance.attribute(name)
        value = same_for_all(resolve(ref.value)) if ref is not None else True if name == "training" else None
        if isinstance(value, Unknown):
            value = supposed(run, value, wanted, likely=False)
        if value != wanted:
            return False
    return True


def _sequential(run: Run, module: Ref, instance: Instance, arguments: Arguments, node: ir.Node) -> Ref:
    assert instance.children is not None
    children = instance.children.items
    refs = list(children) if isinstance(children, list) else list(children.values())
    current = arguments
    result = arguments.positional[0].ref if arguments.positional else Ref(None)
    for child in refs:
        result = run.call(module.has(child), current, node)
        current = Arguments([Passed(result, node, "", run.torch.clock)])
    return result


def has_method(instance: Instance, name: str) -> bool:
    """Whether a method of a class of PyTorch is understood."""
    if optimizers.is_optimizer(instance):
        return name in optimizers.METHODS
    return is_module(instance) and name in METHODS


def call_method(run: Run, ref: Ref, instance: Instance, name: str, arguments: Arguments, node: ir.Node) -> Ref:
    """Call a method that a class of PyTorch defines."""
    if optimizers.is_optimizer(instance) and name in optimizers.METHODS:
        return optimizers.METHODS[name](run, instance, arguments, node)
    if name in METHODS and is_module(instance):
        return METHODS[name](run, ref, instance, arguments, node)
    return Ref(unknown_call(run, f"{instance.label}.{name}", arguments, node))
