"""The CFP features cannot be differentiated

`nonlinear_func` takes `X = torch.relu(X)` and then sets the borders of `X` to zero in place. The derivative of `relu`
is computed from its result, which autograd has saved, so `backward()` to the waveform raises in both classes,
`Combined_Frequency_Periodicity` and `CFP`. nnAudio advertises features that can be trained through; these cannot. The second line of the cure is needed for a finite
gradient: the root of a zero has none.
"""

import scipy.signal
import torch

RELEASE = "nnAudio==0.3.4"
NEEDS = ["numpy", "scipy"]
FINDINGS = [
    "nnAudio/features/cfp.py:186:13: warning[IPL202] [*] item assignment modifies `X`, the result that `relu` saved for backward if `torch.rfft(...)` requires grad",
    "nnAudio/features/cfp.py:424:13: warning[IPL202] [*] item assignment modifies `X`, the result that `relu` saved for backward if `torch.rfft(...)` requires grad",
]
EFFECT = "raises in backward, always"
CURE = [
    ("X = torch.relu(X)\n", "X = torch.relu(X).clone()\n"),
    ("X = X.pow(g)\n", "X = (X + epsilon).pow(g)\n"),
]
PRINTS = """
Combined_Frequency_Periodicity, released: RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation
Combined_Frequency_Periodicity, cured:    a gradient, all finite: True
CFP, released: RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation
CFP, cured:    a gradient, all finite: True
"""

scipy.signal.blackmanharris = scipy.signal.windows.blackmanharris  # where the release expects it (SciPy < 1.13)

import inspect

from nnAudio.features import cfp


def gradient(name: str) -> str:
    torch.manual_seed(0)
    waveform = torch.randn(1, 16000, requires_grad=True)
    features = vars(cfp)[name]()(waveform)
    try:
        (features[0] if isinstance(features, tuple) else features).sum().backward()
    except RuntimeError as error:
        return f"RuntimeError: {str(error).split(':')[0]}"
    return f"a gradient, all finite: {waveform.grad.isfinite().all()}"


names = ["Combined_Frequency_Periodicity", "CFP"]
released = [gradient(name) for name in names]
source = inspect.getsource(cfp)
for old, new in CURE:
    source = source.replace(old, new)
exec(source, vars(cfp))
cured = [gradient(name) for name in names]

for name, before, after in zip(names, released, cured, strict=True):
    print(f"{name}, released: {before}")
    print(f"{name}, cured:    {after}")
assert all(text.startswith("RuntimeError") for text in released)
assert all(text == "a gradient, all finite: True" for text in cured)
