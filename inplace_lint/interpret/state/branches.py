"""Where the branches of an `if` lead: paths are chosen by that."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import NamedTuple

from inplace_lint.interpret.state.asked import writers_of
from inplace_lint.interpret.state.facts import branch_facts, facts, given_attributes
from inplace_lint.interpret.state.program import ModuleFile
from inplace_lint.source import ir
from inplace_lint.source.spelling import called_name
from inplace_lint.source.walk import last_row, nodes


class Branch(NamedTuple):
    """One way through an `if`, or a conditional expression.

    Args:
        node: the statement or expression.
        holds: whether it is the way where the test holds.
        function: what it stands in; None if that is not known.
        module: the file of that.
    """

    node: ir.If | ir.IfExp
    holds: bool
    function: ir.Function | None
    module: ModuleFile

    @property
    def other(self) -> Branch:
        """The other way."""
        return Branch(self.node, not self.holds, self.function, self.module)

    @property
    def way(self) -> tuple[ir.Node, ...]:
        """What is run."""
        node = self.node
        if isinstance(node, ir.If):
            return node.body if self.holds else node.orelse
        return (node.then,) if self.holds else (node.orelse,)


def may_write(branch: Branch) -> bool:
    """Whether there may be a write, or a call that writes, on a branch, or behind it if the other one leaves.

    Or what is written behind it depends on the branch.
    """
    if branch.function is None:
        return False
    known = facts(branch.function)
    if _leads_to(branch, known.write_rows) or _decides_on_written(branch, known.written):
        return True
    if not known.calls and not known.passed:
        return False
    writers = writers_of(branch.module)
    if not writers:
        return False
    if "forward" not in writers:
        return _leads_to(branch, (row for name, row in known.calls if name in writers))
    calls = (row for name, row in known.calls if name in writers or name in _RUNNING_AGAIN)
    return _leads_to(branch, calls) or _feeds_module(branch)


# These run modules twice, so that their writes may come twice, too.
_RUNNING_AGAIN = frozenset({"checkpoint", "checkpoint_sequential"})


def runs_again(branch: Branch) -> bool:
    """Whether what a branch calls runs twice: once more in backward."""
    return branch.function is not None and _leads_to(
        branch, (row for name, row in facts(branch.function).calls if name in _RUNNING_AGAIN)
    )


def renews_written(branch: Branch) -> bool:
    """Whether a branch gives a variable the tensor that is written behind it."""
    return branch.function is not None and _decides_on_written(branch, facts(branch.function).written)


def _decides_on_written(branch: Branch, written: tuple[tuple[str, int], ...]) -> bool:
    """Whether a branch, or the other one, gives a variable the tensor that is written behind them.

    What class an argument is of is declared, and no choice.
    """
    if isinstance(branch.node.test, ir.Call) and called_name(branch.node.test) == "isinstance":
        return False
    behind = last_row(branch.node)
    names = {name for name, row in written if row > behind}
    return bool(names) and any(
        isinstance(target, ir.Name) and target.id in names
        for node in nodes((*branch.way, *branch.other.way))
        if isinstance(node, ir.Assign)
        for target in node.targets
    )


def _feeds_module(branch: Branch) -> bool:
    """Whether a branch assigns a variable that is passed on behind it, where the modules of its file may write."""
    if branch.function is None:
        return False
    behind = last_row(branch.node)
    passed = {name for name, row in facts(branch.function).passed if row > behind}
    return bool(passed) and any(
        isinstance(target, ir.Name) and target.id in passed
        for node in branch.way
        if isinstance(node, ir.Assign)
        for target in node.targets
    )


def calls_one_of(names: Collection[str]) -> Callable[[Branch], bool]:
    """Tells whether functions of such names may be called on a branch, or behind it if the other one leaves."""

    def calls(branch: Branch) -> bool:
        if branch.function is None:
            return False
        return _leads_to(branch, (row for name, row in facts(branch.function).calls if name in names))

    return calls


def leads_to_rows(functions: Collection[ir.Function], rows: Collection[int]) -> Callable[[Branch], bool]:
    """Tells whether some rows of some functions are on a branch, or behind it if the other one leaves."""

    def leads(branch: Branch) -> bool:
        return branch.function in functions and _leads_to(branch, rows)

    return leads


def names_on(branch: Branch) -> frozenset[str]:
    """The variables that are read on a branch, or behind it if the other one leaves."""
    read = {node.id for node in nodes(branch.way) if isinstance(node, ir.Name)}
    if branch.function is not None and _leaves(branch.other):
        behind = last_row(branch.node)
        later = (node for node in branch.function.body if node.span.row > behind)
        read |= {node.id for node in nodes(tuple(later)) if isinstance(node, ir.Name)}
    return frozenset(read)


def gives_one_of(branch: Branch, names: Collection[str]) -> bool:
    """Whether a branch gives an object one of some attributes, or decides what it is."""
    if not names or branch.function is None:
        return False
    if isinstance(branch.node, ir.If):
        return not branch_facts(branch.node)[0 if branch.holds else 1].gives.isdisjoint(names)
    return any(
        _gives(node, names) and any(inner is branch.node for inner in nodes(node))
        for node in nodes(branch.function.body)
    )


def binds_one_of(branch: Branch, names: Collection[str]) -> bool:
    """Whether a branch assigns one of some variables."""
    if not names or not isinstance(branch.node, ir.If):
        return False
    return not branch_facts(branch.node)[0 if branch.holds else 1].binds.isdisjoint(names)


def gives_directly(statement: object, names: Collection[str]) -> bool:
    """Whether a statement gives an object one of some attributes."""
    return bool(names) and isinstance(statement, ir.Assign) and _gives(statement, names)


def _gives(node: ir.Node, names: Collection[str]) -> bool:
    return any(name in names for name in given_attributes(node))


def own_attributes(test: ir.Expr) -> Iterator[str]:
    """The attributes of `self` that a test asks for."""
    for node in nodes(test):
        if isinstance(node, ir.Attr) and isinstance(node.value, ir.Name) and node.value.id == "self":
            yield node.name


def _leads_to(branch: Branch, rows: Iterable[int]) -> bool:
    way, leaves = branch.way, _leaves(branch.other)
    begin, end = (way[0].span.row, last_row(way[-1])) if way else (0, 0)
    behind = last_row(branch.node) if leaves else 0
    return any(begin <= row <= end or (leaves and row > behind) for row in rows)


def _leaves(branch: Branch) -> bool:
    """Whether what stands behind an `if` is not run on a branch."""
    return bool(branch.way) and isinstance(branch.way[-1], (ir.Return, ir.Raise, ir.Jump))
