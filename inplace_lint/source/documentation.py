"""The statements of a function's documentation about its arguments."""

from __future__ import annotations

import re
from functools import lru_cache

from inplace_lint.source import ir

_DENIED = re.compile(r"\b(?:no|not|never|without|avoids?|instead of|\w+n't)\W+(?:\w+\W+){0,2}$", re.IGNORECASE)
_IN_PLACE = r"\bin[- ]?place\b"
_VERBS = r"\b(?:modif(?:y|ies|ying)|overwrit(?:e|es|ing)|mutat(?:e|es|ing)|fill(?:s|ing)?)"
_SYMBOLS = r"\b\w+ ?(?:[-+*/]|\*\*|//|@)= "
_MEMORY = r"\b(?:work(?:ing)?[ -]?space|scratch(?:pad)?|output buffer|preallocated)\b"
# Quick to look for in long texts.
_TELLING = re.compile("|".join((_IN_PLACE, _VERBS, _SYMBOLS, _MEMORY)), re.IGNORECASE)

# The words in `object` are looked up, not matched: a function may have very many parameters.
_WRITES_IN_PLACE = re.compile(_IN_PLACE, re.IGNORECASE)
_WRITES = re.compile(rf"{_VERBS} (?=(?P<object>(?:(?:its|the|given|input) )*\w+))", re.IGNORECASE)
_UPDATES = re.compile(r"\b(?P<object>\w+) ?(?:[-+*/]|\*\*|//|@)= ", re.IGNORECASE)
# What is said of one parameter stands on its line: what was denied before, as in `(not padded).`, is about another.
_USES = re.compile(
    rf"^[ \t\r\f\v:*`-]*(?P<object>(?:param )?\w+)\b(?P<before>.*){_MEMORY}", re.IGNORECASE | re.MULTILINE
)
_OBJECTS = frozenset({"input", "inputs", "argument", "arguments", "tensor", "tensors"})


def says_that_it_writes(function: ir.Function) -> bool:
    """Whether a docstring says that a call writes what it is given.

    That is `in-place`; a verb like "modifies", with the arguments or the name of a parameter behind it; `h += ...`
    for a parameter `h`; or a parameter that is introduced as working space.
    """
    first = function.body[0] if function.body else None
    text = first.value.value if isinstance(first, ir.ExprStmt) and isinstance(first.value, ir.Const) else None
    return isinstance(text, str) and _says(text, tuple(param.name for param in function.params))


@lru_cache(1024)
def _says(text: str, params: tuple[str, ...]) -> bool:
    if not params or _TELLING.search(text) is None:
        return False
    names = frozenset(param.lower() for param in params)
    return any(
        _DENIED.search(_before(found)) is None
        for pattern, objects in (
            (_WRITES_IN_PLACE, None),
            (_WRITES, names | _OBJECTS),
            (_UPDATES, names),
            (_USES, names),
        )
        for found in pattern.finditer(text)
        if objects is None or not objects.isdisjoint(found["object"].lower().split())
    )


def _before(found: re.Match[str]) -> str:
    """What stands before a phrase, where it may be denied."""
    own = found.re is _USES
    return found["before"][-60:] if own else found.string[max(0, found.start() - 60) : found.start()]
