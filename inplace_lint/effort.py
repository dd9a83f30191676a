"""How much work a file may cost: counted, not timed, so that the answer is the same on every machine.

Code whose work grows with the program counts that work here. When the budget is spent, the analysis of the file stops,
and keeps its findings.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

# One unit is a look at one thing: an event, a save, an element. A step of the interpreter takes as long as some 20.
STEP = 20
# Units for each file, and for each line beyond the first so many. Compiled, a million take some 0.17 seconds.
_FOR_A_FILE = 7_000_000
_FREE_LINES = 2_000
_FOR_A_LINE = 4_000
# Of what a file may cost, one part in so many is kept back to judge what was seen until all was spent.
_KEPT_BACK = 8
# What takes one part in so many is not done again for the sake of what comes later.
_COSTLY = 16
# A whole program may take long: of what is left then, one part in so many is kept for all that it does not show.
_SET_APART = 4


class OutOfEffort(Exception):
    """The work that is allowed has been done."""


@dataclass(slots=True)
class Effort:
    """What is left of the work that a file may cost.

    Args:
        left: units.
        kept_back: units for judging what was seen once the others are spent.
        exhausted: all was spent: no other path is begun.
        most: units at the beginning; 0 for no bound.
        costly: classes of which one call of an object took much of the effort: others are not followed into them.
    """

    left: int
    kept_back: int = 0
    exhausted: bool = False
    most: int = 0
    costly: set[Hashable] = field(default_factory=set)

    def note_cost(self, of: Hashable, before: int) -> None:
        """Note what something cost, before which so many units were left."""
        if self.most and _COSTLY * (before - self.left) > self.most:
            self.costly.add(of)

    @property
    def is_running_low(self) -> bool:
        """Whether to leave the rest for what comes later: to try a fix takes as long as to find what it cures."""
        return 3 * self.left < 2 * self.most

    @property
    def is_half_spent(self) -> bool:
        """Whether to go to no more writes that nothing has come to."""
        return 2 * self.left < self.most

    def spend(self, units: int) -> None:
        """Count work that is about to be done. Raises OutOfEffort if it is not allowed any more."""
        self.left -= units
        if self.left < 0:
            self.exhausted = True
            raise OutOfEffort

    def limit_for_fixes(self) -> None:
        """Allow a bit more than half of the file's effort: libcst is imported to try fixes, which costs as much."""
        self.left = min(self.left, self.most * 4 // 7) if self.most else self.left

    def set_apart(self) -> int:
        """Keep a part of what is left for what comes later; how much that is."""
        apart = self.left // _SET_APART if self.most and not self.exhausted else 0
        self.left -= apart
        return apart

    def put_back(self, apart: int) -> None:
        """Allow what was kept for later."""
        if apart:
            self.left, self.exhausted = max(self.left, 0) + apart, False

    def abandon(self) -> None:
        """Allow nothing any more: nobody wants the result."""
        self.left, self.kept_back, self.exhausted = -1, 0, True

    def open_reserve(self) -> int:
        """Allow what was kept back, for judging; how much that is."""
        opened, self.kept_back = self.kept_back, 0
        self.left = max(self.left, 0) + opened if opened else self.left
        return opened

    def close_reserve(self, opened: int) -> None:
        """Keep back what judging has left of it, unless no other path is begun anyway."""
        if not self.exhausted:
            self.kept_back = min(opened, max(self.left, 0))
            self.left -= self.kept_back


def allowance(text: str) -> Effort:
    """The effort for a file with this text."""
    units = _FOR_A_FILE + _FOR_A_LINE * max(0, text.count("\n") - _FREE_LINES)
    return Effort(units - units // _KEPT_BACK, units // _KEPT_BACK, most=units)


def unlimited() -> Effort:
    """For what is asked of short programs only."""
    return Effort(2**62)
