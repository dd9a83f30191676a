"""`CaviaDiagNormalPolicy.reset_context()` raises on the CPU

`context_params` is made with `requires_grad=True`, and `reset_context` writes zeros into it outside `no_grad`. On the
CPU, the default device of the policy, the tensor is a leaf, and PyTorch refuses. On a GPU `.to(device)` makes a
non-leaf: there the call works, and the parameters have become part of a graph. The CAVIA example calls it before each
task.
"""

import ast
import math
from importlib.util import find_spec
from pathlib import Path

import torch
from torch import nn

RELEASE = "learn2learn==0.2.0"
NEEDS = []
FINDINGS = [
    "examples/rl/policies.py:65:9: error[IPL101] item assignment modifies `self.context_params`, a leaf that requires grad",
]
EFFECT = "raises at the write, always on the CPU"
CURE = [("self.context_params[:] = 0", "self.context_params.data[:] = 0")]
PRINTS = """
released: RuntimeError: a leaf Variable that requires grad is being used in an in-place operation.
cured:    context [0.0, 0.0]
"""

# The examples lie beside the package in the source release.
PLACE = Path(find_spec("learn2learn").submodule_search_locations[0]).parent / "examples" / "rl" / "policies.py"
(POLICY,) = [
    node for node in ast.parse(PLACE.read_text("utf-8")).body if getattr(node, "name", "") == "CaviaDiagNormalPolicy"
]


def reset(code: str) -> str:
    namespace = {"torch": torch, "nn": nn, "math": math, "linear_init": lambda module: module, "EPSILON": 1e-6}
    exec(code, namespace)
    policy = namespace["CaviaDiagNormalPolicy"](3, 2)
    policy.context_params.data.fill_(1)
    try:
        policy.reset_context()
    except RuntimeError as error:
        return f"RuntimeError: {error}"
    return f"context {policy.context_params.tolist()}"


released = reset(ast.unparse(POLICY))
cured = reset(ast.unparse(POLICY).replace(*CURE[0]))

print("released:", released)
print("cured:   ", cured)
assert released.startswith("RuntimeError")
assert cured == "context [0.0, 0.0]"
