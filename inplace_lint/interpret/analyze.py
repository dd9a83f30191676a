"""From a source text to findings: every entry point, path by path, under every rule."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from inplace_lint.diagnostic import GivenUp, Site
from inplace_lint.effort import STEP, Effort, OutOfEffort, allowance
from inplace_lint.interpret.branches import calls_one_of
from inplace_lint.interpret.collected import MOST_STEPS_OF_PATH, Collected
from inplace_lint.interpret.entries import Entry, asks_to_write, entries, handles_data, start
from inplace_lint.interpret.oracle import Exploration, Oracle
from inplace_lint.interpret.program import Program
from inplace_lint.interpret.refuted import doubt_about, kept
from inplace_lint.interpret.run import Jumped, Raised, Returned, Run
from inplace_lint.interpret.values import forget_keys, key_of
from inplace_lint.rule import Analysis, Finding, Names, Place, Rule
from inplace_lint.screen.outline import Definition
from inplace_lint.screen.reach import BEYOND
from inplace_lint.screen.relevance import Screened
from inplace_lint.source import ir
from inplace_lint.source.errors import SourceError
from inplace_lint.source.lower import lower
from inplace_lint.source.parsing import parse_once
from inplace_lint.source.suspects import asks_for_gradients, may_write
from inplace_lint.torch_model.events import Backward, Dropped, Impasse, Trace, Write
from inplace_lint.torch_model.machine import Machine
from inplace_lint.torch_model.op_table import shipped, table
from inplace_lint.torch_model.sharing import places, seen_elsewhere

# Paths of an entry point: before others have had their turn, and afterwards.
FIRST_PATHS = 2
MOST_PATHS = 6
# After so many steps no other path of an entry point is begun.
MOST_STEPS = 6_000
# A whole program shows what its parts do together, and takes long to get there.
MOST_STEPS_OF_PROGRAM = 60_000
# After so many steps in a file, paths become few; and what is far from a write is left out.
MOST_STEPS_IN_FILE = 12_000
MOST_STEPS_BEFORE_FAR = 4_000
# Steps to the nearest write.
NEAR = 2
FAR = 4
MOST_FILES = 3000


def analyze(
    text: str,
    path: str,
    rules: Sequence[Rule],
    load: Callable[[str], str | None],
    only: Collection[Names] | None = None,
    effort: Effort | None = None,
) -> Analysis:
    """All findings of `rules` in a file.

    Args:
        load: gives the text of another file of the project, or None.
        only: the entry points to run; None for all.
        effort: what that may cost; None for what a file of this size may.

    Raises:
        SourceError: the text is not Python.
    """
    return _analyze_in(_program(load), text, path, rules, only, effort or allowance(text))


def _analyze_in(
    program: Program, text: str, path: str, rules: Sequence[Rule], only: Collection[Names] | None, effort: Effort
) -> Analysis:
    try:
        # A model file may tell of writes that no spelling betrays.
        screening = all(rule.about_writes for rule in rules) and table() is shipped()
        screened = program.screen.of(text, path) if screening else None
        if screened is not None and not screened.keeps_any():
            return Analysis([])
        everything = [entry for entry in entries(program.add(path, text)) if only is None or _names(entry) in only]
        analysis = _analyzed(everything, screened, rules, Collected(effort))
        if analysis.findings and asks_for_gradients(text):
            unsure = [
                (rule, replace(found, severity="info") if found.assumed else found) for rule, found in analysis.findings
            ]
            analysis = replace(analysis, findings=unsure)
        cut = (GivenUp("<imports>", "imports"),) if program.cut else ()
        return replace(analysis, given_up=analysis.given_up + cut)
    finally:
        # Now, while they are young: the collector does not look at what is old.
        program.release()
        parse_once.cache_clear()
        forget_keys()


def _analyzed(
    everything: Sequence[Entry], screened: Screened | None, rules: Sequence[Rule], collected: Collected
) -> Analysis:
    if screened is None:
        begun = _explore([(entry, 0) for entry in everything], rules, collected)
    else:
        begun = _explore_kept(everything, screened, rules, collected)
        if collected.findings and not collected.effort.exhausted:
            with suppress(OutOfEffort):
                _press_on(begun, screened, collected)
                callers = _callers(everything, {pending.entry for pending, _ in begun}, screened, collected)
                begun += _explore([(entry, 0) for entry in callers], rules, collected)
    for pending, _ in begun:
        _note_rest(pending, collected)
    position = {entry: index for index, entry in enumerate(everything)}
    for found in collected.findings.values():
        found.sort(key=lambda each: position[each[0]])
    pairs = [pair for key in collected.findings for pair in kept(key, collected)]
    given_up = tuple(GivenUp(name, why) for name, why in collected.given_up.items())
    failures = collected.all_failures()
    if not pairs:
        return Analysis([], given_up, run=frozenset(collected.run), failures=failures)
    sources = {key: frozenset(_names(each[0]) for each in found) for key, found in collected.findings.items()}
    runs: dict[Names, frozenset[Names]] = {}
    for entry in everything:
        if entry.function is not None:
            by = map(_names, collected.callers.get(entry.function, ()))
            runs[_names(entry)] = runs.get(_names(entry), frozenset()).union(by)
    doubts = tuple(doubt for key in collected.findings if (doubt := doubt_about(key, collected)) is not None)
    run = frozenset(collected.run)
    return Analysis(pairs, given_up, collected.shared, sources, runs, doubts, run, failures)


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


def _is_test(entry: Entry) -> bool:
    """Whether an entry point tries something out; what it hands over says little about what others do."""
    return entry.function is not None and entry.function.name.startswith("test")


def _names(entry: Entry) -> Names:
    """The names of an entry point's function, and of its class."""
    name = entry.function.name if entry.function is not None else None
    return name, entry.owner.name if entry.owner is not None else None


