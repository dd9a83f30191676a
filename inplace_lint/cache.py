"""What is kept between runs: the outcome of a whole run, and of each file with what it depended on.

A file's outcome holds as long as its content, its configuration, this program, and every file it
imports, directly or not, are the same, and no file has appeared where one was looked for.
"""

from __future__ import annotations

import hashlib
import io
import os
import pickle
import stat
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, Protocol

from inplace_lint import __version__
from inplace_lint.config import Config

DEFAULT_FOLDER = ".inplace_lint_cache"

_MAGIC = b"inplace-lint cache 1\n"
_TAG = """Signature: 8a477f597d28d172789f06886806bc55
# This folder is a cache of inplace-lint. It may be deleted at any time.
# About cache directory tags see https://bford.info/cachedir/
"""

Stamp = tuple[int, int]
"""Time of the last change, in nanoseconds, and size in bytes."""


def folder_for(config: Config) -> str:
    """The folder of the cache: the one that the configuration names, or the default one beside it."""
    return config.cache_dir or os.path.join(config.root, DEFAULT_FOLDER)


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


@dataclass(slots=True)
class Contents:
    """What is known of files.

    Args:
        stamps: of every file that was read.
        digests: of the content of every file that was read.
        imports: the files that each file imports.
        absent: names looked for in vain, by folder.
        entries: for each file the digest of its configuration, and its outcome.
    """

    stamps: dict[str, Stamp] = field(default_factory=dict)
    digests: dict[str, bytes] = field(default_factory=dict)
    imports: dict[str, set[str]] = field(default_factory=dict)
    absent: dict[str, set[str]] = field(default_factory=dict)
    entries: dict[str, tuple[str, Any]] = field(default_factory=dict)


class Memory:
    """What earlier runs of this program, from this working folder, have found.

    Args:
        folder: where it is kept; made when something is saved.
        files: the files of this run.
        configs: the configuration of each, as text.
        allowed: the classes that may occur in what is kept, besides those of Python itself.
    """

    def __init__(self, folder: str, files: Sequence[str], configs: Sequence[str], allowed: Iterable[type]) -> None:
        self._folder = folder
        self._asked = dict(zip(files, configs, strict=True))
        self._allowed = {(each.__module__, each.__qualname__): each for each in (*allowed, Contents)}
        key = hashlib.sha256(repr((_program(), os.getcwd())).encode()).hexdigest()[:16]
        self._files, self._run = (os.path.join(folder, f"{kind}-{key}.bin") for kind in ("files", "run"))
        self._contents = Contents()
        self._changed: set[str] = set()

    def recall(self) -> Any:
        """The outcome of the last run, if it was of the same files and nothing has changed; else None."""
        known = self._load(self._run)
        if not isinstance(known, dict) or known.get("asked") != self._asked or _appeared(known["absent"]):
            return None
        return known["outcome"] if all(_stamp(path) == was for path, was in known["stamps"].items()) else None

    def valid(self) -> dict[str, Any]:
        """The outcomes that still hold, by file."""
        read = self._load(self._files)
        self._contents = contents = read if isinstance(read, Contents) else Contents()
        self._changed = {path for path in contents.stamps if self._has_changed(path)}
        if _appeared(contents.absent):
            contents.entries.clear()
            return {}
        stale = self._changed | _importers(self._changed, contents.imports)
        return {
            path: contents.entries[path][1]
            for path, config in self._asked.items()
            if path not in stale and path in contents.entries and contents.entries[path][0] == config
        }

    def save(self, results: Mapping[str, Outcome], fresh: Iterable[str], outcome: object, began: int) -> None:
        """Keep the outcome of a run. Nobody is told if that fails: the next run then does all again.

        Args:
            results: the outcome for each file.
            fresh: the files that were checked anew.
            outcome: that of the whole run.
            began: when the run began, in nanoseconds; files that changed since are not kept.
        """
        contents = self._contents
        for path in self._changed:
            contents.imports.pop(path, None)
        for path in fresh:
            self._learn(results[path])
            contents.entries[path] = (self._asked[path], results[path])
        read = {*self._asked, *contents.imports, *(each for all in contents.imports.values() for each in all)}
        unsure = {path for path in read if not self._remember(path, began)}
        for path in unsure | _importers(unsure, contents.imports):
            contents.entries.pop(path, None)
        run = {"asked": self._asked, "stamps": contents.stamps, "absent": contents.absent, "outcome": outcome}
        with suppress(OSError):
            self._prepare()
            self._store(self._files, contents)
            if not unsure:
                self._store(self._run, run)

    def _learn(self, outcome: Outcome) -> None:
        for path, targets in outcome.imports.items():
            self._contents.imports.setdefault(path, set()).update(targets)
        for folder, names in outcome.absent.items():
            self._contents.absent.setdefault(folder, set()).update(names)

    def _remember(self, path: str, began: int) -> bool:
        """Note what a file is like now; False if it may have changed since it was read."""
        now, contents = _stamp(path), self._contents
        if now is None or now[0] >= began - _MARGIN:
            contents.stamps[path], contents.digests[path] = (0, -1), b""
            return False
        if contents.stamps.get(path) != now:
            contents.stamps[path], contents.digests[path] = now, _digest(path)
        return True

    def _has_changed(self, path: str) -> bool:
        now, contents = _stamp(path), self._contents
        if now is not None and now != contents.stamps[path] and _digest(path) == contents.digests.get(path):
            contents.stamps[path] = now  # only touched
        return now != contents.stamps[path]

    def _prepare(self) -> None:
        os.makedirs(self._folder, exist_ok=True)
        for name, text in (("CACHEDIR.TAG", _TAG), (".gitignore", "*\n")):
            file = Path(self._folder, name)
            if not file.exists():
                file.write_text(text, "utf-8")

    def _store(self, file: str, value: object) -> None:
        """Write all or nothing: other runs may read or write at the same time."""
        data = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
        with NamedTemporaryFile(dir=self._folder, prefix="new-", delete=False) as new:
            try:
                new.write(_MAGIC + hashlib.sha256(data).digest() + data)
                new.close()
                os.replace(new.name, file)
            except BaseException:
                with suppress(OSError):
                    os.unlink(new.name)
                raise

    def _load(self, file: str) -> Any:
        """What a file holds; None if it is not there, broken, or not ours."""
        try:
            with open(file, "rb") as source:
                data = source.read()
        except OSError:
            return None
        size = len(_MAGIC) + 32
        body = data[size:]
        if data[: len(_MAGIC)] != _MAGIC or hashlib.sha256(body).digest() != data[len(_MAGIC) : size]:
            return None
        try:
            return _Reader(body, self._allowed).load()
        except Exception:  # a stranger's file can fail in any way
            return None


