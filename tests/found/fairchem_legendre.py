"""EScAIP with angle embeddings as bias cannot predict forces by gradient

`legendre_polynomials` fills one tensor with its recursion: `P[..., n + 1] = ((2 * n + 1) * x * P[..., n] - ...)`. The
product has saved `P[..., n]`, a view of the tensor that is written to next, so `backward()` raises for every `lmax`
above one. EScAIP calls it with `use_angle_embedding="bias"`; forces that are predicted directly need no gradient with
respect to the positions and work.
"""

import ast
from importlib.util import find_spec
from pathlib import Path

import torch

RELEASE = "fairchem-core==2.24.0"
NEEDS = []
FINDINGS = [
    "fairchem/core/models/escaip/utils/graph_utils.py:107:13: warning[IPL201] [*] item assignment modifies `P`, which `mul` saved for backward if `x` requires grad",
]
EFFECT = "raises in backward, always with `lmax` above one"
CURE = [("x * P[..., n] -", "x * P[..., n].clone() -")]
PRINTS = """
released: RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation
cured:    gradient [2.5, 0.25]
"""

# The package imports e3nn and training tools; the function needs torch only.
PLACE = Path(find_spec("fairchem").submodule_search_locations[0], "core/models/escaip/utils/graph_utils.py")
(FUNCTION,) = [
    node for node in ast.parse(PLACE.read_text("utf-8")).body if getattr(node, "name", "") == "legendre_polynomials"
]


def gradient(code: str) -> str:
    namespace = {"torch": torch}
    exec(code, namespace)
    cosine = torch.tensor([0.5, -0.25], requires_grad=True)
    try:
        namespace["legendre_polynomials"](cosine, 2).sum().backward()
    except RuntimeError as error:
        return f"RuntimeError: {str(error).split(':')[0]}"
    return f"gradient {cosine.grad.tolist()}"


released = gradient(ast.unparse(FUNCTION))
cured = gradient(ast.unparse(FUNCTION).replace(*CURE[0]))

print("released:", released)
print("cured:   ", cured)
# The sum of the first three polynomials is 1 + x + (3 x² - 1) / 2, its derivative 1 + 3 x.
assert released.startswith("RuntimeError")
assert cured == "gradient [2.5, 0.25]"
