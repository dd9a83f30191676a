"""Model files as text: rows in TOML, sorted by name, one value a line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from inplace_lint.modelling.rows import Row

Ops = Mapping[str, Sequence[Row]]
Modules = Mapping[str, Row]


def spelled(ops: Ops, modules: Modules, header: Sequence[str]) -> str:
    """The text of a model file, with comments at its head."""
    lines = [f"# {line}".rstrip() for line in header]
    for name, rows in sorted(ops.items()):
        many = len(rows) > 1
        for row in rows:
            lines += ["", f"[[ops.{_text(name)}]]" if many else f"[ops.{_text(name)}]", *_pairs(row)]
    for name, entry in sorted(modules.items()):
        lines += ["", f"[modules.{_text(name)}]", *_pairs({key: entry[key] for key in entry if key != "forward"})]
        for row in entry.get("forward", ()):
            lines += ["", f"[[modules.{_text(name)}.forward]]", *_pairs(row)]
    return "\n".join(lines) + "\n"


def _pairs(row: Mapping[str, Any]) -> Iterator[str]:
    yield from (f"{key} = {_value(value)}" for key, value in row.items())


def _value(value: object) -> str:
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{key} = {_value(each)}' for key, each in value.items())} }}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        return "inf" if value > 0 else "-inf"
    return _text(value)


def _text(value: object) -> str:
    """As JSON and TOML both write it."""
    return json.dumps(value)
