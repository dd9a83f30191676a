"""The code cells of a notebook, and where their source lies in the text of the file."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_SPACE = re.compile(r"[ \t\r\n]*")
_decode = json.JSONDecoder()


class NotebookError(Exception):
    """A file that is no notebook, or none that we can read; the place is one of the file itself."""

    def __init__(self, message: str, row: int = 1, column: int = 1) -> None:
        super().__init__(message)
        self.message = message
        self.row = row
        self.column = column


@dataclass(frozen=True, slots=True)
class Cell:
    """A code cell.

    Args:
        number: counted from 1, other cells included.
        source: its text.
        parts: for each string of the file that the text is made of, where it begins and ends there.
        listed: whether these are the elements of a list.
    """

    number: int
    source: str
    parts: tuple[tuple[int, int], ...]
    listed: bool


def cells_of(text: str) -> list[Cell]:
    """The code cells, in order; none if the notebook's language is not Python.

    Raises:
        NotebookError: the text is no notebook of format 4.
    """
    try:
        notebook = json.loads(text)
    except json.JSONDecodeError as error:
        raise NotebookError(f"is no notebook: not JSON ({error.msg})", error.lineno, error.colno) from error
    except RecursionError as error:
        raise NotebookError("is no notebook: JSON that is nested too deeply") from error
    except ValueError as error:
        raise NotebookError(f"is no notebook: {error}") from error
    _require_format(notebook)
    if _language(notebook) not in ("", "python", "ipython", "python3"):
        return []
    places = list(_elements(text, _values(text, _skip(text, 0))["cells"]))
    return [
        _cell(number, cell, text, start)
        for number, (cell, start) in enumerate(zip(notebook["cells"], places, strict=True), 1)
        if cell["cell_type"] == "code"
    ]


def _require_format(notebook: Any) -> None:
    if not isinstance(notebook, dict):
        raise NotebookError("is no notebook: a JSON object is expected")
    if "worksheets" in notebook and "cells" not in notebook:
        version = notebook.get("nbformat", 3)
        raise NotebookError(f"is a notebook of format {version}; `jupyter nbconvert --to notebook` makes it one of 4")
    cells = notebook.get("cells")
    if not isinstance(cells, list):
        raise NotebookError("is no notebook: it has no list of `cells`")
    for number, cell in enumerate(cells, 1):
        if not isinstance(cell, dict) or not isinstance(cell.get("cell_type"), str):
            raise NotebookError(f"is a broken notebook: cell {number} has no `cell_type`")
        source = cell.get("source")
        strings = isinstance(source, list) and all(isinstance(line, str) for line in source)
        if not strings and not isinstance(source, str):
            raise NotebookError(f"is a broken notebook: the `source` of cell {number} is neither text nor a list of it")


def _language(notebook: Mapping[str, Any]) -> str:
    """What the notebook says of its language; empty if nothing."""
    metadata = notebook.get("metadata")
    for section, key in (("language_info", "name"), ("kernelspec", "language")):
        part = metadata.get(section) if isinstance(metadata, dict) else None
        if isinstance(part, dict) and isinstance(part.get(key), str):
            return str(part[key]).lower()
    return ""


def _cell(number: int, cell: Mapping[str, Any], text: str, start: int) -> Cell:
    source = cell["source"]
    place = _values(text, start)["source"]
    if isinstance(source, str):
        return Cell(number, source, ((place, _end(text, place)),), False)
    parts = tuple((begin, _end(text, begin)) for begin in _elements(text, place))
    return Cell(number, "".join(source), parts, True)


def _skip(text: str, position: int) -> int:
    found = _SPACE.match(text, position)
    assert found is not None
    return found.end()


def _end(text: str, start: int) -> int:
    return _decode.raw_decode(text, start)[1]


def _values(text: str, start: int) -> dict[str, int]:
    """Where the values of a JSON object begin."""
    values: dict[str, int] = {}
    position = _skip(text, start + 1)
    while text[position] != "}":
        key, position = _decode.raw_decode(text, position)
        position = _skip(text, _skip(text, position) + 1)
        values[key] = position
        position = _skip(text, _end(text, position))
        position = _skip(text, position + 1) if text[position] == "," else position
    return values


def _elements(text: str, start: int) -> Iterator[int]:
    """Where the elements of a JSON list begin."""
    position = _skip(text, start + 1)
    while text[position] != "]":
        yield position
        position = _skip(text, _end(text, position))
        position = _skip(text, position + 1) if text[position] == "," else position


def with_sources(text: str, sources: Mapping[int, str], cells: Sequence[Cell]) -> str:
    """The file with new texts for some cells; nothing but the strings that change is written anew."""
    ascii_only = text.isascii()
    for cell in reversed(cells):
        if cell.number in sources and sources[cell.number] != cell.source:
            text = _replaced(text, cell, sources[cell.number], ascii_only)
    return text


def _replaced(text: str, cell: Cell, source: str, ascii_only: bool) -> str:
    if not cell.parts:
        return text  # an empty list; nothing in it can have been fixed
    if not cell.listed:
        (start, end), *_ = cell.parts
        return text[:start] + json.dumps(source, ensure_ascii=ascii_only) + text[end:]
    old = [json.loads(text[start:end]) for start, end in cell.parts]
    new = _like(old, source)
    ahead = _shared(old, new)
    behind = _shared(old[ahead:][::-1], new[ahead:][::-1])
    changed = [json.dumps(line, ensure_ascii=ascii_only) for line in new[ahead : len(new) - behind]]
    first, last = ahead, len(old) - behind
    if first == last or not changed:  # only additions, or none: a neighbour lends its place
        if ahead:
            first, changed = first - 1, [text[slice(*cell.parts[first - 1])], *changed]
        elif behind:
            last, changed = last + 1, [*changed, text[slice(*cell.parts[last])]]
        else:
            changed = ['""']
    between = text[cell.parts[0][1] : cell.parts[1][0]] if len(cell.parts) > 1 else ","
    if len(cell.parts) == 1 and "\n" in text[: cell.parts[0][0]]:
        between += text[text.rfind("\n", 0, cell.parts[0][0]) : cell.parts[0][0]]
    return text[: cell.parts[first][0]] + between.join(changed) + text[cell.parts[last - 1][1] :]


def _like(old: Sequence[str], source: str) -> list[str]:
    """A text as a list of strings: one for each row, as Jupyter writes it, or in one piece if it was so."""
    if len(old) == 1 and "\n" in old[0][:-1]:
        return [source]
    return [line for line in re.split(r"(?<=\n)", source) if line]


def _shared(a: Sequence[str], b: Sequence[str]) -> int:
    """How many elements two lists have in common from the beginning."""
    count = 0
    for left, right in zip(a, b, strict=False):
        if left != right:
            break
        count += 1
    return count
