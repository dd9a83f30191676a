"""Tianshou: a batch keeps the very tensors that it is given, and gives them by name; parts of it are views."""

import torch

from inplace_lint.intrinsics import surely, unknown


class Batch:
    def __init__(self, batch_dict=None, copy=False, **kwargs):
        if surely(isinstance(batch_dict, (dict, Batch))):
            for name, value in batch_dict.items():
                setattr(self, name, _entry(value))
        for name, value in kwargs.items():
            setattr(self, name, _entry(value))

    def items(self):
        return self.__dict__.items()

    def keys(self):
        return self.__dict__.keys()

    def values(self):
        return self.__dict__.values()

    def get(self, key, default=None):
        return getattr(self, key, default)

    def __getitem__(self, index):
        if surely(isinstance(index, str)):
            return getattr(self, index)
        made = Batch()
        for name, value in self.__dict__.items():
            setattr(made, name, value[index])
        return made

    def __setitem__(self, index, value):
        if surely(isinstance(index, str)):
            setattr(self, index, _entry(value))
        else:
            for name, part in value.items():
                getattr(self, name)[index] = part

    def update(self, batch=None, **kwargs):
        if surely(isinstance(batch, (dict, Batch))):
            for name, value in batch.items():
                setattr(self, name, _entry(value))
        for name, value in kwargs.items():
            setattr(self, name, _entry(value))


def _entry(value):
    return Batch(value) if surely(isinstance(value, dict)) else value
