"""Which entry points can reach a write at all: only those are lowered and run.

Reaching goes by name, through calls, variables, classes and imports of the project, and errs on the
side of running too much: an attribute may be any method of that name that the file can see.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field

from inplace_lint.interpret.outline import Definition, Outline, outline
from inplace_lint.source.errors import SourceError
from inplace_lint.source.screen import parse

Load = Callable[[str], "str | None"]
Place = Callable[[str, int, str], "str | None"]
Seen = frozenset[tuple[str, str]]


class Screen:
    """Tells which entry points of a file are worth running.

    Args:
        load: gives the text of a file, or None.
        place: the file that an import means (module, dots, importing file).
    """

    def __init__(self, load: Load, place: Place) -> None:
        self._load = load
        self._outlines: dict[str, tuple[str, Outline | None]] = {}
        self._reach = Reach(place, self._other)

    def of(self, text: str, path: str) -> Screened | None:
        """What is worth running in a file; None if only another version of Python understands it.

        Raises:
            SourceError: the text is nested too deeply.
        """
        known = self._outlines.get(path)
        if known is None or known[0] != text:
            tree, _ = parse(text, path)
            made = outline(tree, text, path) if tree is not None else None
            known = (text, made)
            if self._outlines.setdefault(path, known)[0] != text:
                return Screened(made, self._reach) if made is not None else None  # a draft
        return Screened(known[1], self._reach) if known[1] is not None else None

    def _other(self, path: str) -> Outline | None:
        if path not in self._outlines:
            text = self._load(path) or ""
            self._outlines[path] = (text, None)
            with suppress(SourceError):
                tree, _ = parse(text, path)
                self._outlines[path] = (text, outline(tree, text, path) if tree is not None else None)
        return self._outlines[path][1]


@dataclass(frozen=True, slots=True)
class Screened:
    """The screen's view of one file."""

    outline: Outline
    reach: Reach

    def keeps(self, function: str | None, owner: str | None = None) -> bool:
        """Whether an entry point may write: a function, a method of `owner`, or (None) the file's own code."""
        if function is None:
            return any(map(self.reach.writes, self.outline.code))
        return any(map(self.reach.writes, self.outline.find(function, owner)))

    def keeps_any(self) -> bool:
        """Whether there is anything to run."""
        found = [*self.outline.code, *(each for all in self.outline.globals.values() for each in all)]
        methods = [each for all in self.outline.methods.values() for each in all]
        return any(map(self.reach.writes, [*found, *methods]))


@dataclass(slots=True)
class Reach:
    """What the definitions of a program reach.

    Args:
        place: the file that an import means (module, dots, importing file).
        outline: the outline of a file; None if it cannot be read.
    """

    place: Place
    outline: Callable[[str], Outline | None]
    _known: dict[Definition, bool] = field(default_factory=dict)
    _lineages: dict[Definition, list[Definition]] = field(default_factory=dict)

    def writes(self, start: Definition) -> bool:
        """Whether a definition may write in place, itself or through what it mentions."""
        if start not in self._known:
            self._explore(start)
        return self._known[start]

    def _explore(self, start: Definition) -> None:
        callers: dict[Definition, list[Definition]] = defaultdict(list)
        order, met, writing = [start], {start}, []
        for current in order:  # grows
            if current.writes:
                writing.append(current)
            for target in self._mentioned(current):
                if target in self._known:
                    if self._known[target]:
                        writing.append(current)
                    continue
                callers[target].append(current)
                if target not in met:
                    met.add(target)
                    order.append(target)
        reached: set[Definition] = set()
        while writing:
            current = writing.pop()
            if current not in reached:
                reached.add(current)
                writing += callers[current]
        self._known.update((definition, definition in reached) for definition in order)

    def _mentioned(self, definition: Definition) -> Iterator[Definition]:
        """What a definition may run."""
        outline = definition.outline
        yield from self._special(definition)
        for name in definition.names:
            for found in self._resolve(outline, name):
                if isinstance(found, Definition):
                    yield found
                    yield from self._used(found, definition)
                else:
                    for attribute in definition.attributes:
                        yield from found.globals.get(attribute, ())
        for attribute in definition.attributes:
            if not _is_special(attribute):
                yield from outline.methods.get(attribute, ())
        if definition.owner is not None:
            yield from self._of_object(definition, definition.owner)

    def _used(self, cls: Definition, definition: Definition) -> Iterator[Definition]:
        """What using a class runs: what objects do unasked, and methods by name."""
        if not (cls.members or cls.bases):
            return
        for each in self._lineage(cls):
            if each.outline is definition.outline or each is cls:
                yield from self._special(each)
            for attribute in definition.attributes:
                yield from each.members.get(attribute, ())

    def _of_object(self, method: Definition, cls: Definition) -> Iterator[Definition]:
        """What a method finds on its object, which its constructor has made.

        Constructors that other files define are taken to make new objects, and to write no others.
        """
        for each in self._lineage(cls):
            near = each.outline is cls.outline
            if near:
                yield from each.members.get("", ())
                yield from each.members.get("__init__", ())
            for attribute in method.attributes:
                if near or attribute != "__init__":
                    yield from each.members.get(attribute, ())

    def _special(self, cls: Definition) -> Iterator[Definition]:
        """What an object of a class runs without being asked by name."""
        for name, members in cls.members.items():
            if _is_special(name) or not name:
                yield from members

    def _lineage(self, cls: Definition) -> list[Definition]:
        """A class of the program and its bases of the program."""
        if cls not in self._lineages:
            found = self._lineages[cls] = [cls]
            for base in cls.bases:
                for each in self._base(cls.outline, base):
                    found += [known for known in self._lineage(each) if known not in found]
        return self._lineages[cls]

    def _base(self, outline: Outline, spelled: str) -> Iterator[Definition]:
        first, *rest = spelled.partition("[")[0].split(".")
        for found in self._resolve(outline, first):
            if isinstance(found, Outline):
                for name in rest[-1:]:
                    yield from found.globals.get(name, ())
            elif not rest:
                yield found

    def _resolve(
        self, outline: Outline, name: str, seen: frozenset[tuple[str, str]] = frozenset()
    ) -> list[Definition | Outline]:
        """What a global name stands for: definitions, or a file."""
        here = (outline.path, name)
        if here in seen:
            return []
        found: list[Definition | Outline] = list(outline.globals.get(name, ()))
        if found:
            return found
        if name in outline.imports:
            return self._imported(outline, *outline.imports[name], seen | {here})
        for module, level in outline.stars:
            source = self._file(module, level, outline)
            if source is not None and (found := self._resolve(source, name, seen | {here})):
                return found
        return []

    def _imported(
        self, outline: Outline, module: str, level: int, name: str | None, seen: Seen
    ) -> list[Definition | Outline]:
        source = self._file(module, level, outline)
        if source is None or name is None:
            return [source] if source is not None else []
        if name not in source.globals and name not in source.imports:
            # Before the stars of a package, which may lead to all of its files.
            inner = self._file(f"{module}.{name}" if module else name, level, outline)
            if inner is not None:
                return [inner]
        return self._resolve(source, name, seen)

    def _file(self, module: str, level: int, importer: Outline) -> Outline | None:
        path = self.place(module, level, importer.path)
        return self.outline(path) if path is not None else None


def _is_special(name: str) -> bool:
    return name == "forward" or name[:2] == "__"
