"""Leaves, views, versions, dtypes."""

import torch
import torch.nn.functional as F


def case_zeros():
    x = torch.zeros(2, 3)  # revealed: base, leaf, no grad, version 0, float
    return x


def case_leaf():
    x = torch.rand(2, 3, requires_grad=True)  # revealed: base, leaf, requires grad, version 0, float
    return x


def case_requires_grad_later():
    x = torch.rand(2, 3).requires_grad_()  # revealed: base, leaf, requires grad, version 0, float
    return x


def case_requires_grad_set():
    x = torch.rand(2, 3)
    x.requires_grad_(True)  # revealed: base, leaf, requires grad, version 0, float
    return x


def case_result():
    x = torch.rand(2, 3, requires_grad=True)
    y = x * 2  # revealed: base, not leaf, requires grad, version 0, float
    return y


def case_written():
    x = torch.rand(2, 3)
    x.add_(1)  # revealed: base, leaf, no grad, version 1, float
    x += 1  # revealed: base, leaf, no grad, version 2, float
    x[0] = 0  # revealed: base, leaf, no grad, version 3, float
    x[:, 1].mul_(2)  # revealed: base, leaf, no grad, version 4, float
    return x


def case_written_result():
    x = torch.rand(2, 3, requires_grad=True)
    y = x.exp()
    y.add_(1)  # revealed: base, not leaf, requires grad, version 1, float
    return y


def case_history_through_a_write():
    x = torch.zeros(2, 3)
    w = torch.rand(2, 3, requires_grad=True)
    x.add_(w)  # revealed: base, not leaf, requires grad, version 1, float
    return x


def case_integers():
    x = torch.arange(6)  # revealed: base, leaf, no grad, version 0
    y = x * 2  # revealed: base, leaf, no grad, version 0
    z = x > 2  # revealed: base, leaf, no grad, version 0, bool
    return y, z


def case_argmax():
    x = torch.rand(2, 3, requires_grad=True)
    i = x.argmax(dim=1)  # revealed: base, leaf, no grad, version 0, int
    return i


def case_comparison():
    x = torch.rand(2, 3, requires_grad=True)
    m = x > 0.5  # revealed: base, leaf, no grad, version 0, bool
    return m


def case_promoted():
    n = torch.ones(3, dtype=torch.long)  # revealed: base, leaf, no grad, version 0, int
    f = n * 0.5  # revealed: base, leaf, no grad, version 0, float
    return f


def case_complex():
    x = torch.zeros(2, dtype=torch.complex64)  # revealed: base, leaf, no grad, version 0, complex
    return x


def case_view():
    x = torch.zeros(2, 3)
    y = x.view(-1)  # revealed: view, leaf, no grad, version 0, float, memory of x
    y.add_(1)  # revealed: view, leaf, no grad, version 1, float, memory of x
    return x


def case_view_of_leaf():
    w = torch.rand(2, 3, requires_grad=True)
    v = w[0]  # revealed: view, not leaf, requires grad, version 0, float, memory of w
    return v


def case_view_of_result():
    w = torch.rand(2, 3, requires_grad=True)
    y = w * 1
    v = y.view(-1)  # revealed: view, not leaf, requires grad, version 0, float, memory of y
    v.mul_(2)  # revealed: view, not leaf, requires grad, version 1, float, memory of y
    y.mul_(2)  # revealed: base, not leaf, requires grad, version 2, float, memory of v
    return y


def case_view_catches_up():
    x = torch.zeros(2, 3)
    v = x[0]  # revealed: view, leaf, no grad, version 0, float, memory of x
    # revealed: base, not leaf, requires grad, version 1, float, memory of v
    x.add_(torch.rand(2, 3, requires_grad=True))
    u = v  # revealed: view, not leaf, requires grad, version 1, float, memory of x, same as v
    return u


def case_transposed():
    x = torch.zeros(2, 3)
    t = x.t()  # revealed: view, leaf, no grad, version 0, float, not contiguous, memory of x
    r = t.reshape(-1)  # revealed: base, leaf, no grad, version 0, float
    c = t.contiguous()  # revealed: base, leaf, no grad, version 0, float
    return r, c


