"""Attention keeps what it was given, and what it gave."""

import torch
import torch.nn.functional as F


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
