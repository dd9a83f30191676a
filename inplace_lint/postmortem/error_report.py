"""Reads what PyTorch printed: the error about an in-place operation, and the tracebacks around it.

The text may be a whole training log. The last such error in it counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePath
from typing import Literal

from inplace_lint.torch_model.events import Refused
from inplace_lint.torch_model.messages import Stale, is_cached, is_stale, node_name, refusal, stale

# `File "train.py", line 3, in main`; `train.py:3: RuntimeError` (pytest); `File train.py:3, in main` (IPython).
_FRAMES = (
    re.compile(r'File "(?P<path>[^"\n]+)", line (?P<row>\d{1,9})'),
    re.compile(r"^(?:File )?(?P<path>(?:[A-Za-z]:)?[^\s:\"]+\.py):(?P<row>\d{1,9})(?::|,| in |$)"),
    re.compile(r"Cell In\s?\[(?P<path>\d+)\], line (?P<row>\d{1,9})"),
)
_STARTS = re.compile(r"Traceback \(most recent call last\)")
_DETECTED = re.compile(r"Error detected in (?P<node>\w+)\. Traceback of forward call that caused the error:")
_ENDS = re.compile(r"\(Triggered internally at")
_INSTALLED = re.compile(r"(?:site|dist)-packages|[/\\]lib[/\\]python3|^<frozen |[/\\]torch[/\\]")


Kind = Literal["stale", "cached"] | Refused


@dataclass(frozen=True, slots=True)
class Frame:
    """A line of a traceback."""

    path: str
    row: int

    @property
    def is_users(self) -> bool:
        """Whether it is not in an installed library."""
        return not _INSTALLED.search(self.path)

    @property
    def name(self) -> str:
        """The file's name without folders."""
        return PurePath(self.path.replace("\\", "/")).name


@dataclass(frozen=True, slots=True)
class ErrorReport:
    """An error of PyTorch's about an in-place operation.

    Args:
        kind: `stale` if a backward pass found a saved tensor overwritten, `cached` if it was saved by a selective
            checkpoint, else why a write was refused.
        message: the line with the error.
        details: what the message says of the overwritten tensor, if it says that.
        frames: the user's lines in the traceback, outermost first; empty if there is none.
        forward: the same of the forward call, which anomaly mode prints.
        failed: the node whose backward failed, which anomaly mode prints (`Sigmoid`).
    """

    kind: Kind
    message: str
    details: Stale | None
    frames: tuple[Frame, ...]
    forward: tuple[Frame, ...]
    failed: str | None


def read_report(text: str) -> ErrorReport | None:
    """The last error about an in-place operation in a text; None if there is none."""
    lines = text.splitlines()
    at = next((number for number in reversed(range(len(lines))) if _kind(lines, number) is not None), None)
    if at is None:
        return None
    kind = _kind(lines, at)
    assert kind is not None
    message = _message(lines, at)
    forward, failed = _forward(lines)
    return ErrorReport(kind, message, stale(message), _before(lines, at), forward, failed)


def _kind(lines: list[str], number: int) -> Kind | None:
    if is_cached(lines[number]):
        return "cached"
    text = _message(lines, number)
    if is_stale(text):
        # A message that was broken into several lines is found once, where it begins.
        return "stale" if is_stale(lines[number]) or "one of the variables" in lines[number] else None
    return refusal(lines[number])


def _message(lines: list[str], number: int) -> str:
    """The line, with those after it to which a narrow terminal may have broken it."""
    return " ".join(line.strip() for line in lines[number : number + 8]) if _is_broken(lines[number]) else lines[number]


def _is_broken(line: str) -> bool:
    return "one of the variables" in line and "expected version" not in line


def _before(lines: list[str], at: int) -> tuple[Frame, ...]:
    """The frames of the traceback that ends at a line."""
    start = next((number for number in reversed(range(at)) if _STARTS.search(lines[number])), None)
    if start is not None:
        return tuple(_frames(lines[start:at]))
    # pytest and IPython print their frames around the message, without a heading.
    return () if any(map(_DETECTED.search, lines)) else tuple(_frames(lines))


def _forward(lines: list[str]) -> tuple[tuple[Frame, ...], str | None]:
    for number, line in enumerate(lines):
        found = _DETECTED.search(line)
        if found:
            rest = lines[number + 1 :]
            end = next((i for i, each in enumerate(rest) if _ENDS.search(each) or _STARTS.search(each)), len(rest))
            return tuple(_frames(rest[:end])), node_name(found["node"])
    return (), None


def _frames(lines: list[str]) -> Iterator[Frame]:
    for line in lines:
        found = next((match for pattern in _FRAMES if (match := pattern.search(line.strip()))), None)
        if found is not None:
            frame = Frame(found["path"], int(found["row"]))
            if frame.is_users:
                yield frame
