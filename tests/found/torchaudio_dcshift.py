"""`dcshift` with a limiter overwrites its caller's waveform

`output_waveform = waveform` gives a second name, not a copy. With `limiter_gain`, the function writes the shifted
samples into it by index, and so into the argument. A second call shifts the already shifted audio, and what the caller
compares or plots as "before" is "after". Without `limiter_gain` the result is a new tensor, so the same function
sometimes changes its argument and sometimes does not.
"""

import ast
from importlib.util import find_spec
from pathlib import Path

import torch

RELEASE = "torchaudio==2.11.0"
NEEDS = []
FINDINGS = [
    "torchaudio/functional/filtering.py:404:9: warning[IPL303] item assignment modifies `output_waveform`, which is also `waveform`, read later",
    "torchaudio/functional/filtering.py:409:9: warning[IPL303] item assignment modifies `output_waveform`, which is also `waveform`, read later",
]
EFFECT = "changes the caller's tensor, always with `limiter_gain`"
CURE = [("output_waveform = waveform\n", "output_waveform = waveform.clone()\n")]
PRINTS = """
the caller's waveform: [0.0, 0.25, 0.5]
released, afterwards:  [0.125, 0.375, 0.625]
cured, afterwards:     [0.0, 0.25, 0.5]
"""

# The package loads compiled ops; the function needs torch only.
PLACE = Path(find_spec("torchaudio").submodule_search_locations[0], "functional", "filtering.py")
(FUNCTION,) = [node for node in ast.parse(PLACE.read_text("utf-8")).body if getattr(node, "name", "") == "dcshift"]
CODE = "from __future__ import annotations\n" + ast.unparse(FUNCTION)


def waveform_afterwards(code: str) -> list[float]:
    namespace = {"torch": torch}
    exec(code, namespace)
    waveform = torch.tensor([0.0, 0.25, 0.5])
    namespace["dcshift"](waveform, 0.125, limiter_gain=0.05)
    return waveform.tolist()


released, cured = waveform_afterwards(CODE), waveform_afterwards(CODE.replace(*CURE[0]))
print("the caller's waveform: [0.0, 0.25, 0.5]")
print("released, afterwards: ", released)
print("cured, afterwards:    ", cured)
assert released != [0.0, 0.25, 0.5]
assert cured == [0.0, 0.25, 0.5]
