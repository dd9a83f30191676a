"""`RMSpropTFOptimizer` replaces its running average by the root of it, and then hardly scales its steps

`avg = square_avg.add_(group["eps"]).sqrt_()` writes the average of the squared gradients, which is the state of the
optimizer. The next step averages the root with the square of the new gradient, and takes the root again: repeated roots
tend to 1, unless gradients are far above 1. With `alpha=0.99`, the default, a step soon is the learning rate times the
gradient, as in plain gradient descent. Nothing is raised. It hurts who selects `rmsprop_tf` of Classy Vision, which
this release of VISSL contains; no configuration of VISSL does. With `centered=True`, the average is copied first, and
all is well.
"""

from importlib.util import find_spec
from pathlib import Path

import torch

RELEASE = "vissl==0.1.6"
NEEDS = []
FINDINGS = [
    "classy_vision/optim/rmsprop_tf.py:139:27: warning[IPL304] `sqrt_` modifies `square_avg.add_(...)`, which was kept for later",
]
EFFECT = "wrong values, silently, from the second step on unless `centered`"
CURE = [("square_avg.add_(group", "square_avg.add(group")]
PRINTS = """
gradients: 1 and 0.01
released:  steps of 0.1000 and 0.0010
cured:     steps of 0.1256 and 0.1256
"""

# The package imports training frameworks; the class needs torch only.
PLACE = Path(find_spec("classy_vision").submodule_search_locations[0], "optim", "rmsprop_tf.py")
SOURCE = PLACE.read_text("utf-8").partition('@register_optimizer("rmsprop_tf")')[0]
SOURCE = "\n".join(line for line in SOURCE.splitlines() if not line.startswith(("from classy_vision", "from .")))


def last_steps(source: str) -> list[str]:
    """By how much the hundredth step changes two weights, whose gradients are always 1 and 0.01."""
    module = {"__name__": "rmsprop_tf"}
    exec(source, module)
    weights = torch.zeros(2, requires_grad=True)
    optimizer = module["RMSpropTFOptimizer"]([weights], lr=0.1)
    for _ in range(100):
        before = weights.detach().clone()
        weights.grad = torch.tensor([1.0, 0.01])
        optimizer.step()
    return [f"{value:.4f}" for value in (before - weights.detach()).tolist()]


released = last_steps(SOURCE)
assert CURE[0][0] in SOURCE
cured = last_steps(SOURCE.replace(*CURE[0]))

print("gradients: 1 and 0.01")
print("released:  steps of {} and {}".format(*released))
print("cured:     steps of {} and {}".format(*cured))
assert released == ["0.1000", "0.0010"]
assert cured[0] == cured[1]
