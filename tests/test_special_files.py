"""What is no regular file is told, and neither waited for nor read to its end that never comes."""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from launched import launched

from inplace_lint.project.files import SpecialFileError, read_file
from inplace_lint.project.writing import write_atomically
from inplace_lint.source.parsing import LARGEST

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="has no special files")

HAZARD = "import torch\ndef f(x):\n    return x * torch.sigmoid_(x)\n"
MODEL = '[tool.inplace-lint]\nmodels = ["special"]\n'
BASELINE = '[tool.inplace-lint]\nbaseline = "special"\n'


def pipe(path: Path) -> None:
    os.mkfifo(path)


def zeros(path: Path) -> None:
    path.symlink_to("/dev/zero")


def listening(path: Path) -> None:
    here = os.getcwd()
    os.chdir(path.parent)  # names of sockets are short
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name)
    finally:
        os.chdir(here)


def folder(path: Path) -> None:
    path.mkdir()


SPECIAL: dict[str, Callable[[Path], None]] = {"pipe": pipe, "zeros": zeros, "socket": listening, "folder": folder}


@pytest.fixture(params=SPECIAL)
def make(request: pytest.FixtureRequest) -> Callable[[Path], None]:
    return SPECIAL[request.param]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "a.py").write_text(HAZARD)
    (tmp_path / ".git").mkdir()
    (tmp_path / "pyproject.toml").write_text("[tool.inplace-lint]\n")
    return tmp_path


def lint(folder: Path, *args: str, stdin: str = "") -> tuple[int, str]:
    run = launched("inplace_lint", *args, folder=folder, stdin=stdin.encode())
    assert "Traceback" not in run.stderr
    assert "IPL903" not in run.stdout
    return run.returncode, run.stdout + run.stderr


def test_files_of_git(project: Path, make: Callable[[Path], None]) -> None:
    make(project / ".gitignore")
    (project / ".git" / "info").mkdir()
    make(project / ".git" / "info" / "exclude")
    status, said = lint(project, "-n", "--output-format", "concise")
    assert status == 1
    assert "a.py:3:16" in said
    assert said.count("cannot be read, so that nothing is left out") == (0 if make is folder else 2)


def test_more_patterns_than_can_be_held_against_every_path(project: Path) -> None:
    (project / ".gitignore").write_text("".join(f"a*{number}.py\n" for number in range(40_000)))
    status, said = lint(project, "-n", "--output-format", "concise")
    assert status == 1
    assert "a.py:3:16" in said
    assert ".gitignore:1:1" in said
    assert "larger than" in said


@pytest.mark.parametrize("configuration", [MODEL, BASELINE])
def test_what_the_configuration_names(project: Path, make: Callable[[Path], None], configuration: str) -> None:
    make(project / "special")
    (project / "pyproject.toml").write_text(configuration)
    status, said = lint(project, "-n")
    assert status == 2
    assert "special: " in said
    assert any(each in said for each in ("is no regular file", "Is a directory", "has no stubs"))


@pytest.mark.parametrize("name", ["inplace-lint.toml", "pyproject.toml"])
def test_configuration_files(project: Path, make: Callable[[Path], None], name: str) -> None:
    (project / name).unlink(missing_ok=True)
    make(project / name)
    status, said = lint(project, "-n")
    told = make is not folder
    assert status == (2 if told else 1)
    assert ("is no regular file" in said) is told
    status, said = lint(project, "-n", "--config", name)
    assert status == 2
    assert "cannot be read" in said


def test_sources(project: Path, make: Callable[[Path], None]) -> None:
    make(project / "special.py")
    assert lint(project, "-n")[0] == 1
    status, said = lint(project, "-n", "special.py", "--output-format", "concise")
    assert status == (0 if make is folder else 1)
    assert ("IPL902" in said and "no regular file" in said) is (make is not folder)


