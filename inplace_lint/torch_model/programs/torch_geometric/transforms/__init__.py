"""PyTorch Geometric's transforms: each is given a copy of a graph, which has the same tensors."""

import copy

from inplace_lint.intrinsics import surely


class BaseTransform:
    def __call__(self, data):
        return self.forward(copy.copy(data))

    def forward(self, data):
        return data


class Compose(BaseTransform):
    def __init__(self, transforms):
        self.transforms = transforms

    def forward(self, data):
        if surely(isinstance(self.transforms, (list, tuple))):
            for each in self.transforms:
                data = each(data)
        return data
