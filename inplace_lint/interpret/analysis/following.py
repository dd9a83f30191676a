"""Follows one entry point path by path, and collects what the rules find on each."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from inplace_lint.effort import STEP, OutOfEffort
from inplace_lint.findings.analysis import Place
from inplace_lint.findings.finding import Finding
from inplace_lint.findings.given import add_given
from inplace_lint.findings.rule import Rule
from inplace_lint.interpret.analysis.collected import MOST_STEPS_OF_PATH, Collected
from inplace_lint.interpret.analysis.copies import supposed, turns_on_copies
from inplace_lint.interpret.analysis.driven import DRIVEN, where_kept
from inplace_lint.interpret.analysis.entries import Entry, names_of, start
from inplace_lint.interpret.analysis.exploration import Exploration
from inplace_lint.interpret.analysis.grad_modes import names_trained_loss
from inplace_lint.interpret.analysis.reads_before import note_reads_before, note_stale_saves
from inplace_lint.interpret.analysis.within_libraries import at_their_calls
from inplace_lint.interpret.engine import Interpreter
from inplace_lint.interpret.state.branches import runs_again
from inplace_lint.interpret.state.facts import may_write
from inplace_lint.interpret.state.keys import Parameter, key_of
from inplace_lint.interpret.state.oracle import Oracle
from inplace_lint.interpret.state.proven import Proven
from inplace_lint.interpret.state.run import Jumped, Raised, Returned, Run
from inplace_lint.judgement.intent import LIBRARY_WRITES
from inplace_lint.judgement.sharing import places, seen_elsewhere
from inplace_lint.phases import within
from inplace_lint.source import ir
from inplace_lint.source.errors import SourceError
from inplace_lint.source.place import Site
from inplace_lint.source.walk import is_generator
from inplace_lint.torch_model.events import (
    Backward,
    Detach,
    DiscardedResult,
    OwnState,
    RefusedUse,
    Trace,
    Untrainable,
    Write,
)
from inplace_lint.torch_model.machine import Machine
from inplace_lint.torch_model.spellings import is_inplace_option

# After so many steps no other path of an entry point is begun.
MOST_STEPS = 6_000
# A whole program shows what its parts do together, and takes long to get there.
MOST_STEPS_OF_PROGRAM = 60_000
# A function by itself is short.
MOST_STEPS_ALONE = 2_000


def _is_test(entry: Entry) -> bool:
    """Whether an entry point tries something out; what it hands over says little about what others do."""
    return entry.function is not None and entry.function.name.startswith("test")


def run_once(entry: Entry, oracle: Oracle, tensors: set[Hashable], collected: Collected | None = None) -> Run:
    """Interpret an entry point on one path."""
    watch = collected.watch if collected is not None else None
    trace = Trace(entry.name, effort=oracle.effort, judged=[] if watch is not None else None)
    run = Interpreter(Machine(trace, alike=oracle.alike), oracle, Proven(tensors))
    run.reached = collected.reached if collected is not None else set()
    if watch is not None:
        run.observe, run.look = watch.statement, watch.value
    with within("interpret", entry.name):
        run_to_end(entry, run)
    return run


def run_to_end(entry: Entry, run: Run) -> None:
    """Interpret an entry point until it ends, or no step is left."""
    try:
        start(run, entry)
    except (Raised, Returned, Jumped):
        pass
    except OutOfEffort:
        run.torch.trace.complete = False


@dataclass(slots=True)
class Pending:
    """An entry point of which some paths were followed.

    Args:
        first: the run on its first path, and the oracle of that.
        tensors: keys of unknowns that proved to be tensors; None if each path is to find that out for itself.
        reaches_writes: something that was run may write in place.
        written: the places that were written, or looked so.
        seen: those among them where others may see it: memory of others, or handed to them before.
        alone: it is run without what is around it; then findings on other rows of its file do not count.
    """

    entry: Entry
    rules: Sequence[Rule]
    collected: Collected
    first: tuple[Run, Oracle] | None
    tensors: set[Hashable] | None
    reaches_writes: bool
    exploration: Exploration
    written: set[Site] = field(default_factory=set)
    seen: set[Site] = field(default_factory=set)
    alone: frozenset[int] = frozenset()
    taken: frozenset[ir.Node] = frozenset()
    brought: frozenset[Place] = frozenset()

    def go_on(self, most_paths: int) -> None:
        """Follow the paths that wait until, with those before, there were `most_paths`."""
        self.exploration.go_on(most_paths, self.follow)

    def unseen(self) -> frozenset[int]:
        """The rows of the file where only new memory was written, which nobody else sees, or nothing at all."""
        function = self.entry.function
        if (
            function is None
            or is_generator(function)
            or any(is_inplace_option(param.name) for param in function.params)
        ):
            return frozenset()
        here = self.entry.module.path
        seen = {site.span.row for site in self.seen if site.path == here}
        return frozenset(site.span.row for site in self.written if site.path == here) - seen

    def follow(self, oracle: Oracle) -> None:
        """Run one path, and judge it; a program leaves something for the rest of the file."""
        apart = self.collected.effort.set_apart() if self.entry.is_program else 0
        self._follow(oracle)
        self.collected.effort.put_back(apart)

    def _follow(self, oracle: Oracle) -> None:
        if self.first is not None:  # it went this way
            run, before = self.first
            self.first = None
            oracle.repeat(before)
        else:
            try:
                tensors = self.tensors if self.tensors is not None else set()
                run = run_once(self.entry, oracle, tensors, self.collected)
                if run.proven.is_late and not self.collected.effort.exhausted:
                    run = self._run_again(run, oracle, tensors)
            except SourceError:
                raise
            except Exception as error:
                self.collected.failed(self.entry, None, error)
                self.exploration.complete = False
                return
            self.collected.count(self.entry, oracle.steps)
        self.taken = frozenset(run.stood_in)
        self.brought = frozenset((each.module.path, each.code.span.row) for each in run.brought)
        if not self.alone:
            self._note_calls(run)
        self.collected.note_choices(self.entry, oracle.chosen_at)
        opened = self.collected.effort.open_reserve()
        try:
            oracle.turns = turns_on_copies(run.torch)
            with within("judge"):
                self._judge_all(run.torch.trace, oracle.chosen_at, oracle.alike or run.torch.trace.supposes)
                self._note_writes(run)
                oracle.wanted |= _written_attributes(run)
                oracle.pressing |= _running_again(run, oracle)
        except OutOfEffort:
            run.torch.trace.complete = False
            self.collected.unjudged.add(self.entry)
        self.collected.effort.close_reserve(opened)
        self.exploration.complete &= run.torch.trace.complete
        if self.collected.watch is not None:
            self.collected.watch.path(self.entry, run)
        run.close()

    def _run_again(self, before: Run, oracle: Oracle, tensors: set[Hashable]) -> Run:
        """Run a path with what it has proved, if it goes the same way then, or had gone by what was wrong."""
        again = oracle.anew()
        run = run_once(self.entry, again, tensors, self.collected)
        if not before.proven.withdrawn and again.taken != oracle.taken:
            run.close()
            return before
        before.close()
        oracle.repeat(again)
        return run

    def _note_calls(self, run: Run) -> None:
        """Note what was run, and that it may be called so."""
        executed, stood_in = run.in_view or (frozenset(run.executed), self.taken)
        for function in executed:
            self.collected.callers.setdefault(function, set()).add(self.entry)
            if function in run.given_cut:
                self.collected.given_cut.setdefault(function, set()).add(self.entry)
            self.reaches_writes = self.reaches_writes or may_write(function)
            if function in run.unended:
                self.collected.unended.setdefault(function, set()).add(self.entry)
        for frame in run.past:
            if frame.code is not None and not frame.recorded:
                self.collected.unrecorded.setdefault(frame.code, set()).add(self.entry)
            elif frame.code is not None and self.entry.is_program:
                self.collected.recorded.setdefault(frame.code, set()).add(self.entry)
        self.collected.note_stand_ins(self.entry, stood_in)
        if not _is_test(self.entry):
            self.collected.run.update(_run_elsewhere(self.entry, run))
            add_given(self.collected.given, run.given.items())

    def _judge_all(self, trace: Trace, choices: frozenset[object], alike: bool) -> None:
        """Collect what the rules find; the path rests on `choices`, or on what is supposed of memory (`alike`)."""
        trace.effort.spend(len(trace.events) * len(self.rules))
        self._note_passes(trace)
        # What rules about writes tell of.
        happened = any(
            isinstance(event, (Write, Detach, RefusedUse, DiscardedResult, OwnState, Untrainable))
            for event in trace.events
        )
        for rule in self.rules:
            if happened or not rule.about_writes:
                self._judge(rule, trace, choices, alike)

    def _judge(self, rule: Rule, trace: Trace, choices: frozenset[object], alike: bool) -> None:
        """Note what a rule finds on a path; nothing, if the rule fails there."""
        found: dict[Finding, None] = {}  # a loop shows the same over and over
        try:
            for finding in rule.check(trace):
                if not isinstance(finding, Finding):
                    raise TypeError(f"a Finding was expected, not {finding!r}")
                if finding not in found:
                    trace.effort.spend(STEP * (50 + len(finding.related)))
                    found[finding] = None
        except OutOfEffort:
            trace.complete = False
        except Exception as error:
            self.collected.failed(self.entry, rule.code, error)
            return
        told: Iterable[Finding] = supposed(found, trace) if alike else found
        if self.entry.function is DRIVEN and self.entry.owner is not None:
            told = where_kept(told, self.entry.owner, self.entry.module.path)
        for finding in at_their_calls(told, trace, self._is_installed):
            if self.alone and not _touches(finding, self.entry.module.path, self.alone):
                continue
            options = {self.entry.function} if self._takes_options() else set()
            self.collected.note_found((self.entry, rule, finding, choices | options), self.taken, self.brought)

    def _is_installed(self, path: str) -> bool:
        return self.entry.module.program.installed_at(path) != ""

    def _note_passes(self, trace: Trace) -> None:
        for event in trace.events:
            if isinstance(event, Backward):
                self.collected.differentiating.add(self.entry)
                if event.via != "return":
                    sites = self.collected.passes.setdefault(names_of(self.entry), {})
                    sites[event.site] = event.cut or sites.get(event.site, False)

    def _takes_options(self) -> bool:
        """Whether a tensor was taken to be given for a parameter that may be None."""
        path = self.entry.module.path
        return self.entry.function is not None and any(
            self.tensors is not None and key_of(Parameter(path, param.span)) in self.tensors
            for param in self.entry.function.params
            if isinstance(param.default, ir.Const) and param.default.value is None
        )

    def _note_writes(self, run: Run) -> None:
        sharing = list(seen_elsewhere(run.torch.trace))
        self.collected.note_sharing(sharing)
        note_reads_before(run.torch, self.collected.written.setdefault(self.entry, {}))
        note_stale_saves(run.torch, self.collected.made_stale.setdefault(self.entry, {}))
        self.written.update(run.non_tensor_write_sites)
        self.collected.unsure.setdefault(self.entry, set()).update(run.maybe_write_sites)
        self.seen.update(run.maybe_write_sites, (place for place, _ in sharing))
        perhaps_of_others = run.torch.converted.union(op.copy for op in run.torch.undecided)
        for write in run.torch.trace.writes_since(0):
            self.written.update(places(write))
            self.reaches_writes = self.reaches_writes or write.op in LIBRARY_WRITES
            tensor = write.operand.tensor
            if (
                tensor.external
                or tensor.detached_from is not None
                or tensor.self_overlapping is None
                or run.made_up(write.storage)
                or write.storage in perhaps_of_others
                or write.storage.role == "global"
            ):
                self.seen.add(write.site)


def _written_attributes(run: Run) -> set[str]:
    """The attributes of the object that a method is run on which it writes while gradients are recorded.

    Where another option gives the object something else there, as a parameter, the write may fail.
    """
    written = ((write, write.operand.binding) for write in run.torch.trace.writes_since(0) if write.grad_mode)
    return {
        str(binding.place[1])
        for write, binding in written
        if binding is not None and binding.kind == "attribute" and run.was_preparing(binding.bound_at)
        if not write.operand.tensor.need.certain
    }


def _running_again(run: Run, oracle: Oracle) -> set[int]:
    """The choices that would run something twice, where a path writes: the writes come twice then."""
    if not any(not run.was_preparing(write.time) for write in run.torch.trace.writes_since(0)):
        return set()
    return {decider for decider, branch in oracle.passed if runs_again(branch)}


def _touches(finding: Finding, path: str, rows: frozenset[int]) -> bool:
    """Whether a finding is about some rows of a file."""
    sites = (finding.site, *(each.site for each in finding.related))
    return any(site.path == path and not rows.isdisjoint(range(site.span.row, site.span.end_row + 1)) for site in sites)


def _run_elsewhere(entry: Entry, run: Run) -> Iterator[Place]:
    """The functions of other files that were run, and told what they are given.

    Only programs, which pass nothing unknown, and callers that record no gradients count as evidence; but who evaluates
    a loss does not.
    """
    for frame in run.past:
        if frame.code is None or frame.module.path == entry.module.path:
            continue
        if entry.is_program or not (frame.recorded or names_trained_loss(frame.code.name)):
            yield frame.module.path, frame.code.span.row


def begin(entry: Entry, rules: Sequence[Rule], collected: Collected) -> Pending | None:
    """Follow the first paths of an entry point, so that each has its turn before one of them uses up all steps.

    None if that fails.
    """
    tensors: set[Hashable] = set()
    exploration = Exploration(MOST_STEPS, MOST_STEPS_OF_PATH, collected.effort)
    if collected.follows(entry):
        exploration = Exploration(2 * MOST_STEPS_OF_PATH, MOST_STEPS_OF_PROGRAM, collected.effort)
    exploration.home = entry.function
    own = entry.function is None or may_write(entry.function)
    for last in (False, True):
        spares = collected.effort.left // 2 if own or entry.is_program else 0
        scouting = Oracle(most_steps=exploration.most_of_path, effort=collected.effort, spares=spares)
        scouting.enough = exploration.enough
        try:
            scout = run_once(entry, scouting, tensors, collected)
        except SourceError:
            raise
        except Exception as error:
            collected.failed(entry, None, error)
            return None
        collected.count(entry, scouting.steps)
        if not scout.proven.is_late or last or collected.effort.exhausted:
            break
        scout.close()
    pending = Pending(entry, rules, collected, (scout, scouting), tensors, own, exploration)
    shortens = scouting.shortens and (own or entry.is_program)
    if shortens and (not scout.torch.trace.complete or (scouting.taken and scouting.steps >= exploration.enough)):
        # Turns that say the same would take what it costs to judge the path: its end, and other paths, say more.
        scout.close()
        pending.first = None
        exploration.begin_short()
    pending.go_on(1)
    if shortens:
        exploration.shorten()
    return pending


def begin_alone(known: Pending, rows: frozenset[int], proving: bool) -> Pending:
    """Follow the first path of an entry point without what is around it, for the sake of some rows.

    Args:
        known: the entry point as it was followed before.
        proving: what turns out to be a tensor on one path is one on the others.
    """
    exploration = Exploration(MOST_STEPS_ALONE, MOST_STEPS_ALONE, known.collected.effort, alone=True)
    exploration.home = known.entry.function
    tensors: set[Hashable] | None = set() if proving else None
    pending = Pending(known.entry, known.rules, known.collected, None, tensors, True, exploration, alone=rows)
    pending.go_on(1)
    return pending


def note_rest(pending: Pending, collected: Collected) -> None:
    """Remember where not every path was followed."""
    exploration = pending.exploration
    if exploration.waiting or exploration.others or not exploration.complete:
        collected.give_up(pending.entry)
        collected.note_sharing((place, "perhaps") for place in pending.written)
