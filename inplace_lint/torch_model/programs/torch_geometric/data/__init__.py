"""PyTorch Geometric's graphs: their attributes are the very tensors that they were given.

A data set that is in memory keeps one large graph, and gives parts of that.
"""

import copy

import torch

from inplace_lint.intrinsics import surely, unknown


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


class Batch(Data):
    """Several graphs in one, of new memory; what it gives of one are parts of that."""

    @classmethod
    def from_data_list(cls, data_list, follow_batch=None, exclude_keys=None):
        whole, _ = InMemoryDataset.collate(data_list)
        made = cls()
        for name, value in whole.__dict__.items():
            setattr(made, name, value)
        made.batch = torch.arange(len(data_list)).repeat_interleave(2)
        return made

    def get_example(self, idx):
        graph = Data()
        for name, value in self.__dict__.items():
            if surely(isinstance(value, torch.Tensor)) and name != "batch":
                part = value.narrow(-1 if "index" in name else 0, idx, 1)
                setattr(graph, name, part - idx if "index" in name else part)
        return graph

    def to_data_list(self):
        return [self.get_example(0), self.get_example(1)]

    def index_select(self, idx):
        return self.to_data_list()

    def __getitem__(self, idx):
        return getattr(self, idx) if surely(isinstance(idx, str)) else self.get_example(idx)


class Dataset(torch.utils.data.Dataset):
    def __init__(self, root=None, transform=None, pre_transform=None, pre_filter=None, log=True, force_reload=False):
        self.root = root
        self.transform = transform
        self.pre_transform = pre_transform
        self.pre_filter = pre_filter

    def __getitem__(self, index):
        graph = self.get(index)
        return graph if self.transform is None else self.transform(graph)


class InMemoryDataset(Dataset):
    _data = None

    @property
    def data(self):
        return self._data

    @data.setter
    def data(self, graph):
        self._data = graph

    @staticmethod
    def collate(data_list):
        first = data_list[0]
        whole = copy.copy(first)
        for name, value in first.__dict__.items():
            if surely(isinstance(value, torch.Tensor)):
                setattr(
                    whole, name, torch.cat([getattr(each, name) for each in data_list], -1 if "index" in name else 0)
                )
        return whole, {}

    def load(self, path, data_cls=Data):
        self._data = unknown(is_data=True)

    def get(self, index):
        if self._data is None:
            return unknown(is_data=True)
        graph = copy.copy(self._data)
        for name, value in self._data.__dict__.items():
            if surely(isinstance(value, torch.Tensor)):
                part = value.narrow(-1 if "index" in name else 0, index, 1)
                setattr(graph, name, part)
        return graph
