"""The memory of a finding as a picture: a bar for the memory, from top to bottom as the program runs.

Who saves, writes or reads it points at the bar, which is split where the write makes another version of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from inplace_lint.findings.diagnostic import Diagnostic, Role
from inplace_lint.report import Report
from inplace_lint.report.frame import piece
from inplace_lint.report.html.markup import text
from inplace_lint.report.story import Step

_WIDTH, _ROW, _TOP = 352, 46, 8
_BAR, _THICK = 176, 34
_LONGEST = 22
_WORDS: dict[Role, str] = {
    "bind": "holds",
    "save": "saves",
    "call": "calls",
    "write": "writes",
    "read": "reads",
    "backward": "backward",
    "raise": "raises",
}


@dataclass(frozen=True, slots=True)
class _Versions:
    """The memory before the write and after it, and what a backward pass and a reader say there."""

    before: str = "v0"
    after: str = "v1"
    written: str = ""
    saved: str = "wants v0, finds v1"
    read: str = "finds v1"


_COUNTED = _Versions()
# Writes that no version counter counts: the memory is another, and nothing tells.
_UNCOUNTED = _Versions("v0", "v0", "not counted", "finds other values", "finds other values")
_REFUSED = _Versions(after="", written="refused")


def picture(number: int, diagnostic: Diagnostic, steps: Sequence[Step], report: Report) -> str:
    """The picture of a finding, from its places in the order of execution."""
    shown = [step for step in steps if step.role is not None and step.role != "raise"]
    written = next((at for at, step in reversed(list(enumerate(shown))) if step.role == "write"), None)
    versions = _versions(diagnostic)
    height = _TOP + _ROW * len(shown) + 6
    body = _bar(_begins(shown), len(shown), written, versions)
    saves = [at for at, step in enumerate(shown) if step.role == "save"]
    for at, step in enumerate(shown):
        body += _step(at, step, _source(step, report))
        body += _arrow(at, step.role)
        body += _finds(at, step, versions, written, bool(saves))
    ends = [at for at, step in enumerate(shown) if step.role == "backward"]
    if saves and ends and written is not None:
        body += _held(saves[0], ends[-1])
    name = f"f{number}m"
    return (
        f'<svg class="memory" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}" role="img" '
        f'aria-labelledby="{name}"><title id="{name}">The memory as the program runs: {text(_told(shown))}</title>'
        f"{body}</svg>"
    )


def _versions(diagnostic: Diagnostic) -> _Versions:
    if diagnostic.code == "IPL401":
        return _UNCOUNTED
    # The rules of family 1 find what PyTorch refuses at once.
    return _REFUSED if diagnostic.code[3:4] == "1" and diagnostic.severity == "error" else _COUNTED


def _told(steps: Sequence[Step]) -> str:
    return ", ".join(f"{step.order} {_WORDS[step.role]}" for step in steps if step.role)


def _middle(at: int) -> int:
    return _TOP + _ROW * at + _ROW // 2


def _begins(steps: Sequence[Step]) -> int:
    """The first step that has to do with the memory: before it something is made that writes, or calls lead to it."""
    return next((at for at, step in enumerate(steps) if step.role != "call" and not _makes(step)), 0)


def _makes(step: Step) -> bool:
    return step.own and step.role == "bind"


def _bar(first: int, count: int, written: int | None, versions: _Versions) -> str:
    top, end = _TOP + _ROW * first, _TOP + _ROW * count
    split = end if written is None or not versions.after else _middle(written)
    out = f'<rect class="old" x="{_BAR}" y="{top}" width="{_THICK}" height="{split - top}" rx="5"/>'
    if split - top > 20:
        out += _text(_BAR + _THICK // 2, top + 16, versions.before, "v")
    if split < end:
        out += f'<rect class="new" x="{_BAR}" y="{split}" width="{_THICK}" height="{end - split}" rx="5"/>'
        out += _text(_BAR + _THICK // 2, split + 17, versions.after, "v n")
    return out


def _step(at: int, step: Step, source: str) -> str:
    y = _middle(at)
    word = "made" if _makes(step) else _WORDS[step.role] if step.role else ""
    return (
        f'<circle class="{step.role}" cx="13" cy="{y}" r="10"/>{_text(13, y + 4, str(step.order), "s")}'
        f"{_text(30, y - 3, word, f'w {step.role}')}{_text(30, y + 12, source, 'src')}"
    )


def _arrow(at: int, role: Role | None) -> str:
    if role in ("call", "bind"):
        return ""
    y = _middle(at) - 7
    end = _BAR - 2
    return f'<path class="arrow {role}" d="M102 {y}H{end - 4}"/><path class="tip {role}" d="M{end} {y}l-8-4v8z"/>'


def _finds(at: int, step: Step, versions: _Versions, written: int | None, saved: bool) -> str:
    """What is said on the other side of the bar."""
    x, y = _BAR + _THICK + 8, _middle(at) - 3
    if step.role == "save":
        return _text(x, y, f"keeps {versions.before}", "f save")
    if at == written and versions.written:
        return _text(x, y, versions.written, "f write")
    if written is None or at < written:
        return ""
    if step.role == "backward":
        return _text(x, y, versions.saved if saved else versions.read, "f write")
    return _text(x, y, versions.read, "f write") if step.role == "read" else ""


def _held(first: int, last: int) -> str:
    """The way of what was saved, from there to the backward pass that asks for it."""
    return f'<path class="held" d="M{_BAR + _THICK + 14} {_middle(first) + 4}V{_middle(last) - 16}"/>'


def _source(step: Step, report: Report) -> str:
    lines = report.source(step.site.path, step.cell)
    span = step.site.span
    if span.row > len(lines):
        return ""
    end = span.end_column - 1 if span.end_row == span.row else None
    shown = piece(lines[span.row - 1][span.column - 1 : end][: _LONGEST + 1].strip())
    return shown if len(shown) <= _LONGEST else shown[: _LONGEST - 1] + "\u2026"


def _text(x: int, y: int, content: str, style: str) -> str:
    return f'<text class="{style}" x="{x}" y="{y}">{text(content)}</text>'
