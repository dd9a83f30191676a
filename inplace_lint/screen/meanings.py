"""What names stand for in the files of a program: definitions, or other files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice

from inplace_lint.screen.outline import Definition, Outline

Place = Callable[[str, int, str], "str | None"]
Supplies = Callable[[tuple[str, int], str, str, int], bool]
Behind = Callable[[str, str], "str | None"]


def supplies_all(star: tuple[str, int], importer: str, name: str, stars: int) -> bool:
    """Try every star import."""
    return True


def nothing_behind(module: str, importer: str) -> str | None:
    """No source is installed."""
    return None


# So many imported names of a file are looked up for what is registered where they come from.
_MOST_IMPORTS = 30


@dataclass(slots=True)
class Meanings:
    """What the names of a program stand for.

    Args:
        place: the file that an import means (module, dots, importing file).
        outline: the outline of a file; None if it cannot be read.
        supplies: whether a star import (module, dots) of a file may supply a name, if it has so many of them.
        behind: the installed source of a module (module, importing file) that a stub stands for: it has the names
            that the stub leaves out.
    """

    place: Place
    outline: Callable[[str], Outline | None]
    supplies: Supplies
    behind: Behind = nothing_behind
    _known: dict[tuple[Outline, str], list[Definition | Outline]] = field(default_factory=dict)
    _registered: dict[tuple[Outline, Outline], list[Definition]] = field(default_factory=dict)

    def of_base(self, outline: Outline, spelled: str) -> Iterator[Definition]:
        """The classes that a base is, as it is spelled."""
        first, *rest = spelled.partition("[")[0].split(".")
        for found in self.of(outline, first):
            if isinstance(found, Outline):
                for name in rest[-1:]:
                    yield from found.globals.get(name, ())
            elif not rest:
                yield found

    def registered(self, outline: Outline, home: Outline) -> list[Definition]:
        """What the registry of a file may give to another one: what tells it of itself, and is imported beside it.

        Args:
            outline: the file that asks for what is registered.
            home: the file of the registry, to which a decorator or `__init_subclass__` tells of definitions.
        """
        found = self._registered.get((outline, home))
        if found is None:
            beside = self._beside(outline, home) if _keeps_registry(home) else ()
            made = (each for file in beside for each in _at_top(file) if self._tells(each, home))
            found = self._registered[outline, home] = list(dict.fromkeys(made))
        return found

    def _beside(self, outline: Outline, home: Outline) -> Iterable[Outline]:
        """Two files, and what the first of them and the package of the second import."""
        package = self._file("", 1, home)
        files = [home, outline]
        for importer in (outline,) if package is None else (outline, package):
            for name in islice(importer.imports, _MOST_IMPORTS):
                files += [each if isinstance(each, Outline) else each.outline for each in self.of(importer, name)]
        return dict.fromkeys(files)

    def _tells(self, definition: Definition, home: Outline) -> bool:
        """Whether a file may have been told of a definition of another one.

        It decorates that definition, the loose statement uses it, or a base there has `__init_subclass__`.
        """
        outline = definition.outline
        used = definition.decorators if definition.name else definition.names
        decorating = (each for name in used for each in self.of(outline, name))
        above = (each for name in definition.bases for each in self.of_base(outline, name))
        return any(each.outline is home and "__init_subclass__" in each.members for each in above) or any(
            isinstance(each, Definition) and each.outline is home and outline is not home for each in decorating
        )

    def of(self, outline: Outline, name: str) -> list[Definition | Outline]:
        """What a global name stands for: definitions, or a file."""
        found = self._known.get((outline, name))
        if found is None:
            found = self._known[outline, name] = self._meaning(outline, name, set())
        return found

    def _meaning(self, outline: Outline, name: str, seen: set[tuple[str, str]]) -> list[Definition | Outline]:
        here = (outline.path, name)
        if here in seen:
            return []
        seen.add(here)  # whichever way leads there, it means the same
        found: list[Definition | Outline] = list(outline.globals.get(name, ()))
        if found:
            return found
        if name in outline.imports:
            modules = ((module, 0, None) for module in outline.dotted.get(name, ()))
            meant = (self._imported(outline, *each, seen) for each in (outline.imports[name], *modules))
            return [each for one in meant for each in one]
        for module, level in outline.stars:
            if not self.supplies((module, level), outline.path, name, len(outline.stars)):
                continue
            for source in (self._file(module, level, outline), self._hidden(module, level, outline)):
                if source is not None and (found := self._meaning(source, name, seen)):
                    return found
        return []

    def _imported(
        self, outline: Outline, module: str, level: int, name: str | None, seen: set[tuple[str, str]]
    ) -> list[Definition | Outline]:
        source = self._file(module, level, outline)
        if name is None:
            return [each for each in (source, self._hidden(module, level, outline)) if each is not None]
        if source is None or name in source.globals or (name in source.imports and source is not outline):
            return self._meaning(source, name, seen) if source is not None else []
        submodule = f"{module}.{name}" if module else name
        hidden = self._hidden(module, level, outline)
        if hidden is None:
            # Before the stars of a package, which may lead to all of its files.
            inner = self._file(submodule, level, outline)
        else:
            source = hidden
            bound = name in source.globals or name in source.imports
            inner = self._hidden(submodule, level, outline) if not bound else None
        return [inner] if inner is not None else self._meaning(source, name, seen)

    def _hidden(self, module: str, level: int, importer: Outline) -> Outline | None:
        path = self.behind(module, importer.path) if not level else None
        return self.outline(path) if path is not None else None

    def _file(self, module: str, level: int, importer: Outline) -> Outline | None:
        path = self.place(module, level, importer.path)
        return self.outline(path) if path is not None else None


def _keeps_registry(outline: Outline) -> bool:
    """Whether a file has a class that is told of what derives from it, or a function named for registering."""
    return "__init_subclass__" in outline.methods or any(
        name.startswith("register") for name in (*outline.globals, *outline.methods)
    )


def _at_top(outline: Outline) -> Iterator[Definition]:
    yield from outline.code
    for bound in outline.globals.values():
        yield from bound
