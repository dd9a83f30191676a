from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import get_args

import pytest

from inplace_lint.findings.diagnostic import Diagnostic, Edit, Fix, Related
from inplace_lint.project.keys import Format
from inplace_lint.report import Report, render
from inplace_lint.report.frame import Mark, frame
from inplace_lint.source.place import Site, Span

SOURCE = """\
import torch

x = torch.randn(3, requires_grad=True)
y = torch.sigmoid(x)
z = y + 1

y.mul_(2)
z.sum().backward()
"""


def site(row: int, column: int, end_column: int, path: str = "a.py", end_row: int | None = None) -> Site:
    return Site(path, Span(row, column, end_row or row, end_column))


FOUND = Diagnostic(
    "IPL202",
    "saved-output-modified",
    "error",
    "`y` is modified in place, but `sigmoid` needs it for backward",
    site(7, 1, 10),
    (
        Related("saved for backward here", site(4, 5, 21), "save", 2),
        Related("called here", site(1, 1, 4, "b.py"), "call", 1),
    ),
    "write `y = y * 2`",
    Fix("unsafe", "Use `mul`", (Edit(Span(7, 1, 7, 10), "y = y * 2"),)),
    role="write",
    order=3,
)
WARNED = replace(FOUND, code="IPL301", severity="warning", site=site(1, 1, 7, "b.py"), related=(), help=None, fix=None)


def lines(path: str) -> Sequence[str] | None:
    return {"a.py": SOURCE.split("\n"), "b.py": ["f(x)"]}.get(path)


def rendered(format: Format, *diagnostics: Diagnostic, color: bool = False) -> str:
    return render(Report(diagnostics or (FOUND, WARNED), lines, color), format)


def framed(line: str, *marks: Mark) -> list[str]:
    return frame([line], marks, lambda text, _: text, 1, None)[1:-1]


def test_full() -> None:
    assert (
        rendered("full")
        == """\
error[IPL202]: `y` is modified in place, but `sigmoid` needs it for backward
 --> a.py:7:1
  |
4 | y = torch.sigmoid(x)
  |     ---------------- saved for backward here
...
7 | y.mul_(2)
  | ^^^^^^^^^
  |
 ::: b.py:1:1
  |
1 | f(x)
  | --- called here
  |
  = help: write `y = y * 2`

warning[IPL301]: `y` is modified in place, but `sigmoid` needs it for backward
 --> b.py:1:1
  |
1 | f(x)
  | ^^^^
  |

Found 2 problems (1 error, 1 warning) in 2 files.
No fixes available (1 hidden fix can be enabled with the `--unsafe-fixes` option).
To learn more, run `inplace-lint rule IPL202`.
"""
    )


def test_frames_of_several_files_are_equally_wide() -> None:
    far = replace(FOUND, related=(Related("called here", site(1234, 1, 4, "b.py"), "call", 1),), help=None)
    rows = render(Report((far,), lambda path: ["f(x)"] * 2000, summary=False), "full").splitlines()
    assert rows[1] == "    --> a.py:7:1"
    assert {row.index("|") for row in rows if "|" in row} == {5}


def test_full_without_findings() -> None:
    assert render(Report(()), "full") == "No problems found.\n"
    assert render(Report((), summary=False), "full") == ""


def test_full_without_source() -> None:
    assert render(Report((FOUND,), summary=False), "full").split("\n")[1:4] == [
        " --> a.py:7:1",
        "  = note: saved for backward here: a.py:4:5",
        " ::: b.py:1:1",
    ]


def test_colours_change_nothing_else() -> None:
    import re

    colored = rendered("full", color=True)
    assert "\x1b[1;31m" in colored
    assert re.sub(r"\x1b\[[\d;]*m", "", colored) == rendered("full")


def test_one_row_with_several_marks() -> None:
    marks = [Mark(Span(1, 5, 1, 22), style="red"), Mark(Span(1, 1, 1, 2), "read here")]
    assert framed("x * torch.sigmoid_(x)", *marks) == [
        "1 | x * torch.sigmoid_(x)",
        "  |     ^^^^^^^^^^^^^^^^^",
        "  | - read here",
    ]


def test_tabs_wide_characters_and_controls() -> None:
    assert framed("\t\u6f22\u5b57 = x\x1b.y_()", Mark(Span(1, 7, 1, 13), style="red")) == [
        "1 |     \u6f22\u5b57 = x\\u001b.y_()",
        "  |            ^^^^^^^^^^^",
    ]


