"""Programs whose functions and classes a framework calls: what is found in them, and whether the framework raises."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from inplace_lint import lint_source


def found(text: str) -> list[tuple[str, str]]:
    """The code of each finding, and its line."""
    lines = text.splitlines()
    return [(each.code, lines[each.site.span.row - 1]) for each in lint_source(text, "net.py")]


def fits(text: str, expected: list[tuple[str, str]]) -> bool:
    """Whether the findings are these, each with a part of its line."""
    told = found(text)
    return len(told) == len(expected) and all(
        code == wanted and part in line for (code, line), (wanted, part) in zip(told, expected, strict=True)
    )


def made(text: str) -> Any:
    """What a program defines."""
    names: dict[str, Any] = {"__name__": "net"}
    exec(compile(text, "net.py", "exec"), names)
    return names


def raises(run: Callable[[], Any]) -> bool:
    """Whether autograd refuses a write."""
    try:
        run()
    except RuntimeError as error:
        return any(word in str(error) for word in ("in-place", "inplace"))
    return False
