"""Arrays of libraries that know no gradients, and methods of theirs that tensors have, too."""

import torch

try:
    import eagerpy as ep
    import warp as wp
except ImportError:
    ep = wp = None


class _Memory:
    def __init__(self):
        self.rows, self.flat = {}, {}


class ArraysByName(_Memory):
    def create(self, name, shape):
        self.rows[name] = wp.zeros(shape).contiguous()
        self.flat[name] = self.rows[name].reshape((-1, *shape[2:]))
        rows = self.rows[name]
        rows.fill_(float("nan"))

    def sample(self, names, index):
        return [self.flat[name][index] for name in names]


class TensorsByName(_Memory):
    def create(self, name, rows: torch.Tensor, shape):
        self.rows[name] = rows
        self.flat[name] = self.rows[name].view((-1, *shape[2:]))
        rows = self.rows[name]
        rows.fill_(float("nan"))  # warning: [IPL304]

    def sample(self, names, index):
        return [self.flat[name][index] for name in names]


def tensors_that_are_values(inputs, gradients):
    x, restore = ep.astensor_(inputs)
    norm = x.square().sum(1)
    x -= gradients * norm
    return restore(x)


def tensors_that_are_written(inputs: torch.Tensor, gradients):
    x = inputs * 2
    norm = x.square().sum(1)
    x -= gradients  # warning: [IPL201]
    return x * norm
