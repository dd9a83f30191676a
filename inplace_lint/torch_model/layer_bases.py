"""The classes that layers of PyTorch derive from, most of them hidden: `torch.nn.modules.loss._Loss`.

Own layers derive from them, too, and code asks by them what a layer is. Source: `torch/nn/modules`;
`tests/test_layer_bases.py` compares with the installed PyTorch.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from inplace_lint.torch_model.effects import REQUIRED


@dataclass(frozen=True, slots=True)
class LayerBase:
    """A class from which layers derive.

    Args:
        derived: the public layers that derive from it, by their last names.
        init: its arguments, with their defaults.
        like: a public layer that owns the same parameters and buffers; "" if it owns none.
        runs: calling it does what calling that layer does.
    """

    derived: frozenset[str]
    init: Mapping[str, object] = field(default_factory=dict)
    like: str = ""
    runs: bool = False


def _each(name: str, *dimensions: int) -> list[str]:
    return [f"{name}{dimension}d" for dimension in dimensions or (1, 2, 3)]


_DTYPE = {"device": None, "dtype": None}
_NORM = {"num_features": REQUIRED, "eps": 1e-5, "momentum": 0.1}
_BATCH_NORM = {**_NORM, "affine": True, "track_running_stats": True, **_DTYPE, "bias": True}
_INSTANCE_NORM = {**_NORM, "affine": False, "track_running_stats": False, **_DTYPE, "bias": True}
_CONVOLUTION = {
    **dict.fromkeys(
        "in_channels out_channels kernel_size stride padding dilation transposed output_padding groups bias "
        "padding_mode".split(),
        REQUIRED,
    ),
    **_DTYPE,
}
_REDUCED = {"size_average": None, "reduce": None, "reduction": "mean"}
_POOL = {"kernel_size": REQUIRED, "stride": None}
_BATCH_NORMS = [*_each("BatchNorm"), *_each("LazyBatchNorm"), "SyncBatchNorm"]
_INSTANCE_NORMS = [*_each("InstanceNorm"), *_each("LazyInstanceNorm")]
_TRANSPOSED = [*_each("ConvTranspose"), *_each("LazyConvTranspose")]
_WEIGHTED = (
    "BCELoss CrossEntropyLoss LinearCrossEntropyLoss MultiLabelSoftMarginLoss MultiMarginLoss NLLLoss NLLLoss2d"
).split()
_LOSSES = (
    "BCEWithLogitsLoss CTCLoss CosineEmbeddingLoss GaussianNLLLoss HingeEmbeddingLoss HuberLoss KLDivLoss L1Loss "
    "MSELoss MarginRankingLoss MultiLabelMarginLoss PoissonNLLLoss SmoothL1Loss SoftMarginLoss TripletMarginLoss "
    "TripletMarginWithDistanceLoss"
).split()
_RNN = {
    **dict.fromkeys(("mode", "input_size", "hidden_size"), REQUIRED),
    "num_layers": 1,
    "bias": True,
    "batch_first": False,
    "dropout": 0.0,
    "bidirectional": False,
    "proj_size": 0,
    **_DTYPE,
}
_RNN_CELL = {**dict.fromkeys(("input_size", "hidden_size", "bias", "num_chunks"), REQUIRED), **_DTYPE}

_Row = tuple[list[str], Mapping[str, object], str, bool]
_HIDDEN: dict[str, _Row] = {
    "batchnorm._BatchNorm": (_BATCH_NORMS, _BATCH_NORM, "BatchNorm1d", True),
    "batchnorm._NormBase": ([*_BATCH_NORMS, *_INSTANCE_NORMS], _BATCH_NORM, "BatchNorm1d", False),
    "instancenorm._InstanceNorm": (_INSTANCE_NORMS, _INSTANCE_NORM, "InstanceNorm1d", True),
    "conv._ConvNd": ([*_each("Conv"), *_each("LazyConv"), *_TRANSPOSED], _CONVOLUTION, "Conv1d", False),
    "conv._ConvTransposeNd": (_TRANSPOSED, _CONVOLUTION, "ConvTranspose1d", False),
    "dropout._DropoutNd": (
        ["AlphaDropout", "Dropout", *_each("Dropout"), "FeatureAlphaDropout"],
        {"p": 0.5, "inplace": False},
        "",
        False,
    ),
    "loss._Loss": ([*_LOSSES, *_WEIGHTED], _REDUCED, "", False),
    "loss._WeightedLoss": (_WEIGHTED, {"weight": None, **_REDUCED}, "", False),
    "padding._ConstantPadNd": ([*_each("ConstantPad"), *_each("ZeroPad")], {"value": REQUIRED}, "", False),
    "padding._CircularPadNd": (_each("CircularPad"), {}, "", False),
    "padding._ReflectionPadNd": (_each("ReflectionPad"), {}, "", False),
    "padding._ReplicationPadNd": (_each("ReplicationPad"), {}, "", False),
    "pooling._MaxPoolNd": (
        _each("MaxPool"),
        {**_POOL, "padding": 0, "dilation": 1, "return_indices": False, "ceil_mode": False},
        "",
        False,
    ),
    "pooling._MaxUnpoolNd": (_each("MaxUnpool"), {}, "", False),
    "pooling._AvgPoolNd": (_each("AvgPool"), {}, "", False),
    "pooling._LPPoolNd": (_each("LPPool"), {"norm_type": REQUIRED, **_POOL, "ceil_mode": False}, "", False),
    "pooling._AdaptiveAvgPoolNd": (_each("AdaptiveAvgPool"), {"output_size": REQUIRED}, "", False),
    "pooling._AdaptiveMaxPoolNd": (
        _each("AdaptiveMaxPool"),
        {"output_size": REQUIRED, "return_indices": False},
        "",
        False,
    ),
}
_PUBLIC: dict[str, _Row] = {
    "RNNBase": (["GRU", "LSTM", "RNN"], _RNN, "RNN", False),
    "RNNCellBase": (["GRUCell", "LSTMCell", "RNNCell"], _RNN_CELL, "RNNCell", False),
}

# By qualified name.
LAYER_BASES: dict[str, LayerBase] = {
    f"torch.nn.{name}": LayerBase(frozenset(derived), init, like, runs)
    for name, (derived, init, like, runs) in (
        *((f"modules.{name}", row) for name, row in _HIDDEN.items()),
        *_PUBLIC.items(),
    )
}
# Layers from which others derive, by their last names.
_DERIVED = {
    **{name: frozenset({f"Lazy{name}"}) for name in (*_each("Conv"), *_each("ConvTranspose"), "Linear")},
    **{f"ConstantPad{n}d": frozenset({f"ZeroPad{n}d"}) for n in (1, 2, 3)},
    "Hardtanh": frozenset({"ReLU6"}),
    "NLLLoss": frozenset({"NLLLoss2d"}),
    "Upsample": frozenset({"UpsamplingBilinear2d", "UpsamplingNearest2d"}),
}


def derives(layer: str, base: str) -> bool:
    """Whether a layer of `torch.nn` derives from another class of it; both by qualified name."""
    known = LAYER_BASES.get(base)
    derived = known.derived if known is not None else _DERIVED.get(base.removeprefix("torch.nn."), frozenset())
    if layer in LAYER_BASES:
        return layer != base and LAYER_BASES[layer].derived <= derived
    return layer.removeprefix("torch.nn.") in derived
