"""From a source text to findings: every entry point, path by path, under every rule."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import replace

from inplace_lint.effort import Effort, OutOfEffort, allowance
from inplace_lint.findings.analysis import Analysis, Names
from inplace_lint.findings.diagnostic import GivenUp
from inplace_lint.findings.rule import Rule
from inplace_lint.interpret.analysis.announced import without_announced
from inplace_lint.interpret.analysis.collected import Collected, Watch
from inplace_lint.interpret.analysis.conditioned import conditioned
from inplace_lint.interpret.analysis.coverage import coverage
from inplace_lint.interpret.analysis.dependencies import Learned, answers, learned_by
from inplace_lint.interpret.analysis.entries import Entry, entries, handles_data, names_of
from inplace_lint.interpret.analysis.following import (
    MOST_STEPS,
    MOST_STEPS_OF_PROGRAM,
    Pending,
    begin,
    note_rest,
)
from inplace_lint.interpret.analysis.reaching import (
    MOST_PATHS_TO_FINDINGS,
    come_to_findings,
    come_to_writes,
    reach_the_rest,
)
from inplace_lint.interpret.analysis.refuted import REFUTED_BY_CALLERS, doubt_about, kept, told_once
from inplace_lint.interpret.state.branches import calls_one_of
from inplace_lint.interpret.state.keys import forget_keys
from inplace_lint.interpret.state.program import Program
from inplace_lint.phases import within
from inplace_lint.screen import kept_outlines
from inplace_lint.screen.kept_outlines import Keeper
from inplace_lint.screen.outline import Definition
from inplace_lint.screen.reach import HERE, Distance
from inplace_lint.screen.relevance import Screened
from inplace_lint.source import installed, ir
from inplace_lint.source.lower import lower
from inplace_lint.source.parsing import parse_once
from inplace_lint.torch_model import op_table
from inplace_lint.torch_model import stubs as libraries

# Paths of an entry point: before others have had their turn, and afterwards.
FIRST_PATHS = 2
MOST_PATHS = 6
# After so many steps in a file, paths become few; and what is far from a write is left out.
MOST_STEPS_IN_FILE = 12_000
MOST_STEPS_BEFORE_FAR = 4_000
# A path of so few steps is short: others like it cost little, whatever the file has cost.
SHORT_PATH = 400
# Steps to the nearest write.
NEAR = 3
FAR = 4
MOST_FILES = 3000


def analyze(
    text: str,
    path: str,
    rules: Sequence[Rule],
    load: Callable[[str], str | None],
    only: Collection[Names] | None = None,
    effort: Effort | None = None,
    watch: Watch | None = None,
) -> Analysis:
    """All findings of `rules` in a file.

    Args:
        load: gives the text of another file of the project, or None.
        only: the entry points to run; None for all.
        effort: what that may cost; None for what a file of this size may.
        watch: looks on; then what cannot write is run, too.

    Raises:
        SourceError: the text is not Python.
    """
    return _analyze_in(_program(load), text, path, rules, only, effort or allowance(text), watch)


def screened_in(text: str, path: str, load: Callable[[str], str | None]) -> Screened | None:
    """What of a file is worth running; None for all of it.

    Raises:
        SourceError: the text is not Python.
    """
    return _program(load).screen.of(text, path) if _knows_as_shipped() else None


def _knows_as_shipped() -> bool:
    """Whether no model file, and no stub of the user's, tells of writes that no spelling betrays."""
    return op_table.table().suits_screen and libraries.in_force() is libraries.shipped()


def _analyze_in(
    program: Program,
    text: str,
    path: str,
    rules: Sequence[Rule],
    only: Collection[Names] | None,
    effort: Effort,
    watch: Watch | None = None,
) -> Analysis:
    try:
        screening = all(rule.about_writes for rule in rules) and _knows_as_shipped() and watch is None
        screened = program.screen.of(text, path) if screening else None
        if screened is not None and not screened.keeps_any():
            return Analysis([])
        module = program.add(path, text)
        everything = [entry for entry in entries(module) if only is None or names_of(entry) in only]
        collected = Collected(effort, watch)
        analysis = _analyzed(everything, screened, rules, collected)
        writing = [entry for entry in everything if screened is None or _writes_itself(screened, entry)]
        analysis = replace(analysis, coverage=coverage(writing, collected.reached))
        meant = without_announced(analysis.findings, path, text)
        analysis = replace(analysis, findings=conditioned(meant, module, text))
        cut = (GivenUp("<imports>", "imports"),) if program.cut else ()
        return replace(analysis, given_up=analysis.given_up + cut)
    finally:
        with within("reach"):
            program.screen.note_used(path)
        # Now, while they are young: the collector does not look at what is old.
        program.release()
        parse_once.cache_clear()
        forget_keys()


def _writes_itself(screened: Screened, entry: Entry) -> bool:
    names = names_of(entry)
    return screened.keeps(*names) and screened.distance(*names) == HERE


