"""Pages of the format `html` for tests, and what an HTML parser reads in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from html.parser import HTMLParser

from inplace_lint.findings.diagnostic import Diagnostic
from inplace_lint.pipeline.lint_file import lint_source
from inplace_lint.report import Report, render
from inplace_lint.source.place import Span

PROGRAM = """\
import torch
from torch import nn


def scale(y):
    y.mul_(2)


act = nn.ReLU(inplace=True)
x = torch.randn(3, requires_grad=True)
y = torch.sigmoid(x)
scale(y)
z = x.exp()
act(z)
(y + z).sum().backward()


def twice(x):
    identity = x
    x = torch.relu_(x)
    return x + identity


def same(x):
    return x * x.sigmoid_()
"""
HOSTILE = (
    "</script><script>alert(1)</script><img src=x onerror=alert(1)> \u202e \x00 \ud800 \"quoted\" 'too' &amp; `code`"
)


@cache
def found() -> tuple[Diagnostic, ...]:
    """Findings with stories."""
    return tuple(lint_source(PROGRAM, "net.py"))


def hostile() -> list[Diagnostic]:
    """The same with hostile words wherever a report has words."""
    return [
        replace(
            each,
            message=HOSTILE,
            help=HOSTILE,
            verdict=HOSTILE,
            site=replace(each.site, path=f"{HOSTILE}.py"),
            related=tuple(replace(other, message=HOSTILE) for other in each.related),
        )
        for each in found()
    ]


def page(diagnostics: Sequence[Diagnostic], source: str = PROGRAM, notes: Sequence[str] = ()) -> str:
    """The page of findings."""
    return render(Report(diagnostics, lambda _: source.split("\n"), notes=notes), "html")


def many(count: int) -> list[Diagnostic]:
    """So many findings, each with a story, in several files."""
    some = found()
    return [
        replace(
            some[at % len(some)],
            site=replace(some[at % len(some)].site, path=f"package/file{at // 20}.py", span=Span(6, 5, 6, 14)),
        )
        for at in range(count)
    ]


@dataclass
class Element:
    """An element: its name, attributes, and the text in it."""

    name: str
    attributes: dict[str, str | None]
    text: list[str] = field(default_factory=list)

    @property
    def styles(self) -> list[str]:
        """Its classes."""
        return (self.attributes.get("class") or "").split()


class Read(HTMLParser):
    """The elements of a page; fails if they do not nest."""

    _EMPTY = frozenset({"meta", "input", "rect", "circle", "path", "br"})

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[Element] = []
        self._open: list[Element] = []
        self.feed(page)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(Element(tag, dict(attrs)))
        if tag not in self._EMPTY:
            self._open.append(self.elements[-1])

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(Element(tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop().name == tag

    def handle_data(self, data: str) -> None:
        for each in self._open:
            each.text.append(data)

    def of(self, style: str) -> list[Element]:
        """The elements of a class."""
        return [each for each in self.elements if style in each.styles]
