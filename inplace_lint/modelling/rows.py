"""From what a function does on each path to the row that says what it does on all of them.

A row says only what holds on every path, and is made only if that is more than what is assumed of any function: that
it reads its arguments, writes nothing, and gives something new.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from inplace_lint.interpret.analysis.summary import Result, Summary

Row = dict[str, Any]


class Unsayable(ValueError):
    """A row has no words for what a function does; the message says what."""


@dataclass(frozen=True, slots=True)
class Effect:
    """What a function does on all paths.

    Args:
        writes: what it always writes.
        returns: as a row has it.
        saves: what is always kept for backward.
        grad: False if its result has no history.
    """

    writes: tuple[str, ...] = ()
    returns: str | tuple[str, ...] = "fresh"
    saves: tuple[str, ...] = ()
    grad: bool = True

    @property
    def is_usual(self) -> bool:
        """Whether it says no more than is assumed of any function."""
        new = self.returns if isinstance(self.returns, tuple) else (self.returns,)
        return not self.writes and not self.saves and set(new) <= {"fresh", "value"}


def effect_of(paths: Sequence[Summary], complete: bool, own: Collection[str] = ()) -> Effect:
    """The effect of all paths together; those that raise do not count.

    Args:
        own: names, beside those without a dot, that rows may speak of.

    Raises:
        Unsayable: a row cannot say that.
    """
    if not complete or not all(path.complete for path in paths):
        raise Unsayable("too many paths")
    ended = [path for path in paths if path.returns]
    if not ended:
        raise Unsayable("always raises")
    written = _written(ended, own)
    results = {result for path in ended for result in path.returns}
    returns, grad = _returned(results)
    kept = _kept(ended, own, written, returns)
    return Effect(tuple(sorted(written)), returns, kept, grad)


def _written(ended: Sequence[Summary], own: Collection[str]) -> set[str]:
    """What is written on every path, and is all that is written."""
    written = {name for path in ended for name in path.writes}
    if any(path.unseen or path.unrecorded for path in ended):
        raise Unsayable("writes behind autograd's back")
    if any(name not in path.writes or name in path.perhaps for name in written for path in ended):
        raise Unsayable("writes on some paths only")
    if any("." in name and name not in own for name in written):
        raise Unsayable("writes what an argument holds")
    return written


def _kept(
    ended: Sequence[Summary], own: Collection[str], written: Collection[str], returns: str | tuple[str, ...]
) -> tuple[str, ...]:
    """What is kept for backward on every path, as far as rows can name it."""
    kept = {name for name in ended[0].kept if all(name in path.kept for path in ended)}
    named = {name for name in kept if ("." not in name or name in own) and name not in written}
    # What is kept of a written argument is the result, if that is the argument; else nobody knows from when it is.
    if any(returns == f"alias {name}" for name in kept & set(written)):
        named.add("result")
    # Which of several results is kept, is not known.
    return tuple(sorted(named - {"result"} if isinstance(returns, tuple) else named))


def _returned(results: Collection[Result]) -> tuple[str | tuple[str, ...], bool]:
    tuples = [result.parts for result in results if result.parts is not None]
    if not tuples:
        return _one_of(results), all(result.origin != "detached" for result in results)
    if len(tuples) < len(results) or len(set(map(len, tuples))) != 1 or not tuples[0]:
        raise Unsayable("gives a container")
    if any(part.parts is not None for parts in tuples for part in parts):
        raise Unsayable("gives a container")
    columns = [{parts[index] for parts in tuples} for index in range(len(tuples[0]))]
    if all(column == columns[0] for column in columns) and {each.origin for each in columns[0]} == {"views"}:
        return _one_of(columns[0]), True
    return tuple(map(_one_of, columns)), all(part.origin != "detached" for parts in tuples for part in parts)


def _one_of(results: Collection[Result]) -> str:
    """One origin that covers all: what is not always a view is one `maybe`."""
    origins = {result.origin for result in results}
    if "unknown" in origins:
        raise Unsayable("gives what nobody knows")
    if origins <= {"value", "nothing"}:
        return "value"
    if origins & {"value", "nothing"}:
        raise Unsayable("gives a tensor or none")
    named = {result.of for result in results if result.of}
    if not named:
        return "fresh"
    if len(named) > 1 or "." in next(iter(named)) or ("detached" in origins and len(origins) > 1):
        raise Unsayable("gives one of several")
    if len(origins) == 1:
        origin = origins.pop()
        return f"{'view' if origin == 'detached' else origin} {named.pop()}"
    return f"{'view' if origins == {'alias', 'view'} else 'maybe'} {named.pop()}"


def row_of(effect: Effect, params: Sequence[str], alone: Mapping[str, Collection[str]], given: Row) -> Row:
    """A row as model files have it.

    Args:
        params: as the row has them.
        alone: what is kept for backward if one tensor alone requires grad.
        given: what selects the row.
    """
    row: Row = {"params": list(params)}
    if given:
        row["given"] = given
    if effect.writes:
        row["writes"] = [_plain(name) for name in effect.writes]
    if effect.returns != "fresh":
        row["returns"] = effect.returns if isinstance(effect.returns, str) else list(effect.returns)
    saves = [_save(name, alone) for name in effect.saves]
    if saves:
        row["saves"] = saves
    if not effect.grad:
        row["grad"] = False
    return row


def _save(name: str, alone: Mapping[str, Collection[str]]) -> list[Any]:
    """A save with the tensors of which one must require grad, unless any will do."""
    when = sorted(_plain(each) for each, kept in alone.items() if name in kept)
    return [_plain(name)] if len(when) in (0, len(alone)) else [_plain(name), when]


def _plain(name: str) -> str:
    return name.removeprefix("self.")
