"""`PCA.fit_transform` subtracts the mean twice

`fit` centres its caller's data in place, `X -= mean`; a tensor is written as well, through `numpy()`. `fit_transform`
then applies the PCA to the same data, which subtracts the mean that was kept: the coordinates of the data that was
fitted are shifted by the projected mean, those of other samples are not. Nothing is raised.
`tools/cluster_features_and_label.py` finds its clusters in the former, and then assigns all samples to them by the
latter. The retrieval tool calls `fit` and does not use the data again.
"""

from importlib.util import find_spec
from pathlib import Path

import numpy as np

RELEASE = "vissl==0.1.6"
NEEDS = ["numpy"]
FINDINGS = [
    "vissl/utils/pca.py:28:9: warning[IPL305] `-=` modifies `X`, an argument that the caller reads again",
]
EFFECT = "wrong values, silently, whenever the data that was fitted is transformed"
CURE = [("X -= mean", "X = X - mean")]
PRINTS = """
released: the fitted data is 0.36 from the origin, a copy of it 0.0
cured:    the fitted data is 0.0 from the origin, a copy of it 0.0
"""

# The package imports training frameworks; the class needs torch and NumPy only.
SOURCE = Path(find_spec("vissl").submodule_search_locations[0], "utils", "pca.py").read_text("utf-8")
SOURCE = SOURCE.replace("from vissl.utils.io import load_file, save_file", "")


def distances(source: str) -> list[float]:
    """How far the centre of the coordinates is from zero: of the data that was fitted, and of a copy of it."""
    module = {"__name__": "pca"}
    exec(source, module)
    data = np.random.default_rng(0).normal(3, 1, (200, 5)).astype("float32")
    copy = data.copy()
    pca = module["PCA"](2)
    return [round(float(np.linalg.norm(found.mean(0))), 2) for found in (pca.fit_transform(data), pca.transform(copy))]


released = distances(SOURCE)
assert CURE[0][0] in SOURCE
cured = distances(SOURCE.replace(*CURE[0]))

print("released: the fitted data is {} from the origin, a copy of it {}".format(*released))
print("cured:    the fitted data is {} from the origin, a copy of it {}".format(*cured))
assert released[0] > 0.1
assert released[1] == 0
assert cured == [0, 0]
