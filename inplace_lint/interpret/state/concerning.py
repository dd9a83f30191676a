"""Which files of libraries have to do with tensors: those that name PyTorch, or define classes upon those of such."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from inplace_lint.source.imports_in_text import EVERYTHING, imports_in

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
    for each in imports_in(text):
        if wanted.isdisjoint((each.name, each.alias)):
            continue
        source = place(each.module, each.level, path)
        if source is None or not source.endswith("__init__.py"):
            yield from () if source is None else (source,)
            continue
        if (beside := place(f"{each.module}.{each.name}".strip("."), each.level, path)) is not None:
            yield beside
        for inner in imports_in(load(source) or ""):
            if inner.level and (inner.name == EVERYTHING or not wanted.isdisjoint((inner.name, inner.alias))):
                found = place(inner.module, inner.level, source)
                yield from () if found is None or found.endswith("__init__.py") else (found,)
