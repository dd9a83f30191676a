"""The skip connection of the IMPALA network passes `relu(x)` instead of `x`

`_ResNetBlock.forward` returns `x + self.seq(x)`, and `self.seq` begins with `nn.ReLU(inplace=True)`. The activation
overwrites `x` before it is added: the skip path carries no negative values, other than in the network of the paper
(and other than the code says). Nothing is raised, and models train, only as another network.
"""

import ast
from importlib.util import find_spec
from pathlib import Path

import torch
from torch import nn

RELEASE = "torchrl==0.14.1"
NEEDS = []
FINDINGS = [
    "torchrl/modules/models/recipes/impala.py:23:29: warning[IPL302] `nn.ReLU` overwrites `x`, which the same expression reads",
]
EFFECT = "wrong values, silently, always"
CURE = [("resnet_block.append(nn.ReLU(inplace=True))", "resnet_block.append(nn.ReLU())")]
PRINTS = """
input:    [-2.0, -1.0, 1.0, 2.0]
released: [0.0, 0.0, 1.0, 2.0]
cured:    [-2.0, -1.0, 1.0, 2.0]
"""

# The package needs tensordict and compiled extensions; the block needs torch only.
PLACE = Path(find_spec("torchrl").submodule_search_locations[0], "modules/models/recipes/impala.py")
(BLOCK,) = [node for node in ast.parse(PLACE.read_text("utf-8")).body if getattr(node, "name", "") == "_ResNetBlock"]


def skip_path(code: str) -> list[float]:
    """What the block returns if its convolutions give zero: the skip path alone."""
    namespace = {"nn": nn}
    exec(code, namespace)
    block = namespace["_ResNetBlock"](1)
    image = torch.tensor([-2.0, -1.0, 1.0, 2.0]).reshape(1, 1, 2, 2)
    block(image.clone())
    for parameter in block.parameters():
        nn.init.zeros_(parameter)
    return block(image).flatten().tolist()


released = skip_path(ast.unparse(BLOCK))
cured = skip_path(ast.unparse(BLOCK).replace(*CURE[0]))
print("input:    [-2.0, -1.0, 1.0, 2.0]")
print("released:", released)
print("cured:   ", cured)
assert released == [0.0, 0.0, 1.0, 2.0]
assert cured == [-2.0, -1.0, 1.0, 2.0]
