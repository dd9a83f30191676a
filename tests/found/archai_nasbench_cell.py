"""A NAS-Bench-101 cell whose input also leads to its output cannot be trained

Where one vertex leads to the output, `Cell.forward` takes its tensor itself as `outputs`: "perf optimization". If the
input of the cell leads to the output, too, its projection is then added by `outputs += ...`. But that tensor is the result
of the vertex's ReLU, which saved it for backward, so PyTorch raises: "one of the variables needed for gradient computation
has been modified by an inplace operation". Cells with two vertices before the output are concatenated first, and train.
"""

from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import torch

RELEASE = "archai==1.0.0"
NEEDS = ["numpy"]
CHECKED = ["archai/supergraph/algos/nasbench101"]
FINDINGS = [
    "archai/supergraph/algos/nasbench101/model.py:151:17: error[IPL202] `+=` modifies `outputs`, "
    "the result that `nn.ReLU` saved for backward",
]
EFFECT = "raises in backward, where one vertex and the input lead to the output"
CURE = [
    (
        "outputs += self.input_op[self.num_vertices-1](tensors[0])",
        "outputs = outputs + self.input_op[self.num_vertices-1](tensors[0])",
    )
]
PRINTS = """
released: RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation
cured:    the input has a gradient of norm 0.1
"""

# The package imports much else; the cell needs torch and numpy, and the ops of the file beside it.
FOLDER = Path(find_spec("archai").submodule_search_locations[0], "supergraph/algos/nasbench101")
OPS = (FOLDER / "base_ops.py").read_text("utf-8")
SOURCE = (FOLDER / "model.py").read_text("utf-8")


def trained(source: str) -> float:
    """Run a cell of one convolution backward; the norm of the gradient of its input."""
    module = {"__name__": "model"}
    exec(OPS, module)
    exec("\n".join(line for line in source.splitlines() if not line.startswith("from archai")), module)
    edges = np.array([[0, 1, 1], [0, 0, 1], [0, 0, 0]])  # input to vertex, input to output, vertex to output
    torch.manual_seed(0)
    cell = module["Cell"](SimpleNamespace(matrix=edges, ops=["input", "conv3x3-bn-relu", "output"]), 4, 4)
    images = torch.randn(2, 4, 8, 8, requires_grad=True)
    cell(images).square().mean().backward()
    return images.grad.norm().item()


try:
    trained(SOURCE)
    raised = ""
except RuntimeError as error:
    raised = str(error).partition(":")[0]
assert CURE[0][0] in SOURCE
cured = trained(SOURCE.replace(*CURE[0]))

print(f"released: RuntimeError: {raised}")
print(f"cured:    the input has a gradient of norm {cured:.1f}")
assert "modified by an inplace operation" in raised
assert cured > 0
