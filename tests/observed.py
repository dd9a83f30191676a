"""One analysis of a file in which several tests look at several things; one for each would take most of their time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, SupportsIndex

import pytest
from linted import shared

from inplace_lint.findings.diagnostic import Diagnostic
from inplace_lint.findings.rule import Rule
from inplace_lint.interpret.analysis import analyze as analysis
from inplace_lint.pipeline.lint_file import lint_bytes
from inplace_lint.project.config import Config
from inplace_lint.torch_model import events
from inplace_lint.torch_model.events import Event, Trace, Write

EVERYTHING = Config(select=("ALL",), unfixable=("ALL",))
"""All rules, advice included. No fixes are tried, which takes longer than all the rest."""


@dataclass(frozen=True)
class Observed:
    """What was seen.

    Attributes:
        diagnostics: what is found with `EVERYTHING`.
        writes: the lines that write, by entry, on each of its paths.
    """

    diagnostics: tuple[Diagnostic, ...]
    writes: Mapping[str, list[set[int]]]


@lru_cache(512)
def observed(file: Path) -> Observed:
    """A file, analysed once in a session; whoever changes an event that was emitted makes the analysis fail."""
    data = file.read_bytes()
    return shared(("observed", data, str(file)), lambda: _observe(data, str(file)))


def _observe(data: bytes, path: str) -> Observed:
    writes: dict[str, list[set[int]]] = {}

    def note(trace: Trace) -> tuple[()]:
        # Of what backward adds to gradients, of memory that is exchanged, and of what NumPy writes, no op tells.
        silent = ("torch.Tensor.backward", ".data=", "torch.Tensor.set_")
        told = [each for each in trace.events if isinstance(each, Write) and each.op not in silent]
        writes.setdefault(trace.entry, []).append({e.site.span.row for e in told if not e.operand.tensor.array})
        return ()

    whole = analysis.analyze
    with pytest.MonkeyPatch.context() as patch:

        def analyze(text: str, path: str, rules: list[Rule], *rest: Any, **options: Any) -> object:
            return whole(text, path, [*rules, Rule("XXX000", "note", "", note)], *rest, **options)

        make_final(patch)
        patch.setattr(analysis, "analyze", analyze)
        found = lint_bytes(data, path, EVERYTHING)
    return Observed(tuple(found), writes)


def _refuse(event: Event, name: str, value: object) -> None:
    raise AttributeError(f"{type(event).__name__}.{name} is changed after it was emitted")


_FINAL: dict[type[Event], type[Event]] = {
    kind: type(f"Final{kind.__name__}", (kind,), {"__slots__": (), "__setattr__": _refuse})
    for kind in vars(events).values()
    if isinstance(kind, type) and issubclass(kind, Event) and kind is not Event
}


class _Final(list[Event]):
    """Events that cannot be changed."""

    def append(self, event: Event) -> None:
        event.__class__ = _FINAL[type(event)]
        super().append(event)

    def insert(self, index: SupportsIndex, event: Event) -> None:
        event.__class__ = _FINAL[type(event)]
        super().insert(index, event)


def make_final(patch: pytest.MonkeyPatch) -> None:
    """The events of all traces are final."""
    begin = Trace.__init__

    def begun(self: Trace, *args: Any, **facts: Any) -> None:
        begin(self, *args, **facts)
        self.events = _Final(self.events)

    patch.setattr(Trace, "__init__", begun)