def test_imported_modules(project: Path, make: Callable[[Path], None]) -> None:
    make(project / "special.py")
    (project / "a.py").write_text(f"import special\nfrom special import g\n{HAZARD}\ng(f)\nspecial.h()\n")
    assert lint(project, "-n", "a.py")[0] == 1


def test_logs(project: Path, make: Callable[[Path], None]) -> None:
    make(project / "log")
    status, said = lint(project, "explain", "--file", "log")
    assert status == 2
    assert "log" in said


def test_the_cache(project: Path, make: Callable[[Path], None]) -> None:
    assert lint(project)[0] == 1
    for file in (project / ".inplace_lint_cache").glob("*.bin"):
        file.unlink()
        make(file)
    assert lint(project)[0] == 1


def test_a_baseline_is_no_device(project: Path, make: Callable[[Path], None]) -> None:
    make(project / "special")
    assert lint(project, "baseline", "-o", "special")[0] == 2
    with pytest.raises(OSError, match=r"is no regular file|Is a directory|leads out of the tree"):
        write_atomically(str(project / "special"), b"", [str(project)])


def test_output_to_a_pipe(project: Path) -> None:
    os.mkfifo(project / "pipe")
    for option in (["-o", "pipe"], ["-o", "pipe", "--output-format", "sarif"]):
        status, said = lint(project, "-n", *option)
        assert (status, said) == (2, "error: pipe: cannot be written: nobody reads this pipe\n")
    reader = subprocess.Popen(["cat", "pipe"], cwd=project, stdout=subprocess.PIPE, text=True)
    try:
        while lint(project, "-n", "-q", "-o", "pipe", "--output-format", "concise")[0] == 2:
            pass  # it has not opened the pipe yet
        assert "IPL302" in reader.communicate(timeout=60)[0]
    finally:
        reader.kill()


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="has no such files")
def test_files_of_the_kernel() -> None:
    assert read_file("/proc/self/status").startswith(b"Name:")  # although its size is 0
    with pytest.raises(OSError, match=r"larger than 0\.001 MB"):
        read_file("/proc/self/smaps", 1000)


def test_large_files(project: Path) -> None:
    with open(project / "large.py", "wb") as file:
        file.truncate(10**12)
    status, said = lint(project, "-n", "large.py", "--output-format", "concise")
    assert status == 1
    assert "IPL902 cannot be read: is larger than 20 MB" in said.replace("error[IPL902]", "IPL902")
    text = HAZARD + f"x = '{'-' * LARGEST}'\n"
    (project / "large.py").write_text(text)
    assert "is too large: 10.0 MB of Python" in lint(project, "-n", "large.py", "--output-format", "concise")[1]
    (project / "large.py").write_text("# inplace-lint: skip-file\n" + text)
    assert lint(project, "-n", "large.py")[0] == 0
    (project / "large.py").write_text(text)
    (project / "a.py").write_text(f"import large\n{HAZARD}large.f()\n")
    assert lint(project, "-n", "a.py")[0] == 1


def test_endless_input(project: Path) -> None:
    for args in (["-"], ["explain", "-"], ["--fix", "-"]):
        with open("/dev/zero", "rb") as zeros:
            run = launched("inplace_lint", *args, folder=project, stdin=zeros)
        assert run.returncode == 2
        assert run.stderr.startswith("error: standard input: cannot be read: is larger than ")


def test_what_a_link_leads_to_is_not_shown(project: Path) -> None:
    (project.parent / "secret.txt").write_text("the secret words\n")
    (project / "link.py").symlink_to(project.parent / "secret.txt")
    for format in ("full", "json", "github"):
        status, said = lint(project, "-n", "--output-format", format)
        assert status == 1
        assert "IPL902" in said
        assert "secret words" not in said


def test_a_file_that_becomes_a_pipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "file").touch()
    regular = os.stat(tmp_path / "file")
    monkeypatch.setattr(os, "stat", lambda path: regular)
    with pytest.raises(SpecialFileError):
        read_file(str(tmp_path / "pipe"))
