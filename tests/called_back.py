"""Programs whose functions and classes a framework calls: what is found in them, and whether the framework raises."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
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


@dataclass(frozen=True)
class Program:
    """A program with one wrong line, the right one in its place, and the findings with the wrong one.

    Its function `result` gives what the line changes; None where PyTorch raises.
    """

    needs: str
    text: str
    wrong: str
    right: str
    expected: tuple[tuple[str, str], ...]

    def with_line(self, line: str) -> str:
        """The text with this line."""
        return self.text.replace("LINE", line)

    def is_told(self) -> bool:
        """Whether the findings are those that are expected, and none with the right line."""
        return fits(self.with_line(self.wrong), list(self.expected)) and fits(self.with_line(self.right), [])

    def goes_wrong(self) -> bool:
        """Whether the line changes what comes out, or PyTorch raises, where the library is installed."""
        right, wrong = (made(self.with_line(line))["result"] for line in (self.right, self.wrong))
        expected = right()
        return raises(wrong) or not expected.equal(wrong())
