"""Runs local-attention 1.11.2."""

from typing import Any

from torch import ones, randint, randn


def plain() -> tuple[Any, ...]:
    from local_attention import LocalAttention

    layer = LocalAttention(4, causal=True, look_backward=1, dropout=0.1, dim=8, autopad=True)
    return layer, randn(2, 10, 8), randn(2, 10, 8), randn(2, 10, 8)


def masked() -> tuple[Any, ...]:
    from local_attention import LocalAttention

    layer = LocalAttention(4, look_forward=1, dim=8, use_xpos=True, scale=2.0, shared_qk=True, exact_windowsize=False)
    mask = ones(2, 8).bool()
    mask[:, -1] = False
    return lambda q, v: layer(q, q, v, mask=mask), randn(2, 8, 8), randn(2, 8, 8)


def heads() -> tuple[Any, ...]:
    from local_attention.transformer import LocalMHA

    layer = LocalMHA(
        dim=16,
        window_size=4,
        heads=2,
        dim_head=8,
        dropout=0.1,
        causal=True,
        prenorm=True,
        qk_rmsnorm=True,
        gate_values_per_head=True,
        use_xpos=True,
        xpos_scale_base=2,
    )
    return layer, randn(1, 8, 16)


def transformer() -> tuple[Any, ...]:
    from local_attention import LocalTransformer

    model = LocalTransformer(
        num_tokens=9,
        dim=16,
        depth=1,
        max_seq_len=16,
        local_attn_window_size=4,
        dim_head=8,
        heads=2,
        causal=True,
        ff_dropout=0.1,
    )
    tokens = randint(0, 9, (1, 9))
    return lambda x: model(tokens, return_loss=True) * x, randn(1)


def transformer_with_bias() -> tuple[Any, ...]:
    from local_attention import LocalTransformer

    model = LocalTransformer(
        num_tokens=9,
        dim=16,
        depth=1,
        max_seq_len=16,
        local_attn_window_size=4,
        dim_head=8,
        heads=2,
        use_dynamic_pos_bias=True,
        num_residual_streams=1,
    )
    return model, randint(0, 9, (1, 8))
