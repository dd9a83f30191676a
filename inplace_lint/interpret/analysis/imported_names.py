"""By which words a file may call what another one of the program defines: by imports, and paths of files, alone."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from inplace_lint.source.imports_in_text import EVERYTHING, Imported, imports_in

_PACKAGE = "__init__.py"


class Modules:
    """Which files of a program imports mean, by their paths alone.

    Args:
        texts: all files.
    """

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts
        self._known: dict[str, tuple[Imported, ...]] = {}
        self._by_end: dict[str, list[tuple[tuple[str, ...], str]]] = {}
        self._at: dict[tuple[str, ...], str] = {}
        for path in texts:
            parts = _parts(path)
            self._at[parts] = path
            if parts:
                self._by_end.setdefault(parts[-1], []).append((parts, path))

    def offers(self, path: str, names: Iterable[str]) -> bool:
        """Whether a package offers something that a file defines to those who import that package."""
        packages = [module for module in self._texts if module.endswith(_PACKAGE)]
        return any(
            self._gives(each, path, name, package)
            for name in names
            for package in packages
            for each in self._imports(package, name)
        )

    def words(self, path: str, name: str, importer: str) -> tuple[frozenset[str], bool]:
        """The words by which a file may call what a file defines, and whether it does so for sure if it does."""
        found: set[str] = set()
        sure = True
        for each in self._imports(importer):
            if self._gives(each, path, name, importer):
                found.add(each.alias if each.name not in ("", EVERYTHING) else name)
            if self._is_way(each, path, name, importer):
                found.add(name)
            if self._resembles(each, path, name, importer):
                found.add(each.alias if each.name == name else name)
                sure = False
        return frozenset(found), sure

    def _gives(self, imported: Imported, path: str, name: str, importer: str) -> bool:
        """Whether what is imported is something that a file defines."""
        if not imported.name:
            return False
        wanted = name if imported.name == EVERYTHING else imported.name
        return any(self._has(module, wanted, path, name, set()) for module in self._meant(imported, importer))

    def _has(self, module: str, word: str, path: str, name: str, seen: set[tuple[str, str]]) -> bool:
        """Whether a word means in a file what another one defines."""
        if module == path:
            return word == name
        if (module, word) in seen:
            return False
        seen.add((module, word))
        return any(
            self._has(other, word if each.name == EVERYTHING else each.name, path, name, seen)
            for each in self._imports(module, word)
            if each.name and (each.name == EVERYTHING or each.alias == word)
            for other in self._meant(each, module)
        )

    def _is_way(self, imported: Imported, path: str, name: str, importer: str) -> bool:
        """Whether what is imported is a module in which others may find what a file defines: `module.name`."""
        if imported.name == EVERYTHING:
            return False
        modules = [*self._modules_of(imported, importer)]
        if not imported.name:
            modules += self._meant(Imported(imported.module.partition(".")[0], 0, "", ""), importer)
        for package in self._meant(imported, importer) if imported.name else ():
            # A package may have a module by another name.
            named = (each for each in self._imports(package, imported.name) if each.alias == imported.name)
            modules += (module for each in named for module in self._modules_of(each, package))
        return any(self._leads(module, path, name) for module in modules)

    def _leads(self, module: str, path: str, name: str) -> bool:
        above = module.endswith(_PACKAGE) and _parts(path)[: len(_parts(module))] == _parts(module)
        if module == path or above or self._has(module, name, path, name, set()):
            return True
        return any(path in self._modules_of(each, module) for each in self._imports(module, _parts(path)[-1]))

    def _imports(self, module: str, word: str = "") -> tuple[Imported, ...]:
        """The imports of a file, if one of them may be about a word."""
        text = self._texts.get(module, "")
        if word not in text and "import *" not in text:
            return ()
        if module not in self._known:
            self._known[module] = tuple(imports_in(text))
        return self._known[module]

    def _modules_of(self, imported: Imported, importer: str) -> tuple[str, ...]:
        """The modules that may be imported as such."""
        whole = f"{imported.module}.{imported.name}".strip(".") if imported.name else imported.module
        return self._meant(Imported(whole, imported.level, "", ""), importer)

    def _resembles(self, imported: Imported, path: str, name: str, importer: str) -> bool:
        """Whether an import that means no file of the program ends like one that would mean a file."""
        if imported.level or not imported.module or imported.module.partition(".")[0] == "torch":
            return False
        if self._meant(imported, importer) or self._modules_of(imported, importer):
            return False
        end = (_parts(path) or ("",))[-1]
        words = imported.module.split(".")
        return (imported.name == name and words[-1] == end) or end == imported.name or end in words[1:]

    def _meant(self, imported: Imported, importer: str) -> tuple[str, ...]:
        """The files that a module may mean."""
        words = tuple(word for word in imported.module.split(".") if word)
        if imported.level:
            folder = tuple(os.path.abspath(importer).split(os.sep)[: -imported.level])
            found = self._at.get(folder + words)
            return (found,) if found is not None else ()
        ends = self._by_end.get(words[-1], ()) if words else ()
        matching = [(parts, path) for parts, path in ends if parts[-len(words) :] == words]
        if len(matching) < 2:
            return tuple(path for _, path in matching)
        own = _parts(importer)
        shared = {path: _in_common(own, parts) for parts, path in matching}
        nearest = max(shared.values())
        return tuple(path for path, count in shared.items() if count == nearest)


def _in_common(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    """How many parts two begin with alike."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((index for index, (left, right) in pairs if left != right), min(len(one), len(other)))


def _parts(path: str) -> tuple[str, ...]:
    """The folders down to a module, and its name."""
    whole = os.path.abspath(path)
    folder = os.path.dirname(whole) if os.path.basename(whole) == _PACKAGE else whole.removesuffix(".py")
    return tuple(folder.split(os.sep))
