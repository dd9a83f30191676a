"""Functions that the files of a program call, all of them together, only without gradients: none that are recorded, or
none that their arguments require; and functions that use an object which those files construct only without gradients.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

from inplace_lint.findings.analysis import Doubt, Place
from inplace_lint.findings.given import never_require_grad
from inplace_lint.interpret.analysis.grad_modes import (
    CALLED_WITHOUT_GRADIENTS,
    is_of_frameworks,
    names_trained_loss,
)
from inplace_lint.interpret.analysis.imported_names import Modules
from inplace_lint.interpret.analysis.names_elsewhere import FileNames, names_in
from inplace_lint.interpret.analysis.refuted import ABOUT_RECORDING
from inplace_lint.source import ir
from inplace_lint.source.errors import SourceError
from inplace_lint.source.place import Site

# So many files are read that mention a function, or one that leads to it: a name that is everywhere tells little.
_MOST_FILES = 40

# Classes out of view whose code calls no methods but those of frameworks.
_NEUTRAL = frozenset("object Module ABC Protocol Generic Enum NamedTuple".split())


class Called(NamedTuple):
    """What is called: a function or class of a file, or (without a file) a method, by its name alone."""

    path: str
    name: str


@dataclass(frozen=True, slots=True)
class _Caller:
    """Who calls something, None if that is not known; and whether no gradients are recorded there."""

    called: Called | None
    without: bool


_UNKNOWN = _Caller(None, False)


def _is_about_recording(doubt: Doubt) -> bool:
    return CALLED_WITHOUT_GRADIENTS.on and doubt.code.startswith(ABOUT_RECORDING)


class CallsOfProgram:
    """Who calls what in the files of a program; of a file whose text is the same, what is known is kept.

    Args:
        lower: makes `ir` of a text.
    """

    def __init__(self, lower: Callable[[str, str, bool], ir.Module]) -> None:
        self._lower = lower
        self._read: dict[str, tuple[str, FileNames | None]] = {}
        self._texts: Mapping[str, str] = {}
        self._modules = Modules({})

    def concern(self, doubt: Doubt, told: Mapping[Site, bool]) -> bool:
        """Whether calls may refute a doubtful finding; `told` is what they tell of parameters."""
        return _is_about_recording(doubt) or never_require_grad(doubt.parameters, told)

    def refuted(
        self, doubts: Collection[Doubt], ran: Collection[Place], told: Mapping[Site, bool], texts: Mapping[str, str]
    ) -> frozenset[Doubt]:
        """Those doubts that all calls in the program refute: about whether gradients are recorded, or required.

        Args:
            doubts: findings that rest on assumptions about functions.
            ran: functions that need not be asked about.
            told: by parameter that is given tensors, whether no call gives it one that may require grad.
            texts: the files of the program.
        """
        self._texts = texts
        self._modules = Modules(texts)
        asked = [doubt for doubt in doubts if _is_about_recording(doubt)]
        given = [doubt for doubt in doubts if never_require_grad(doubt.parameters, told)]
        try:
            quiet = {place: place in ran or self._only_without(place) for doubt in asked for place in doubt.functions}
            without = {
                doubt
                for doubt in asked
                if (doubt.functions and all(quiet[place] for place in doubt.functions))
                or any(map(self._only_without, doubt.brought))
            }
            own = (each for each in given if each.functions and not any(map(self._is_offered, each.functions)))
            return frozenset(without.union(own))
        finally:
            self._texts = {}
            self._modules = Modules({})

    def _is_offered(self, place: Place) -> bool:
        """Whether a package offers a function, or the class that has it: then others call it, too."""
        path, row = place
        file = self._file(path)
        name = file.functions.get(row, "") if file is not None else ""
        return file is None or self._modules.offers(path, file.owners.get(name, (name,)))

    def _only_without(self, place: Place) -> bool:
        path, row = place
        file = self._file(path)
        name = file.functions.get(row) or file.made.get(row, "") if file is not None else ""
        called = self._as_called(path, name)
        callers = self._callers(called) if called is not None else None
        return called is not None and callers is not None and _is_begun(called, callers)

    def _callers(self, called: Called) -> dict[Called, list[_Caller]] | None:
        """Who leads to something where gradients may be recorded; None if that is not known, or takes too long."""
        found: dict[Called, list[_Caller]] = {}
        todo, left = [called], _MOST_FILES
        while todo:
            current = todo.pop()
            if current in found:
                continue
            mentioning = self._mentioning(current)
            left -= len(mentioning)
            found[current] = []
            for caller in self._calling(current, mentioning) if left >= 0 else ():
                found[current].append(caller)
                if not caller.without:
                    if caller.called is None:
                        return None
                    todo.append(caller.called)
            if not found[current]:
                return None
        return found

    def _calling(
        self, called: Called, paths: Iterable[str], known: frozenset[Called] = frozenset()
    ) -> Iterator[_Caller]:
        """Who calls something in files, by that name or others; whatever else uses these may call it with gradients."""
        for path in paths:
            words, sure = frozenset({called.name}), True
            if called.path not in ("", path):
                words, sure = self._modules.words(called.path, called.name, path)
            if not words or (file := self._file(path)) is None:
                continue
            for word in words:
                if word != called.name:  # others may import it by the new one
                    renamed = Called(path, word)
                    if renamed not in known:
                        yield from self._calling(renamed, self._mentioning(renamed), known | {renamed})
                    continue
                if word in file.given or (not sure and word in file.calls):
                    yield _UNKNOWN
                for call in file.calls.get(word, ()):
                    caller = self._as_called(path, call.caller)
                    if call.without or caller != called:
                        yield _Caller(caller, call.without)

    def _as_called(self, path: str, name: str) -> Called | None:
        """How callers may name a function of a file; None if nobody knows who calls it."""
        file = self._file(path)
        if not name or file is None or name in file.handed or names_trained_loss(name):
            return None
        owners = file.owners.get(name)
        if owners is None:
            return Called(path, name)
        ours = not is_of_frameworks(name) and name != "__init__"
        return Called("", name) if ours and self._is_declared_once(name) and self._is_own(owners) else None

    def _is_declared_once(self, name: str) -> bool:
        return sum(len(_defining(name).findall(text)) for text in self._texts.values() if name in text) == 1

    def _is_own(self, classes: tuple[str, ...]) -> bool:
        """Whether no class out of view, whose code may call a method, is above some classes."""
        todo, seen = [*classes], set(classes)
        while todo:
            name = todo.pop()
            files = self._defining(name) if name else ()
            declared = [file.classes[name] for file in files if name in file.classes]
            if not declared and name not in _NEUTRAL:
                return False
            above = {base for bases in declared for base in bases} - seen
            seen |= above
            todo += above
        return True

    def _defining(self, name: str) -> Iterator[FileNames]:
        """The files that seem to define something of a name."""
        for path, text in self._texts.items():
            if name in text and _defining(name).search(text) and (file := self._file(path)) is not None:
                yield file

    def _mentioning(self, called: Called) -> list[str]:
        """The files of the program that have a name, that which defines it before the others."""
        whole = re.compile(rf"\b{called.name}\b")
        paths = (called.path, *(path for path in self._texts if path != called.path))
        texts = ((path, self._texts.get(path, "")) for path in paths)
        return [path for path, text in texts if called.name in text and whole.search(text)]

    def _file(self, path: str) -> FileNames | None:
        """What is known of a file; what was known before, if it is no Python now."""
        text = self._texts.get(path)
        known, names = self._read.get(path, (None, None))
        if text is None or text == known:
            return names if text is not None else None
        with suppress(SourceError):
            names = names_in(self._lower(text, path, False))
        self._read[path] = text, names
        return names


def _defining(name: str) -> re.Pattern[str]:
    """What finds the definitions of a name."""
    return re.compile(rf"\b(?:def|class)\s+{name}\b")


def _is_begun(called: Called, callers: Mapping[Called, list[_Caller]]) -> bool:
    """Whether a way to something begins where no gradients are recorded: those who only call one another have none."""
    begun: set[Called] = set()
    while more := {
        each for each in callers.keys() - begun if any(by.without or by.called in begun for by in callers[each])
    }:
        begun |= more
    return called in begun
