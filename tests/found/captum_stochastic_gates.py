"""`BinaryConcreteStochasticGates` with `reg_reduction="none"` cannot be trained

`forward` of the base class scales the regularization term in place, `l0_reg *= self.reg_weight`. Summed or averaged,
that is a new tensor. With `reg_reduction="none"` it is what `_get_gate_active_probs` of the subclass has given, the
result of `torch.sigmoid`, which sigmoid has saved for its derivative. `backward()` raises.
"""

import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import torch

RELEASE = "captum==0.9.0"
NEEDS = []
FINDINGS = [
    "captum/module/stochastic_gates_base.py:140:9: error[IPL202] `*=` modifies `l0_reg`, the result that `sigmoid` saved for backward",
]
CHECKED = ["captum/module"]
EFFECT = 'raises in backward, always with `reg_reduction="none"`'
CURE = [("l0_reg *= self.reg_weight", "l0_reg = l0_reg * self.reg_weight")]
PRINTS = """
released: RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation
cured:    a gradient, all finite: True
"""

# `import captum` imports tools for plots; the gates need torch only.
PLACE = Path(find_spec("captum").submodule_search_locations[0])
for name, folder in (("captum", PLACE), ("captum.module", PLACE / "module")):
    sys.modules[name] = ModuleType(name)
    sys.modules[name].__path__ = [str(folder)]
base = import_module("captum.module.stochastic_gates_base")


def gradient() -> str:
    gates = import_module("captum.module.binary_concrete_stochastic_gates")
    torch.manual_seed(0)
    layer = gates.BinaryConcreteStochasticGates(n_gates=4, reg_reduction="none")
    gated, penalty = layer(torch.ones(2, 4))
    try:
        (gated.sum() + penalty.sum()).backward()
    except RuntimeError as error:
        return f"RuntimeError: {str(error).split(':')[0]}"
    return f"a gradient, all finite: {layer.log_alpha_param.grad.isfinite().all()}"


released = gradient()
source = (PLACE / "module" / "stochastic_gates_base.py").read_text("utf-8")
exec(source.replace(*CURE[0]), vars(base))
del sys.modules["captum.module.binary_concrete_stochastic_gates"]
cured = gradient()

print("released:", released)
print("cured:   ", cured)
assert released.startswith("RuntimeError: one of the variables")
assert cured == "a gradient, all finite: True"