def case_reshape_of_contiguous():
    x = torch.zeros(2, 3)
    y = x.reshape(6)  # revealed: view, leaf, no grad, version 0, float, memory of x
    return y


def case_flattened():
    x = torch.zeros(2, 3, 4)
    y = x.flatten(1)  # revealed: view, leaf, no grad, version 0, float, memory of x
    return y


def case_expanded():
    x = torch.zeros(1, 3)
    # revealed: view, leaf, no grad, version 0, float, expanded, not contiguous, memory of x
    e = x.expand(4, 3)
    c = e.clone()  # revealed: base, leaf, no grad, version 0, float
    return c


def case_broadcast():
    x = torch.zeros(3)
    # revealed: view, leaf, no grad, version 0, float, expanded, not contiguous, memory of x
    e = torch.broadcast_to(x, (2, 3))
    return e


def case_unbind():
    x = torch.zeros(2, 3)
    a, b = x.unbind(0)  # revealed: multi view, leaf, no grad, version 0, float, memory of b, memory of x
    return a, b


def case_chunk():
    w = torch.rand(4, 3, requires_grad=True)
    y = w * 1
    # revealed: multi view, not leaf, requires grad, version 0, float, memory of b, memory of y
    a, b = y.chunk(2)
    return a, b


def case_split_item():
    x = torch.zeros(4, 3)
    part = x.split(2)[1]  # revealed: multi view, leaf, no grad, version 0, float, memory of x
    return part


def case_view_of_chunk():
    x = torch.rand(4, 3, requires_grad=True) * 1
    a, b = x.chunk(2)
    # revealed: multi view, not leaf, requires grad, version 0, float, memory of a, memory of b, memory of x
    v = a.view(-1)
    return v, b


def case_iterated():
    x = torch.zeros(2, 3)
    for part in x:
        row = part  # revealed: multi view, leaf, no grad, version 0, float, memory of x, same as part
    return row


def case_detached():
    w = torch.rand(2, 3, requires_grad=True)
    y = w * 2
    d = y.detach()  # revealed: base, leaf, no grad, version 0, float, memory of y
    d.add_(1)  # revealed: base, leaf, no grad, version 1, float, memory of y
    y.mul_(1)  # revealed: base, not leaf, requires grad, version 2, float, memory of d
    return y


def case_detached_requires_grad():
    w = torch.rand(2, 3, requires_grad=True)
    d = w.detach().requires_grad_()  # revealed: base, leaf, requires grad, version 0, float, memory of w
    return d


def case_data():
    w = torch.rand(2, 3, requires_grad=True)
    w.mul(2)
    d = w.data  # revealed: base, leaf, no grad, version 0, float, memory of w
    d.add_(1)  # revealed: base, leaf, no grad, version 1, float, memory of w
    return w


def case_version_behind_data():
    w = torch.rand(2, 3, requires_grad=True)
    w.data.mul_(2)
    w.data[0] = 1
    u = w  # revealed: base, leaf, requires grad, version 0, float, same as w
    return u


def case_clone():
    w = torch.rand(2, 3, requires_grad=True)
    c = w.clone()  # revealed: base, not leaf, requires grad, version 0, float
    d = w.detach().clone()  # revealed: base, leaf, no grad, version 0, float
    return c, d


def case_no_grad_write():
    w = torch.rand(2, 3, requires_grad=True)
    with torch.no_grad():
        w.add_(1)  # revealed: base, leaf, requires grad, version 1, float
        w.zero_()  # revealed: base, leaf, requires grad, version 2, float
    return w


def case_no_grad_result():
    w = torch.rand(2, 3, requires_grad=True)
    with torch.no_grad():
        y = w * 2  # revealed: base, leaf, no grad, version 0, float
        v = w[0]  # revealed: no_grad view, leaf, requires grad, version 0, float, memory of w
    return y, v


def case_enabled_inside():
    w = torch.rand(2, 3, requires_grad=True)
    with torch.no_grad(), torch.enable_grad():
        y = w * 2  # revealed: base, not leaf, requires grad, version 0, float
    return y


