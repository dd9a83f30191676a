"""Boxes of Grid R-CNN are not clipped to the image

The last step of decoding is `bboxes[:, [0, 2]].clamp_(min=0, max=img_meta['img_shape'][1])`. Indexing with a list
copies, so the clamp works on a copy that nobody reads: boxes keep coordinates outside the image. Slices, as in
`bboxes[:, 0::2]`, would be views. Nothing is raised; the same two lines stand in `SABLHead`.
"""

import ast
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import torch

RELEASE = "mmdet==3.3.0"
NEEDS = []
FINDINGS = [
    "mmdet/models/roi_heads/mask_heads/grid_head.py:482:9: warning[IPL307] `clamp_` modifies a copy that nobody reads: indexing with a mask or positions copies, `bboxes` keeps its values",
    "mmdet/models/roi_heads/mask_heads/grid_head.py:483:9: warning[IPL307] `clamp_` modifies a copy that nobody reads: indexing with a mask or positions copies, `bboxes` keeps its values",
]
EFFECT = "wrong values, silently, for every box that leaves the image"
CURE = [
    ("bboxes[:, [0, 2]].clamp_(", "bboxes[:, 0::2].clamp_("),
    ("bboxes[:, [1, 3]].clamp_(", "bboxes[:, 1::2].clamp_("),
]
PRINTS = """
released: a box in an image of 50 x 50 [-14.999999046325684, -14.999999046325684, -14.999999046325684, -14.999999046325684]
cured:    a box in an image of 50 x 50 [0.0, 0.0, 0.0, 0.0]
"""

# The package imports mmcv with its compiled ops; the method needs torch only.
PLACE = Path(find_spec("mmdet").submodule_search_locations[0], "models/roi_heads/mask_heads/grid_head.py")
TREE = ast.parse(PLACE.read_text("utf-8"))
(METHOD,) = [node for node in ast.walk(TREE) if getattr(node, "name", "") == "_predict_by_feat_single"]


def box(changes: list[tuple[str, str]]) -> list[float]:
    code = "from __future__ import annotations\n" + ast.unparse(METHOD)
    for old, new in changes:
        code = code.replace(old, new)
    namespace = {"torch": torch}
    exec(code, namespace)
    head = SimpleNamespace(grid_points=9, grid_size=3, sub_regions=[(0, 0, 4, 4)] * 9, whole_map_size=8)
    scores = torch.full((1, 9, 4, 4), -9.0)
    scores[:, :, 0, 0] = 9.0
    regions = torch.tensor([[0.0, 0.0, 40.0, 40.0]])
    decoded = namespace["_predict_by_feat_single"](head, scores, regions, {"img_shape": (50, 50)}, rescale=False)
    return decoded[0].tolist()


released, cured = box([]), box(CURE)
print("released: a box in an image of 50 x 50", released)
print("cured:    a box in an image of 50 x 50", cured)
assert min(released) < 0
assert min(cured) >= 0
