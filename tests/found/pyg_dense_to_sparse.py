"""`dense_to_sparse` of a batch of matrices has no gradient

`edge_attr = flatten_adj[edge_index[0], edge_index[1]]` saves the indices for backward. For a batch, the function then
shifts them in place, `edge_index[1] += offset[edge_index[0]]`, and `backward()` through the edge weights raises. Dense
pooling layers give such batches of adjacency matrices that require grad. A single matrix takes another path and works.
"""

import inspect

import torch
from torch_geometric.utils import sparse

RELEASE = "torch-geometric==2.8.1"
NEEDS = ["xxhash", "tqdm", "jinja2", "markupsafe", "numpy", "psutil", "pyparsing", "requests", "fsspec", "aiohttp"]
FINDINGS = [
    "torch_geometric/utils/sparse.py:110:9: warning[IPL201] [*] `+=` modifies `edge_index[1]`, which `getitem` saved for backward if `adj` requires grad",
]
EFFECT = "raises in backward, always for a batch"
CURE = [
    (
        "edge_index[1] += offset[edge_index[0]]",
        "edge_index = torch.stack([edge_index[0], edge_index[1] + offset[edge_index[0]]])",
    )
]
PRINTS = """
released: RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation
cured:    edges [[0, 1, 2, 3], [1, 0, 2, 3]], gradient [[[0.0, 1.0], [1.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]]]
"""


def gradient() -> str:
    adjacency = torch.tensor([[[0.0, 0.5], [0.5, 0.0]], [[0.1, 0.0], [0.0, 0.2]]], requires_grad=True)
    edge_index, edge_weight = sparse.dense_to_sparse(adjacency)
    try:
        edge_weight.sum().backward()
    except RuntimeError as error:
        return f"RuntimeError: {str(error).split(':')[0]}"
    return f"edges {edge_index.tolist()}, gradient {adjacency.grad.tolist()}"


released = gradient()
exec(inspect.getsource(sparse).replace(*CURE[0]), vars(sparse))
cured = gradient()

print("released:", released)
print("cured:   ", cured)
assert released.startswith("RuntimeError")
assert cured.startswith("edges [[0, 1, 2, 3], [1, 0, 2, 3]]")
