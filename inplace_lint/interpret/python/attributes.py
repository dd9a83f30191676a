"""Reads and sets attributes."""

from __future__ import annotations

from inplace_lint.interpret.python import descriptors, mappings, plain, set_elsewhere, tensor_attributes
from inplace_lint.interpret.python.annotated import annotate, attribute, declares_other_object, field, layer_named
from inplace_lint.interpret.python.fields import fields_of
from inplace_lint.interpret.python.namespaces import namespace
from inplace_lint.interpret.python.preparing import make_deferred_for
from inplace_lint.interpret.state import parts
from inplace_lint.interpret.state.asked import holds_whole_numbers
from inplace_lint.interpret.state.classes import class_member, members, own_attribute
from inplace_lint.interpret.state.keys import Attribute, Global, MadeUp
from inplace_lint.interpret.state.names import library, module_frame, of_function, place_in_file, seen_in
from inplace_lint.interpret.state.program import ModuleFile
from inplace_lint.interpret.state.run import Raised, Run
from inplace_lint.interpret.state.values import (
    Arguments,
    Builtin,
    Class,
    Dict,
    Function,
    Instance,
    Library,
    List,
    Method,
    Option,
    Ref,
    Super,
    Unknown,
    identity,
    resolve,
)
from inplace_lint.interpret.torch import module_tree, own_tensors
from inplace_lint.interpret.torch.custom_functions import CONTEXT
from inplace_lint.interpret.torch.loading import gives_data
from inplace_lint.interpret.torch.unseen_layers import note_parameter
from inplace_lint.source import ir
from inplace_lint.source.spelling import ir_text, last_word
from inplace_lint.source.walk import nodes
from inplace_lint.torch_model.constant import Constant
from inplace_lint.torch_model.op_table import table
from inplace_lint.torch_model.operands import Keeper
from inplace_lint.torch_model.tensor import YES, Tensor

_OF_DEFINITIONS = ("__name__", "__qualname__", "__doc__")


def get(run: Run, ref: Ref, name: str, node: ir.Node) -> Ref:
    """What `value.name` refers to."""
    value = resolve(ref.value)
    if isinstance(ref.value, Option):
        ref = Ref(value, ref.binding)
    if isinstance(value, Tensor):
        return _of_tensor(run, ref, value, name, node)
    if isinstance(value, Instance):
        return _of_instance(run, ref, value, name, node)
    if isinstance(value, Library):
        known = f"{value.name}.{name}"
        constant = table().torch_version if known == "torch.__version__" else plain.CONSTANTS.get(known)
        return Ref(constant) if constant is not None else library(run, known, node)
    if isinstance(value, ModuleFile):
        return _of_module(run, value, name, node)
    if name == "_fields" and (names := fields_of(value)):
        return Ref(List("tuple", list(map(Ref, names))))
    if isinstance(value, (Class, Function)) and name in _OF_DEFINITIONS:
        return Ref("" if name == "__doc__" else value.code.name)
    if isinstance(value, Class):
        return _of_class(run, value, name)
    if isinstance(value, Super):
        return _of_super(run, value, name, node)
    if isinstance(value, Unknown):
        return _of_unknown(run, ref, value, name, node)
    if isinstance(value, Function):
        return of_function(run, value, name) or Ref(Builtin(ref, name))
    found = _of_named_tuple(run, ref, value, name, node) if isinstance(value, List) else None
    return found if found is not None else Ref(Builtin(ref, name))


def _of_module(run: Run, module: ModuleFile, name: str, node: ir.Node) -> Ref:
    if name == "__dict__":
        return namespace(run, module, node)
    return seen_in(run, module, name) or Ref(run.unknown(Global(module.path, name), name))


def _of_tensor(run: Run, ref: Ref, tensor: Tensor, name: str, node: ir.Node) -> Ref:
    """An attribute or method of a tensor, or what the program's own class of it defines."""
    given = tensor_attributes.get(run, ref, tensor, name, node)
    if given is not None:
        return given
    own = own_tensors.member(run, tensor, name)
    return Ref(Builtin(ref, name)) if own is None else _bound(run, own, ref, node)


