"""`Shift` moves its caller's data, each time that it is called

`forward` and `inverse` use `-=` and `+=` on the tensor that they are given. `Shift` is meant to stand next to the data,
to bring it from [0, 1] to [-0.5, 0.5], and there `log_prob(x)` hands it `x` itself: each evaluation moves the user's
batch by another half, and with it all that comes later, another epoch over data in memory or a second evaluation.
"""

import inspect

import torch
from normflows import NormalizingFlow, transforms
from normflows.distributions.base import DiagGaussian

RELEASE = "normflows==1.7.3"
NEEDS = ["numpy"]
CHECKED = ["normflows"]
FINDINGS = [
    "normflows/transforms.py:67:9: warning[IPL305] `-=` modifies `z`, an argument that the caller reads again",
    "normflows/transforms.py:73:9: warning[IPL305] `+=` modifies `z`, an argument that the caller reads again",
]
EFFECT = "wrong values from the second use of a batch on"
CURE = [("z -= self.shift", "z = z - self.shift"), ("z += self.shift", "z = z + self.shift")]
PRINTS = """
released: log_prob(x) is [-1.84, -2.09, -2.84], x is [[-1.0, -1.0]]
cured:    log_prob(x) is [-1.84, -1.84, -1.84], x is [[0.5, 0.5]]
"""


def three_evaluations() -> str:
    flow = NormalizingFlow(DiagGaussian(2), [transforms.Shift()])
    x = torch.full((1, 2), 0.5)
    values = [round(flow.log_prob(x).item(), 2) for _ in range(3)]
    return f"log_prob(x) is {values}, x is {x.tolist()}"


released = three_evaluations()
source = inspect.getsource(transforms)
for wrong, right in CURE:
    source = source.replace(wrong, right)
exec(source, vars(transforms))
cured = three_evaluations()

print("released:", released)
print("cured:   ", cured)
assert released != cured
assert cured.endswith("x is [[0.5, 0.5]]")
