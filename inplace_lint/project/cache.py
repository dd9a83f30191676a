"""The cache: the outcome of a whole run, and of each file, with the dependencies of each.

A file's outcome holds as long as its content, its configuration, and this program are the same, with the parts of
other files that it depends on (see `screen/parts.py`), and no file has appeared where one was looked for. What changes
the skeleton of a file concerns all that import it, directly or not.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from inplace_lint.project import cache_folder
from inplace_lint.project.config import ConfigError
from inplace_lint.project.files import Stamp, stamp
from inplace_lint.project.imports import importing
from inplace_lint.project.shapes import TEXT, WHOLE, Shape, ShapeError, many, pair, record, table
from inplace_lint.source.part_names import PLACES, QUESTION, SKELETON
from inplace_lint.version import __version__

"""Time of the last change, in nanoseconds, and size in bytes."""

# A change shortly before a run may have an earlier time stamp: clocks of file systems are coarse.
_MARGIN = 20_000_000


class Outcome(Protocol):
    """What the outcome for a file must tell besides findings."""

    @property
    def imports(self) -> Mapping[str, tuple[str, ...]]:
        """What files that were read on the way import."""

    @property
    def absent(self) -> Mapping[str, tuple[str, ...]]:
        """Folders, and the names that were looked for there in vain."""

    @property
    def depends(self) -> Mapping[str, tuple[str, ...]]:
        """By file, the parts of other files that were used."""

    @property
    def digests(self) -> Mapping[str, Mapping[str, str]]:
        """By file, the digests of its parts."""

    @property
    def beneath(self) -> Mapping[str, Mapping[str, tuple[str, ...]]]:
        """By file, the parts of other files on which answers to questions about it rest."""


class Reader(Protocol):
    """Reads the parts of a file anew."""

    def __call__(
        self, path: str, asked: Collection[str]
    ) -> tuple[Mapping[str, str], Mapping[str, Iterable[str]]] | None:
        """The digests of the parts of a file with the answers to questions, and on what those rest; None if no Python.

        Args:
            path: the file.
            asked: the questions about it.
        """


_Of = TypeVar("_Of", bound=Outcome)


class Mover(Protocol[_Of]):
    """Lets an outcome name the places in another file where they are now."""

    def __call__(self, outcome: _Of, path: str, before: Mapping[str, str], now: Mapping[str, str]) -> _Of | None:
        """The outcome, after these parts of the file at `path` have become those; None if it names what is gone."""


@dataclass(slots=True)
class Contents:
    """What is known of files.

    Args:
        stamps: of every file that was read.
        digests: of the content of every file that was read.
        imports: the files that each file imports.
        absent: names looked for in vain, by folder.
        parts: the digests of the parts of files, each written down: most are never read again.
        beneath: for each file, the parts of other files on which the answers among its parts rest; likewise.
        depends: for each file, the parts of other files that were used; likewise.
        entries: for each file the digest of its configuration, and its outcome as it was written down.
    """

    stamps: dict[str, Stamp] = field(default_factory=dict)
    digests: dict[str, str] = field(default_factory=dict)
    imports: dict[str, set[str]] = field(default_factory=dict)
    absent: dict[str, set[str]] = field(default_factory=dict)
    parts: dict[str, str] = field(default_factory=dict)
    beneath: dict[str, str] = field(default_factory=dict)
    depends: dict[str, str] = field(default_factory=dict)
    entries: dict[str, tuple[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LastRun:
    """The last run: the files and the digests of their configurations, what it depended on, and what came of it."""

    asked: Mapping[str, str]
    stamps: Mapping[str, Stamp]
    absent: Mapping[str, Iterable[str]]
    outcome: Any


_AS_IT_IS: Shape[Any] = Shape(lambda value: value, lambda data: data)
_stamps, _names = table(pair(WHOLE, WHOLE)), table(many(set, TEXT))
_PARTS, _USED = table(TEXT), table(many(tuple, TEXT))
_texts = table(TEXT)
_CONTENTS = record(Contents, _stamps, _texts, _names, _names, _texts, _texts, _texts, table(pair(TEXT, _AS_IT_IS)))
_LAST_RUN = record(LastRun, table(TEXT), _stamps, _names, _AS_IT_IS)

_Whole = TypeVar("_Whole")


class Memory(Generic[_Of, _Whole]):
    """What earlier runs of this program, from this working folder, have found.

    Args:
        folder: where it is kept; made when something is saved.
        root: the project's folder.
        asked: the files of this run, and the configuration of each, as text.
        each: the shape of the outcome for a file.
        whole: the shape of that of a run.
        rules: what identifies rules that are from elsewhere.
        parts: reads the parts of a file that has changed.
        moved: lets an outcome name places in such a file.

    Raises:
        ConfigError: the folder is not ours.
    """

    def __init__(
        self,
        folder: str,
        root: str,
        asked: Mapping[str, str],
        each: Shape[_Of],
        whole: Shape[_Whole],
        rules: object,
        parts: Reader,
        moved: Mover[_Of],
    ) -> None:
        cache_folder.require_own(folder, root)
        self._folder, self._root, self._each, self._whole = folder, root, each, whole
        self._parts, self._moved = parts, moved
        digests = {config: _short(config) for config in set(asked.values())}
        self._asked = {path: digests[config] for path, config in asked.items()}
        key = _short(repr((program(), rules, os.getcwd())))
        self._files, self._run = (os.path.join(folder, f"{kind}-{key}.bin") for kind in ("files", "run"))
        self._contents = Contents()
        self._rebuilt: set[str] = set()

    def recall(self) -> _Whole | None:
        """The outcome of the last run, if it was of the same files and nothing has changed; else None."""
        last = _loaded(self._run, _LAST_RUN)
        if last is None or last.asked != self._asked or not last.asked.keys() <= last.stamps.keys():
            return None
        if _appeared(last.absent) or any(stamp(path) != was for path, was in last.stamps.items()):
            return None
        with suppress(ShapeError):
            return self._whole.read(last.outcome)
        return None

    def valid(self) -> dict[str, _Of]:
        """The outcomes that still hold, by file."""
        self._contents = contents = _loaded(self._files, _CONTENTS) or Contents()
        changed = {path for path in contents.stamps if self._has_changed(path)}
        if _appeared(contents.absent):
            contents.entries.clear()
            contents.absent.clear()  # what is looked for from now on is noted anew
            self._rebuilt = changed
            return {}
        for path in changed | self._stale(changed):
            contents.entries.pop(path, None)
        found: dict[str, _Of] = {}
        for path, config in self._asked.items():
            known, outcome = contents.entries.get(path, ("", None))
            if known == config and path in contents.stamps:
                with suppress(ShapeError):
                    found[path] = self._each.read(outcome)
        return found

    def _stale(self, changed: set[str]) -> set[str]:
        """The files whose outcomes no longer hold since these have changed."""
        contents = self._contents
        imported = {target for targets in contents.imports.values() for target in targets}
        differing: dict[str, _Change] = {}
        todo = changed & (imported | contents.parts.keys())
        while todo:
            latest: dict[str, _Change] = {}
            for path in todo:
                before = _read(contents.parts.get(path, ""), _PARTS) or {}
                read = self._parts(path, [*filter(_is_question, before)]) if before and path in imported else None
                now, resting = read or ({}, {})
                contents.parts[path] = _written(now, _PARTS)
                contents.beneath[path] = _written({other: tuple(used) for other, used in resting.items()}, _USED)
                if read is None or before.get(SKELETON) != now.get(SKELETON):
                    self._rebuilt.add(path)
                elif path in changed or before != now:
                    latest[path] = before, now
            differing.update(latest)
            # Answers may rest on what has changed, and others on these.
            todo = {
                path
                for path, beneath in contents.beneath.items()
                if path not in differing and path not in self._rebuilt and not _is_as_before(beneath, latest)
            }
        using = {path for path, depends in contents.depends.items() if not self._hold(path, depends, differing)}
        return using | importing(self._rebuilt, contents.imports)

    def _hold(self, path: str, depends: str, differing: Mapping[str, _Change]) -> bool:
        """Whether the outcome for a file holds, or can be made to, after all that it uses of these others."""
        if not _is_as_before(depends, differing):
            return False
        if json.dumps(PLACES) not in depends:
            return True
        used = _read(depends, _USED) or {}
        return all(
            self._can_move(path, other, *differing[other])
            for other in differing
            if other != path and PLACES in used.get(other, ())
        )

    def _can_move(self, path: str, other: str, before: Mapping[str, str], now: Mapping[str, str]) -> bool:
        """Whether an outcome can be made to hold, after a file has changed in which it names places."""
        known, written = self._contents.entries.get(path, ("", None))
        if written is None:
            return True
        with suppress(ShapeError):
            if (moved := self._moved(self._each.read(written), other, before, now)) is not None:
                self._contents.entries[path] = known, self._each.write(moved)
                return True
        return False

    def save(self, results: Mapping[str, _Of], fresh: Iterable[str], outcome: _Whole, began: int) -> None:
        """Keep the outcome of a run. Nobody is told if that fails: the next run then does all again.

        Args:
            results: the outcome for each file.
            fresh: the files that were checked anew.
            outcome: that of the whole run.
            began: when the run began, in nanoseconds; files that changed since are not kept.
        """
        contents = self._contents
        for path in self._rebuilt:
            contents.imports.pop(path, None)
        self._learn({path: results[path] for path in fresh})
        for path in fresh:
            contents.entries[path] = (self._asked[path], self._each.write(results[path]))
        read = {*self._asked, *contents.imports, *(each for all in contents.imports.values() for each in all)}
        unsure = {path for path in read if not self._remember(path, began)}
        for path in unsure | importing(unsure, contents.imports):
            contents.entries.pop(path, None)
        last = LastRun(self._asked, contents.stamps, contents.absent, self._whole.write(outcome))
        with suppress(OSError, ConfigError):
            cache_folder.make(self._folder, self._root)
            cache_folder.store(self._files, _written(contents, _CONTENTS).encode())
            if not unsure:
                cache_folder.store(self._run, _written(last, _LAST_RUN).encode())

    def _learn(self, outcomes: Mapping[str, Outcome]) -> None:
        contents = self._contents
        parts: dict[str, dict[str, str]] = {}
        resting: dict[str, dict[str, set[str]]] = {}
        for path, outcome in outcomes.items():
            contents.depends[path] = _written(outcome.depends, _USED)
            for other, beneath in outcome.beneath.items():
                for further, used in beneath.items():
                    resting.setdefault(other, {}).setdefault(further, set()).update(used)
            for other, digests in outcome.digests.items():
                parts.setdefault(other, {}).update(digests)
            for importer, targets in outcome.imports.items():
                contents.imports.setdefault(importer, set()).update(targets)
            for folder, names in outcome.absent.items():
                contents.absent.setdefault(folder, set()).update(names)
        for path, digests in parts.items():
            known = _read(contents.parts.get(path, ""), _PARTS) or {}
            contents.parts[path] = _written({**known, **digests}, _PARTS)
        for path, on in resting.items():
            for other, parts_there in (_read(contents.beneath.get(path, ""), _USED) or {}).items():
                on.setdefault(other, set()).update(parts_there)
            contents.beneath[path] = _written({other: tuple(sorted(each)) for other, each in on.items()}, _USED)

    def _remember(self, path: str, began: int) -> bool:
        """Note what a file is like now; False if it may have changed since it was read."""
        now, contents = stamp(path), self._contents
        if now is None or now[0] >= began - _MARGIN:
            contents.stamps[path], contents.digests[path] = (0, -1), ""
            return False
        if contents.stamps.get(path) != now:
            contents.stamps[path], contents.digests[path] = now, _digest(path, now[1])
        return True

    def _has_changed(self, path: str) -> bool:
        now, contents = stamp(path), self._contents
        was = contents.stamps[path]
        if now is not None and now != was and now[1] == was[1] and _digest(path, now[1]) == contents.digests.get(path):
            contents.stamps[path] = now  # only touched
        return now != contents.stamps[path]


_Change = tuple[Mapping[str, str], Mapping[str, str]]
"""The parts of a file, before and now."""


def _is_question(part: str) -> bool:
    return part.startswith(QUESTION)


def _is_as_before(used: str, differing: Mapping[str, _Change]) -> bool:
    """Whether all parts that were used of some files are what they were; `used` is written down."""
    if not any(json.dumps(other) in used for other in differing):
        return True
    parts = _read(used, _USED)
    return parts is not None and all(
        part == PLACES or (part in before and before[part] == now.get(part))
        for other, (before, now) in differing.items()
        for part in parts.get(other, ())
    )


_Value = TypeVar("_Value")


def _written(value: _Value, shape: Shape[_Value]) -> str:
    return json.dumps(shape.write(value), separators=(",", ":"))


def _read(text: str | bytes, shape: Shape[_Value]) -> _Value | None:
    """What a text says; None if it is no JSON, or of another shape."""
    try:
        return shape.read(json.loads(text))
    except (ValueError, RecursionError, MemoryError):
        return None


def _loaded(file: str, shape: Shape[_Value]) -> _Value | None:
    """What a file holds; None if it is not there, broken, or of another shape."""
    data = cache_folder.stored(file)
    return _read(data, shape) if data is not None else None


def _appeared(absent: Mapping[str, Iterable[str]]) -> bool:
    """Whether a module is there now that was looked for in vain."""
    for folder, names in absent.items():
        try:
            there = set(os.listdir(folder or "."))
        except (FileNotFoundError, NotADirectoryError, ValueError):
            continue
        except OSError:  # nobody may look
            return True
        if not there.isdisjoint(names):
            return True
    return False


def _digest(path: str, size: int) -> str:
    """The digest of a file of this size: of one that is empty nothing is read, as of those of the system."""
    found = hashlib.sha256()
    try:
        with open(path, "rb") as file:
            while size > 0 and (data := file.read(min(size, 1 << 20))):
                found.update(data)
                size -= len(data)
    except (OSError, ValueError):
        return ""
    return found.hexdigest()


def _short(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogateescape")).hexdigest()[:16]


@cache
def program() -> tuple[object, ...]:
    """What identifies this program: its version, that of Python, and its files, for who changes them."""
    home = Path(__file__).parent
    files = [*home.rglob("*.py"), *home.rglob("*.json"), *home.rglob("*.toml"), *(home.parent / "rules").glob("*.py")]
    changes = sorted((os.path.relpath(path, home), stamp(str(path))) for path in files)
    return __version__, sys.version_info[:3], changes
