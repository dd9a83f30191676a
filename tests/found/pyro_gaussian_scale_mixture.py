"""`GaussianScaleMixture.log_prob` cannot be differentiated

`result = torch.logsumexp(...)` is followed by `result -= ...`. `logsumexp` has saved its result for backward, so
`backward()` through `log_prob` raises for every parameter and for the value. Maximum likelihood, SVI and HMC with this
distribution are impossible; sampling, with its custom pathwise derivative, works.
"""

import inspect

import torch
from pyro.distributions import gaussian_scale_mixture

RELEASE = "pyro-ppl==1.9.2"
NEEDS = ["pyro-api", "opt_einsum", "numpy", "tqdm"]
FINDINGS = [
    "pyro/distributions/gaussian_scale_mixture.py:104:9: warning[IPL202] [*] `-=` modifies `result`, the result that `logsumexp` saved for backward if `component_scale` requires grad",
]
EFFECT = "raises in backward, always"
CURE = [("result -= 0.5 * math.log", "result = result - 0.5 * math.log")]
PRINTS = """
released: RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation
cured:    gradient of the scales [-0.778, 0.995]
"""


def gradient() -> str:
    scale = torch.ones(2, requires_grad=True)
    mixture = gaussian_scale_mixture.GaussianScaleMixture(scale, torch.zeros(3), torch.tensor([0.5, 1.0, 2.0]))
    try:
        mixture.log_prob(torch.tensor([0.5, 1.5])).backward()
    except RuntimeError as error:
        return f"RuntimeError: {str(error).split(':')[0]}"
    return f"gradient of the scales {[round(value, 3) for value in scale.grad.tolist()]}"


released = gradient()
exec(inspect.getsource(gaussian_scale_mixture).replace(*CURE[0]), vars(gaussian_scale_mixture))
cured = gradient()

print("released:", released)
print("cured:   ", cured)
assert released.startswith("RuntimeError")
assert cured.startswith("gradient")
