"""Chooses the overload of an op that takes the arguments of a call."""

from __future__ import annotations

from inplace_lint.interpret.state.conditions import asks_in_place
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import Arguments, Dict, List, Unknown, Value, identity, resolve
from inplace_lint.torch_model.effects import Effects, Param
from inplace_lint.torch_model.op_table import table
from inplace_lint.torch_model.spellings import is_inplace_option
from inplace_lint.torch_model.tensor import Tensor


def choose(run: Run, rows: tuple[Effects, ...], arguments: Arguments) -> Effects | None:
    """The first overload that fits the arguments; an unknown is rather a number than a tensor."""
    fitting = [row for row in rows if _fits(row, arguments)] or [row for row in rows if _fits(row, arguments, True)]
    if len(fitting) > 1:
        fitting.sort(key=lambda row: _invented(row, arguments))
    return next((row for row in fitting if _given(run, row, arguments)), None)


def _invented(row: Effects, arguments: Arguments) -> int:
    """How many unknown arguments, the first apart, a row takes for tensors, or for numbers though they have a past."""
    positional = [param for param in row.params if not param.keyword_only]
    pairs = list(zip(positional, arguments.positional, strict=False))[1:]
    pairs += [(param, arguments.keywords[param.name]) for param in row.params if param.name in arguments.keywords]
    unknowns = [(param, value) for param, passed in pairs if isinstance(value := resolve(passed.ref.value), Unknown)]
    return sum((param.kind == "tensor") != bool(value.history) for param, value in unknowns)


# What a function and a method call the tensor that they are of.
FIRST = ("input", "self")
# Every op takes these, or none that matters here.
_IGNORED = frozenset(
    "out dtype device requires_grad layout pin_memory memory_format generator non_blocking copy input self".split()
)


def _fits(row: Effects, arguments: Arguments, converted: bool = False) -> bool:
    """Whether an overload takes these arguments: so many, by these names, of these kinds, and no more needed.

    Args:
        converted: tensors stand for numbers, too: PyTorch takes one with a single element so.
    """
    keywords = arguments.keywords
    positional = [param for param in row.params if not param.keyword_only]
    if not _takes_so_many(positional, len(arguments.positional)):
        return False
    named = [param for param in row.params if param.name in keywords] if keywords else []
    if any(name not in _IGNORED and all(param.name != name for param in named) for name in keywords):
        return False
    if not arguments.open and _lacks_one(row, arguments):
        return False
    pairs = [*zip(positional, arguments.positional, strict=False), *((param, keywords[param.name]) for param in named)]
    return all(_kind_fits(param, resolve(passed.ref.value), converted) for param, passed in pairs)


def _takes_so_many(positional: list[Param], given: int) -> bool:
    """Whether there is a parameter for each positional argument; the last one may gather several."""
    return given <= len(positional) or (bool(positional) and positional[-1].kind in ("ints", "tensors", "other"))


def _lacks_one(row: Effects, arguments: Arguments) -> bool:
    """Whether a parameter is given nothing that is not optional."""
    keywords, given = arguments.keywords, len(arguments.positional)
    first = any(name in keywords for name in FIRST)
    for index, param in enumerate(row.params):
        missing = index >= given or param.keyword_only
        if missing and not param.optional and param.name not in keywords and not (first and param.name in FIRST):
            return True
    return False


def _kind_fits(param: Param, value: Value, converted: bool = False) -> bool:
    if converted and param.kind in ("number", "int", "ints") and isinstance(value, Tensor):
        return True
    if isinstance(value, Unknown):
        return param.optional or param.name != "max_norm"  # Who passes on the option of a layer, mostly passes None.
    if value is None:
        return param.optional or param.kind == "other"
    if param.kind == "tensor":
        return isinstance(value, Tensor)
    if param.kind == "tensors":
        return isinstance(value, (List, Tensor, Dict))
    if param.kind in ("number", "int", "ints", "bool"):
        return not isinstance(value, (Tensor, str)) or (param.kind == "ints" and isinstance(value, List))
    if param.kind == "str":
        return isinstance(value, str)
    return True


def _given(run: Run, row: Effects, arguments: Arguments) -> bool:
    positions = {param.name: i for i, param in enumerate(row.params) if not param.keyword_only}
    for name, wanted in row.given:
        passed = arguments.get(positions.get(name), name)
        value = asks_in_place(run, passed) if is_inplace_option(name) else same_for_all(resolve(passed))
        if isinstance(value, Unknown):
            value = _is_training(run, value) if name == "training" else supposed(run, value, wanted)
        elif value is None and isinstance(wanted, bool) and name != "training":
            value = False  # Of a `training` that is left out, the rows without `given` tell.
        if value != wanted:
            return False
    return True


def _is_training(run: Run, value: Unknown) -> bool:
    """Whether a path trains, as a layer does unless somebody says otherwise: that alone makes no other path."""
    answer, _ = run.oracle.remembered.get(identity(value), (True, None))
    return answer


def supposed(run: Run, value: Unknown, wanted: object, likely: bool = True) -> Value:
    """What an unknown argument is taken for: a flag for both, a size for the one for which less is saved."""
    if isinstance(wanted, bool):
        return run.oracle.truth(identity(value), likely)
    return wanted if isinstance(wanted, int) else None


def same_for_all(value: Value) -> Value:
    """The number that a list of sizes repeats: `1` and `(1, 1)` mean the same to an op."""
    if not isinstance(value, List) or value.open or not value.items:
        return value
    sizes = [resolve(item.value) for item in value.items]
    return sizes[0] if all(isinstance(size, int) and size == sizes[0] for size in sizes) else value


def takes(name: str, arguments: Arguments) -> bool:
    """Whether an op takes such arguments; with too few, too many or others, somebody else's function is meant."""
    return any(_fits(row, arguments) for row in table().overloads(name))
