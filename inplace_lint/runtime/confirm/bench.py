"""Judges one finding: the program with the write in place against the program with it out of place.

A finding is refuted only by the program itself, whose values and gradients are the same out of place, also
under the other circumstances of `circumstances`. A traced graph keeps names apart that the program
cannot, so it may confirm; but a buffer is one object in it, so it refutes nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from inplace_lint.findings.diagnostic import Diagnostic
from inplace_lint.runtime.confirm.circumstances import Circumstance, circumstances
from inplace_lint.runtime.confirm.experiment import Forked, Watched, Writes, forked, lines_run
from inplace_lint.runtime.confirm.fork import is_about
from inplace_lint.runtime.confirm.key import Key
from inplace_lint.runtime.confirm.matching import calls_at
from inplace_lint.runtime.confirm.outcome import Difference, difference
from inplace_lint.runtime.confirm.refused import Raises, for_what_is_saved, is_blamed, out_of_place, refused, writes_of
from inplace_lint.runtime.confirm.trace import Traced
from inplace_lint.runtime.confirm.verdict import Verdict, in_words
from inplace_lint.runtime.target import Target, told
from inplace_lint.source.place import Site

# Rules that hold either of two things against a write.
_TWO_REASONS = ("IPL306", "IPL401", "IPL403")

_Calls = dict[Key, frozenset[int]]


@dataclass(frozen=True, slots=True)
class Bench:
    """Everything that is known before the single findings are looked at.

    Args:
        target: what to run.
        last: its last run, with what PyTorch refuses out of place.
        raising: what PyTorch refuses.
        repairs: how that was put out of place.
        graph: the traced graph, if there is one.
        stable: two runs with the same seed are the same.
        prints: so is what they print.
    """

    target: Target
    last: Watched
    raising: Sequence[Raises]
    repairs: Writes
    graph: Traced | None
    stable: bool
    prints: bool
    _lines: dict[str, set[int]] = field(default_factory=dict)
    _elsewhere: list[tuple[Circumstance, Bench | str]] = field(default_factory=list)

    def verdict(self, finding: Diagnostic) -> Verdict:
        """Judge one finding."""
        found = self._verdict_here(finding)
        return self._unless_elsewhere(finding, found) if found.kind == "refuted" else found

    def _verdict_here(self, finding: Diagnostic) -> Verdict:
        """Judge it by these inputs, weights and this mode alone."""
        raises = next((each for each in self.raising if is_blamed(each, finding)), None)
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
        if reached and _is_refused_at_once(finding.code):
            return Verdict("refuted", self._not_raised)
        if finding.code == "IPL502":
            return Verdict("undecided", "`inplace-lint memory` weighs it")
        if finding.code == "IPL308":
            return Verdict("undecided", "the line runs; whether its result was wanted, no run can tell")
        if finding.code.startswith("IPL5"):
            return Verdict("undecided", "it is about another way to run the program")
        calls = writes_of(finding, self.last.log)
        if not calls:
            return Verdict("undecided", "the line runs, but no op of PyTorch's is seen to write a tensor there")
        if not self.stable:
            return Verdict("undecided", "two runs with the same seed differ")
        return self._saved(finding, calls) if finding.code.startswith("IPL2") else self._compared(finding, calls)

    @property
    def _not_raised(self) -> str:
        repaired = ", once the other errors are repaired" if self.repairs else ""
        return f"PyTorch does not raise on these inputs{repaired}"

    def _is_run(self, site: Site) -> bool:
        path, rows = os.path.realpath(site.path), range(site.span.row, site.span.end_row + 1)
        if path not in self._lines:
            self._lines[path] = lines_run(self.target, path)
        return any(row in self._lines[path] for row in rows)

    def _saved(self, finding: Diagnostic, calls: _Calls) -> Verdict:
        """Judge a write to a saved tensor. PyTorch did not raise, but under hooks and checkpoints it does not look."""
        way = out_of_place(calls, finding, other=True)
        found = self._tried({**self.repairs, **way}, calls, None)
        if isinstance(found, Verdict):
            return found
        if found is None:
            return self._computed_again(finding, calls, way)
        if found.kind == "gradients":
            return Verdict("confirmed", f"PyTorch does not raise, and {in_words(found)}")
        return Verdict("undecided", f"PyTorch does not raise on these inputs, but out of place {in_words(found)}")

    def _computed_again(self, finding: Diagnostic, calls: _Calls, way: Writes) -> Verdict:
        """Judge it by the old values for what a backward pass computes again: a reentrant checkpoint saves nothing.

        A hook may read the new ones on purpose, so a difference confirms only what the recorder has seen go wrong.
        """
        old = {key: replace(apart, by_backward=True) for key, apart in way.items()}
        found = self._tried({**self.repairs, **old}, calls, None)
        if isinstance(found, Verdict):
            return found
        if found is None:
            return Verdict("refuted", f"{self._not_raised}, and gradients are the same out of place")
        if any(is_about(each.site, site) for each in self.last.silent for site in finding.write_sites):
            return Verdict("confirmed", f"PyTorch does not raise, and {in_words(found)}")
        return Verdict("undecided", f"PyTorch does not raise, but {in_words(found)} if backward reads the old values")

    def _compared(self, finding: Diagnostic, calls: _Calls) -> Verdict:
        lost = finding.code == "IPL307"
        ways = [
            out_of_place(calls, finding, other) for other in (False, True) if finding.code in _TWO_REASONS or not other
        ]
        if finding.code == "IPL403":
            ways.append(for_what_is_saved(calls))
        for way in filter(None, ways):
            writes = {**self.repairs, **way}
            for graph in (self.graph, None) if self.graph is not None else (None,):
                found = self._tried(writes, calls, graph, finding.code == "IPL305")
                if isinstance(found, Verdict) and graph is None:
                    return found
                if isinstance(found, Difference):
                    return Verdict("refuted" if lost else "confirmed", in_words(found))
        if finding.code == "IPL306":
            return Verdict("undecided", "what shares the memory is one tensor, whose names no run tells apart")
        same = "values and gradients are the same out of place on these inputs"
        return Verdict("confirmed" if lost else "refuted", same)

    def _tried(
        self, writes: Writes, calls: _Calls, graph: Traced | None, inputs: bool = False
    ) -> Difference | Verdict | None:
        """How a run with these writes out of place differs; a verdict if that cannot be tried."""
        try:
            found: Forked = forked(self.target, writes, graph)
        except Exception as error:
            return Verdict("undecided", f"it cannot be put out of place ({type(error).__name__})")
        if found.outcome.error is not None:
            return Verdict("undecided", "out of place, PyTorch raises elsewhere")
        differs = difference(self.last.outcome, found.outcome, inputs, self.prints)
        if differs is None and not found.changed & calls.keys():
            return Verdict("undecided", "no call was changed by putting it out of place")
        return differs

    def _unless_elsewhere(self, finding: Diagnostic, refuted: Verdict) -> Verdict:
        """The verdict, unless the finding holds under other circumstances."""
        doubts = []
        for circumstance, bench in self._benches():
            if isinstance(bench, str):
                doubts.append(f"{circumstance.words} the program fails ({bench})")
                continue
            found = bench._verdict_here(finding)
            if found.kind == "confirmed" and circumstance.likely:
                return replace(found, why=f"{found.why}, {circumstance.words}")
            if found.kind == "confirmed":
                doubts.append(f"{circumstance.words} {_clause(found)}")
        return Verdict("undecided", f"the same on these inputs, but {doubts[0]}") if doubts else refuted

    def _benches(self) -> Iterator[tuple[Circumstance, Bench | str]]:
        if not self._elsewhere:
            self._elsewhere.extend((each, _bench(each, self)) for each in circumstances(self.target))
        yield from self._elsewhere


def _bench(circumstance: Circumstance, like: Bench) -> Bench | str:
    """The bench under other circumstances, or why there is none."""
    try:
        raising, repairs, last = refused(circumstance.target)
    except Exception as error:
        return told(error)
    return Bench(circumstance.target, last, raising, repairs, None, like.stable, like.prints)


def _is_refused_at_once(code: str) -> bool:
    """Whether PyTorch raises at the write, or at a second backward, whatever hooks there are; it may miss IPL104."""
    return (code.startswith("IPL1") and code != "IPL104") or code == "IPL204"


def _clause(found: Verdict) -> str:
    return "PyTorch raises" if found.quote else found.why
