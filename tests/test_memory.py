"""The memory that in-place operations save, counted byte by byte."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
import torch
from html_pages import Read

from inplace_lint.cli import main
from inplace_lint.runtime.errors import TargetError
from inplace_lint.runtime.inputs import read_inputs
from inplace_lint.runtime.memory.meter import Meter
from inplace_lint.runtime.memory.units import ticks
from inplace_lint.runtime.memory.weigh import Weighed, weigh
from inplace_lint.runtime.target import load

EXAMPLES = Path(__file__).parent.parent / "examples"

PROGRAM = """
import torch
import torch.nn.functional as F


def relu(x):
    return F.relu(x, inplace=True)


def mul(x, w):
    h = x * 1
    h.mul_(w)
    return h


def relu_after_linear(x, w):
    h = F.linear(x, w)
    h = F.relu_(h)
    h = F.linear(h, w)
    return h.sum()


def part(x):
    h = x + 1
    h[0] = 0
    y = h.sum()
    return y


def twice(x):
    for _ in range(2):
        x = x + 1
        x.sigmoid_()
    return x


def refused(w):
    w.mul_(2)
    return w
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("memory") / "program.py"
    file.write_text(PROGRAM, "utf-8")
    return file


def weighed(file: Path, name: str, *inputs: str, recorded: bool = True) -> Weighed:
    return weigh(load(f"{file}:{name}", {}, read_inputs(inputs)), recorded)


def told(outcome: Weighed) -> list[tuple[str, int, int, int, int]]:
    return [(each.op, each.times, each.size, each.at_peak, each.after_forward) for each in outcome.savings]


KB = 4 * 1000  # a row of float32


def test_the_meter_counts_what_is_alive_and_nothing_else() -> None:
    x = torch.ones(1000, requires_grad=True)
    meter = Meter()
    meter.hold([x])
    with meter:
        h = x * 2
        y = h.exp()  # which autograd keeps
        del h
        z = y[:500] * 1
        del y
        assert meter.timeline[-1] == 2 * KB + KB // 2
        z.sum().backward()
        del z
        torch.zeros(1)
    # x and its gradient, besides what was made last
    assert meter.timeline[-1] == 2 * KB + 4
    assert meter.peak >= 4 * KB


def test_one_relu_saves_the_memory_of_its_result(program: Path) -> None:
    outcome = weighed(program, "relu", "x=zeros(1000, 1000)", recorded=False)
    million = 1000 * KB
    assert (outcome.original.peak, outcome.out_of_place.peak) == (million, 2 * million)
    assert told(outcome) == [("relu", 1, million, million, million)]


def test_mul_by_a_tensor_that_requires_grad_saves_nothing(program: Path) -> None:
    outcome = weighed(program, "mul", "x=ones(1000)", "w=ones(1000, requires_grad=True)")
    assert told(outcome) == [("mul_", 1, KB, 0, 0)]
    # the input, the factor, the result, and the copy of the old value that autograd keeps
    assert outcome.original.kept == outcome.out_of_place.kept == 4 * KB


def test_mul_by_a_number_saves_memory(program: Path) -> None:
    assert told(weighed(program, "mul", "x=ones(1000)", "w=2.0")) == [("mul_", 1, KB, KB, 0)]


def test_the_result_of_a_linear_layer_is_needed_by_nobody_else(program: Path) -> None:
    outcome = weighed(program, "relu_after_linear", "x=ones(1000, 10)", "w=ones(10, 10, requires_grad=True)")
    (saving,) = outcome.savings
    assert (saving.op, saving.after_forward) == ("relu_", 0)
    assert outcome.original.timeline != outcome.out_of_place.timeline


def test_a_write_to_a_part_costs_a_copy_of_the_whole(program: Path) -> None:
    assert told(weighed(program, "part", "x=ones(10, 100)")) == [("[]=", 1, KB, KB, 0)]


def test_the_same_line_is_weighed_as_one(program: Path) -> None:
    ((op, times, size, *_),) = told(weighed(program, "twice", "x=ones(1000, requires_grad=True)"))
    assert (op, times, size) == ("sigmoid_", 2, KB)


