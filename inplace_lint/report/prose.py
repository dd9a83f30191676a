"""Markdown as a terminal shows it: wrapped at its width, with code set apart and no marks left."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterator, Sequence

_CODE = re.compile(r"(`+)(.+?)\1")
_HEADING = re.compile(r"#+ (.+)")
_ITEM = re.compile(r"([-*]|\d+\.) ")
_WIDEST = 100
_NARROWEST = 20
# A space that does not break a line.
_FIRM = "\xa0"

Paint = Callable[[str, str], str]


def laid_out(text: str, width: int, paint: Paint) -> str:
    """Headings in bold, code indented and dimmed, and everything else wrapped.

    `paint` puts a text in a style, or returns it as it is where there are no colours.
    """
    shown: list[str] = []
    for lines in _blocks(text):
        first = lines[0]
        if not first or first.startswith("    "):
            shown += [paint(line, "dim") if line else "" for line in lines]
        elif heading := _HEADING.fullmatch(first):
            shown.append(paint(spelled(heading[1], _unpainted), "bold"))
        else:
            shown += wrapped(" ".join(map(str.strip, lines)), width, paint, 2 if _ITEM.match(first) else 0)
    return "\n".join(shown)


def wrapped(line: str, width: int, paint: Paint, hanging: int = 2) -> list[str]:
    """A line as several that keep its indentation; all but the first are indented further."""
    indent = " " * (len(line) - len(line.lstrip()))
    room = max(min(width, _WIDEST), len(indent) + _NARROWEST)
    hanging = max(0, min(hanging, room - len(indent) - _NARROWEST))
    wrapper = textwrap.TextWrapper(
        room,
        initial_indent=indent,
        subsequent_indent=indent + " " * hanging,
        break_long_words=False,
        break_on_hyphens=False,
    )
    firm = _CODE.sub(lambda code: code[0].replace(" ", _FIRM), line.strip())
    return [spelled(each, paint) for each in wrapper.wrap(firm)]


def spelled(line: str, paint: Paint) -> str:
    """A line with its code in colour, or in quotes where there are no colours, and without backticks."""
    return _CODE.sub(lambda code: _code(code[2].replace(_FIRM, " ").strip(), paint), line)


def _code(text: str, paint: Paint) -> str:
    painted = paint(text, "cyan")
    return painted if painted != text else f"'{text}'"


def _unpainted(text: str, _: str) -> str:
    return text


def _blocks(text: str) -> Iterator[Sequence[str]]:
    """Paragraphs, items and headings, as they are written; lines of code, all indented; blank lines."""
    fenced = False
    block: list[str] = []
    for line in text.split("\n"):
        fence = line.startswith("```")
        fenced ^= fence
        alone = fence or fenced or not line.strip() or line.startswith("    ") or _HEADING.fullmatch(line)
        if (alone or _ITEM.match(line)) and block:
            yield block
            block = []
        if not alone:
            block.append(line)
        elif not fence:
            yield [f"    {line}" if fenced and line else line]
    if block:
        yield block
