"""`CompositionModel` cannot be trained

`_get_energy` adds the residual in place: `composition_feas += self.gated_mlp(composition_feas)`. The linear layers of
the gated MLP have saved `composition_feas` for the gradients of their weights, so `backward()` raises, always. CHGNet
itself uses `AtomRef`, the linear model of the same file, which has no such line.
"""

import ast
from importlib.util import find_spec
from pathlib import Path

import torch

RELEASE = "chgnet==0.4.2"
NEEDS = []
FINDINGS = [
    "chgnet/model/composition_model.py:58:9: error[IPL201] [*] `+=` modifies `composition_feas`, which `nn.Linear` saved for backward",
]
EFFECT = "raises in backward, always"
CURE = [
    (
        "composition_feas += self.gated_mlp(composition_feas)",
        "composition_feas = composition_feas + self.gated_mlp(composition_feas)",
    )
]
PRINTS = """
released: RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation
cured:    a gradient, all finite: True
"""

# The package imports pymatgen; the model and its layers need torch only.
PLACE = Path(find_spec("chgnet").submodule_search_locations[0], "model")
LAYERS = Path(PLACE, "functions.py").read_text("utf-8")
TREE = ast.parse(Path(PLACE, "composition_model.py").read_text("utf-8"))
(MODEL,) = [node for node in TREE.body if getattr(node, "name", "") == "CompositionModel"]
CODE = f"{LAYERS}\n\n{ast.unparse(MODEL)}"


def gradient(code: str) -> str:
    module = {"__name__": "composition_model"}
    exec(code, module)
    torch.manual_seed(0)
    model = module["CompositionModel"]()
    composition = torch.rand(4, 94)
    try:
        model._get_energy(composition).sum().backward()
    except RuntimeError as error:
        return f"RuntimeError: {str(error).split(':')[0]}"
    return f"a gradient, all finite: {model.fc1.weight.grad.isfinite().all()}"


released = gradient(CODE)
cured = gradient(CODE.replace(*CURE[0]))

print("released:", released)
print("cured:   ", cured)
assert released.startswith("RuntimeError: one of the variables")
assert cured == "a gradient, all finite: True"
