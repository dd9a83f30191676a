"""`PGDAttack.random_sample` tries one sample instead of twenty

`s = self.adj_changes.cpu().detach().numpy()` holds the probabilities of the edges. On the CPU none of these calls
copies, so `s` is the memory of the parameter. The loop then writes the first accepted sample, zeros and ones, into
that parameter: from there on `s` is this sample, and `np.random.binomial(1, s)` can only draw it again. The attack
(`PGDAttack`, and `MinMax`, which inherits it) is silently weaker on the CPU than on a GPU, where `.cpu()` copies.
"""

import ast
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import torch

RELEASE = "deeprobust==0.2.11"
NEEDS = ["numpy"]
CHECKED = ["deeprobust/graph/global_attack"]
FINDINGS = [
    "deeprobust/graph/global_attack/topology_attack.py:145:17: warning[IPL303] `copy_` modifies `self.adj_changes.data`, which is also `s`, read later",
]
EFFECT = "wrong values, silently, on the CPU"
CURE = [("self.adj_changes.cpu().detach().numpy()", "self.adj_changes.cpu().detach().clone().numpy()")]
PRINTS = """
released: 1 different samples tried, loss of the best 20.33
cured:    20 different samples tried, loss of the best 25.45
"""

# The package imports half a dozen graph libraries; the method needs none of them, and is taken from its source.
PACKAGE = Path(find_spec("deeprobust").submodule_search_locations[0])
SOURCE = (PACKAGE / "graph/global_attack/topology_attack.py").read_text("utf-8")
(METHOD,) = [node for node in ast.walk(ast.parse(SOURCE)) if getattr(node, "name", "") == "random_sample"]


class Attack:
    """Stands in for the attack: 200 possible edges, and a loss that is the weight of those that are chosen."""

    def __init__(self) -> None:
        torch.manual_seed(0)
        self.adj_changes = torch.nn.Parameter(torch.rand(200) * 0.4)
        self.weights = torch.rand(200)
        self.tried: set[bytes] = set()
        self.surrogate = self

    def eval(self) -> None:
        pass

    def get_modified_adj(self, adjacency: torch.Tensor) -> torch.Tensor:
        self.tried.add(self.adj_changes.detach().numpy().tobytes())
        return self.adj_changes

    def __call__(self, features: torch.Tensor, adjacency: torch.Tensor) -> torch.Tensor:
        return adjacency

    def _loss(self, output: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        return (output * self.weights).sum()


def samples_and_loss(code: str) -> tuple[int, float]:
    namespace = {"torch": torch, "np": np, "utils": SimpleNamespace(normalize_adj_tensor=lambda adjacency: adjacency)}
    exec(code, namespace)
    np.random.seed(0)
    attack = Attack()
    nodes = slice(None)
    namespace["random_sample"](attack, None, None, torch.zeros(200), nodes, 1000)
    return len(attack.tried), (attack.adj_changes * attack.weights).sum().item()


released = samples_and_loss(ast.unparse(METHOD))
cured = samples_and_loss(ast.unparse(METHOD).replace(*CURE[0]))

print("released: {} different samples tried, loss of the best {:.2f}".format(*released))
print("cured:    {} different samples tried, loss of the best {:.2f}".format(*cured))
assert released[0] == 1
assert cured[0] == 20
assert cured[1] > released[1]
