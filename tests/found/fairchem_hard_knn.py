"""EScAIP with hard nearest neighbours cannot predict forces by gradient

`build_radius_graph` takes the envelope as a maximum, `env = torch.amax(env, dim=0)`, and then zeroes the self-loops in
it: `env.masked_fill_(dist == 0.0, 0.0)`. The derivative of `amax` is computed from its saved result, so `backward()` to
the positions raises, unless `use_envelope` is off and nobody reads the envelope. With `knn_soft=True`, the envelope
comes from a product that does not save its result, and works.
"""

from importlib.util import find_spec
from pathlib import Path

import torch

RELEASE = "fairchem-core==2.24.0"
NEEDS = []
FINDINGS = [
    "fairchem/core/models/escaip/utils/radius_graph.py:245:5: warning[IPL202] [*] `masked_fill_` modifies `env`, the result that `amax` saved for backward if `pos` requires grad",
]
EFFECT = "raises in backward, always with `knn_soft=False`"
CURE = [("env.masked_fill_(dist == 0.0, 0.0)", "env = env.masked_fill(dist == 0.0, 0.0)")]
PRINTS = """
released: RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation
cured:    a gradient, all finite: True, any but zero: True
"""

# The package imports training tools; the module needs torch only. Scripting would have to read the source from a file.
PLACE = Path(find_spec("fairchem").submodule_search_locations[0], "core/models/escaip/utils/radius_graph.py")
SOURCE = PLACE.read_text("utf-8").replace("@torch.jit.script\n", "")


def gradient(source: str) -> str:
    module = {"__name__": "radius_graph"}
    exec(source, module)
    positions = torch.tensor([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 2.5, 0.0]], requires_grad=True)
    *_, envelope = module["build_radius_graph"](
        positions, torch.eye(3) * 10, torch.zeros(1, 3), 3.0, 0, torch.device("cpu"), k=3, soft=False
    )
    try:
        envelope.sum().backward()
    except RuntimeError as error:
        return f"RuntimeError: {str(error).split(':')[0]}"
    return f"a gradient, all finite: {positions.grad.isfinite().all()}, any but zero: {positions.grad.any()}"


released = gradient(SOURCE)
cured = gradient(SOURCE.replace(*CURE[0]))

print("released:", released)
print("cured:   ", cured)
assert released.startswith("RuntimeError: one of the variables")
assert cured == "a gradient, all finite: True, any but zero: True"