def _of_named_tuple(run: Run, ref: Ref, value: List, name: str, node: ir.Node) -> Ref | None:
    """A field of a named tuple, or a member of its class; None if it has none."""
    if name in value.fields[: len(value.items)]:
        return ref.has(value.items[value.fields.index(name)])
    member = class_member(run, value.cls, name) if value.cls is not None else None
    return None if member is None else _bound(run, member, ref, node)


def _of_unknown(run: Run, ref: Ref, value: Unknown, name: str, node: ir.Node) -> Ref:
    if name == "data" and value.history:
        return get(run, Ref(run.promote(value, run.site(node)), ref.binding, ref.way), name, node)
    known = parts.attribute_set(value, name)
    if known is not None:
        return known
    if name in ("data", "grad"):
        return Ref(parts.same_memory(run, value, name), ref.binding)
    if isinstance(node, ir.Attr):
        return Ref(Builtin(ref, name))
    label = f"{value.label}.{name}" if value.label else ""
    return Ref(run.unknown(Attribute(value.key, name), label, is_data=value.is_data), ref.binding)


def of_unknown(run: Run, builtin: Builtin, node: ir.Node) -> Ref:
    """The attribute of an unknown, when it is not called as a method."""
    value = builtin.receiver.value
    assert isinstance(value, Unknown)
    found = parts.attribute(run, value, builtin.name)
    if value.annotation is not None:
        declared = attribute(run, value.annotation, builtin.name)
        found = annotate(run, found, declared, run.site(node))
    if isinstance(found.value, Unknown):
        layer = layer_named(run, value.annotation)
        note_parameter(run, value, builtin.name, found.value, layer, run.site(node))
    return builtin.receiver.has(found)


def _of_instance(run: Run, ref: Ref, instance: Instance, name: str, node: ir.Node) -> Ref:
    _note_brought(run, instance)
    found = own_attribute(run, instance, name, node)
    if found is not None:
        if isinstance(found.value, Unknown):
            run.proven.note_read(found.value.key)
        return ref.has(found)
    if name == "__doc__":
        return Ref("")
    if name == "__dict__":
        return Ref(Dict({Constant(key): ref for key, ref in instance.attributes.items()}, instance.guess))
    if name == "__class__":
        return Ref(instance.cls if isinstance(instance.cls, Class) else Library(instance.cls))
    if isinstance(instance.cls, Class):
        member = class_member(run, instance.cls, name)
        if member is not None:
            return descriptors.get(run, member, ref, name, node) or _bound(run, member, ref, node)
    if name in ("training",):
        return Ref(True)
    if run.has_method(instance, name) or (name in mappings.METHODS and mappings.is_mapping(instance)):
        return Ref(Builtin(ref, name))
    if name in ("_modules", "_parameters", "_buffers") and module_tree.is_module(instance):
        return Ref(module_tree.registered(instance, name))
    if make_deferred_for(instance, name):
        return _of_instance(run, ref, instance, name, node)
    child = module_tree.child_called(instance, name)
    if child is not None:
        return ref.has(child)
    return _by_class(run, ref, instance, name, node) or _missing(run, instance, name, node)


def _note_brought(run: Run, instance: Instance) -> None:
    """Note that a path rests on what a caller brings."""
    if instance.brought and isinstance(instance.cls, Class):
        run.brought.add(instance.cls)


def _by_class(run: Run, ref: Ref, instance: Instance, name: str, node: ir.Node) -> Ref | None:
    """What `__getattr__` gives for an attribute that the object has not got; None if that is nothing known."""
    if instance.guess or name.startswith("__"):
        return None
    run.catching += 1
    try:
        found = run.special_method(ref, "__getattr__", (Ref(name),), node)
    except Raised:
        return None
    finally:
        run.catching -= 1
    return None if found is None or isinstance(found.value, Unknown) else found


