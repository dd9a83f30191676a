"""`GaussianKDE` keeps its data centred and compares it with queries that are not

`cov` subtracts the mean from its argument in place. `fit` passes `dataset.T`, a view, and then keeps `dataset`, by now
centred, as the points of the kernels. Queries are not centred, so the density is estimated around zero instead of
around the data, and the caller's own `dataset` is centred, too. Nothing is raised. `KDEClassifier`, which DFKDE uses,
passes features whose mean is zero already and is not hurt; whoever uses the class by itself, as its docstring shows,
is.
"""

from importlib.util import find_spec
from pathlib import Path

import torch

RELEASE = "anomalib==2.7.0"
NEEDS = []
FINDINGS = [
    "anomalib/models/components/stats/kde.py:146:9: warning[IPL305] `-=` modifies `tensor`, an argument that the caller reads again",
]
EFFECT = "wrong values, silently, unless the mean of the data is zero"
CURE = [("tensor -= mean[:, None]", "tensor = tensor - mean[:, None]")]
PRINTS = """
released: density at the mean of the data 0.0, five standard deviations from it 0.38
cured:    density at the mean of the data 0.38, five standard deviations from it 0.0
the normal distribution that was sampled: 0.4 and 0.0
"""

# The package imports training frameworks; the class needs torch only.
PLACE = Path(find_spec("anomalib").submodule_search_locations[0], "models", "components", "stats", "kde.py")
SOURCE = PLACE.read_text("utf-8").replace("from anomalib.models.components.base import DynamicBufferMixin", "")


def densities(source: str) -> list[float]:
    """The estimated density at the middle of the data, and at zero, far from it."""
    module = {"__name__": "kde", "DynamicBufferMixin": torch.nn.Module}
    exec(source, module)
    torch.manual_seed(0)
    data = torch.randn(500, 1) + 5
    kde = module["GaussianKDE"]()
    kde.fit(data)
    return [round(value, 2) for value in kde(torch.tensor([[5.0], [0.0]])).tolist()]


released = densities(SOURCE)
cured = densities(SOURCE.replace(*CURE[0]))

print("released: density at the mean of the data {}, five standard deviations from it {}".format(*released))
print("cured:    density at the mean of the data {}, five standard deviations from it {}".format(*cured))
print("the normal distribution that was sampled: 0.4 and 0.0")
assert released[0] < 0.01 < released[1]
assert cured[1] < 0.01 < cured[0]
