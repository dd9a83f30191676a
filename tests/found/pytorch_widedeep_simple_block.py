"""A `TabResnet` with `simplify_blocks=True` cannot be trained without dropout

`BasicBlock.forward` ends in `out += identity`. In a simplified block `out` is the very result of the `LeakyReLU`, which
that saved for backward (it works in place), so backward raises. The documentation calls it the simplest possible block,
`X -> [[LIN, BN, ACT] + X]`; with a dropout above zero there is another tensor in between, and it works.
"""

import ast
from importlib.util import find_spec
from pathlib import Path

import torch
from torch import nn

RELEASE = "pytorch-widedeep==1.7.0"
NEEDS = []
FINDINGS = [
    "pytorch_widedeep/models/tabular/resnet/_layers.py:52:9: error[IPL202] `+=` modifies `out`, the result that `nn.LeakyReLU` saved for backward",
]
EFFECT = "raises in the first backward pass, with `simplify_blocks=True` and `blocks_dropout=0.0`"
CURE = [("out += identity", "out = out + identity")]
PRINTS = """
released: one of the variables needed for gradient computation has been modified by an inplace operation
cured:    a gradient of the shape (3, 3)
"""

# The package imports much; the block needs torch only.
PLACE = "models/tabular/resnet/_layers.py"
SOURCE = Path(find_spec("pytorch_widedeep").submodule_search_locations[0], PLACE).read_text("utf-8")
(BLOCK,) = [node for node in ast.parse(SOURCE).body if getattr(node, "name", "") == "BasicBlock"]


def trained(code: str) -> str:
    """What a backward pass through a simplified block gives, or says."""
    namespace = {"nn": nn}
    exec("from __future__ import annotations\n" + code, namespace)
    torch.manual_seed(0)
    block = namespace["BasicBlock"](3, 3, simplify=True)
    try:
        block(torch.rand(4, 3)).sum().backward()
    except RuntimeError as error:
        return str(error).split(":")[0]
    return f"a gradient of the shape {tuple(block.lin1.weight.grad.shape)}"


released, cured = trained(ast.unparse(BLOCK)), trained(ast.unparse(BLOCK).replace(*CURE[0]))
print("released:", released)
print("cured:   ", cured)
assert "modified by an inplace operation" in released
assert cured == "a gradient of the shape (3, 3)"
