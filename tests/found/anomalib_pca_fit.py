"""`PCA.fit` centres its caller's data, so that transforming the same data centres it twice

`fit` subtracts the mean from `dataset` in place. `transform` subtracts the mean that was kept, so `pca.fit(data)` and
then `pca.transform(data)`, the two lines of the example in the docstring, return coordinates that are shifted by the
projected mean: the coordinates of other samples are not. Nothing is raised. `DFMModel.fit` has the same two lines if
`score_type` is "nll": the Gaussian is fitted around minus the projected mean, while the samples that are scored lie
around zero. (In PyTorch 2.13, `SingleClassGaussian.fit` must be mended to get there: `torch.mean` takes no `device`.)
The score "fre", the default, does not transform the training data. It relies on `transform` to centre in place what it
scores, so that line must stay, or `inverse_transform` add the mean again.
"""

from importlib.util import find_spec
from pathlib import Path

import torch

RELEASE = "anomalib==2.7.0"
NEEDS = []
CHECKED = ["anomalib/models/components", "anomalib/models/image/dfm"]
FINDINGS = [
    "anomalib/models/components/dimensionality_reduction/pca.py:89:9: warning[IPL304] `-=` modifies `dataset`, which was kept for later",
]
EFFECT = "wrong values, silently, whenever the data that was fitted is transformed"
CURE = [("dataset -= mean\n\n        _, sig", "dataset = dataset - mean\n\n        _, sig")]
PRINTS = """
released: the fitted data is 5.95 from the origin, a copy of it 0.0
cured:    the fitted data is 0.0 from the origin, a copy of it 0.0
"""

# The package imports training frameworks; the class needs torch only.
PLACE = Path(find_spec("anomalib").submodule_search_locations[0], "models/components/dimensionality_reduction/pca.py")
SOURCE = PLACE.read_text("utf-8").replace("from anomalib.models.components.base import DynamicBufferMixin", "")


def distances(source: str) -> list[float]:
    """How far the centre of the coordinates is from zero: of the data that was fitted, and of a copy of it."""
    module = {"__name__": "pca", "DynamicBufferMixin": torch.nn.Module}
    exec(source, module)
    torch.manual_seed(0)
    data = torch.randn(200, 5) + 3
    copy = data.clone()
    pca = module["PCA"](n_components=2)
    pca.fit(data)
    return [round(pca.transform(sample).mean(0).norm().item(), 2) for sample in (data, copy)]


released = distances(SOURCE)
assert CURE[0][0] in SOURCE
cured = distances(SOURCE.replace(*CURE[0]))

print("released: the fitted data is {} from the origin, a copy of it {}".format(*released))
print("cured:    the fitted data is {} from the origin, a copy of it {}".format(*cured))
assert released[0] > 1
assert released[1] == 0
assert cured == [0, 0]
