"""The result of a run, and of each file in it, with the shape in which the cache keeps it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, get_args

from inplace_lint.findings.analysis import NOTHING_WRITES, Coverage, Doubt, Place
from inplace_lint.findings.diagnostic import (
    Applicability,
    Diagnostic,
    Edit,
    Fix,
    GivenUp,
    Reason,
    Related,
    Role,
    Severity,
)
from inplace_lint.findings.given import Given
from inplace_lint.findings.suppress import Use
from inplace_lint.project.shapes import (
    NUMBER,
    TEXT,
    WHOLE,
    Shape,
    many,
    optional,
    pair,
    record,
    table,
    within,
    word,
)
from inplace_lint.source.place import Site, Span


@dataclass(frozen=True, slots=True)
class Result:
    """The outcome of a run: findings in printing order, and the files that were looked at.

    Args:
        diagnostics: the findings, without those that a baseline knows.
        files: all files.
        given_up: what was not followed to its end, and why.
        known: how many findings were left out as a baseline knows them.
        stale: how many findings a baseline knows that are gone.
        refuted: the findings of a file that do not hold, as others of the program show.
        phases: how many seconds each phase took.
        seconds: how many seconds each file took.
        coverage: for each file that writes, how many writes it has, and which were never run.
        spent: for each file, the processor time of each phase, and the entry point that took longest to run.
    """

    diagnostics: tuple[Diagnostic, ...]
    files: tuple[str, ...]
    given_up: tuple[GivenUp, ...] = ()
    known: int = 0
    stale: int = 0
    refuted: tuple[Diagnostic, ...] = ()
    phases: Mapping[str, float] = field(default_factory=dict, compare=False)
    seconds: Mapping[str, float] = field(default_factory=dict, compare=False)
    coverage: Mapping[str, Coverage] = field(default_factory=dict, compare=False)
    spent: Mapping[str, tuple[Mapping[str, float], str]] = field(default_factory=dict, compare=False)

    @property
    def statistics(self) -> dict[str, int]:
        """How many findings there are of each code, most frequent first."""
        counts = Counter(diagnostic.code for diagnostic in self.diagnostics)
        return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


@dataclass(frozen=True, slots=True)
class FileResult:
    """The outcome for one file.

    Args:
        diagnostics: the findings.
        given_up: what was not followed to its end, and why.
        used: the comments, in any file, that suppressed something.
        doubts: findings that a program in another file may settle.
        run: functions of other files that programs in this one have run.
        given: what the parameters of functions were given that are called in this one.
        coverage: how many writes there are, and which were never run.
        seconds: how long it took.
        spent: the processor time of each phase.
        busiest: the entry point that took longest to run.
        imports: what files that were read on the way import, as far as nobody has been told.
        absent: folders, and names looked for there in vain; likewise.
        depends: by file, the parts of other files that were used (see `screen/parts.py`).
        digests: by file, the digests of its parts, as far as nobody has been told.
        beneath: by file, the parts of others on which answers about it rest; likewise.
    """

    diagnostics: list[Diagnostic]
    given_up: tuple[GivenUp, ...] = ()
    used: frozenset[Use] = frozenset()
    doubts: tuple[Doubt, ...] = ()
    run: frozenset[Place] = frozenset()
    given: frozenset[Given] = frozenset()
    coverage: Coverage = NOTHING_WRITES
    seconds: float = field(default=0.0, compare=False)
    spent: Mapping[str, float] = field(default_factory=dict, compare=False)
    busiest: str = field(default="", compare=False)
    imports: Mapping[str, tuple[str, ...]] = field(default_factory=dict, compare=False)
    absent: Mapping[str, tuple[str, ...]] = field(default_factory=dict, compare=False)
    depends: Mapping[str, tuple[str, ...]] = field(default_factory=dict, compare=False)
    digests: Mapping[str, Mapping[str, str]] = field(default_factory=dict, compare=False)
    beneath: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict, compare=False)

    def elsewhere(self) -> set[str]:
        """The files in which it names places."""
        named = {site.path for each in self.diagnostics for site in (each.site, *(one.site for one in each.related))}
        doubted = {
            path
            for doubt in self.doubts
            for path in (doubt.site.path, *(place[0] for place in doubt.functions | doubt.brought))
        }
        given = {site.path for each, needing in self.given for site in (each, *(needing or ()))}
        return named | doubted | given | {place[0] for place in self.run} | {use.path for use in self.used}


Move = Callable[[int], int | None]
"""From a row of a file to where it stands now; None if nobody knows."""


class _UnknownPlace(Exception):
    """A row whose place is not known any more."""


def moved(result: FileResult, path: str, move: Move) -> FileResult | None:
    """The outcome for a file after the rows of another one have moved; None if it names one that is gone."""

    def row_of(row: int) -> int:
        if (found := move(row)) is None:
            raise _UnknownPlace
        return found

    def place(named: Place) -> Place:
        return (path, row_of(named[1])) if named[0] == path else named

    def span(old: Span) -> Span:
        return replace(old, row=row_of(old.row), end_row=row_of(old.end_row))

    def site(old: Site) -> Site:
        return replace(old, span=span(old.span)) if old.path == path else old

    def diagnostic(old: Diagnostic) -> Diagnostic:
        fix = old.fix
        if fix is not None and old.site.path == path:
            fix = replace(fix, edits=tuple(replace(edit, span=span(edit.span)) for edit in fix.edits))
        related = tuple(replace(each, site=site(each.site)) for each in old.related)
        return replace(old, site=site(old.site), related=related, fix=fix)

    try:
        return replace(
            result,
            diagnostics=[diagnostic(each) for each in result.diagnostics],
            used=frozenset(replace(use, comment=span(use.comment)) if use.path == path else use for use in result.used),
            doubts=tuple(
                replace(
                    doubt,
                    site=site(doubt.site),
                    functions=frozenset(map(place, doubt.functions)),
                    parameters=frozenset(map(site, doubt.parameters)),
                    brought=frozenset(map(place, doubt.brought)),
                )
                for doubt in result.doubts
            ),
            run=frozenset(map(place, result.run)),
            given=frozenset(
                (site(each), frozenset(map(site, needing)) if needing is not None else None)
                for each, needing in result.given
            ),
        )
    except _UnknownPlace:
        return None


# No file is as long, so that nothing is as wide as a stranger may have written.
_place = within(0, 2**31)

_texts = many(tuple, TEXT)
_span = record(Span, _place, _place, _place, _place)
_site = record(Site, TEXT, _span)
_cell = optional(_place)
_related = record(Related, TEXT, _site, word(get_args(Role)), _place, _cell, optional(TEXT))
_edit = record(Edit, _span, TEXT, _cell)
_fix = record(Fix, word(get_args(Applicability)), TEXT, many(tuple, _edit))
_diagnostic = record(
    Diagnostic,
    *(TEXT, TEXT, word(get_args(Severity)), TEXT, _site),
    *(many(tuple, _related), optional(TEXT), optional(_fix), _cell, optional(TEXT)),
    *(optional(word(get_args(Role))), _place),
)
_given_up = many(tuple, record(GivenUp, TEXT, word(get_args(Reason)), TEXT))
_coverage = record(Coverage, _place, many(tuple, _place))
_functions = many(frozenset, pair(TEXT, _place))
_sites = many(frozenset, _site)
_doubt = record(Doubt, TEXT, _site, _functions, _sites, _functions)
_given = many(frozenset, pair(_site, optional(_sites)))
_use = record(Use, TEXT, _span, TEXT)
_not_kept: Shape[Any] = Shape(lambda _: None, lambda _: {})

RESULT = record(
    Result,
    *(many(tuple, _diagnostic), _texts, _given_up, WHOLE, WHOLE),
    *(many(tuple, _diagnostic), table(NUMBER), table(NUMBER), table(_coverage)),
    _not_kept,
)
FILE_RESULT = record(
    FileResult,
    *(many(list, _diagnostic), _given_up, many(frozenset, _use), many(tuple, _doubt), _functions, _given),
    *(_coverage, NUMBER, table(NUMBER), TEXT, _not_kept, _not_kept, _not_kept, _not_kept, _not_kept),
)
