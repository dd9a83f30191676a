"""Holds a model file against the library that it describes, in a process of its own: that imports the library."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from inplace_lint.modelling.document import spelled
from inplace_lint.modelling.make import CHECKED, INFERRED
from inplace_lint.modelling.rows import Row
from inplace_lint.project.models import Model

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

AGREES = "agrees"
NOT_RUN = "not run"
_SECONDS = 1800


class NoCheckError(RuntimeError):
    """The library could not be run."""


def verdicts_on(model: Model, folders: Sequence[str]) -> dict[str, str]:
    """What running a library shows of each name in a model file.

    Args:
        model: the file.
        folders: where the library is found.

    Raises:
        NoCheckError: nothing could be run.
    """
    with tempfile.TemporaryDirectory() as folder:
        rows, verdicts = Path(folder, "model.toml"), Path(folder, "verdicts.json")
        rows.write_text(model.text, "utf-8")
        command = [sys.executable, "-m", "inplace_lint.runtime.check_rows", str(rows), str(verdicts)]
        path = os.pathsep.join([*folders, *filter(None, [os.environ.get("PYTHONPATH")])])
        environment = {**os.environ, "PYTHONPATH": path}
        try:
            run = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=_SECONDS)
        except subprocess.TimeoutExpired as error:
            raise NoCheckError(f"stopped after {_SECONDS} seconds") from error
        if not verdicts.exists():
            raise NoCheckError((run.stderr.strip().splitlines() or ["no reason given"])[-1])
        found: dict[str, str] = json.loads(verdicts.read_text("utf-8"))
        return found


def checked(model: Model, verdicts: Mapping[str, str]) -> str:
    """The model file without the rows that are wrong, each with what is known of it as its reason.

    A reason in other words than those of this tool is the user's, and stays.
    """
    document = tomllib.loads(model.text)
    ops = {
        name: [_told(row, verdicts[name]) for row in _rows(entry)] for name, entry in document.get("ops", {}).items()
    }
    modules = {name: _told(entry, verdicts[name]) for name, entry in document.get("modules", {}).items()}
    header = []
    for line in model.text.splitlines():
        if not line.startswith("#"):
            break
        header.append(line.removeprefix("#").strip())
    return spelled(
        {name: rows for name, rows in ops.items() if verdicts[name] in (AGREES, NOT_RUN)},
        {name: entry for name, entry in modules.items() if verdicts[name] in (AGREES, NOT_RUN)},
        header,
    )


def _rows(entry: Any) -> list[Row]:
    return entry if isinstance(entry, list) else [entry]


def _told(row: Row, verdict: str) -> Row:
    own = row.get("reason", INFERRED) not in (INFERRED, CHECKED)
    return row if own else {**row, "reason": CHECKED if verdict == AGREES else INFERRED}
