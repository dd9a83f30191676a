"""Each epoch adds noise to the noise of the last one

`LagrangianDataset.__getitem__` takes the positions of a sample out of those that the data set keeps, and adds a random
walk to them in place, `pos += pos_noise`. A slice is a view, so the noise stays in the data set: whenever a sample is
fetched again, and windows overlap, more is added. After some epochs the positions have drifted away from the data.
"""

import ast
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import torch

RELEASE = "nvidia-physicsnemo==2.2.2"
NEEDS = []
FINDINGS = [
    "physicsnemo/datapipes/gnn/lagrangian_dataset.py:238:13: warning[IPL304] `+=` modifies `pos`, a part of what the object keeps, so that the same item is changed again whenever it is fetched",
]
EFFECT = "wrong samples: the positions of the data set change whenever one is fetched"
CURE = [("pos += pos_noise", "pos = pos + pos_noise")]
PRINTS = """
released: after 3 fetches the positions of the data set are off by 3.0
cured:    after 3 fetches the positions of the data set are off by 0.0
"""

# The package imports much; the method needs what stands in for the rest of the data set here.
FILE = Path(find_spec("physicsnemo").submodule_search_locations[0], "datapipes/gnn/lagrangian_dataset.py")
CODE = FILE.read_text("utf-8")


def same(values):
    return values


def drift(code: str) -> str:
    (cls,) = [node for node in ast.parse(code).body if getattr(node, "name", "") == "LagrangianDataset"]
    (method,) = [node for node in cls.body if getattr(node, "name", "") == "__getitem__"]
    module = {
        "torch": torch,
        "pyg_data": SimpleNamespace(Data=SimpleNamespace),
        "graph_update": lambda graph, radius: None,
    }
    exec(f"from __future__ import annotations\n{ast.unparse(method)}", module)
    positions = torch.zeros(8, 3, 2)
    dataset = SimpleNamespace(
        length=1,
        num_samples_per_sequence=1,
        num_history=5,
        split="train",
        radius=1.0,
        node_features=[{"position": positions}],
        node_type=[torch.zeros(3)],
        get_kinematic_mask=lambda index: torch.zeros(3, dtype=torch.bool),
        random_walk_noise=lambda *shape: torch.ones(*shape, 2),
        time_diff=lambda values: values[1:] - values[:-1],
        normalize_velocity=same,
        normalize_acceleration=same,
        pack_inputs=lambda position, velocity, kind: position,
    )
    for _ in range(3):
        module["__getitem__"](dataset, 0)
    return f"after 3 fetches the positions of the data set are off by {positions.abs().max():.1f}"


released = drift(CODE)
cured = drift(CODE.replace(*CURE[0]))

print("released:", released)
print("cured:   ", cured)
assert released.endswith("3.0")
assert cured.endswith("0.0")
