"""Calls that PyTorch makes without asking a `TorchFunctionMode`: backward passes and custom functions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import Any
from unittest.mock import patch

import torch

Call = Callable[[], Any]


@contextmanager
def watched(
    backward: Callable[[Call, Sequence[Any]], Any], apply: Callable[[Call, str, Sequence[Any]], Any]
) -> Iterator[None]:
    """Lead backward passes and calls of custom functions through these functions.

    Args:
        backward: given the call into the engine, and what is differentiated (tensors or graph edges).
        apply: given the call of `Function.apply`, the function's name and the arguments.
    """
    run, applied = torch.autograd.graph._engine_run_backward, torch.autograd.Function.__dict__["apply"]

    @wraps(run)
    def run_backward(outputs: Sequence[Any], *args: Any, **kwargs: Any) -> Any:
        return backward(lambda: run(outputs, *args, **kwargs), outputs)

    @wraps(applied.__func__)
    def apply_function(cls: type, *args: Any, **kwargs: Any) -> Any:
        return apply(lambda: applied.__func__(cls, *args, **kwargs), f"{cls.__name__}.apply", (args, kwargs))

    with (
        patch.object(torch.autograd.graph, "_engine_run_backward", run_backward),
        patch.object(torch.autograd, "_engine_run_backward", run_backward),
        patch.object(torch.autograd.Function, "apply", classmethod(apply_function)),
    ):
        yield
