"""`SequencePoolingLayer` raises with `mode="max"`: the mask stays boolean

`_sequence_mask` ends with `mask.type(dtype)`, which returns a converted tensor and is thrown away, so the mask that it
returns is boolean whatever `dtype` is. Max pooling then computes `1 - mask`, which PyTorch refuses for booleans. Every
variable-length feature with `combiner="max"` meets it; `sum` and `mean` convert the mask once more, and work.
"""

import ast
from importlib.util import find_spec
from pathlib import Path

import torch
from torch import nn

RELEASE = "deepctr-torch==0.3.0"
NEEDS = []
CHECKED = ["deepctr_torch"]
FINDINGS = [
    "deepctr_torch/layers/sequence.py:46:9: warning[IPL308] the result of `type` is thrown away, `mask` stays as it is",
]
EFFECT = 'raises in `forward`, with `mode="max"`'
CURE = [("        mask.type(dtype)\n        return mask", "        return mask.type(dtype)")]
PRINTS = """
released: RuntimeError: Subtraction, the `-` operator, with a bool tensor is not supported.
cured:    [[[2.0, 1.0]]]
"""

# The package asks an index for its newest version when it is imported; the layer needs torch only.
PLACE = Path(find_spec("deepctr_torch").submodule_search_locations[0], "layers", "sequence.py")


def pooled(source: str) -> str:
    wanted = ast.parse(source).body
    (layer,) = [node for node in wanted if getattr(node, "name", "") == "SequencePoolingLayer"]
    names = {"torch": torch, "nn": nn}
    exec(ast.unparse(layer), names)
    rows = torch.tensor([[[1.0, 1.0], [2.0, 0.0], [9.0, 9.0]]])
    try:
        return str(names["SequencePoolingLayer"](mode="max")([rows, torch.tensor([[2]])]).tolist())
    except RuntimeError as error:
        return f"RuntimeError: {str(error).partition('. ')[0].partition(' If you')[0].rstrip('.')}."


text = PLACE.read_text("utf-8")
released, cured = pooled(text), pooled(text.replace(*CURE[0]))
print("released:", released)
print("cured:   ", cured)
assert released.startswith("RuntimeError")
assert cured == "[[[2.0, 1.0]]]"
