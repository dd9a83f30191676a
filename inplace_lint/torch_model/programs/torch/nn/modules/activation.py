"""`torch.nn.modules.activation`: attention, in the order in which PyTorch computes it."""

import torch
from torch import nn
from torch.nn import Parameter
from torch.nn.functional import dropout, linear, pad, scaled_dot_product_attention, softmax

from inplace_lint.intrinsics import surely


class MultiheadAttention(nn.Module):
    def __init__(
        self,
        embed_dim,
        num_heads,
        dropout=0.0,
        bias=True,
        add_bias_kv=False,
        add_zero_attn=False,
        kdim=None,
        vdim=None,
        batch_first=False,
        device=None,
        dtype=None,
    ):
        super().__init__()
        self.embed_dim = embed_dim
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self.num_heads = num_heads
        self.head_dim = embed_dim // num_heads
        self.dropout = dropout
        self.batch_first = batch_first
        self.add_zero_attn = add_zero_attn
        self._qkv_same_embed_dim = self.kdim == embed_dim and self.vdim == embed_dim
        if self._qkv_same_embed_dim:
            self.in_proj_weight = Parameter(torch.empty(3 * embed_dim, embed_dim))
            self.register_parameter("q_proj_weight", None)
            self.register_parameter("k_proj_weight", None)
            self.register_parameter("v_proj_weight", None)
        else:
            self.q_proj_weight = Parameter(torch.empty(embed_dim, embed_dim))
            self.k_proj_weight = Parameter(torch.empty(embed_dim, self.kdim))
            self.v_proj_weight = Parameter(torch.empty(embed_dim, self.vdim))
            self.register_parameter("in_proj_weight", None)
        self.in_proj_bias = Parameter(torch.empty(3 * embed_dim)) if bias else None
        self.out_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.bias_k = Parameter(torch.empty(1, 1, embed_dim)) if add_bias_kv else None
        self.bias_v = Parameter(torch.empty(1, 1, embed_dim)) if add_bias_kv else None

    def _reset_parameters(self):
        for weight in (self.in_proj_weight, self.q_proj_weight, self.k_proj_weight, self.v_proj_weight):
            if weight is not None:
                nn.init.xavier_uniform_(weight)
        if self.in_proj_bias is not None:
            nn.init.constant_(self.in_proj_bias, 0.0)
            nn.init.constant_(self.out_proj.bias, 0.0)
        if self.bias_k is not None:
            nn.init.xavier_normal_(self.bias_k)
            nn.init.xavier_normal_(self.bias_v)

    def forward(
        self,
        query,
        key,
        value,
        key_padding_mask=None,
        need_weights=True,
        attn_mask=None,
        average_attn_weights=True,
        is_causal=False,
    ):
        alone, swapped = surely(query.dim() == 2), False
        if alone:
            query, key, value = query.unsqueeze(1), key.unsqueeze(1), value.unsqueeze(1)
        elif self.batch_first:
            # The projections copy what lies in another order.
            swapped = True
            query, key, value = (each.transpose(0, 1).clone() for each in (query, key, value))
        mask = _mask(attn_mask, key_padding_mask, query, alone, self.num_heads)
        found, weights = self._attended(query, key, value, mask, need_weights)
        if need_weights and average_attn_weights:
            weights = weights.mean(dim=1)
        if alone:
            return found.squeeze(1), weights.squeeze(0) if need_weights else None
        return found.transpose(0, 1) if swapped else found, weights

    def _attended(self, query, key, value, mask, need_weights):
        length, batch, size = query.shape
        q, k, v = self._projected(query, key, value)
        if self.bias_k is not None:
            k = torch.cat([k, self.bias_k.repeat(1, batch, 1)])
            v = torch.cat([v, self.bias_v.repeat(1, batch, 1)])
        if self.add_zero_attn:
            k, v = (torch.cat([each, torch.zeros(1, batch, size)]) for each in (k, v))
        q, k, v = (each.reshape(each.shape[0], batch, self.num_heads, -1).permute(1, 2, 0, 3) for each in (q, k, v))
        if mask is not None:
            mask = pad(mask, (0, (self.bias_k is not None) + bool(self.add_zero_attn)))
        share = self.dropout if self.training else 0.0
        if need_weights:
            scores = torch.matmul(q * (1.0 / self.head_dim) ** 0.5, k.transpose(-2, -1))
            weights = softmax(scores if mask is None else scores + mask, dim=-1)
            if surely(share > 0.0):
                weights = dropout(weights, share)
            found = torch.matmul(weights, v)
        else:
            weights = None
            found = scaled_dot_product_attention(q, k, v, mask, share)
        found = found.permute(2, 0, 1, 3).reshape(length * batch, size)
        return linear(found, self.out_proj.weight, self.out_proj.bias).view(length, batch, size), weights

    def _projected(self, query, key, value):
        if self._qkv_same_embed_dim:
            weights = self.in_proj_weight.chunk(3)
        else:
            weights = self.q_proj_weight, self.k_proj_weight, self.v_proj_weight
        biases = (None, None, None) if self.in_proj_bias is None else self.in_proj_bias.chunk(3)
        return (
            linear(query, weights[0], biases[0]),
            linear(key, weights[1], biases[1]),
            linear(value, weights[2], biases[2]),
        )


def _mask(attn_mask, key_padding_mask, query, alone, heads):
    """What is added to the scores; it is computed anew from masks of truth values, and nothing saves those."""
    mask = None
    if surely(attn_mask is not None):
        mask = _added(attn_mask, query)
        if surely(mask.dim() == 3):
            mask = mask.unflatten(0, (-1, heads))
    if surely(key_padding_mask is not None):
        padding = _added(key_padding_mask, query)
        padding = padding[None, None, None] if alone else padding[:, None, None]
        mask = padding if mask is None else mask + padding
    return mask


def _added(mask, query):
    if surely(mask.dtype == torch.bool):
        return torch.zeros_like(mask, dtype=query.dtype).masked_fill_(mask, float("-inf"))
    return mask
