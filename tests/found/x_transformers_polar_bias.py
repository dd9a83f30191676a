"""`polar_bias_uniform_init=True` raises when the model is built

`PolarEmbedding.__init__` makes `self.learned_bias` a parameter and then calls `uniform_` on it outside `no_grad`.
PyTorch refuses in-place writes to a leaf that requires grad, so no model can be built with this option. The default,
`polar_bias_uniform_init=False`, is not hurt.
"""

import inspect

from x_transformers import x_transformers

RELEASE = "x-transformers==2.31.10"
NEEDS = ["einops", "einx==0.4.3", "frozendict", "loguru", "torch-einops-utils"]
FINDINGS = [
    "x_transformers/x_transformers.py:936:13: error[IPL101] [*] `uniform_` modifies `self.learned_bias`, a leaf that requires grad",
]
EFFECT = "raises at construction, for everyone who sets the option"
CURE = [("self.learned_bias.uniform_(", "self.learned_bias.data.uniform_(")]
PRINTS = """
released: RuntimeError: a leaf Variable that requires grad is being used in an in-place operation.
cured:    a decoder
"""


def construct() -> str:
    try:
        x_transformers.Decoder(dim=16, depth=1, heads=2, polar_pos_emb=True, polar_bias_uniform_init=True)
    except RuntimeError as error:
        return f"RuntimeError: {error}"
    return "a decoder"


released = construct()
exec(inspect.getsource(x_transformers).replace(*CURE[0]), vars(x_transformers))
cured = construct()

print("released:", released)
print("cured:   ", cured)
assert released.startswith("RuntimeError: a leaf Variable that requires grad")
assert cured == "a decoder"
