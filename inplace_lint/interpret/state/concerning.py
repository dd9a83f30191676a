"""Which files of libraries have to do with tensors: those that name PyTorch, or define classes upon those of such."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

# How an import is spelled at the margin of a file: its dots, its module, and the names it binds.
_IMPORT = re.compile(r"^from +(\.*)([\w.]*) +import +(\([^)]*\)|[^\n]*)", re.MULTILINE)
_BASES = re.compile(r"^class +\w+ *\(([^)]*)\)", re.MULTILINE)
_NAME = re.compile(r"\w+")

# What a class inherits is looked for in so many files, one after the other.
_MOST_FILES = 4

Load = Callable[[str], str | None]
Place = Callable[[str, int, str], str | None]


def concerns_tensors(path: str, load: Load, place: Place, most: int = _MOST_FILES) -> bool:
    """Whether a file has to do with tensors: a mixin names its base, and what that is made of it need not name.

    Args:
        place: where the file is that a module means, after so many dots, in a file.
        most: how many files to look into.
    """
    text = load(path) or ""
    if "torch" in text:
        return True
    bases = {name for listed in _BASES.findall(text) for name in _NAME.findall(listed)}
    if most <= 1 or not bases:
        return False
    sources = dict.fromkeys(_sources(path, text, bases, load, place))
    return any(concerns_tensors(each, load, place, most - 1) for each in sources if each != path)


def _sources(path: str, text: str, wanted: set[str], load: Load, place: Place) -> Iterator[str]:
    """The files from which a file has some names; those that the package in between has them from."""
    for dots, module, listed in _IMPORT.findall(text):
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
