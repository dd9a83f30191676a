"""`inplace-lint why FILE:LINE`: what it tells of a line, and that it is right."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from inplace_lint.cli import cli


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def run(*args: str) -> Result:
    return CliRunner().invoke(cli, ["why", *args], catch_exceptions=False)


def why(program: str, *options: str) -> str:
    """What is told of the line that ends in `# ?`."""
    text = textwrap.dedent(program)
    row = next(number for number, line in enumerate(text.split("\n"), 1) if line.endswith("# ?"))
    Path("program.py").write_text(text)
    found = run(f"program.py:{row}", *options)
    assert found.exit_code == 0, found.output
    return found.output


BROKEN = """
    import torch
    x = torch.randn(3, requires_grad=True)
    y = torch.sigmoid(x)
    z = y
    y.mul_(2)  # ?
    y.sum().backward()
"""


def test_what_breaks_a_backward_pass() -> None:
    told = why(BROKEN)
    assert "IPL202 `mul_` modifies `y`, the result that `sigmoid` saved for backward: reported\n" in told
    assert "`mul_` writes `y` at line 6\n" in told
    assert "memory: made at line 4; also known as `z`\n" in told
    assert "saved for backward by `sigmoid` at line 4; the backward pass at line 7 reads it\n" in told


@pytest.mark.parametrize(
    ("line", "options", "status"),
    [
        ("y.mul_(2)  # noqa: IPL202  # ?", (), "not shown: a comment suppresses it"),
        ("y.mul_(2)  # ?", ("--ignore", "IPL202"), "not shown: the rule is off for this file"),
    ],
)
def test_why_a_finding_is_not_shown(line: str, options: tuple[str, ...], status: str) -> None:
    told = why(BROKEN.replace("y.mul_(2)  # ?", line), *options)
    assert f"saved for backward: {status}\n" in told


def test_advice_is_shown_if_it_is_selected() -> None:
    program = """
        import torch
        def scaled(x):
            x.mul_(2)  # ?
            return x.sum()
    """
    assert "IPL305 `mul_` modifies `x`, an argument of `scaled`: not shown: advice" in why(program)
    assert "IPL305 `mul_` modifies `x`, an argument of `scaled`: reported" in why(program, "--extend-select", "IPL305")


def test_a_finding_where_a_check_does_not_run() -> None:
    program = """
        import torch
        def scaled(x):
            y = torch.div(x, 3)
            y.clamp_(-1, 1)  # ?
            return y
    """
    told = why(program, "--extend-select", "IPL502")
    assert "no memory is saved: not shown: a check does not run this\n" in told


def test_what_a_baseline_has() -> None:
    assert ": reported" in why(BROKEN)
    Path("pyproject.toml").write_text("[tool.inplace-lint]\nbaseline = 'baseline.json'\n")
    CliRunner().invoke(cli, ["baseline", "program.py"], catch_exceptions=False)
    assert "not shown: the baseline has it" in why(BROKEN)


def test_what_only_the_check_of_a_caller_finds() -> None:
    Path("train.py").write_text(
        "import torch\nfrom program import clip\n\nx = torch.randn(3, requires_grad=True)\ny = torch.exp(x)\n"
        "clip(y)\ny.sum().backward()\n"
    )
    clip = """
        def clip(t):
            t.clamp_(-1, 1)  # ?
            return t
    """
    message = "IPL202 `clamp_` modifies `t`, the result that `exp` saved for backward"
    assert message not in why(clip)
    assert f"{message}: reported; train.py:6 leads here\n" in why(clip, "--callers")
    suppressed = why(clip.replace("# ?", "# noqa: IPL202  # ?"), "--callers")
    assert f"{message}: not shown: a comment suppresses it; train.py:6 leads here\n" in suppressed
    why(clip)
    for file in ("program.py", "train.py"):
        os.utime(file, (1e9, 1e9))  # the cache keeps nothing of a file that may be changing just now
    CliRunner().invoke(cli, ["check", "."])
    assert f"{message}: reported; train.py:6 leads here\n" in why(clip)
    assert f"{message}: reported; train.py:6 leads here\n" in run(f"{Path('program.py').absolute()}:3").output
    assert f"{message}: reported; train.py:6 leads here\n" in why(clip + "    # The cache still knows the caller.\n")
    Path("train.py").write_text("x = 1\n")
    assert message not in why(clip)


def test_what_callers_refute() -> None:
    told = why("""
        import torch
        def gate(x):
            y = torch.sigmoid(x)
            y.mul_(2)  # ?
            return y
        def main():
            with torch.no_grad():
                print(gate(torch.randn(3)))
        main()
    """)
    assert "IPL202" in told
    assert "not shown: callers in view do not show it" in told


def test_a_habit_is_named() -> None:
    told = why("""
        import torch
        def merge(data, deltas):
            for delta in deltas:
                data_2d = data.reshape(-1, 3) if data.dim() > 2 else data
                data_2d.add_(delta)  # ?
            return data
    """)
    assert "`data` is read by `return` at line 7: no finding [named-after] " in told


NO_TENSOR = "what is changed here is a number or a container, and no tensor, on every path that was followed"


@pytest.mark.parametrize(
    ("line", "note"),
    [
        ("count += 1  # ?", NO_TENSOR),
        ("print(x)  # ?", "nothing on this line writes in place"),
        ("if False: x.mul_(2)  # ?", "no path that was followed came to this line"),
        ("thing[0] += 1  # ?", "nothing shows that what is changed here is a tensor"),
        ("def inner(): x + 1  # ?", "`inner` was not run: nothing that is run calls it"),
    ],
)
def test_why_there_is_no_write(line: str, note: str) -> None:
    body = line if not line.startswith(("if", "def")) else line.replace(": x", ":\n        x")
    told = why(f"import torch\ndef f(x, thing):\n    count = 0\n    {body}\n    return x.relu_()\n")
    assert f"  {note}\n" in told
    assert "writes" not in told.replace("writes in place", "").replace("writes memory", "")


@pytest.mark.parametrize("line", ["else:  # ?", "# ?\n    else:", "except ValueError:  # ?"])
def test_no_statement_stands_there(line: str) -> None:
    begin = "if x.sum() > 0" if "else" in line else "try"
    told = why(f"import torch\ndef f(x):\n    {begin}:\n        x += 1\n    {line}\n        x -= 1\n    return x\n")
    assert "  no statement stands on this line\n" in told


def test_a_function_that_nothing_calls() -> None:
    told = why("""
        import torch
        def f(x):
            def inner():
                x.mul_(2)  # ?
            return x.relu_()
    """)
    assert "`mul_` writes `x` at line 5\n" in told


def test_writes_that_other_paths_do_not_come_to() -> None:
    told = why("""
        import torch
        def total(x: torch.Tensor, places: torch.Tensor | None = None):
            y = x.clone()
            if places is not None:
                y.scatter_add_(0, places, x)
            else:
                y[-1] += x.sum()  # ?
            return y
    """)
    assert "`+=` writes `y[-1]` at line 8\n" in told


def test_what_a_check_does_not_run() -> None:
    assert "a check does not run this: neither it nor" in why("import torch\ndef f(x):\n    return x + 1  # ?\n")
    assert "it does not use PyTorch" in why("def f(x):\n    x += 1  # ?\n    return x\n")


def test_a_module_is_asked_about_where_it_is_made() -> None:
    told = why("""
        import torch
        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.first = torch.nn.Sigmoid()
                self.relu = torch.nn.ReLU(inplace=True)  # ?
            def forward(self, x):
                return self.relu(self.first(x))
    """)
    assert "`nn.ReLU` writes" in told
    assert "saved for backward by `nn.Sigmoid`" in told


def test_as_json() -> None:
    found = json.loads(why(BROKEN, "--output-format", "json"))
    (write,) = found["writes"]
    assert (found["path"], found["row"], found["notes"]) == ("program.py", 6, [])
    assert [(each["code"], each["status"]) for each in found["findings"]] == [("IPL202", "reported")]
    assert (write["op"], write["operand"], write["seen_by"]) == ("torch.Tensor.mul_", "y", ["z"])
    assert [(each["op"], each["backward"]["span"]["row"]) for each in write["saved"]] == [("torch.sigmoid", 7)]


@pytest.mark.parametrize(
    ("place", "problem"),
    [
        ("program.py", "expected a file and a line, as in `model.py:12`"),
        ("program.py:99", "program.py has 1 line"),
        ("missing.py:1", "missing.py: "),
        ("broken.py:1", "broken.py: "),
        ("cells.ipynb:1", "expected a notebook, a cell and a line, as in `train.ipynb:3:12`"),
        ("cells.ipynb:2:1", "cells.ipynb has no code cell 2"),
        ("cells.ipynb:1:2", "cell 1 of cells.ipynb has 1 line"),
    ],
)
def test_what_makes_no_sense(place: str, problem: str) -> None:
    Path("program.py").write_text("pass")
    Path("broken.py").write_text("def")
    Path("cells.ipynb").write_text(notebook("pass"))
    found = subprocess.run([sys.executable, "-m", "inplace_lint", "why", place], capture_output=True, text=True)
    assert found.returncode == 2
    assert problem in found.stderr
    assert "Traceback" not in found.stderr


def test_only_names_that_are_bound_at_the_write() -> None:
    told = why("""
        import torch
        def gate(x):
            inner = torch.sigmoid(x)
            return inner[1:]
        def f(x):
            y = gate(x)
            kept, gone, lost = y, y, y
            gone = None
            del lost
            y.mul_(2)  # ?
            kept = None
            return y
    """)
    assert "memory: made at line 4; also known as `kept`\n" in told


def test_a_save_that_some_path_reads_is_not_told_as_unread() -> None:
    told = why("""
        import torch
        def gate(x):
            y = torch.sigmoid(x)
            y.mul_(2)  # ?
            return y
        def report(x):
            print(gate(x).detach())
        def train(x):
            gate(x).sum().backward()
    """)
    assert "the backward pass at line 10 reads it" in told
    assert "no backward pass in view" not in told


def notebook(*sources: str) -> str:
    cells = [{"cell_type": "code", "source": source, "metadata": {}, "outputs": []} for source in sources]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


CELLS = (
    "%matplotlib inline\nimport torch\nx = torch.randn(3, requires_grad=True)",
    "y = torch.sigmoid(x)\nz = y",
    "w = z\ny.mul_(2)\ny.sum().backward()",
)


@pytest.mark.parametrize("place", ["cells.ipynb:3:2", "cells.ipynb:cell 3:2"])
def test_a_line_of_a_notebook(place: str) -> None:
    Path("cells.ipynb").write_text(notebook(*CELLS))
    assert run(place).output == (
        "cells.ipynb:cell 3:2: y.mul_(2)\n"
        "  IPL202 `mul_` modifies `y`, the result that `sigmoid` saved for backward: reported\n"
        "  `mul_` writes `y` at line 2\n"
        "    memory: made at cell 2, line 1; also known as `z`, `w`\n"
        "    saved for backward by `sigmoid` at cell 2, line 1; the backward pass at line 3 reads it\n"
    )


def test_a_column_of_a_notebook() -> None:
    Path("cells.ipynb").write_text(notebook(*CELLS))
    told = run("cells.ipynb:cell 3:2:1").output
    assert "\n  `y`: the result of `torch.sigmoid(x)` (cell 2, line 1)\n" in told
    assert "breaks the backward pass (line 3): `sigmoid` saved it (cell 2, line 1)\n" in told
    assert "\n  `mul_` writes `y` at line 2\n" in told


def test_a_line_of_a_notebook_as_json() -> None:
    Path("cells.ipynb").write_text(notebook(*CELLS))
    found = json.loads(run("cells.ipynb:3:2", "--output-format", "json").output)
    ((write,), (saved,)) = (found["writes"], found["writes"][0]["saved"])
    assert (found["cell"], found["row"]) == (3, 2)
    places = (write["site"], *write["made"], saved["site"], saved["backward"])
    assert [(each["cell"], each["span"]["row"]) for each in places] == [(3, 2), (2, 1), (2, 1), (3, 3)]


def test_a_magic_is_shown_as_it_is_written() -> None:
    Path("cells.ipynb").write_text(notebook(*CELLS[:2], CELLS[2].replace("y.mul_", "%time y.mul_")))
    assert run("cells.ipynb:3:2").output.startswith("cells.ipynb:cell 3:2: %time y.mul_(2)\n  IPL202")


def test_a_comment_in_a_notebook_suppresses() -> None:
    Path("cells.ipynb").write_text(notebook(*CELLS[:2], CELLS[2].replace("(2)", "(2)  # noqa: IPL202")))
    assert "not shown: a comment suppresses it" in run("cells.ipynb:3:2").output


def test_where_memory_of_another_file_is_made() -> None:
    Path("gates.py").write_text("import torch\n\n\ndef gate(x):\n    return torch.sigmoid(x)\n")
    told = why("""
        from gates import gate
        def f(x):
            y = gate(x)
            y.mul_(2)  # ?
            return y
    """)
    assert "memory: made at gates.py:5\n" in told


def test_what_was_not_followed_is_that_of_the_line() -> None:
    tests = "".join(f"        if x.sum() > {n}:\n            y = y + {n}\n" for n in range(20))
    body = f"    def forward(self, x):\n        y = torch.exp(x)\n{tests}        y.mul_(2)\n"
    nets = [f"class {name}(torch.nn.Module):\n{body}        return y\n" for name in ("A", "B")]
    told = why("import torch\n" + "".join(nets) + "        y.mul_(2)  # ?\n")
    assert "  not followed to the end: B.forward (it has more paths than are followed)\n" in told


@pytest.mark.parametrize("call", ["to(x.dtype)", "type(torch.float64)", "type_as(x)"])
def test_a_conversion_is_called_as_in_the_program(call: str) -> None:
    told = why(f"""
        import torch
        def f(x):
            out = torch.zeros(3)
            out += x  # ?
            return out.{call}
    """)
    assert f"`out` is read by `{call.partition('(')[0]}` at line 6" in told


ASKING = """
    import torch

    def halved(x):
        y = torch.sigmoid(x)
        if x.requires_grad:
            return y / 2
        return y.div_(2)  # ?
"""


def test_what_made_advice_of_a_finding() -> None:
    assert "only if the rule is selected by its code [asks-for-gradients] " in why(ASKING)
