"""Attention keeps what it was given, and what it gave."""

import torch
import torch.nn.functional as F
from torch import nn


def heads():
    return [torch.rand(2, 3, 5, 8, requires_grad=True) * 2 for _ in range(3)]


def case_result_scaled():
    q, k, v = heads()
    out = F.scaled_dot_product_attention(q, k, v)
    out.mul_(2)  # error: [IPL202]
    out.sum().backward()


def case_result_squeezed():
    q, k, v = heads()
    out = F.scaled_dot_product_attention(q[:, :, :1], k, v)
    out = out.squeeze_(2).flatten(1)  # error: [IPL202]
    out.sum().backward()


def case_keys_shifted_afterwards():
    q, k, v = heads()
    out = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    k += 1  # error: [IPL201]
    out.sum().backward()


def case_projected_first():
    q, k, v = heads()
    out = F.scaled_dot_product_attention(q, k, v) @ torch.rand(8, 8)
    out += 1
    out.sum().backward()
    return out


def case_scaled_before():
    q, k, v = heads()
    q *= 8**-0.5
    out = F.scaled_dot_product_attention(q, k, v, scale=1.0)
    out.sum().backward()
    return out


def case_without_gradients():
    q, k, v = heads()
    with torch.no_grad():
        out = F.scaled_dot_product_attention(q, k, v)
        out.mul_(2)
    return out


def case_weights_of_an_encoder_that_decay_before_backward():
    layer = nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0)
    encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
    loss = encoder(torch.ones(3, 2, 4)).square().mean()
    with torch.no_grad():
        encoder.layers[0].linear1.weight.mul_(0.99)  # error: [IPL203]
    loss.backward()
    return encoder.layers[0].linear1.weight.grad


def case_weights_of_an_encoder_that_decay_before_backward_cured():
    layer = nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0)
    encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
    loss = encoder(torch.ones(3, 2, 4)).square().mean()
    loss.backward()
    with torch.no_grad():
        encoder.layers[0].linear1.weight.mul_(0.99)
    return encoder.layers[0].linear1.weight.grad


def case_weights_of_attention_that_are_cleared_after_use():
    attention = nn.MultiheadAttention(4, 2)
    x = torch.ones(3, 2, 4)
    y, weights = attention(x, x, x)
    weights.zero_()
    y.sum().backward()
    return attention.in_proj_weight.grad


def case_weights_of_each_head_that_are_cleared_after_use():
    attention = nn.MultiheadAttention(4, 2)
    x = torch.ones(3, 2, 4)
    y, weights = attention(x, x, x, average_attn_weights=False)
    weights.zero_()  # error: [IPL202]
    y.sum().backward()
    return attention.in_proj_weight.grad
