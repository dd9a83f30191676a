"""`LapPosEncoder` with the DeepSet model cannot be trained

The encoder ends in `nn.ReLU`, whose derivative is computed from its saved result, and `forward` then zeroes the masked
positions in that result: `pos_encoding[empty_mask[:, :, 1]] = 0`. `backward()` raises, also if no position is masked.
The Transformer model ends in a layer that saves another tensor, and works.
"""

import ast
from importlib.util import find_spec
from pathlib import Path

import torch
from torch import nn

RELEASE = "dgl==2.1.0"
NEEDS = []
FINDINGS = [
    "dgl/nn/pytorch/gt/lap_pos_encoder.py:153:9: error[IPL202] [*] item assignment modifies `pos_encoding`, the result that `nn.ReLU` saved for backward",
]
EFFECT = 'raises in backward, always with `model_type="DeepSet"`'
CURE = [
    (
        "pos_encoding[empty_mask[:, :, 1]] = 0",
        "pos_encoding = pos_encoding.masked_fill(empty_mask[:, :, 1].unsqueeze(2), 0)",
    )
]
PRINTS = """
released: RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation
cured:    a gradient, all finite: True
"""

# The package loads a compiled graph library; the module needs torch only.
SOURCE = Path(find_spec("dgl").submodule_search_locations[0], "nn/pytorch/gt/lap_pos_encoder.py").read_text("utf-8")
(MODULE,) = [node for node in ast.parse(SOURCE).body if getattr(node, "name", "") == "LapPosEncoder"]


def gradient(code: str) -> str:
    namespace = {"th": torch, "nn": nn}
    exec(code, namespace)
    torch.manual_seed(0)
    encoder = namespace["LapPosEncoder"](model_type="DeepSet", num_layer=2, k=5, dim=4)
    try:
        encoder(torch.randn(6, 5), torch.randn(6, 5)).sum().backward()
    except RuntimeError as error:
        return f"RuntimeError: {str(error).split(':')[0]}"
    return f"a gradient, all finite: {encoder.linear.weight.grad.isfinite().all()}"


released = gradient(ast.unparse(MODULE))
cured = gradient(ast.unparse(MODULE).replace(*CURE[0]))
print("released:", released)
print("cured:   ", cured)
assert released.startswith("RuntimeError")
assert cured == "a gradient, all finite: True"
