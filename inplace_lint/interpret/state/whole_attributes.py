"""What attributes hold, as a class makes them wherever it gives them a value.

Parameters, or values without a gradient: whole numbers, truth values, what is computed of what was detached.
"""

from __future__ import annotations

from inplace_lint.interpret.state.facts import facts
from inplace_lint.source import ir
from inplace_lint.source.spelling import called_name, last_word
from inplace_lint.source.walk import nodes

_WHOLE = frozenset("long int64 int int32 int16 short int8 uint8 bool".split())


def parameters_given(code: ir.Function, name: str) -> list[ir.Expr | None]:
    """For each value but None that a method gives an attribute, the call that makes a parameter; None if it is none."""
    if name not in facts(code).assigned:
        return []
    given = (value for value in _given(code, name) if not (isinstance(value, ir.Const) and value.value is None))
    return [value if _makes_parameter(value) else None for value in given]


def _given(code: ir.Function, name: str) -> list[ir.Expr]:
    """The values that a method gives an attribute."""
    return [node.value for node in facts(code).given.get(name, ()) if isinstance(node, ir.Assign)]


def _makes_parameter(value: ir.Expr) -> bool:
    """Whether an expression makes a parameter that is trained."""
    if not isinstance(value, ir.Call) or called_name(value) != "Parameter":
        return False
    return all(arg.keyword != "requires_grad" or _is_true(arg.value) for arg in value.args) and len(value.args) <= 2


def _is_true(value: ir.Expr) -> bool:
    return isinstance(value, ir.Const) and value.value is True


def wholes_given(code: ir.Function, name: str) -> list[bool]:
    """For each value that a method gives an attribute, whether it surely has no gradient, or is None."""
    if name not in facts(code).assigned:
        return []
    return [_is_whole(value) or _is_cut_off(value, code, name, set()) for value in _given(code, name)]


def _is_whole(value: ir.Expr) -> bool:
    """Whether a call asks for whole numbers; None is no tensor at all."""
    if isinstance(value, ir.Const) and value.value is None:
        return True
    return isinstance(value, ir.Call) and any(
        arg.keyword == "dtype" and last_word(arg.value) in _WHOLE for arg in value.args
    )


def _is_cut_off(value: ir.Expr, code: ir.Function, attribute: str, met: set[str]) -> bool:
    """Whether a value is computed of what was detached, and of what the attribute has already, if of any tensors.

    Args:
        met: the variables that were looked at; as all must be cut off, each is looked at once.
    """
    if isinstance(value, ir.Attr):
        return value.name in ("data", attribute) and isinstance(value.value, ir.Name)
    if isinstance(value, (ir.Call, ir.Binary)):
        if isinstance(value, ir.Call) and called_name(value) == "detach":
            return True
        tensors = [each for each in _operands(value) if not _is_number(each)]
        return bool(tensors) and all(_is_cut_off(each, code, attribute, met) for each in tensors)
    if not isinstance(value, ir.Name) or any(param.name == value.id for param in code.params):
        return False
    if value.id in met:
        return True
    met.add(value.id)
    given = [each.value for each in nodes(code.body) if isinstance(each, ir.Assign) and _names(each, value.id)]
    return bool(given) and all(_is_cut_off(each, code, attribute, met) for each in given)


def _operands(call: ir.Call | ir.Binary) -> list[ir.Expr]:
    """What a call computes something of; of a method that only turns or converts its object, nothing else."""
    if isinstance(call, ir.Binary):
        return [call.left, call.right]
    given = [each.value for each in call.args if each.keyword not in _SETTINGS]
    if not isinstance(call.func, ir.Attr) or _is_module(call.func.value):
        return given
    return [call.func.value] if call.func.name in _TURNING else [call.func.value, *given]


# Read in the source, where nobody knows yet what a method belongs to: by usual names, of arguments and of methods.
_SETTINGS = frozenset("dim axis keepdim dtype device".split())
_TURNING = frozenset("view reshape permute transpose flatten squeeze unsqueeze to float clone contiguous cpu".split())


def _names(node: ir.Assign, name: str) -> bool:
    return any(isinstance(target, ir.Name) and target.id == name for target in node.targets)


def _is_number(value: ir.Expr) -> bool:
    """Whether a value is written down, or an option, and no tensor."""
    inner = value.value if isinstance(value, ir.Unary) else value
    return isinstance(inner, ir.Const) or (isinstance(inner, ir.Sequence) and all(map(_is_number, inner.items)))


def _is_module(value: ir.Expr) -> bool:
    """Whether a function is looked up in PyTorch itself, as `torch.amin` or `F.relu`."""
    return isinstance(value, ir.Name) and value.id in ("torch", "F")
