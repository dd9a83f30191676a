"""What the linter takes for the shape of an op's result is the one that PyTorch gives, or is left open."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

import pytest

from inplace_lint.pipeline.lint_file import lint_bytes
from inplace_lint.project.config import Config

torch = pytest.importorskip("torch")
SAMPLES = 2


def _written(value: Any) -> str:
    """An argument as a program would write it; LookupError if it would not."""
    if isinstance(value, torch.Tensor):
        sizes = tuple(value.shape)
        if value.dtype == torch.float32:
            return f"torch.rand({sizes})"
        if value.dtype in (torch.int64, torch.bool):
            return f"torch.zeros({sizes}, dtype={value.dtype})"
        raise LookupError(value.dtype)
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_written, value))}]"
    if isinstance(value, (bool, int, float, str, torch.dtype, type(None))):
        return str(value) if isinstance(value, torch.dtype) else repr(value)
    raise LookupError(type(value))


def _calls() -> Iterator[tuple[str, tuple[int, ...]]]:
    """Calls of ops, each with the shape of its result."""
    from torch.testing._internal.common_methods_invocations import op_db

    for op in op_db:
        if torch.float32 not in op.dtypes:
            continue
        try:
            # `op.sample_inputs` would look through the sources of all frames, for each sample
            samples = list(islice(op.sample_inputs_func(op, "cpu", torch.float32, requires_grad=False), SAMPLES))
        except Exception:  # a library that is not there
            continue
        for sample in samples:
            try:
                first, *others = map(_written, (sample.input, *sample.args))
                others += [f"{name}={_written(value)}" for name, value in sample.kwargs.items()]
            except LookupError:
                continue
            function = f"torch.{op.name}({', '.join([first, *others])})"
            for call in (function, f"{first}.{op.name}({', '.join(others)})"):
                try:
                    result = eval(call, {"torch": torch})
                except Exception:  # no such method, or zeros for what has no zeros
                    continue
                if isinstance(result, torch.Tensor):
                    yield call, tuple(result.shape)


@pytest.mark.filterwarnings("ignore")
def test_shapes_of_results():
    torch.manual_seed(0)
    lines, asked = ["import torch"], {}
    for call, shape in dict(_calls()).items():
        test = " and ".join([f"y.ndim == {len(shape)}", *(f"y.shape[{at}] == {size}" for at, size in enumerate(shape))])
        lines += [f"def f{len(asked)}():", "    x = torch.rand(3, requires_grad=True)", f"    y = {call}"]
        lines += [f"    if {test}:", "        x.add_(1)"]
        asked[len(lines)] = call, shape
    found = {each.site.span.row for each in lint_bytes("\n".join(lines).encode(), "shapes.py", Config())}
    assert len(asked) > 1000
    assert [told for row, told in asked.items() if row not in found] == []