def test_span_over_rows() -> None:
    text = ["y = f(", "    x,", "    x,", ")", "", "", ""]
    short = frame(text, [Mark(Span(1, 5, 4, 2), "here", "red")], lambda each, _: each, 1, None)
    assert short[1:-1] == [
        "1 | y = f(",
        "  |     ^^",
        "2 |     x,",
        "  |     ^^",
        "3 |     x,",
        "  |     ^^",
        "4 | )",
        "  | ^ here",
    ]
    long = frame(text, [Mark(Span(1, 5, 7, 1), "here", "red")], lambda each, _: each, 1, None)
    assert long[1:-1] == ["1 | y = f(", "  |     ^^", "...", "7 |", "  | ^ here"]


def test_very_long_line() -> None:
    row, under = framed("x = 1; " * 10_000 + "y.mul_(2)", Mark(Span(1, 70_001, 1, 70_010), style="red"))
    assert len(row) < 140
    assert row.startswith("1 | ...")
    assert row[under.index("^") : under.rindex("^") + 1] == "y.mul_(2)"


def test_full_fits_a_terminal() -> None:
    assert (
        render(Report((FOUND, WARNED), lines, width=44), "full")
        == """\
error[IPL202]: `y` is modified in place, but
  `sigmoid` needs it for backward
 --> a.py:7:1
  |
4 | y = torch.sigmoid(x)
  |     ----------------
  |     saved for backward here
...
7 | y.mul_(2)
  | ^^^^^^^^^
  |
 ::: b.py:1:1
  |
1 | f(x)
  | --- called here
  |
  = help: write `y = y * 2`

warning[IPL301]: `y` is modified in place,
  but `sigmoid` needs it for backward
 --> b.py:1:1
  |
1 | f(x)
  | ^^^^
  |

Found 2 problems (1 error, 1 warning) in 2
files.
No fixes available (1 hidden fix can be
enabled with the `--unsafe-fixes` option).
To learn more, run `inplace-lint rule
IPL202`.
"""
    )


@pytest.mark.parametrize("columns", [20, 30, 50, 80, 200])
def test_no_row_of_a_frame_is_wider_than_the_terminal(columns: int) -> None:
    text = ["x = 1; " * 20 + "y.mul_(2)" + "; z = 1" * 20]
    marks = [Mark(Span(1, 141, 1, 150), "", "red"), Mark(Span(1, 143, 1, 148), "here, and there, and by all who know")]
    rows = frame(text, marks, lambda each, _: each, 1, columns)
    assert max(map(len, rows)) <= max(columns, 30 + 4)
    row, under = rows[1:3]
    assert row[under.index("^") : under.rindex("^") + 1] == "y.mul_(2)"


@pytest.mark.parametrize("span", [Span(1, 1, 1, 1), Span(1, 90, 1, 95), Span(1, 5, 1, 2), Span(9, 1, 9, 2)])
def test_spans_that_do_not_fit(span: Span) -> None:
    found = replace(FOUND, site=Site("b.py", span), related=())
    assert "IPL202" in rendered("full", found)


def test_concise() -> None:
    assert rendered("concise") == (
        "a.py:7:1: error[IPL202] `y` is modified in place, but `sigmoid` needs it for backward\n"
        "b.py:1:1: warning[IPL301] `y` is modified in place, but `sigmoid` needs it for backward\n"
        "Found 2 problems (1 error, 1 warning) in 2 files.\n"
        "No fixes available (1 hidden fix can be enabled with the `--unsafe-fixes` option).\n"
    )


def test_grouped() -> None:
    assert rendered("grouped").startswith("a.py:\n  7:1  error[IPL202] `y`")


def test_notebooks_name_the_cell() -> None:
    elsewhere = Related("saved for backward here", site(2, 1, 6, "n.ipynb"), "save", 1, cell=2)
    found = replace(FOUND, site=site(1, 5, 14, "n.ipynb"), related=(elsewhere,), cell=3, help=None)
    cells = {("n.ipynb", 2): ["", "y = 1"], ("n.ipynb", 3): ["if y.mul_(2):"]}
    report = Report((found,), summary=False, cell_lines=lambda path, cell: cells.get((path, cell)))
    assert (
        render(report, "full")
        == """\
error[IPL202]: `y` is modified in place, but `sigmoid` needs it for backward
 --> n.ipynb:cell 3:1:5
  |
1 | if y.mul_(2):
  |     ^^^^^^^^^
  |
 ::: n.ipynb:cell 2:2:1
  |
2 | y = 1
  | ----- saved for backward here
  |
"""
    )
    assert rendered("concise", found).startswith("n.ipynb:cell 3:1:5: error[IPL202]")
    assert rendered("grouped", found).startswith("n.ipynb:\n  cell 3:1:5  error[IPL202]")


@pytest.mark.parametrize("format", get_args(Format))
def test_odd_paths_and_messages(format: Format) -> None:
    odd = replace(FOUND, message="\ud800 \x07\n\u6f22", site=site(1, 1, 2, "caf\udce9 b.py"), help="a\nb")
    text = rendered(format, odd)
    assert "\x07" not in text
