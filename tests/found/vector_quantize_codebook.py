"""Setting `VectorQuantize.codebook` raises with a learnable codebook

The setter of the property writes `codes` into `self._codebook.embed` with `copy_`. With `learnable_codebook=True` the
codebook is a parameter, and PyTorch refuses the write outside `no_grad`. Whoever loads a codebook of their own into a
learnable quantizer meets this; the default, a buffer that is updated by averages, is not hurt.
"""

import inspect

import torch
from vector_quantize_pytorch import vector_quantize_pytorch

RELEASE = "vector-quantize-pytorch==1.32.0"
NEEDS = ["einops", "einx==0.4.3", "frozendict", "loguru", "torch-einops-utils"]
FINDINGS = [
    "vector_quantize_pytorch/vector_quantize_pytorch.py:1016:9: error[IPL101] `copy_` modifies `self._codebook.embed`, a leaf that requires grad",
]
EFFECT = "raises at the write, with `learnable_codebook=True`"
CURE = [("self._codebook.embed.copy_(codes)", "self._codebook.embed.data.copy_(codes)")]
PRINTS = """
released: RuntimeError: a leaf Variable that requires grad is being used in an in-place operation.
cured:    the codebook is set: True
"""


def set_codebook() -> str:
    quantizer = vector_quantize_pytorch.VectorQuantize(
        dim=8, codebook_size=16, learnable_codebook=True, ema_update=False
    )
    codes = torch.randn(16, 8)
    try:
        quantizer.codebook = codes
    except RuntimeError as error:
        return f"RuntimeError: {error}"
    return f"the codebook is set: {torch.equal(quantizer.codebook, codes)}"


released = set_codebook()
exec(inspect.getsource(vector_quantize_pytorch).replace(*CURE[0]), vars(vector_quantize_pytorch))
cured = set_codebook()

print("released:", released)
print("cured:   ", cured)
assert released.startswith("RuntimeError")
assert cured == "the codebook is set: True"
