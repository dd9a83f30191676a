"""8-bit answers of expert servers lose their mean

With `allow_inplace=True`, `Uniform8BitQuantization.quantize` centres its tensor by `tensor.sub_(shift)`, and then
computes the code book, the mean of the values in each bucket, from `tensor`, which is centred by now. The client that
decodes the answer gets values whose mean is zero. Nothing is raised. A server compresses all outputs of its experts,
and all gradients, with `allow_inplace=True`, so those who start it with `--compression UNIFORM_8BIT` are hurt;
averaging and the requests of clients do not write in place, and are right.
"""

from abc import ABC
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import torch

RELEASE = "hivemind==1.1.12"
NEEDS = ["numpy"]
FINDINGS = [
    "hivemind/compression/quantization.py:69:27: warning[IPL301] `sub_` overwrites `tensor`, which is read again later",
]
EFFECT = "wrong values, silently, unless the mean is zero"
CURE = [("tensor.sub_(shift) if allow_inplace else tensor - shift", "tensor - shift")]
PRINTS = """
released: mean 0.00, largest error 5.73
cured:    mean 4.99, largest error 0.99
released, without `allow_inplace`: mean 4.99, largest error 0.99
"""

# The package imports its network; the module needs torch and NumPy, and names for the kinds of compression.
SOURCE = Path(find_spec("hivemind").submodule_search_locations[0], "compression/quantization.py").read_text("utf-8")
KINDS = SimpleNamespace(Tensor=None, UNIFORM_8BIT=1, QUANTILE_8BIT=2, BLOCKWISE_8BIT=3)


def received(source: str, **options: bool) -> str:
    """The mean of a tensor that was compressed and decoded as `extract` does it, and the largest error."""
    module = {"__name__": "quantization", "CompressionBase": ABC, "CompressionInfo": None, "runtime_pb2": KINDS}
    source = source.replace("Quantization(CompressionBase, ABC)", "Quantization(CompressionBase)")
    exec("\n".join(line for line in source.splitlines() if not line.startswith("from hivemind")), module)
    torch.manual_seed(0)
    output = torch.randn(10_000) + 5
    indices, codebook = module["Uniform8BitQuantization"]().quantize(output.clone(), **options)
    decoded = torch.as_tensor(codebook)[torch.as_tensor(indices, dtype=torch.int64)]
    return f"mean {decoded.mean().abs():.2f}, largest error {(decoded - output).abs().max():.2f}"


released = received(SOURCE, allow_inplace=True)
assert CURE[0][0] in SOURCE
cured = received(SOURCE.replace(*CURE[0]), allow_inplace=True)
copied = received(SOURCE)

print("released:", released)
print("cured:   ", cured)
print("released, without `allow_inplace`:", copied)
assert released.startswith("mean 0.00")
assert cured == copied
