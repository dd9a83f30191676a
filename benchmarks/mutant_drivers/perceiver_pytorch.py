"""Runs perceiver-pytorch 0.11.0."""

from typing import Any

from torch import ones, randint, randn

_SIZES = {
    "num_freq_bands": 2,
    "depth": 2,
    "max_freq": 4.0,
    "num_latents": 4,
    "latent_dim": 8,
    "latent_heads": 2,
    "cross_dim_head": 4,
    "latent_dim_head": 4,
    "num_classes": 3,
}


def plain() -> tuple[Any, ...]:
    from perceiver_pytorch import Perceiver

    return Perceiver(**_SIZES, attn_dropout=0.1, ff_dropout=0.1), randn(2, 3, 3, 3)


def masked() -> tuple[Any, ...]:
    from perceiver_pytorch import Perceiver

    model = Perceiver(**_SIZES, weight_tie_layers=True, inverted_cross_attn=(True, False), attn_residual=True)
    mask = ones(2, 3, 3).bool()
    mask[0, 2] = False
    return lambda data: model(data, mask=mask, return_hiddens=True), randn(2, 3, 3, 3)


def without_fourier() -> tuple[Any, ...]:
    from perceiver_pytorch import Perceiver

    model = Perceiver(**_SIZES, fourier_encode_data=False, final_classifier_head=False)
    return lambda data: model(data, return_embeddings=True), randn(2, 3, 3, 3)


def block() -> tuple[Any, ...]:
    from perceiver_pytorch import PerceiverBlock

    layer = PerceiverBlock(dim=8, latent_heads=2, cross_dim_head=4, latent_dim_head=4, queries_contribute_kv=True)
    mask = ones(2, 5).bool()
    mask[0, 2] = False
    return lambda x, context: layer(x, context, mask=mask), randn(2, 3, 8), randn(2, 5, 8)


def gated() -> tuple[Any, ...]:
    from perceiver_pytorch.gated import Perceiver

    model = Perceiver(**_SIZES, attn_dropout=0.1)
    mask = ones(2, 3, 3).bool()
    mask[0, 2] = False
    return lambda data: model(data, mask=mask), randn(2, 3, 3, 3)


def mixed() -> tuple[Any, ...]:
    from perceiver_pytorch.mixed_latents import Perceiver

    return Perceiver(**_SIZES, ff_dropout=0.1), randn(2, 3, 3, 3)


def linear_attention() -> tuple[Any, ...]:
    from perceiver_pytorch.experimental import LinearAttention

    layer = LinearAttention(8, heads=2, dim_head=4, dropout=0.1)
    return layer, randn(2, 5, 8)


def by_queries() -> tuple[Any, ...]:
    from perceiver_pytorch import PerceiverIO

    model = PerceiverIO(
        depth=2,
        dim=6,
        queries_dim=5,
        logits_dim=3,
        num_latents=4,
        latent_dim=8,
        latent_heads=2,
        cross_dim_head=4,
        latent_dim_head=4,
        decoder_ff=True,
        seq_dropout_prob=0.2,
        attn_residual=True,
        inverted_cross_attn=True,
    )
    mask = ones(2, 7).bool()
    mask[0, 2] = False
    return (
        lambda data, queries: model(data, mask=mask, queries=queries, return_hiddens=True),
        randn(2, 7, 6),
        randn(3, 5),
    )


def language() -> tuple[Any, ...]:
    from perceiver_pytorch import PerceiverLM

    model = PerceiverLM(
        dim=6,
        num_tokens=9,
        max_seq_len=8,
        depth=1,
        num_latents=4,
        latent_dim=8,
        latent_heads=2,
        cross_dim_head=4,
        latent_dim_head=4,
        decoder_ff=True,
    )
    mask = ones(2, 6).bool()
    mask[0, 4:] = False
    tokens = randint(0, 9, (2, 6))
    return lambda scale: model(tokens, mask=mask) * scale, randn(1)
