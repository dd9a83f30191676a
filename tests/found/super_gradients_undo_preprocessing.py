"""Drawing a batch that lies on the CPU multiplies it by 255

`undo_image_preprocessing` turns a batch into pictures: `im_tensor.cpu().numpy()`, reversed and transposed, and then
`im_np *= 255.0`. On the CPU, all of these share memory with the caller's tensor, so the batch itself is changed.
`DetectionVisualization.visualize_batch` calls it by default, and `DetectionVisualizationCallback` gives it the inputs
of the step: every callback that reads them afterwards gets other images. On a GPU, `.cpu()` copies, and nothing is
wrong.
"""

import ast
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import torch

RELEASE = "super-gradients==3.7.1"
NEEDS = ["numpy"]
CHECKED = ["super_gradients/training/utils/detection_utils.py", "super_gradients/training/datasets/datasets_utils.py"]
FINDINGS = [
    "super_gradients/training/utils/detection_utils.py:409:5: warning[IPL305] `*=` modifies `im_np`, an argument that the caller reads again",
]
EFFECT = "changes the caller's images, always on the CPU"
CURE = [("im_np *= 255.0", "im_np = im_np * 255.0")]
PRINTS = """
released: mean of the batch 0.5 before, 127.5 after
cured:    mean of the batch 0.5 before, 0.5 after
"""

# The package imports OpenCV and training tools; the function needs torch and numpy only.
PLACE = Path(find_spec("super_gradients").submodule_search_locations[0], "training", "utils", "detection_utils.py")
(FUNCTION,) = [
    node for node in ast.parse(PLACE.read_text("utf-8")).body if getattr(node, "name", "") == "undo_image_preprocessing"
]


def means(code: str) -> list[float]:
    """The mean of a batch before and after pictures were made of it."""
    namespace = {"torch": torch, "np": np}
    exec(code, namespace)
    images = torch.linspace(0, 1, 2 * 3 * 4 * 4).reshape(2, 3, 4, 4)
    before = images.mean().item()
    namespace["undo_image_preprocessing"](images.detach())
    return [round(before, 2), round(images.mean().item(), 2)]


released = means(ast.unparse(FUNCTION))
cured = means(ast.unparse(FUNCTION).replace(*CURE[0]))

print("released: mean of the batch {} before, {} after".format(*released))
print("cured:    mean of the batch {} before, {} after".format(*cured))
assert released == [0.5, 127.5]
assert cured == [0.5, 0.5]
