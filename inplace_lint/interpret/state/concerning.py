"""Which files of libraries have to do with tensors: those that name PyTorch, or use such files of their package."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

# How an import is spelled at the margin of a file: its dots, its module, and the names it binds.
_IMPORT = re.compile(r"^from +(\.*)([\w.]*) +import +(\([^)]*\)|[^\n]*)", re.MULTILINE)
_BASES = re.compile(r"^class +\w+ *\(([^)]*)\)", re.MULTILINE)
_NAME = re.compile(r"\w+")
_TORCH = re.compile(r"^(?:import|from) +torch\b", re.MULTILINE)

# What a class inherits is looked for in so many files, one after the other.
_MOST_FILES = 4

Load = Callable[[str], str | None]
Place = Callable[[str, int, str], str | None]


def concerns_tensors(path: str, load: Load, place: Place, most: int = _MOST_FILES) -> bool:
    """Whether a file has to do with tensors: a mixin names its base, and what that is made of it need not name.

    A function that hands on, or makes, objects of classes of its package need not name it either.

    Args:
        place: where the file is that a module means, after so many dots, in a file.
        most: how many files to look into.
    """
    text = load(path) or ""
    if "torch" in text:
        return True
    bases = {name for listed in _BASES.findall(text) for name in _NAME.findall(listed)}
    if most <= 1:
        return False
    sources = dict.fromkeys(_sources(path, _IMPORT.findall(text), bases, load, place)) if bases else {}
    if any(concerns_tensors(each, load, place, most - 1) for each in sources if each != path):
        return True
    return most == _MOST_FILES and _uses_its_package(path, text, load, place)


def _uses_its_package(path: str, text: str, load: Load, place: Place) -> bool:
    """Whether a file has names from files of its package that import PyTorch."""
    folders = set(path.replace("\\", "/").split("/"))
    own = [found for found in _IMPORT.findall(text) if found[0] or found[1].partition(".")[0] in folders]
    names = {name for _, _, listed in own for name in _NAME.findall(listed)}
    return any(_TORCH.search(load(each) or "") for each in dict.fromkeys(_sources(path, own, names, load, place)))


def _sources(
    path: str, imports: list[tuple[str, str, str]], wanted: set[str], load: Load, place: Place
) -> Iterator[str]:
    """The files from which a file has some names; those that the package in between has them from."""
    for dots, module, listed in imports:
        names = set(_NAME.findall(listed))
        if wanted.isdisjoint(names):
            continue
        source = place(module, len(dots), path)
        if source is None or not source.endswith("__init__.py"):
            yield from () if source is None else (source,)
            continue
        for name in sorted(wanted & names):
            if (beside := place(f"{module}.{name}".strip("."), len(dots), path)) is not None:
                yield beside
        for inner_dots, inner, given in _IMPORT.findall(load(source) or ""):
            if inner_dots and ("*" in given or not wanted.isdisjoint(_NAME.findall(given))):
                found = place(inner, len(inner_dots), source)
                yield from () if found is None or found.endswith("__init__.py") else (found,)
