"""Objects that callers bring: a finding about recorded gradients does not hold if all are made without."""

from __future__ import annotations

from pathlib import Path

import pytest

from inplace_lint import lint_paths

torch = pytest.importorskip("torch")

POT = '''"""Keys of a decoder."""
import torch


class Pot:
    def __init__(self, rows):
        self.k = torch.zeros(4, rows, 2)
        self.length = 0

    def put(self, layer, k):
        self.k[layer, self.length : self.length + 1] = k
        return self.k[layer]
'''
NET = '''"""A decoder."""
from __future__ import annotations

import torch
from torch import nn

from pot import Pot


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(2, 2)

    def forward(self, x, pot: Pot):
        k = pot.put(0, self.a(x))
        first = x @ k.T
        k = pot.put(1, self.a(first @ k))
        return pot.put(0, self.a(x)) @ k.T
'''
MADE = '''"""Decodes."""
import torch

from net import Net
from pot import Pot


{decorator}
def sample(net, x):
    pot = Pot(3)
    net(x, pot)
    return net(x, pot)
'''
QUIET = MADE.format(decorator="@torch.no_grad()")
LOUD = MADE.format(decorator="# with gradients")


def found(folder: Path, monkeypatch: pytest.MonkeyPatch, *others: str) -> set[str]:
    files = {"pot.py": POT, "net.py": NET, **{f"user{index}.py": text for index, text in enumerate(others)}}
    for name, text in files.items():
        (folder / name).write_text(text)
    monkeypatch.chdir(folder)
    return {f"{each.code} {each.site.path}" for each in lint_paths(["."], jobs=1, cache=None).diagnostics}


def test_an_object_that_is_made_only_without_gradients(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert found(tmp_path, monkeypatch, QUIET) == set()


@pytest.mark.parametrize("others", [(), (LOUD,), (QUIET, LOUD)], ids=["nobody", "with gradients", "both"])
def test_one_that_may_be_made_with_gradients(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, others: tuple[str, ...]
) -> None:
    assert found(tmp_path, monkeypatch, *others) == {"IPL201 pot.py"}


def test_one_that_others_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert found(tmp_path, monkeypatch, QUIET, "from pot import Pot\n\nKINDS = [Pot]\n") == {"IPL201 pot.py"}


def test_one_that_others_declare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    declared = "from pot import Pot\n\n\ndef length(pot: Pot) -> int:\n    return pot.length\n"
    assert found(tmp_path, monkeypatch, QUIET, declared) == set()


@pytest.mark.parametrize(("text", "fails"), [(QUIET, False), (LOUD, True)], ids=["without", "with"])
def test_pytorch_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, fails: bool) -> None:
    found(tmp_path, monkeypatch)
    monkeypatch.syspath_prepend(str(tmp_path))
    space: dict[str, object] = {}
    exec(text, space)
    y = space["sample"](space["Net"](), torch.ones(1, 2))  # type: ignore[operator]
    if fails:
        with pytest.raises(RuntimeError, match="inplace"):
            y.sum().backward()
    else:
        assert not y.requires_grad
