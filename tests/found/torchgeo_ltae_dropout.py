"""`LTAE` with its defaults cannot be trained

The MLP of the temporal attention encoder ends in `nn.ReLU`, whose derivative is computed from its saved result, and
`forward` passes that result to `nn.Dropout(dropout, inplace=True)`. In training mode, dropout overwrites it, and
`backward()` raises. Only `dropout=0` makes dropout write nothing; the default is 0.2. In eval mode all is well.
"""

from importlib.util import find_spec
from pathlib import Path

import torch

RELEASE = "torchgeo==0.8.1"
NEEDS = []
FINDINGS = [
    "torchgeo/models/ltae.py:98:24: error[IPL202] [*] `nn.Dropout` modifies `self.mlp(...)`, the result that `nn.ReLU` saved for backward",
]
EFFECT = "raises in backward, always with `dropout` above zero"
CURE = [("nn.Dropout(dropout, inplace=True)", "nn.Dropout(dropout)")]
PRINTS = """
released: RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation
cured:    a gradient, all finite: True
"""

# The package imports tools for maps; the module needs torch only.
SOURCE = Path(find_spec("torchgeo").submodule_search_locations[0], "models", "ltae.py").read_text("utf-8")


def gradient(source: str) -> str:
    module = {"__name__": "ltae"}
    exec(source, module)
    torch.manual_seed(0)
    encoder = module["LTAE"]()
    try:
        encoder(torch.randn(2, 24, 128)).pow(2).sum().backward()
    except RuntimeError as error:
        return f"RuntimeError: {str(error).split(':')[0]}"
    return f"a gradient, all finite: {encoder.mlp[0].weight.grad.isfinite().all()}"


released = gradient(SOURCE)
cured = gradient(SOURCE.replace(*CURE[0]))

print("released:", released)
print("cured:   ", cured)
assert released.startswith("RuntimeError: one of the variables")
assert cured == "a gradient, all finite: True"
