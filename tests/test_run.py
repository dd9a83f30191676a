"""`inplace-lint run` runs programs as `python` does, and explains the errors that this tool is about."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from inplace_lint import cli

FAILING = """\
import pickle, sys
import torch

class Mine:
    pass

def train(x):
    y = torch.sigmoid(x)
    y.mul_(2)
    y.sum().backward()

if __name__ == "__main__":
    restored = pickle.loads(pickle.dumps(Mine()))
    print(sys.argv, sys.path[0], type(restored) is Mine, __file__, __spec__ and __spec__.name, __package__)
    train(torch.ones(3, requires_grad=True))
"""


def outcome(command: Sequence[str], folder: Path) -> tuple[int, str, str]:
    """Exit status, standard output and standard error of a command."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    return done.returncode, done.stdout, done.stderr


@pytest.fixture
def program(tmp_path: Path) -> Path:
    package = tmp_path / "package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "main.py").write_text(FAILING)
    return package / "main.py"


@pytest.mark.parametrize("how", [["package/main.py"], ["-m", "package.main"]], ids=["script", "module"])
def test_is_python_with_an_explanation_before_the_traceback(program: Path, how: list[str]) -> None:
    folder = program.parent.parent
    resolve = outcome([sys.executable, *how, "--rate", "3"], folder)
    status, out, err = outcome([sys.executable, "-m", "inplace_lint", "run", *how, "--rate", "3"], folder)
    assert resolve[0] == status == 1
    assert out == resolve[1]
    explanation, traceback, rest = re.split(r"^(Traceback .*\n)", err, maxsplit=1, flags=re.MULTILINE)
    # `python -m` shows the frames of runpy besides.
    own = re.sub(r'  File "[^"]*\brunpy(\.py|>)".*\n(    .*\n)?', "", resolve[2])
    assert traceback + rest == own
    for words in ("[IPL202]", "package/main.py:9:5", "saved for backward here by `sigmoid`", "this backward reads it"):
        assert words in explanation


def run(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[object, str, str]:
    with pytest.raises(SystemExit) as exit:
        cli.main(["run", *args])
    return exit.value.code, *capsys.readouterr()


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to run programs in, with what they change of the interpreter put back."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", list(sys.argv))
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])
    return tmp_path


@pytest.mark.parametrize(
    ("text", "code"), [("", 0), ("import sys; sys.exit(3)", 3), ("raise SystemExit('no data')", "no data")]
)
def test_passes_the_exit_status_on(here: Path, capsys: pytest.CaptureFixture[str], text: str, code: object) -> None:
    (here / "program.py").write_text(text)
    assert run(capsys, "program.py") == (code, "", "")


def test_leaves_other_errors_alone(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "program.py").write_text("import torch\ntorch.ones(2) @ torch.ones(3)\n")
    code, _, err = run(capsys, "program.py")
    assert code == 1
    assert err.startswith("Traceback (most recent call last):\n")
    assert "IPL" not in err
    assert "inplace_lint" not in err


def test_writes_findings_to_a_file(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "program.py").write_text("import os\nos.mkdir('away')\nos.chdir('away')\n" + FAILING)
    code, _, err = run(capsys, "--output-format", "json", "--output-file", "found.json", "program.py")
    assert code == 1
    assert err.startswith("Traceback")
    (finding,) = json.loads((here / "found.json").read_text())
    assert (finding["code"], finding["location"]["row"]) == ("IPL202", 12)


def test_warns_of_what_pytorch_should_have_refused(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "program.py").write_text(
        "import torch\nx = torch.ones(3, requires_grad=True)\nh = x * 2\ny = h ** 2\n"
        "h.data.zero_()\ny.sum().backward()\nh = x * 2\ny = h ** 2\n"
        "h.data.add_(1)  # noqa: IPL401\ny.sum().backward()\n"
    )
    code, _, err = run(capsys, "program.py")
    assert code == 0
    assert "program.py:5:1" in err
    assert err.count("IPL401") == 1


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["missing.py"], "can't open file 'missing.py'"),
        (["-m", "no_such_module"], "no module named 'no_such_module'"),
        (["."], "can't find a '__main__' module in '.'"),
        ([], "Missing argument"),
    ],
)
def test_says_what_cannot_be_run(here: Path, capsys: pytest.CaptureFixture[str], args: list[str], message: str) -> None:
    code, _, err = run(capsys, *args)
    assert code == 2
    assert message in err
    assert "Traceback" not in err


@pytest.mark.parametrize("use", ["cli.main(['run', 'program.py'])", "inplace_lint.watch()"])
def test_names_the_way_to_get_pytorch(tmp_path: Path, use: str) -> None:
    start = "import sys; sys.modules['torch'] = None; import inplace_lint; from inplace_lint import cli; "
    _, _, err = outcome([sys.executable, "-c", start + use], tmp_path)
    assert err.strip().split("\n")[-1].endswith("this needs PyTorch: pip install 'inplace-lint[runtime]'")


def test_runs_programs_and_only_programs(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of all that is given a file of the user's, `run` alone executes it."""
    marker, error = here / "executed", here / "error.txt"
    (here / "program.py").write_text(f"import torch\nopen({str(marker)!r}, 'w').close()\nx = torch.sigmoid_(x)\n")
    error.write_text("RuntimeError: a leaf Variable that requires grad is being used in an in-place operation.")
    for args in (
        ["check", "."],
        ["check", "--fix", "program.py"],
        ["explain", "--file", "error.txt", "program.py"],
        ["rules"],
    ):
        with pytest.raises(SystemExit):
            cli.main(args)
        assert not marker.exists(), args
    run(capsys, "program.py")
    assert marker.exists()
