"""Runs rtdl 0.0.13."""

from typing import Any

from torch import randint, randn


def network() -> tuple[Any, ...]:
    from rtdl import MLP

    return MLP.make_baseline(d_in=5, d_layers=[8, 6], dropout=0.1, d_out=2), randn(4, 5)


def gated_network() -> tuple[Any, ...]:
    from rtdl import GEGLU, MLP, ReGLU

    model, other = (
        MLP(d_in=8, d_layers=[8], dropouts=0.1, activation=activation, d_out=2) for activation in ("Tanh", "SELU")
    )
    gated, also = GEGLU(), ReGLU()
    return lambda x: (model(gated(x)), other(also(x))), randn(4, 16)


def residual() -> tuple[Any, ...]:
    from rtdl import ResNet

    model = ResNet.make_baseline(
        d_in=5, n_blocks=2, d_main=8, d_hidden=12, dropout_first=0.1, dropout_second=0.1, d_out=2
    )
    return model, randn(6, 5)


def tokens() -> tuple[Any, ...]:
    from rtdl import CategoricalFeatureTokenizer, CLSToken, FeatureTokenizer, NumericalFeatureTokenizer

    numbers = NumericalFeatureTokenizer(3, 4, True, "normal")
    categories = CategoricalFeatureTokenizer([2, 3], 4, True, "uniform")
    start = CLSToken(4, "uniform")
    both = FeatureTokenizer(3, [2, 3], 4)
    given = randint(0, 2, (5, 2))
    return lambda x: (start(numbers(x)), categories(given), start.expand(2, 3), both(x, given)), randn(5, 3)


def attention() -> tuple[Any, ...]:
    from rtdl import MultiheadAttention
    from torch import nn

    layer = MultiheadAttention(d_token=8, n_heads=2, dropout=0.1, bias=True, initialization="xavier")
    keys, values = nn.Linear(5, 3, bias=False), nn.Linear(5, 3, bias=False)
    return lambda x: (layer(x, x, keys, values), layer(x[:, :2], x, None, None)), randn(3, 5, 8)


def transformer() -> tuple[Any, ...]:
    from rtdl import FTTransformer

    model = FTTransformer.make_baseline(
        n_num_features=3,
        cat_cardinalities=[2, 3],
        d_token=8,
        n_blocks=2,
        attention_dropout=0.1,
        ffn_d_hidden=6,
        ffn_dropout=0.1,
        residual_dropout=0.1,
        last_layer_query_idx=[-1],
        kv_compression_ratio=0.5,
        kv_compression_sharing="headwise",
        d_out=2,
    )
    given = randint(0, 2, (4, 2))
    return lambda x: model(x, given), randn(4, 3)


def numbers_alone() -> tuple[Any, ...]:
    from rtdl import FTTransformer

    model = FTTransformer.make_baseline(
        n_num_features=3,
        cat_cardinalities=None,
        d_token=8,
        n_blocks=1,
        attention_dropout=0.0,
        ffn_d_hidden=6,
        ffn_dropout=0.0,
        residual_dropout=0.0,
        kv_compression_ratio=0.5,
        kv_compression_sharing="layerwise",
        d_out=1,
    )
    return lambda x: model(x, None), randn(4, 3)


def plain_transformer() -> tuple[Any, ...]:
    from rtdl import Transformer

    model = Transformer(
        d_token=8,
        n_blocks=2,
        attention_n_heads=2,
        attention_dropout=0.1,
        attention_initialization="kaiming",
        attention_normalization="LayerNorm",
        ffn_d_hidden=8,
        ffn_dropout=0.1,
        ffn_activation="ReLU",
        ffn_normalization="LayerNorm",
        residual_dropout=0.1,
        prenormalization=False,
        first_prenormalization=False,
        last_layer_query_idx=None,
        n_tokens=None,
        kv_compression_ratio=None,
        kv_compression_sharing=None,
        head_activation="GELU",
        head_normalization="LayerNorm",
        d_out=2,
    )
    return model, randn(3, 4, 8)
