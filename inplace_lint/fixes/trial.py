"""Tries fixes on the text: they must remove their findings and add none, alone and together."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from inplace_lint.findings.diagnostic import Edit
from inplace_lint.fixes.edit import Moved
from inplace_lint.source.place import Site, Span

Key = tuple[str, Site]
"""A finding: its code, and where it stands."""
Findings = Mapping[Key, int]
"""How severe findings are."""
Reach = frozenset[Hashable] | None
"""The parts of a program whose findings may change with some edits; None for all."""
Edits = tuple[Edit, ...]


class Ground(Protocol):
    """What is found in a text, and would be found in others."""

    @property
    def path(self) -> str:
        """The file that the text is of."""

    def may_read(self, text: str, changes: int) -> bool:
        """Whether libcst may still read a text, and make so many changes; counts it, as that takes long."""

    def reach(self, edits: Edits) -> Reach:
        """What edits of the text may change."""

    def found(self, reach: Reach) -> Findings:
        """The findings that some parts show, as the text is."""

    def found_with(self, edits: Edits, reaches: Sequence[Reach]) -> list[Findings] | None:
        """The findings that each of some parts would show, at their places in the edited text; None if nobody knows.

        This takes as long as checking the file did.
        """


@dataclass(frozen=True, slots=True)
class Outcome:
    """What edits do: the findings that they take away, and whether they bring others, or make one severer."""

    gone: frozenset[Key] = frozenset()
    worse: bool = True


@dataclass(slots=True)
class Trials:
    """Tries edits. Only so many times, as each takes a while; so what cannot meet is tried in one go.

    Args:
        ground: what they are tried on.
        left: how many times more.
    """

    ground: Ground
    left: int
    _outcomes: dict[Edits, Outcome] = field(default_factory=dict)
    _reaches: dict[Edits, Reach] = field(default_factory=dict)

    def works(self, edits: Edits, keys: Iterable[Key]) -> bool:
        """Whether edits that were tried take findings away and bring none."""
        outcome = self._outcomes.get(edits, Outcome())
        return not outcome.worse and outcome.gone.issuperset(keys)

    def run(self, drafts: Iterable[Edits], spare: int = 0) -> None:
        """Try each of some drafts, if that was not yet done, and there are not so few trials left."""
        waiting = [edits for edits in dict.fromkeys(drafts) if edits not in self._outcomes]
        while waiting and self.left > spare:
            self.left -= 1
            batch = self._apart(waiting)
            waiting = [edits for edits in waiting if edits not in batch]
            self._outcomes.update(self._tried(batch))

    def meet(self, edits: Edits, others: Edits) -> bool:
        """Whether there is something that both may change."""
        reach, other = self._reach(edits), self._reach(others)
        return reach is None or other is None or not reach.isdisjoint(other)

    def _reach(self, edits: Edits) -> Reach:
        if edits not in self._reaches:
            self._reaches[edits] = self.ground.reach(edits)
        return self._reaches[edits]

    def _apart(self, waiting: Sequence[Edits]) -> list[Edits]:
        """The first, and others that meet neither it nor each other."""
        batch: list[Edits] = []
        for edits in waiting:
            if not any(self.meet(edits, other) for other in batch):
                batch.append(edits)
        return batch

    def _tried(self, batch: Sequence[Edits]) -> dict[Edits, Outcome]:
        reaches = [self._reach(edits) for edits in batch]
        every = tuple(edit for edits in batch for edit in edits)
        after = self.ground.found_with(every, reaches)
        if after is None:
            return dict.fromkeys(batch, Outcome())
        before = map(self.ground.found, reaches)
        outcomes = (compared(old, new, every, self.ground.path) for old, new in zip(before, after, strict=True))
        return dict(zip(batch, outcomes, strict=True))


def compared(before: Findings, after: Findings, edits: Edits, path: str) -> Outcome:
    """What edits of a file do: a finding stays if there is one with its code at its place, which moves with them."""
    moved = Moved(edits)
    places = {key: _at(key, path, moved.settled) for key in before}
    known = _severest((places[key], rank) for key, rank in before.items())
    left = _severest((_at(key, path, moved.back), rank) for key, rank in after.items())
    gone = frozenset(key for key, place in places.items() if place not in left)
    return Outcome(gone, worse=any(rank > known.get(place, -1) for place, rank in left.items()))


def _at(key: Key, path: str, move: Callable[[Span], Span]) -> Key:
    code, site = key
    return (code, Site(path, move(site.span))) if site.path == path else key


def _severest(found: Iterable[tuple[Key, int]]) -> dict[Key, int]:
    ranks: dict[Key, int] = {}
    for key, rank in found:
        ranks[key] = max(rank, ranks.get(key, rank))
    return ranks
