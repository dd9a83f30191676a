"""The source of a package: where it is, its files, and its version."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from glob import escape, glob

from inplace_lint.project.reading import load

# Folders of what only tries out the rest, or is run by itself.
_ASIDE = frozenset({"test", "tests", "testing", "benchmarks", "examples", "scripts", "cli", "_vendor", "third_party"})
_METADATA = ("dist-info", "egg-info")


class NoPackageError(ValueError):
    """There is no source of a package under this name."""


@dataclass(frozen=True, slots=True)
class Package:
    """A package with Python source.

    Args:
        name: as programs import it.
        folder: the folder that it lies in, on the search path.
        version: of what was installed, or "".
    """

    name: str
    folder: str
    version: str

    def files(self) -> Iterator[tuple[str, str]]:
        """The modules that programs may import, sorted, each with its file."""
        top = os.path.join(self.folder, self.name)
        if os.path.isfile(f"{top}.py"):
            yield self.name, f"{top}.py"
            return
        found = {}
        for folder, inner, names in os.walk(top):
            inner[:] = [each for each in inner if each not in _ASIDE and each[:1] not in "_."]
            for name in names:
                if name.endswith(".py") and not re.match(r"test_|.*_test\.py|conftest|__main__|setup\.py", name):
                    path = os.path.join(folder, name)
                    found[self.module(path)] = path
        yield from sorted(found.items())

    def module(self, path: str) -> str:
        """The module of one of its files."""
        within = os.path.relpath(path, self.folder).removesuffix(".py").removesuffix(f"{os.sep}__init__")
        return within.replace(os.sep, ".")


def find(name: str, folders: Sequence[str]) -> Package:
    """A package by the name under which it is imported, or by its own folder.

    Raises:
        NoPackageError: there is none.
    """
    if os.path.isfile(os.path.join(name, "__init__.py")):
        place = os.path.abspath(name)
        return _package(os.path.basename(place), os.path.dirname(place))
    for folder in folders:
        place = os.path.join(folder, name)
        if name.isidentifier() and (os.path.isdir(place) or os.path.isfile(f"{place}.py")):
            return _package(name, folder)
    raise NoPackageError(f"no Python source of a package `{name}`")


def _package(name: str, folder: str) -> Package:
    return Package(name, folder, _version(name, folder))


def _version(name: str, folder: str) -> str:
    """What the installer noted of the distribution that has the package."""
    for kind in _METADATA:
        for place in sorted(glob(os.path.join(escape(folder), f"*.{kind}"))):
            title, _, version = os.path.basename(place).removesuffix(f".{kind}").partition("-")
            tops = (load(os.path.join(place, "top_level.txt")) or "").split()
            record = load(os.path.join(place, "RECORD")) or ""
            if name in tops or _normal(title) == _normal(name) or f"\n{name}/__init__.py," in f"\n{record}":
                return version.partition("-")[0]
    return ""


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "_", name).lower()
