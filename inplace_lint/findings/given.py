"""What the parameters of functions are given by their callers: whether they can get what requires grad."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from inplace_lint.source.place import Site

Needing = frozenset[Site] | None
"""The parameters of which one must be given a tensor that requires grad; None if something else may require it."""

Given = tuple[Site, Needing]
"""A parameter that was given tensors, and what must hold if one of them requires grad."""


def add_given(known: dict[Site, Needing], more: Iterable[Given]) -> None:
    """Add what other calls have given."""
    for parameter, needing in more:
        before = known.get(parameter, frozenset())
        known[parameter] = None if before is None or needing is None else before | needing


def told_by_calls(given: Iterable[Given]) -> dict[Site, bool]:
    """By parameter that is given tensors, whether no call gives it one that may require grad."""
    known: dict[Site, Needing] = {}
    add_given(known, given)
    never: frozenset[Site] = frozenset()
    while more := {each for each, needing in known.items() if needing is not None and needing <= never} - never:
        never |= more
    return {each: each in never for each in known}


def never_require_grad(parameters: Iterable[Site], told: Mapping[Site, bool]) -> bool:
    """Whether calls show that nothing which requires grad is given to some parameters.

    Of those that are never given what is known to be a tensor, they say nothing: it may be a number.
    """
    known = [told[each] for each in parameters if each in told]
    return bool(known) and all(known)
