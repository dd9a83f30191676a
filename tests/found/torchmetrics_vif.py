"""`visual_information_fidelity` cannot be differentiated, though it declares that it can

The class `VisualInformationFidelity` declares `is_differentiable = True`, and such scores are used as losses. The
function replaces entries of `g`, `sigma_v_sq` and `sigma_target_sq` in place after products have saved them, and
`backward()` raises, always.
"""

import inspect
from importlib import import_module

import torch

RELEASE = "torchmetrics==1.9.0"
NEEDS = ["lightning-utilities", "packaging", "numpy"]
FINDINGS = [
    "torchmetrics/functional/image/vif.py:70:9: warning[IPL201] [*] item assignment modifies `g`, which `mul` saved for backward if `preds` requires grad",
]
EFFECT = "raises in backward, always"
CURE = [
    ("g[mask] = 0", "g = g.masked_fill(mask, 0)"),
    ("sigma_v_sq[mask] = sigma_preds_sq[mask]", "sigma_v_sq = torch.where(mask, sigma_preds_sq, sigma_v_sq)"),
    ("sigma_v_sq[mask] = 0", "sigma_v_sq = sigma_v_sq.masked_fill(mask, 0)"),
    ("sigma_target_sq[mask] = 0", "sigma_target_sq = sigma_target_sq.masked_fill(mask, 0)"),
]
PRINTS = """
released: score 0.0025, RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation
cured:    score 0.0025, a gradient, all finite: True
"""
module = import_module("torchmetrics.functional.image.vif")


def score_and_gradient() -> tuple[float, str]:
    torch.manual_seed(0)
    preds, target = torch.rand(2, 3, 48, 48, requires_grad=True), torch.rand(2, 3, 48, 48)
    score = module.visual_information_fidelity(preds, target)
    try:
        score.backward()
    except RuntimeError as error:
        return score.item(), f"RuntimeError: {str(error).split(':')[0]}"
    return score.item(), f"a gradient, all finite: {preds.grad.isfinite().all()}"


released = score_and_gradient()
source = inspect.getsource(module)
for old, new in CURE:
    source = source.replace(old, new)
exec(source, vars(module))
cured = score_and_gradient()

print("released: score {:.4f}, {}".format(*released))
print("cured:    score {:.4f}, {}".format(*cured))
assert released[1].startswith("RuntimeError")
assert cured == (released[0], "a gradient, all finite: True")
