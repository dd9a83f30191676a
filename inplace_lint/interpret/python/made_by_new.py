"""What `__new__` gives for a class that derives from `tuple` or `Tensor`: its own, or that of the base."""

from __future__ import annotations

from collections.abc import Collection

from inplace_lint.interpret.state.classes import class_member
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import Arguments, Class, Function, List, Passed, Ref, resolve
from inplace_lint.source import ir
from inplace_lint.torch_model.tensor import Tensor

_TENSORS = frozenset({"torch.Tensor", "torch.FloatTensor"})


def made(run: Run, cls: Class, bases: Collection[str], arguments: Arguments, node: ir.Node) -> List | Tensor | None:
    """The tuple or tensor that a class makes; None if it makes something else.

    Args:
        bases: the classes of libraries from which it derives.
    """
    of_tuples = "builtins.tuple" in bases
    maker = class_member(run, cls, "__new__") if of_tuples or not _TENSORS.isdisjoint(bases) else None
    first = Passed(Ref(cls), node, "", run.torch.clock)
    given = Arguments([first, *arguments.positional], arguments.keywords, arguments.open)
    if maker is not None and isinstance(maker.value, Function):
        result = resolve(run.call_function(maker.value, given, node, None).value)
    elif of_tuples:
        result = resolve(run.call_builtin("tuple.__new__", given, node).value)
    else:
        return None
    return result if isinstance(result, List if of_tuples else Tensor) else None
