"""What the documentation of a function says of its arguments."""

from __future__ import annotations

import re
from functools import lru_cache

from inplace_lint.source import ir

_DENIED = re.compile(r"\b(?:no|not|never|without|avoids?|instead of|\w+n't)\W+(?:\w+\W+){0,2}$", re.IGNORECASE)
_IN_PLACE = r"\bin[- ]?place\b"
_VERBS = r"\b(?:modif(?:y|ies|ying)|overwrit(?:e|es|ing)|mutat(?:e|es|ing)|fill(?:s|ing)?)"
_SYMBOLS = r"\b\w+ ?(?:[-+*/]|\*\*|//|@)= "
_MEMORY = r"\b(?:work(?:ing)?[ -]?space|scratch(?:pad)?|output buffer|preallocated)\b"
# Quick to look for in long texts; the patterns that name parameters are other ones for each function.
_TELLING = re.compile("|".join((_IN_PLACE, _VERBS, _SYMBOLS, _MEMORY)), re.IGNORECASE)


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
    names = "|".join(map(re.escape, params))
    objects = rf"(?:its |the |given |input )*(?:inputs?|arguments?|tensors?|{names})\b"
    symbols = rf"\b(?:{names}) ?(?:[-+*/]|\*\*|//|@)= "
    introduced = rf"^[\s:*`-]*(?:param )?(?:{names})\b.*{_MEMORY}"
    return any(
        _DENIED.search(text[: found.start()][-60:]) is None
        for pattern in (_IN_PLACE, rf"{_VERBS} {objects}", symbols, introduced)
        for found in re.finditer(pattern, text, re.IGNORECASE | re.MULTILINE)
    )
