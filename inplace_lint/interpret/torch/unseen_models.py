"""Models of which the program shows nothing: one parameter stands for all that such a model has, and one buffer.

What is known of it is what every module does: its call saves parameters for backward, and its state is their memory.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial

from inplace_lint.interpret.state.classes import library_bases
from inplace_lint.interpret.state.keys import Answer, Attribute, HasBuffers, IsModel, Key, key_of
from inplace_lint.interpret.state.names import look_up
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import Arguments, Dict, List, Ref, Unknown, Value, resolve
from inplace_lint.interpret.torch.asked_layers import asked_layer, is_asked, names_layer
from inplace_lint.interpret.torch.module_tree import GIVING_ITSELF, is_module_class
from inplace_lint.interpret.torch.ops import operand_of, unknown_call
from inplace_lint.interpret.torch.own_states import note_loaded_state
from inplace_lint.interpret.torch.states import note_loaded
from inplace_lint.interpret.torch.training import fills_gradients, forget_gradients
from inplace_lint.judgement.pair import links_of
from inplace_lint.judgement.reason import suspect
from inplace_lint.source import ir
from inplace_lint.source.class_names import names_model
from inplace_lint.source.place import Site
from inplace_lint.torch_model.gradients import gradient_binding
from inplace_lint.torch_model.labels import is_own, last_name, without_keys
from inplace_lint.torch_model.modes import modes
from inplace_lint.torch_model.op_names import LOAD_STATE_DICT, OPTIMIZER_STEP, ZERO_GRAD
from inplace_lint.torch_model.operands import Keeper, Operand
from inplace_lint.torch_model.tensor import NO, Node, RequiresGrad, Save, Tensor, assumed, same

BUFFERS_SAVED = suspect(
    "buffers-saved",
    "same-name",
    "a model saves its buffers for backward, as batch norm does",
    """
    import torch

    net = eval("torch.nn.Linear(2, 1)")
    first = net(torch.ones(2))
    for buffer in net.buffers():
        buffer.copy_(torch.zeros(2))
    loss = first + net(torch.zeros(2))
    loss.sum().backward()
    """,
)

INPUT_SAVED = suspect(
    "input-saved",
    "same-name",
    "a layer that its module was given saves its input, which the same statement may not overwrite",
    """
    import torch
    from torch import nn


    class Residual(nn.Module):
        def __init__(self, layer):
            super().__init__()
            self.layer = layer

        def forward(self, x):
            x += self.layer(x)
            return x


    result = Residual(eval("nn.Linear(2, 2)"))(torch.ones(1, 2))
    """,
)


def some_parameter(run: Run, node: ir.Node) -> Tensor:
    """A parameter of a model that nobody has seen."""
    made = run.torch.tensor(run.site(node), assumed("the parameter"), label="parameter", external=True)
    made.autograd_meta.parameter = True
    return made


def call_model(run: Run, model: Unknown, arguments: Arguments, node: ir.Node) -> Value:
    """Call what nobody knows: a model saves its parameters, very likely its buffers, and as a layer its input."""
    if names_layer(model.label) and is_asked(arguments):
        return asked_layer(run, model.label, node)
    refs = _kept_by(run, model, node)
    tensors = [tensor for ref in refs if isinstance(tensor := resolve(ref.value), Tensor)]
    site, name = run.site(node), model.label or "the model"
    for tensor, ref in zip(tensors, refs, strict=True):
        run.torch.read(Operand(tensor, site, ref.binding, run.torch.clock, ""), name)
    own = _recorded(run, tensors, name, arguments, node) if run.torch.grad_mode else None
    return unknown_call(run, model.label, arguments, node, through=own)


def _kept_by(run: Run, model: Unknown, node: ir.Node) -> list[Ref]:
    """The parameter and the buffer of a model, if somebody has asked for them."""
    parameter = _parameter_of(run, model, node) if IsModel(model.key) in run.proven.facts else None
    buffer = _buffer_of(run, model, node) if BUFFERS_SAVED.on and HasBuffers(model.key) in run.proven.facts else None
    run.parameters.setdefault(model.key, None)
    run.buffers.setdefault(model.key, None)
    return [ref for ref in (parameter, buffer) if ref is not None]


def _recorded(run: Run, kept: list[Tensor], name: str, arguments: Arguments, node: ir.Node) -> Node | None:
    """What the call of a model records for backward; None if it very likely saves nothing."""
    parameter = next((tensor for tensor in kept if tensor.is_parameter), None)
    need, site = parameter.need if parameter is not None else assumed("the parameter"), run.site(node)
    saves = [_saved(run, tensor, name, site, need) for tensor in kept] if need else []
    if need and (given := _input_saved(run, arguments, node)) is not None:
        need = need if saves else given.need
        saves.append(given)
    if not saves:
        return None
    run.torch.saved.extend(saves)
    edges = run.torch.edges([tensor for tensor in kept if tensor.need], site)
    return Node(name, site, edges, tuple(saves), need, made_at=run.torch.clock)


def _saved(run: Run, tensor: Tensor, name: str, site: Site, need: RequiresGrad) -> Save:
    """What a model keeps of a parameter or buffer for backward."""
    return Save(
        name, "", site, run.torch.stack, tensor.label, tensor.storage, tensor.counter, tensor.counter.value, False,
        need, run.torch.tick(), leaf=bool(tensor.need),
    )  # fmt: skip


# What these give depends on the shape of what they are given only, or saves nothing of it.
_SAVING_NONE = re.compile("pos|emb|drop|mask|bias|noise|pad|rotary|identity|shift|shape|size")


def _input_saved(run: Run, arguments: Arguments, node: ir.Node) -> Save | None:
    """What a layer that a module was given saves of its input; None if it very likely saves nothing."""
    given = operand_of(run, arguments.positional[0]) if arguments.positional else None
    called = own_layer(run, node) if isinstance(node, ir.Call) else ""
    if not (INPUT_SAVED.on and isinstance(given, Operand) and called):
        return None
    name = last_name(without_keys(called))
    if _SAVING_NONE.search(name) or given.tensor.dtype in ("int", "bool"):
        return None
    tensor, told = given.tensor, assumed(f"`{called}`", "saves its input")
    return Save(
        name, "", run.site(node), run.torch.stack, given.text, tensor.storage, tensor.counter, tensor.counter.value,
        False, told, run.torch.tick(), tensor.certain, statement=run.torch.statement, place=given.site,
        writes_before=len(tensor.storage.writes),
    )  # fmt: skip


def own_layer(run: Run, node: ir.Call) -> str:
    """How a method of a module spells the layer that it calls, its own or one of a list; "" if it calls none."""
    called = run.spelled(node.func) if is_of_module(run) else ""
    own = is_own(called) or (called and isinstance(node.func, ir.Name) and _is_out_of_list(look_up(run, node.func)))
    return called if own else ""


def _is_out_of_list(variable: Ref) -> bool:
    """Whether a variable is an element, of which nobody knows the class, of what a module keeps or calls its layers."""
    links = list(links_of(variable.binding))
    unseen = isinstance(variable.value, Unknown) and any(link.kind == "element" for link in links)
    return unseen and any(is_own(link.label) or _LAYERS.search(link.label) for link in links)


_LAYERS = re.compile("layer|block|module|stage")


def is_of_module(run: Run) -> bool:
    """Whether a method of a module of the program is run."""
    cls = run.frame.self_class
    return cls is not None and any(map(is_module_class, library_bases(cls)))


def _parameter_of(run: Run, model: Unknown, node: ir.Node, called: Ref | None = None) -> Ref:
    """The parameter that stands for a model's, which may be `called` otherwise than where it was first met."""
    made = _one_for_all(run, model, run.parameters, IsModel(model.key), partial(some_parameter, run, node))
    if made.binding is not None and called is not None and called.binding is not None:
        made.binding.container = called.binding.label
    return made