def case_inference():
    with torch.inference_mode():
        x = torch.zeros(2, 3)  # revealed: base, leaf, no grad, inference, float
        y = x + 1  # revealed: base, leaf, no grad, inference, float
    return y


def case_inplace_function():
    x = torch.rand(2, 3, requires_grad=True) * 1
    y = F.relu(x, inplace=True)  # revealed: base, not leaf, requires grad, version 1, float, same as x
    return y


def case_rebound():
    x = torch.rand(2, 3, requires_grad=True) * 1
    x = torch.sigmoid_(x)  # revealed: base, not leaf, requires grad, version 1, float
    x = x + 1  # revealed: base, not leaf, requires grad, version 0, float
    return x


def case_same_object():
    x = torch.zeros(2, 3)
    y = x  # revealed: base, leaf, no grad, version 0, float, same as x
    y.add_(1)  # revealed: base, leaf, no grad, version 1, float, same as x
    return y


def case_stacked():
    x = torch.rand(3, requires_grad=True)
    y = torch.stack([x, x])  # revealed: base, not leaf, requires grad, version 0, float
    return y


def case_made_like():
    w = torch.rand(2, 3, requires_grad=True)
    z = torch.zeros_like(w)  # revealed: base, leaf, no grad, version 0, float
    n = w.new_zeros(3)  # revealed: base, leaf, no grad, version 0, float
    return z, n


def case_filled_by_slices():
    out = torch.zeros(2, 3)
    w = torch.rand(3, requires_grad=True)
    for i in range(2):
        out[i] = w * i  # revealed: base, not leaf, requires grad, version 2, float
    return out


def case_gradient():
    w = torch.rand(2, 3, requires_grad=True)
    (w * 2).sum().backward()
    g = w.grad  # revealed: base, leaf, no grad, version 0, float
    return g


def case_to_float():
    x = torch.zeros(2, 3)
    y = x.float()  # revealed: base, leaf, no grad, version 0, float, same as x
    z = x.double()  # revealed: base, leaf, no grad, version 0, float
    return y, z


def case_topk():
    x = torch.rand(2, 3, requires_grad=True)
    values, indices = x.topk(2)  # revealed: base, not leaf, requires grad, version 0, float
    where = indices  # revealed: base, leaf, no grad, version 0, int, same as indices
    return values, where


def case_indexed():
    x = torch.rand(2, 3)
    idx = torch.tensor([0, 1])
    picked = x[idx]  # revealed: base, leaf, no grad, version 0, float
    masked = x[x > 0.5]  # revealed: base, leaf, no grad, version 0, float
    return picked, masked


def case_copied_into():
    x = torch.zeros(2, 3)
    w = torch.rand(2, 3, requires_grad=True)
    x.copy_(w)  # revealed: base, not leaf, requires grad, version 1, float
    return x


def case_out():
    x = torch.zeros(2, 3)
    torch.add(x, 1, out=x)
    y = x  # revealed: base, leaf, no grad, version 1, float, same as x
    return y


def case_transposed_in_place():
    x = torch.zeros(2, 3)
    x.t_()  # revealed: base, leaf, no grad, version 1, float, not contiguous
    return x


def case_diagonal():
    x = torch.zeros(3, 3)
    d = x.diagonal()  # revealed: view, leaf, no grad, version 0, float, memory of x
    d.fill_(1)  # revealed: view, leaf, no grad, version 1, float, memory of x
    return x


def case_integers_divided():
    x = torch.tensor([1, 2]) / 2  # revealed: base, leaf, no grad, version 0, float
    x.requires_grad_()  # revealed: base, leaf, requires grad, version 0, float
    y = torch.sqrt(torch.tensor([1, 2]))  # revealed: base, leaf, no grad, version 0, float
    return x, y


def case_sizes_that_are_tensors():
    n = torch.randint(low=1, high=3, size=(1,))
    x = torch.rand(n)  # revealed: base, leaf, no grad, version 0, float
    y = x.clamp(min=0.1)  # revealed: base, leaf, no grad, version 0, float
    return x, y, torch.eye(n)
