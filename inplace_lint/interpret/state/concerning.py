"""Which files of libraries have to do with tensors: those that name PyTorch, or use such files of their package."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from inplace_lint.source.imports_in_text import EVERYTHING, Imported, imports_in

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
    sources = dict.fromkeys(_sources(path, tuple(imports_in(text)), bases, load, place)) if bases else {}
    if any(concerns_tensors(each, load, place, most - 1) for each in sources if each != path):
        return True
    return most == _MOST_FILES and _uses_its_package(path, text, load, place)


def _uses_its_package(path: str, text: str, load: Load, place: Place) -> bool:
    """Whether a file has names from files of its package that import PyTorch."""
    folders = set(path.replace("\\", "/").split("/"))
    own = [each for each in imports_in(text) if each.level or each.module.partition(".")[0] in folders]
    names = {each.name for each in own}
    return any(_TORCH.search(load(each) or "") for each in dict.fromkeys(_sources(path, own, names, load, place)))


def _sources(path: str, imports: Sequence[Imported], wanted: set[str], load: Load, place: Place) -> Iterator[str]:
    """The files from which a file has some names; those that the package in between has them from."""
    for each in imports:
        if not each.name or wanted.isdisjoint((each.name, each.alias)):
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