def _buffer_of(run: Run, model: Unknown, node: ir.Node) -> Ref:
    """The buffer that stands for a model's: as batch norm does, such a model saves it."""
    make = partial(run.torch.tensor, run.site(node), NO, label="buffer", external=True)
    return _one_for_all(run, model, run.buffers, HasBuffers(model.key), make, "buffers")


def _one_for_all(
    run: Run,
    model: Unknown,
    known: dict[Key, Ref | None],
    fact: IsModel | HasBuffers,
    make: Callable[[], Tensor],
    keeper: Keeper = "",
) -> Ref:
    """The tensor that stands for all of a model's parameters, or buffers, now that these are asked for.

    Args:
        known: those of all models.
        fact: what is known of the model from now on, on other paths as well.
    """
    if fact not in run.proven.facts:
        run.proven.facts.add(fact)
        run.proven.needs_rerun |= model.key in known  # it was called before, and has saved them
    made = known.get(model.key)
    if made is None:
        tensor = make()
        made = known[model.key] = run.ref(
            (model.key, tensor.label), tensor.label, "attribute", tensor, None, None, keeper
        )
    return made


def _tensor_of(run: Run, model: Unknown, node: ir.Node) -> Tensor:
    tensor = _parameter_of(run, model, node).value
    assert isinstance(tensor, Tensor)
    return tensor


