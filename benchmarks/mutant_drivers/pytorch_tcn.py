"""Runs pytorch-tcn 1.2.3."""

from typing import Any

from torch import randn


def causal() -> tuple[Any, ...]:
    from pytorch_tcn import TCN

    return TCN(4, [6, 6], kernel_size=3), randn(2, 4, 12)


def not_causal() -> tuple[Any, ...]:
    from pytorch_tcn import TCN

    return TCN(
        4, [6, 5], 3, causal=False, use_skip_connections=True, use_norm="layer_norm", activation="leaky_relu"
    ), randn(2, 4, 12)


def weight_normed() -> tuple[Any, ...]:
    from pytorch_tcn import TCN

    return TCN(
        4, [6, 5], 3, use_gate=True, use_norm="weight_norm", output_projection=3, output_activation="tanh"
    ), randn(2, 4, 12)


def conditioned() -> tuple[Any, ...]:
    from pytorch_tcn import TCN

    model = TCN(4, [6, 6], 3, embedding_shapes=[(5,), (3, 12)], use_norm="batch_norm", use_skip_connections=True)
    return model, randn(2, 4, 12), [randn(2, 5), randn(2, 3, 12)]


def conditioned_by_addition() -> tuple[Any, ...]:
    from pytorch_tcn import TCN

    return (
        TCN(4, [6, 6], 3, embedding_shapes=[(5,)], embedding_mode="concat", use_gate=True),
        randn(2, 4, 12),
        [randn(2, 5)],
    )


def convolutions() -> tuple[Any, ...]:
    from pytorch_tcn import TemporalConv1d, TemporalConvTranspose1d
    from torch import nn

    return nn.Sequential(TemporalConv1d(4, 6, 3), TemporalConvTranspose1d(6, 4, 4, stride=2)), randn(1, 4, 12)