def _missing(run: Run, instance: Instance, name: str, node: ir.Node) -> Ref:
    """An attribute of which nothing in view says what it is."""
    label = f"{instance.label}.{name}" if instance.label else name
    if instance.guess:
        run.oracle.wanted.add(name)
    of_class = instance.cls if isinstance(instance.cls, Class) else None
    is_data = of_class is not None and (holds_whole_numbers(of_class, name) or gives_data(of_class))
    parameter = set_elsewhere.parameter(run, instance, name)
    value = parameter or run.unknown(Attribute(identity(instance), name), label, is_data=is_data)
    made = run.ref(run.place(instance, name), label, "attribute", value, None, None, _keeper(instance, name))
    if isinstance(instance.cls, Class):
        made = annotate(run, made, field(instance.cls, name), run.site(node))
    instance.give(name, made)
    return made


def _keeper(instance: Instance, name: str) -> Keeper:
    """What an attribute keeps values for."""
    return "context" if instance.cls == CONTEXT else "gradient" if name == "grad" else ""


# Properties that run once, and keep what they give.
_KEPT = frozenset({"functools.cached_property", "torch.distributions.utils.lazy_property"})


def _bound(run: Run, member: Ref, receiver: Ref, node: ir.Node) -> Ref:
    value = member.value
    if isinstance(value, Function):
        if "property" in value.decoration or not _KEPT.isdisjoint(value.decoration):
            found = run.call_function(value, Arguments(), node, receiver)
            if "property" in value.decoration or not isinstance(receiver.value, Instance):
                return found if found.value is not None else _declared(run, value, receiver)
            name = value.code.name
            made = run.ref(run.place(receiver.value, name), f"self.{name}", "attribute", found.value, None, found)
            receiver.value.give(name, made)
            return made
        if "staticmethod" in value.decoration:
            return member
        if "classmethod" in value.decoration:
            owner = receiver.value.cls if isinstance(receiver.value, Instance) else receiver.value
            return Ref(Method(value, Ref(owner)))
        return Ref(Method(value, receiver))
    shown = isinstance(receiver.value, Instance)
    if shown and isinstance(value, Tensor) and not (value.external or value.storage.role):
        value.storage.share("default", run.torch.clock)
    return member


def _declared(run: Run, getter: Function, receiver: Ref) -> Ref:
    """What a property of a library gives that has found nothing: a tensor, if it declares one.

    The call that makes it may not have been understood; until the next one it stays what it is.
    """
    owner, name, returns = resolve(receiver.value), getter.code.name, getter.code.returns
    outside = bool(getter.module.installed) and not run.frame.module.installed
    if not outside or returns is None or not isinstance(owner, Instance):
        return Ref(None)
    if not any(isinstance(node, (ir.Name, ir.Attr)) and last_word(node) == "Tensor" for node in nodes(returns)):
        return Ref(None)
    times = owner.declared[name] = owner.declared.get(name, 0) + 1
    value = run.unknown(MadeUp(name, (identity(owner), times)))
    made = run.ref(run.place(owner, name), f"{owner.label}.{name}", "attribute", value, None, None)
    owner.give(name, made)
    return made


def _of_class(run: Run, cls: Class, name: str) -> Ref:
    member = class_member(run, cls, name)
    if member is not None:
        if isinstance(member.value, Function) and "classmethod" in member.value.decoration:
            return Ref(Method(member.value, Ref(cls)))
        return member
    return Ref(Builtin(Ref(cls), name))


def _of_super(run: Run, value: Super, name: str, node: ir.Node) -> Ref:
    receiver = resolve(value.receiver.value)
    start = receiver.cls if isinstance(receiver, Instance) else receiver
    if isinstance(start, Class):
        member = class_member(run, start, name, after=value.owner)
        if member is not None:
            return _bound(run, member, value.receiver, node)
    return Ref(Builtin(Ref(value), name))


