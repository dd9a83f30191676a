"""All habits by name: the reasons that rest on how people write programs."""

from __future__ import annotations

from collections.abc import Mapping

from inplace_lint.judgement import broken_saves, callees, exemptions, memory, other_place, same_place, taken_out
from inplace_lint.judgement.reason import Reason

_HOMES = (memory, callees, same_place, other_place, taken_out, exemptions, broken_saves)


def habits() -> Mapping[str, Reason]:
    """The habits, in the order in which they are asked for."""
    found = (each for home in _HOMES for each in vars(home).values() if isinstance(each, Reason) and each.is_habit)
    return {each.name: each for each in found}
