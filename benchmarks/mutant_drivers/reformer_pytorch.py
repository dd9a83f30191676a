"""Runs reformer-pytorch 1.4.4."""

from typing import Any

from torch import ones, randint, randn

NOT_INSTALLED = ("colt5_attention",)


def plain() -> tuple[Any, ...]:
    from reformer_pytorch import Reformer

    return Reformer(16, 2, heads=2, bucket_size=4, n_hashes=2, ff_chunks=2, lsh_dropout=0.1, ff_glu=True), randn(
        1, 16, 16
    )


def causal() -> tuple[Any, ...]:
    from reformer_pytorch import Reformer

    model = Reformer(16, 1, heads=2, bucket_size=4, n_hashes=2, causal=True, use_scale_norm=True, n_local_attn_heads=1)
    mask = ones(1, 16).bool()
    mask[:, -2:] = False
    return lambda x: model(x, input_mask=mask), randn(1, 16, 16)


def attention() -> tuple[Any, ...]:
    from reformer_pytorch import LSHSelfAttention

    layer = LSHSelfAttention(
        16,
        heads=2,
        bucket_size=4,
        n_hashes=2,
        attend_across_buckets=False,
        num_mem_kv=0,
        allow_duplicate_attention=False,
        causal=True,
        post_attn_dropout=0.1,
    )
    return layer, randn(1, 16, 16)


def full_attention() -> tuple[Any, ...]:
    from reformer_pytorch import LSHSelfAttention

    layer = LSHSelfAttention(16, heads=2, bucket_size=4, use_full_attn=True, causal=True, dropout=0.1, num_mem_kv=4)
    mask = ones(1, 16).bool()
    return lambda x: layer(x, input_mask=mask), randn(1, 16, 16)


def language_model() -> tuple[Any, ...]:
    from reformer_pytorch import ReformerLM

    model = ReformerLM(
        9,
        16,
        1,
        16,
        heads=2,
        dim_head=8,
        bucket_size=4,
        n_hashes=2,
        ff_chunks=1,
        axial_position_emb=True,
        axial_position_shape=(4, 4),
        use_rezero=True,
    )
    return model, randint(0, 9, (1, 16))


def feed_forward() -> tuple[Any, ...]:
    from reformer_pytorch.reformer_pytorch import FeedForward

    return FeedForward(8, dropout=0.1), randn(1, 4, 8)


def encoder_and_decoder() -> tuple[Any, ...]:
    from reformer_pytorch import ReformerLM

    model = ReformerLM(9, 16, 1, 16, heads=2, dim_head=8, bucket_size=4, n_hashes=1, fixed_position_emb=True)
    tokens = randint(0, 9, (1, 16))
    return lambda keys: model(tokens, keys=keys), randn(1, 4, 16)
