"""Choosing a fix for each finding: one that works alone, as in an editor, and with the others, as with `--fix`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from inplace_lint.findings.diagnostic import Fix
from inplace_lint.fixes.edit import together
from inplace_lint.fixes.trial import Edits, Key, Trials

# Trials that are left for fixes together.
_SPARE = 2


def choose(candidates: Sequence[Sequence[Fix]], keys: Sequence[Key], trials: Trials) -> dict[int, Fix]:
    """The fixes for findings, by number.

    Args:
        candidates: what may fix each finding, best first.
        keys: the findings.
        trials: tries them.
    """
    alone = _alone(candidates, keys, trials)
    safe = [number for number, fix in alone.items() if fix.applicability == "safe"]
    choice = _Choice(alone, keys, trials)
    kept = choice.agreed([], safe)
    unsafe = [number for number in alone if number not in safe]
    return {number: alone[number] for number in sorted([*kept, *choice.agreed(kept, unsafe)])}


def _alone(candidates: Sequence[Sequence[Fix]], keys: Sequence[Key], trials: Trials) -> dict[int, Fix]:
    """The first candidates that work alone."""
    chosen: dict[int, Fix] = {}
    for rank in range(max(map(len, candidates), default=0)):
        ranked = {i: some[rank] for i, some in enumerate(candidates) if i not in chosen and rank < len(some)}
        trials.run((fix.edits for fix in ranked.values()), _SPARE)
        chosen.update((i, fix) for i, fix in ranked.items() if trials.works(fix.edits, [keys[i]]))
    return dict(sorted(chosen.items()))


@dataclass(frozen=True, slots=True)
class _Choice:
    """Fixes that work alone, to be chosen from."""

    fixes: dict[int, Fix]
    keys: Sequence[Key]
    trials: Trials

    def agreed(self, base: Sequence[int], more: Sequence[int]) -> list[int]:
        """Those of `more` that can be applied with `base`, which can be applied together, and with each other."""
        found: list[int] = []
        for group in self._groups([*base, *more]):
            found += self._added([i for i in group if i in base], [i for i in group if i not in base])
        return found

    def _groups(self, numbers: Sequence[int]) -> list[list[int]]:
        """Findings whose fixes meet, directly or by others."""
        groups: list[list[int]] = []
        for number in numbers:
            edits = self.fixes[number].edits
            met = [g for g in groups if any(self.trials.meet(edits, self.fixes[i].edits) for i in g)]
            groups = [g for g in groups if g not in met]
            groups.append([*(i for g in met for i in g), number])
        self.trials.run([self._edits(group) for group in groups])
        return groups

    def _added(self, base: list[int], more: list[int]) -> list[int]:
        if not more or self._work([*base, *more]):
            return more
        if len(more) == 1:
            return []
        first = self._added(base, more[: len(more) // 2])
        return first + self._added(base + first, more[len(more) // 2 :])

    def _work(self, numbers: Sequence[int]) -> bool:
        """Whether fixes can be applied together; those that overlap never are."""
        edits = self._edits(numbers)
        self.trials.run([edits])
        done = [self.keys[i] for i in numbers if set(self.fixes[i].edits) <= set(edits)]
        return self.trials.works(edits, done)

    def _edits(self, numbers: Iterable[int]) -> Edits:
        return together(self.fixes[number].edits for number in sorted(numbers))