def _explore_kept(
    everything: Sequence[Entry], screened: Screened, rules: Sequence[Rule], collected: Collected
) -> list[tuple[_Pending, int]]:
    """Run what writes itself; then who calls that, unless it turned out that callers see none of the writes."""
    chosen = [(entry, screened.distance(*_names(entry))) for entry in everything if screened.keeps(*_names(entry))]
    begun = _explore([pair for pair in chosen if pair[1] == 0], rules, collected)
    refined = screened.without((*_names(pending.entry), pending.unseen()) for pending, _ in begun)
    rest = [entry for entry, distance in chosen if distance and refined.keeps(*_names(entry))]
    return begun + _explore([(entry, refined.distance(*_names(entry))) for entry in rest], rules, collected)


def _explore(
    chosen: Iterable[tuple[Entry, int]], rules: Sequence[Rule], collected: Collected
) -> list[tuple[_Pending, int]]:
    """Run entry points: each on its first paths before any on all.

    Args:
        chosen: each with the number of steps to the nearest write. In a file that takes long, those far away are
            left out; who handles data is not held against what other files write.
    """
    begun: list[tuple[_Pending, int]] = []
    for entry, distance in sorted(chosen, key=lambda pair: pair[1]):
        most = MOST_STEPS_BEFORE_FAR if distance % BEYOND > FAR else 2 * MOST_STEPS_IN_FILE
        if distance > BEYOND and handles_data(entry):
            most = 0
        near = collected.steps < most or distance == 0 or collected.follows(entry)
        if near and not collected.effort.exhausted:
            pending = _begin(entry, rules, collected)
            if pending is not None:
                begun.append((pending, distance))
        else:
            collected.give_up(entry)
    for pending, distance in sorted(begun, key=lambda pair: pair[0].exploration.steps):  # many short paths first
        if collected.steps < (1 if distance else 4) * MOST_STEPS_IN_FILE or collected.follows(pending.entry):
            near = pending.reaches_writes and distance <= NEAR and not handles_data(pending.entry)
            pending.go_on(MOST_PATHS if near else FIRST_PATHS)
    return begun


def _finders(screened: Screened, collected: Collected) -> dict[Definition, ir.Function]:
    """The functions with findings that a caller may refute."""
    entries_with = {
        entry
        for found in collected.findings.values()
        for entry, rule, finding, _ in found
        if finding.severity != "info" and rule.about_callers
    }
    return {
        definition: entry.function
        for entry in entries_with
        if entry.function is not None
        for definition in screened.outline.find(entry.function.name, _names(entry)[1])
    }


