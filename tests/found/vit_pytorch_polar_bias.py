"""A `ViTND` with a uniform start of its learned bias cannot be made

With `pope_init_learned_bias_uniform=True`, `GoldenGatePoPENd.__init__` fills the parameter that it has just made in place,
`self.learned_bias.uniform_(-2. * pi, 0.)`. A parameter is a leaf that requires grad, and gradients are being recorded, so
PyTorch raises, always. x-transformers has the same in its `PolarEmbedding`.
"""

import ast
from importlib.util import find_spec
from pathlib import Path

import torch
from torch import pi

RELEASE = "vit-pytorch==1.26.11"
NEEDS = ["einops==0.8.2"]
FINDINGS = [
    "vit_pytorch/vit_nd_pope.py:84:13: error[IPL101] [*] `uniform_` modifies `self.learned_bias`, a leaf that requires grad",
]
EFFECT = "raises when the model is made, with one option"
CURE = [("self.learned_bias.uniform_(", "nn.init.uniform_(self.learned_bias, ")]
PRINTS = """
released: RuntimeError: a leaf Variable that requires grad is being used in an in-place operation.
cured:    a bias between -6.3 and 0
"""

# The package imports every model; the class and what it calls need PyTorch and einops.
FILE = Path(find_spec("vit_pytorch").submodule_search_locations[0], "vit_nd_pope.py")
CODE = FILE.read_text("utf-8")


def bias(code: str) -> str:
    taken = [
        node for node in ast.parse(code).body if not (isinstance(node, ast.ImportFrom) and "vit_pytorch" in node.module)
    ]
    module = {"__name__": "vit_nd_pope"}
    exec("\n".join(map(ast.unparse, taken)), module)
    torch.manual_seed(0)
    try:
        made = module["GoldenGatePoPENd"](dim_pos=2, heads=2, dim_head=4, init_learned_bias_uniform=True).learned_bias
    except RuntimeError as error:
        return f"RuntimeError: {error}"
    assert made.min() >= -2 * pi
    assert made.max() <= 0
    return "a bias between -6.3 and 0"


released = bias(CODE)
cured = bias(CODE.replace(*CURE[0]))

print("released:", released)
print("cured:   ", cured)
assert released.startswith("RuntimeError: a leaf Variable that requires grad")
assert cured == "a bias between -6.3 and 0"
