"""The tree of a module: its children, parameters and buffers."""

from __future__ import annotations

from collections.abc import Iterator

from inplace_lint.interpret.state.classes import library_bases
from inplace_lint.interpret.state.keys import spelled
from inplace_lint.interpret.state.values import Class, Dict, Instance, List, Ref, Unknown, resolve
from inplace_lint.torch_model.constant import Constant
from inplace_lint.torch_model.op_table import table
from inplace_lint.torch_model.tensor import Tensor

SEQUENTIAL = "torch.nn.Sequential"
LISTS: frozenset[str] = frozenset({SEQUENTIAL, "torch.nn.ModuleList", "torch.nn.ParameterList"})
DICTS: frozenset[str] = frozenset({"torch.nn.ModuleDict", "torch.nn.ParameterDict"})


# The methods of every module that give the module back; `compile` gives nothing.
GIVING_ITSELF = frozenset(
    "to to_empty type cuda cpu ipu mtia xpu float half double bfloat16 share_memory train eval requires_grad_ "
    "apply".split()
)

# What every module has, beside what its class defines.
ATTRIBUTES = frozenset(
    "T_destination add_module apply bfloat16 buffers call_super_init children compile cpu cuda double dump_patches "
    "eval extra_repr float forward get_buffer get_extra_state get_parameter get_submodule half ipu load_state_dict "
    "modules mtia named_buffers named_children named_modules named_parameters parameters register_backward_hook "
    "register_buffer register_forward_hook register_forward_pre_hook register_full_backward_hook "
    "register_full_backward_pre_hook register_load_state_dict_post_hook register_load_state_dict_pre_hook "
    "register_module register_parameter register_state_dict_post_hook register_state_dict_pre_hook requires_grad_ "
    "set_extra_state set_submodule share_memory state_dict to to_empty train training type xpu zero_grad".split()
)


def is_module_class(name: str) -> bool:
    """Whether a qualified name is a class of `torch.nn`."""
    return name in LISTS or name in DICTS or name == "torch.nn.Module" or table().module(name) is not None


def bases_of(instance: Instance) -> list[str]:
    """The library classes that an instance belongs to."""
    return library_bases(instance.cls) if isinstance(instance.cls, Class) else [instance.cls]


def is_module(instance: Instance) -> bool:
    """Whether an instance is an `nn.Module`."""
    return any(is_module_class(name) for name in bases_of(instance))


def submodules(instance: Instance, root: Ref | None = None) -> Iterator[tuple[str, Ref]]:
    """The module itself and all modules below it, each once and before those below, with dotted names.

    Args:
        root: how the module itself was reached.
    """
    todo: list[Iterator[tuple[str, Ref]]] = [iter([("", root or Ref(instance))])]
    seen: set[int] = set()
    while todo:
        for name, ref in todo[-1]:
            value = resolve(ref.value)
            if isinstance(value, Instance) and id(value) not in seen:
                seen.add(id(value))
                yield name, ref
                todo.append(_below(value, name, ref))
                break
        else:
            todo.pop()


def _below(instance: Instance, name: str, reached: Ref) -> Iterator[tuple[str, Ref]]:
    for key, child in children_of(instance):
        yield f"{name}.{key}" if name else key, reached.has(child)


def children_of(instance: Instance) -> Iterator[tuple[str, Ref]]:
    """The direct children of a module."""
    instance.make_deferred()
    for key in tuple(instance.held):
        ref = instance.attribute(key)
        value = resolve(ref.value) if ref is not None else None
        if ref is not None and isinstance(value, Instance) and is_module(value):
            yield key, ref
    if isinstance(instance.children, List):
        yield from zip(child_names(instance.children), instance.children.items, strict=True)
    elif isinstance(instance.children, Dict):
        yield from ((spelled(key), ref) for key, ref in instance.children.items.items())


def child_names(children: List) -> list[str]:
    """How the modules of a list are called: as `add_module` or an `OrderedDict` says, otherwise by their position."""
    named = children.fields[: len(children.items)]
    return [*named, *map(str, range(len(named), len(children.items)))]


def child_called(instance: Instance, name: str) -> Ref | None:
    """A module of a list by its name, as `net.conv1` of an `nn.Sequential`; None if there is none."""
    if not isinstance(instance.children, List) or not is_module(instance):
        return None
    names = child_names(instance.children)
    return instance.children.items[names.index(name)] if name in names else None


def is_listed(instance: Instance, name: str, value: object) -> bool:
    """Whether what becomes an attribute of a module goes into its list: a module, or what replaces one there."""
    if child_called(instance, name) is not None:
        return True
    return is_module(instance) and isinstance(value, Instance) and is_module(value)


def name_child(children: List, name: str, ref: Ref) -> None:
    """Put a module into a list under a name: behind the others, or in place of the one that has it."""
    names = child_names(children)
    if name in names:
        children.items[names.index(name)] = ref
        return
    children.items.append(ref)
    if name != str(len(names)):
        children.fields = (*names, name)


def own_tensors(instance: Instance) -> Iterator[tuple[str, Ref]]:
    """Tensors and parameters held by one module."""
    instance.make_deferred()
    for key in tuple(instance.held):
        ref = instance.attribute(key)
        if ref is not None and isinstance(resolve(ref.value), Tensor):
            yield key, ref
    if isinstance(instance.children, List):
        yield from ((str(i), c) for i, c in enumerate(instance.children.items) if isinstance(resolve(c.value), Tensor))
    elif isinstance(instance.children, Dict):
        yield from ((spelled(k), c) for k, c in instance.children.items.items() if isinstance(resolve(c.value), Tensor))


def registered(instance: Instance, name: str) -> Dict:
    """What a module has in `_modules`, `_parameters` or `_buffers`, by name."""
    found = dict(children_of(instance))
    if name != "_modules":
        found = {
            key: ref
            for key, ref in own_tensors(instance)
            if isinstance(tensor := resolve(ref.value), Tensor)
            and tensor.autograd_meta.parameter == (name == "_parameters")
        }
    return Dict({Constant(key): ref for key, ref in found.items()}, instance.guess or is_open(instance))


def parameters_of(instance: Instance, root: Ref | None = None) -> Iterator[tuple[str, Ref]]:
    """All parameters of a module and the modules below it, each once; `root` is how the module was reached."""
    seen: set[int] = set()
    for prefix, ref in submodules(instance, root):
        module = resolve(ref.value)
        assert isinstance(module, Instance)
        for name, own in own_tensors(module):
            tensor = resolve(own.value)
            if isinstance(tensor, Tensor) and tensor.autograd_meta.parameter and id(tensor) not in seen:
                seen.add(id(tensor))
                yield f"{prefix}.{name}" if prefix else name, ref.has(own)


def is_open(instance: Instance) -> bool:
    """Whether modules out of view may be below."""
    for _, ref in submodules(instance):
        module = resolve(ref.value)
        if isinstance(module, Instance):
            if module.children is not None and module.children.open:
                return True
            if any(isinstance(resolve(own.value), Unknown) for own in module.attributes.values()):
                return True
    return False
