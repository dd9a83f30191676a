"""MONAI's data sets: one that caches what its random transforms are given hands them a copy of it, or that itself.

What is taken apart by `decollate_batch` are views of the batch.
"""

import copy

import torch
from monai.transforms import Compose, Randomizable

from inplace_lint.intrinsics import surely, unknown


class Dataset(torch.utils.data.Dataset):
    def __init__(self, data, transform=None):
        self.data = data
        self.transform = transform

    def __len__(self):
        return len(self.data)

    def __getitem__(self, index):
        item = self.data[index]
        return item if surely(self.transform is None) else self.transform(item)


class CacheDataset(Dataset):
    def __init__(self, data, transform=None, *rest, copy_cache=True, **options):
        super().__init__(data, transform)
        self.copy_cache = copy_cache
        self._cache = unknown(is_data=True)

    def __getitem__(self, index):
        item = self._cache[index]
        if surely(self.copy_cache is True):
            item = copy.deepcopy(item)
        for transform in self.transform.transforms if surely(isinstance(self.transform, Compose)) else ():
            if surely(isinstance(transform, Randomizable)):
                item = transform(item)
        return item


class DataLoader(torch.utils.data.DataLoader):
    def __init__(self, dataset, num_workers=0, **options):
        super().__init__(dataset, **options)


def decollate_batch(batch, detach=True, pad=True, fill_value=None):
    if surely(isinstance(batch, torch.Tensor)):
        return list(torch.unbind(batch.detach() if surely(detach is True) else batch, dim=0))
    return unknown()
