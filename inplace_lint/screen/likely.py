"""Heuristics on names and syntax: what very likely writes, allocates, or is no tensor."""

from __future__ import annotations

import ast
import re

from inplace_lint.judgement.reason import silent
from inplace_lint.source.syntax import last_word
from inplace_lint.torch_model.spellings import (
    asks_to_write,
    is_named_as_initializer,
    is_old_initializer,
    is_writer,
)

NUMBER_NAME = silent(
    "number-name",
    "what goes by a name like `num_words`, `offset` or `count` is a number, or has no gradient",
    """
    import torch


    def counted(logs):
        return torch.exp(logs)


    def smoothed(logs):
        num_words = counted(logs)
        num_words += 1
        return num_words
    """,
)
TABLE_NAME = silent(
    "table-name",
    "what goes by a name like `vocab`, `config` or `mapping` is a table, not a tensor",
    """
    import torch


    def without(token, scores):
        vocab = torch.sigmoid(scores)
        vocab[token] = 0
        return vocab
    """,
)

_NUMBER = re.compile(r"(num|n|max|min)_\w+|max|min|start|end|step|(\w+_)?(idx|index|size|len|length|count|dim|offset)")
_TABLE = re.compile(r"(\w+_)?(map|dict|mapping|registry|kwargs|config|cfgs?|info|metadata|vocab|headers)")


def is_counting(node: ast.AugAssign) -> bool:
    """Whether an operation very likely changes a number, or a tensor that has no gradient."""
    if isinstance(node.op, (ast.FloorDiv, ast.LShift, ast.RShift)):
        return True
    if isinstance(node.op, (ast.BitOr, ast.BitAnd, ast.BitXor)):
        return isinstance(node.target, ast.Name)
    if isinstance(node.value, ast.Call) and any(isinstance(argument, ast.JoinedStr) for argument in node.value.args):
        return last_word(node.value.func) not in ("getattr", "get_parameter", "get_buffer")
    return NUMBER_NAME.on and _NUMBER.fullmatch(last_word(node.target)) is not None


_CONTAINERS = frozenset({"tuple", "list", "dict", "set", "frozenset", "str"})


def is_filing(target: ast.Subscript, value: ast.expr | None) -> bool:
    """Whether an item very likely goes into a container."""
    if isinstance(value, (ast.Tuple, ast.List)) or (
        isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in _CONTAINERS
    ):
        return True
    if isinstance(target.value, ast.Attribute) and isinstance(value, ast.Constant) and isinstance(value.value, bool):
        return True
    base = target.value
    while isinstance(base, ast.Subscript):
        base = base.value
    return TABLE_NAME.on and _TABLE.fullmatch(last_word(base).lower()) is not None


def begins_inference(decorator: ast.expr) -> bool:
    """Whether a decorator puts a function under `inference_mode`."""
    return last_word(decorator.func if isinstance(decorator, ast.Call) else decorator) == "inference_mode"


def fills(function: ast.expr) -> bool:
    """Whether a function is one of `torch.nn.init`, or goes by such a name."""
    if isinstance(function, ast.Attribute):
        known = is_named_as_initializer(function.attr) or is_old_initializer("init", function.attr)
        return known and last_word(function.value) == "init"
    return isinstance(function, ast.Name) and is_named_as_initializer(function.id)


def is_hidden(node: ast.expr) -> bool:
    """Whether a write to this is hidden from autograd."""
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        if isinstance(node, ast.Attribute) and node.attr == "data":
            return True
        node = node.value
    return False


def names_an_option(key: ast.expr | None) -> bool:
    """Whether a key may stand for a keyword that asks for a write."""
    return isinstance(key, ast.Constant) and isinstance(key.value, str) and asks_to_write(key.value)


def ends_a_writer(node: ast.expr) -> bool:
    """Whether an expression for a name may make that of an op that writes, by an underscore at its end."""
    last: ast.expr | None = node
    if isinstance(node, ast.BinOp):
        last = node.right
    elif isinstance(node, ast.JoinedStr):
        last = node.values[-1] if node.values else None
    if not isinstance(last, ast.Constant) or not isinstance(last.value, str):
        return False
    return is_writer(last.value) if last is node else last.value.endswith("_")


def is_true(node: ast.expr) -> bool:
    """Whether an expression is `True`."""
    return isinstance(node, ast.Constant) and node.value is True


def is_false(node: ast.expr) -> bool:
    """Whether an expression is a false constant."""
    return isinstance(node, ast.Constant) and not node.value