def set(run: Run, base: Ref, name: str, ref: Ref, node: ir.Node) -> None:
    """`value.name = ...`."""
    owner = resolve(base.value)
    if isinstance(owner, Instance):
        if not _set_by_class(run, base, owner, name, ref, node):
            set_on_instance(run, base, owner, name, ref, node)
    elif isinstance(owner, Tensor):
        tensor_attributes.set(run, base, owner, name, ref, node)
    elif isinstance(owner, Class):
        members(run, owner, own=True)[name] = Ref(ref.value)
    elif isinstance(owner, Function):
        _set_on_function(run, owner, name, ref, node)
    elif isinstance(owner, Unknown) and name == "requires_grad" and resolve(ref.value) is True:
        tensor = run.promote(owner, run.site(node))
        tensor.autograd_meta.node, tensor.autograd_meta.need = None, YES
    elif isinstance(owner, Unknown) and name == "data":
        parts.exchange(owner, ref)
        tensor_attributes.note_given(run, base.binding, ref, node)
    elif isinstance(owner, Unknown) and name != "grad":
        parts.set_attribute(run, owner, name, ref, node)


def _set_on_function(run: Run, function: Function, name: str, ref: Ref, node: ir.Node) -> None:
    if (place := place_in_file(function, name)) is not None:
        kept = run.place(function.code, name)
        made = run.store(kept, place, "attribute", ref.value, run.site(node), ref)
        module_frame(run, function.module).variables[place] = made


def _set_by_class(run: Run, base: Ref, instance: Instance, name: str, ref: Ref, node: ir.Node) -> bool:
    """Whether the class sets an attribute in its own way, and did so in view: a property, or `__setattr__`."""
    if not isinstance(instance.cls, Class) or instance.guess:
        return False
    setter = class_member(run, instance.cls, f"{name}.setter")
    if setter is not None and isinstance(setter.value, Function):
        run.call_function(setter.value, run.passing(node, ref), node, base)
        return True
    if descriptors.set(run, base, name, ref, node):
        return True
    before, began = instance.attribute(name), run.torch.clock
    if run.special_method(base, "__setattr__", (Ref(name), ref), node) is None:
        return False
    return instance.attribute(name) is not before or any(True for _ in run.torch.trace.writes_since(began))


def set_on_instance(run: Run, base: Ref, instance: Instance, name: str, ref: Ref, node: ir.Node) -> None:
    """Set an attribute as `object` does it, whatever the class says."""
    registered = name in ("_parameters", "_buffers") and module_tree.is_module(instance)
    if registered and isinstance(held := resolve(ref.value), Dict):
        for key, item in held.items.items():
            if isinstance(key, Constant) and isinstance(key.value, str):
                set(run, base, key.value, item, node)
        return
    guessed = resolve(ref.value) if run.proven.guessed else None
    if (
        isinstance(guessed, Tensor)
        and isinstance(instance.cls, Class)
        and declares_other_object(run, instance.cls, name)
    ):
        run.proven.withdraw(guessed)
    if isinstance(ref.value, Unknown) and isinstance(instance.cls, Class):
        ref.value.is_data |= gives_data(instance.cls)
    label = ir_text(node) if isinstance(node, ir.Attr) else _spelled(base, name)
    place, keeper = run.place(instance, name), _keeper(instance, name)
    made = run.store(place, label, "attribute", ref.value, run.site(node), ref, keeper)
    if isinstance(instance.children, List) and module_tree.is_listed(instance, name, resolve(ref.value)):
        module_tree.name_child(instance.children, name, made)
    else:
        instance.give(name, made)


def _spelled(base: Ref, name: str) -> str:
    """How an attribute is spelled that is set by a call, such as `setattr`."""
    holder = base.binding
    return f"{holder.label}.{name}" if holder is not None and holder.kind in ("name", "parameter") else name
