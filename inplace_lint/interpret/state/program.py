"""The files of a program: what each defines at its top, and how imports find one another.

Files are read and parsed, never imported or executed.
"""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

from inplace_lint.interpret.state.concerning import concerns_tensors
from inplace_lint.interpret.state.optional import OptionalName, optional_names
from inplace_lint.interpret.state.top_statements import declared, flat
from inplace_lint.screen.relevance import Screen
from inplace_lint.source import installed, ir
from inplace_lint.source.bound import bound_names
from inplace_lint.source.errors import SourceError
from inplace_lint.source.part_names import QUESTION
from inplace_lint.torch_model import op_table
from inplace_lint.torch_model.stubs import INTRINSICS, Stubs, in_force

Load = Callable[[str], str | None]
Lower = Callable[[str, str, bool], ir.Module]

_LIBRARIES = frozenset({"torch", "numpy", "math", "functools", "copy", "collections", "typing", "os", "itertools"})


@dataclass(slots=True, eq=False)
class ModuleFile:
    """A file of the program.

    Args:
        path, code: as the user gave it, and its `ir`.
        bindings: the statement that binds each top-level name, the first one if several do.
        optional: those that depend on packages which may be missing.
        program: the program that it belongs to.
        feeding: the statements that fill a top-level container, once they have been looked for.
        runs: it is a program, not only a library.
        given: how often each attribute gets another value than None, once that has been looked for.
        without_gradients: the names that it calls, and whether only where no gradients are recorded, once looked for.
        library: the module of a library for which it is a stub, or "".
        installed: the folder of installed packages that it was read from, or "".
        writers: the names of its functions that may write, once they have been looked for.
        offers: by class, what its objects offer, once that has been looked for.
        makes, called: how it makes objects (see `supplied`), and what variables are given; once looked for.
    """

    path: str
    code: ir.Module
    program: Program
    bindings: dict[str, ir.Stmt] = field(default_factory=dict)
    optional: dict[str, OptionalName] = field(default_factory=dict)
    stars: list[ir.ImportFrom] = field(default_factory=list)
    feeding: dict[str, list[ir.Stmt]] = field(default_factory=dict)
    runs: bool = False
    given: Counter[str] | None = None
    without_gradients: Mapping[str, bool] | None = None
    library: str = ""
    installed: str = ""
    writers: frozenset[str] | None = None
    offers: dict[ir.ClassDef, frozenset[str]] = field(default_factory=dict)
    makes: dict[str, list[tuple[ir.Call, dict[str, ir.Expr | None]]]] | None = None
    called: Mapping[str, frozenset[str]] | None = None

    def __post_init__(self) -> None:
        stub = self.program.stubs.at(self.path)
        self.library = stub.module if stub is not None else ""
        self.installed = installed.folder_of(self.path) if self.program.libraries else ""
        self.optional.update(optional_names(self.code.body))
        lazily = declared(self.code.body) if self.installed and self.path.endswith("__init__.py") else ()
        for statement in (*flat(self.code.body), *lazily):
            for name in bound_names(statement):
                self.bindings.setdefault(name, statement)
            if isinstance(statement, ir.FunctionDef) and statement in self.code.body:
                earlier = self.bindings[statement.function.name]
                if isinstance(earlier, ir.FunctionDef) and earlier in self.code.body:
                    self.bindings[statement.function.name] = statement  # as after stubs for `@overload`
            if isinstance(statement, ir.ImportFrom) and ("*", "*") in statement.names:
                self.stars.append(statement)


_GIVEN = re.compile(r"\.(\w+) *= *(?![= ]|None\b)")

# Among the places of modules, those of modules behind stubs.
_BEHIND = -1

# How much of other files one file may pull in, so that none takes more than a few seconds.
MOST_LINES = 12_000
# Lines are counted by so many, so that hardly any change of a file changes what else may be pulled in.
_LINES = 50
# Asks how long a file is, or whether it is longer than so many lines.
LENGTH = f"{QUESTION}length"

MOST_INSTALLED_LINES = 40_000  # the same for files of libraries that are installed
# Of more star imports in one file of a library, those are followed that resemble the name that is looked for.
MOST_STARS = 12

# How many lines are held in memory, at some 0.3 kB each.
MOST_HELD = 200_000


