"""Judges static findings by experiment: does PyTorch raise, or compute something else?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from inplace_lint.findings.diagnostic import Diagnostic, Related
from inplace_lint.runtime.confirm.bench import Bench
from inplace_lint.runtime.confirm.experiment import plainly, traced
from inplace_lint.runtime.confirm.fork import is_about
from inplace_lint.runtime.confirm.matching import files_of
from inplace_lint.runtime.confirm.outcome import Outcome, difference
from inplace_lint.runtime.confirm.refused import is_blamed, refused
from inplace_lint.runtime.confirm.trace import Traced
from inplace_lint.runtime.confirm.verdict import Verdict
from inplace_lint.runtime.target import Target


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
    raising, repairs, last = refused(target)
    found = lint(files_of(last.log))
    graph = traced(target, repairs, last.outcome) if last.outcome.error is None else "PyTorch raises"
    bench = Bench(target, last, raising, repairs, graph if isinstance(graph, Traced) else None, stable, prints)
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


def _missed(found: Sequence[Diagnostic], bench: Bench) -> list[tuple[Diagnostic, Verdict]]:
    """What the run alone has seen, beside what was found: all that raises, and what is wrong for sure."""
    raised = [
        (_only_run(each.finding), Verdict("confirmed", "raises", each.message))
        for each in bench.raising
        if not any(is_blamed(each, finding) for finding in found)
    ]
    known = [site for finding in found for site in finding.write_sites]
    unseen = [each for each in bench.last.silent if not any(is_about(each.site, site) for site in known)]
    suspected = [(_only_run(finding), bench.verdict(finding)) for finding in unseen]
    return raised + [(finding, verdict) for finding, verdict in suspected if verdict.kind == "confirmed"]


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