def test_the_classifier_needs_as_much_memory_either_way(capsys: pytest.CaptureFixture[str]) -> None:
    target = load(f"{EXAMPLES / 'classifier.py'}:Classifier", {"inplace": True}, read_inputs(["randn(32, 8)"]))
    outcome = weigh(target)
    assert [each[0] for each in told(outcome)] == ["nn.ReLU"] * 3
    assert outcome.original.peak == outcome.out_of_place.peak
    other = load(f"{EXAMPLES / 'classifier.py'}:Classifier", {"inplace": False}, read_inputs(["randn(32, 8)"]))
    assert weigh(other).original.peak == outcome.original.peak
    assert weigh(other).savings == []


def test_what_pytorch_refuses_cannot_be_weighed(program: Path) -> None:
    with pytest.raises(TargetError, match=r"PyTorch raises, see `inplace-lint confirm`: .*a leaf Variable"):
        weighed(program, "refused", "w=ones(3, requires_grad=True)")


def run(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(["memory", *args])
    out, err = capsys.readouterr()
    return int(ended.value.code or 0), out, err


def test_the_table_json_and_the_plot(program: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plot, target = tmp_path / "memory.svg", f"{program}:relu"
    given = ("--input", "x=zeros(512, 512)", "--no-grad")
    status, out, _ = run(capsys, target, *given, "--plot", str(plot))
    assert status == 0
    assert out.splitlines()[-1].split()[1:] == ["relu", "1.0", "MiB", "1.0", "MiB", "1.0", "MiB"]
    texts = [text.text for text in ElementTree.parse(plot).iter("{http://www.w3.org/2000/svg}text")]
    assert {"in place, peak 1.0 MiB", "out of place, peak 2.0 MiB"} <= set(texts)
    assert {"0 MiB", "0.5 MiB", "1 MiB", "1.5 MiB", "2 MiB"} <= set(texts)
    made = json.loads(run(capsys, target, *given, "--output-format", "json")[1])
    assert (made["in_place"]["peak"], made["out_of_place"]["peak"]) == (2**20, 2**21)
    assert [(each["row"], each["saved_at_peak"]) for each in made["ops"]] == [(7, 2**20)]


@pytest.mark.parametrize(
    ("most", "names"),
    [
        (0, ["0 B", "1 B"]),
        (700, ["0 B", "200 B", "400 B", "600 B", "800 B"]),
        (202 * 1024, ["0 KiB", "50 KiB", "100 KiB", "150 KiB", "200 KiB", "250 KiB"]),
        (3 * 2**20 + 5, ["0 MiB", "1 MiB", "2 MiB", "3 MiB", "4 MiB"]),
        (3 * 2**40, ["0 GiB", "1000 GiB", "2000 GiB", "3000 GiB", "4000 GiB"]),
    ],
)
def test_the_numbers_of_a_plot_are_round(most: int, names: list[str]) -> None:
    assert [name for _, name in ticks(most)] == names
    assert ticks(most)[-1][0] >= most


def test_the_page_shows_what_is_alive_at_the_peak(
    program: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ("x=randn(100,100)", "w=randn(100,100,requires_grad=True)")
    outcome = weighed(program, "relu_after_linear", *given)
    alive = outcome.original.alive
    assert sum(each.size for each in alive) == outcome.original.peak
    assert [each.size for each in alive] == sorted((each.size for each in alive), reverse=True)
    assert {each.site.path for each in alive if each.site} == {str(program)}
    file = tmp_path / "report.html"
    inputs = [word for each in given for word in ("--input", each)]
    status, _, _ = run(capsys, f"{program}:relu_after_linear", *inputs, "--report", str(file))
    assert status == 0
    read = Read(file.read_text("utf-8"))
    cells = ["".join(each.text) for each in read.elements if each.name == "td"]
    assert [cell for cell in cells if cell.startswith("parameters")]
    assert len([each for each in read.elements if each.name == "svg"]) == 1


def test_a_whole_program_ends_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, str(EXAMPLES / "relu_memory.py"))
    assert (status, out) == (2, "")
    assert "is a whole program; give a model, or a function and its inputs" in err.splitlines()[-1]
