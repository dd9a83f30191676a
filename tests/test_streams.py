"""Streams that are closed or full, too few descriptors, too little memory, and a parent that dies."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from multiprocessing import active_children
from multiprocessing.queues import Queue
from pathlib import Path

import pytest
from heeding import heed_signals
from launched import launched

from inplace_lint.pipeline.lint_file import lint_file
from inplace_lint.pipeline.lint_paths import lint_paths
from inplace_lint.pipeline.pool import in_processes
from inplace_lint.pipeline.stack import NoThreadError
from inplace_lint.project.config import Config

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="has other streams and limits")

HAZARD = "import torch\ndef f(x):\n    return x * torch.sigmoid_(x)\n"
LINT = f"{sys.executable} -m inplace_lint"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for number in range(10):
        (tmp_path / f"m{number}.py").write_text(HAZARD)
    (tmp_path / "pyproject.toml").write_text("[tool.inplace-lint]\n")
    return tmp_path


def shell(folder: Path, command: str) -> tuple[int, str, str]:
    run = subprocess.run(
        ["bash", "-c", command], cwd=folder, capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL
    )
    assert "Traceback" not in run.stderr
    assert "please report" not in run.stderr + run.stdout
    assert "Exception ignored" not in run.stderr
    return run.returncode, run.stdout, run.stderr


def test_closed_streams(project: Path) -> None:
    status, out, _ = shell(project, f"{LINT} -n --output-format concise 2>&-")
    assert (status, out.count("IPL302")) == (1, 10)
    assert shell(project, f"{LINT} -n >&-") == (1, "", "")
    assert shell(project, f"{LINT} -n <&- >&- 2>&-") == (1, "", "")
    assert shell(project, f"{LINT} - <&-") == (2, "", "error: standard input is closed\n")
    assert shell(project, f"{LINT} explain <&-") == (2, "", "error: standard input is closed\n")
    # No file of the project gets the number of a closed stream, and the messages.
    shell(project, f"{LINT} --fix --unsafe-fixes --quiet >&- 2>&-")
    assert all((project / f"m{number}.py").read_text().startswith("import torch\n") for number in range(10))


FULL = [
    "-n",
    *(f"-n --output-format {name}" for name in ("concise", "grouped", "json", "github", "gitlab", "sarif", "junit")),
    "-n --statistics",
    "-n --diff --unsafe-fixes",
    "-n --fix --unsafe-fixes - < m1.py",
    "--show-files",
    "--version",
    "--help",
    "rules",
    "rule IPL101",
    "config",
    "baseline",
    "clean",
]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="has no full device")
def test_full_output(project: Path) -> None:
    for command in FULL:
        words, _, file = command.partition(" < ")
        given = (project / file).read_bytes() if file else b""
        with open("/dev/full", "wb") as full:
            run = launched("inplace_lint", *words.split(), folder=project, stdin=given, stdout=full)
        said = [line for line in run.stderr.splitlines() if not line.startswith("Would fix")]
        assert (run.returncode, said) == (2, ["error: standard output cannot be written: No space left on device"])
    assert shell(project, f"{LINT} nowhere 2>/dev/full") == (2, "", "")
    status, _, said = shell(project, f"{LINT} -n -o /dev/full")
    assert (status, said) == (2, "error: /dev/full: cannot be written: No space left on device\n")


@pytest.mark.skipif(sys.platform != "linux", reason="has other limits")
@pytest.mark.parametrize("limit", ["-n 8", "-n 12", "-n 16", "-v 200000", "-v 450000"])
def test_limits(project: Path, limit: str) -> None:
    status, out, said = shell(project, f"ulimit {limit}; {LINT} -n -j 2 --output-format concise")
    assert (status, out.count("IPL302")) == (1, 10) or (status == 2 and said.startswith("error: "))


def test_no_thread(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    with pytest.raises(NoThreadError, match="ulimit"):
        lint_paths([str(project)], Config(), jobs=1)


def test_no_process(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> int:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(os, "fork", refuse)
    files = [str(each) for each in sorted(project.glob("*.py"))]
    found = list(in_processes(2, lint_file, files, [Config()] * len(files)))
    assert [len(each.diagnostics) for each in found if each is not None] == [1] * 10


def test_no_thread_for_what_a_pool_is_given(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The thread that hands out the work needs another one for its queue, and dies of it."""

    def refuse(_: Queue[object]) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(Queue, "_start_thread", refuse)
    files = [str(each) for each in sorted(project.glob("*.py"))]
    before, hook = active_children(), threading.excepthook
    found = list(in_processes(2, lint_file, files, [Config()] * len(files)))
    assert [len(each.diagnostics) for each in found if each is not None] == [1] * 10
    assert (active_children(), threading.excepthook) == (before, hook)


_SLOW = """
import time
from inplace_lint.pipeline.pool import in_processes
def work(path, config):
    with open(path, "w") as file:
        print(__import__("os").getpid(), file=file)
    time.sleep(600)
list(in_processes(2, work, ["a", "b"], [None, None]))
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGHUP])
def test_workers_end_with_their_parent(tmp_path: Path, number: signal.Signals) -> None:
    (tmp_path / "slow.py").write_text(_SLOW)
    parent = subprocess.Popen([sys.executable, "slow.py"], cwd=tmp_path, preexec_fn=heed_signals)
    files = [tmp_path / "a", tmp_path / "b"]
    _wait(lambda: all(file.exists() and file.read_text().endswith("\n") for file in files))
    workers = [int(file.read_text()) for file in files]
    parent.send_signal(number)
    parent.wait(60)
    _wait(lambda: not any(map(_is_alive, workers)))


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{process}/stat")
    return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] != "Z"


def _wait(done: object) -> None:
    assert callable(done)
    for _ in range(600):
        if done():
            return
        time.sleep(0.1)
    pytest.fail("nothing has happened for a minute")
