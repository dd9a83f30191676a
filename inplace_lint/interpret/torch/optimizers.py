"""Optimizers: what `step` writes, and the moments that they keep.

Facts: `torch/optim/optimizer.py`, and `tests/test_optimizers.py`, which runs every optimizer.
"""

from __future__ import annotations

from collections.abc import Callable

from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.tensors_within import tensors_of
from inplace_lint.interpret.state.values import (
    Arguments,
    Dict,
    Function,
    Instance,
    Library,
    List,
    Method,
    Ref,
    Unknown,
    Value,
    resolve,
)
from inplace_lint.interpret.torch.module_tree import bases_of
from inplace_lint.interpret.torch.training import argument, forget_gradients
from inplace_lint.source import ir
from inplace_lint.torch_model.constant import Constant
from inplace_lint.torch_model.gradients import gradient_binding
from inplace_lint.torch_model.modes import modes
from inplace_lint.torch_model.op_names import LOAD_STATE_DICT, OPTIMIZER_STEP
from inplace_lint.torch_model.operands import Binding, Operand
from inplace_lint.torch_model.tensor import NO, Tensor


def optimizer(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Value:
    """An optimizer, with the parameters that it was given."""
    instance = Instance(name, key=run.key(node), label=name.rpartition(".")[2])
    remember_parameters(run, instance, arguments, node)
    return instance


def seems_optimizer(name: str, arguments: Arguments) -> bool:
    """Whether a class of a library that nobody sees makes an optimizer: of parameters, with a learning rate.

    A package that is named for it needs no rate. An average of parameters takes them, too, but has none.
    """
    package, _, last = name.rpartition(".")
    passed = argument(arguments, 0, "params")
    if passed is None or not last[:1].isupper() or not ("lr" in arguments.keywords or "optim" in package):
        return False
    given = resolve(passed.ref.value)
    items = [resolve(item.value) for item in given.items] if isinstance(given, List) else []
    return bool(items) and all(isinstance(item, Tensor) and item.is_parameter for item in items)


def remember_parameters(run: Run, instance: Instance, arguments: Arguments, node: ir.Node) -> None:
    """The parameters that an optimizer steps: a list of tensors, or of groups."""
    passed = argument(arguments, 0, "params")
    if passed is None:
        return
    loose, groups = List("list"), List("list")
    for item in run.elements(passed.ref, node).items:
        value = resolve(item.value)
        if isinstance(value, Dict):
            groups.items.append(Ref(_group(run, value, node)))
        elif isinstance(value, (Tensor, Unknown)):
            loose.items.append(item)
    if loose.items or not groups.items:
        groups.items.append(Ref(Dict({_PARAMS: Ref(loose)}, open=True)))
    _fill_in(instance, groups, arguments)
    instance.give("param_groups", Ref(groups))
    instance.give("state", Ref(Dict(open=True, makes=Library("builtins.dict"))))
    if _has_moments(instance, groups, arguments):
        instance.held[_MOMENTS] = Ref(None)
    if not _AT_ONCE.isdisjoint(bases_of(instance)):
        _make_moments(run, instance, node)
    if "torch.optim.LBFGS" in bases_of(instance) and resolve(arguments.get(2, "max_iter")) != 1:
        instance.held[_ITERATES] = Ref(None)


def _fill_in(instance: Instance, groups: List, arguments: Arguments) -> None:
    """An optimizer of the program's own tells the base class what its groups have if they say nothing else."""
    defaults = argument(arguments, 1, "defaults")
    given = resolve(defaults.ref.value) if defaults is not None else None
    if defaults is None or not isinstance(given, Dict):
        return
    instance.give("defaults", defaults.ref)
    for each in groups.items:
        group = resolve(each.value)
        if isinstance(group, Dict):
            own = {name: ref for name, ref in given.items.items() if name not in _SCHEDULED}
            group.items.update({name: ref for name, ref in own.items() if name not in group.items})


def _has_moments(instance: Instance, groups: List, arguments: Arguments) -> bool:
    """Whether an optimizer keeps tensors beside the parameters."""
    given = [resolve(group.value) for group in groups.items]
    each = [group.items[_MOMENTUM].value for group in given if isinstance(group, Dict) and _MOMENTUM in group.items]
    momenta = [resolve(momentum) for momentum in (arguments.get(2, "momentum"), *each)]
    has_momentum = any(isinstance(momentum, float) and momentum for momentum in momenta)
    return has_momentum or _BY_MOMENTUM.isdisjoint(bases_of(instance))


# These keep no moments but by `momentum`; all others of PyTorch do.
_BY_MOMENTUM = frozenset({"torch.optim.SGD", "torch.optim.Optimizer"})
# These make them when they are constructed; all others in the first step.
_AT_ONCE = frozenset({"torch.optim.Adagrad"})
_MOMENTUM = Constant("momentum")
_PARAMS = Constant("params")
# Schedulers give a group others.
_SCHEDULED = frozenset({Constant("lr"), Constant("betas"), _MOMENTUM})


def _group(run: Run, given: Dict, node: ir.Node) -> Dict:
    params = given.items.get(_PARAMS, Ref(List("list")))
    return Dict({**given.items, _PARAMS: Ref(run.elements(params, node))}, open=True)


def is_optimizer(instance: Instance) -> bool:
    """Whether an instance is an optimizer."""
    return any(name.startswith("torch.optim.") for name in bases_of(instance))


def _step(run: Run, instance: Instance, arguments: Arguments, node: ir.Node) -> Ref:
    """Runs the closure, if there is one; writes every parameter that it was given, under no_grad; perhaps again."""
    loss = _iteration(run, instance, arguments, node)
    if _ITERATES in instance.held and resolve(loss.value) is not None:
        _iteration(run, instance, arguments, node)
    return loss


def _iteration(run: Run, instance: Instance, arguments: Arguments, node: ir.Node) -> Ref:
    closure, loss = arguments.get(0, "closure"), Ref(None)
    if isinstance(closure, (Function, Method)):
        with modes(run.torch, grad=True):
            loss = run.call(Ref(closure), Arguments(), node)
    with modes(run.torch, grad=False):
        stepped = _stepped(instance)
        # A parameter that no backward has reached has no gradient, and is left alone.
        known = any(tensor.autograd_meta.reached for _, tensor in stepped)
        written = [
            Operand(tensor, run.site(node), own.binding, run.torch.clock, tensor.label, own.way)
            for own, tensor in stepped
            if tensor.autograd_meta.reached or (tensor.need and not (known or _is_without_gradient(run, tensor)))
        ]
        for target in written:
            _read_gradient(run, target, node)
            run.torch.write(target, OPTIMIZER_STEP, run.site(node), NO, True, "statement")
        if written or not stepped:
            _update_moments(run, instance, node)
    return loss


def _read_gradient(run: Run, target: Operand, node: ir.Node) -> None:
    """A step is made of the gradient, as it is by then."""
    meta = target.tensor.autograd_meta
    if meta.grad is not None:
        binding = gradient_binding(meta)
        run.torch.read(Operand(meta.grad, run.site(node), binding, run.torch.clock, meta.grad.label), OPTIMIZER_STEP)


def _is_without_gradient(run: Run, tensor: Tensor) -> bool:
    """Whether `.grad` is surely None: all that happened since it was made, or cleared, is in view."""
    meta = tensor.autograd_meta
    since = max(meta.cleared_at, 0 if run.made_up(tensor.storage) else tensor.storage.made_at)
    return not tensor.external and meta.grad is None and since > run.torch.hidden_at


def _make_moments(run: Run, instance: Instance, node: ir.Node) -> None:
    _keep_moments(run, instance, run.torch.tensor(run.site(node), NO, label="state_dict()"), None, node)


def _keep_moments(run: Run, instance: Instance, moments: Value, given: Ref | None, node: ir.Node) -> None:
    """From now on an optimizer counts on moments as they are."""
    place, site = run.place(instance, _MOMENTS), run.site(node)
    instance.held[_MOMENTS] = run.ref(place, "state_dict()", "attribute", moments, site, given)


def _update_moments(run: Run, instance: Instance, node: ir.Node) -> None:
    """The first step makes what an optimizer remembers of the gradients; each later one reads and writes it."""
    moments = instance.held.get(_MOMENTS)
    if moments is not None and isinstance(tensor := resolve(moments.value), Tensor):
        site = run.site(node)
        if _others_wrote(tensor, moments.binding):  # The rest of its reads tell nothing.
            run.torch.read(Operand(tensor, site, moments.binding, run.torch.clock, tensor.label), OPTIMIZER_STEP)
        target = Operand(tensor, site, None, run.torch.clock, tensor.label)
        run.torch.write(target, OPTIMIZER_STEP, site, NO, use="statement")
        _keep_moments(run, instance, tensor, None, node)
    elif moments is not None:
        _make_moments(run, instance, node)


def _others_wrote(moments: Tensor, binding: Binding | None) -> bool:
    """Whether moments were changed since the optimizer counted on them."""
    writes = moments.storage.writes
    return binding is not None and bool(writes) and writes[-1][0].time > binding.bound_at


_MOMENTS = "<moments>"
# The attribute of one that asks its closure several times in a step.
_ITERATES = "<iterates>"


def _state_dict(run: Run, instance: Instance, arguments: Arguments, node: ir.Node) -> Ref:
    """References to the optimizer's own moments. Source: `torch/optim/optimizer.py`."""
    made = Dict(open=True)
    moments = instance.held.get(_MOMENTS)
    if moments is not None:
        place = run.ref(run.place(made, _MOMENTS), "state_dict()", "element", moments.value, run.site(node), None)
        if place.binding is not None:
            place.binding.detached = True
        made.items[_MOMENTS] = place
    return Ref(made)


def _load_state_dict(run: Run, instance: Instance, arguments: Arguments, node: ir.Node) -> Ref:
    """Takes over the moments that it is given, unless their dtype or device has to change."""
    source = resolve(arguments.get(0, "state_dict"))
    for entry in source.items.values() if isinstance(source, Dict) else ():
        if isinstance(tensor := resolve(entry.value), Tensor):
            run.torch.read(Operand(tensor, run.site(node), entry.binding, run.torch.clock, ""), LOAD_STATE_DICT)
    given = source.items.get(_MOMENTS) if isinstance(source, Dict) else None
    if given is not None:
        _keep_moments(run, instance, given.value, given, node)
    elif _MOMENTS in instance.held:
        _make_moments(run, instance, node)
    return Ref(None)


def _stepped(instance: Instance) -> list[tuple[Ref, Tensor]]:
    ref = instance.attribute("param_groups")
    refs = tensors_of(ref.value if ref is not None else None, 2000)
    found: dict[Tensor, Ref] = {}  # each is stepped once, in however many groups it is
    for own, _ in refs:
        if isinstance(tensor := resolve(own.value), Tensor):
            found.setdefault(tensor, own)
    return [(own, tensor) for tensor, own in found.items()]


def _zero_grad(run: Run, instance: Instance, arguments: Arguments, node: ir.Node) -> Ref:
    forget_gradients(run, (tensor for _, tensor in _stepped(instance)), arguments, node)
    return Ref(None)


def _add_group(run: Run, instance: Instance, arguments: Arguments, node: ir.Node) -> Ref:
    group, ref = resolve(arguments.get(0, "param_group")), instance.attribute("param_groups")
    if isinstance(group, Dict) and ref is not None and isinstance(ref.value, List):
        ref.value.items.append(Ref(_group(run, group, node)))
    return Ref(None)


def _half_step(run: Run, instance: Instance, arguments: Arguments, node: ir.Node) -> Ref:
    """`first_step` and `second_step` of a sharpness-aware optimizer: to where the loss is worst near by, and back."""
    _step(run, instance, Arguments(), node)
    if resolve(arguments.get(0, "zero_grad")) is True:
        _zero_grad(run, instance, Arguments(), node)
    return Ref(None)


METHODS: dict[str, Callable[[Run, Instance, Arguments, ir.Node], Ref]] = {
    "step": _step,
    "first_step": _half_step,
    "second_step": _half_step,
    "zero_grad": _zero_grad,
    "add_param_group": _add_group,
    "state_dict": _state_dict,
    "load_state_dict": _load_state_dict,
}
