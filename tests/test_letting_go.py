"""What a file needed is gone when it has been checked, without the garbage collector."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from inplace_lint.findings.registry import registry
from inplace_lint.interpret.analysis.analyze import analyze, forget_files
from inplace_lint.interpret.state.program import ModuleFile, Program
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import Class, Frame
from inplace_lint.source import ir

FILES = sorted((Path(__file__).parent / "cases").glob("*.py"))

# What is kept for other files: the stubs of libraries.
LASTING = """
import sys
from argparse import ArgumentParser
from contextlib import nullcontext
from einops import rearrange
from einops.layers.torch import Rearrange
from functools import reduce
from itertools import chain
from operator import add
from torch.amp import GradScaler
from torch.cuda.amp import GradScaler as Older
from torch.distributions import Normal, LogNormal, Bernoulli, kl_divergence
from torch.func import linearize
from torch.nn.utils import vector_to_parameters
from torch.nn.utils.parametrize import register_parametrization
from torch.nn import MultiheadAttention, TransformerEncoder
from torch.utils._pytree import tree_flatten, tree_map_only, tree_unflatten
from torch.utils.data import DataLoader
from weakref import ref

def f(x):
    x.add_(1)
    add(x, x)
    kept = [ArgumentParser, rearrange, Rearrange, reduce, chain, GradScaler, Older, vector_to_parameters]
    kept += [linearize, register_parametrization, DataLoader, MultiheadAttention, TransformerEncoder]
    kept += [LogNormal(x, x), Bernoulli(x), kl_divergence, tree_map_only(int, abs, x)]
    kept += [tree_unflatten(*tree_flatten([x])), ref(x), sys.modules, globals(), nullcontext()]
    return Normal(x, x), kept
"""


@pytest.fixture(scope="module")
def _lasting() -> None:
    forget_files()
    analyze(LASTING, "lasting.py", [each.rule for each in registry().values()], _nothing)


@pytest.mark.usefixtures("_lasting")
@pytest.mark.parametrize("file", FILES[::3], ids=lambda file: file.stem)
def test_nothing_is_left_to_collect(file: Path) -> None:
    with _counted() as alive:
        analyze(file.read_text(), str(file), [each.rule for each in registry().values()], _nothing)
        assert not alive()


def _nothing(_: str) -> None:
    """No other file is there."""


@contextmanager
def _counted() -> Iterator[Callable[[], Counter[type]]]:
    """Counts what has been made since, and is not let go; what was there before is left out for good."""
    gc.disable()
    gc.freeze()
    try:
        yield _alive
    finally:
        gc.enable()


def _alive() -> Counter[type]:
    kinds = (ModuleFile, Run, Class, Frame, ir.Function)
    return Counter(type(each) for each in gc.get_objects() if type(each) in kinds)


def test_there_is_something_to_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Program, "release", lambda *_: None)
    with _counted() as alive:
        analyze(FILES[0].read_text(), str(FILES[0]), [each.rule for each in registry().values()], lambda _: None)
        assert alive()
