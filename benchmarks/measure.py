"""Runs a command, and tells what it and all processes that it started took. Shared by the benchmarks.

A new process is said to have used as much memory as the one that started it had, even where it goes on with
another program. So commands are started by a process of its own that has loaded next to nothing: this file.
"""

from __future__ import annotations

import os
import platform
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import NamedTuple


class Measured(NamedTuple):
    """CPU seconds of all processes together, wall seconds, and the megabytes of the largest process."""

    cpu: float
    wall: float
    memory: float


class CommandFailed(Exception):
    """A command that should have ended with 0 did not, so that its figures mean nothing."""


def measure(command: Sequence[str]) -> Measured:
    """Run a command to its end. What it prints goes nowhere."""
    print("...", *(word if len(word) < 60 else word[:57] + "..." for word in command[:12]), file=sys.stderr, flush=True)
    launcher = [sys.executable, "-I", "-S", __file__, *command]
    status, *figures = subprocess.run(launcher, check=True, capture_output=True, text=True).stdout.split()
    if status != "0":
        raise CommandFailed(f"exit status {status}: {' '.join(command)}"[:1000])
    return Measured(*map(float, figures))


def medians(taken: Sequence[Measured]) -> Measured:
    """Median times, and the largest memory."""
    return Measured(
        statistics.median(each.cpu for each in taken),
        statistics.median(each.wall for each in taken),
        max(each.memory for each in taken),
    )


def machine() -> str:
    """What the figures are made on."""
    name = platform.machine()
    if os.path.exists("/proc/cpuinfo"):
        with open("/proc/cpuinfo") as lines:
            name = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), name)
    system = f"{platform.system()}, Python {platform.python_version()}"
    return f"{name}, {os.cpu_count()} processors, {system}; load at the start {os.getloadavg()[0]:.1f}"


def _launch(command: Sequence[str]) -> None:
    """Run the command, and print its exit status and what was measured."""
    if sys.platform == "linux":
        # Processes that outlive their parent become our children, and count: those of a fork server, say.
        import ctypes

        ctypes.CDLL(None).prctl(36, 1)  # PR_SET_CHILD_SUBREAPER
    began = time.perf_counter()
    status = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
    wall = time.perf_counter() - began
    while True:
        try:
            os.wait()
        except ChildProcessError:
            break
    # Sums the times of children and their children, and has the largest memory of any one of them.
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    unit = 1024 if sys.platform == "linux" else 1024**2
    print(status, used.ru_utime + used.ru_stime, wall, used.ru_maxrss / unit)


if __name__ == "__main__":
    _launch(sys.argv[1:])