def _parameters(run: Run, receiver: Ref, model: Unknown, arguments: Arguments, node: ir.Node) -> Ref:
    return Ref(List("generator", [_parameter_of(run, model, node, receiver)], True))


def _named_parameters(run: Run, receiver: Ref, model: Unknown, arguments: Arguments, node: ir.Node) -> Ref:
    named = List("tuple", [Ref(run.unknown(_name())), _parameter_of(run, model, node, receiver)])
    return Ref(List("generator", [Ref(named)], True))


def _buffers(run: Run, receiver: Ref, model: Unknown, arguments: Arguments, node: ir.Node) -> Ref:
    """All of them, whatever they are; who asks for their names may leave out those that are saved."""
    return Ref(List("generator", [_buffer_of(run, model, node)], True))


def _name() -> Key:
    """The name of the parameter that stands for those of a model: copies of one model have the same names."""
    return key_of(Answer("named_parameters"))


def _requires_grad_(run: Run, receiver: Ref, model: Unknown, arguments: Arguments, node: ir.Node) -> Ref:
    if resolve(arguments.get(0, "requires_grad")) is False:
        _tensor_of(run, model, node).autograd_meta.need = NO
    return receiver


def _is_model(run: Run, value: Unknown) -> bool:
    """Whether its name, its annotation or what was asked of it says that a value is a model.

    It may have been called before: an optimizer, which has a state, too, is not called.
    """
    told = (value.annotation is not None and value.annotation.name == "Module") or value.key in run.buffers
    return told or names_model(value.label) or IsModel(value.key) in run.proven.facts


def _state_dict(run: Run, receiver: Ref, model: Unknown, arguments: Arguments, node: ir.Node) -> Ref:
    """References to the model's own memory, detached; optimizers have such a method, too."""
    if not _is_model(run, model):
        run.parameters.setdefault(model.key, None)
        return Ref(unknown_call(run, f"{model.label}.state_dict", arguments, node))
    parameter, made = _parameter_of(run, model, node), Dict(open=True)
    value, label = run.torch.detach(_tensor_of(run, model, node), run.site(node)), "state_dict()[...]"
    name = _name()
    made.items[name] = run.ref(run.place(made, name), label, "element", value, run.site(node), parameter, "state_dict")
    return Ref(made)


def _load_state_dict(run: Run, receiver: Ref, model: Unknown, arguments: Arguments, node: ir.Node) -> Ref:
    """Copies into the parameters, under `no_grad`."""
    state = arguments.split("state_dict")[0]
    source = resolve(state.ref.value) if state is not None else None
    for ref in source.items.values() if isinstance(source, Dict) else ():
        if isinstance(loaded := resolve(ref.value), Tensor):
            note_loaded(run, ref.binding, loaded)
    own = run.parameters.get(model.key)
    if own is None and isinstance(source, Dict) and _name() in source.items:
        own = _parameter_of(run, model, node)  # What takes the state of a model is one.
    parameter = own.value if own is not None else None
    entry = source.items.get(_name()) if isinstance(source, Dict) else None
    tensor = resolve(entry.value) if entry is not None else None
    alike = isinstance(parameter, Tensor) and isinstance(tensor, Tensor) and same(parameter, tensor)
    if _is_model(run, model):
        note_loaded_state(run, state, int(alike), node)
    if own is None or entry is None or not isinstance(parameter, Tensor) or not isinstance(tensor, Tensor):
        return Ref(unknown_call(run, f"{model.label}.load_state_dict", arguments, node))
    given = Operand(tensor, run.site(node), entry.binding, run.torch.clock, "")
    target = Operand(parameter, run.site(node), own.binding, run.torch.clock, parameter.label)
    run.torch.read(given, LOAD_STATE_DICT, twin=target if alike else None)
    if not alike:
        with modes(run.torch, grad=False):
            run.torch.write(target, LOAD_STATE_DICT, run.site(node), NO, True, "statement")
    return Ref(None)


