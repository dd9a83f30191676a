"""`FasterRcnnBoxCoder.decode` divides the caller's codes by the scale factors

With `scale_factors`, `decode` unbinds the codes and divides each column in place: `ty /= self._scale_factors[0]`. The
columns are views of the caller's tensor, so a second `decode` of the same codes gives other boxes, silently. If the
codes require grad, the first one raises, since PyTorch refuses writes to the views that `unbind` makes. EfficientDet
itself builds the coder without scale factors and is not hurt.
"""

import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import torch

RELEASE = "effdet==0.4.1"
NEEDS = []
FINDINGS = [
    "effdet/object_detection/box_coder.py:126:13: warning[IPL103] `/=` modifies `ty`, one of several views that autograd ties together if `rel_codes` requires grad",
    "effdet/object_detection/box_coder.py:127:13: warning[IPL103] `/=` modifies `tx`, one of several views that autograd ties together if `rel_codes` requires grad",
    "effdet/object_detection/box_coder.py:128:13: warning[IPL103] `/=` modifies `th`, one of several views that autograd ties together if `rel_codes` requires grad",
    "effdet/object_detection/box_coder.py:129:13: warning[IPL103] `/=` modifies `tw`, one of several views that autograd ties together if `rel_codes` requires grad",
]
EFFECT = "changes the caller's tensor, with `scale_factors`; raises if it requires grad"
CURE = [
    ("ty /= self._scale_factors[0]", "ty = ty / self._scale_factors[0]"),
    ("tx /= self._scale_factors[1]", "tx = tx / self._scale_factors[1]"),
    ("th /= self._scale_factors[2]", "th = th / self._scale_factors[2]"),
    ("tw /= self._scale_factors[3]", "tw = tw / self._scale_factors[3]"),
]
PRINTS = """
released: first decode [0.47, 1.47, 11.53, 12.53], second decode [-0.0, 0.1, 10.2, 10.3]
cured:    first decode [0.47, 1.47, 11.53, 12.53], second decode [0.47, 1.47, 11.53, 12.53]
"""

# `import effdet` imports models and data loaders; the coder needs torch only.
PLACE = Path(find_spec("effdet").submodule_search_locations[0])
for name, folder in (("effdet", PLACE), ("effdet.object_detection", PLACE / "object_detection")):
    sys.modules[name] = ModuleType(name)
    sys.modules[name].__path__ = [str(folder)]
box_coder = import_module("effdet.object_detection.box_coder")


def decode_twice() -> list[list[float]]:
    anchors = box_coder.BoxList(torch.tensor([[0.0, 0.0, 10.0, 10.0]]))
    coder = box_coder.FasterRcnnBoxCoder(scale_factors=[10.0, 10.0, 5.0, 5.0])
    codes = torch.tensor([[1.0, 2.0, 0.5, 0.5]])
    return [[round(side, 2) for side in coder.decode(codes, anchors).boxes()[0].tolist()] for _ in range(2)]


released = decode_twice()
source = (PLACE / "object_detection" / "box_coder.py").read_text("utf-8")
for old, new in CURE:
    source = source.replace(old, new)
exec(source, vars(box_coder))
cured = decode_twice()

print("released: first decode {}, second decode {}".format(*tuple(released)))
print("cured:    first decode {}, second decode {}".format(*tuple(cured)))
assert released[0] != released[1]
assert cured[0] == cured[1] == released[0]