def clean(folder: str) -> bool:
    """Delete a cache; False if there is none. Of a folder that holds other things, too, those stay.

    Raises:
        OSError: something cannot be deleted.
    """
    if not os.path.isfile(os.path.join(folder, "CACHEDIR.TAG")):
        return False
    for name in os.listdir(folder):
        if name in ("CACHEDIR.TAG", ".gitignore") or name.startswith(("files-", "run-", "new-")):
            os.unlink(os.path.join(folder, name))
    with suppress(OSError):
        os.rmdir(folder)
    return True


class _Reader(pickle.Unpickler):
    """Makes nothing but the classes that it is told: a cache file may come from a stranger."""

    def __init__(self, data: bytes, allowed: Mapping[tuple[str, str], type]) -> None:
        super().__init__(io.BytesIO(data))
        self._allowed = allowed

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) in self._allowed:
            return self._allowed[module, name]
        if (module, name) in (("builtins", "set"), ("builtins", "frozenset")):
            return {"set": set, "frozenset": frozenset}[name]
        raise pickle.UnpicklingError(f"{module}.{name} is not expected here")


def _stamp(path: str) -> Stamp | None:
    """What shows that a file has changed; None if there is none, or one that is not read, such as a pipe."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return (found.st_mtime_ns, found.st_size) if stat.S_ISREG(found.st_mode) else None


def _appeared(absent: Mapping[str, Iterable[str]]) -> bool:
    """Whether a module is there now that was looked for in vain."""
    for folder, names in absent.items():
        try:
            there = set(os.listdir(folder or "."))
        except OSError:
            continue
        if not there.isdisjoint(names):
            return True
    return False


def _importers(changed: set[str], imports: Mapping[str, Iterable[str]]) -> set[str]:
    """All files that import one of `changed`, directly or not."""
    by: dict[str, list[str]] = {}
    for path, targets in imports.items():
        for target in targets:
            by.setdefault(target, []).append(path)
    todo, found = list(changed), set[str]()
    while todo:
        for path in by.get(todo.pop(), ()):
            if path not in found:
                found.add(path)
                todo.append(path)
    return found


def _digest(path: str) -> bytes:
    try:
        return hashlib.sha256(Path(path).read_bytes()).digest()
    except OSError:
        return b""


@cache
def _program() -> tuple[object, ...]:
    """What identifies this program: its version, that of Python, and its files, for who changes them."""
    home = Path(__file__).parent
    files = [*home.rglob("*.py"), *home.rglob("*.json"), *home.rglob("*.toml"), *(home.parent / "rules").glob("*.py")]
    changes = sorted((os.path.relpath(path, home), _stamp(str(path))) for path in files)
    return __version__, sys.version_info[:3], changes
