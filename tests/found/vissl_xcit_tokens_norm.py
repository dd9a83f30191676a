"""XCiT with `TOKENS_NORM: False` cannot be trained

If `tokens_norm` is off, the class attention block normalizes the class token only, by
`x[:, 0:1] = self.norm2(x[:, 0:1])`. `nn.LayerNorm` saves its input, a view of `x`, and the assignment overwrites it, so
`backward()` raises. The configurations of VISSL set `TOKENS_NORM: True`, and are not hurt; `tokens_norm=False` is the
default of `ClassAttentionBlock`, whose comment calls the other value a hack for models that were trained with it.
"""

import ast
from importlib.util import find_spec
from pathlib import Path

import torch
from torch import nn

RELEASE = "vissl==0.1.6"
NEEDS = []
FINDINGS = [
    "vissl/models/trunks/xcit.py:261:13: error[IPL201] [*] item assignment modifies `x`, which `nn.LayerNorm` saved for backward",
]
EFFECT = "raises in backward, always with `tokens_norm=False`"
CURE = [("x[:, 0:1] = self.norm2(x[:, 0:1])", "x = torch.cat([self.norm2(x[:, 0:1]), x[:, 1:]], dim=1)")]
PRINTS = """
released: RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation
cured:    a gradient, all finite: True
"""

# The package imports training frameworks; the classes need torch only.
TRUNKS = Path(find_spec("vissl").submodule_search_locations[0], "models/trunks")
SOURCE = (TRUNKS / "xcit.py").read_text("utf-8")
MLP = (TRUNKS / "vision_transformer.py").read_text("utf-8")


def gradient(source: str) -> str:
    module = {"torch": torch, "nn": nn, "__name__": "xcit"}
    for node in [*ast.parse(MLP).body, *ast.parse(source).body]:
        if getattr(node, "name", "") in ("Mlp", "ClassAttention", "ClassAttentionBlock"):
            exec(ast.unparse(node), module)
    torch.manual_seed(0)
    block = module["ClassAttentionBlock"](8, num_heads=2)
    try:
        block(torch.randn(2, 5, 8), 2, 2).pow(2).sum().backward()
    except RuntimeError as error:
        return f"RuntimeError: {str(error).split(':')[0]}"
    return f"a gradient, all finite: {block.norm2.weight.grad.isfinite().all()}"


released = gradient(SOURCE)
cured = gradient(SOURCE.replace(*CURE[0]))

print("released:", released)
print("cured:   ", cured)
assert released.startswith("RuntimeError: one of the variables")
assert cured == "a gradient, all finite: True"
