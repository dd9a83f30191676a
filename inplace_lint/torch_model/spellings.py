"""How in-place operations are spelled where no trailing underscore shows them.

The screen asks, before anything is interpreted; a test holds these words against the op table.
"""

from __future__ import annotations

# Behind how many positional arguments these take `inplace` (or `max_norm`).
POSITIONAL = {
    **dict.fromkeys("ReLU ReLU6 SiLU SELU Mish Hardswish Hardsigmoid".split(), 0),
    **dict.fromkeys("LeakyReLU ELU CELU Dropout Dropout1d Dropout2d Dropout3d".split(), 1),
    **dict.fromkeys("AlphaDropout FeatureAlphaDropout relu relu6 silu selu mish hardswish hardsigmoid".split(), 1),
    **dict.fromkeys("Threshold Hardtanh RReLU EmbeddingBag leaky_relu elu celu".split(), 2),
    **dict.fromkeys("Embedding embedding embedding_bag threshold hardtanh".split(), 3),
    **dict.fromkeys("dropout dropout1d dropout2d dropout3d alpha_dropout feature_alpha_dropout".split(), 3),
    **dict.fromkeys(["rrelu"], 4),
}

# Keywords that ask for a write.
KEYWORDS = frozenset({"out", "inplace", "in_place", "max_norm"})

# Attributes and functions that write, or forbid writes, without an underscore at the end of their names.
WRITERS = frozenset(
    "step backward load_state_dict inference_mode mark_dirty instance_norm "
    "__setitem__ __iadd__ __iand__ __idiv__ __ifloordiv__ __ilshift__ __imod__ __imul__ __ior__ __ipow__ __irshift__ "
    "__isub__ __itruediv__ __ixor__ iadd isub imul itruediv ifloordiv imod ipow iand ior ixor setitem".split()
)

# The old names in `torch.nn.init`.
INITIALIZERS = frozenset(
    "constant dirac eye kaiming_normal kaiming_uniform normal orthogonal sparse uniform xavier_normal "
    "xavier_uniform".split()
)

# Functions and methods of NumPy that write an array; they matter where a file speaks of NumPy.
ARRAY_WRITERS = frozenset(
    "shuffle copyto putmask fill_diagonal put_along_axis at nan_to_num sort fill partition put itemset resize "
    "place".split()
)

# Layers that write their statistics in training; that matters where the mode is switched.
STATISTICS = ("BatchNorm", "InstanceNorm")
MODES = frozenset({"eval", "train", "training"})
