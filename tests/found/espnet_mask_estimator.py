"""Masks of the neural beamformer are not zero where there is padding

`mask.masked_fill(make_pad_mask(...), 0)` is meant to zero the padding ("Zero padding", says the comment), but the
method without underscore returns a copy, which is thrown away. The estimated masks of shorter utterances keep values
near 0.5 in their padding, and go into the power spectral densities of the beamformer with that. Nothing is raised. The
estimator of ESPnet2, `espnet2/enh/layers/mask_estimator.py`, line 85, has the same line.
"""

import ast
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import torch

RELEASE = "espnet==202511"
NEEDS = ["numpy"]
FINDINGS = [
    "espnet/nets/pytorch_backend/frontends/mask_estimator.py:71:13: warning[IPL308] the result of `masked_fill` is thrown away, `mask` stays as it is",
]
EFFECT = "wrong values, silently, for every batch with padding"
CURE = [("mask.masked_fill(make_pad_mask(", "mask = mask.masked_fill(make_pad_mask(")]
PRINTS = """
released: [0.5, 0.5, 0.5, 0.5]
cured:    [0.5, 0.5, 0.0, 0.0]
"""

# The package imports speech tools; the class and its padding mask need torch only.
PLACE = Path(find_spec("espnet").submodule_search_locations[0], "nets", "pytorch_backend")
FOUND = [
    node
    for name in ("frontends/mask_estimator.py", "nets_utils.py")
    for node in ast.parse((PLACE / name).read_text("utf-8")).body
    if getattr(node, "name", "") in ("MaskEstimator", "make_pad_mask", "_make_pad_mask", "_make_pad_mask_traceable")
]
CODE = "from __future__ import annotations\n" + "\n".join(ast.unparse(node) for node in FOUND)


class Recurrent(torch.nn.Module):
    """Stands in for the recurrent layers: gives zeros, so that every mask is sigmoid(0) before padding."""

    def __init__(self, *sizes: object, **options: object) -> None:
        super().__init__()

    def forward(self, frames: torch.Tensor, lengths: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, None]:
        return torch.zeros(*frames.shape[:2], 4), lengths, None


def mask_of_shorter(code: str) -> list[float]:
    """The mask over the four frames of an utterance that has two."""
    namespace = {"torch": torch, "np": np, "F": torch.nn.functional, "RNN": Recurrent, "RNNP": Recurrent}
    exec(code, namespace)
    estimator = namespace["MaskEstimator"]("blstmp", idim=3, layers=1, units=4, projs=4, dropout=0.0)
    torch.nn.init.zeros_(estimator.linears[0].bias)
    frequencies, channels, frames = 3, 1, 4
    spectrum = torch.ones(2, frequencies, channels, frames, dtype=torch.complex64)
    (mask,), _ = estimator(spectrum, torch.tensor([4, 2]))
    return mask[1, 0, 0].tolist()


released, cured = mask_of_shorter(CODE), mask_of_shorter(CODE.replace(*CURE[0]))
print("released:", released)
print("cured:   ", cured)
assert released == [0.5, 0.5, 0.5, 0.5]
assert cured == [0.5, 0.5, 0.0, 0.0]
