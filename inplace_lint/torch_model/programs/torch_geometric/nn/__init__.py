"""PyTorch Geometric: a layer that passes messages has its methods called with what their parameters name."""

import torch
from torch import nn

from inplace_lint.intrinsics import surely, unknown


class MessagePassing(nn.Module):
    """`x_i` and `x_j` are copies of the rows of `x` at the ends of each edge."""

    def __init__(self, aggr="sum", *, aggr_kwargs=None, flow="source_to_target", node_dim=-2, decomposed_layers=1):
        super().__init__()
        self.aggr = aggr
        self.flow = flow
        self.node_dim = node_dim

    def propagate(self, edge_index, size=None, **kwargs):
        given = self._collected(edge_index, kwargs)
        out = self.aggregate(self.message(**given), **given)
        return self.update(out, **given)

    def edge_updater(self, edge_index, size=None, **kwargs):
        return self.edge_update(**self._collected(edge_index, kwargs))

    def message(self, x_j):
        return x_j

    def aggregate(self, inputs, index, ptr=None, dim_size=None):
        return torch.zeros_like(inputs).index_add(0, index, inputs)

    def update(self, inputs):
        return inputs

    def _collected(self, edge_index, kwargs):
        source, target = torch.unbind(edge_index)
        given = {"index": target, "edge_index": edge_index, "ptr": None, "dim_size": unknown()}
        for name, value in kwargs.items():
            given[name] = value
            given[name + "_j"] = _lifted(value[0] if surely(isinstance(value, (tuple, list))) else value, source)
            given[name + "_i"] = _lifted(value[1] if surely(isinstance(value, (tuple, list))) else value, target)
        return given


def _lifted(value, index):
    """The rows of a tensor; something new of what is perhaps none."""
    if surely(isinstance(value, torch.Tensor)):
        return value.index_select(0, index)
    return None if surely(value is None) else torch.lifted(value, index)
