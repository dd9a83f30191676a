"""`PGMExplainer` with `perturbation_mode="uniform"` does not work

The branch ends in `perturb_array.clamp(min=0, max=torch.max(x, dim=0))`, whose result is thrown away: perturbed
features are not held in their range. The call cannot succeed either, since `torch.max(x, dim=0)` is a pair of values
and indices, so the whole mode raises a `TypeError`; and the line above indexes nodes by `feature_index`.
"""

import ast
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import torch

RELEASE = "torch-geometric==2.8.1"
NEEDS = []
FINDINGS = [
    "torch_geometric/contrib/explain/pgm_explainer.py:99:13: warning[IPL308] the result of `clamp` is thrown away, `perturb_array` stays as it is",
]
EFFECT = "raises in forward, for everyone who sets the option"
CURE = [
    (
        "perturb_array[self.feature_index] + random_perturbations",
        "perturb_array[:, self.feature_index] + random_perturbations[:, self.feature_index]",
    ),
    (
        "perturb_array.clamp(min=0, max=torch.max(x, dim=0))",
        "perturb_array = torch.minimum(perturb_array.clamp(min=0), torch.max(x, dim=0).values)",
    ),
]
PRINTS = """
released: TypeError: clamp() received an invalid combination of arguments - got (max=torch.return_types.max, min=int, ), but expected one of:
cured:    features between 0.00 and 1.00
"""

# The package imports a dozen libraries; the method needs torch only.
PLACE = Path(find_spec("torch_geometric").submodule_search_locations[0], "contrib", "explain", "pgm_explainer.py")
TREE = ast.parse(PLACE.read_text("utf-8"))
(METHOD,) = [node for node in ast.walk(TREE) if getattr(node, "name", "") == "_perturb_features_on_nodes"]


def perturbed(changes: list[tuple[str, str]]) -> str:
    code = "from __future__ import annotations\n" + ast.unparse(METHOD)
    for old, new in changes:
        code = code.replace(old, new)
    namespace = {"torch": torch}
    exec(code, namespace)
    torch.manual_seed(0)
    explainer = SimpleNamespace(perturbation_mode="uniform", feature_index=[0, 1], is_perturbation_scaled=False)
    features = torch.tensor([[0.0, 1.0], [1.0, 0.0], [0.5, 0.5]])
    try:
        result = namespace["_perturb_features_on_nodes"](explainer, features, torch.tensor([0, 1]))
    except (TypeError, RuntimeError) as error:
        return f"{type(error).__name__}: {str(error).splitlines()[0]}"
    return f"features between {result.min().item():.2f} and {result.max().item():.2f}"


released, cured = perturbed([]), perturbed(CURE)
print("released:", released)
print("cured:   ", cured)
assert released.startswith("TypeError")
assert cured == "features between 0.00 and 1.00"