def _analyzed(
    everything: Sequence[Entry], screened: Screened | None, rules: Sequence[Rule], collected: Collected
) -> Analysis:
    for pending, _ in _run(everything, screened, rules, collected):
        note_rest(pending, collected)
    position = {entry: index for index, entry in enumerate(everything)}
    for found in collected.findings.values():
        found.sort(key=lambda each: position[each[0]])
    left = told_once({key: kept(key, collected) for key in collected.findings})
    pairs = [pair for pairs in left.values() for pair in pairs]
    refuted = frozenset(key for key, pairs in left.items() if not pairs)
    given_up = tuple(GivenUp(name, why) for name, why in collected.given_up.items())
    failures = collected.all_failures()
    run = frozenset(collected.run)
    given = frozenset(collected.given.items() if REFUTED_BY_CALLERS.on else ())
    if not pairs:
        return Analysis([], given_up, run=run, given=given, failures=failures, passes=collected.passes, refuted=refuted)
    sources = {key: frozenset(names_of(each[0]) for each in found) for key, found in collected.findings.items()}
    runs = _seen_running(everything, collected)
    doubts = tuple(doubt for key in collected.findings if (doubt := doubt_about(key, collected)) is not None)
    return Analysis(
        pairs, given_up, collected.shared, sources, runs, doubts, run, given, failures, collected.passes, refuted
    )


def _run(
    everything: Sequence[Entry], screened: Screened | None, rules: Sequence[Rule], collected: Collected
) -> list[tuple[Pending, Distance]]:
    """Run what is worth it; then, if that has findings, who may refute them."""
    if screened is None:
        begun = _explore([(entry, HERE) for entry in everything], rules, collected)
    else:
        begun = _explore_kept(everything, screened, rules, collected)
    reach_the_rest([pending for pending, distance in begun if distance == HERE], collected)
    come_to_writes([pending for pending, distance in begun if distance.steps <= NEAR], collected)
    if screened is not None and collected.findings and not collected.effort.exhausted:
        with suppress(OutOfEffort):
            _explore_callers_deeper(begun, screened, collected)
            callers = _callers(everything, {pending.entry for pending, _ in begun}, screened, collected)
            begun += _explore([(entry, HERE) for entry in callers], rules, collected)
            _come_to_calls(begun, screened, collected)
            come_to_findings([pending for pending, _ in begun], collected)
    return begun


def _seen_running(everything: Sequence[Entry], collected: Collected) -> dict[Names, frozenset[Names]]:
    """By its names, from which entry points each function was seen to run."""
    runs: dict[Names, frozenset[Names]] = {}
    for entry in everything:
        if entry.function is not None:
            by = map(names_of, collected.callers.get(entry.function, ()))
            runs[names_of(entry)] = runs.get(names_of(entry), frozenset()).union(by)
    return runs


def analyze_draft(
    text: str,
    path: str,
    rules: Sequence[Rule],
    load: Callable[[str], str | None],
    draft: tuple[str, str],
    only: Collection[Names] | None = None,
    effort: Effort | None = None,
) -> Analysis:
    """The findings in a file if it, or another one, had another text; nothing of that is remembered.

    Args:
        draft: which file, and the text that it would have.
        only: the entry points to run; None for all.
        effort: what that may cost; None for what a file of this size may.

    Raises:
        SourceError: the text is not Python.
    """
    where, changed = draft
    program = _program(load)
    with program.drafted(where, changed):
        draft_text = changed if where == path else text
        return _analyze_in(program, draft_text, path, rules, only, effort or allowance(text))


def _explore_kept(
    everything: Sequence[Entry], screened: Screened, rules: Sequence[Rule], collected: Collected
) -> list[tuple[Pending, Distance]]:
    """Run what writes itself; then who calls that, unless it turned out that callers see none of the writes."""
    chosen = [(entry, screened.distance(*names_of(entry))) for entry in everything if screened.keeps(*names_of(entry))]
    begun = _explore([pair for pair in chosen if pair[1] == HERE], rules, collected)
    refined = screened.without((*names_of(pending.entry), pending.unseen()) for pending, _ in begun)
    rest = [entry for entry, distance in chosen if distance != HERE and refined.keeps(*names_of(entry))]
    return begun + _explore([(entry, refined.distance(*names_of(entry))) for entry in rest], rules, collected)


