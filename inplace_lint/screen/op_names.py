"""Names of ops for the screen, before it is known which op a call runs."""

from __future__ import annotations

import ast
from functools import cache

from inplace_lint.source.syntax import root_name
from inplace_lint.torch_model.effects import Effects, Part
from inplace_lint.torch_model.op_names import ACCUMULATE, base_name
from inplace_lint.torch_model.op_table import shipped
from inplace_lint.torch_model.spellings import positions

LIBRARIES = frozenset({"torch", "F", "functional", "np", "numpy"})
_METHOD = "torch.Tensor."
# These keep their arguments, where they are not methods of tensors.
_KEEPERS = frozenset({"add", "put", "where"})


def is_library(func: ast.expr) -> bool:
    """Whether a call goes to an op, which keeps nothing but for its backward."""
    if not isinstance(func, ast.Attribute):
        return isinstance(func, ast.Name) and func.id in ("len", "range", "int", "float", "isinstance", "print", "str")
    if root_name(func) in LIBRARIES:
        return True
    return func.attr in methods() and func.attr not in _KEEPERS and root_name(func) not in ("self", "cls")


@cache
def methods() -> frozenset[str]:
    """The names of the methods of tensors."""
    return frozenset(name.removeprefix(_METHOD) for name in shipped().names() if name.startswith(_METHOD))


@cache
def queries() -> frozenset[str]:
    """The names of methods that ask a tensor for a number, its shape or the like."""
    rows = {name: shipped().overloads(_METHOD + name) for name in methods() if _METHOD + name != ACCUMULATE}
    return frozenset(name for name, overloads in rows.items() if all(map(_gives_no_tensor, overloads)))


@cache
def metadata() -> frozenset[str]:
    """The names of methods that ask a tensor for its shape, dtype or the like, never for values."""
    rows = {name: shipped().overloads(_METHOD + name) for name in queries()}
    return frozenset(name for name, overloads in rows.items() if all(row.metadata_only for row in overloads))


def _gives_no_tensor(row: Effects) -> bool:
    return all(output.origin == "value" for output in row.outputs)


@cache
def makers() -> frozenset[str]:
    """The names of ops that always make new memory."""
    fresh: dict[str, bool] = {}
    for name in shipped().names():
        last = name.rpartition(".")[2]
        rows = [row for row in shipped().overloads(name) if ("inplace", True) not in row.given]
        new = all(not set(row.writes) - {"out"} and all(each.origin == "fresh" for each in row.outputs) for row in rows)
        fresh[last] = fresh.get(last, True) and new and not last.endswith("_")
    return frozenset(name for name, new in fresh.items() if new)


@cache
def viewing(*parts: Part) -> frozenset[str]:
    """The names of ops that give views of such parts."""
    rows = {name: shipped().overloads(name) for name in shipped().names() if name[-1:] != "_"}
    return frozenset(base_name(name) for name, overloads in rows.items() if any(row.part in parts for row in overloads))


@cache
def classifying() -> frozenset[str]:
    """The names of ops that give elements of which several are very likely equal."""
    rows = {name: shipped().overloads(name) for name in shipped().names()}
    repeating = (name for name, overloads in rows.items() if any(row.repeats not in ("", "never") for row in overloads))
    return frozenset(name.rpartition(".")[2] for name in repeating)


@cache
def frugal() -> frozenset[str]:
    """The names of ops that save none of their arguments, and whose results share no memory with them."""
    frugal: dict[str, bool] = {}
    for name in shipped().names():
        last = name.rpartition(".")[2]
        rows = shipped().overloads(name)
        saves = any(not save.what.startswith("result") for row in rows for save in row.saves)
        seen = all(row.source == "probed" for row in rows)
        frugal[last] = frugal.get(last, True) and seen and not saves
    named = frozenset(name for name, saves_none in frugal.items() if saves_none)
    return (named & makers()).difference(positions())


@cache
def savers() -> frozenset[str]:
    """The names of ops that save their result for backward."""
    saving = set()
    for name in shipped().names():
        if any(save.what.startswith("result") for row in shipped().overloads(name) for save in row.saves):
            saving.add(name.rpartition(".")[2])
    return frozenset(saving)
