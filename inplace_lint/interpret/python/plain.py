"""What Python itself computes: operators and functions of numbers, texts, and containers of nothing else."""

from __future__ import annotations

import math
import operator
import os.path
import re
from collections.abc import Callable
from typing import Any

from inplace_lint.interpret.state.values import Arguments, Dict, List, Ref, Value, resolve
from inplace_lint.torch_model.constant import Constant

# Longer results are not computed: what a text says of its own length is the program's to choose.
_MOST_CHARACTERS = 2_000
_LONGEST_RESULT = 1_000_000
_MOST_ITEMS = 256
_MOST_BITS = 1_024
_MOST_POWER = 64
# A width in a format, or one that is given beside it.
_WIDE = re.compile(r"\d{4}|\*|\{[^}]*\{")


class NotPlain(Exception):
    """A value is no number, text, or container of such, or a large one."""


def plain(value: Value) -> Any:
    """A value as Python has it. Raises NotPlain if there is more to it, or not all of it is known."""
    value = resolve(value)
    if value is None or isinstance(value, bool):  # before integers: compiled, it would become one
        return value
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return value
    if isinstance(value, (str, bytes)):
        return value if len(value) <= _MOST_CHARACTERS else _refuse()
    if isinstance(value, List):
        return _list(value)
    if isinstance(value, Dict):
        return _dict(value)
    return _refuse()


def _refuse() -> Any:
    raise NotPlain


def _list(value: List) -> Any:
    known = value.cls is None and not value.open and value.count is None and len(value.items) <= _MOST_ITEMS
    if not known or value.kind not in ("list", "tuple", "set"):
        raise NotPlain
    items = [plain(ref.value) for ref in value.items]
    return items if value.kind == "list" else tuple(items) if value.kind == "tuple" else set(items)


def _dict(value: Dict) -> Any:
    if value.open or value.makes is not None or value.rest is not None or len(value.items) > _MOST_ITEMS:
        raise NotPlain
    keys = [key.value if isinstance(key, Constant) else _refuse() for key in value.items]
    return dict(zip(keys, (plain(ref.value) for ref in value.items.values()), strict=True))


def value_of(result: object) -> Value:
    """A value of Python's as the interpreter has it. Raises NotPlain if it is another one, or large."""
    if result is None or isinstance(result, bool):
        return result
    if isinstance(result, int):
        return result if result.bit_length() <= _MOST_BITS else _refuse()
    if isinstance(result, float):
        return result
    if isinstance(result, (str, bytes)):
        return result if len(result) <= _LONGEST_RESULT else _refuse()
    if isinstance(result, dict):
        return Dict({Constant(key): Ref(value_of(value)) for key, value in result.items()})
    if isinstance(result, (list, tuple, set)):
        items = [Ref(value_of(item)) for item in (sorted(result, key=repr) if isinstance(result, set) else result)]
        if isinstance(result, tuple):
            return List("tuple", items)
        return List("list" if isinstance(result, list) else "set", items)
    raise NotPlain


def computed(function: Callable[..., Any], *given: Value, **options: Value) -> Ref | None:
    """What a function makes of values; None if it is not known of all what they are, or it raises."""
    try:
        known = [plain(value) for value in given]
        return Ref(value_of(function(*known, **{name: plain(value) for name, value in options.items()})))
    except (NotPlain, TypeError, ValueError, LookupError, ArithmeticError, AttributeError):
        return None


def are_equal(one: Value, other: Value) -> bool:
    """Whether two values are surely equal."""
    found = computed(operator.eq, one, other)
    return found is not None and found.value is True


def called(function: Callable[..., Any], arguments: Arguments) -> Ref | None:
    """What a call of a function gives; None if that is not known."""
    if arguments.open:
        return None
    options = {name: passed.ref.value for name, passed in arguments.keywords.items()}
    return computed(function, *[passed.ref.value for passed in arguments.positional], **options)


def power(base: Any, exponent: Any) -> Any:
    """`base ** exponent` of numbers that stay small."""
    if isinstance(base, int) and isinstance(exponent, int) and (abs(exponent) > _MOST_POWER or abs(base) > 2**16):
        raise NotPlain
    return base**exponent


def is_short(op: str, a: object, b: object) -> bool:
    """Whether what an operator makes of two numbers or texts is surely short enough to be computed."""
    text, other = (a, b) if isinstance(a, (str, bytes)) else (b, a)
    if not isinstance(text, (str, bytes)):
        return True
    if op == "*":
        return isinstance(other, int) and len(text) * other < _MOST_CHARACTERS
    if op == "%":
        return isinstance(text, str) and len(text) < _MOST_CHARACTERS and _WIDE.search(text) is None
    return True


def text_method(text: str, name: str, arguments: Arguments) -> Ref | None:
    """What a method of a text gives; None if that is not known, or may be long."""
    if name == "format" and _WIDE.search(text):
        return None
    sizes = [_size(resolve(passed.ref.value)) for passed in arguments.positional]
    if (len(text) + 1) * max(sizes, default=1) > _LONGEST_RESULT:
        return None
    return called(getattr(text, name), arguments)


def _size(value: Value) -> int:
    return abs(value) if isinstance(value, int) else len(value) if isinstance(value, str) else 1


_PATHS = ("basename", "dirname", "join", "split", "splitext")
FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{f"math.{name}": function for name, function in vars(math).items() if callable(function)},
    **{f"os.path.{name}": getattr(os.path, name) for name in _PATHS},
}
FUNCTIONS["math.pow"] = power
# These may take very long, or give very much.
for _name in ("factorial", "comb", "perm"):
    del FUNCTIONS[f"math.{_name}"]

CONSTANTS: dict[str, float] = {
    **{f"math.{name}": number for name, number in vars(math).items() if isinstance(number, float)},
    **{f"{module}.{name}": getattr(math, name) for module in ("torch", "numpy") for name in ("pi", "inf", "nan", "e")},
}
