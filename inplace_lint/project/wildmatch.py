"""Wildcards as git reads them: `*`, `?` and `[a-z]` in one name of a path.

However the pattern is made, matching takes time in proportion to its length times that of the name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

Part = str | re.Pattern[str]
"""What matches one name: itself, or what a regular expression takes."""

STAR: Final = "*"
SLASH: Final = "/"

_CLASSES: Final = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "blank": r" \t",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9",
    "graph": r"\x21-\x7e",
    "lower": "a-z",
    "print": r"\x20-\x7e",
    "punct": r"\x21-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e",
    "space": r" \t-\r",
    "upper": "A-Z",
    "xdigit": "0-9A-Fa-f",
}


def tokens(pattern: str) -> list[str]:
    """The parts of a pattern: `STAR`, `SLASH`, or a regular expression for one character.

    Raises:
        ValueError: the pattern matches nothing at all.
    """
    return list(_tokens(pattern))


def _tokens(pattern: str) -> Iterator[str]:
    at = 0
    while at < len(pattern):
        char = pattern[at]
        at += 1
        if char == "*":
            yield STAR
        elif char == "?":
            yield "."
        elif char == "[":
            token, at = _bracket(pattern, at)
            yield token
        elif char == "\\":
            if at == len(pattern):
                raise ValueError("a backslash at the end")
            yield SLASH if pattern[at] == "/" else re.escape(pattern[at])
            at += 1
        else:
            yield SLASH if char == "/" else re.escape(char)


def _bracket(pattern: str, at: int) -> tuple[str, int]:
    """The characters in brackets as a regular expression, and where the pattern goes on."""
    negated = pattern[at : at + 1] in ("!", "^")
    at += negated
    first, parts, before = at, [], ""
    while at == first or pattern[at : at + 1] != "]":
        if pattern.startswith("[:", at) and (end := pattern.find("]", at + 2)) > at + 2 and pattern[end - 1] == ":":
            name = pattern[at + 2 : end - 1]
            if name not in _CLASSES:
                raise ValueError(f"no such class of characters: {name}")
            parts.append(_CLASSES[name])
            before, at = "", end + 1
            continue
        is_range = bool(before) and pattern[at : at + 1] == "-" and pattern[at + 1 : at + 2] not in ("", "]")
        char, at = _char(pattern, at + is_range)
        if not is_range:
            parts.append(re.escape(char))
        elif before <= char:
            parts.append(f"{re.escape(before)}-{re.escape(char)}")
        before = "" if is_range else char
    if not parts and not negated:
        raise ValueError("empty brackets")
    return (f"[{'^' * negated}{''.join(parts)}]" if parts else "."), at + 1


def _char(pattern: str, at: int) -> tuple[str, int]:
    at += pattern[at : at + 1] == "\\"
    if at >= len(pattern):
        raise ValueError("brackets that do not end")
    return pattern[at], at + 1


def part(tokens: Sequence[str]) -> Part:
    """What matches one name, from its tokens, without slashes."""
    first, *others = _between_stars(tokens)
    if not others:
        literal = all(token.removeprefix("\\") == token[-1] and token != "." for token in tokens)
        return "".join(token[-1] for token in tokens) if literal else re.compile(first, re.DOTALL)
    *middle, last = others
    # The first place where a piece fits is as good as any other, so there is no way back from it.
    rest = (f"(?=(?P<p{number}>.*?{piece}))(?P=p{number})" for number, piece in enumerate(middle) if piece)
    return re.compile(f"{first}{''.join(rest)}.*{last}", re.DOTALL)


def _between_stars(tokens: Sequence[str]) -> list[str]:
    pieces = [""]
    for token in tokens:
        if token == STAR:
            pieces.append("")
        else:
            pieces[-1] += token
    return pieces


def fits(part: Part, name: str) -> bool:
    """Whether a name is taken."""
    return part == name if isinstance(part, str) else part.fullmatch(name) is not None
