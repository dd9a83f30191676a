"""The solvers of the Thomson problem return the last configuration, not the best

`_thomson_sphere` and its three sisters keep the best points so far with `best_X = X.detach().cpu()`. On the CPU
neither call copies: `best_X` is the memory of the parameter that Adam goes on writing. What is returned, and used as a
grid on the sphere or on SO(3), is whatever the last step left. On a GPU `.cpu()` copies, and the result differs.
"""

import ast
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import torch
from torch.optim import SGD, Adam

RELEASE = "escnn==1.0.11"
NEEDS = ["numpy"]
FINDINGS = [
    "escnn/group/groups/_numerical_thomson.py:116:9: warning[IPL303] `step` modifies `X`, which is also `best_X`, read later",
    "escnn/group/groups/_numerical_thomson.py:213:9: warning[IPL303] `step` modifies `X`, which is also `best_X`, read later",
    "escnn/group/groups/_numerical_thomson.py:402:9: warning[IPL303] `step` modifies `X`, which is also `best_X`, read later",
]
EFFECT = "wrong values, silently, on the CPU"
CURE = [("best_X = X.detach().cpu()", "best_X = X.detach().cpu().clone()")]
PRINTS = """
released: potential of the result 224.3190, lowest that was met 224.0644
cured:    potential of the result 224.0644, lowest that was met 224.0644
"""

# The package imports a solver of linear programs and caches on disk; the functions need torch only.
PLACE = Path(find_spec("escnn").submodule_search_locations[0], "group", "groups", "_numerical_thomson.py")
NAMES = ("_normalize", "_distance_sphere", "_potential_sphere", "_thomson_sphere")
FUNCTIONS = [node for node in ast.parse(PLACE.read_text("utf-8")).body if getattr(node, "name", "") in NAMES]
CODE = "\n".join(ast.unparse(function) for function in FUNCTIONS)


def potentials(code: str) -> tuple[float, float]:
    """The potential of the points that are returned, and the lowest that was met."""
    namespace = {"torch": torch, "np": np, "Adam": Adam, "SGD": SGD}
    exec(code, namespace)
    potential = namespace["_potential_sphere"]
    met = []

    def watched(points: torch.Tensor, distance: str) -> torch.Tensor:
        met.append(potential(points, distance))
        return met[-1]

    namespace["_potential_sphere"] = watched
    points = namespace["_thomson_sphere"](24, rng=np.random.RandomState(42))
    return potential(points).item(), min(met).item()


released, cured = potentials(CODE), potentials(CODE.replace(*CURE[0]))
print("released: potential of the result {:.4f}, lowest that was met {:.4f}".format(*released))
print("cured:    potential of the result {:.4f}, lowest that was met {:.4f}".format(*cured))
assert released[0] > released[1] + 1e-4
assert abs(cured[0] - cured[1]) < 1e-4
