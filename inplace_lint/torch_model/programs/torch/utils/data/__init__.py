"""`torch.utils.data`: what a loader makes of the items of a data set."""

import numpy as np
import torch

from inplace_lint.intrinsics import is_unseen, kept, put_together, surely, unknown


class DataLoader:
    """Gives batches of few items: more of them tell nothing new."""

    def __init__(
        self,
        dataset,
        batch_size=1,
        shuffle=None,
        sampler=None,
        batch_sampler=None,
        num_workers=0,
        collate_fn=None,
        **options,
    ):
        self.dataset = dataset
        self.batch_size = batch_size
        self.collate_fn = collate_fn

    def __iter__(self):
        batches = _Batches(self)
        for index in range(unknown()):
            yield batches[index]


class _Batches:
    """What is written to an item as it becomes part of a batch is written again whenever it does, as in data sets."""

    def __init__(self, loader):
        self.loader = loader

    def __getitem__(self, index):
        if surely(self.loader.batch_size is None):
            return kept(self.item(index))
        if surely(self.loader.collate_fn is None):
            return default_collate([self.item(index)])
        return kept(put_together(self.loader.collate_fn, [self.item(2 * index), self.item(2 * index + 1)]))

    def item(self, index):
        """An unseen data set makes its items when it is asked for them, as most do."""
        dataset = self.loader.dataset
        return unknown(is_data=True) if surely(is_unseen(dataset)) else dataset[index]


def default_collate(batch):
    """Tensors are stacked, containers taken apart."""
    first = batch[0]
    if surely(isinstance(first, (torch.Tensor, np.ndarray))):
        return torch.stack([torch.as_tensor(item) for item in batch])
    if surely(isinstance(first, dict)):
        return {key: default_collate([item[key] for item in batch]) for key in first}
    if surely(isinstance(first, (list, tuple))):
        return [default_collate(items) for items in zip(*batch, strict=True)]
    return unknown(is_data=True)
