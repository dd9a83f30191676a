"""Runs performer-pytorch 1.1.4."""

from typing import Any

from torch import ones, randint, randn


def plain() -> tuple[Any, ...]:
    from performer_pytorch import Performer

    return Performer(dim=16, depth=2, heads=2, dim_head=8, ff_glu=True, use_rezero=True), randn(1, 8, 16)


def causal_and_local() -> tuple[Any, ...]:
    from performer_pytorch import Performer

    model = Performer(16, 2, 2, 8, 1, 4, ff_dropout=0.1, attn_dropout=0.1, use_scalenorm=True, shift_tokens=True)
    mask = ones(1, 8).bool()
    mask[:, -2:] = False
    return lambda x: model(x, mask=mask), randn(1, 8, 16)


def generalized() -> tuple[Any, ...]:
    from performer_pytorch import Performer

    return Performer(16, 2, 2, 8, generalized_attention=True, ff_chunks=2, nb_features=8), randn(1, 8, 16)


def reversible() -> tuple[Any, ...]:
    from performer_pytorch import Performer

    return Performer(16, 2, 2, 8, reversible=True), randn(1, 8, 16)


def no_projection() -> tuple[Any, ...]:
    from performer_pytorch import SelfAttention

    return SelfAttention(16, heads=2, dim_head=8, no_projection=True, dropout=0.1), randn(1, 8, 16)


def no_projection_causal() -> tuple[Any, ...]:
    from performer_pytorch.performer_pytorch import causal_linear_attention_noncuda

    return causal_linear_attention_noncuda, randn(1, 2, 8, 4), randn(1, 2, 8, 4), randn(1, 2, 8, 4)


def cross() -> tuple[Any, ...]:
    from performer_pytorch import CrossAttention

    layer = CrossAttention(16, heads=2, dim_head=8, local_heads=0)
    return lambda x, c: layer(x, context=c, context_mask=ones(1, 6).bool()), randn(1, 8, 16), randn(1, 6, 16)


def language_model() -> tuple[Any, ...]:
    from performer_pytorch import PerformerLM

    model = PerformerLM(num_tokens=9, max_seq_len=8, dim=16, depth=1, heads=2, dim_head=8, emb_dropout=0.1)
    model.tie_embed = True
    return model, randint(0, 9, (1, 8))


def language_model_with_axes() -> tuple[Any, ...]:
    from performer_pytorch import PerformerLM

    model = PerformerLM(
        num_tokens=9,
        max_seq_len=64,
        dim=16,
        depth=1,
        heads=2,
        dim_head=8,
        axial_position_emb=True,
        axial_position_shape=(8, 8),
        rotary_position_emb=False,
    )
    return model, randint(0, 9, (1, 16))
