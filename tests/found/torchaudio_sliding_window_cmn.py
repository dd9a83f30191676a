"""`sliding_window_cmn(norm_vars=True)` cannot be differentiated

The running sum over the window is squared for the variance, `(cur_sum**2) / (window_frames**2)`, and then updated in
place for the next frame, `cur_sum += frame_to_add`. The square has saved it, so `backward()` to the spectrogram raises
as soon as the window moves. Without `norm_vars` nothing needs the sum, and the gradient is right.
"""

import ast
from importlib.util import find_spec
from pathlib import Path

import torch

RELEASE = "torchaudio==2.11.0"
NEEDS = []
FINDINGS = [
    "torchaudio/functional/functional.py:1234:17: warning[IPL201] [*] `+=` modifies `cur_sum`, which `pow` saved for backward if `specgram` requires grad",
]
EFFECT = "raises in backward, always with `norm_vars=True`"
CURE = [
    ("cur_sum += ", "cur_sum = cur_sum + "),
    ("cur_sum -= ", "cur_sum = cur_sum - "),
    ("cmn_specgram[:, t, :] *= variance", "cmn_specgram[:, t, :] = cmn_specgram[:, t, :].clone() * variance"),
]
PRINTS = """
released: RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation
cured:    a gradient of shape [20, 4]
"""

# The package loads compiled ops; the function needs torch only.
PLACE = Path(find_spec("torchaudio").submodule_search_locations[0], "functional", "functional.py")
(FUNCTION,) = [
    node for node in ast.parse(PLACE.read_text("utf-8")).body if getattr(node, "name", "") == "sliding_window_cmn"
]


def gradient(changes: list[tuple[str, str]]) -> str:
    code = "from __future__ import annotations\n" + ast.unparse(FUNCTION)
    for old, new in changes:
        code = code.replace(old, new)
    namespace = {"torch": torch}
    exec(code, namespace)
    torch.manual_seed(0)
    spectrogram = torch.randn(20, 4, requires_grad=True)
    normalized = namespace["sliding_window_cmn"](spectrogram, cmn_window=6, min_cmn_window=3, norm_vars=True)
    try:
        normalized[5:].pow(3).sum().backward()
    except RuntimeError as error:
        return f"RuntimeError: {str(error).split(':')[0]}"
    return f"a gradient of shape {list(spectrogram.grad.shape)}"


released, cured = gradient([]), gradient(CURE)
print("released:", released)
print("cured:   ", cured)
assert released.startswith("RuntimeError")
assert cured.startswith("a gradient")
