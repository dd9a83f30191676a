"""Samples for ops whose own tests pass other arguments than a user would."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from inplace_lint.runtime.op_table.samples import Arguments, seed


def _x(*shape: int) -> Tensor:
    return torch.rand(shape or (3, 3))


def _zeros(*shape: int) -> Tensor:
    return torch.zeros(shape, dtype=torch.int64)


def _args(*args: object, **kwargs: object) -> Arguments:
    return Arguments(args, kwargs)


def _bounds() -> list[Arguments]:
    return [_args(_x(), 0.2, 0.8), _args(_x(), 0.2), _args(_x(), min=0.2), _args(_x(), max=0.8)]


def _recurrent(gates: int, *, two_states: bool) -> list[Arguments]:
    state = [_x(1, 2, 4), _x(1, 2, 4)] if two_states else _x(1, 2, 4)
    weights = [_x(gates * 4, 3), _x(gates * 4, 4), _x(gates * 4), _x(gates * 4)]
    return [_args(_x(5, 2, 3), state, weights, True, 1, 0.0, True, False, False)]


def _cell(gates: int, *, two_states: bool) -> list[Arguments]:
    state = [_x(2, 4), _x(2, 4)] if two_states else _x(2, 4)
    return [_args(_x(2, 3), state, _x(gates * 4, 3), _x(gates * 4, 4), _x(gates * 4), _x(gates * 4))]


_EXTRA: dict[str, Callable[[], list[Arguments]]] = {
    "clamp": _bounds,
    "clip": _bounds,
    "fill": lambda: [_args(_x(), 0.5), _args(_x(), torch.tensor(0.5))],
    "nn.functional.embedding": lambda: [_args(_zeros(2, 3), _x(5, 4)), _args(_zeros(2, 3), _x(5, 4), max_norm=0.5)],
    "embedding_bag": lambda: [_args(_x(5, 4), _zeros(6), torch.tensor([0, 3]))],
    "nn.functional.embedding_bag": lambda: [_args(_zeros(2, 3), _x(5, 4)), _args(_zeros(2, 3), _x(5, 4), max_norm=0.5)],
    "einsum": lambda: [_args("ij,jk->ik", [_x(), _x()]), _args("ij->ji", [_x()])],
    "chain_matmul": lambda: [_args([_x(), _x(), _x()])],
    "bmm": lambda: [_args(_x(2, 3, 3), _x(2, 3, 3))],
    "tensor": lambda: [_args([1.0, 2.0]), _args([1, 2])],
    "new_tensor": lambda: [_args(_x(), [1.0, 2.0]), _args(_x(), [1, 2])],
    "kl_div": lambda: [_args(_x(), _x())],
    "gru": lambda: _recurrent(3, two_states=False),
    "lstm": lambda: _recurrent(4, two_states=True),
    "rnn_tanh": lambda: _recurrent(1, two_states=False),
    "rnn_relu": lambda: _recurrent(1, two_states=False),
    "gru_cell": lambda: _cell(3, two_states=False),
    "lstm_cell": lambda: _cell(4, two_states=True),
    "rnn_tanh_cell": lambda: _cell(1, two_states=False),
    "rnn_relu_cell": lambda: _cell(1, two_states=False),
    "instance_norm": lambda: [_args(_x(2, 3, 4, 4), _x(3), _x(3), None, None, True, 0.1, 1e-5, False)],
    "batch_norm": lambda: [_args(_x(2, 3, 4), _x(3), _x(3), _x(3), _x(3), True, 0.1, 1e-5, False)],
    "grid_sampler": lambda: [_args(_x(1, 2, 3, 3), _x(1, 3, 3, 2), 0, 0, False)],
    "nn.functional.affine_grid": lambda: [_args(_x(1, 2, 3), [1, 1, 3, 3])],
    "affine_grid_generator": lambda: [_args(_x(1, 2, 3), [1, 1, 3, 3], False)],
    "nn.functional.lp_pool3d": lambda: [_args(_x(1, 2, 4, 4, 4), 2.0, 2)],
    "cosine_embedding_loss": lambda: [_args(_x(), _x(), torch.ones(3))],
    "conv_tbc": lambda: [_args(_x(5, 2, 3), _x(2, 3, 4), _x(4))],
    "convolution": lambda: [_args(_x(1, 2, 5, 5), _x(3, 2, 3, 3), _x(3), [1, 1], [0, 0], [1, 1], False, [0, 0], 1)],
    "scatter": lambda: [
        _args(_x(), 0, _zeros(1, 3), _x(1, 3)),
        _args(_x(), 0, _zeros(1, 3), 1.0),
        _args(_x(), 0, _zeros(1, 3), _x(1, 3), reduce="multiply"),
        _args(_x(), 0, _zeros(1, 3), _x(1, 3), reduce="add"),
        _args(_x(), 0, _zeros(1, 3), 2.0, reduce="multiply"),
    ],
    "nn.functional.scaled_dot_product_attention": lambda: [_args(*(_x(2, 2, 4, 8) for _ in range(3)))],
    "is_tensor": lambda: [_args(_x())],
    "as_tensor": lambda: [_args(_x()), _args([1.0])],
    "asarray": lambda: [_args(_x()), _args([1.0])],
    "linalg.cond": lambda: [_args(_x()), _args(_x(), 1)],
    "apply_": lambda: [_args(_x(), abs)],
    "map_": lambda: [_args(_x(), _x(), lambda a, b: a)],
    "set": lambda: [_args(_x(), _x(2, 3))],
    "random": lambda: [_args(_x()), _args(_x(), 9), _args(_x(), 2, 9)],
    "nonzero": lambda: [_args(_x()), _args(_x(2, 3, 4))],
    "resize": lambda: [_args(_x(), [2, 3])],
    "nn.functional.fold": lambda: [_args(_x(1, 12, 12), (4, 5), (2, 2))],
    "nn.functional.upsample": lambda: [_args(_x(1, 2, 4, 4), None, 2)],
    "nn.functional.adaptive_max_pool3d": lambda: [_args(_x(1, 2, 4, 4, 4), (2, 2, 2))],
    "from_numpy": lambda: [_args(_x().numpy())],
}


# whose own tests swap input and weight
REPLACED = frozenset({"embedding", "nn.functional.embedding", "nn.functional.embedding_bag"})


def extra(name: str) -> list[Arguments]:
    """Further samples of an op by its name in `op_db`."""
    seed()
    return _EXTRA[name]() if name in _EXTRA else []
