"""All reasons, and of those the habits: the reasons that rest on how people write programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import ModuleType

from inplace_lint.interpret.analysis import announced, called_by_bases, conditioned, refuted
from inplace_lint.interpret.python import moved_rows, repeated_positions
from inplace_lint.interpret.state import declared, naming, plain_data, purpose
from inplace_lint.interpret.torch import frozen_models, own_states, unseen_models
from inplace_lint.judgement import (
    broken_saves,
    buffers,
    callees,
    collected_again,
    exemptions,
    handed_back,
    held_apart,
    in_passing,
    memory,
    other_place,
    put_away,
    same_place,
    second_names,
    spent,
    tables,
    taken_again,
    taken_by_name,
    taken_out,
    windows,
)
from inplace_lint.judgement.reason import Reason
from inplace_lint.screen import evidence, likely, survey

# Of those about a read that comes after a write, one decides about each pair; the others decide elsewhere.
_OF_READS = (
    memory, second_names, tables, callees, same_place, other_place, windows, in_passing, collected_again, held_apart,
    handed_back, taken_out, taken_by_name, buffers, put_away, exemptions,
)  # fmt: skip
_OTHERS = (
    broken_saves, naming, plain_data, purpose, declared, refuted, conditioned, announced, called_by_bases, evidence,
    likely, survey, moved_rows, repeated_positions, own_states, unseen_models, frozen_models, spent, taken_again,
)  # fmt: skip


def reasons(homes: Sequence[ModuleType] = (*_OF_READS, *_OTHERS)) -> Sequence[Reason]:
    """All reasons, in the order in which they stand in their files."""
    found = [each for home in homes for each in vars(home).values() if isinstance(each, Reason)]
    return list({id(each): each for each in found}.values())


def habits() -> Mapping[str, Reason]:
    """The habits by name, in the order in which they stand in their files."""
    return {each.name: each for each in reasons() if each.is_habit}


def habits_of_reads() -> Mapping[str, Reason]:
    """Of the habits, those that decide about a read that comes after a write."""
    return {each.name: each for each in reasons(_OF_READS) if each.is_habit}
