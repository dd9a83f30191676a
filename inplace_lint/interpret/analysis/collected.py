"""The results of the entry points that were run so far."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field

from inplace_lint.effort import Effort
from inplace_lint.findings.analysis import Failure, Names, Place
from inplace_lint.findings.diagnostic import Reason
from inplace_lint.findings.finding import Finding
from inplace_lint.findings.given import Needing
from inplace_lint.findings.rule import Rule
from inplace_lint.interpret.analysis.entries import Entry
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import Ref
from inplace_lint.judgement.sharing import Seen
from inplace_lint.source import ir
from inplace_lint.source.place import Site, Span

# One path may take so many steps, unless it is a whole program, and all programs of a file together so many.
MOST_STEPS_OF_PATH = 8_000
MOST_STEPS_OF_PROGRAMS = 180_000

Key = tuple[str, Site]
# Who shows a finding, and where the path that does rests on choices.
Found = tuple[Entry, Rule, Finding, frozenset[object]]


@dataclass(slots=True, eq=False)
class Watch:
    """Looks on while entry points run.

    Args:
        statement: called after each statement, however it ended.
        path: called when a path of an entry point has ended, and the rules have judged it.
        value: called with every expression and its value, and with every name that is given one.
    """

    statement: Callable[[Run, ir.Stmt], None] | None
    path: Callable[[Entry, Run], None]
    value: Callable[[Run, ir.Expr, Ref], None] | None = None


@dataclass(slots=True)
class Collected:
    """Findings so far, with the entry points that made them, what was run from where, and what was given up.

    `stood_in` are values that paths of an entry point have taken in place of arguments that were not passed; on those
    in `resting`, all that an entry point shows of a finding rests, and on objects of the classes in `brought`.
    `given_cut` are the callers that pass a function what they have cut off from its history, `unrecorded` those that
    run it where no gradients are recorded, `recorded` the programs that run it where they are; `given` is what the
    parameters of functions were given; `unended` are the callers with a path that stopped within a function.
    `written` is where entry points have written, with the rows where they had read or made that memory before, and
    `made_stale` with those where it was saved, `unsure` those where nobody knows whether a tensor is written.
    `unjudged` are entry points that ran, though nobody knows what all they show, `cut` those with further paths;
    `choices` tells where those that were followed may go either way.
    `effort` is what the file may still cost; `watch` looks on; `reached` are the statements that were executed.
    """

    effort: Effort
    watch: Watch | None = None
    findings: dict[Key, list[Found]] = field(default_factory=dict)
    callers: dict[ir.Function, set[Entry]] = field(default_factory=dict)
    resting: dict[tuple[Key, Entry], frozenset[ir.Node]] = field(default_factory=dict)
    brought: dict[tuple[Key, Entry], frozenset[Place]] = field(default_factory=dict)
    stood_in: dict[Entry, frozenset[ir.Node]] = field(default_factory=dict)
    differentiating: set[Entry] = field(default_factory=set)
    given_cut: dict[ir.Function, set[Entry]] = field(default_factory=dict)
    unrecorded: dict[ir.Function, set[Entry]] = field(default_factory=dict)
    recorded: dict[ir.Function, set[Entry]] = field(default_factory=dict)
    given: dict[Site, Needing] = field(default_factory=dict)
    unended: dict[ir.Function, set[Entry]] = field(default_factory=dict)
    written: dict[Entry, dict[Site, set[Place]]] = field(default_factory=dict)
    made_stale: dict[Entry, dict[Site, set[Place]]] = field(default_factory=dict)
    unsure: dict[Entry, set[Site]] = field(default_factory=dict)
    unjudged: set[Entry] = field(default_factory=set)
    given_up: dict[str, Reason] = field(default_factory=dict)
    choices: dict[Entry, frozenset[object]] = field(default_factory=dict)
    cut: set[Entry] = field(default_factory=set)
    shared: dict[Site, Seen] = field(default_factory=dict)
    run: set[Place] = field(default_factory=set)
    reached: set[ir.Stmt] = field(default_factory=set)
    passes: dict[Names, dict[Site, bool]] = field(default_factory=dict)
    failures: dict[tuple[Entry, str | None], Exception] = field(default_factory=dict)
    steps: int = 0
    steps_of_programs: int = 0

    def count(self, entry: Entry, steps: int) -> None:
        """Note how many steps a path has taken; what a whole program needs is not held against the others."""
        if entry.is_program:
            self.steps_of_programs += steps
        else:
            self.steps += min(steps, MOST_STEPS_OF_PATH)

    def failed(self, entry: Entry, code: str | None, error: Exception) -> None:
        """Note that running an entry point has failed, or a rule with that code there; the others go on."""
        self.failures.setdefault((entry, code), error)
        self.given_up[entry.name] = "failure"

    def note_choices(self, entry: Entry, choices: frozenset[object]) -> None:
        """Note where a path of an entry point may go either way."""
        self.choices[entry] = self.choices.get(entry, frozenset()) | choices

    def note_stand_ins(self, entry: Entry, taken: frozenset[ir.Node]) -> None:
        """Note what a path of an entry point has taken in place of arguments that were not passed."""
        self.stood_in[entry] = self.stood_in.get(entry, frozenset()) | taken

    def note_found(self, found: Found, taken: frozenset[ir.Node], brought: frozenset[Place]) -> None:
        """Note a finding, on a path that has taken such values, and used objects of such classes that callers bring."""
        entry, rule, finding, _ = found
        key = rule.code, finding.site
        self.findings.setdefault(key, []).append(found)
        self.resting[key, entry] = self.resting.get((key, entry), taken) & taken
        self.brought[key, entry] = self.brought.get((key, entry), brought) & brought

    def has_written(self, entry: Entry, site: Site, saved: Collection[Site]) -> bool:
        """Whether some path of an entry point has come to a write, after reads of that memory where ops save it."""
        read = self.written.get(entry, {}).get(site)
        rows = _rows_of(saved)
        return read is not None and (not rows or not rows.isdisjoint(read))

    def makes_stale(self, entry: Entry, site: Site, saved: Collection[Site]) -> bool:
        """Whether some path of an entry point has made saves stale by a write, whoever differentiates them."""
        return not _rows_of(saved).isdisjoint(self.made_stale.get(entry, {}).get(site, ()))

    def may_choose(self, entry: Entry, within: ir.Function, choices: frozenset[object]) -> bool:
        """Whether an entry point can make some choices within a function on a path that was not followed, or not on."""
        stopped: set[Entry] = self.unended.get(within, set())
        return entry in self.cut and (entry in stopped or choices <= self.choices.get(entry, frozenset()))

    def give_up(self, entry: Entry) -> None:
        """Note that not all of an entry point was followed."""
        self.cut.add(entry)
        self.given_up.setdefault(entry.name, "effort" if self.effort.exhausted else "paths")

    def all_failures(self) -> tuple[Failure, ...]:
        """What has failed, in the order in which it did."""
        return tuple(
            Failure(Site(entry.module.path, _span(entry)), entry.name, code, error)
            for (entry, code), error in self.failures.items()
        )

    def note_sharing(self, seen: Iterable[tuple[Site, Seen]]) -> None:
        """Note which places of writes others see; what is sure on one path stays so."""
        for place, how in seen:
            if how == "surely" or place not in self.shared:
                self.shared[place] = how

    def who_runs(self, function: ir.Function) -> set[Entry]:
        """The entry points from which a function was run, and of which it is known what they show."""
        return self.callers.get(function, set()) - self.unjudged

    def follows(self, entry: Entry) -> bool:
        """Whether an entry point is a program that may be followed further than others."""
        return entry.is_program and self.steps_of_programs < MOST_STEPS_OF_PROGRAMS


def _rows_of(sites: Collection[Site]) -> set[Place]:
    return {(each.path, row) for each in sites for row in range(each.span.row, each.span.end_row + 1)}


def _span(entry: Entry) -> Span:
    return entry.function.span if entry.function is not None else Span(1, 1, 1, 1)
