"""Which writes were run: counted for each file, kept in the cache, and told by `--statistics`."""

from __future__ import annotations

from pathlib import Path

import pytest

from inplace_lint import cli
from inplace_lint.findings.analysis import Coverage
from inplace_lint.findings.registry import registry
from inplace_lint.interpret.analysis.analyze import analyze

PROGRAM = """import torch


def scaled(x, given):
    y = torch.sigmoid(x)
    if given:
        return y
        y.mul_(2)
    for row in y:
        row.add_(
            1,
        )

    def shifted():
        y[0] = 3

    return y, shifted
"""


def covered(text: str) -> Coverage:
    """What of a text was run."""
    return analyze(text, "file.py", [each.rule for each in registry().values()], {}.get).coverage


def test_writes_that_no_path_comes_to_are_named() -> None:
    assert covered(PROGRAM) == Coverage(3, (8, 15))


def test_a_nested_function_that_is_called_is_run() -> None:
    assert covered(PROGRAM.replace("y, shifted\n", "shifted()\n")) == Coverage(3, (8,))


def test_what_writes_nothing_has_nothing_to_cover() -> None:
    assert covered("import torch\n\n\ndef f(x):\n    return torch.sigmoid(x)\n") == Coverage()


def test_the_top_of_a_file_counts() -> None:
    text = "import torch\n\nx = torch.ones(2)\ny = x.exp()\nx += 1\ny += 1\n(y + x).sum()\n"
    assert covered(text) == Coverage(2)


@pytest.mark.parametrize("run", range(2), ids=["cold", "warm"])
def test_statistics_tell_of_it(run: int, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "file.py"
    path.write_text(PROGRAM)
    for _ in range(run + 1):
        capfd.readouterr()
        with pytest.raises(SystemExit):
            cli.main(["--isolated", "--statistics", "--cache-dir", str(tmp_path / "cache"), str(path)])
    assert f"1 of 3 writes were reached (33.3 %), not these:\n  {path}:8\n  {path}:15\n" in capfd.readouterr().err