def _press_on(begun: Sequence[tuple[_Pending, int]], screened: Screened, collected: Collected) -> None:
    """Follow more paths of who may call what has findings, and did not on the first ones."""
    finders = _finders(screened, collected)
    leads = calls_one_of({function.name for function in finders.values()})
    for pending, distance in begun:
        program = collected.follows(pending.entry)
        called = (finders[each] for each in screened.reached(*_names(pending.entry), finders, collected.effort))
        if (program or distance % BEYOND <= NEAR) and any(
            pending.entry not in collected.callers.get(each, ()) for each in called
        ):
            pending.exploration.most_steps = MOST_STEPS_OF_PROGRAM if program else 2 * MOST_STEPS
            pending.exploration.leads = leads
            pending.go_on(2 * MOST_PATHS)


def _callers(everything: Sequence[Entry], known: set[Entry], screened: Screened, collected: Collected) -> list[Entry]:
    """Who else may call what has findings: they may refute them, or see what a fix would change."""
    finders = _finders(screened, collected)
    others = (entry for entry in everything if entry not in known)
    return [entry for entry in others if any(True for _ in screened.reached(*_names(entry), finders, collected.effort))]


_shared: list[Program] = []


def _program(load: Callable[[str], str | None]) -> Program:
    """The files read so far: those of one run share them, up to a bound on memory."""
    if not _shared or _shared[0].load is not load or len(_shared[0].files) > MOST_FILES:
        _shared[:] = [Program(load, lower)]
    return _shared[0]


def forget_files() -> None:
    """Read all files anew: they may have changed."""
    _shared.clear()


def learned() -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]]:
    """What has been learned since this was last asked.

    Returns:
        what files import; and the names, by folder, that were looked for there in vain.
    """
    if not _shared:
        return {}, {}
    told = []
    for known in (_shared[0].imports, _shared[0].absent):
        told.append({key: tuple(values) for key, values in known.items()})
        known.clear()
    return told[0], told[1]


def run_once(entry: Entry, oracle: Oracle, tensors: set[Hashable]) -> Run:
    """Interpret an entry point on one path."""
    run = Run(Machine(Trace(entry.name, effort=oracle.effort)), oracle, tensors)
    try:
        start(run, entry)
    except (Raised, Returned, Jumped):
        pass
    except OutOfEffort:
        run.torch.trace.complete = False
    return run


