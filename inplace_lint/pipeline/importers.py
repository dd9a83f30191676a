"""Who imports a file: a change of it may show only in them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from inplace_lint.findings.diagnostic import Diagnostic
from inplace_lint.interpret.state.program import Program
from inplace_lint.pipeline.result import Result
from inplace_lint.project.discovery import Paths, discover, listed
from inplace_lint.project.reading import load
from inplace_lint.project.settings import Settings
from inplace_lint.source.imports_in_text import EVERYTHING, imports_in
from inplace_lint.source.lower import lower


def importers(paths: Paths, among: Paths = (".",), settings: Settings | None = None) -> tuple[str, ...]:
    """The files that import one of the given files, or of those under given folders, directly or not.

    Args:
        paths: files and folders; one alone need be in no list.
        among: where to look: files and folders.
        settings: the configurations, which say what to leave out; if left out, those of the nearest files.

    Raises:
        NoSuchPathError: one of the paths does not exist.
        ConfigError: a configuration file makes no sense.
    """
    chosen = settings or Settings()
    given = _absolute(discover(listed(paths), chosen).files)
    files = {os.path.abspath(file): file for file in discover(listed(among), chosen).files}
    program = Program(load, lower)
    read = {path: _Imports(path, tuple(_modules(load(path) or "")), program) for path in files}
    found: set[str] = set()
    latest = given
    while latest:
        names = frozenset(map(_name, latest))
        latest = {
            path
            for path, imports in read.items()
            if path not in found and path not in given and imports.mention(names) and imports.lead_to(latest)
        }
        found |= latest
    return tuple(file for path, file in files.items() if path in found)


def about(result: Result, paths: Sequence[str], settings: Settings) -> Result:
    """A result with those findings alone that lie in the given files, or whose story leads there."""
    given = _absolute(discover(paths, settings).files)

    def concerns(found: Diagnostic) -> bool:
        return any(os.path.abspath(site.path) in given for site in (found.site, *(each.site for each in found.related)))

    return replace(result, diagnostics=tuple(filter(concerns, result.diagnostics)))


@dataclass(frozen=True, slots=True)
class _Imports:
    """What a file imports: modules, each with its dots."""

    path: str
    modules: tuple[tuple[str, int], ...]
    program: Program

    def mention(self, names: frozenset[str]) -> bool:
        """Whether a module has one of these names; without a name, a package imports from itself."""
        return any(not names.isdisjoint(module.split(".")) or not module for module, _ in self.modules)

    def lead_to(self, files: Iterable[str]) -> bool:
        """Whether one of these files is imported."""
        places = {self.program.place(module, level, self.path) for module, level in self.modules}
        return not places.isdisjoint(files)


def _modules(text: str) -> Iterator[tuple[str, int]]:
    """The modules that a text may import, packages around them included, each with its dots."""
    for each in imports_in(text):
        if not each.name:
            parts = each.module.split(".")
            yield from ((".".join(parts[:count]), 0) for count in range(1, len(parts) + 1))
            continue
        yield each.module, each.level
        if each.name != EVERYTHING:
            yield f"{each.module}.{each.name}".lstrip("."), each.level


def _name(path: str) -> str:
    """What an import calls a file."""
    folder, name = os.path.split(path)
    return os.path.basename(folder) if name == "__init__.py" else name.removesuffix(".py")


def _absolute(files: Iterable[str]) -> set[str]:
    return set(map(os.path.abspath, files))
