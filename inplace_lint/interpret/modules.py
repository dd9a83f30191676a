"""`torch.nn` modules: how they are built, what calling them does, and the methods of `nn.Module`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache

from inplace_lint.interpret import attributes, calls, hooks, iteration
from inplace_lint.interpret.copies import deep_copy
from inplace_lint.interpret.run import Run, identity, plain, result_slot
from inplace_lint.interpret.torch_ops import bind, choose, run_row, unknown_call
from inplace_lint.interpret.values import (
    Arguments,
    Cell,
    Class,
    Dict,
    Function,
    Instance,
    List,
    Native,
    Passed,
    Super,
    Unknown,
    Value,
)
from inplace_lint.source import ir
from inplace_lint.torch_model.effects import Effects, ModuleSpec
from inplace_lint.torch_model.events import Operand
from inplace_lint.torch_model.op_table import table
from inplace_lint.torch_model.tensor import NO, YES, Family, Tensor, assumed

SEQUENTIAL = "torch.nn.Sequential"
_LISTS = frozenset({SEQUENTIAL, "torch.nn.ModuleList", "torch.nn.ParameterList"})
_DICTS = frozenset({"torch.nn.ModuleDict", "torch.nn.ParameterDict"})
_PREFIXES = ("torch.nn.modules.",)


def spec_of(name: str) -> ModuleSpec | None:
    """What the table says of a module class."""
    return table().module(name)


def is_module_class(name: str) -> bool:
    """Whether a qualified name is a class of `torch.nn`."""
    return name in _LISTS or name in _DICTS or name == "torch.nn.Module" or spec_of(name) is not None


def bases_of(instance: Instance) -> list[str]:
    """The library classes that an instance belongs to."""
    return attributes.library_bases(instance.cls) if isinstance(instance.cls, Class) else [instance.cls]


def is_module(instance: Instance) -> bool:
    """Whether an instance is an `nn.Module`."""
    return any(is_module_class(name) for name in bases_of(instance))


def prepare(instance: Instance, bases: list[str]) -> None:
    """Give a container of modules its empty children."""
    if any(base in _LISTS for base in bases):
        instance.children = List("list")
    elif any(base in _DICTS for base in bases):
        instance.children = Dict()


def build(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Value:
    """An instance of a class of `torch.nn`."""
    instance = Instance(name, key=run.key(node), label=name.rpartition(".")[2])
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
    given = [passed.cell for passed in arguments.positional]
    for index, (name, default) in enumerate(spec.init):
        if name in arguments.keywords:
            cell = arguments.keywords[name].cell
        elif index < len(given):
            cell = given[index]
        elif isinstance(default, str) and default.startswith("<"):
            cell = Cell(run.unknown(("init", instance.key, name)))
        else:
            cell = Cell(default)
        instance.attributes.setdefault(name, Cell(plain(cell.value)))
    for names, need in ((spec.parameters, YES), (spec.buffers, NO)):
        for name in names:
            absent = name == "bias" and plain(instance.attributes.get("bias", Cell(True)).value) is False
            value = None if absent else _own_tensor(run, node, name, need)
            place = (id(instance), name)
            instance.attributes[name] = run.cell(place, name, "attribute", value, run.site(node), None)


def _own_tensor(run: Run, node: ir.Node, name: str, need: object) -> Tensor:
    made = run.torch.tensor(run.site(node), NO, dtype="float", precision="float32", label=name)
    made.family = Family(need, parameter=bool(need), site=run.site(node))  # type: ignore[arg-type]
    made.inference = False
    return made


def _fill(run: Run, instance: Instance, arguments: Arguments, node: ir.Node) -> None:
    first = plain(arguments.positional[0].cell.value) if arguments.positional else None
    if isinstance(instance.children, Dict):
        if isinstance(first, Dict):
            instance.children = Dict(dict(first.items), first.open)
        elif isinstance(first, List):
            _update(run, instance.children, first)
    elif isinstance(instance.children, List):
        if isinstance(first, Dict):
            instance.children = List("list", list(first.items.values()), first.open)
        elif isinstance(first, List):
            instance.children = List("list", list(first.items), first.open)
        elif bases_of(instance)[-1:] != ["torch.nn.Sequential"] and arguments.positional and not isinstance(
            first, Instance
        ):
            items = iteration.elements(run, arguments.positional[0].cell, node)
            instance.children = List("list", list(items.items), items.open)
        else:
            instance.children = List("list", [p.cell for p in arguments.positional], arguments.open)


def _update(run: Run, children: Dict, pairs: List) -> None:
    for item in pairs.items:
        pair = plain(item.value)
        if isinstance(pair, List) and len(pair.items) == 2:
            children.items[identity(plain(pair.items[0].value))] = pair.items[1]
    children.open |= pairs.open


def call_instance(run: Run, cell: Cell, instance: Instance, arguments: Arguments, node: ir.Node) -> Cell:
    """Call an object: `forward` of a module with its hooks, or `__call__`."""
    if isinstance(instance.cls, Class):
        member = attributes.class_member(run, instance.cls, "__call__")
        if member is not None and isinstance(member.value, Function):
            return calls.call_function(run, member.value, arguments, node, cell)
    if not is_module(instance):
        return Cell(unknown_call(run, instance.label, arguments, node))
    arguments = hooks.before(run, cell, instance, arguments, node)
    result = forward(run, cell, instance, arguments, node)
    return hooks.after(run, cell, instance, arguments, result, node)


def forward(run: Run, cell: Cell, instance: Instance, arguments: Arguments, node: ir.Node) -> Cell:
    """Run `forward` of a module."""
    own = instance.attributes.get("forward")
    if own is not None:
        return calls.call(run, own, arguments, node)
    if isinstance(instance.cls, Class):
        member = attributes.class_member(run, instance.cls, "forward")
        if member is not None and isinstance(member.value, Function):
            return calls.call_function(run, member.value, arguments, node, cell)
    return library_forward(run, instance, arguments, node)


def library_forward(run: Run, instance: Instance, arguments: Arguments, node: ir.Node) -> Cell:
    """Run the `forward` that `torch.nn` defines."""
    if instance.children is not None:
        return _sequential(run, instance, arguments, node)
    spec = next((spec for base in bases_of(instance) if (spec := spec_of(base)) is not None), None)
    if spec is None:
        return Cell(unknown_call(run, instance.label, arguments, node))
    name = next(base for base in bases_of(instance) if spec_of(base) is not None)
    if name == "torch.nn.Identity":
        return arguments.positional[0].cell if arguments.positional else Cell(None)
    selecting = Arguments(arguments.positional, dict(arguments.keywords), arguments.open)
    rows = [row for row in spec.forward if _selected(run, instance, row.given)]
    row = choose(run, tuple(_without_given(row) for row in rows), selecting)
    if row is None:
        return Cell(unknown_call(run, instance.label, arguments, node))
    bound = bind(run, row, arguments, node)
    for own in (*spec.parameters, *spec.buffers):
        tensor = plain(instance.attributes[own].value) if own in instance.attributes else None
        if isinstance(tensor, Tensor):
            bound[own] = Operand(tensor, run.site(node), instance.attributes[own].slot, run.torch.clock, own)
    _renormalize(run, instance, bound, node)
    row = _without_writes(row, spec.parameters)
    value = run_row(run, name, row, bound, node, arguments)
    _update_statistics(run, instance, name, value, bound, node)
    first = arguments.positional[0].cell if arguments.positional else None
    return Cell(value, result_slot(run, value, first))


@cache
def _without_writes(row: Effects, names: tuple[str, ...]) -> Effects:
    """`row`, if it writes some of `names` only as `_renormalize` does."""
    return replace(row, writes=tuple(written for written in row.writes if written not in names))


def _renormalize(run: Run, instance: Instance, bound: dict[str, object], node: ir.Node) -> None:
    """An embedding with `max_norm` scales rows of its weight first, under no_grad."""
    cell, weight = instance.attributes.get("max_norm"), bound.get("weight")
    if cell is not None and plain(cell.value) is not None and isinstance(weight, Operand):
        grad_mode, run.torch.grad_mode = run.torch.grad_mode, False
        run.torch.write(weight, "max_norm", run.site(node), NO, filler=True).use = "statement"
        run.torch.grad_mode = grad_mode


def _update_statistics(
    run: Run, instance: Instance, name: str, value: Value, bound: dict[str, object], node: ir.Node
) -> None:
    """In training, batch norm changes its running statistics unseen, and its backward does not use them."""
    if not _tracks(run, instance, name):
        return
    statistics = [operand for key in _STATISTICS if isinstance(operand := bound.get(key), Operand)]
    if isinstance(value, Tensor) and value.family.node is not None:
        for save in value.family.node.saves:
            save.unused = any(save.storage is operand.tensor.storage for operand in statistics)
    for operand in statistics:
        hidden = replace(operand, tensor=run.torch.data(operand.tensor, run.site(node)))
        run.torch.write(hidden, f"{name} in training", run.site(node), NO, filler=True).use = "statement"


_STATISTICS = ("running_mean", "running_var")


def _tracks(run: Run, instance: Instance, name: str) -> bool:
    cell = instance.attributes.get("training")
    training = True if cell is None else plain(cell.value)
    return name.startswith("torch.nn.BatchNorm") and training is True


@cache
def _without_given(row: Effects) -> Effects:
    return replace(row, given=())


def _selected(run: Run, instance: Instance, given: tuple[tuple[str, object], ...]) -> bool:
    for name, wanted in given:
        cell = instance.attributes.get(name)
        value = plain(cell.value) if cell is not None else True if name == "training" else None
        if isinstance(value, Unknown) and isinstance(wanted, bool):
            value = run.oracle.truth(identity(value), likely=False)
        if value != wanted:
            return False
    return True


def _sequential(run: Run, instance: Instance, arguments: Arguments, node: ir.Node) -> Cell:
    assert instance.children is not None
    children = instance.children.items
    cells = list(children) if isinstance(children, list) else list(children.values())
    current = arguments
    result = arguments.positional[0].cell if arguments.positional else Cell(None)
    for child in cells:
        result = calls.call(run, child, current, node)
        current = Arguments([Passed(result, node, "", run.torch.clock)])
    return result


def call_super(run: Run, value: Super, name: str, arguments: Arguments, node: ir.Node) -> Cell:
    """Call a method of a library base through `super()`."""
    receiver = plain(value.receiver.value)
    if isinstance(receiver, Instance):
        if name == "__init__":
            initialize(run, receiver, bases_of(receiver), arguments, node)
            return Cell(None)
        if name == "forward":
            return library_forward(run, receiver, arguments, node)
        if name == "__call__":
            return forward(run, value.receiver, receiver, arguments, node)
        if name == "__setattr__" and len(arguments.positional) > 1:
            attribute = plain(arguments.positional[0].cell.value)
            if isinstance(attribute, str):
                receiver.attributes[attribute] = arguments.positional[1].cell
            return Cell(None)
        if has_method(run, receiver, name):
            return call_method(run, value.receiver, receiver, name, arguments, node)
    return Cell(unknown_call(run, name, arguments, node))


def has_method(run: Run, instance: Instance, name: str) -> bool:
    """Whether a method of a library class is understood."""
    from inplace_lint.interpret import training

    if training.is_optimizer(instance):
        return name in training.METHODS
    return name in _METHODS and is_module(instance)


def call_method(run: Run, cell: Cell, instance: Instance, name: str, arguments: Arguments, node: ir.Node) -> Cell:
    """Call a method that a library class defines."""
    from inplace_lint.interpret import training

    if training.is_optimizer(instance) and name in training.METHODS:
        return training.METHODS[name](run, instance, arguments, node)
    if name in _METHODS and is_module(instance):
        return _METHODS[name](run, cell, instance, arguments, node)
    return Cell(unknown_call(run, f"{instance.label}.{name}", arguments, node))


def submodules(instance: Instance, prefix: str = "") -> Iterator[tuple[str, Cell]]:
    """The module itself and all modules below it, each once, with dotted names."""
    todo: list[tuple[str, Cell]] = [(prefix, Cell(instance))]
    seen: set[int] = set()
    while todo:
        name, cell = todo.pop(0)
        value = plain(cell.value)
        if not isinstance(value, Instance) or id(value) in seen:
            continue
        seen.add(id(value))
        yield name, cell
        todo.extend((f"{name}.{key}" if name else key, child) for key, child in children_of(value))


def children_of(instance: Instance) -> Iterator[tuple[str, Cell]]:
    """The direct children of a module."""
    for key, cell in instance.attributes.items():
        value = plain(cell.value)
        if isinstance(value, Instance) and is_module(value):
            yield key, cell
    if isinstance(instance.children, List):
        yield from ((str(i), cell) for i, cell in enumerate(instance.children.items))
    elif isinstance(instance.children, Dict):
        yield from ((str(key[-1] if isinstance(key, tuple) else key), cell) for key, cell in instance.children.items.items())


def own_tensors(instance: Instance) -> Iterator[tuple[str, Cell]]:
    """Tensors and parameters held by one module."""
    for key, cell in instance.attributes.items():
        if isinstance(plain(cell.value), Tensor):
            yield key, cell
    if isinstance(instance.children, List):
        yield from ((str(i), c) for i, c in enumerate(instance.children.items) if isinstance(plain(c.value), Tensor))
    elif isinstance(instance.children, Dict):
        yield from ((str(k), c) for k, c in instance.children.items.items() if isinstance(plain(c.value), Tensor))


def parameters_of(instance: Instance) -> list[tuple[str, Cell]]:
    """All parameters of a module and the modules below it, each once."""
    found: list[tuple[str, Cell]] = []
    seen: set[int] = set()
    for prefix, cell in submodules(instance):
        module = plain(cell.value)
        assert isinstance(module, Instance)
        for name, own in own_tensors(module):
            tensor = plain(own.value)
            if isinstance(tensor, Tensor) and tensor.family.parameter and id(tensor) not in seen:
                seen.add(id(tensor))
                found.append((f"{prefix}.{name}" if prefix else name, own))
    return found


def _open(instance: Instance) -> bool:
    """Whether modules out of view may be below."""
    for _, cell in submodules(instance):
        module = plain(cell.value)
        if isinstance(module, Instance):
            if module.children is not None and module.children.open:
                return True
            if any(isinstance(plain(own.value), Unknown) for own in module.attributes.values()):
                return True
    return False


def _parameters(run: Run, cell: Cell, instance: Instance, arguments: Arguments, node: ir.Node) -> Cell:
    found = [own for _, own in parameters_of(instance)]
    if not found and (instance.guess or _open(instance)):
        return Cell(List("generator", [_some_parameter(run, node)], True))
    return Cell(List("generator", found[: iteration.MOST_ITERATIONS], len(found) > iteration.MOST_ITERATIONS))


def _some_parameter(run: Run, node: ir.Node) -> Cell:
    made = run.torch.tensor(run.site(node), assumed("the parameter requires grad"), label="parameter")
    made.family.parameter = True
    return Cell(made)


def _named_parameters(run: Run, cell: Cell, instance: Instance, arguments: Arguments, node: ir.Node) -> Cell:
    found = parameters_of(instance)[: iteration.MOST_ITERATIONS]
    return Cell(List("generator", [Cell(List("tuple", [Cell(name), own])) for name, own in found], False))


def _buffers(run: Run, cell: Cell, instance: Instance, arguments: Arguments, node: ir.Node) -> Cell:
    found: list[Cell] = []
    for _, inner in submodules(instance):
        module = plain(inner.value)
        assert isinstance(module, Instance)
        for _, own in own_tensors(module):
            tensor = plain(own.value)
            if isinstance(tensor, Tensor) and not tensor.family.parameter:
                found.append(own)
    return Cell(List("generator", found))


def _modules(run: Run, cell: Cell, instance: Instance, arguments: Arguments, node: ir.Node) -> Cell:
    return Cell(List("generator", [inner for _, inner in submodules(instance)], _open(instance)))


def _named_modules(run: Run, cell: Cell, instance: Instance, arguments: Arguments, node: ir.Node) -> Cell:
    pairs = [Cell(List("tuple", [Cell(name), inner])) for name, inner in submodules(instance)]
    return Cell(List("generator", pairs, _open(instance)))


def _children(run: Run, cell: Cell, instance: Instance, arguments: Arguments, node: ir.Node) -> Cell:
    return Cell(List("generator", [child for _, child in children_of(instance)]))


def _named_children(run: Run, cell: Cell, instance: Instance, arguments: Arguments, node: ir.Node) -> Cell:
    return Cell(List("generator", [Cell(List("tuple", [Cell(name), child])) for name, child in children_of(instance)]))


def _mode(training: bool) -> Callable[[Run, Cell, Instance, Arguments, ir.Node], Cell]:
    def set_mode(run: Run, cell: Cell, instance: Instance, arguments: Arguments, node: ir.Node) -> Cell:
        wanted = plain(arguments.get(0, "mode"))
        for _, inner in submodules(instance):
            module = plain(inner.value)
            assert isinstance(module, Instance)
            module.attributes["training"] = Cell(training if wanted is None else wanted)
        return cell

    return set_mode


def _itself(run: Run, cell: Cell, instance: Instance, arguments: Arguments, node: ir.Node) -> Cell:
    return cell


def _requires_grad_(run: Run, cell: Cell, instance: Instance, arguments: Arguments, node: ir.Node) -> Cell:
    wanted = plain(arguments.get(0, "requires_grad"))
    for _, own in parameters_of(instance):
        tensor = plain(own.value)
        if isinstance(tensor, Tensor) and tensor.is_leaf:
            tensor.family.need = NO if wanted is False else YES
    return cell


def _nothing(run: Run, cell: Cell, instance: Instance, arguments: Arguments, node: ir.Node) -> Cell:
    return Cell(None)


def _register(run: Run, cell: Cell, instance: Instance, arguments: Arguments, node: ir.Node) -> Cell:
    """`register_buffer`, `register_parameter`, `add_module`."""
    name = plain(arguments.get(0, "name"))
    passed = arguments.positional[1] if len(arguments.positional) > 1 else None
    for key in ("tensor", "param", "module"):
        passed = passed or arguments.keywords.get(key)
    if not isinstance(name, str) or passed is None:
        if isinstance(instance.children, List) and passed is not None:
            instance.children.items.append(passed.cell)
        return Cell(None)
    if isinstance(instance.children, List):
        instance.children.items.append(passed.cell)
    elif isinstance(instance.children, Dict):
        instance.children.items[identity(name)] = passed.cell
    value, label = passed.cell.value, f"self.{name}"
    made = run.cell((id(instance), name), label, "attribute", value, run.site(node), passed.cell.slot)
    if instance.children is None:
        instance.attributes[name] = made
    return Cell(None)


def _on_children(name: str) -> Callable[[Run, Cell, Instance, Arguments, ir.Node], Cell]:
    def forwarded(run: Run, cell: Cell, instance: Instance, arguments: Arguments, node: ir.Node) -> Cell:
        from inplace_lint.interpret.python import call_method as call_python
        from inplace_lint.interpret.values import Builtin

        if instance.children is None:
            return Cell(unknown_call(run, name, arguments, node))
        result = call_python(run, Builtin(Cell(instance.children), name), arguments, node)
        return cell if name in ("append", "extend", "insert") else result

    return forwarded


def _apply(run: Run, cell: Cell, instance: Instance, arguments: Arguments, node: ir.Node) -> Cell:
    if arguments.positional:
        for _, inner in list(submodules(instance))[:16]:
            passed = Passed(inner, node, "", run.torch.clock)
            calls.call(run, arguments.positional[0].cell, Arguments([passed]), node)
    return cell


def _state_dict(run: Run, cell: Cell, instance: Instance, arguments: Arguments, node: ir.Node) -> Cell:
    """References to the module's own memory, detached."""
    made = Dict(open=_open(instance))
    for prefix, inner in submodules(instance):
        module = plain(inner.value)
        assert isinstance(module, Instance)
        for name, own in own_tensors(module):
            tensor = plain(own.value)
            if isinstance(tensor, Tensor):
                value = run.torch.detach(tensor, run.site(node))
                key = identity(f"{prefix}.{name}" if prefix else name)
                label = f"state_dict()[{name!r}]"
                made.items[key] = run.cell((id(made), key), label, "element", value, run.site(node), own.slot)
    return Cell(made)


