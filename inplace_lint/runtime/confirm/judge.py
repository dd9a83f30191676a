"""Judges static findings by experiment: does PyTorch raise, or compute something else?"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from inplace_lint.findings.diagnostic import Diagnostic, Related
from inplace_lint.runtime.confirm.calls import Called
from inplace_lint.runtime.confirm.experiment import Watched, Writes, forked, lines_run, plainly, traced, watched
from inplace_lint.runtime.confirm.fork import Apart, covers, is_about
from inplace_lint.runtime.confirm.key import Key
from inplace_lint.runtime.confirm.matching import calls_at, files_of, writes_at
from inplace_lint.runtime.confirm.outcome import Difference, Outcome, difference
from inplace_lint.runtime.confirm.statements import is_statement
from inplace_lint.runtime.confirm.trace import Traced
from inplace_lint.runtime.target import Target
from inplace_lint.source.place import Site

Kind = Literal["confirmed", "refuted", "not reached", "undecided"]

# Rules that hold either of two things against a write.
_TWO_REASONS = ("IPL306", "IPL401", "IPL403")

# What is repaired one after the other, until nothing raises.
_MOST_REPAIRS = 20


@dataclass(frozen=True, slots=True)
class Verdict:
    """What experiments say of a finding.

    Args:
        kind: the verdict.
        why: completes it (`raises`, `values differ by up to 0.5`).
        quote: PyTorch's own words, where it raised.
    """

    kind: Kind
    why: str = ""
    quote: str = ""

    def __str__(self) -> str:
        return f"{self.kind}: {self.why}" if self.why else self.kind


@dataclass(frozen=True, slots=True)
class Judged:
    """The findings with their verdicts, and how they were obtained.

    Args:
        diagnostics: the findings; those that only the run saw among them.
        confirmed: whether one is confirmed.
        graph: the traced graph; None if the program was run as it is, for `reason`.
        notes: what the user should know of the experiment.
    """

    diagnostics: list[Diagnostic]
    confirmed: bool
    graph: Traced | None
    reason: str
    notes: list[str]


@dataclass(frozen=True, slots=True)
class _Raises:
    """Something that PyTorch refuses.

    Args:
        finding: how the recorder explains it.
        calls: the calls to blame.
        message: PyTorch's.
        alone: the message is about nothing else.
    """

    finding: Diagnostic
    calls: frozenset[Key]
    message: str
    alone: bool


def judge(target: Target, lint: Callable[[Sequence[str]], Sequence[Diagnostic]]) -> Judged:
    """Run a target, and judge what a linter finds in the files that it runs through.

    Args:
        target: what to run; it is run several times.
        lint: from paths to findings.

    Raises:
        TargetError: the program fails for a reason of its own.
    """
    first, second = plainly(target), plainly(target)
    stable, prints = _same(first, second), first.printed == second.printed
    raising, repairs, last = _raising(target)
    found = lint(files_of(last.log))
    graph = traced(target, repairs, last.outcome) if last.outcome.error is None else "PyTorch raises"
    bench = _Bench(target, last, raising, repairs, graph if isinstance(graph, Traced) else None, stable, prints)
    # What is about a file as a whole is no matter for experiments.
    whole = [diagnostic for diagnostic in found if diagnostic.code.startswith("IPL9")]
    judged = [(diagnostic, bench.verdict(diagnostic)) for diagnostic in found if diagnostic not in whole]
    missed = _missed([finding for finding, _ in judged], bench)
    diagnostics = [_told(finding, verdict) for finding, verdict in (*judged, *missed)]
    notes = [] if stable else ["two runs with the same seed differ, so values cannot be compared"]
    return Judged(
        sorted([*whole, *diagnostics], key=lambda each: each.sort_key),
        any(_is_confirmed(each) for each in diagnostics),
        graph if isinstance(graph, Traced) else None,
        graph if isinstance(graph, str) else "",
        notes,
    )


def _is_confirmed(diagnostic: Diagnostic) -> bool:
    """Advice that holds is still advice."""
    return (diagnostic.verdict or "").startswith("confirmed") and diagnostic.severity != "info"


def _same(a: Outcome, b: Outcome) -> bool:
    return str(a.error) == str(b.error) and difference(a, b) is None


def _raising(target: Target) -> tuple[list[_Raises], dict[Key, Apart], Watched]:
    """Run, put out of place what PyTorch refuses, and run again, until nothing is refused."""
    raising: list[_Raises] = []
    repairs: dict[Key, Apart] = {}
    run = watched(target, repairs)
    for _ in range(_MOST_REPAIRS):
        new: dict[Key, Apart] = {}
        for message, findings in run.errors:
            for finding in findings:
                calls = _writes_of(finding, run.log)
                raising.append(_Raises(finding, frozenset(calls), message, len(findings) == 1))
                new.update(_apart(calls, finding))
        if not new.keys() - repairs.keys():
            break
        try:
            repaired = watched(target, {**repairs, **new})
        except Exception:  # what comes later in the program could not do with a repair
            break
        repairs.update(new)
        run = repaired
    return [each if each.alone else _told_alone(target, each, repairs) for each in raising], repairs, run


def _told_alone(target: Target, raises: _Raises, repairs: Writes) -> _Raises:
    """With what PyTorch says if all else is repaired."""
    others = {key: apart for key, apart in repairs.items() if key not in raises.calls}
    try:
        errors = watched(target, others).errors
    except Exception:
        return raises
    return replace(raises, message=errors[0][0]) if errors else raises


def _apart(calls: dict[Key, frozenset[int]], finding: Diagnostic, other: bool = False) -> dict[Key, Apart]:
    """How to put the writes of a finding out of place, by what its rule holds against them.

    Some rules hold either of two things against a write; `other` asks for the second.
    """
    code = finding.code
    stale = frozenset(related.site for related in finding.later)
    return {
        key: Apart(
            written,
            # What is hidden from autograd changes its gradients; that later readers see it is meant.
            meant=code == "IPL401" or (key.site is not None and is_statement(key.site)),
            stale=frozenset() if code == "IPL401" else stale,
            by_caller=code == "IPL305" or (code == "IPL304" and not stale),
            alone=other and code == "IPL306",
            visible=other and code in ("IPL401", "IPL403"),
            by_backward=code == "IPL401",
            once=code == "IPL405",
            inside=code == "IPL403",
            # A parameter shall stay one, or the next write to it would be judged as another tensor's.
            unrecorded=code in ("IPL101", "IPL102"),
        )
        for key, written in calls.items()
    }


def _is_about(raises: _Raises, finding: Diagnostic) -> bool:
    blamed = raises.finding.write_sites
    if any(covers(ours, theirs) or covers(theirs, ours) for ours in finding.write_sites for theirs in blamed):
        return True
    called = [site for key in raises.calls for site in key.sites]
    return any(covers(site, ours) and covers(ours, site) for ours in finding.write_sites for site in called)


def _writes_of(finding: Diagnostic, log: Sequence[Called]) -> dict[Key, frozenset[int]]:
    """The calls of a finding that wrote something, or were refused, and which operands."""
    found: dict[Key, frozenset[int]] = {}
    for site in finding.write_sites:
        for key, operands in writes_at(site, log).items():
            found[key] = found.get(key, frozenset()) | operands
    return found


@dataclass(frozen=True, slots=True)
class _Bench:
    """Everything that is known before the single findings are looked at."""

    target: Target
    last: Watched
    raising: Sequence[_Raises]
    repairs: Writes
    graph: Traced | None
    stable: bool
    prints: bool
    lines: dict[str, set[int]] = field(default_factory=dict)

    def verdict(self, finding: Diagnostic) -> Verdict:
        """Judge one finding."""
        raises = next((each for each in self.raising if _is_about(each, finding)), None)
        if raises is not None:
            return Verdict("confirmed", "raises", raises.message)
        reached = [called for site in finding.write_sites for called in calls_at(site, self.last.log)]
        if not reached and not any(map(self._is_run, finding.write_sites)):
            return Verdict("not reached")
        error = self.last.outcome.error
        if finding.code == "IPL204" and str(error).startswith("Trying to backward through the graph a second time"):
            return Verdict("confirmed", "raises", str(error))
        if error is not None:
            return Verdict("undecided", "PyTorch raises for another reason before it matters")
        if reached and finding.code[:4] in ("IPL1", "IPL2") and finding.code != "IPL104":  # which PyTorch may miss
            repaired = ", once the other errors are repaired" if self.repairs else ""
            return Verdict("refuted", f"PyTorch does not raise on these inputs{repaired}")
        calls = _writes_of(finding, self.last.log)
        if finding.code == "IPL502":
            return Verdict("undecided", "`inplace-lint memory` weighs it")
        if finding.code == "IPL308":
            return Verdict("undecided", "the line runs; whether its result was wanted, no run can tell")
        if finding.code.startswith("IPL5"):
            return Verdict("undecided", "it is about another way to run the program")
        if not calls:
            return Verdict("undecided", "the line runs, but no op of PyTorch's is seen to write a tensor there")
        if not self.stable:
            return Verdict("undecided", "two runs with the same seed differ")
        return self._compared(finding, calls)

    def _is_run(self, site: Site) -> bool:
        path, rows = os.path.realpath(site.path), range(site.span.row, site.span.end_row + 1)
        if path not in self.lines:
            self.lines[path] = lines_run(self.target, path)
        return any(row in self.lines[path] for row in rows)

    def _compared(self, finding: Diagnostic, calls: dict[Key, frozenset[int]]) -> Verdict:
        base, lost = self.last.outcome, finding.code == "IPL307"
        for other in (False, True) if finding.code in _TWO_REASONS else (False,):
            writes = {**self.repairs, **_apart(calls, finding, other)}
            try:
                outcome = forked(self.target, writes, self.graph)
            except Exception as error:
                return Verdict("undecided", f"it cannot be put out of place ({type(error).__name__})")
            if outcome.error is not None:
                return Verdict("undecided", "out of place, PyTorch raises elsewhere")
            if found := difference(base, outcome, finding.code == "IPL305", self.prints):
                return Verdict("refuted" if lost else "confirmed", _told_difference(found))
        if finding.code == "IPL306":
            return Verdict("undecided", "what shares the memory is one tensor, whose names no run tells apart")
        same = "values and gradients are the same out of place on these inputs"
        return Verdict("confirmed" if lost else "refuted", same)


def _missed(found: Sequence[Diagnostic], bench: _Bench) -> list[tuple[Diagnostic, Verdict]]:
    """What the run alone has seen, beside what was found: all that raises, and what is wrong for sure."""
    raised = [
        (_only_run(each.finding), Verdict("confirmed", "raises", each.message))
        for each in bench.raising
        if not any(_is_about(each, finding) for finding in found)
    ]
    known = [site for finding in found for site in finding.write_sites]
    unseen = [each for each in bench.last.silent if not any(is_about(each.site, site) for site in known)]
    suspected = [(_only_run(finding), bench.verdict(finding)) for finding in unseen]
    return raised + [(finding, verdict) for finding, verdict in suspected if verdict.kind == "confirmed"]


def _told_difference(found: Difference) -> str:
    if found.kind == "printed":
        return "what it prints differs"
    if found.kind == "shapes":
        return f"values differ in shape ({found.name})"
    return f"{found.kind} differ by up to {found.largest:.3g} ({found.name})"


def _only_run(finding: Diagnostic) -> Diagnostic:
    return replace(finding, message=f"{finding.message} (seen by the run alone)")


def _told(finding: Diagnostic, verdict: Verdict) -> Diagnostic:
    """The finding with its verdict in words; what is refuted is but information."""
    quote = verdict.quote.partition(" Hint:")[0].strip()
    said = (Related(f"PyTorch: {quote}", finding.site, "raise", len(finding.related) + 2),) if quote else ()
    related, severity = (*finding.related, *said), finding.severity
    if verdict.kind == "refuted":
        severity = "info"
    elif verdict.quote:
        severity = "error"
    return replace(
        finding,
        message=f"{finding.message} [{verdict}]",
        severity=severity,
        related=related,
        verdict=str(verdict),
    )
