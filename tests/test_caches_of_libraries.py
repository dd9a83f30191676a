"""Writes of a program to what a library has made, and keeps for whoever asks again."""

from __future__ import annotations

from pathlib import Path

import pytest
from installed_programs import found, install, result

torch = pytest.importorskip("torch")

pytestmark = pytest.mark.usefixtures("in_own_folder")

CACHES = """import torch


class Tried:
    def __init__(self):
        self._cache = {}

    def __call__(self, a, b):
        try:
            return self._cache[a, b]
        except KeyError:
            made = self._cache[a, b] = torch.arange(a, b)
            return made


class Asked:
    def __init__(self):
        self._cache = {}

    def __call__(self, a, b):
        if (a, b) not in self._cache:
            made = torch.empty(b - a)
            made.fill_(3.0)
            self._cache[a, b] = made
        return self._cache[a, b]


class Fresh:
    def __call__(self, a, b):
        return torch.arange(a, b)
"""
GRID = """import torch
from caches import {made}


def scaled(grid, n):
    total = 0
    for i in range(n):
        part = grid({key})
        {write}
        total = total + part.sum()
    return total


def main():
    grid = {made}()
    return [scaled(grid, n).item() for n in (1, 2, 3)]


if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize(
    ("write", "apart"),
    [
        ("part *= 2", "part = part * 2"),
        ("part[part > 0] = part.sum() + 1", "part = part.clone(); part[part > 0] = part.sum() + 1"),
    ],
)
@pytest.mark.parametrize("key", ["0, 4", "0, i + 1"])
@pytest.mark.parametrize(("made", "told"), [("Tried", True), ("Asked", True), ("Fresh", False)])
def test_what_a_library_keeps_is_changed(
    tmp_path: Path, made: str, told: bool, key: str, write: str, apart: str
) -> None:
    env = install(tmp_path / "env", {"caches/__init__.py": CACHES})
    wrong, right = (GRID.format(made=made, key=key, write=each) for each in (write, apart))
    assert (result(wrong, env) != result(right, env)) == told
    assert found(wrong, env) == ([("IPL304", 9, "main.py")] if told else [])
    assert found(right, env) == []


def test_a_state_of_the_program_is_brought_up_to_date(tmp_path: Path) -> None:
    env = install(tmp_path / "env", {})
    own = GRID.format(made="Tried", key="0, 4", write="part += 2").replace("part.sum()", "part")
    text = own.replace("from caches import Tried\n", CACHES.removeprefix("import torch\n")).replace(".item()", "")
    assert found(text, env) == []


SUMS = """import torch


class Sums:
    def __init__(self):
        self._sums = {}

    def asked(self, name):
        if name not in self._sums:
            self._sums[name] = torch.zeros(3)
        return self._sums[name]

    def tried(self, name):
        try:
            return self._sums[name]
        except KeyError:
            made = self._sums[name] = torch.zeros(3)
            return made
"""
ADDED = """import torch
from sums import Sums


def added(sums, values):
    for value in values:
        total = sums.{method}("all")
        {write}
    return sums.{method}("all")


def main():
    return added(Sums(), [torch.ones(3), torch.ones(3)]).sum().item()


if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize("method", ["asked", "tried"])
@pytest.mark.parametrize("write", ["total += value", "total.mul_(0.9).add_(value)"])
def test_a_sum_that_a_library_keeps_is_there_to_grow(tmp_path: Path, method: str, write: str) -> None:
    env = install(tmp_path / "env", {"sums/__init__.py": SUMS})
    text = ADDED.format(method=method, write=write)
    assert result(text, env) > 3
    assert found(text, env) == []


LOOKED_UP = """import torch


def main():
    y = torch.sigmoid(torch.ones(3, requires_grad=True))
    table = {"x": 1}
    try:
        factor = table["KEY"]
    except KeyError:
        factor = y.add_(1)
    (y * factor).sum().backward()


if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize(("key", "told"), [("x", []), ("y", [("IPL202", 10, "main.py")])])
def test_a_key_that_a_dictionary_lacks_leads_to_the_handler(
    tmp_path: Path, key: str, told: list[tuple[str, int, str]]
) -> None:
    text = LOOKED_UP.replace("KEY", key)
    assert isinstance(result(text, tmp_path), RuntimeError) == bool(told)
    assert found(text, "none") == told
