"""Arrays of libraries that know no gradients, and methods of theirs that tensors have, too."""

import torch

try:
    import warp as wp
except ImportError:
    wp = None


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
