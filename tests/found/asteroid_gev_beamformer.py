"""The GEV beamformer cannot be trained through

`compute_beamforming_vector` normalizes the eigenvector in place, `bf_vect /= torch.norm(bf_vect, ...)`. The norm has
saved the vector it was taken of, so `backward()` to the covariance matrices, and to the mask network that estimates
them, raises. The other beamformers of the module work out of place.
"""

from importlib.util import find_spec
from pathlib import Path

import torch

RELEASE = "asteroid==0.7.0"
NEEDS = []
FINDINGS = [
    "asteroid/dsp/beamforming.py:246:9: warning[IPL201] [*] `/=` modifies `bf_vect`, which `norm` saved for backward if `noise_scm` requires grad",
]
EFFECT = "raises in backward, always"
CURE = [("bf_vect /= torch.norm(bf_vect, ", "bf_vect = bf_vect / torch.norm(bf_vect, ")]
PRINTS = """
released: RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation
cured:    a gradient, all finite: True
"""

# The package imports training frameworks; the functions need torch only.
SOURCE = Path(find_spec("asteroid").submodule_search_locations[0], "dsp", "beamforming.py").read_text("utf-8")


def gradient(source: str) -> str:
    module = {"__name__": "beamforming"}
    exec(source, module)
    torch.manual_seed(0)
    mixture = torch.randn(1, 2, 3, 20, dtype=torch.complex64)
    mask = torch.rand(1, 1, 3, 20, requires_grad=True)
    target, noise = mixture * mask, mixture * (1 - mask)
    covariances = [torch.einsum("bmft,bnft->bmnf", part, part.conj()) for part in (target, noise)]
    vector = module["GEVBeamformer"].compute_beamforming_vector(*covariances)
    try:
        vector.abs().sum().backward()
    except RuntimeError as error:
        return f"RuntimeError: {str(error).split(':')[0]}"
    return f"a gradient, all finite: {mask.grad.isfinite().all()}"


released = gradient(SOURCE)
cured = gradient(SOURCE.replace(*CURE[0]))

print("released:", released)
print("cured:   ", cured)
assert released.startswith("RuntimeError: one of the variables")
assert cured == "a gradient, all finite: True"
