"""What a call says of itself: by its name, its documentation or its arguments, that it writes what it is given."""

from __future__ import annotations

from inplace_lint.interpret.state.values import Arguments, Function, Library, Value, plain
from inplace_lint.source.documentation import says_that_it_writes

# Verbs of functions that are there to fill or change what they are given; `_mask(mask, ...)` does so, too.
_FILLING = frozenset("fill init initialize initialise reset zero set update write assign scatter overwrite".split())


def declares_writes(function: Function, arguments: Arguments) -> bool:
    """Whether the name, the documentation or the arguments of a call say that it writes its argument."""
    name = function.code.name
    if name.endswith("_") and not name.endswith("__"):
        return True
    words = name.strip("_").split("_")
    if (
        words[0] in _FILLING
        or words[-1] == "update"
        or any(param.name == name.strip("_") for param in function.code.params)
    ):
        return True
    if any(_writes_by_name(plain(passed.cell.value)) for passed in arguments.positional):
        return True
    asked = any(
        (key == "out" or "inplace" in key or "in_place" in key) and plain(passed.cell.value) not in (False, None)
        for key, passed in arguments.keywords.items()
    )
    return asked or says_that_it_writes(function.code)


def _writes_by_name(value: Value) -> bool:
    """Whether a callee is handed an op that writes: `tree_map(torch.Tensor.add_, ...)`."""
    return isinstance(value, Library) and value.name.endswith("_") and not value.name.endswith("__")
