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


class _Attending(MessagePassing):
    """Weighs messages by what a softmax over the neighbours of a node gives, and gives these weights on demand."""

    def __init__(self, in_channels, out_channels, heads=1, concat=True, *args, dropout=0.0, **kwargs):
        super().__init__()
        self.dropout = dropout
        self.lin = nn.Linear(in_channels, heads * out_channels)
        self.att = nn.Parameter(torch.empty(1, heads * out_channels))

    def forward(self, x, edge_index, edge_attr=None, size=None, return_attention_weights=None):
        source, target = torch.unbind(edge_index)
        made = self.lin(x)
        scores = (made * self.att).sum(-1)
        scores = nn.functional.leaky_relu(scores.index_select(0, source) + scores.index_select(0, target), 0.2)
        raised = (scores - scores.detach().max()).exp()
        weights = nn.functional.dropout(raised / (raised.sum() + 1e-16), self.dropout, self.training)
        messages = weights.unsqueeze(-1) * made.index_select(0, source)
        out = torch.zeros_like(made).index_add(0, target, messages)
        if surely(return_attention_weights is None):
            return out
        return out, (edge_index, weights)


class GATConv(_Attending):
    pass


class GATv2Conv(_Attending):
    pass


class TransformerConv(_Attending):
    pass
