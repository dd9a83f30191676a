"""`backward()` always raises through the latency encoders

`spike_latency_encode` and `spike_latency_lif_encode` pass `mask` to `torch.where`, which saves it for backward, and
then set entries of the same `mask` for the next time step. As soon as the input current or the spikes require grad,
`backward()` raises, so the surrogate gradient of the encoders cannot be used. The `byte` masks are also deprecated in
`torch.where`; a boolean mask that is updated out of place cures both.
"""

import inspect
import warnings

import torch
from norse.torch.functional import encode

RELEASE = "norse==0.0.4"
NEEDS = ["numpy"]
FINDINGS = [
    "norse/torch/functional/encode.py:208:9: warning[IPL201] [*] item assignment modifies `mask`, which `where` saved for backward if `input_current` requires grad",
    "norse/torch/functional/encode.py:243:9: warning[IPL201] [*] item assignment modifies `mask`, which `where` saved for backward if `input_spikes` requires grad",
]
EFFECT = "raises in backward, always"
CURE = [
    ("mask[z.bool()] = 1", "mask = mask | z.bool()"),
    ("mask[input_spikes[index].bool()] = 1", "mask = mask | input_spikes[index].bool()"),
    (".byte()", ".bool()"),
]
PRINTS = """
spike_latency_lif_encode, released: RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation
spike_latency_lif_encode, cured:    a gradient of shape [3]
spike_latency_encode, released: RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation
spike_latency_encode, cured:    a gradient of shape [2, 3]
"""
warnings.simplefilter("ignore")


def gradients() -> list[str]:
    torch.manual_seed(0)
    current = (torch.rand(3) * 10).requires_grad_()
    spikes = torch.tensor([[0.0, 1.0, 1.0], [1.0, 1.0, 1.0]], requires_grad=True)
    results = []
    for encode_with, given in (
        (lambda: encode.spike_latency_lif_encode(current, 30), current),
        (lambda: encode.spike_latency_encode(spikes), spikes),
    ):
        try:
            encode_with().sum().backward()
            results.append(f"a gradient of shape {list(given.grad.shape)}")
        except RuntimeError as error:
            results.append(f"RuntimeError: {str(error).split(':')[0]}")
    return results


released = gradients()
source = inspect.getsource(encode)
for old, new in CURE:
    source = source.replace(old, new)
exec(source, vars(encode))
cured = gradients()

for name, before, after in zip(("spike_latency_lif_encode", "spike_latency_encode"), released, cured, strict=True):
    print(f"{name}, released: {before}")
    print(f"{name}, cured:    {after}")
assert all(text.startswith("RuntimeError") for text in released)
assert all(text.startswith("a gradient") for text in cured)
