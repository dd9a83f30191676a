"""`davies_bouldin_score` cannot be differentiated, though it declares that it can

The class `DaviesBouldinScore` declares `is_differentiable = True`. But the distances between centroids are written
after `torch.cdist` has saved them, `centroid_distances[centroid_distances == 0] = float("inf")`, and `backward()`
raises, always.
"""

import inspect
from importlib import import_module

import torch

RELEASE = "torchmetrics==1.9.0"
NEEDS = ["lightning-utilities", "packaging", "numpy"]
FINDINGS = [
    "torchmetrics/functional/clustering/davies_bouldin_score.py:63:5: warning[IPL202] [*] item assignment modifies `centroid_distances`, the result that `cdist` saved for backward if `data` requires grad",
]
EFFECT = "raises in backward, always"
CURE = [
    (
        'centroid_distances[centroid_distances == 0] = float("inf")',
        'centroid_distances = centroid_distances.masked_fill(centroid_distances == 0, float("inf"))',
    )
]
PRINTS = """
released: RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation
cured:    a gradient, all finite: True
"""
module = import_module("torchmetrics.functional.clustering.davies_bouldin_score")


def gradient() -> str:
    torch.manual_seed(0)
    data = torch.randn(20, 3, requires_grad=True)
    try:
        module.davies_bouldin_score(data, torch.arange(20) % 3).backward()
    except RuntimeError as error:
        return f"RuntimeError: {str(error).split(':')[0]}"
    return f"a gradient, all finite: {data.grad.isfinite().all()}"


released = gradient()
exec(inspect.getsource(module).replace(*CURE[0]), vars(module))
cured = gradient()

print("released:", released)
print("cured:   ", cured)
assert released.startswith("RuntimeError")
assert cured.startswith("a gradient")
