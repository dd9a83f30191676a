"""What `__new__` gives for a class that derives from `tuple` or `Tensor`: its own, or that of the base."""

from __future__ import annotations

from collections.abc import Collection

from inplace_lint.interpret.state.classes import class_member
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import Arguments, Class, Function, List, Passed, Ref, resolve
from inplace_lint.interpret.torch import own_tensors
from inplace_lint.source import ir
from inplace_lint.torch_model.tensor import Tensor

_TENSORS = frozenset({"torch.Tensor", "torch.FloatTensor"})


def made(run: Run, cls: Class, bases: Collection[str], arguments: Arguments, node: ir.Node) -> List | Tensor | None:
    """The tuple or tensor that a class makes; None if it makes something else.

    Args:
        bases: the classes of libraries from which it derives.
    """
    of_tuples = "builtins.tuple" in bases
    of_tensors = not _TENSORS.isdisjoint(bases) or own_tensors.is_parameter(cls)
    maker = class_member(run, cls, "__new__") if of_tuples or of_tensors else None
    first = Passed(Ref(cls), node, "", run.torch.clock)
    given = Arguments([first, *arguments.positional], arguments.keywords, arguments.open)
    if maker is not None and isinstance(maker.value, Function):
        result = resolve(run.call_function(maker.value, given, node, None).value)
    elif of_tuples:
        result = resolve(run.call_builtin("tuple.__new__", given, node).value)
    else:
        return None
    if of_tuples:
        return result if isinstance(result, List) else None
    made = result if isinstance(result, Tensor) else _as_given(run, cls, arguments, node)
    initializer = class_member(run, cls, "__init__")
    if made is not None and initializer is not None and isinstance(initializer.value, Function):
        run.call_function(initializer.value, arguments, node, Ref(made))
    return made


def _as_given(run: Run, cls: Class, arguments: Arguments, node: ir.Node) -> Tensor | None:
    """What a class of tensors makes of a tensor by ways that are out of view: mostly the same memory."""
    given = resolve(arguments.positional[0].ref.value) if arguments.positional else None
    if not isinstance(given, Tensor) or own_tensors.is_parameter(cls):
        return None
    return own_tensors.as_subclass(run, given, cls, node)
