"""Arguments to call ops with: those of PyTorch's own tests, else made up from the signature."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice, product
from typing import Any

import numpy
import torch
from torch.utils._pytree import tree_flatten

from inplace_lint.torch_model.effects import Param

MAX_SAMPLES = 12
_READ_AHEAD = 60
_MAX_ELEMENTS = 100_000


@dataclass(frozen=True)
class Arguments:
    """Positional and keyword arguments of one call."""

    args: tuple[object, ...]
    kwargs: Mapping[str, object]


def load_tests() -> None:
    """Import the samples of PyTorch's own tests, which takes longer than torch itself: once, before processes fork."""
    from torch.testing._internal import common_methods_invocations, common_modules  # noqa: F401


@cache
def _infos() -> dict[str, list[Any]]:
    # Late, as `load_tests` says.
    from torch.testing._internal.common_methods_invocations import op_db

    found: dict[str, list[Any]] = {}
    for info in op_db:
        for name in [info.name, *(alias.name for alias in info.aliases)]:
            found.setdefault(name, []).append(info)
    return found


def from_tests(name: str) -> list[Arguments]:
    """Distinct small samples of an op by its name in `op_db` (`nn.functional.relu`)."""
    return [a for info in _infos().get(name, ()) for a in _samples(info)]


_cached: dict[int, list[Arguments]] = {}


def _samples(info: Any) -> list[Arguments]:
    if id(info) not in _cached:
        _cached[id(info)] = list(islice(_distinct(_generate(info)), MAX_SAMPLES))
    return _cached[id(info)]


def _generate(info: Any) -> Iterator[Arguments]:
    seed()
    try:
        for dtype in (torch.float32, torch.float64, torch.complex64, torch.int64, torch.bool):
            if dtype in info.dtypes:
                for sample in islice(info.sample_inputs("cpu", dtype), _READ_AHEAD):
                    yield Arguments((sample.input, *sample.args), sample.kwargs)
                return
    except Exception:  # a sample that cannot be made here (a missing library) is one sample less
        return


def seed(start: int = 0) -> None:
    """Makes what follows the same on every run.

    Args:
        start: what the random numbers of PyTorch start from.
    """
    random.seed(0)
    numpy.random.seed(0)
    # Not `torch.manual_seed`: for other devices, it writes down its whole stack.
    torch.default_generator.manual_seed(start)


def _distinct(samples: Iterator[Arguments]) -> Iterator[Arguments]:
    seen: set[str] = set()
    for sample in samples:
        leaves = tree_flatten((sample.args, dict(sample.kwargs)))[0]
        tensors = [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]
        if any(t.numel() == 0 or t.numel() > _MAX_ELEMENTS or t.layout is not torch.strided for t in tensors):
            continue
        key = repr([(t.dim(), t.dtype) if isinstance(t, torch.Tensor) else (type(t), t) for t in leaves])
        key += repr(sorted(sample.kwargs))
        if key not in seen:
            seen.add(key)
            yield sample


_SHAPES = ((3, 3), (2, 3, 4, 4), (3,), (2, 3, 3), (2, 3, 4, 4, 4), ())
_DTYPES = (torch.float32, torch.int64, torch.complex64, torch.bool, torch.float64)
_INTEGER_NAMES = ("index", "indices", "indexes", "target", "offsets", "repeats", "pivots")
_BOOLEAN_NAMES = ("mask", "condition")


def made_up(params: Sequence[Param]) -> Iterator[Arguments]:
    """Guesses, most of which an op will refuse: only required parameters, by keyword-free position."""
    required = [p for p in params if not p.optional]
    for shape, dtype in product(_SHAPES, _DTYPES):
        seed()
        for values in product(*(_candidates(p, shape, dtype) for p in required)):
            positional = tuple(v for p, v in zip(required, values, strict=True) if not p.keyword_only)
            named = {p.name: v for p, v in zip(required, values, strict=True) if p.keyword_only}
            yield Arguments(positional, named)


def _candidates(param: Param, shape: tuple[int, ...], dtype: torch.dtype) -> Sequence[object]:
    if param.kind == "tensor":
        return [_tensor(param.name, shape, dtype)]
    if param.kind == "tensors":
        return [[_tensor(param.name, shape, dtype), _tensor(param.name, shape, dtype)]]
    if param.kind == "int":
        return [0, 1, 3] if "dim" in param.name else [1, 3, 0]
    if param.kind == "ints":
        return [list(shape), [0], [1, 1], [1], [0, 1]] if "dim" not in param.name else [[0], [0, 1]]
    if param.kind == "number":
        return [0.5, 2]
    if param.kind == "bool":
        return [True, False]
    if param.kind == "dtype":
        return [torch.float32, torch.float64]
    return ["cpu", None]


def _tensor(name: str, shape: tuple[int, ...], dtype: torch.dtype) -> torch.Tensor:
    if name in _INTEGER_NAMES:
        return torch.zeros(shape, dtype=torch.int64)
    if name in _BOOLEAN_NAMES:
        return torch.rand(shape) > 0.5
    values = torch.rand(shape) * 0.8 + 0.1
    return (values * 5).to(dtype) if dtype is torch.int64 else values.to(dtype)
