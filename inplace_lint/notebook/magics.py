"""Sets aside what IPython runs and Python does not know: `%magic`, `%%cell magic`, `!shell`, `help?`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

# Under these, the rest of a cell is Python in the notebook's own namespace.
_PYTHON_CELLS = frozenset({"capture", "debug", "prun", "time", "timeit"})

_CELL_MAGIC = re.compile(r"\s*%%(\w*)")
_TIMED = re.compile(r"(\s*)(%time(?:it)?)(\s+[^-\s].*)$")
_ASSIGNED = re.compile(r"([\w.,\s\[\]'\"]+=\s*)[!%](?!=).*$")

# Strings, comments, brackets: what decides whether a statement goes on in the next row.
_TOKEN = re.compile(r"'''|\"\"\"|'(?:\\.|[^'\\])*'?|\"(?:\\.|[^\"\\])*\"?|#.*|[()\[\]{}]|\\$")


def without_magics(source: str) -> str:
    """A cell as Python: the same rows and columns, with what is no Python replaced by what does nothing."""
    rows = source.split("\n")
    first = next((number for number, row in enumerate(rows) if row.strip()), 0)
    magic = _CELL_MAGIC.match(rows[first])
    if magic is not None:
        if magic[1] not in _PYTHON_CELLS:
            return "\n" * (len(rows) - 1)
        rows[first] = ""
    return "\n".join(_python_rows(rows))


def _python_rows(rows: list[str]) -> Iterator[str]:
    state, gone = _State(), False
    for row in rows:
        if gone:  # the row before ended with a backslash
            gone = row.endswith("\\")
            yield ""
            continue
        kept = row if state.inside else _python(row)
        gone = row.endswith("\\") and not kept.endswith("\\")
        state.read(kept)
        yield kept


def _python(row: str) -> str:
    """A row that begins a statement."""
    timed = _TIMED.match(row)
    if timed is not None:  # what is timed is run, and stays in its columns
        return f"{timed[1]}{'pass;':{len(timed[2])}}{timed[3]}"
    assigned = _ASSIGNED.match(row)
    if assigned is not None:
        return f"{assigned[1]}None"
    body = row.strip()
    asks = body.endswith("?") and not any(quote in body for quote in "#'\"")
    return f"{row[: len(row) - len(row.lstrip())]}pass" if asks or body.startswith(("%", "!", "?")) else row


@dataclass(slots=True)
class _State:
    """Whether the rows read so far leave a bracket or a string open."""

    depth: int = 0
    quotes: str = ""
    continued: bool = False

    @property
    def inside(self) -> bool:
        return bool(self.depth > 0 or self.quotes or self.continued)

    def read(self, row: str) -> None:
        """Go on by one row."""
        self.continued = False
        position = 0
        while position < len(row):
            if self.quotes:
                end = _end_of_string(row, position, self.quotes)
                if end is None:
                    return
                position, self.quotes = end, ""
                continue
            token = _TOKEN.search(row, position)
            if token is None:
                return
            position = token.end()
            text = token[0]
            if text in ("'''", '"""'):
                self.quotes = text
            elif text == "\\":
                self.continued = True
            elif text in "([{":
                self.depth += 1
            elif text in ")]}":
                self.depth -= 1


def _end_of_string(row: str, position: int, quotes: str) -> int | None:
    found = re.compile(rf"(?:\\.|(?!{quotes})[^\\])*{quotes}").match(row, position)
    return found.end() if found is not None else None
