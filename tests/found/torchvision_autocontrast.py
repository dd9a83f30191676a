"""`autocontrast` of a float image cannot be differentiated

`minimum = img.amin(...)` and its result is saved for backward; `minimum[eq_idxs] = 0` then writes it, also when the
mask is empty. `backward()` raises for every image of a floating dtype. The kernel of `transforms.v2` writes both
extremes, and fails in the same way. Adversarial and learned augmentation need this gradient.
"""

from importlib.util import find_spec
from pathlib import Path

import torch

RELEASE = "torchvision==0.29.2"
NEEDS = []
FINDINGS = [
    "torchvision/transforms/_functional_tensor.py:857:5: warning[IPL202] [*] item assignment modifies `minimum`, the result that `amin` saved for backward if `img` requires grad and `img.amin(...)` has `dtype` already",
]
EFFECT = "raises in backward, always for float images"
CURE = [
    ("minimum[eq_idxs] = 0", "minimum = minimum.masked_fill(eq_idxs, 0)"),
    ("scale[eq_idxs] = 1", "scale = scale.masked_fill(eq_idxs, 1)"),
]
PRINTS = """
released: RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation
cured:    a gradient, all finite: True
"""

# The package loads compiled ops; this file needs torch only.
PLACE = Path(find_spec("torchvision").submodule_search_locations[0], "transforms", "_functional_tensor.py")
SOURCE = PLACE.read_text("utf-8")


def gradient(source: str) -> str:
    module = {"__name__": "_functional_tensor"}
    exec(source, module)
    torch.manual_seed(0)
    image = torch.rand(3, 4, 4, requires_grad=True)
    try:
        module["autocontrast"](image).pow(2).sum().backward()
    except RuntimeError as error:
        return f"RuntimeError: {str(error).split(':')[0]}"
    return f"a gradient, all finite: {image.grad.isfinite().all()}"


released = gradient(SOURCE)
source = SOURCE
for old, new in CURE:
    source = source.replace(old, new)
cured = gradient(source)

print("released:", released)
print("cured:   ", cured)
assert released.startswith("RuntimeError")
assert cured == "a gradient, all finite: True"
