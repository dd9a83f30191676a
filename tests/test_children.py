"""`run` tells the stories of threads and processes that the program starts, by name of the rank."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from inplace_lint.runtime.child import followed

PARENT = """\
import multiprocessing, os, subprocess, sys, threading
import work

if __name__ == "__main__":
    thread = threading.Thread(target=work.raises)
    thread.start()
    thread.join()
    child = multiprocessing.get_context("fork").Process(target=work.silent)
    child.start()
    child.join()
    subprocess.run([sys.executable, "work.py"], env={**os.environ, "RANK": "3"})
    print("done")
"""

WORK = """\
import torch

def raises():
    x = torch.ones(3, requires_grad=True)
    y = torch.sigmoid(x)
    y.mul_(2)
    y.sum().backward()

def silent():
    x = torch.ones(3, requires_grad=True)
    with torch.autograd.graph.save_on_cpu():
        h = torch.tanh(x)
    h += 1
    h.sum().backward()

if __name__ == "__main__":
    silent()
    raises()
"""


@pytest.mark.skipif(sys.version_info < (3, 11) or not hasattr(os, "fork"), reason="notes on errors, and fork")
def test_the_stories_of_threads_and_processes_are_told(tmp_path: Path) -> None:
    (tmp_path / "parent.py").write_text(PARENT)
    (tmp_path / "work.py").write_text(WORK)
    command = [sys.executable, "-m", "inplace_lint", "run", "parent.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr
    thread, _, forked = done.stderr.partition("ForkProcess-1:\n")
    forked, _, rank = forked.partition("rank 3:\n")
    assert "error[IPL202]" in thread
    assert "work.py:6:5" in thread
    assert "warning[IPL401]" in forked
    assert "work.py:13:5" in forked
    assert "warning[IPL401]" in rank
    error = rank.partition("rank 3:\n")[2]
    assert error.startswith("error[IPL202]")
    assert "this backward reads it" in error
    assert "inplace_lint" not in rank  # its traceback is the program's own


def test_the_environment_is_put_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", "mine")
    monkeypatch.delenv("INPLACE_LINT_CHILDREN", raising=False)
    with followed(strict=True):
        assert os.environ["PYTHONPATH"].endswith(os.pathsep + "mine")
        assert os.environ["INPLACE_LINT_CHILDREN"] == "strict"
    assert os.environ["PYTHONPATH"] == "mine"
    assert "INPLACE_LINT_CHILDREN" not in os.environ
