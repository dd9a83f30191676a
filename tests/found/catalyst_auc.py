"""`metrics.auc` changes the shapes of its caller's tensors

For one-dimensional input, `auc` calls `scores.unsqueeze_(dim=1)` and `targets.unsqueeze_(dim=1)`: the metadata of the
tensors themselves. After a metric was computed, the caller's batch has shape `[N, 1]` instead of `[N]`, and a loss on
it broadcasts to `[N, N]`, silently.
"""

import ast
from importlib.util import find_spec
from pathlib import Path

import torch

RELEASE = "catalyst==22.4"
NEEDS = []
CHECKED = ["catalyst/metrics"]
FINDINGS = [
    "catalyst/metrics/functional/_auc.py:168:9: warning[IPL305] `unsqueeze_` modifies `targets`, an argument that the caller reads again",
]
EFFECT = "changes the caller's tensors, always with one-dimensional input"
CURE = [
    ("scores.unsqueeze_(dim=1)", "scores = scores.unsqueeze(dim=1)"),
    ("targets.unsqueeze_(dim=1)", "targets = targets.unsqueeze(dim=1)"),
]
PRINTS = """
released: targets of shape [4] have shape [4, 1]; their squared error is 0.375
cured:    targets of shape [4] have shape [4]; their squared error is 0.025
"""

# The package imports training frameworks; the function needs torch only.
PLACE = Path(find_spec("catalyst").submodule_search_locations[0], "metrics", "functional", "_auc.py")
(FUNCTION,) = [node for node in ast.parse(PLACE.read_text("utf-8")).body if getattr(node, "name", "") == "auc"]


def shapes_afterwards(changes: list[tuple[str, str]]) -> tuple[list[int], float]:
    """The shape of the targets, and a loss on them that the caller computes next."""
    code = "from __future__ import annotations\n" + ast.unparse(FUNCTION)
    for old, new in changes:
        code = code.replace(old, new)
    namespace = {"torch": torch, "binary_auc": lambda scores, targets: (0.5, None, None)}
    exec(code, namespace)
    scores, targets = torch.tensor([0.9, 0.1, 0.8, 0.2]), torch.tensor([1.0, 0.0, 1.0, 0.0])
    predictions = scores.clone()
    namespace["auc"](scores, targets)
    return list(targets.shape), round((predictions - targets).pow(2).mean().item(), 3)


released, cured = shapes_afterwards([]), shapes_afterwards(CURE)
print("released: targets of shape [4] have shape {}; their squared error is {}".format(*released))
print("cured:    targets of shape [4] have shape {}; their squared error is {}".format(*cured))
assert released[0] == [4, 1]
assert cured[0] == [4]
assert released[1] != cured[1]
