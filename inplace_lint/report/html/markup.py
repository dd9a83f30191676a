"""HTML made of strings: all text passes through `text`."""

from __future__ import annotations

import html
import keyword
import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from inplace_lint.report.escaping import visible
from inplace_lint.report.frame import piece

_TOKEN = re.compile(
    r"(?P<c>#.*$)"
    r"|(?P<s>[rbfuRBFU]{0,2}(?:\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'))"
    rf"|\b(?P<k>{'|'.join(keyword.kwlist)})\b"
    r"|\b(?P<n>\d[\w.]*)\b"
)

# Of a longer line, only what is shown is read.
_MOST_READ = 2000


def text(content: str) -> str:
    """Any text as the content of an element or of an attribute; what nobody sees is spelled out."""
    return html.escape(visible(content))


def element(name: str, content: str, style: str = "") -> str:
    """An element around markup."""
    return f'<{name} class="{style}">{content}</{name}>' if style else f"<{name}>{content}</{name}>"


def with_code(message: str) -> str:
    """A message, with what stands between backticks as code."""
    parts = message.split("`")
    if len(parts) % 2 == 0:
        return text(message)
    return "".join(element("code", text(part)) if odd % 2 else text(part) for odd, part in enumerate(parts))


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of a line to mark, between two offsets, in a style."""

    start: int
    end: int
    style: str


def painted(line: str, marks: Iterable[Stretch] = (), first: int = 0, last: int | None = None) -> str:
    """A line of Python between two offsets: its words in the colours of what they are, some stretches marked."""
    last = len(line) if last is None else last
    begin = 0 if last < _MOST_READ else first
    tokens = [Stretch(each.start(), each.end(), each.lastgroup or "") for each in _TOKEN.finditer(line, begin, last)]
    # The narrowest comes first: it lies within the others.
    narrow = sorted(marks, key=lambda mark: mark.end - mark.start)
    ends = {at for each in (*tokens, *narrow) for at in (each.start, each.end) if first < at < last}
    out, edges = [], [first, *sorted(ends), last]
    for start, end in pairwise(edges):
        shown = html.escape(piece(line[start:end]))
        for name, spans in (("i", tokens), ("mark", narrow)):
            around = next((each for each in spans if each.start <= start and end <= each.end), None)
            shown = element(name, shown, around.style) if around and shown else shown
        out.append(shown)
    return "".join(out)
