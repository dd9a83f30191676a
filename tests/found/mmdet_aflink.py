"""The AFLink model of StrongSORT cannot be trained

`TemporalBlock.bn` normalizes slices and writes them back: `x[:, :, :, 0] = self.bnf(x[:, :, :, 0])`. Batch
normalization has saved its input, a view of `x`, for backward; writing to `x` makes `backward()` raise, always. With
the published weights, in inference, nothing is wrong.
"""

import ast
from importlib.util import find_spec
from pathlib import Path

import torch
from torch import nn

RELEASE = "mmdet==3.3.0"
NEEDS = []
FINDINGS = [
    "mmdet/models/task_modules/tracking/aflink.py:37:9: error[IPL201] [*] item assignment modifies `x`, which `nn.BatchNorm1d` saved for backward",
    "mmdet/models/task_modules/tracking/aflink.py:38:9: error[IPL201] [*] item assignment modifies `x`, which `nn.BatchNorm1d` saved for backward",
    "mmdet/models/task_modules/tracking/aflink.py:39:9: error[IPL201] [*] item assignment modifies `x`, which `nn.BatchNorm1d` saved for backward",
]
EFFECT = "raises in backward, always"
CURE = [
    ("x[:, :, :, 0] = self.bnf(x[:, :, :, 0])", "first = self.bnf(x[:, :, :, 0])"),
    ("x[:, :, :, 1] = self.bnx(x[:, :, :, 1])", "second = self.bnx(x[:, :, :, 1])"),
    (
        "x[:, :, :, 2] = self.bny(x[:, :, :, 2])",
        "x = torch.stack([first, second, self.bny(x[:, :, :, 2])], dim=3)",
    ),
]
PRINTS = """
released: RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation
cured:    a gradient, all finite: True
"""

# The package imports mmcv with its compiled ops; the block needs torch only.
PLACE = Path(find_spec("mmdet").submodule_search_locations[0], "models/task_modules/tracking/aflink.py")
(BLOCK,) = [node for node in ast.parse(PLACE.read_text("utf-8")).body if getattr(node, "name", "") == "TemporalBlock"]


def gradient(changes: list[tuple[str, str]]) -> str:
    code = ast.unparse(BLOCK)
    for old, new in changes:
        code = code.replace(old, new)
    namespace = {"torch": torch, "nn": nn, "BaseModule": nn.Module, "Tensor": torch.Tensor}
    exec(code, namespace)
    torch.manual_seed(0)
    block = namespace["TemporalBlock"](1, 4).train()
    try:
        block(torch.randn(2, 1, 30, 3)).sum().backward()
    except RuntimeError as error:
        return f"RuntimeError: {str(error).split(':')[0]}"
    return f"a gradient, all finite: {block.conv.weight.grad.isfinite().all()}"


released, cured = gradient([]), gradient(CURE)
print("released:", released)
print("cured:   ", cured)
assert released.startswith("RuntimeError")
assert cured == "a gradient, all finite: True"