def _explore(
    chosen: Iterable[tuple[Entry, Distance]], rules: Sequence[Rule], collected: Collected
) -> list[tuple[Pending, Distance]]:
    """Run entry points: each on its first paths before any on all.

    Args:
        chosen: each with how far it is away from the nearest write. In a file that takes long, those far away are
            left out; who handles data is not held against what other files write.
    """
    begun: list[tuple[Pending, Distance]] = []
    for entry, distance in sorted(chosen, key=lambda pair: pair[1]):
        most = MOST_STEPS_BEFORE_FAR if distance.steps > FAR else 2 * MOST_STEPS_IN_FILE
        near = collected.steps < most or distance == HERE or collected.follows(entry)
        if near and not collected.effort.exhausted:
            pending = begin(entry, rules, collected)
            if pending is not None:
                begun.append((pending, distance))
        else:
            collected.give_up(entry)
    for pending, distance in sorted(begun, key=lambda pair: pair[0].exploration.steps):  # many short paths first
        left = collected.steps < (4 if distance == HERE else 1) * MOST_STEPS_IN_FILE or collected.follows(pending.entry)
        if left or (pending.exploration.steps < SHORT_PATH and not collected.effort.is_half_spent):
            near = pending.reaches_writes and distance <= Distance(False, NEAR) and not handles_data(pending.entry)
            pending.go_on(MOST_PATHS if near else FIRST_PATHS)
            pending.exploration.go_on_pressing(MOST_PATHS, pending.follow)
    return begun


def _finders(screened: Screened, collected: Collected, advice: bool = False) -> dict[Definition, ir.Function]:
    """The functions with findings that a caller may refute; with `advice`, those that callers may turn into more."""
    entries_with = {
        entry
        for found in collected.findings.values()
        for entry, rule, finding, _ in found
        if (finding.severity == "info") == advice and rule.about_callers
    }
    return {
        definition: entry.function
        for entry in entries_with
        if entry.function is not None
        for definition in screened.outline.find(entry.function.name, names_of(entry)[1])
    }


def _explore_callers_deeper(
    begun: Sequence[tuple[Pending, Distance]], screened: Screened, collected: Collected
) -> None:
    """Follow more paths of who may call what has findings, and did not on the first ones."""
    finders = _finders(screened, collected)
    leads = calls_one_of({function.name for function in finders.values()})
    for pending, distance in begun:
        program = collected.follows(pending.entry)
        called = (finders[each] for each in screened.reached(*names_of(pending.entry), finders, collected.effort))
        if (program or distance.steps <= NEAR) and any(
            pending.entry not in collected.callers.get(each, ()) for each in called
        ):
            pending.exploration.most_steps = MOST_STEPS_OF_PROGRAM if program else 2 * MOST_STEPS
            pending.exploration.aim(leads)
            pending.go_on(2 * MOST_PATHS)


def _come_to_calls(begun: Sequence[tuple[Pending, Distance]], screened: Screened, collected: Collected) -> None:
    """Follow a few more paths of who may call what changes its arguments, and did not: callers see if it hurts."""
    changing = _finders(screened, collected, advice=True)
    leads = calls_one_of({function.name for function in changing.values()})
    for pending, distance in begun:
        if collected.effort.is_half_spent:
            return
        called = (changing[each] for each in screened.reached(*names_of(pending.entry), changing, collected.effort))
        if distance.steps <= NEAR and any(pending.entry not in collected.callers.get(each, ()) for each in called):
            pending.exploration.go_towards(leads, MOST_PATHS_TO_FINDINGS, pending.follow)


def _callers(everything: Sequence[Entry], known: set[Entry], screened: Screened, collected: Collected) -> list[Entry]:
    """Who else may call what has findings: they may refute them, or see what a fix would change."""
    finders = _finders(screened, collected)
    others = (entry for entry in everything if entry not in known)
    return [
        entry for entry in others if any(True for _ in screened.reached(*names_of(entry), finders, collected.effort))
    ]


_shared: list[Program] = []


def _program(load: Callable[[str], str | None]) -> Program:
    """The files read so far: those of one run share them, up to a bound on memory."""
    if not _shared or not _may_share(_shared[0], load):
        _shared[:] = [Program(load, lower)]
    return _shared[0]


def _may_share(program: Program, load: Callable[[str], str | None]) -> bool:
    known = program.stubs is libraries.in_force() and program.table is op_table.table()
    known = known and program.load is load and program.libraries == installed.in_force()
    return known and len(program.files) <= MOST_FILES


def outlines_from(keeper: Keeper | None) -> AbstractContextManager[None]:
    """Within `with outlines_from(keeper):`, outlines come from there, and are put there."""
    return kept_outlines.using(keeper)


def forget_files() -> None:
    """Read all files anew: they may have changed."""
    _shared.clear()


def forget_file(path: str) -> None:
    """Read one file anew: it has changed, and is still there."""
    for program in _shared:
        program.renew(path)


def learned(path: str) -> Learned:
    """What has been learned of other files since this was last asked, while a file was checked."""
    return learned_by(_shared[0], path) if _shared else Learned()


def parts_now(
    path: str, load: Callable[[str], str | None], asked: Collection[str]
) -> tuple[Mapping[str, str], Mapping[str, Iterable[str]]] | None:
    """The digests of the parts of a file with the answers to questions, and on what those rest; None if no Python.

    A file that is gone has no parts: it is not the same as an empty one, which makes its folder a package.
    """
    program = _program(load)
    found = program.screen.read(path) if load(path) is not None else None
    if found is None:
        return None
    reached, resting = program.screen.answered(path, asked)
    return {**found.digests, **reached, **answers(program, path, asked)}, resting
