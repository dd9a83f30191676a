"""`Sparsemax` overwrites its input

`SparsemaxFunction.forward` subtracts the maximum from `input` in place, without `ctx.mark_dirty`. The scores that the
caller handed over are shifted, silently; and if their producer saved its result, as `tanh`, `sigmoid` or `softmax` do,
`backward()` raises. `Entmax15` in the same file, and sparsemax in the entmax package, where the code comes from, were
mended. TabNet itself passes a product that nobody reads again, and is not hurt; users of the layer are.
"""

import inspect

import torch
from pytorch_tabnet import sparsemax

RELEASE = "pytorch-tabnet==4.1.0"
NEEDS = []
FINDINGS = [
    "pytorch_tabnet/sparsemax.py:51:9: warning[IPL403] `-=` modifies `input`, an input, without `ctx.mark_dirty`",
]
EFFECT = "changes the caller's tensor, always; raises in backward if its producer saved it"
CURE = [("input -= max_val", "input = input - max_val")]
PRINTS = """
released: scores afterwards [-2.0, -1.0, 0.0]; sparsemax of tanh: RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation
cured:    scores afterwards [1.0, 2.0, 3.0]; sparsemax of tanh: a gradient
"""


def scores_and_gradient() -> tuple[list[float], str]:
    scores = torch.tensor([[1.0, 2.0, 3.0]])
    sparsemax.Sparsemax(dim=-1)(scores)
    hidden = torch.tensor([[1.0, 2.0, 3.0]], requires_grad=True)
    try:
        sparsemax.Sparsemax(dim=-1)(torch.tanh(hidden)).pow(2).sum().backward()
    except RuntimeError as error:
        return scores[0].tolist(), f"RuntimeError: {str(error).split(':')[0]}"
    return scores[0].tolist(), "a gradient"


released = scores_and_gradient()
exec(inspect.getsource(sparsemax).replace(*CURE[0]), vars(sparsemax))
cured = scores_and_gradient()

print("released: scores afterwards {}; sparsemax of tanh: {}".format(*released))
print("cured:    scores afterwards {}; sparsemax of tanh: {}".format(*cured))
assert released[0] == [-2.0, -1.0, 0.0]
assert released[1].startswith("RuntimeError")
assert cured == ([1.0, 2.0, 3.0], "a gradient")
