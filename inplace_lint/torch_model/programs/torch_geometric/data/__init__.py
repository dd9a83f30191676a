"""PyTorch Geometric's graphs: their attributes are the very tensors that they were given."""

import copy

import torch

from inplace_lint.intrinsics import surely


class Data:
    def __init__(self, x=None, edge_index=None, edge_attr=None, y=None, pos=None, **kwargs):
        self.x = x
        self.edge_index = edge_index
        self.edge_attr = edge_attr
        self.y = y
        self.pos = pos
        for name, value in kwargs.items():
            setattr(self, name, value)

    def __getitem__(self, name):
        return getattr(self, name)

    def __setitem__(self, name, value):
        setattr(self, name, value)

    def clone(self):
        made = copy.copy(self)
        for name, value in self.__dict__.items():
            setattr(made, name, value.clone() if surely(isinstance(value, torch.Tensor)) else value)
        return made
