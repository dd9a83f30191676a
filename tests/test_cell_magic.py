"""`%%inplace_lint` runs a cell as it would run without it, and tells what autograd does with its writes."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("IPython")

from IPython.core.interactiveshell import InteractiveShell

SETUP = """\
import torch

def scaled(x):
    h = torch.sigmoid(x)
    h.mul_(2)
    return h

x = torch.ones(3, requires_grad=True)
"""
RAISES = """\
%%inplace_lint
loss = scaled(x).sum()
loss.backward()
"""
SILENT = """\
%%inplace_lint
h = torch.sigmoid(x)
h.data.mul_(2)
h.sum().backward()
h.shape
"""


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("IPYTHONDIR", str(tmp_path_factory.mktemp("ipython")))
        made = InteractiveShell()
        made.history_manager.enabled = False
        made.run_line_magic("colors", "nocolor")
        made.run_cell("%load_ext inplace_lint").raise_error()
        made.run_cell(SETUP).raise_error()
        yield made


@pytest.mark.skipif(sys.version_info < (3, 11), reason="notes on errors")
def test_an_error_has_its_story(shell: Any, capsys: pytest.CaptureFixture[str]) -> None:
    result = shell.run_cell(RAISES)
    assert isinstance(result.error_in_exec, RuntimeError)
    output = capsys.readouterr().out
    assert output.count("error[IPL202]: `mul_` modifies `h`") == 1
    assert "3 | loss.backward()\n" in output, "rows count from the magic"
    assert "cell_magic.py" not in output
    assert "recorder.py" not in output


def test_a_silent_write_is_told_under_the_cell(shell: Any, capsys: pytest.CaptureFixture[str]) -> None:
    result = shell.run_cell(SILENT)
    assert list(result.result) == [3]
    captured = capsys.readouterr()
    assert captured.err.count("IPL401") == 1
    assert "3 | h.data.mul_(2)\n" in captured.err


def test_strict(shell: Any) -> None:
    result = shell.run_cell(SILENT.replace("lint", "lint --strict", 1))
    assert type(result.error_in_exec).__name__ == "InplaceError"


def test_a_right_cell_is_as_it_is_without(shell: Any, capsys: pytest.CaptureFixture[str]) -> None:
    result = shell.run_cell("%%inplace_lint\ny = !echo five\nlen(y[0])")
    assert result.result == 4
    assert capsys.readouterr().err == ""
    assert "y" in shell.user_ns


def test_mistakes_are_told(shell: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert isinstance(shell.run_cell("%%inplace_lint --struct\n1").error_in_exec, ValueError)
    assert isinstance(shell.run_cell("%%inplace_lint\nx = (").error_in_exec, SyntaxError)
    capsys.readouterr()
