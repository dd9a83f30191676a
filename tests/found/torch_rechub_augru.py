"""`AUGRU` cannot be trained on a batch with an empty history

For a row whose history is all padding, `softmax` gives NaN, and `AUGRU` repairs the row in place:
`attn[nan_rows] = 1.0 / attn.size(1)`. Softmax has saved its result for backward, so the very batches that this line is
written for raise in `backward()`. `DIEN` sorts such rows out before it calls the layer; whoever uses the layer with a
mask does not.
"""

from importlib.util import find_spec
from pathlib import Path

import torch

RELEASE = "torch-rechub==0.9.0"
NEEDS = []
FINDINGS = [
    "torch_rechub/models/ranking/dien.py:58:13: error[IPL202] [*] item assignment modifies `attn`, the result that `softmax` saved for backward",
]
EFFECT = "raises in backward, if a row of the mask is empty"
CURE = [
    (
        "attn[nan_rows] = 1.0 / attn.size(1)",
        "scores = scores.masked_fill(nan_rows.unsqueeze(1), 0.0)\n            attn = torch.softmax(scores, dim=1)",
    )
]
PRINTS = """
released: RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation
cured:    a gradient, all finite: True
"""

# `import torch_rechub` imports all models and their data tools; this file needs two names of the package.
PLACE = Path(find_spec("torch_rechub").submodule_search_locations[0], "models", "ranking", "dien.py")
SOURCE = PLACE.read_text("utf-8").replace("from ...basic.layers import", "# from ...basic.layers import")


def gradient(source: str) -> str:
    module = {"__name__": "dien"}
    exec(source, module)
    torch.manual_seed(0)
    layer = module["AUGRU"](4)
    mask = torch.tensor([[True, True], [False, False]])
    history, item = torch.randn(2, 2, 4, requires_grad=True), torch.randn(2, 4)
    try:
        layer(history, item, mask)[1].sum().backward()
    except RuntimeError as error:
        return f"RuntimeError: {str(error).split(':')[0]}"
    return f"a gradient, all finite: {history.grad.isfinite().all()}"


released = gradient(SOURCE)
cured = gradient(SOURCE.replace(*CURE[0]))

print("released:", released)
print("cured:   ", cured)
assert released.startswith("RuntimeError")
assert cured == "a gradient, all finite: True"
