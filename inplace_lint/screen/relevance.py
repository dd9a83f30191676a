"""Which entry points can reach a write at all: only those are lowered and run.

`reach.py` computes which definition reaches which.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace

from inplace_lint.effort import STEP, Effort
from inplace_lint.phases import within
from inplace_lint.screen.kept_outlines import keep, kept
from inplace_lint.screen.meanings import Behind, Meanings, Place, Supplies, nothing_behind, supplies_all
from inplace_lint.screen.outline import Definition, Outline, keeps_weights, outline
from inplace_lint.screen.parts import Parts, parts
from inplace_lint.screen.questions import Asked, answer, beneath, is_answered, questions_of
from inplace_lint.screen.reach import HERE, Distance, Node, Reach
from inplace_lint.source.errors import SourceError
from inplace_lint.source.parsing import parse_once
from inplace_lint.source.part_names import EVERYTHING, QUESTION, SKELETON
from inplace_lint.torch_model.stubs import DRIVER

Load = Callable[[str], "str | None"]


class Screen:
    """Tells which entry points of a file are worth running.

    Args:
        load: gives the text of a file, or None.
        place: the file that an import means (module, dots, importing file).
        met: is told of a file, and its text, that was parsed for another one.
        supplies: whether a star import may supply a name (see `Meanings`).
        behind: the installed source of a module (module, importing file) that a stub stands for (see `Meanings`).

    `used` collects, by file, the parts of other files on which it depends what was told (see `parts.py`).
    """

    def __init__(
        self,
        load: Load,
        place: Place,
        met: Callable[[str, str], None] = lambda *_: None,
        supplies: Supplies = supplies_all,
        behind: Behind = nothing_behind,
    ) -> None:
        self._load = load
        self._place = place
        self._met = met
        self._supplies = supplies
        self._behind = behind
        self._outlines: dict[str, tuple[int, Outline | None]] = {}  # with the hash of the text
        self._reach = Reach(Meanings(place, self._other, supplies, behind))
        self._parts: dict[str, Parts] = {}
        self._told: set[Asked] = set()
        self._untold: dict[str, dict[str, str]] = {}
        self._untold_beneath: dict[str, dict[str, set[str]]] = {}
        self._checked: list[Outline] = []
        self.used: dict[str, set[str]] = {}

    def of(self, text: str, path: str) -> Screened | None:
        """What is worth running in a file; None if only another version of Python understands it.

        Raises SourceError if the text is nested too deeply.
        """
        self._reach.forget()
        known = self._outlines.get(path)
        if known is None or known[0] != hash(text):
            known = (hash(text), self._kept(text, path) or self._made(text, path))
            self._outlines.setdefault(path, known)  # others may see another text of it
        if known[1] is None:
            return None
        self._checked.append(known[1])
        return Screened(known[1], self._reach)

    def parts_of(self, path: str) -> Parts | None:
        """The parts of a file that was read; None if nobody has read it, or it is no Python."""
        return self._parts.get(path)

    def read(self, path: str) -> Parts | None:
        """The parts of a file; None if it is no Python."""
        self._other(path)
        return self._parts.get(path)

    def answered(self, path: str, questions: Iterable[str]) -> tuple[dict[str, str], dict[str, set[str]]]:
        """The answers to questions about a file, and, by file, the parts of others on which they rest.

        Those of which the screen knows nothing are left out.
        """
        known = [*filter(is_answered, questions)]
        outlined = self._other(path) if known else None
        found: dict[str, str] = {}
        resting: dict[str, set[str]] = {}
        if outlined is not None:
            for question in known:
                found[question] = answer(self._reach, outlined, question)
                for other, part in beneath(self._reach, outlined, question):
                    resting.setdefault(other, set()).add(part)
        return found, resting

    def answer_used(self, others: Callable[[str, list[str]], Mapping[str, str]]) -> None:
        """Answer the questions among the parts that were used, and those beneath them, unless they have been.

        Args:
            others: answers those of which the screen knows nothing.
        """
        todo = [(path, part) for path, used in self.used.items() for part in used if part.startswith(QUESTION)]
        for path, question in todo:  # grows
            if (path, question) not in self._told:
                self._told.add((path, question))
                found, resting = self.answered(path, [question])
                self._untold.setdefault(path, {}).update(found or others(path, [question]))
                for other, parts_there in resting.items():
                    self._untold_beneath.setdefault(path, {}).setdefault(other, set()).update(parts_there)
                    todo += [(other, part) for part in parts_there if part.startswith(QUESTION)]

    def new_digests(self) -> dict[str, Mapping[str, str]]:
        """By file, the digests of the parts that nobody has been told of."""
        found: dict[str, Mapping[str, str]] = {**self._untold}
        self._untold.clear()
        return found

    def new_beneath(self) -> dict[str, dict[str, set[str]]]:
        """By file, the parts of others on which answers rest that nobody has been told of."""
        found = dict(self._untold_beneath)
        self._untold_beneath.clear()
        return found

    def note_used(self, path: str) -> None:
        """Note which parts of other files the screen has used for a file that was checked."""
        for outlined in self._checked:
            for other, part in questions_of(self._reach, outlined):
                if other != path:
                    self.used.setdefault(other, {SKELETON}).add(part)
        for other_path in self._reach.wholly:
            self.used.setdefault(other_path, set()).add(EVERYTHING)
        self._reach.wholly.clear()
        self._checked.clear()

    def _kept(self, text: str, path: str) -> Outline | None:
        """The outline of a file that an earlier run has made."""
        with within("outline"):
            known = kept(text, path)
        return self._note(path, *known) if known is not None else None

    def _made(self, text: str, path: str) -> Outline | None:
        """The outline of a file; None if it is no Python."""
        tree, _ = parse_once(text, path)
        if tree is None:
            return None
        with within("outline"):
            made = outline(tree, text, path)
            found = parts(tree, text, made)
            keep(text, made, found)
        return self._note(path, made, found)

    def _note(self, path: str, made: Outline, found: Parts) -> Outline:
        self._parts[path] = found
        self._untold[path] = dict(found.digests)
        return made

    def drafted(self, load: Load, path: str) -> Screen:
        """The same for a program in which one file has another text."""
        screen = Screen(load, self._place, self._met, self._supplies, self._behind)
        screen._outlines = {other: known for other, known in self._outlines.items() if other != path}
        screen._parts, screen.used = {**self._parts}, self.used
        return screen

    def _other(self, path: str) -> Outline | None:
        if path not in self._outlines:
            text = self._load(path) or ""
            self._outlines[path] = (hash(text), None)
            with suppress(SourceError):
                made = self._kept(text, path)
                if made is None and (made := self._made(text, path)) is not None:
                    self._met(path, text)
                self._outlines[path] = (hash(text), made)
        return self._outlines[path][1]


@dataclass(frozen=True, slots=True)
class Screened:
    """The screen's view of one file."""

    outline: Outline
    reach: Reach

    def keeps(self, function: str | None, owner: str | None = None) -> bool:
        """Whether an entry point may write: a function, a method of `owner`, or (None) the file's own code."""
        if not self.outline.about_tensors:
            return False
        if function is None:
            # A decorator that writes, of another function, matters when what it decorates is called.
            return any(each.writes for each in self.outline.headers) or any(map(self.reach.writes, self.outline.code))
        found = self._found(function, owner)
        return bool(found) if function == DRIVER else any(map(self.reach.writes, found))

    def _found(self, function: str, owner: str | None) -> list[Definition]:
        """The functions, or methods of a class, of that name; what drives a class, if that has methods that write."""
        if function != DRIVER or owner is None:
            return self.outline.find(function, owner)
        classes = (each for each in self.outline.globals.get(owner, ()) if each.name == owner)
        return [driver for each in classes for driver in self.reach.drivers(each)]

    def distance(self, function: str | None, owner: str | None = None) -> Distance:
        """How far an entry point is away from a write; `HERE` if it writes itself."""
        found = self.outline.code if function is None else self._found(function, owner)
        distances = [HERE if each.writes else self.reach.distance(each) for each in found]
        return min((distance for distance in distances if distance is not None), default=HERE)

    def reached(
        self, function: str | None, owner: str | None, wanted: Collection[Definition], effort: Effort
    ) -> Iterator[Definition]:
        """Which of some definitions of the file an entry point may run."""
        begin = self.outline.code if function is None else self._found(function, owner)
        order: list[Node] = [(definition, "named") for definition in begin]
        met = set(order)
        for current in order:  # grows
            effort.spend(STEP // 4 * len(self.reach.runs(current)))
            for target in self.reach.runs(current):
                if target[0].outline is self.outline and target not in met:
                    met.add(target)
                    order.append(target)
                    if target[0] in wanted:
                        yield target[0]

    def without(self, settled: Iterable[tuple[str | None, str | None, frozenset[int]]]) -> Screened:
        """What is worth running now that some runs have shown where nobody else sees a write.

        Args:
            settled: a function, perhaps its class, and the rows of the writes to memory that nobody else sees.
        """
        inherited = self.outline.inherited()
        found = {
            definition
            for name, owner, rows in settled
            if name is not None and owner not in inherited
            for definition in self.outline.find(name, owner)
            if definition.rows is not None and definition.rows <= rows
        }
        return Screened(self.outline, replace(self.reach, settled=frozenset(found), _known={}))

    def keeps_any(self) -> bool:
        """Whether there is anything to run."""
        if not self.outline.about_tensors:
            return False
        if self.keeps(None):
            return True
        if any(map(self.reach.writes, self.outline.everything())):
            return True
        return any(self.reach.drivers(each) for each in self.outline.classes() if each.bases or keeps_weights(each))
