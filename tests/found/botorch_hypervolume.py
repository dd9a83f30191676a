"""The hypervolume of three objectives or more has no gradient

`compute_local_upper_bounds` builds its cells with `A_Z_filtered[:, mask]` and `P_uj[:, mask] = ...`, and then sets
`mask[j] = 1` for the next objective. Indexing has saved the mask for backward, so `backward()` raises. Whoever takes
the hypervolume of a partitioning, or an acquisition value, as a function of the outcomes, meets this with `m > 2`;
the case of two objectives takes another path and works.
"""

import ast
from importlib.util import find_spec
from pathlib import Path

import torch

RELEASE = "botorch==0.18.1"
NEEDS = []
FINDINGS = [
    "botorch/utils/multi_objective/box_decompositions/utils.py:149:9: warning[IPL201] item assignment modifies `mask`, which `getitem` saved for backward if `Z` requires grad",
]
EFFECT = "raises in backward, for everyone who differentiates through the cells"
CURE = [
    (
        "mask = torch.ones(num_outcomes, dtype=torch.bool, device=U.device)\n    for j in range(num_outcomes):\n",
        "for j in range(num_outcomes):\n        mask = torch.ones(num_outcomes, dtype=torch.bool, device=U.device)\n",
    ),
    ("\n        mask[j] = 1", ""),
]
PRINTS = """
released: RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation
cured:    gradient [[4.0, 4.0, 4.0], [6.0, 5.0, 5.0]]
"""

# The package imports GPyTorch and Pyro; the function needs torch only.
PLACE = "utils/multi_objective/box_decompositions/utils.py"
SOURCE = Path(find_spec("botorch").submodule_search_locations[0], PLACE).read_text("utf-8")
(FUNCTION,) = [node for node in ast.parse(SOURCE).body if getattr(node, "name", "") == "compute_local_upper_bounds"]


def gradient(changes: list[tuple[str, str]]) -> str:
    code = ast.unparse(FUNCTION)
    for old, new in changes:
        assert old in code
        code = code.replace(old, new)
    namespace = {"torch": torch, "Tensor": torch.Tensor}
    exec(code, namespace)
    points = torch.tensor([[0.2, 0.3, 0.4], [0.4, 0.2, 0.3]], requires_grad=True)
    bounds, defining = torch.ones(1, 3), torch.zeros(1, 3, 3)
    for point in points:
        bounds, defining = namespace["compute_local_upper_bounds"](bounds, defining, point)
    try:
        (bounds.sum() + defining.sum()).backward()
    except RuntimeError as error:
        return f"RuntimeError: {str(error).split(':')[0]}"
    return f"gradient {points.grad.tolist()}"


released, cured = gradient([]), gradient(CURE)
print("released:", released)
print("cured:   ", cured)
assert released.startswith("RuntimeError")
assert cured.startswith("gradient")
