"""Who imports a file: a change of it may show only in them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from inplace_lint.findings.diagnostic import Diagnostic
from inplace_lint.interpret.state.program import Program
from inplace_lint.pipeline.result import Result
from inplace_lint.project.discovery import Paths, discover, listed
from inplace_lint.project.reading import load
from inplace_lint.project.settings import Settings
from inplace_lint.source.lower import lower

# Not parsed: it is enough to know where to look, also in a file that is just being written.
_IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+(?P<module>[.\w]+)[ \t]+import\b[ \t]*(?P<names>\([^)]*\)|[^\n#;]*)"
    r"|import[ \t]+(?P<modules>[^\n#;]*))",
    re.MULTILINE,
)
_COMMENT = re.compile(r"#[^\n]*")


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
    read = {path: _Imports(path, tuple(_statements(load(path) or "")), program) for path in files}
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


def _statements(text: str) -> Iterator[tuple[str, int]]:
    """The modules that a text may import, packages around them included, each with its dots."""
    for found in _IMPORT.finditer(text.replace("\\\n", " ")):
        if found["modules"] is not None:
            for name in _listed(found["modules"]):
                parts = name.split(".")
                yield from ((".".join(parts[:count]), 0) for count in range(1, len(parts) + 1))
            continue
        module = found["module"].lstrip(".")
        level = len(found["module"]) - len(module)
        yield module, level
        yield from ((f"{module}.{name}".lstrip("."), level) for name in _listed(found["names"]))


def _listed(names: str) -> list[str]:
    """The names in `a as b, c`, brackets or not."""
    parts = _COMMENT.sub("", names).strip("() \t\n").split(",")
    return [words[0] for part in parts if (words := part.split()) and words[0] != "*"]


def _name(path: str) -> str:
    """What an import calls a file."""
    folder, name = os.path.split(path)
    return os.path.basename(folder) if name == "__init__.py" else name.removesuffix(".py")


def _absolute(files: Iterable[str]) -> set[str]:
    return set(map(os.path.abspath, files))
