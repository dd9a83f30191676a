"""`adjust_hue` of `transforms.v2` raises if the image requires grad; the older one does not

`_rgb_to_hsv` unbinds the channels and computes the hue in place on them, `hr = bc.sub_(gc)...`. The channels are views
that `unbind` makes together, and PyTorch refuses to write them while autograd records. `transforms.functional.adjust_hue`
can be differentiated, so code that augments inside a graph breaks when it moves to v2: `adjust_hue`, and `ColorJitter`
with a hue.
"""

import ast
from importlib.util import find_spec
from pathlib import Path

import torch

RELEASE = "torchvision==0.29.2"
NEEDS = []
FINDINGS = [
    "torchvision/transforms/v2/functional/_color.py:332:10: warning[IPL103] `sub_` modifies `bc`, one of several views that autograd ties together if `image` requires grad",
    "torchvision/transforms/v2/functional/_color.py:333:10: warning[IPL103] `add_` modifies `gc`, one of several views that autograd ties together if `image` requires grad",
    "torchvision/transforms/v2/functional/_color.py:335:9: warning[IPL103] `add_` modifies `hr`, one of several views that autograd ties together if `image` requires grad",
    "torchvision/transforms/v2/functional/_color.py:392:5: warning[IPL103] `add_` modifies `h`, one of several views that autograd ties together if `image` requires grad",
]
EFFECT = "raises at the write, always if the image requires grad"
CURE = [
    ("hg = rc.add(2.0).sub_(bc).mul_(", "hg = rc.add(2.0).sub(bc).mul("),
    ("hr = bc.sub_(gc).mul_(", "hr = bc.sub(gc).mul("),
    ("hb = gc.add_(4.0).sub_(rc).mul_(", "hb = gc.add(4.0).sub(rc).mul("),
    ("h.add_(hue_factor).remainder_(1.0)", "h = h.add(hue_factor).remainder(1.0)"),
    ("h6.sub_(i)", "h6.sub(i)"),
    ("q = (1.0 - sxf).mul_(v).clamp_(0.0, 1.0)", "q = (1.0 - sxf).mul(v).clamp(0.0, 1.0)"),
    ("t = sxf.add_(one_minus_s).mul_(v).clamp_(0.0, 1.0)", "t = sxf.add(one_minus_s).mul(v).clamp(0.0, 1.0)"),
    ("p = one_minus_s.mul_(v).clamp_(0.0, 1.0)", "p = one_minus_s.mul(v).clamp(0.0, 1.0)"),
]
PRINTS = """
released: RuntimeError: Output 2 of Unbind is a view and is being modified inplace
cured:    a gradient, all finite: True
"""

# The package loads compiled ops; these three functions need torch only.
PLACE = Path(find_spec("torchvision").submodule_search_locations[0], "transforms/v2/functional/_color.py")
NAMES = ("_rgb_to_hsv", "_hsv_to_rgb", "adjust_hue_image")
FUNCTIONS = [node for node in ast.parse(PLACE.read_text("utf-8")).body if getattr(node, "name", "") in NAMES]
for function in FUNCTIONS:
    function.decorator_list = []


def gradient(changes: list[tuple[str, str]]) -> str:
    code = "\n".join(ast.unparse(function) for function in FUNCTIONS)
    for old, new in changes:
        code = code.replace(old, new)
    namespace = {"torch": torch, "to_dtype_image": lambda image, dtype, scale: image}
    exec(code, namespace)
    torch.manual_seed(0)
    image = torch.rand(3, 4, 4, requires_grad=True)
    try:
        namespace["adjust_hue_image"](image, 0.1).pow(2).sum().backward()
    except RuntimeError as error:
        return f"RuntimeError: {str(error).split('. ')[0]}"
    return f"a gradient, all finite: {image.grad.isfinite().all()}"


released, cured = gradient([]), gradient(CURE)
print("released:", released)
print("cured:   ", cured)
assert released.startswith("RuntimeError: Output")
assert cured == "a gradient, all finite: True"