@dataclass(slots=True)
class _Pending:
    """An entry point of which some paths were followed.

    Args:
        first: the run on its first path, and the oracle of that.
        tensors: keys of unknowns that proved to be tensors.
        reaches_writes: something that was run may write in place.
        written: the places that were written, or looked so.
        seen: those among them where others may see it: memory of others, or handed to them before.
    """

    entry: Entry
    rules: Sequence[Rule]
    collected: Collected
    first: tuple[Run, Oracle] | None
    tensors: set[Hashable]
    reaches_writes: bool
    exploration: Exploration
    written: set[Site] = field(default_factory=set)
    seen: set[Site] = field(default_factory=set)

    def go_on(self, most_paths: int) -> None:
        """Follow the paths that wait until, with those before, there were `most_paths`."""
        self.exploration.go_on(most_paths, self._one_path)

    def unseen(self) -> frozenset[int]:
        """The rows of the file where only new memory was written, which nobody else sees, or nothing at all."""
        function = self.entry.function
        if function is None or function.is_generator or any(map(asks_to_write, function.params)):
            return frozenset()
        here = self.entry.module.path
        seen = {site.span.row for site in self.seen if site.path == here}
        return frozenset(site.span.row for site in self.written if site.path == here) - seen

    def _one_path(self, oracle: Oracle) -> None:
        if self.first is not None:  # it went this way
            run, before = self.first
            self.first = None
            oracle.repeat(before)
        else:
            try:
                run = run_once(self.entry, oracle, self.tensors)
            except SourceError:
                raise
            except Exception as error:
                self.collected.failed(self.entry, None, error)
                self.exploration.complete = False
                return
            self.collected.count(self.entry, oracle.steps)
        for function in run.executed:
            self.collected.callers.setdefault(function, set()).add(self.entry)
            self.reaches_writes = self.reaches_writes or may_write(function)
        if not _is_test(self.entry):
            self.collected.run.update(_run_elsewhere(self.entry, run))
        self.collected.effort.open_reserve()
        try:
            self._judge_all(run.torch.trace, bool(oracle.taken))
            self._note_writes(run)
        except OutOfEffort:
            run.torch.trace.complete = False
        self.exploration.complete &= run.torch.trace.complete
        run.close()

    def _judge_all(self, trace: Trace, chose: bool) -> None:
        """Collect what the rules find; `chose` tells whether the path rests on choices."""
        trace.effort.spend(len(trace.events) * len(self.rules))
        if any(isinstance(event, Backward) for event in trace.events):
            self.collected.differentiating.add(self.entry)
        happened = any(isinstance(event, (Write, Impasse, Dropped)) for event in trace.events)
        for rule in self.rules:
            if happened or not rule.about_writes:
                self._judge(rule, trace, chose)

    def _judge(self, rule: Rule, trace: Trace, chose: bool) -> None:
        """Note what a rule finds on a path; nothing, if the rule fails there."""
        found: dict[Finding, None] = {}  # a loop shows the same over and over
        try:
            for finding in rule.check(trace):
                if not isinstance(finding, Finding):
                    raise TypeError(f"a Finding was expected, not {finding!r}")
                if finding not in found:
                    trace.effort.spend(STEP * (15 + len(finding.related)))
                    found[finding] = None
        except OutOfEffort:
            trace.complete = False
        except Exception as error:
            self.collected.failed(self.entry, rule.code, error)
            return
        for finding in found:
            key, chosen = (rule.code, finding.site), chose or self._takes_options()
            self.collected.findings.setdefault(key, []).append((self.entry, rule, finding, chosen))

    def _takes_options(self) -> bool:
        """Whether a tensor was taken to be given for a parameter that may be None."""
        path = self.entry.module.path
        return self.entry.function is not None and any(
            key_of(("parameter", path, param.span)) in self.tensors
            for param in self.entry.function.params
            if isinstance(param.default, ir.Const) and param.default.value is None
        )

    def _note_writes(self, run: Run) -> None:
        sharing = list(seen_elsewhere(run.torch.trace))
        self.collected.note_sharing(sharing)
        self.written.update(run.harmless)
        self.seen.update(run.unproven, (place for place, _ in sharing))
        for write in run.torch.trace.writes_since(0):
            self.written.update(places(write))
            tensor = write.operand.tensor
            if tensor.given or tensor.windows is None or run.made_up(write.storage) or write.storage.role == "global":
                self.seen.add(write.site)


def _run_elsewhere(entry: Entry, run: Run) -> Iterator[Place]:
    """The functions of other files that were run, and told what they are given.

    A program passes nothing unknown; others tell enough where they let no gradients be recorded.
    """
    for frame in run.past:
        telling = entry.is_program or not frame.recorded
        if telling and frame.code is not None and frame.module.path != entry.module.path:
            yield frame.module.path, frame.code.span.row


def _begin(entry: Entry, rules: Sequence[Rule], collected: Collected) -> _Pending | None:
    """Follow the first paths of an entry point, so that each has its turn before one of them uses up all steps.

    None if that fails.
    """
    tensors: set[Hashable] = set()
    exploration = Exploration(MOST_STEPS, MOST_STEPS_OF_PATH, collected.effort)
    if collected.follows(entry):
        exploration = Exploration(2 * MOST_STEPS_OF_PATH, MOST_STEPS_OF_PROGRAM, collected.effort)
    for last in (False, True):
        scouting = Oracle(most_steps=exploration.most_of_path, effort=collected.effort)
        try:
            scout = run_once(entry, scouting, tensors)
        except SourceError:
            raise
        except Exception as error:
            collected.failed(entry, None, error)
            return None
        collected.count(entry, scouting.steps)
        if not scout.surprised or last or collected.effort.exhausted:
            break
        scout.close()
    own = entry.function is None or may_write(entry.function)
    pending = _Pending(entry, rules, collected, (scout, scouting), tensors, own, exploration)
    pending.go_on(1)
    if scouting.shortens and (own or entry.is_program):
        exploration.shorten()
    return pending


def _note_rest(pending: _Pending, collected: Collected) -> None:
    """Remember where not every path was followed."""
    exploration = pending.exploration
    if exploration.waiting or exploration.others or not exploration.complete:
        collected.give_up(pending.entry)
        collected.note_sharing((place, "perhaps") for place in pending.written)
