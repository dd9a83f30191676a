"""Rules of other packages, announced in the entry-point group `inplace_lint.rules`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import Distribution, EntryPoint, distributions, entry_points

from inplace_lint.search_path import Closed

_GROUP = "inplace_lint.rules"


@dataclass(frozen=True, slots=True)
class Announced:
    """A module that is announced to have a rule.

    Args:
        name: the module and its distribution, for messages.
        file: where it is announced.
        module: the module; None if it cannot be loaded.
        problem: why it cannot.
    """

    name: str
    file: str
    module: object | None
    problem: str = ""


def announced() -> list[Announced]:
    """All of them, in order. The tree that is checked can announce nothing."""
    with Closed():
        return sorted(_all(), key=lambda each: each.name)


def _all() -> Iterator[Announced]:
    try:
        entries = list(entry_points(group=_GROUP))
    except Exception:  # what one distribution says cannot be read: which one?
        yield from _one_by_one()
        return
    for entry in entries:
        yield _loaded(entry, entry.dist)


def _one_by_one() -> Iterator[Announced]:
    seen: set[str] = set()
    for distribution in distributions():
        name = _name(distribution)
        if name in seen:
            continue  # another one of that name comes first
        seen.add(name)
        try:
            entries = [entry for entry in distribution.entry_points if entry.group == _GROUP]
        except Exception as error:
            if _GROUP in (distribution.read_text("entry_points.txt") or ""):
                yield Announced(name, _file(distribution), None, _described(error))
            continue
        for entry in entries:
            yield _loaded(entry, distribution)


def _loaded(entry: EntryPoint, distribution: Distribution | None) -> Announced:
    file = _file(distribution)
    name = f"{entry.value} of {_name(distribution)}" if distribution is not None else entry.value
    try:
        return Announced(name, file, entry.load())
    except (Exception, SystemExit) as error:
        return Announced(name, file, None, _described(error))


def _name(distribution: Distribution) -> str:
    try:
        return str(distribution.metadata["Name"])
    except Exception:
        return "a package without a name"


def _file(distribution: Distribution | None) -> str:
    try:
        files = (distribution.files if distribution is not None else None) or ()
        return next((str(each.locate()) for each in files if each.name == "entry_points.txt"), "entry_points.txt")
    except Exception:
        return "entry_points.txt"


def _described(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}".splitlines()[0][:200].rstrip(": ")