@dataclass(slots=True, eq=False)
class Program:
    """The files met so far, by path. `load` gives the text of a file, or None; `text` also that of libraries.

    What one file may use of others is counted in lines, also of files that are known already: its findings do not
    depend on what was checked before. `lasting` has the values of top-level names that are the same in all runs of
    one analysis, `circles` what the bodies of its classes have bound, `fed_elsewhere` what fills a container from
    other files, by the file where a run begins; `own` is a file that was read only to be checked. `libraries` are
    the folders of installed packages; `home` is that of the file that is checked, if it lies in one: it is no
    library then. `looked_into` are the functions, by file and row (0: all of it), whose bodies were used. `asked`
    are questions about files.
    """

    load: Load
    lower: Lower  # is told whether it may keep syntax trees
    stubs: Stubs = field(default_factory=in_force)
    libraries: tuple[str, ...] = field(default_factory=installed.in_force)
    table: op_table.OpTable = field(default_factory=op_table.table)
    files: dict[str, ModuleFile | None] = field(default_factory=dict)
    places: dict[tuple[str, int, str], str | None] = field(default_factory=dict)
    above: dict[tuple[tuple[str, ...], str, bool], str | None] = field(default_factory=dict)
    imported: dict[tuple[str, int, str], str | None] = field(default_factory=dict)
    imports: dict[str, set[str]] = field(default_factory=dict)
    absent: dict[str, set[str]] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)
    refused: set[str] = field(default_factory=set)
    sizes: dict[str, int] = field(default_factory=dict)
    lines: int = 0
    installed_lines: int = 0
    held: int = 0
    cut: bool = False
    own: str | None = None
    home: str = ""
    looked_into: set[tuple[str, int]] = field(default_factory=set)
    asked: set[tuple[str, str]] = field(default_factory=set)
    lasting: dict[tuple[str, str], object] = field(default_factory=dict)
    fed_elsewhere: dict[tuple[str, str, str], list[tuple[ModuleFile, ir.Stmt]]] = field(default_factory=dict)
    circles: list[dict[str, Any]] = field(default_factory=list)
    text: Load = field(init=False)
    screen: Screen = field(init=False)

    def __post_init__(self) -> None:
        self.text = self._text
        self.screen = Screen(self.text, self.place, self._meet, self.supplies, self.behind)

    def _text(self, path: str) -> str | None:
        stub = self.stubs.at(path)
        return stub.text if stub is not None else self.load(path)

    def add(self, path: str, text: str) -> ModuleFile:
        """Parse a file that is to be checked. Raises SourceError."""
        self.note_lengths()
        self.used, self.refused, self.lines, self.installed_lines, self.cut = {path}, set(), 0, 0, False
        while self.held > MOST_HELD:
            self._drop(next(iter(self.files)))
        self.home = installed.folder_of(os.path.abspath(path)) if self.libraries else ""
        module = self.files.get(path)
        if module is None or self.text(path) != text:
            module = ModuleFile(path, self.lower(text, path, True), self)
            self.hold(path, module, text.count("\n"))
            self.own = path
        module.runs, module.given = _runs_itself(text), Counter(_GIVEN.findall(text))
        return module

    def look_into(self, module: ModuleFile, function: ir.Function | None) -> None:
        """Note that the body of a function was used, or (None) all of a file."""
        self.looked_into.add((module.path, function.span.row if function is not None else 0))

    def given(self, module: ModuleFile) -> Counter[str]:
        """How often each attribute gets another value than None in a file."""
        if module.given is None:
            module.given = Counter(_GIVEN.findall(self.text(module.path) or ""))
        return module.given

    def known(self, path: str) -> ModuleFile | None:
        """The file at `path`, also if it would be too much to use; None if it is no Python."""
        if path not in self.files:
            text = self.text(path)
            self.hold(path, None, text.count("\n") if text is not None else 0)
            if text is not None:
                with suppress(SourceError):
                    self.files[path] = ModuleFile(path, self.lower(text, path, False), self)
        return self.files[path]

    def release(self) -> None:
        """Let go of what was read only to be checked; the garbage collector would look at all that is kept."""
        if self.own is not None:
            self._drop(self.own)
            self.own = None
        self.lasting.clear()
        self.fed_elsewhere.clear()
        while self.circles:
            self.circles.pop().clear()

    @contextmanager
    def drafted(self, path: str, text: str) -> Iterator[None]:
        """Have another text for one file for a while."""
        load, screen, original, lines = self.text, self.screen, self.files.get(path), self.sizes.get(path, 0)
        self._drop(path)
        self.text = lambda other: text if other == path else load(other)
        self.screen = screen.drafted(self.text, path)
        try:
            yield
        finally:
            self.text, self.screen = load, screen
            self._drop(path)
            if original is not None:
                self.hold(path, original, lines)

    def renew(self, path: str) -> None:
        """Read one file anew when it is needed: it has another text now."""
        self._drop(path)
        self.screen = self.screen.drafted(self.text, path)

    def _drop(self, path: str) -> None:
        self.held -= self.sizes.pop(path, 0)
        self.files.pop(path, None)

    def _meet(self, path: str, text: str) -> None:
        """Read a file that was screened for another one, while its syntax tree is at hand."""
        if path not in self.files:
            self.hold(path, ModuleFile(path, self.lower(text, path, False), self), text.count("\n"))

    def hold(self, path: str, module: ModuleFile | None, lines: int) -> None:
        """Keep a file that has been read, with so many lines; the one that was used last is forgotten last."""
        self.held += lines - self.sizes.get(path, 0)
        self.sizes[path] = lines
        self.files.pop(path, None)
        self.files[path] = module

    def file(self, path: str) -> ModuleFile | None:
        """The file at `path`; None if it is not Python, or would be too much."""
        if path in self.refused:
            return None
        if path not in self.used:
            known = path in self.files
            text = "" if known else self.text(path) or ""
            lines = self.sizes[path] if known else text.count("\n")
            if not self._affords(path, lines):
                self.refused.add(path)
                return None
            self.used.add(path)
            if known:
                self.hold(path, self.files[path], lines)
            else:
                self.hold(path, None, lines)
                with suppress(SourceError):
                    self.files[path] = ModuleFile(path, self.lower(text, path, False), self)
        return self.files[path]

    def _affords(self, path: str, lines: int) -> bool:
        """Count the lines of a file that is used, unless they would be too much."""
        if self.installed_at(path):
            if self.installed_lines + lines > MOST_INSTALLED_LINES:
                return False
            self.installed_lines += lines
            return True
        if self.lines + rounded(lines) > MOST_LINES:
            self.cut = True
            return False
        self.lines += rounded(lines)
        return True

    def note_lengths(self) -> None:
        """Ask of the files that have been used how long they are: none is refused while none is much longer."""
        others = [path for path in self.used | self.refused if not self.installed_at(path)]
        share = (MOST_LINES - self.lines) // max(1, len(others))
        more = 1 << share.bit_length() - 1 if share > 0 else 0  # many then ask the same of a file
        self.asked.update((path, LENGTH if self.cut else f"{LENGTH} {self.length(path) + more}") for path in others)
        self.used, self.refused = set(), set()

    def length(self, path: str) -> int:
        """How many lines a file counts for."""
        return rounded(self.sizes[path] if path in self.sizes else (self.text(path) or "").count("\n"))

    def installed_at(self, path: str) -> str:
        """The folder of installed packages that a file was read from; "" if it is of the program that is checked."""
        folder = installed.folder_of(path) if self.libraries else ""
        return folder if folder and os.path.abspath(folder) != self.home else ""

    def supplies(self, star: tuple[str, int], importer: str, name: str, stars: int) -> bool:
        """Whether one of so many star imports (module, dots) of a file may supply a name.

        Libraries have too many to try them all.
        """
        if not self.installed_at(importer):
            return True
        module, level = star
        if stars > MOST_STARS and module.rpartition(".")[2].replace("_", "").rstrip("s") not in name.lower():
            return False
        place = self.place(module, level, importer)
        return place is None or place.endswith("__init__.py") or name in (self.text(place) or "")

    def find(self, module: str, level: int, importer: str) -> ModuleFile | None:
        """The file that `from <dots>module import ...` in the file `importer` means; None if that is a library."""
        place = self.place(module, level, importer)
        return self.file(place) if place is not None and self.stubs.at(place) is None else None

    def find_plain(self, module: str, level: int, importer: str) -> ModuleFile | None:
        """The same in a library, also if tensors are no concern of that file."""
        place = self._file_of(module, level, importer)
        if place is None:
            return None
        self.imports.setdefault(importer, set()).add(place)
        return self.file(place)

    def stub(self, module: str) -> ModuleFile | None:
        """The stub in which the names of a library's module are defined, if there is one."""
        stub = self.stubs.of(module)
        return self.file(stub.path) if stub is not None else None

    def has(self, module: str, level: int, importer: str) -> bool:
        """Whether a module is in view, or at least installed."""
        if self.place(module, level, importer) is not None or (not level and self.stubs.of(module) is not None):
            return True
        return not level and any(self._at(folder, [module.partition(".")[0]]) for folder in self.libraries)

    def behind(self, module: str, importer: str) -> str | None:
        """Where the source of a module is installed for which a stub is shipped: it has what the stub leaves out."""
        stub = self.stubs.of(module)
        if stub is None or stub.given or self.stubs.at(importer) is not None:
            return None
        asked = (module, _BEHIND, "")
        if asked not in self.places:
            self.places[asked] = self._concerning_tensors(self._installed(module.split(".")))
        found = self.places[asked]
        if found is not None:
            self.imports.setdefault(importer, set()).add(found)
        return found

    def _installed(self, parts: Sequence[str]) -> str | None:
        """Where a module of a library is installed."""
        if parts[0] in _LIBRARIES or parts[0] in sys.stdlib_module_names:
            return None
        return next(filter(None, (self._at(folder, parts) for folder in self.libraries)), None)

    def place(self, module: str, level: int, importer: str) -> str | None:
        """Where that file is, or a stub in its place; a stub sees nothing but libraries."""
        if self.stubs.at(importer) is not None:
            stub = self.stubs.of(module)
            return stub.path if stub is not None and not level else None
        asked = (module, level, importer)
        if asked not in self.imported:
            nearby = (module, level, os.path.dirname(importer))
            if nearby not in self.places:
                self.places[nearby] = self._place(module, level, nearby[2])
            found = self.imported[asked] = self.places[nearby]
            if found is not None and self.stubs.at(found) is None:
                self.imports.setdefault(importer, set()).add(found)
        return self.imported[asked]

    def _place(self, module: str, level: int, folder: str) -> str | None:
        folder = str(PurePath(folder))
        parts = [part for part in module.split(".") if part]
        if level:
            for _ in range(level - 1):
                folder = os.path.dirname(folder) or "."
            return self._concerning_tensors(self._at(folder, parts))
        stub = self.stubs.of(module)
        if stub is not None and stub.given:
            return stub.path
        known = not parts or parts[0] in _LIBRARIES or module == INTRINSICS
        found = None if known else self._above(tuple(parts), os.path.abspath(folder), os.path.isabs(folder))
        found = None if len(parts) == 1 and self._is_wrapper(found, folder) else found
        if stub is not None and (found is None or self._is_of_another_library(found, parts[0], folder)):
            return stub.path
        return self._concerning_tensors(self._installed(parts) if found is None and not known else found)

    def _is_wrapper(self, place: str | None, folder: str) -> bool:
        """Whether a package within another one would import itself: it is named after the library that it wraps."""
        package, init = os.path.split(place or "")
        itself = init == "__init__.py" and f"{folder}{os.sep}".startswith(f"{package}{os.sep}")
        return itself and self._at(os.path.dirname(package) or ".", ()) is not None

    def _is_of_another_library(self, place: str, package: str, folder: str) -> bool:
        """Whether a file in a package is installed, and files in a folder see the package as users do."""
        installed_in = self.installed_at(place)
        return bool(installed_in) and not f"{folder}{os.sep}".startswith(os.path.join(installed_in, package) + os.sep)

    def _concerning_tensors(self, place: str | None) -> str | None:
        """A file; None if it is of a library, and tensors are no concern of it."""
        if place is None or place.endswith("__init__.py") or not self.installed_at(place):
            return place
        return place if concerns_tensors(place, self.text, self._file_of) else None

    def _file_of(self, module: str, level: int, importer: str) -> str | None:
        """The file of a library that a module means, in another file of it."""
        parts = [part for part in module.split(".") if part]
        if not level:
            return self._installed(parts) if parts else None
        folder = os.path.dirname(importer)
        for _ in range(level - 1):
            folder = os.path.dirname(folder)
        return self._at(folder, parts)

    def _above(self, parts: tuple[str, ...], folder: str, absolute: bool) -> str | None:
        """Where a module is, in a folder or the nearest one above it."""
        asked = parts, folder, absolute
        if asked not in self.above:
            # As the user would spell it, so that one file has one name.
            spelled = folder if absolute else os.path.relpath(folder)
            found = self._at(spelled, parts)
            if found is None:
                found = self._at("src" if spelled == "." else os.path.join(spelled, "src"), parts)
            if found is None and (outer := os.path.dirname(folder)) != folder:
                found = self._above(parts, outer, absolute)
            self.above[asked] = os.path.relpath(found) if found is not None and not absolute else found
        return self.above[asked]

    def _at(self, folder: str, parts: Sequence[str]) -> str | None:
        inner = os.path.join("" if folder == "." else folder, *parts)
        package = os.path.join(inner, "__init__.py")
        places = (package, f"{inner}.py") if parts else (package,)
        found = next((place for place in places if self.text(place) is not None), None)
        if found != package:
            self._miss(folder, parts, found is None)
        return found

    def _miss(self, folder: str, parts: Sequence[str], wholly: bool) -> None:
        """Note what would have to appear for an import to mean a package, or (`wholly`) a module."""
        here = folder
        for index, part in enumerate(parts):
            if wholly and index == len(parts) - 1:
                self.absent.setdefault(here, set()).add(f"{part}.py")
            inner = os.path.join("" if here == "." else here, part)
            if not os.path.isdir(inner):
                self.absent.setdefault(here, set()).add(part)
                return
            here = inner
        self.absent.setdefault(here, set()).add("__init__.py")


def rounded(lines: int) -> int:
    """Lines, to the nearest number that is counted."""
    return (lines + _LINES // 2) // _LINES * _LINES


def _runs_itself(text: str) -> bool:
    """Whether a file is a program, not only a library: it is run, or trains something."""
    return "__main__" in text or ".backward(" in text
