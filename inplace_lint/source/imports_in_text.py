"""The imports that stand in a text, which is not parsed: it may be long, or just being written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+(?P<dots>\.*)(?P<module>[\w.]*)[ \t]+import\b[ \t]*(?P<names>\([^)]*\)|[^\n#;]*)"
    r"|import[ \t]+(?P<modules>[^\n#;]*))",
    re.MULTILINE,
)
_COMMENT = re.compile(r"#[^\n]*")
# `name`, `name as alias` or `*`: anything else is prose.
_ONE = re.compile(r"\s*(?P<name>[\w.]+|\*)(?:\s+as\s+(?P<alias>\w+))?\s*")

EVERYTHING = "*"


class Imported(NamedTuple):
    """`from <dots>module import name as alias`; without a name, `import module as alias`."""

    module: str
    level: int
    name: str
    alias: str


def imports_in(text: str) -> Iterator[Imported]:
    """All imports in a text, wherever they stand."""
    for found in _IMPORT.finditer(text.replace("\\\n", " ")):
        if found["modules"] is not None:
            yield from (Imported(name, 0, "", alias) for name, alias in _listed(found["modules"]))
        else:
            of = found["module"], len(found["dots"])
            yield from (Imported(*of, name, alias or name) for name, alias in _listed(found["names"]))


def _listed(names: str) -> Iterator[tuple[str, str]]:
    """What `a as b, c` names, each with the name that it is given, if any; in brackets or not."""
    for part in _COMMENT.sub("", names).strip("() \t\n").split(","):
        one = _ONE.fullmatch(part)
        if one is not None:
            yield one["name"], one["alias"] or ""
