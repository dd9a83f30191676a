"""K-means of `DPCLSeparator` overwrites the embeddings that it clusters

`centers = tf_embedding[:, : self._num_spk, :].detach()` gives no copy: the centers are the memory of the first
embeddings. Each round of K-means writes the new centers there, so the first time-frequency bins move from cluster to
cluster with them, and the embeddings that are returned to the caller are not those of the network. Nothing is raised in
evaluation, the only mode that clusters. `DANSeparator` has the same line.
"""

import ast
from collections import OrderedDict
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import torch

RELEASE = "espnet==202511"
NEEDS = []
FINDINGS = [
    "espnet2/enh/separator/dpcl_separator.py:125:25: error[IPL202] item assignment modifies `centers`, the result that `nn.Tanh` saved for backward",
]
EFFECT = "wrong values, silently, in every evaluation"
CURE = [("[:, : self._num_spk, :].detach()", "[:, : self._num_spk, :].detach().clone()")]
PRINTS = """
released: largest error of the returned embeddings 1.01
cured:    largest error of the returned embeddings 0.00
"""

# The package imports speech tools; the method needs torch only.
PLACE = Path(find_spec("espnet2").submodule_search_locations[0], "enh", "separator", "dpcl_separator.py")
TREE = ast.parse(PLACE.read_text("utf-8"))
(METHOD,) = [node for node in ast.walk(TREE) if getattr(node, "name", "") == "forward"]
CODE = "from __future__ import annotations\n" + ast.unparse(METHOD).replace("[:, :self.", "[:, : self.")


def error_of_embeddings(code: str) -> float:
    """How far the returned embeddings are from those that the network gave."""
    namespace = {"torch": torch, "OrderedDict": OrderedDict, "is_complex": torch.is_complex}
    exec(code, namespace)
    torch.manual_seed(0)
    given = torch.randn(1, 3, 4 * 5).tanh()
    separator = SimpleNamespace(
        _num_spk=2,
        D=5,
        training=False,
        blstm=lambda feature, lengths: (feature, lengths, None),
        linear=lambda feature: feature,
        nonlinear=lambda feature: given.clone(),
    )
    _, _, others = namespace["forward"](separator, torch.rand(1, 3, 4), torch.tensor([3]))
    return (others["tf_embedding"] - given.view(1, -1, 5)).abs().max().item()


released, cured = error_of_embeddings(CODE), error_of_embeddings(CODE.replace(*CURE[0]))
print(f"released: largest error of the returned embeddings {released:.2f}")
print(f"cured:    largest error of the returned embeddings {cured:.2f}")
assert released > 0.1
assert cured == 0
