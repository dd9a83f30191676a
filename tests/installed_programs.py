"""Programs with libraries of their own: what is found in them, and what real PyTorch does."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from inplace_lint import Config, lint_paths

SITE = Path("lib", "python3.11", "site-packages")


def install(place: Path, files: Mapping[str, str]) -> Path:
    """A virtual environment in which files are installed."""
    (place / SITE).mkdir(parents=True, exist_ok=True)
    (place / "pyvenv.cfg").write_text("home = /usr/bin\n")
    for name, text in files.items():
        (place / SITE / name).parent.mkdir(parents=True, exist_ok=True)
        (place / SITE / name).write_text(text)
    return place


def found(text: str, python: Path | str, path: str | Path = "main.py") -> list[tuple[str, int, str]]:
    """The findings in a program: code, row, and file."""
    Path(path).write_text(text)
    result = lint_paths([str(path)], Config(python=str(python)))
    return [(each.code, each.site.span.row, Path(each.site.path).name) for each in result.diagnostics]


@contextmanager
def importable(environment: Path) -> Iterator[None]:
    """Have what is installed in an environment importable for a while."""
    before, folder = set(sys.modules), str(environment / SITE)
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        sys.path.remove(folder)
        for name in set(sys.modules) - before:
            if str(getattr(sys.modules[name], "__file__", None)).startswith(folder):
                del sys.modules[name]


def result(text: str, environment: Path) -> Any:
    """What `main()` of a program gives; a RuntimeError if that is raised."""
    with importable(environment):
        names: dict[str, Any] = {"__name__": "program"}
        exec(compile(text, "main.py", "exec"), names)
        try:
            return names["main"]()
        except RuntimeError as error:
            return error
