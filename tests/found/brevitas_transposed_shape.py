"""GPTQ, GPFQ and their like take a wrong number of rows for a transposed convolution

`GPxQ.__init__` holds the shape of the weight as a tensor, and swaps its first two numbers for a transposed convolution,
`weight_shape[1], weight_shape[0] = weight_shape[0], weight_shape[1]`. Elements of a tensor are views: after the first
assignment the second reads what that has written, so both numbers are the input channels. The output channels are lost.
"""

import ast
from importlib.util import find_spec
from pathlib import Path

import torch
from torch import nn

RELEASE = "brevitas==0.13.4"
NEEDS = []
FINDINGS = [
    "brevitas/graph/gpxq.py:221:17: warning[IPL304] item assignment modifies `weight_shape`, which was kept for later",
]
EFFECT = "wrong sizes: the rows are the input channels instead of the output channels"
CURE = [
    (
        "weight_shape[1], weight_shape[0] = weight_shape[0], weight_shape[1]",
        "weight_shape[[0, 1]] = weight_shape[[1, 0]]",
    )
]
PRINTS = """
released: rows 2, columns 18
cured:    rows 5, columns 18
"""

# The package imports much; the constructor needs two names of it.
FILE = Path(find_spec("brevitas").submodule_search_locations[0], "graph", "gpxq.py")
CODE = FILE.read_text("utf-8")


def sizes(code: str) -> str:
    (cls,) = [node for node in ast.parse(code).body if getattr(node, "name", "") == "GPxQ"]
    (constructor,) = [node for node in cls.body if getattr(node, "name", "") == "__init__"]
    module = {"torch": torch, "SUPPORTED_CONV_OP": (nn.ConvTranspose2d,), "is_conv_transposed": lambda layer: True}
    exec(f"class GPxQ:\n    pass\n\n\n{ast.unparse(constructor)}\n\n\nGPxQ.__init__ = __init__", module)
    made = module["GPxQ"](nn.ConvTranspose2d(2, 5, 3), "layer", False)
    return f"rows {made.rows}, columns {made.columns}"


released = sizes(CODE)
cured = sizes(CODE.replace(*CURE[0]))

print("released:", released)
print("cured:   ", cured)
assert released == "rows 2, columns 18"
assert cured == "rows 5, columns 18"
