"""Lines that fit a terminal."""

from __future__ import annotations

import textwrap

_NARROWEST = 20
# Where a terminal is narrower than that, lines are longer than it.
_LEAST_ROOM = 24


def folded(text: str, width: int | None, first: int = 0, hanging: int = 2) -> str:
    """A text as lines that fit, broken between words.

    Args:
        text: one line or several.
        width: the columns there are; None for any number.
        first: how many of them are taken at the beginning.
        hanging: by how much further lines are indented.
    """
    if width is None:
        return text
    return "\n".join(
        _wrapped(line, width, first if number == 0 else 0, hanging) for number, line in enumerate(text.split("\n"))
    )


def _wrapped(line: str, width: int, first: int, hanging: int) -> str:
    indent = len(line) - len(line.lstrip(" "))
    hanging = max(indent, min(hanging, width - _LEAST_ROOM), 0)
    wrapper = textwrap.TextWrapper(
        max(width, hanging + _NARROWEST),
        initial_indent=" " * (first + indent),
        subsequent_indent=" " * hanging,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(wrapper.wrap(line.strip()))[first:]
