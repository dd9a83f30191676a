"""Documentation and explanations as a terminal shows them."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest
from click import unstyle

from inplace_lint.cli import main
from inplace_lint.findings.registry import registry
from inplace_lint.report import painted
from inplace_lint.report.prose import laid_out, wrapped


def plain(text: str, _: str) -> str:
    return text


TEXT = """\
A write that `x.add_(1)` does
over two lines.

## What `it` does

- an item that is longer
  than a line

```python
## no heading
y = `not code`

z = 1
```

    RuntimeError: as it is printed by a program, however long
"""

SHOWN = """\
A write that 'x.add_(1)' does
over two lines.

What 'it' does

- an item that is longer than a
  line

    ## no heading
    y = `not code`

    z = 1

    RuntimeError: as it is printed by a program, however long
"""


def test_marks_are_laid_out() -> None:
    assert laid_out(TEXT, 31, plain) == SHOWN


def test_colours_change_no_word() -> None:
    coloured = laid_out(TEXT, 31, painted)
    assert "\x1b[1mWhat 'it' does\x1b[0m" in coloured
    assert "\x1b[36mx.add_(1)\x1b[0m" in coloured
    assert "\x1b[2m    z = 1\x1b[0m" in coloured
    assert unstyle(coloured).replace("'", "").split() == SHOWN.replace("'", "").split()


def test_code_stays_on_one_line() -> None:
    assert wrapped("    a `b c d e f g h i j k l m n` o", 26, plain) == [
        "    a",
        "      'b c d e f g h i j k l m n'",
        "      o",
    ]


@pytest.mark.parametrize("code", registry())
def test_documentation_of_rules_has_no_marks_left(code: str) -> None:
    shown = unstyle(laid_out(registry()[code].documentation, 60, painted))
    told = [line for line in shown.split("\n") if not line.startswith("    ")]
    assert not re.search(r"`|^##|^>|\*\*|\]\(", "\n".join(told), re.M)
    assert max(map(len, told)) <= 60


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "50")
    monkeypatch.setenv("NO_COLOR", "1")


ERROR = (
    "RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation: "
    "[torch.FloatTensor [4]], which is output 0 of ExpBackward0, is at version 1; expected version 0"
)


@pytest.mark.usefixtures("terminal")
@pytest.mark.parametrize(
    "words", [("rule", "IPL203"), ("rules",), ("why", "model.py:4"), ("explain", ERROR), ("config", "cache-dir")]
)
def test_commands_fit_a_terminal(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    lines = ["import torch", "x = torch.ones(4, requires_grad=True)", "y = torch.sigmoid(x)", "y.mul_(2)"]
    Path("model.py").write_text("\n".join([*lines, "y.sum().backward()", ""]))
    with pytest.raises(SystemExit):
        main(list(words))
    shown = capsys.readouterr().out
    told = [line for line in shown.split("\n") if not line.startswith("    ") or words[0] != "rule"]
    assert "`" not in shown
    assert max(map(len, told)) <= 50


@pytest.mark.skipif(os.name == "nt", reason="takes the terminal for a pipe")
def test_what_is_piped_stays_markdown(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["rule", "IPL203"])
    assert "```python\n" in capsys.readouterr().out
