"""Why a call of a library was not followed, and what is assumed of it instead."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence

# Their ops are in the op table, whatever is installed.
_KNOWN = frozenset({"torch", "numpy", "builtins"})
_NATIVE = (".so", ".pyd")


def notes(callees: Iterable[str], folders: Sequence[str]) -> Iterator[str]:
    """One sentence for each library function that was given a tensor and not followed.

    Args:
        callees: their full names.
        folders: where libraries are installed.
    """
    for name in sorted(callees):
        top = name.partition(".")[0]
        if "." in name and top not in _KNOWN:
            why = _why(name, folders)
            yield f"`{name}` is not followed: {why}; it is taken to write nothing and to return new memory"


def _why(name: str, folders: Sequence[str]) -> str:
    if not folders:
        return "no environment is known in which it is installed"
    parts = name.split(".")
    homes = [folder for folder in folders if _is_there(folder, parts[0])]
    if not homes:
        return "it is not installed in the environment"
    for folder in homes:
        for depth in range(1, len(parts)):
            if _is_native(os.path.join(folder, *parts[: depth - 1]), parts[depth - 1]):
                return "it is a native extension"
    return "its source is native, or says nothing of tensors"


def _is_there(folder: str, top: str) -> bool:
    place = os.path.join(folder, top)
    return os.path.isdir(place) or os.path.exists(f"{place}.py") or _is_native(folder, top)


def _is_native(folder: str, name: str) -> bool:
    try:
        return any(each.startswith(f"{name}.") and each.endswith(_NATIVE) for each in os.listdir(folder))
    except OSError:
        return False
