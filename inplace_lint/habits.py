"""All reasons, and of those the habits: the reasons that rest on how people write programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from inplace_lint.interpret.analysis import analyze, refuted
from inplace_lint.interpret.state import declared, naming
from inplace_lint.judgement import (
    broken_saves,
    callees,
    exemptions,
    memory,
    other_place,
    same_place,
    taken_by_name,
    taken_out,
)
from inplace_lint.reason import Reason
from inplace_lint.screen import evidence, likely, survey

_HOMES = (
    *(memory, callees, same_place, other_place, taken_out, taken_by_name, exemptions, broken_saves),
    *(naming, declared, refuted, analyze, evidence, likely, survey),
)


def reasons() -> Sequence[Reason]:
    """All reasons, in the order in which they stand in their files."""
    found = [each for home in _HOMES for each in vars(home).values() if isinstance(each, Reason)]
    return list({id(each): each for each in found}.values())


def habits() -> Mapping[str, Reason]:
    """The habits, in the order in which they are asked for."""
    return {each.name: each for each in reasons() if each.is_habit}
