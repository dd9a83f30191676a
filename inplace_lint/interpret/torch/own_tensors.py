"""Tensors of a class that a program or a library derives from `nn.Parameter` or `Tensor`, with methods of their own."""

from __future__ import annotations

from inplace_lint.interpret.state.classes import class_member, library_bases
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import Arguments, Class, Function, Ref, Value, resolve
from inplace_lint.source import ir
from inplace_lint.torch_model.tensor import NO, YES, Tensor

_BASES = frozenset({"torch.nn.Parameter", "torch.nn.parameter.Parameter"})
# A class that defines one of these decides what each op does to its objects.
_OVERRIDING = ("__torch_function__", "__torch_dispatch__")


def made(run: Run, cls: Class, arguments: Arguments, node: ir.Node) -> Tensor | None:
    """The parameter that a class makes of its first argument; None if it makes something else."""
    if not is_parameter(cls) or any(_is_defined(run, cls, name) for name in _OVERRIDING):
        return None
    keywords = {name: passed for name, passed in arguments.keywords.items() if name in ("data", "requires_grad")}
    parameter = resolve(
        run.call_library("torch.nn.Parameter", Arguments(arguments.positional[:1], keywords), node).value
    )
    if not isinstance(parameter, Tensor):
        return None
    parameter.autograd_meta.made_as = cls
    return parameter


def make_subclass(run: Run, arguments: Arguments, node: ir.Node) -> Tensor | None:
    """`Tensor._make_subclass(cls, data, requires_grad)`: the memory of a tensor, in no graph; None if there is none."""
    cls, data = resolve(arguments.get(0, "cls")), resolve(arguments.get(1, "data"))
    if not isinstance(data, Tensor):
        return None
    parameter = isinstance(cls, Class) and is_parameter(cls)
    given = Arguments(arguments.positional[1:2], {}, False)
    made = resolve(run.call_library("torch.nn.Parameter", given, node).value) if parameter else None
    found = made if isinstance(made, Tensor) else run.torch.detach(data, run.site(node))
    wanted = resolve(arguments.get(2, "require_grad"))
    found.require(YES if wanted is True or (wanted is not False and parameter) else NO)
    found.made_as = found.autograd_meta.made_as = cls
    return found


def is_parameter(cls: Class) -> bool:
    """Whether a class derives from `nn.Parameter`."""
    return not _BASES.isdisjoint(library_bases(cls))


def as_subclass(run: Run, tensor: Tensor, cls: Value, node: ir.Node) -> Tensor:
    """The same memory as an object of a class that derives from `Tensor`."""
    made = run.torch.view(tensor, run.site(node))
    made.made_as = cls
    return made


def member(run: Run, tensor: Tensor, name: str) -> Ref | None:
    """What the class of a parameter defines by a name; a view of it, or what is computed of it, is a plain tensor."""
    cls = class_of(tensor)
    return class_member(run, cls, name) if cls is not None else None


def class_of(value: Value) -> Class | None:
    """The class of the program of which a tensor is an object."""
    if not isinstance(value, Tensor):
        return None
    cls = value.autograd_meta.made_as if value.view == "base" else value.made_as
    return cls if isinstance(cls, Class) else None


def _is_defined(run: Run, cls: Class, name: str) -> bool:
    found = class_member(run, cls, name)
    return found is not None and isinstance(found.value, Function)
