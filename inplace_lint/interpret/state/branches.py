"""Where the branches of an `if` lead: paths are chosen by that."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import NamedTuple

from inplace_lint.interpret.state.facts import facts
from inplace_lint.source import ir
from inplace_lint.source.walk import nodes


class Branch(NamedTuple):
    """One way through an `if`.

    Args:
        node: the statement.
        holds: whether it is the way where the test holds.
        function: what the statement stands in; None if that is not known.
    """

    node: ir.If
    holds: bool
    function: ir.Function | None

    @property
    def other(self) -> Branch:
        """The other way."""
        return Branch(self.node, not self.holds, self.function)


def may_write(branch: Branch) -> bool:
    """Whether there may be a write on a branch, or behind it if the other one leaves."""
    return branch.function is not None and _leads_to(branch, facts(branch.function).write_rows)


def calls_one_of(names: Collection[str]) -> Callable[[Branch], bool]:
    """Tells whether functions of such names may be called on a branch, or behind it if the other one leaves."""

    def calls(branch: Branch) -> bool:
        if branch.function is None:
            return False
        return _leads_to(branch, (row for name, row in facts(branch.function).calls if name in names))

    return calls


def gives_one_of(branch: Branch, names: Collection[str]) -> bool:
    """Whether a branch gives an object one of some attributes."""
    way = branch.node.body if branch.holds else branch.node.orelse
    return bool(names) and any(
        isinstance(target, ir.Attr) and target.name in names
        for node in nodes(way)
        if isinstance(node, ir.Assign)
        for target in node.targets
    )


def _leads_to(branch: Branch, rows: Iterable[int]) -> bool:
    node = branch.node
    way, other = (node.body, node.orelse) if branch.holds else (node.orelse, node.body)
    begin, end = (way[0].span.row, way[-1].span.end_row) if way else (0, 0)
    leaves = bool(other) and isinstance(other[-1], (ir.Return, ir.Raise, ir.Jump))
    return any(begin <= row <= end or (leaves and row > node.span.end_row) for row in rows)
