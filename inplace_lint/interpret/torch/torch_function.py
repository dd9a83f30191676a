"""Classes that say in `__torch_function__` what the functions of PyTorch do with their objects.

Only the first argument of a call, and the first element of a list there, are looked at. Installed libraries choose by
tables that are filled elsewhere: of theirs only what stubs say is followed.
"""

from __future__ import annotations

from inplace_lint.interpret.state.classes import class_member
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import (
    Arguments,
    Class,
    Dict,
    Function,
    Instance,
    Library,
    List,
    Passed,
    Ref,
    Value,
    resolve,
)
from inplace_lint.source import ir
from inplace_lint.torch_model.constant import Constant

_NAME = "__torch_function__"


def override(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Ref | None:
    """What the class of the first argument makes of a call of `name`; None if it leaves that to PyTorch.

    It is called as `torch.overrides.handle_torch_function` does.
    """
    cls = _class_of(resolve(arguments.positional[0].ref.value)) if arguments.positional else None
    member = class_member(run, cls, _NAME) if cls is not None else None
    if cls is None or member is None or not isinstance(member.value, Function) or arguments.open:
        return None
    args = List("tuple", [passed.ref for passed in arguments.positional])
    kwargs = Dict({Constant(key): passed.ref for key, passed in arguments.keywords.items()})
    refs = (Ref(Library(name)), Ref(List("tuple", open=True)), Ref(args), Ref(kwargs))
    given = Arguments([Passed(ref, node, "", run.torch.clock) for ref in refs])
    return run.call(run.get_attribute(Ref(cls), _NAME, node), given, node)


def _class_of(value: Value) -> Class | None:
    if isinstance(value, List) and value.items:
        value = resolve(value.items[0].value)
    cls = value.cls if isinstance(value, Instance) else None
    return cls if isinstance(cls, Class) and not cls.module.installed else None
