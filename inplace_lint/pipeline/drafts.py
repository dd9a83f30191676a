"""Analyzes drafts: the findings in a file if it, or a file that it uses, had another text."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import cast

from inplace_lint.effort import STEP, Effort
from inplace_lint.findings.analysis import Analysis, Names
from inplace_lint.findings.diagnostic import RANK, Diagnostic
from inplace_lint.findings.rule import Rule
from inplace_lint.fixes.edit import edited
from inplace_lint.fixes.trial import Edits, Findings, Reach
from inplace_lint.interpret.analysis.analyze import analyze, analyze_draft
from inplace_lint.source.enclosing import enclosing_functions


@dataclass
class Original:
    """A file that was checked, as it is.

    Args:
        text: its text.
        path: its name.
        analysis: what was found.
        rules: the rules that said so.
        others: rules that the user does not want; no fix may bring what they find either.
        load: gives the text of another file.
        found: what is to be shown of an analysis.
        effort: what is left of that for the file.
    """

    text: str
    path: str
    analysis: Analysis
    rules: Sequence[Rule]
    others: Sequence[Rule]
    load: Callable[[str], str | None]
    found: Callable[[Analysis], Iterable[Diagnostic]]
    effort: Effort

    @cached_property
    def thorough(self) -> Analysis:
        """What all rules find."""
        if not self.others:
            return self.analysis
        return analyze(self.text, self.path, self.all_rules, self.load, effort=self.effort)

    @property
    def all_rules(self) -> list[Rule]:
        """The rules that a fix is held against."""
        return [*self.rules, *self.others]

    def ranks(self, analysis: Analysis) -> Findings:
        """How severe the findings are, with what PyTorch says at once: that a backward pass has no graph."""
        cut = {("cut", site): 2 for sites in analysis.passes.values() for site, is_cut in sites.items() if is_cut}
        return cut | {(each.code, each.site): RANK[each.severity] for each in self.found(analysis)}


@dataclass(frozen=True)
class Draft:
    """One file of those that a check has looked at, to try edits on.

    Args:
        original: the file that was checked.
        path: the file to edit.
        known: its text.
    """

    original: Original
    path: str
    known: str

    def may_read(self, text: str, changes: int) -> bool:
        """Whether the effort for the file allows libcst to read a text and make changes; what that takes is spent."""
        characters = sum(len(line.strip()) for line in text.split("\n"))
        units = _A_CHANGE * changes + _A_CHARACTER_OF_CST * characters
        if characters > _MOST_CHARACTERS or units > self.original.effort.left:
            return False
        self.original.effort.spend(units)
        return True

    def reach(self, edits: Edits) -> Reach:
        """The entry points whose findings edits may change; None for all."""
        if self.path != self.original.path:
            return None
        changed = enclosing_functions(self.known, [edit.span for edit in edits])
        return self.original.thorough.reached_by(changed) if changed is not None else None

    def found(self, reach: Reach) -> Findings:
        """The findings of some entry points."""
        return self.original.ranks(_of(self.original.thorough, reach))

    def found_with(self, edits: Edits, reaches: Sequence[Reach]) -> list[Findings] | None:
        """The findings of some entry points if the text were edited; None if they cannot be known."""
        entries = None if None in reaches else _names(frozenset().union(*(each or () for each in reaches)))
        draft, original, effort = (self.path, edited(self.known, edits)), self.original, self.original.effort
        try:
            effort.spend(_A_LINE * self.known.count("\n") + _A_CHARACTER * len(self.known))
            analysis = analyze_draft(
                original.text, original.path, original.all_rules, original.load, draft, entries, effort
            )
        except Exception:  # no Python, or what we cannot follow
            return None
        if effort.exhausted or _failed(analysis) - _failed(original.thorough):
            return None
        return [original.ranks(_of(analysis, reach)) for reach in reaches]


# Units of effort for reading a text: by lines and, where these are long, by characters.
_A_LINE, _A_CHARACTER = 5 * STEP, STEP // 4
# And for libcst, with the metadata that fixes ask for: 50 microseconds a character, 1.5 milliseconds a change.
_A_CHARACTER_OF_CST, _A_CHANGE = 12 * STEP, 300 * STEP
# A longer text takes libcst too long: importing it has already taken a third of a second.
_MOST_CHARACTERS = 16_000


def _failed(analysis: Analysis) -> set[tuple[str, str | None]]:
    return {(each.entry, each.code) for each in analysis.failures}


def _of(analysis: Analysis, reach: Reach) -> Analysis:
    return analysis.of(_names(reach)) if reach is not None else analysis


def _names(reach: frozenset[Hashable]) -> frozenset[Names]:
    return cast("frozenset[Names]", reach)
