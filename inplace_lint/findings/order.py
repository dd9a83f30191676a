"""The order of execution of what a finding tells: its own place, and those related to it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from inplace_lint.findings.diagnostic import Diagnostic, Related, Role
from inplace_lint.findings.finding import Finding
from inplace_lint.findings.rule import Rule

_TURNS: dict[Role, int] = {"bind": -3, "save": -3, "call": -3, "write": -2, "read": 3, "backward": 3, "raise": 4}
_LATER = 4  # from before the own place to after it


def turn(related: Related) -> int:
    """When a related place of a finding has its turn: below 0 before the finding's own, above 0 after it."""
    return related.order or _TURNS[related.role]


def within(related: Related) -> Related:
    """The same place as one that what stands at the finding's own place leads to."""
    return replace(related, order=turn(related) + (_LATER if turn(related) < 0 else 0))


def diagnostic_of(rule: Rule, finding: Finding) -> Diagnostic:
    """What a rule found, with its places numbered in the order of execution."""
    # A finding that has its write elsewhere stands where the module was made that writes.
    made = finding.role == "write" and any(each.role == "write" for each in finding.related)
    places = [within(each) for each in finding.related] if made else finding.related
    order, related = _numbered(places, [turn(each) for each in places])
    return Diagnostic(
        rule.code,
        rule.name,
        finding.severity,
        finding.told,
        finding.site,
        related,
        finding.help,
        role="bind" if made else finding.role,
        order=order,
    )


def with_places(diagnostic: Diagnostic, others: Iterable[Diagnostic]) -> Diagnostic:
    """A diagnostic with the related places of others about the same place, each once."""
    turns: dict[Related, int] = {}
    for each in (diagnostic, *others):
        for related in each.related:
            turns.setdefault(replace(related, order=0), related.order - each.order)
    order, places = _numbered(list(turns), list(turns.values()))
    return replace(diagnostic, related=places, order=order)


def _numbered(places: Sequence[Related], turns: Sequence[int]) -> tuple[int, tuple[Related, ...]]:
    """The number of the own place, and the others with theirs; what has its turn together keeps its order."""
    own = 1 + sum(each < 0 for each in turns)
    ranks = {index: rank for rank, index in enumerate(sorted(range(len(turns)), key=turns.__getitem__), 1)}
    return own, tuple(replace(each, order=ranks[index] + (turns[index] > 0)) for index, each in enumerate(places))
