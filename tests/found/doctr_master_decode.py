"""`backward()` raises through `MASTER.decode`

`decode` writes each predicted token into `ys` and passes the same `ys` to the decoder in the next turn. The embedding
saves its indices for backward; the next write changes them. `backward()` through the logits raises. The method is meant
for prediction, where nobody differentiates; sequence-level losses and saliency maps of predictions do.
"""

import ast
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path

import torch

RELEASE = "python-doctr==1.1.0"
NEEDS = []
FINDINGS = [
    "doctr/models/recognition/master/pytorch.py:251:13: error[IPL201] item assignment modifies `ys`, which `nn.Embedding` saved for backward",
]
EFFECT = "raises in backward; only for those who differentiate a prediction"
CURE = [("output = self.decoder(ys, ", "output = self.decoder(ys.clone(), ")]
PRINTS = """
released: RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation
cured:    a gradient of shape [2, 5, 8]
"""

# `import doctr` needs OpenCV and PDF readers; the decoder and the method need torch only.
MODELS = Path(find_spec("doctr").submodule_search_locations[0], "models")
spec = spec_from_file_location("transformer", MODELS / "modules" / "transformer" / "pytorch.py")
transformer = module_from_spec(spec)
spec.loader.exec_module(transformer)
TREE = ast.parse((MODELS / "recognition" / "master" / "pytorch.py").read_text("utf-8"))
METHODS = [node for node in ast.walk(TREE) if getattr(node, "name", "") in ("decode", "make_source_and_target_mask")]


def gradient(changes: list[tuple[str, str]]) -> str:
    code = "from __future__ import annotations\n" + "\n".join(ast.unparse(method) for method in METHODS)
    for old, new in changes:
        code = code.replace(old, new)
    namespace = {"torch": torch}
    exec(code, namespace)
    torch.manual_seed(0)

    class Master:
        max_length, vocab_size = 6, 9
        decoder = transformer.Decoder(num_layers=1, d_model=8, num_heads=2, vocab_size=12, dff=16)
        linear = torch.nn.Linear(8, 10)
        make_source_and_target_mask = namespace["make_source_and_target_mask"]

    image = torch.randn(2, 5, 8, requires_grad=True)
    logits = namespace["decode"](Master(), image)
    try:
        logits.sum().backward()
    except RuntimeError as error:
        return f"RuntimeError: {str(error).split(':')[0]}"
    return f"a gradient of shape {list(image.grad.shape)}"


released, cured = gradient([]), gradient(CURE)
print("released:", released)
print("cured:   ", cured)
assert released.startswith("RuntimeError")
assert cured == "a gradient of shape [2, 5, 8]"