_OPTIMIZERS = ("optimizer", "optim", "opt")


def _step(run: Run, receiver: Ref, optimizer: Unknown, arguments: Arguments, node: ir.Node) -> Ref:
    """An optimizer that nobody has seen steps the one model of which anything is asked."""
    given = unknown_call(run, f"{optimizer.label}.step", arguments, node)
    models = [key for key, each in run.parameters.items() if each is not None]
    made = [each for each in run.parameters.values() if each is not None]
    own = len(made) == 1 and not _is_of_another(run, optimizer, models[0])
    parameter = made[0].value if own else None
    if not optimizer.label.lower().endswith(_OPTIMIZERS) or arguments.all() or not isinstance(parameter, Tensor):
        return Ref(given)
    with modes(run.torch, grad=False):
        target = Operand(parameter, run.site(node), made[0].binding, run.torch.clock, parameter.label)
        run.torch.write(target, OPTIMIZER_STEP, run.site(node), NO, True, "statement")
    return Ref(None)


def _is_of_another(run: Run, optimizer: Unknown, model: Key) -> bool:
    """Whether an object has the optimizer and a model of its own, and the model is that of another such object."""
    mine, theirs = optimizer.key.made, model.made
    if not (isinstance(mine, Attribute) and isinstance(theirs, Attribute)) or mine.of == theirs.of:
        return False
    return key_of(Attribute(mine.of, theirs.name)) in run.proven.reads


def _zero_grad(run: Run, receiver: Ref, owner: Unknown, arguments: Arguments, node: ir.Node) -> Ref:
    """Fills the gradients of the parameters with zeros, if it is told not to set them to None.

    An optimizer that nobody has seen may do so to any model that nobody has seen.
    """
    parameter = run.parameters.get(owner.key)
    if parameter is None and owner.label.lower().endswith(_OPTIMIZERS):
        models = [resolve(each.value) for each in run.parameters.values() if each is not None]
        forget_gradients(run, [each for each in models if isinstance(each, Tensor)], arguments, node)
    if parameter is not None and isinstance(known := resolve(parameter.value), Tensor):
        forget_gradients(run, [known], arguments, node)
    elif fills_gradients(run, arguments):
        for ref in _gradients_of_groups(run, owner, node):
            if isinstance(gradient := resolve(ref.value), Tensor):
                target = Operand(gradient, run.site(node), ref.binding, run.torch.clock, "parameter.grad")
                run.torch.write(target, ZERO_GRAD, run.site(node), NO, True, "statement")
    return Ref(run.unknown(run.key(node)))


def _gradients_of_groups(run: Run, optimizer: Unknown, node: ir.Node) -> Iterator[Ref]:
    """The gradients that the program has taken out of the groups of an optimizer that nobody has seen."""
    groups = optimizer.parts.get("param_groups")
    below = [groups.value] if groups is not None else []
    seen: set[int] = set()  # A group may have what it is in.
    while below:
        each = below.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        meta = tensor.autograd_meta if isinstance(tensor := resolve(each), Tensor) else None
        if meta is not None and meta.grad is not None:
            yield Ref(meta.grad, gradient_binding(meta))
        for place, ref in each.parts.items() if isinstance(each, Unknown) else ():
            if place != "grad":
                below.append(ref.value)
            elif isinstance(ref.value, Unknown):
                yield Ref(run.promote(ref.value, run.site(node)), ref.binding)


def _itself(run: Run, receiver: Ref, model: Unknown, arguments: Arguments, node: ir.Node) -> Ref:
    return receiver


_Method = Callable[[Run, Ref, Unknown, Arguments, ir.Node], Ref]
_METHODS: dict[str, _Method] = {
    "parameters": _parameters,
    "named_parameters": _named_parameters,
    "buffers": _buffers,
    "requires_grad_": _requires_grad_,
    "state_dict": _state_dict,
    "load_state_dict": _load_state_dict,
    "step": _step,
    "zero_grad": _zero_grad,
}


def method(run: Run, model: Unknown, name: str) -> _Method | None:
    """What a method of that name does, of what nobody knows; None if that is not known either."""
    if name not in _METHODS and name in GIVING_ITSELF and _is_model(run, model):
        return _itself
    return _METHODS.get(name)
