"""Runs conformer 0.3.2 (with einops)."""

from typing import Any

from torch import arange, randn

_MADE = {"dim": 8, "dim_head": 4, "heads": 2, "ff_mult": 2, "conv_kernel_size": 3}


def _mask() -> Any:
    return arange(5)[None] < arange(4, 6)[:, None]


def swish() -> Any:
    from conformer.conformer import Swish

    return Swish(), randn(2, 5, 8)


def gated() -> Any:
    from conformer.conformer import GLU

    one, other = GLU(1), GLU(-1)
    return lambda x: (one(x), other(x)), randn(2, 4, 6)


def depthwise() -> Any:
    from conformer.conformer import DepthWiseConv1d, calc_same_padding

    one, other = (DepthWiseConv1d(4, 4, size, calc_same_padding(size)) for size in (3, 4))
    return lambda x: (one(x), other(x)), randn(2, 4, 6)


def wrapped() -> Any:
    from conformer.conformer import FeedForward, PreNorm, Scale

    return Scale(0.5, PreNorm(8, FeedForward(8, 2, dropout=0.2))), randn(2, 5, 8)


def feed_forward() -> Any:
    from conformer.conformer import FeedForward

    return FeedForward(8, 2, dropout=0.1), randn(2, 5, 8)


def attention() -> Any:
    from conformer.conformer import Attention

    return Attention(8, heads=2, dim_head=4, dropout=0.1), randn(2, 5, 8)


def attention_clipped() -> Any:
    from conformer.conformer import Attention

    layer = Attention(8, heads=2, dim_head=4, max_pos_emb=2)
    return lambda x: layer(x, mask=_mask()), randn(2, 5, 8)


def cross_attention() -> Any:
    from conformer.conformer import Attention

    layer = Attention(8, heads=2, dim_head=4)
    return lambda x, other: layer(x, context=other, mask=_mask(), context_mask=_mask()), randn(2, 5, 8), randn(2, 5, 8)


def convolution() -> Any:
    from conformer.conformer import ConformerConvModule

    return ConformerConvModule(8, kernel_size=3, dropout=0.1), randn(2, 5, 8)


def convolution_causal() -> Any:
    from conformer.conformer import ConformerConvModule

    return ConformerConvModule(8, causal=True, kernel_size=4), randn(2, 5, 8)


def block() -> Any:
    from conformer import ConformerBlock

    layer = ConformerBlock(**_MADE, attn_dropout=0.1, ff_dropout=0.1, conv_dropout=0.1)
    return lambda x: layer(x, mask=_mask()), randn(2, 5, 8)


def whole() -> Any:
    from conformer import Conformer

    return Conformer(**_MADE, depth=2), randn(2, 5, 8)


def whole_causal() -> Any:
    from conformer import Conformer

    return Conformer(**_MADE, depth=1, conv_causal=True), randn(2, 5, 8)
