"""Several processes, somebody else's executor, and a cache: the findings are the same, to the byte."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from heeding import heed_signals

from inplace_lint import Config, lint_paths
from inplace_lint.pipeline import lint_paths as pipeline
from inplace_lint.pipeline import pool

ROOT = Path(__file__).parent.parent
COMMAND = [sys.executable, "-m", "inplace_lint", "--output-format", "json", "--exit-zero", "-q"]


def report(*options: str) -> bytes:
    return subprocess.run([*COMMAND, *options, str(ROOT / "examples")], capture_output=True, check=True).stdout


def test_the_same_findings_whatever_does_the_work(tmp_path: Path) -> None:
    cache = ["--cache-dir", str(tmp_path / "cache")]
    alone = report("--no-cache", "--jobs", "1")
    assert alone.count(b'"code"') > 10
    assert report("--no-cache", "--jobs", "2") == alone
    assert report("--no-cache", "--jobs", "8") == alone
    assert report(*cache) == alone
    assert report(*cache) == alone


def test_an_executor_of_the_caller() -> None:
    with ThreadPoolExecutor(3) as executor:
        found = lint_paths([str(ROOT / "examples")], executor=executor)
    assert found == lint_paths([str(ROOT / "examples")], jobs=1)


def work(path: str, config: Config) -> str:
    if path == "deadly":
        os._exit(1)
    return f"{path} done"


def test_the_death_of_a_process_is_kept_inside_its_file() -> None:
    files = [*(f"file{number}" for number in range(20)), "deadly", "last"]
    done = list(pool.in_processes(2, work, files, [Config()] * len(files)))
    assert done == [None if path == "deadly" else f"{path} done" for path in files]


def unequal(path: str, config: Config) -> str:
    time.sleep(0.6 if path == "slow" else 0)
    return path


def test_what_is_done_is_told_while_the_first_file_takes_long() -> None:
    told: list[int] = []
    files = ["slow", *(f"file{number}" for number in range(20))]
    assert list(pool.in_processes(2, unequal, files, [Config()] * len(files), told.append)) == files
    assert told == sorted(told)
    assert max(told) > 1


def test_a_dead_process_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(10):
        (tmp_path / f"file{number}.py").write_text("x = 1\n")
    results = pool.in_processes

    def dying(
        jobs: int, work: object, files: list[str], configs: list[Config], finished: Callable[[int], None]
    ) -> Iterator[object]:
        for path, result in zip(files, results(jobs, pipeline.lint_file, files, configs, finished), strict=True):
            yield None if path.endswith("file3.py") else result

    monkeypatch.setattr(pipeline, "in_processes", dying)
    (found,) = lint_paths([str(tmp_path)], jobs=2).diagnostics
    assert (found.code, Path(found.site.path).name) == ("IPL903", "file3.py")


@pytest.mark.skipif(os.name == "nt", reason="sends a signal")
def test_ctrl_c_stops_at_once(tmp_path: Path) -> None:
    slow = "".join(f"def f{n}(x):\n" + "    if x.a: x.add_(1)\n" * 30 for n in range(60))
    for number in range(40):
        (tmp_path / f"file{number}.py").write_text(slow)
    command = [*COMMAND, "--no-cache", "-j", "2", str(tmp_path)]
    running = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, preexec_fn=heed_signals)
    began = time.monotonic()
    while running.poll() is None and not _has_processes(running.pid) and time.monotonic() - began < 60:
        time.sleep(0.05)
    running.send_signal(signal.SIGINT)
    began = time.monotonic()
    _, said = running.communicate(timeout=120)
    assert running.returncode == 130
    assert time.monotonic() - began < 20
    assert said.strip().splitlines()[-1] == "interrupted"
    assert "Traceback" not in said


def _has_processes(parent: int) -> bool:
    """Whether the workers of a command are there; where that is not told, whether they should be after a while."""
    tasks = Path(f"/proc/{parent}/task")
    if tasks.exists():
        return any(each.read_text() for each in tasks.glob("*/children"))
    time.sleep(1.5)
    return True
