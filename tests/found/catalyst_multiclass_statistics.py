"""Predictions of shape `[1, N]` are not transposed before the statistics are taken

`process_multiclass_components` handles the "transpose case" with `outputs.permute(1, 0)` and `targets.permute(1, 0)`,
and throws both results away. Outputs and targets keep the shape `[1, N]`, where every other branch gives `[N, 1]`, and
metrics that go over the first dimension see one sample instead of `N`.
"""

import ast
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import torch

RELEASE = "catalyst==22.4"
NEEDS = ["numpy"]
CHECKED = ["catalyst/metrics"]
FINDINGS = [
    "catalyst/metrics/functional/_misc.py:56:9: warning[IPL308] the result of `permute` is thrown away, `outputs` stays as it is",
    "catalyst/metrics/functional/_misc.py:68:9: warning[IPL308] the result of `permute` is thrown away, `targets` stays as it is",
]
EFFECT = "wrong values, silently, for input of shape `[1, N]`"
CURE = [
    ("outputs.permute(1, 0)", "outputs = outputs.permute(1, 0)"),
    ("targets.permute(1, 0)", "targets = targets.permute(1, 0)"),
]
PRINTS = """
released: outputs [1, 3], targets [1, 3]
cured:    outputs [3, 1], targets [3, 1]
"""

# The package imports training frameworks; the function needs torch only.
PLACE = Path(find_spec("catalyst").submodule_search_locations[0], "metrics", "functional", "_misc.py")
(FUNCTION,) = [
    node
    for node in ast.parse(PLACE.read_text("utf-8")).body
    if getattr(node, "name", "") == "process_multiclass_components"
]


def shapes(changes: list[tuple[str, str]]) -> list[list[int]]:
    code = "from __future__ import annotations\n" + ast.unparse(FUNCTION)
    for old, new in changes:
        code = code.replace(old, new)
    namespace = {"torch": torch, "np": np}
    exec(code, namespace)
    outputs, targets, _ = namespace["process_multiclass_components"](
        torch.tensor([[0, 1, 2]]), torch.tensor([[0, 1, 1]]), num_classes=3
    )
    return [list(outputs.shape), list(targets.shape)]


released, cured = shapes([]), shapes(CURE)
print("released: outputs {}, targets {}".format(*tuple(released)))
print("cured:    outputs {}, targets {}".format(*tuple(cured)))
assert released == [[1, 3], [1, 3]]
assert cured == [[3, 1], [3, 1]]
