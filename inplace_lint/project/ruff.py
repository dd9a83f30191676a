"""Whether ruff, as a project configures it, deletes `# noqa: IPL202` for a comment that means nothing to it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from inplace_lint.project.files import read_file

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

# unused-noqa and invalid-rule-code: the fix of either deletes what it reports, which codes of others are for the first
# in older versions of ruff, and for the second in newer ones.
_DELETING = ("RUF100", "RUF102")
_OURS = "IPL"


def configuration_that_deletes(path: str) -> Path | None:
    """The ruff configuration for a file, if it selects rules about `noqa` without knowing ours (`lint.external`)."""
    for folder in Path(os.path.abspath(path)).parents:
        for name in (".ruff.toml", "ruff.toml", "pyproject.toml"):
            said = _said(folder / name)
            if said is not None:
                return folder / name if _deletes(list(_inherited(folder / name, said))) else None
    return None


def _said(file: Path) -> dict[str, Any] | None:
    """What a file says to ruff; None if it says nothing, or cannot be read."""
    try:
        document: dict[str, Any] = tomllib.loads(read_file(str(file)).decode("utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return None
    if file.name != "pyproject.toml":
        return document
    tools = document.get("tool")
    said = tools.get("ruff") if isinstance(tools, dict) else None
    return said if isinstance(said, dict) else None


def _inherited(file: Path, said: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The tables that make up a configuration: its own, and those that it extends."""
    seen = {file}
    table: dict[str, Any] | None = said
    while table is not None:
        yield table
        above = table.get("extend")
        file = file.parent / os.path.expanduser(above) if isinstance(above, str) else file
        table = None if file in seen else _said(file)
        seen.add(file)


def _deletes(tables: list[dict[str, Any]]) -> bool:
    if any(_OURS.startswith(each) or each.startswith(_OURS) for each in _listed(tables, ["external"])):
        return False
    on = list(_listed(tables, ["select", "extend-select"]))
    off = list(_listed(tables, ["ignore", "extend-ignore"]))
    return any(_nearest(code, on) > _nearest(code, off) for code in _DELETING)


def _listed(tables: Iterable[dict[str, Any]], keys: list[str]) -> Iterator[str]:
    """The words under some keys, which older configurations have outside of `lint`."""
    for table in tables:
        lint = table.get("lint")
        for place in (table, lint if isinstance(lint, dict) else {}):
            for key in keys:
                words = place.get(key)
                yield from (word for word in words if isinstance(word, str)) if isinstance(words, list) else ()


def _nearest(code: str, words: Iterable[str]) -> int:
    """How closely some prefixes name a code: the length of the longest, -1 for none."""
    return max(
        (0 if word == "ALL" else len(word) for word in words if word == "ALL" or code.startswith(word)), default=-1
    )
