"""Inputs given as text, such as `x=randn(2, 3, 32, 32)`. They are read, not evaluated."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import Any

import torch

from inplace_lint.runtime.errors import TargetError

_FACTORIES = frozenset("randn rand zeros ones full arange randint randperm linspace eye tensor".split())
_TENSOR_TOO_BIG = 2**33


def read_inputs(texts: Sequence[str], words: bool = False) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Positional and named inputs from texts `NAME=VALUE` or `VALUE`.

    A value is a literal, a list, tuple or dict of values, a dtype (`float64`), or a call of one of
    torch's factories (`randn`, `rand`, `zeros`, `ones`, `full`, `arange`, `randint`, `randperm`,
    `linspace`, `eye`, `tensor`) with such values; `torch.` before a name may be left out.

    Args:
        words: whether another name, path or word is a string (`resnet18`, `facebook/opt-125m`).

    Raises:
        TargetError: a text that is no such thing.
    """
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    for text in texts:
        name, equals, rest = text.partition("=")
        named = bool(equals) and name.strip().isidentifier()
        value = rest.strip() if words and named and _is_word(rest) else _read(rest if named else text, text)
        if named:
            kwargs[name.strip()] = value
        elif kwargs:
            raise TargetError(f"`{text}`: an input without a name must come before those with one")
        else:
            args.append(value)
    return tuple(args), kwargs


def _is_word(text: str) -> bool:
    """Whether a text is none of what inputs are made of, and looks like a name or a path."""
    word = text.strip()
    if not re.fullmatch(r"[A-Za-z_./~][\w./~:@-]*", word) or word in ("None", "True", "False"):
        return False
    return not isinstance(getattr(torch, word.removeprefix("torch."), None), torch.dtype)


def _read(expression: str, text: str) -> Any:
    try:
        return _value(ast.parse(expression.strip(), mode="eval").body)
    except SyntaxError as error:
        raise TargetError(f"`{text}`: not a Python expression ({error.msg})") from error
    except _UnknownError as error:
        known = f"literals, dtypes, and {', '.join(sorted(_FACTORIES))}"
        raise TargetError(f"`{text}`: cannot read `{error}`; inputs are made of {known}") from error
    except (TypeError, ValueError, RuntimeError, MemoryError) as error:
        raise TargetError(f"`{text}`: {str(error).splitlines()[0]}") from error


class _UnknownError(Exception):
    """A piece of text that no input is made of."""


def _value(node: ast.expr) -> Any:
    match node:
        case ast.Constant(value=value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand)
        case ast.List(elts=items):
            return [_value(item) for item in items]
        case ast.Tuple(elts=items):
            return tuple(_value(item) for item in items)
        case ast.Dict(keys=keys, values=values) if None not in keys:
            return {_value(key): _value(value) for key, value in zip(keys, values, strict=True) if key}
        case ast.Call(func=function, args=args, keywords=keywords) if _name(function) in _FACTORIES:
            given = {keyword.arg: _value(keyword.value) for keyword in keywords if keyword.arg}
            return _made(_name(function), [_value(arg) for arg in args], given)
    if isinstance(dtype := getattr(torch, _name(node), None), torch.dtype):
        return dtype
    raise _UnknownError(ast.unparse(node))


def _made(factory: str, args: list[Any], kwargs: dict[str, Any]) -> torch.Tensor:
    sizes = [size for arg in args for size in (arg if isinstance(arg, (list, tuple)) else [arg])]
    if factory in ("randn", "rand", "zeros", "ones"):
        elements = 1
        for size in sizes:
            elements *= size
        if elements > _TENSOR_TOO_BIG:
            raise ValueError(f"a tensor of {elements} elements is too big")
    made = getattr(torch, factory)(*args, **kwargs)
    assert isinstance(made, torch.Tensor)
    return made


def _name(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name) | ast.Attribute(value=ast.Name(id="torch"), attr=name):
            return name
    return ""
