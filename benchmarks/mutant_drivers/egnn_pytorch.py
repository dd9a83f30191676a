"""Runs egnn-pytorch 0.2.8."""

from typing import Any

from torch import ones, randint, randn


def layer() -> tuple[Any, ...]:
    from egnn_pytorch import EGNN

    return (
        EGNN(dim=8, edge_dim=4, m_dim=8, norm_feats=True, norm_coors=True),
        randn(1, 5, 8),
        randn(1, 5, 3),
        randn(1, 5, 5, 4),
    )


def layer_of_neighbours() -> tuple[Any, ...]:
    from egnn_pytorch import EGNN

    layer = EGNN(
        8, fourier_features=2, num_nearest_neighbors=3, soft_edges=True, coor_weights_clamp_value=2.0, dropout=0.1
    )
    mask = ones(1, 5).bool()
    mask[:, -1] = False
    return lambda x, c: layer(x, c, mask=mask), randn(1, 5, 8), randn(1, 5, 3)


def mean_pooled() -> tuple[Any, ...]:
    from egnn_pytorch import EGNN

    layer = EGNN(8, m_pool_method="mean")
    return lambda x, c: layer(x, c, mask=ones(1, 5).bool()), randn(1, 5, 8), randn(1, 5, 3)


def network() -> tuple[Any, ...]:
    from egnn_pytorch import EGNN_Network

    net = EGNN_Network(
        depth=2, dim=8, num_tokens=9, num_positions=6, num_adj_degrees=2, adj_dim=4, only_sparse_neighbors=True
    )
    net.adjacent = (randn(6, 6) > 0).logical_or(ones(6, 6).triu(1).tril(1).bool())
    tokens, mask = randint(0, 9, (1, 6)), ones(1, 6).bool()
    return lambda c: net(tokens, c, adj_mat=net.adjacent, mask=mask), randn(1, 6, 3)


def with_attention() -> tuple[Any, ...]:
    from egnn_pytorch import EGNN_Network

    net = EGNN_Network(
        depth=2, dim=8, global_linear_attn_every=1, global_linear_attn_heads=2, global_linear_attn_dim_head=4
    )
    return lambda x, c: net(x, c, mask=ones(1, 6).bool()), randn(1, 6, 8), randn(1, 6, 3)


def sparse() -> tuple[Any, ...]:
    from egnn_pytorch.egnn_pytorch import GlobalLinearAttention

    return GlobalLinearAttention(dim=8, heads=2, dim_head=4), randn(1, 6, 8), randn(1, 2, 8)
