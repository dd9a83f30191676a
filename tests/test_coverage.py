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


def test_a_write_that_only_an_option_asks_for_is_run() -> None:
    text = """import torch


def squashed(x, inplace=False):
    y = torch.sigmoid(x)
    if inplace:
        return y.mul_(2)
    return y * 2
"""
    found = analyze(text, "file.py", [each.rule for each in registry().values()], {}.get)
    assert found.coverage == Coverage(1)
    assert [(rule.code, finding.site.span.row) for rule, finding in found.findings] == [("IPL202", 7)]


def test_who_gives_an_option_of_writing_asks_for_it() -> None:
    text = """import torch


def scaled(x, inplace=False):
    return x.mul_(2) if inplace else x * 2
"""
    found = analyze(text, "file.py", [each.rule for each in registry().values()], {}.get)
    assert (found.coverage, found.findings) == (Coverage(1), [])


@pytest.mark.parametrize("run", range(2), ids=["cold", "warm"])
def test_statistics_tell_of_it(run: int, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "file.py"
    path.write_text(PROGRAM)
    for _ in range(run + 1):
        capfd.readouterr()
        with pytest.raises(SystemExit):
            cli.main(["--isolated", "--statistics", "--cache-dir", str(tmp_path / "cache"), str(path)])
    assert f"1 of 3 writes were reached (33.3 %), not these:\n  {path}:8\n  {path}:15\n" in capfd.readouterr().err


DEEP = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, blocks, deep=0):
        super().__init__()
        self.stem = build(blocks)
        for m in self.modules():
            if isinstance(m, nn.Linear):
                nn.init.zeros_(m.bias)
        if deep > 3:
            self.stem.weight.data.mul_(2)

    def forward(self, x, scale=None, shift=None, gate=None, mask=None, bias=None, last=None):
        x = torch.relu(x)
        if scale:
            x.mul_(2)
        elif shift:
            x.add_(1)
        elif gate:
            x.mul_(3)
        elif mask:
            x[mask] = 0
        elif bias:
            x.sub_(1)
        elif last:
            x.neg_()
        return x
"""


def test_constructors_options_and_many_branches_are_reached() -> None:
    assert covered(DEEP) == Coverage(8)


def test_a_function_that_is_handed_out_is_run() -> None:
    inner = "def made(k):\n    def scale(x):\n        x.mul_(k)\n        return x\n\n    return scale\n"
    assert covered("import torch\n\n\n" + inner) == Coverage(1)


def test_numbers_texts_and_filled_containers_are_no_writes() -> None:
    counts = (
        "import torch\n\n\ndef f(x: torch.Tensor, n: int):\n    found = {}\n    total = 0\n    for row in x:\n"
        "        total += 1\n        found[n] = row\n        n *= 2\n    x.mul_(2)\n    return x\n"
    )
    assert covered(counts) == Coverage(1)


DECIDED = """import torch


def is_pair(item):
    return isinstance(item, tuple)


def kind_of(item):
    return "pair" if is_pair(item) else "one"


def scaled(x):
    y = torch.exp(x)
    if kind_of([x, x]) == "pair":
        y.mul_(2)
    return y
"""


def test_what_helpers_decide_stays_decided_in_a_function_run_alone() -> None:
    assert covered(DECIDED) == Coverage(1, (15,))
