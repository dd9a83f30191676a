"""What a file calls and defines, by name, and what it may call a function of another file."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from inplace_lint.interpret.analysis.call_graph import Call, calls_in, switches_off
from inplace_lint.source import ir
from inplace_lint.source.spelling import last_word
from inplace_lint.source.walk import nodes

# What makes of a function one that is called by its name, as before. Others may hand it to anybody.
_LEAVE_NAMED = frozenset(
    "staticmethod classmethod abstractmethod override script compile jit njit cache lru_cache deprecated".split()
)

_EVERYTHING = "*"
_PACKAGE = "__init__.py"


class Imported(NamedTuple):
    """`from <dots>module import name as alias`; without a name, `import module as alias`."""

    module: str
    level: int
    name: str
    alias: str


@dataclass(frozen=True, slots=True)
class FileNames:
    """What is known of a file.

    Args:
        calls: all calls, by the last word of what is called.
        given: what is used in another way than to call it.
        defined: how many functions and classes, within others too, there are of a name.
        functions: the functions outside of others and the methods, by the rows of their names.
        classes: the names of what each class is derived from.
        owners: by the names of methods, the classes that declare them.
        handed: the names of functions that a decorator may hand to anybody.
        imports: all imports, wherever they stand.
    """

    calls: Mapping[str, tuple[Call, ...]]
    given: frozenset[str]
    defined: Mapping[str, int]
    functions: Mapping[int, str]
    classes: Mapping[str, tuple[str, ...]]
    owners: Mapping[str, tuple[str, ...]]
    handed: frozenset[str]
    imports: tuple[Imported, ...]


def names_in(module: ir.Module) -> FileNames:
    """What is known of a file by its syntax."""
    calls: dict[str, list[Call]] = {}
    for call in calls_in(module):
        calls.setdefault(call.called, []).append(call)
    everything = list(nodes(module.body))
    functions = [node for node in everything if isinstance(node, ir.Function)]
    classes = [node for node in everything if isinstance(node, ir.ClassDef)]
    methods = list(_methods(module))
    owners: dict[str, tuple[str, ...]] = {}
    for owner, method in methods:
        owners[method.name] = (*owners.get(method.name, ()), owner)
    plain = [node.function for node in nodes(module.body, inner=False) if isinstance(node, ir.FunctionDef)]
    return FileNames(
        {name: tuple(each) for name, each in calls.items()},
        _given(everything),
        Counter([*(each.name for each in functions), *(each.name for each in classes)]),
        {each.span.row: each.name for each in (*plain, *(method for _, method in methods))},
        {cls.name: tuple(last_word(base.value) for base in cls.bases) for cls in classes},
        owners,
        frozenset(each.name for each in functions if not all(map(_leaves_named, each.decorators))),
        tuple(_imports(everything)),
    )


def _methods(module: ir.Module) -> Iterator[tuple[str, ir.Function]]:
    """The methods of classes outside of functions and other classes, with the names of these."""
    for cls in nodes(module.body, inner=False):
        if isinstance(cls, ir.ClassDef):
            yield from ((cls.name, member.function) for member in cls.body if isinstance(member, ir.FunctionDef))


def _given(everything: Iterable[ir.Node]) -> frozenset[str]:
    """What is used in another way than to call it."""
    used = [node for node in everything if isinstance(node, (ir.Name, ir.Attr, ir.Call))]
    called = {id(node.func) for node in used if isinstance(node, ir.Call)}
    return frozenset(last_word(node) for node in used if not isinstance(node, ir.Call) and id(node) not in called)


def _leaves_named(decorator: ir.Expr) -> bool:
    made = decorator.func if isinstance(decorator, ir.Call) else decorator
    return switches_off(decorator) or last_word(made) in _LEAVE_NAMED


def _imports(everything: Iterable[ir.Node]) -> Iterator[Imported]:
    for node in everything:
        if isinstance(node, ir.Import):
            yield Imported(node.module, 0, "", node.name)
        elif isinstance(node, ir.ImportFrom):
            yield from (Imported(node.module, node.level, name, alias) for name, alias in node.names)


class Modules:
    """Which files of a program imports mean, by their paths alone.

    Args:
        paths: all files.
        read: what is known of one.
    """

    def __init__(self, paths: Collection[str], read: Callable[[str], FileNames | None]) -> None:
        self._read = read
        self._by_end: dict[str, list[tuple[tuple[str, ...], str]]] = {}
        self._at: dict[tuple[str, ...], str] = {}
        for path in paths:
            parts = _parts(path)
            self._at[parts] = path
            if parts:
                self._by_end.setdefault(parts[-1], []).append((parts, path))

    def words(self, path: str, name: str, importer: str) -> tuple[frozenset[str], bool]:
        """The words by which a file may call what a file defines, and whether it does so for sure if it does."""
        file = self._read(importer)
        found: set[str] = set()
        sure = True
        for each in file.imports if file is not None else ():
            if self._gives(each, path, name, importer):
                found.add(each.alias if each.name not in ("", _EVERYTHING) else name)
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
        wanted = name if imported.name == _EVERYTHING else imported.name
        return any(self._has(module, wanted, path, name, set()) for module in self._meant(imported, importer))

    def _has(self, module: str, word: str, path: str, name: str, seen: set[tuple[str, str]]) -> bool:
        """Whether a word means in a file what another one defines."""
        if module == path:
            return word == name
        if (module, word) in seen or (file := self._read(module)) is None:
            return False
        seen.add((module, word))
        return any(
            self._has(other, word if each.name == _EVERYTHING else each.name, path, name, seen)
            for each in file.imports
            if each.name and (each.name == _EVERYTHING or each.alias == word)
            for other in self._meant(each, module)
        )

    def _is_way(self, imported: Imported, path: str, name: str, importer: str) -> bool:
        """Whether what is imported is a module in which others may find what a file defines: `module.name`."""
        if imported.name == _EVERYTHING:
            return False
        modules = [*self._modules_of(imported, importer)]
        if not imported.name:
            modules += self._meant(Imported(imported.module.partition(".")[0], 0, "", ""), importer)
        for package in self._meant(imported, importer) if imported.name else ():
            # A package may have a module by another name.
            file = self._read(package)
            named = (each for each in (file.imports if file is not None else ()) if each.alias == imported.name)
            modules += (module for each in named for module in self._modules_of(each, package))
        return any(self._leads(module, path, name) for module in modules)

    def _leads(self, module: str, path: str, name: str) -> bool:
        above = module.endswith(_PACKAGE) and _parts(path)[: len(_parts(module))] == _parts(module)
        file = self._read(module)
        ways = file.imports if file is not None else ()
        inner = any(path in self._modules_of(each, module) for each in ways)
        return module == path or above or inner or self._has(module, name, path, name, set())

    def _modules_of(self, imported: Imported, importer: str) -> tuple[str, ...]:
        """The modules that may be imported as such."""
        whole = f"{imported.module}.{imported.name}".strip(".") if imported.name else imported.module
        return self._meant(Imported(whole, imported.level, "", ""), importer)

    def _resembles(self, imported: Imported, path: str, name: str, importer: str) -> bool:
        """Whether an import that means no file of the program ends like one that would mean a file."""
        if imported.level or not imported.module:
            return False
        if self._meant(imported, importer) or self._modules_of(imported, importer):
            return False
        end = (_parts(path) or ("",))[-1]
        words = imported.module.split(".")
        return (imported.name == name and words[-1] == end) or end in (imported.name, *words[1:])

    def _meant(self, imported: Imported, importer: str) -> tuple[str, ...]:
        """The files that a module may mean."""
        words = tuple(word for word in imported.module.split(".") if word)
        if imported.level:
            folder = os.path.abspath(importer).split(os.sep)[: -imported.level]
            found = self._at.get((*folder, *words))
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
