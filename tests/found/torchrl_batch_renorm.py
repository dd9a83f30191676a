"""`BatchRenorm1d` amplifies its corrections without bound after the warmup

The corrections `r` and `d` are scaled by `num_batches_tracked / warmup_steps`, which is meant to grow from 0 to 1.
The line that holds the counter, `self.num_batches_tracked.clamp_max(self.warmup_steps)`, throws its result away: the
method without underscore returns a copy. After ten times the warmup, `r - 1` and `d` are ten times what they should
be, past `max_r` and `max_d`, and training in this mode grows unstable. Nothing is raised.
"""

from importlib.util import find_spec
from pathlib import Path

import torch

RELEASE = "torchrl==0.14.1"
NEEDS = []
FINDINGS = [
    "torchrl/modules/models/batchrenorm.py:114:13: warning[IPL308] the result of `clamp_max` is thrown away, `self.num_batches_tracked` stays as it is",
]
EFFECT = "wrong values, silently, for everyone who trains longer than the warmup"
CURE = [("self.num_batches_tracked.clamp_max(", "self.num_batches_tracked.clamp_max_(")]
PRINTS = """
released: counter 200, largest mean of an output that is to be near zero 6.00
cured:    counter 10, largest mean of an output that is to be near zero 0.32
"""

# The package needs tensordict and compiled extensions; the layer needs torch only.
SOURCE = Path(find_spec("torchrl").submodule_search_locations[0], "modules/models/batchrenorm.py").read_text("utf-8")


def scale_of_output(source: str) -> tuple[int, float]:
    module = {"__name__": "batchrenorm"}
    exec(source, module)
    torch.manual_seed(0)
    layer = module["BatchRenorm1d"](4, warmup_steps=10)
    for _ in range(200):
        output = layer(5 + 3 * torch.randn(64, 4))
    return layer.num_batches_tracked.item(), output.mean(0).abs().max().item()


released, cured = scale_of_output(SOURCE), scale_of_output(SOURCE.replace(*CURE[0]))
print("released: counter {}, largest mean of an output that is to be near zero {:.2f}".format(*released))
print("cured:    counter {}, largest mean of an output that is to be near zero {:.2f}".format(*cured))
assert released[0] == 200
assert cured[0] == 10
assert released[1] > 3 * cured[1]
