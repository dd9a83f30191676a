"""The result of analyzing one file: its findings, the entry points that show them, and what was not followed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from inplace_lint.findings.diagnostic import GivenUp
from inplace_lint.findings.finding import Finding
from inplace_lint.findings.given import Given
from inplace_lint.findings.rule import Rule
from inplace_lint.judgement.sharing import Seen
from inplace_lint.source.place import Site

Names = tuple[str | None, str | None]
"""The name of an entry point's function and that of its class; None where there is none."""


Place = tuple[str, int]
"""A function: its file, and the row of its name."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """A finding that rests on an assumption about the arguments of some functions.

    Args:
        functions: by file and row; none if the finding rests on nothing but what is brought.
        parameters: those of which one must be given a tensor that requires grad; none if nobody knows.
        brought: the classes, by file and row, of objects that callers bring, and on which it rests as well.
    """

    code: str
    site: Site
    functions: frozenset[Place]
    parameters: frozenset[Site] = frozenset()
    brought: frozenset[Place] = frozenset()


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of what looks like a write was run.

    Args:
        writes: the number of rows with writes that others may see.
        missed: those rows that no path came to.
    """

    writes: int = 0
    missed: tuple[int, ...] = ()


NOTHING_WRITES = Coverage()


@dataclass(frozen=True, slots=True)
class Failure:
    """A mistake of ours, or of a rule (`code`), at an entry point: what is to be found there is missing."""

    site: Site
    entry: str
    code: str | None
    error: Exception


@dataclass(frozen=True, slots=True)
class Analysis:
    """What came of one file.

    Args:
        findings: on all paths.
        given_up: what was not followed to its end, and why.
        shared: places of writes, and of the modules that made them, that more than one name sees.
        sources: the entry points that show what was found for a rule at a place.
        runs: the entry points that ran each function.
        doubts: the findings that rest on an assumption about arguments.
        run: the functions of other files that programs have run.
        given: what the parameters of functions were given that were called.
        failures: where findings are missing.
        passes: the backward passes that each entry point runs, and whether the graph of one is cut.
        refuted: what was found for a rule at a place, and callers do not show.
        coverage: how many writes there are, and which were never run.
    """

    findings: list[tuple[Rule, Finding]]
    given_up: tuple[GivenUp, ...] = ()
    shared: Mapping[Site, Seen] = field(default_factory=dict)
    sources: Mapping[tuple[str, Site], frozenset[Names]] = field(default_factory=dict)
    runs: Mapping[Names, frozenset[Names]] = field(default_factory=dict)
    doubts: tuple[Doubt, ...] = ()
    run: frozenset[Place] = frozenset()
    given: frozenset[Given] = frozenset()
    failures: tuple[Failure, ...] = ()
    passes: Mapping[Names, Mapping[Site, bool]] = field(default_factory=dict)
    refuted: frozenset[tuple[str, Site]] = frozenset()
    coverage: Coverage = NOTHING_WRITES

    def reached_by(self, changed: Iterable[Names]) -> frozenset[Names]:
        """The entry points whose findings may change with some functions: who runs them, or shows what those show."""
        reached: set[Names] = set()
        todo = list(changed)
        while todo:
            names = todo.pop()
            if names not in reached:
                reached.add(names)
                todo += self.runs.get(names, ())
                todo += (other for sources in self.sources.values() if names in sources for other in sources)
        return frozenset(reached)

    def of(self, entries: frozenset[Names]) -> Analysis:
        """What some entry points show."""
        shown = [
            (rule, found)
            for rule, found in self.findings
            if not entries.isdisjoint(self.sources[rule.code, found.site])
        ]
        passes = {names: sites for names, sites in self.passes.items() if names in entries}
        return replace(self, findings=shown, passes=passes)
