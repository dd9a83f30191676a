"""Descriptors of the program: objects in a class that say what an attribute gives, and how it is set."""

from __future__ import annotations

from inplace_lint.interpret.state.classes import class_member
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import Class, Function, Instance, Ref, Unknown, resolve
from inplace_lint.source import ir


def get(run: Run, member: Ref, receiver: Ref, name: str, node: ir.Node) -> Ref | None:
    """What a descriptor gives for an attribute of an object; None if that is nothing known, or it is none."""
    owner = _owner(receiver)
    if owner is None or not _is_descriptor(run, member, "__get__"):
        return None
    _tell_name(run, member, owner, name, node)
    found = run.special_method(member, "__get__", (receiver, Ref(owner)), node)
    return None if found is None or isinstance(found.value, Unknown) else found


def set(run: Run, receiver: Ref, name: str, ref: Ref, node: ir.Node) -> bool:
    """Whether a descriptor sets an attribute of an object, and did so in view."""
    owner, instance = _owner(receiver), resolve(receiver.value)
    member = class_member(run, owner, name) if owner is not None else None
    if owner is None or member is None or not _is_descriptor(run, member, "__set__"):
        return False
    assert isinstance(instance, Instance)
    _tell_name(run, member, owner, name, node)
    before, began = dict(instance.attributes), run.torch.clock
    run.special_method(member, "__set__", (receiver, ref), node)
    return instance.attributes != before or any(True for _ in run.torch.trace.writes_since(began))


def _owner(receiver: Ref) -> Class | None:
    value = resolve(receiver.value)
    return value.cls if isinstance(value, Instance) and isinstance(value.cls, Class) and not value.guess else None


def _is_descriptor(run: Run, member: Ref, does: str) -> bool:
    value = member.value
    if not (isinstance(value, Instance) and isinstance(value.cls, Class)):
        return False
    found = class_member(run, value.cls, does)
    return found is not None and isinstance(found.value, Function)


def _tell_name(run: Run, member: Ref, owner: Class, name: str, node: ir.Node) -> None:
    """Python tells a descriptor its name as its class is made; here it is told before it is asked."""
    run.special_method(member, "__set_name__", (Ref(owner), Ref(name)), node)
