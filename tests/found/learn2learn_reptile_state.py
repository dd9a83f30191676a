"""Validation and test tasks leak into the optimizer's state in the Reptile example

`adapt_opt_state = adapt_opt.state_dict()` is kept as the state to go back to. But `state_dict()` does not copy: its
tensors are those that `Adam.step()` writes. Loading it does not copy them either, so the optimizers of the
validation and of the test task, which start from that "snapshot", write it on, and the next training task starts with
moments and step counts that come from validation and test data. Nothing is raised.
"""

import ast
import copy
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

RELEASE = "learn2learn==0.2.0"
NEEDS = ["numpy"]
FINDINGS = [
    "examples/vision/reptile_miniimagenet.py:38:9: warning[IPL304] `step` modifies `state_dict()`, which was kept for later",
]
EFFECT = "wrong values, silently, in every run of the example"
CURE = [("adapt_opt.load_state_dict(adapt_opt_state)", "adapt_opt.load_state_dict(copy.deepcopy(adapt_opt_state))")]
PRINTS = """
released: steps in the kept state 5, after validation 10
cured:    steps in the kept state 5, after validation 5
"""

# `fast_adapt` is the function that trains; the example itself downloads mini-ImageNet.
PLACE = Path(find_spec("learn2learn").submodule_search_locations[0]).parent / "examples/vision/reptile_miniimagenet.py"
SOURCE = PLACE.read_text("utf-8")
FUNCTIONS = [node for node in ast.parse(SOURCE).body if getattr(node, "name", "") in ("fast_adapt", "accuracy")]
namespace = {"torch": torch, "np": np}
exec("\n".join(ast.unparse(function) for function in FUNCTIONS), namespace)
assert CURE[0][0] in SOURCE


def adapt(learner: nn.Module, state: dict[str, Any] | None) -> torch.optim.Adam:
    """One task, as the example runs it: an optimizer that starts from the state, and five steps."""
    optimizer = torch.optim.Adam(learner.parameters(), lr=0.001, betas=(0.0, 0.999))
    if state is not None:
        optimizer.load_state_dict(state)
    task = torch.randn(10, 4), torch.arange(5).repeat_interleave(2)
    namespace["fast_adapt"](task, learner, optimizer, nn.CrossEntropyLoss(), 5, 1, 5, 5, "cpu")
    return optimizer


def steps_in_kept_state(copied: bool) -> tuple[float, float]:
    """The step count in the kept state, before and after a validation task."""
    torch.manual_seed(0)
    learner = nn.Linear(4, 5)
    kept = adapt(learner, None).state_dict()
    before = kept["state"][0]["step"].item()
    adapt(copy.deepcopy(learner), copy.deepcopy(kept) if copied else kept)
    return before, kept["state"][0]["step"].item()


released, cured = steps_in_kept_state(copied=False), steps_in_kept_state(copied=True)
print("released: steps in the kept state {:.0f}, after validation {:.0f}".format(*released))
print("cured:    steps in the kept state {:.0f}, after validation {:.0f}".format(*cured))
assert released == (5, 10)
assert cured == (5, 5)
