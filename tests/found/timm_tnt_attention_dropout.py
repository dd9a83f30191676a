"""TNT cannot be trained with attention dropout

`Attention` applies `nn.Dropout(attn_drop, inplace=True)` to the result of `softmax`, which autograd has saved. With
`attn_drop_rate` above zero, `backward()` raises in training mode, always: no `tnt_*` model can be trained with this
option. The default rate, 0, makes dropout write nothing.
"""

import ast
from importlib.util import find_spec
from pathlib import Path

import torch
from torch import nn

RELEASE = "timm==1.0.31"
NEEDS = []
FINDINGS = [
    "timm/models/tnt.py:53:26: error[IPL202] [*] `nn.Dropout` modifies `attn`, the result that `softmax` saved for backward",
]
EFFECT = "raises in backward, for everyone who sets the option"
CURE = [("self.attn_drop = nn.Dropout(attn_drop, inplace=True)", "self.attn_drop = nn.Dropout(attn_drop)")]
PRINTS = """
released: RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation
cured:    a gradient, all finite: True
"""

# The package imports torchvision; the layer needs torch only.
PLACE = Path(find_spec("timm").submodule_search_locations[0], "models", "tnt.py")
(LAYER,) = [node for node in ast.parse(PLACE.read_text("utf-8")).body if getattr(node, "name", "") == "Attention"]


def gradient(code: str) -> str:
    namespace = {"torch": torch, "nn": nn}
    exec(code, namespace)
    torch.manual_seed(0)
    layer = namespace["Attention"](dim=8, hidden_dim=8, num_heads=2, attn_drop=0.1).train()
    try:
        layer(torch.randn(2, 5, 8)).sum().backward()
    except RuntimeError as error:
        return f"RuntimeError: {str(error).split(':')[0]}"
    return f"a gradient, all finite: {layer.qk.weight.grad.isfinite().all()}"


released = gradient(ast.unparse(LAYER))
cured = gradient(ast.unparse(LAYER).replace(*CURE[0]))

print("released:", released)
print("cured:   ", cured)
assert released.startswith("RuntimeError")
assert cured == "a gradient, all finite: True"
