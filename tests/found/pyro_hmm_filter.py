"""`MissingDataDiscreteHMM.filter` cannot be differentiated

The forward pass fills one tensor step by step, and each step is computed from entries of that tensor which
`logsumexp` has saved: `filter[..., i, :] = filter[..., i, :] - torch.logsumexp(filter[..., i, :], -1, True)`. The
second write to it makes `backward()` raise, for the observation, transition and initial logits alike. `log_prob` of
the same class takes another path and works, so only losses on the filtered states are hurt.
"""

import inspect

import torch
from pyro.contrib.mue import missingdatahmm

RELEASE = "pyro-ppl==1.9.2"
NEEDS = ["pyro-api", "opt_einsum", "numpy", "tqdm"]
FINDINGS = [
    "pyro/contrib/mue/missingdatahmm.py:176:9: warning[IPL201] [*] item assignment modifies `filter`, which `logsumexp` saved for backward if `initial_logits` requires grad",
    "pyro/contrib/mue/missingdatahmm.py:183:13: warning[IPL201] [*] item assignment modifies `filter`, which `logsumexp` saved for backward if `initial_logits` requires grad",
]
EFFECT = "raises in backward, for everyone who differentiates filtered states"
CURE = [
    ("filter = torch.zeros(shape)", "filter = list(torch.zeros(shape).unbind(-2))"),
    ("filter[..., 0, :]", "filter[0]"),
    ("filter[..., i, :]", "filter[i]"),
    ("filter[..., i - 1, :, None]", "filter[i - 1][..., :, None]"),
    ("return filter", "return torch.stack(filter, -2)"),
]
PRINTS = """
released: RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation
cured:    states that sum to 1.0, all gradients finite: True
"""


def gradient() -> str:
    torch.manual_seed(0)
    initial = torch.randn(2, requires_grad=True)
    model = missingdatahmm.MissingDataDiscreteHMM(initial, torch.randn(2, 2), torch.randn(2, 4))
    states = model.filter(torch.eye(4)[:3])
    try:
        states.exp().pow(2).sum().backward()
    except RuntimeError as error:
        return f"RuntimeError: {str(error).split(':')[0]}"
    return f"states that sum to {states.exp().sum(-1).mean().item():.1f}, all gradients finite: {initial.grad.isfinite().all()}"


released = gradient()
source = inspect.getsource(missingdatahmm)
start, end = source.index("filter = torch.zeros(shape)"), source.index("return filter") + len("return filter")
forward = source[start:end]
for old, new in CURE:
    forward = forward.replace(old, new)
exec(source[:start] + forward + source[end:], vars(missingdatahmm))
cured = gradient()

print("released:", released)
print("cured:   ", cured)
assert released.startswith("RuntimeError")
assert cured.startswith("states that sum to 1.0")
