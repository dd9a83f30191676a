"""Draws `terminal.svg`, the picture in the README, from a run of inplace-lint: `python docs/terminal.py`."""

from __future__ import annotations

import re
import subprocess
import sys
from html import escape
from pathlib import Path

ROOT = Path(__file__).parent.parent
PICTURE = Path(__file__).with_suffix(".svg")
EXAMPLE = "examples/silu.py"

_CHARACTER, _ROW, _MARGIN, _BAR = 8.43, 19, 20, 40
_COLORS = {"31": "#ff7b72", "32": "#7ee787", "33": "#e3b341", "34": "#79c0ff", "36": "#76e3ea"}
_ESCAPE = re.compile(r"\x1b\[([\d;]*)m")

_SVG = """\
<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">
<title>inplace-lint {example}</title>
<rect width="{width}" height="{height}" rx="8" fill="#0d1117"/>
<circle cx="20" cy="20" r="6" fill="#ff5f57"/>
<circle cx="40" cy="20" r="6" fill="#febc2e"/>
<circle cx="60" cy="20" r="6" fill="#28c840"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
 font-size="14" fill="#e6edf3">
{rows}
</g>
</svg>
"""


def picture() -> str:
    """The picture as it is today."""
    lines = [f"$ inplace-lint {EXAMPLE}", *_output().splitlines()]
    columns = max(len(_ESCAPE.sub("", line)) for line in lines)
    return _SVG.format(
        width=round(2 * _MARGIN + columns * _CHARACTER),
        height=_BAR + len(lines) * _ROW + _MARGIN,
        example=EXAMPLE,
        rows="\n".join(_row(number, line) for number, line in enumerate(lines)),
    )


def _output() -> str:
    command = [sys.executable, "-m", "inplace_lint", "check", "--isolated", "--color=always", EXAMPLE]
    return subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8").stdout


def _row(number: int, line: str) -> str:
    # Every stretch is told how wide it is, so that columns meet in any font.
    stretches, column, style = [], 0, ""
    for index, part in enumerate(_ESCAPE.split(line)):
        if index % 2:
            style = _style(part.split(";"))
        elif part:
            x, width = _MARGIN + column * _CHARACTER, len(part) * _CHARACTER
            place = f'x="{x:.2f}" textLength="{width:.2f}"'
            stretches.append(f"<tspan {place}{style}>{escape(part, quote=False)}</tspan>")
            column += len(part)
    return f'<text y="{_BAR + (number + 1) * _ROW}" xml:space="preserve">{"".join(stretches)}</text>'


def _style(codes: list[str]) -> str:
    color = next((f' fill="{_COLORS[code]}"' for code in codes if code in _COLORS), "")
    return color + ' font-weight="bold"' * ("1" in codes)


if __name__ == "__main__":
    PICTURE.write_text(picture(), "utf-8")
