"""The analysis for other libcst tools: metadata of nodes, and a rule of the real Fixit."""

from __future__ import annotations

import doctest
import subprocess
import sys
from pathlib import Path

import fixit.testing
import libcst
import pytest
import torch
from libcst.metadata import MetadataWrapper, PositionProvider
from test_cases import FILES

from inplace_lint import cst, fixit_rule
from inplace_lint.findings.diagnostic import Diagnostic
from inplace_lint.fixes.edit import edited
from inplace_lint.pipeline.lint_file import lint_source
from inplace_lint.source.place import Span

fixit.testing.add_lint_rule_tests_to_module(globals(), [fixit_rule.AutogradHazard()])


def wrapped(text: str) -> MetadataWrapper:
    return MetadataWrapper(libcst.parse_module(text))


def found(wrapper: MetadataWrapper) -> list[tuple[libcst.CSTNode, Diagnostic]]:
    return [(node, each) for node, some in wrapper.resolve(cst.AutogradHazards).items() for each in some]


def test_the_example_of_the_module() -> None:
    failed, attempted = doctest.testmod(cst)
    assert attempted > 3
    assert not failed


@pytest.mark.parametrize("file", FILES[::12], ids=lambda file: file.stem)
def test_each_diagnostic_stands_on_one_node(file: Path) -> None:
    text = file.read_text("utf-8")
    wrapper = wrapped(text)
    positions, hazards = wrapper.resolve(PositionProvider), found(wrapper)
    assert sorted(map(repr, (each for _, each in hazards))) == sorted(map(repr, lint_source(text)))
    for node, each in hazards:
        place, span = positions[node], each.site.span
        assert (place.start.line, place.start.column + 1) == (span.row, span.column)
        assert (place.end.line, place.end.column + 1) == (span.end_row, span.end_column)


@pytest.mark.parametrize("file", FILES[::12], ids=lambda file: file.stem)
def test_a_cured_statement_is_what_the_edits_make(file: Path) -> None:
    text = file.read_text("utf-8")
    wrapper = wrapped(text)
    positions = wrapper.resolve(PositionProvider)
    for _, each in found(wrapper):
        pair = cst.cured(wrapper.module, positions, each)
        if pair is not None:
            assert each.fix is not None
            new = wrapper.module.deep_replace(*pair)
            assert isinstance(new, libcst.Module)
            assert new.code == edited(text, each.fix.edits)


def test_what_stands_on_no_node_stands_on_the_module() -> None:
    wrapper = wrapped("x = 1  # a comment\n")
    placed = cst._placed(
        wrapper.module, wrapper.resolve(PositionProvider), [(Span(1, 8, 1, 19), "a"), (Span(1, 5, 1, 6), "b")]
    )
    assert {type(node): facts for node, facts in placed.items() if facts} == {
        libcst.Module: ("a",),
        libcst.Integer: ("b",),
    }


# One statement a line. Which of them write, is asked of PyTorch.
WRITES = """\
import torch
x = torch.ones(3)
y = x + 1
y.add_(1)
y += 1
z = torch.relu_(y)
z[0] = 3
w = z.add(2)
torch.add(x, 1, out=w)
w.sigmoid().mul_(2)
with_view = w.view(3).neg_()
w.unsqueeze(0)
v = [x, w]
v[1].zero_()
v[1] = x
torch.nn.functional.relu(v[0], inplace=True)
s = x.sum().item() + 1
s += 1
"""


def test_which_statements_write() -> None:
    wrapper = wrapped(WRITES)
    positions = wrapper.resolve(PositionProvider)
    told = {positions[node].start.line for node, ops in wrapper.resolve(cst.InPlaceWrites).items() if ops}
    seen, names = set(), dict[str, object]()
    for row, line in enumerate(WRITES.splitlines(), 1):
        before = versions(names)
        exec(line, names)
        after = versions(names)
        if any(after.get(each, count) != count for each, count in before.items()):
            seen.add(row)
    assert told - seen == {10}  # it writes what no name holds
    assert seen <= told


def versions(names: dict[str, object]) -> dict[int, int]:
    kept = [each for value in names.values() for each in (value if isinstance(value, list) else [value])]
    return {id(each): each._version for each in kept if isinstance(each, torch.Tensor)}


HAZARD = "import torch\nx = torch.ones(2, requires_grad=True)\ny = x.exp()\ny += 1; z = 3\ny.sum().backward()\n"


def test_fixit_finds_and_fixes(tmp_path: Path) -> None:
    settings = '[tool.fixit]\nroot = true\nenable = ["inplace_lint.fixit_rule"]\ndisable = ["fixit.rules"]\n'
    (tmp_path / "pyproject.toml").write_text(settings)
    net = tmp_path / "net.py"
    net.write_text(HAZARD)
    with pytest.raises(RuntimeError, match="inplace operation"):
        exec(HAZARD, {})
    command = [sys.executable, "-m", "fixit"]
    run = subprocess.run([*command, "lint", "net.py"], cwd=tmp_path, capture_output=True, text=True)
    assert run.stdout.startswith("net.py@4:0 AutogradHazard: IPL202 `+=` modifies `y`")
    assert run.returncode == 1
    subprocess.run([*command, "fix", "--automatic", "net.py"], cwd=tmp_path, capture_output=True)
    assert net.read_text() == HAZARD.replace("y += 1;", "y = y + 1;")
    exec(net.read_text(), {})
    assert subprocess.run([*command, "lint", "net.py"], cwd=tmp_path, capture_output=True).returncode == 0
