"""The truth of values; where it is unknown, the oracle decides."""

from __future__ import annotations

from inplace_lint.interpret.run import Run, identity, plain
from inplace_lint.interpret.values import Dict, Function, Instance, Key, Library, List, Unknown, Value
from inplace_lint.source import ir
from inplace_lint.torch_model.tensor import Tensor


def truth(run: Run, value: Value, node: ir.Node) -> bool:
    """Whether a value counts as true."""
    value = plain(value)
    if value is None or isinstance(value, (bool, int, float, str, bytes)):
        return bool(value)
    if isinstance(value, Unknown):
        return _decide(run, value.key)
    if isinstance(value, Tensor):
        return run.oracle.truth(identity(value))
    if isinstance(value, (List, Dict)):
        return True if value.items else run.oracle.truth(("nonempty", id(value))) if value.open else False
    if isinstance(value, (Function, Instance, Library)):
        return True
    return True


def _decide(run: Run, key: Key) -> bool:
    first, *rest = key.parts
    if first == "not" and isinstance(rest[0], Key):
        return not _decide(run, rest[0])
    return run.oracle.truth(key, likely=first != "is" and not (first == "equal" and _is_empty(rest[0])))


def _is_empty(operands: object) -> bool:
    """Whether it is asked if a size is zero (`x.numel() == 0`): an exception."""
    return (
        isinstance(operands, frozenset)
        and identity(0) in operands
        and any(isinstance(each, Key) and each.parts[0] == "shape" for each in operands)
    )
