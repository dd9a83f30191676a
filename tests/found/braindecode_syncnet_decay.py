"""SyncNet's time axis gets a wrong gradient as soon as a decay would become negative

`SyncNet.forward` clamps `self.beta.data` to be at least zero, in order that filters decay, but only after it has computed
the filters of `beta`. For the gradient of the time axis `self.t`, which is a parameter, the product `t_squared * self.beta`
has saved `beta`; through `.data`, autograd does not see that it is another one by then. After a step of an optimizer that
makes a decay negative, the filters are those of the negative one, and their gradient is that of zero. Nothing is raised.
Clamped before it is used, the decay is the same in both.
"""

from importlib.util import find_spec
from pathlib import Path

import torch
from torch import nn

RELEASE = "braindecode==1.8.1"
NEEDS = ["numpy"]
CHECKED = ["braindecode/models/syncnet.py"]
FINDINGS = [
    "braindecode/models/syncnet.py:221:9: warning[IPL401] `clamp_` modifies `self.beta.data` unseen by autograd, "
    "which backward needs unchanged",
]
EFFECT = "wrong gradients, silently, once an element of `beta` is negative"
CURE = [
    ("        # Ensure beta remains non-negative\n        self.beta.data.clamp_(min=0)\n\n", ""),
    (
        "        t_squared_beta = t_squared * self.beta\n",
        "        self.beta.data.clamp_(min=0)\n        t_squared_beta = t_squared * self.beta\n",
    ),
]
PRINTS = """
released: the gradient of the time axis is wrong by 39%
cured:    the gradient of the time axis is wrong by 0%
"""

# Importing the package needs MNE; the model needs torch and numpy, besides what is given here.
SOURCE = Path(find_spec("braindecode").submodule_search_locations[0], "models/syncnet.py").read_text("utf-8")
LEFT_OUT = ("from einops", "from braindecode")


class EEGModuleMixin:
    """Keeps the sizes, as that of the package does."""

    def __init__(self, n_chans, n_times, n_outputs, **others):
        super().__init__()
        self.n_chans, self.n_times, self.n_outputs = n_chans, n_times, n_outputs


class Rearrange(nn.Module):
    """`batch ch time -> batch ch 1 time`."""

    def __init__(self, pattern):
        super().__init__()

    def forward(self, x):
        return x.unsqueeze(2)


def gradient(source: str) -> torch.Tensor:
    """The gradient of the time axis, with decays of both signs."""
    module = {"__name__": "syncnet", "EEGModuleMixin": EEGModuleMixin, "Rearrange": Rearrange}
    exec("\n".join(line for line in source.splitlines() if not line.startswith(LEFT_OUT)), module)
    torch.manual_seed(0)
    model = module["SyncNet"](n_chans=2, n_times=80, n_outputs=2, num_filters=2, filter_width=8)
    model.beta.data = torch.tensor([-0.05, 0.05]).view(1, 1, 1, 2)
    model(torch.randn(4, 2, 80)).square().sum().backward()
    return model.t.grad


def error(source: str) -> float:
    """How far the gradient is off that which keeps a copy of the decays for backward."""
    right = gradient(source.replace("t_squared * self.beta\n", "t_squared * self.beta.clone()\n"))
    return ((gradient(source) - right).norm() / right.norm()).item()


released = error(SOURCE)
assert all(old in SOURCE for old, _ in CURE)
cured = error(SOURCE.replace(*CURE[0]).replace(*CURE[1]))

print(f"released: the gradient of the time axis is wrong by {released:.0%}")
print(f"cured:    the gradient of the time axis is wrong by {cured:.0%}")
assert released > 0.1
assert cured == 0