def _load_state_dict(run: Run, cell: Cell, instance: Instance, arguments: Arguments, node: ir.Node) -> Cell:
    """Copies into every parameter and buffer, under no_grad."""
    source = plain(arguments.get(0, "state_dict"))
    if isinstance(source, Dict):
        for entry in source.items.values():
            tensor = plain(entry.value)
            if isinstance(tensor, Tensor):
                run.torch.read(Operand(tensor, run.site(node), entry.slot, run.torch.clock, ""), "load_state_dict")
    _write_all(run, instance, node, "load_state_dict")
    return Cell(None)


def _write_all(run: Run, instance: Instance, node: ir.Node, op: str) -> None:
    grad_mode, run.torch.grad_mode = run.torch.grad_mode, False
    for _, own in parameters_of(instance):
        tensor = plain(own.value)
        if isinstance(tensor, Tensor):
            target = Operand(tensor, run.site(node), own.slot, run.torch.clock, "")
            run.torch.write(target, op, run.site(node), NO, filler=True).use = "statement"
    run.torch.grad_mode = grad_mode


def _hook(kind: str) -> Callable[[Run, Cell, Instance, Arguments, ir.Node], Cell]:
    def register(run: Run, cell: Cell, instance: Instance, arguments: Arguments, node: ir.Node) -> Cell:
        return hooks.register(run, instance, kind, arguments)

    return register


def _copy(run: Run, cell: Cell, instance: Instance, arguments: Arguments, node: ir.Node) -> Cell:
    return Cell(deep_copy(run, instance, run.site(node)))


def _handle(run: Run, cell: Cell, instance: Instance, arguments: Arguments, node: ir.Node) -> Cell:
    return Cell(Native("handle"))


def _forward(run: Run, cell: Cell, instance: Instance, arguments: Arguments, node: ir.Node) -> Cell:
    return forward(run, cell, instance, arguments, node)


_METHODS: dict[str, Callable[[Run, Cell, Instance, Arguments, ir.Node], Cell]] = {
    "parameters": _parameters,
    "named_parameters": _named_parameters,
    "buffers": _buffers,
    "modules": _modules,
    "named_modules": _named_modules,
    "children": _children,
    "named_children": _named_children,
    "train": _mode(True),
    "eval": _mode(False),
    "requires_grad_": _requires_grad_,
    "zero_grad": _nothing,
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
    **{name: _itself for name in "to cuda cpu float half double bfloat16 to_empty share_memory compile".split()},
}
