"""Facts about functions and branches that are known before they are run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FunctionFacts:
    """What the syntax of a function shows, with all that is nested in it.

    Args:
        write_rows: where it may write in place, in order.
        written: the variables that it may write in place, each with the row.
        calls: the last word of what each call calls, if it has one, and the row where the call ends.
        passed: the variables that it passes to calls, each with the row where the call ends.
        mentions: the variables that it uses.
        fills: it assigns items: `x[i] = ...`.
        assigned: the attributes that it assigns, of whatever object.
        given: the assignments in whose targets an attribute stands, by its name.
        counted: the attributes that it changes by what they are: `self.steps += 1`.
        filled: the attributes of which it assigns items: `self.rows[i] = ...`.
        used: the names that it uses behind a variable `x`, or an attribute `x.y` of one, and `(n)` if it calls that
            with so many arguments.
        counted_of: the variables of which it asks the length: `len(x)`.
        copied_over: where it copies one variable into another, the two: that, and what is copied.
        stand_ins: the statements that give an argument a value where none is passed: `if v is None: v = u`.
    """

    write_rows: tuple[int, ...]
    written: tuple[tuple[str, int], ...]
    calls: tuple[tuple[str, int], ...]
    passed: tuple[tuple[str, int], ...]
    mentions: frozenset[str]
    fills: bool
    assigned: frozenset[str]
    given: Mapping[str, tuple[object, ...]]
    counted: frozenset[str]
    filled: frozenset[str]
    used: Mapping[str, frozenset[str]]
    counted_of: frozenset[str]
    copied_over: frozenset[tuple[str, str]]
    stand_ins: tuple[object, ...]


@dataclass(frozen=True, slots=True)
class BranchFacts:
    """What the syntax of a branch shows, with all that is nested in it.

    Args:
        gives: the attributes that it gives objects, by assignments or as `register_buffer` does.
        hands_over: the variables that it hands to calls whose results it drops.
        binds: the variables that it assigns.
    """

    gives: frozenset[str]
    hands_over: frozenset[str]
    binds: frozenset[str]


@dataclass(frozen=True, slots=True)
class Gives:
    """What a statement of a constructor gives attributes.

    Args:
        only: the one to which it only gives a value, which is the same at any later time; None if it does more.
        names: all that it assigns.
    """

    only: str | None
    names: tuple[str, ...]
