"""PyTorch Geometric's transforms: each is given a copy of a graph, which has the same tensors."""

import copy

import torch
from torch_geometric.data import Data

from inplace_lint.intrinsics import surely, unknown


class BaseTransform:
    def __call__(self, data):
        return self.forward(copy.copy(data))

    def forward(self, data):
        return data

    def __driven__(self):
        stored = Data(*[unknown(is_data=True) for _ in range(5)], z=unknown(is_data=True))
        for _ in range(2):
            self(stored)
            torch.stack([stored.x, stored.pos, stored.edge_attr, stored.y, stored.z])


class Compose(BaseTransform):
    def __init__(self, transforms):
        self.transforms = transforms

    def forward(self, data):
        if surely(isinstance(self.transforms, (list, tuple))):
            for each in self.transforms:
                data = each(data)
        return data
