"""Calls, modules, branches, custom functions, containers."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor


def add_(x, by):
    x.add_(by)
    return x


def first_row(x):
    return x[0]


class Scale(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(3))
        self.register_buffer("count", torch.zeros(1))

    def forward(self, x):
        self.count += 1
        return x * self.weight


class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


class DoubledInPlace(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(2)

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


def open_result(x: Tensor):
    y = x * 2  # revealed: base, not leaf, maybe requires grad, version 0
    return y


def open_view(x: Tensor):
    y = x.view(-1)  # revealed: view, not leaf, maybe requires grad, version 0, memory of x
    return y


def open_written(x: Tensor):
    x.add_(1)  # revealed: base, not leaf, maybe requires grad, version 1
    return x


def open_detached(x: Tensor):
    y = x.detach()  # revealed: base, leaf, no grad, version 0, memory of x
    return y


def open_branch(x: Tensor):
    y = x
    if x.sum() > 0:
        y = x.clone()
    # revealed: base, not leaf, maybe requires grad, version 1 or base, not leaf, maybe requires grad, version 1, same as x
    y.add_(1)
    return y


def open_mixed_with_parameter(x: Tensor):
    w = torch.rand(3, requires_grad=True)
    y = x * w  # revealed: base, not leaf, requires grad, version 0, float
    return y


def open_mask(x: Tensor):
    m = x > 0.5  # revealed: base, leaf, no grad, version 0, bool
    return m


def open_added_to_zeros(x: Tensor):
    out = torch.zeros(2, 3)
    out.add_(x)  # revealed: base, not leaf, maybe requires grad, version 1, float
    return out


def open_no_grad(x: Tensor):
    with torch.no_grad():
        y = x + 1  # revealed: base, leaf, no grad, version 0
    return y


def case_helper_writes():
    x = torch.zeros(2, 3)
    y = add_(x, 1)  # revealed: base, leaf, no grad, version 1, float, same as x
    return y


def case_helper_views():
    x = torch.zeros(2, 3)
    row = first_row(x)  # revealed: view, leaf, no grad, version 0, float, memory of x
    add_(row, 1)  # revealed: no tensor
    return row


def case_lambda():
    x = torch.zeros(2, 3)
    double = lambda t: t.mul_(2)  # noqa: E731
    y = double(x)  # revealed: base, leaf, no grad, version 1, float, same as x
    return y


def case_closure():
    x = torch.zeros(2, 3)

    def bump():
        x.add_(1)

    bump()
    bump()
    y = x  # revealed: base, leaf, no grad, version 2, float, same as x
    return y


def case_parameter():
    w = nn.Parameter(torch.zeros(3))  # revealed: base, leaf, requires grad, version 0, float
    return w


def case_parameter_of_module():
    net = Scale()
    w = net.weight  # revealed: base, leaf, requires grad, version 0, float
    return w


def case_initialized():
    w = nn.Parameter(torch.zeros(3))
    nn.init.ones_(w)
    v = w  # revealed: base, leaf, requires grad, version 1, float, same as w
    return v


def case_module():
    net = Scale()
    y = net(torch.rand(2, 3))  # revealed: base, not leaf, requires grad, version 0, float
    net(torch.rand(2, 3))
    count = net.count  # revealed: base, leaf, no grad, version 2, float
    return y, count


def case_linear():
    y = nn.Linear(3, 3)(torch.rand(2, 3))  # revealed: base, not leaf, requires grad, version 0, float
    return y


def case_frozen_module():
    fc = nn.Linear(3, 3)
    for p in fc.parameters():
        p.requires_grad_(False)
    y = fc(torch.rand(2, 3))  # revealed: base, leaf, no grad, version 0, float
    return y


def case_sequential_in_place():
    net = nn.Sequential(nn.Linear(3, 3), nn.ReLU(inplace=True))
    y = net(torch.rand(2, 3))  # revealed: base, not leaf, requires grad, version 1, float
    return y


def case_activation_module():
    x = torch.rand(2, 3)
    act = nn.ReLU(inplace=True)
    y = act(x)  # revealed: base, leaf, no grad, version 1, float, same as x
    act(x)  # revealed: no tensor
    z = x  # revealed: base, leaf, no grad, version 2, float, same as x, same as y
    return y, z


def case_identity():
    x = torch.rand(2, 3)
    y = nn.Identity()(x)  # revealed: base, leaf, no grad, version 0, float, same as x
    return y


def case_dropout():
    x = torch.rand(2, 3)
    y = F.dropout(x, 0.5, training=False)  # revealed: base, leaf, no grad, version 0, float, same as x
    return y


def case_flatten_module():
    x = torch.rand(2, 3, 4)
    y = nn.Flatten()(x)  # revealed: view, leaf, no grad, version 0, float, memory of x
    return y


def case_optimizer_step():
    w = torch.rand(3, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.1)
    (w * w).sum().backward()
    optimizer.step()
    v = w  # revealed: base, leaf, requires grad, version 1, float, same as w
    return v


def case_custom():
    x = torch.rand(2, 3, requires_grad=True)
    y = Doubled.apply(x)  # revealed: base, not leaf, requires grad, version 0, float
    return y


def case_custom_in_place():
    x = torch.rand(2, 3, requires_grad=True) * 1
    y = DoubledInPlace.apply(x)  # revealed: base, not leaf, requires grad, version 2, float, same as x
    return y


def case_custom_no_grad():
    x = torch.rand(2, 3)
    y = Doubled.apply(x)  # revealed: base, leaf, no grad, version 0, float
    return y


def case_list():
    x = torch.zeros(2, 3)
    kept = [x, x + 1]
    kept[0].add_(1)
    y = kept[0]  # revealed: base, leaf, no grad, version 1, float, same as x
    z = kept[1]  # revealed: base, leaf, no grad, version 0, float
    return y, z


def case_dict():
    kept = {"a": torch.zeros(3)}
    kept["a"].add_(1)
    y = kept["a"]  # revealed: base, leaf, no grad, version 1, float
    return y


def case_repeated_list():
    kept = [torch.zeros(3)] * 2
    kept[0].add_(1)
    y = kept[1]  # revealed: base, leaf, no grad, version 1, float
    return y


def case_comprehension():
    x = torch.zeros(2, 3)
    rows = [row * 2 for row in x]
    y = rows[1]  # revealed: base, leaf, no grad, version 0, float
    return y


def case_tuple_of_views():
    x = torch.zeros(2, 3)
    pair = (x[0], x[1])
    a, b = pair  # revealed: view, leaf, no grad, version 0, float, memory of b, memory of x
    a.add_(1)  # revealed: view, leaf, no grad, version 1, float, memory of b, memory of x
    b.add_(1)  # revealed: view, leaf, no grad, version 2, float, memory of a, memory of x
    return a, b


def case_loop():
    x = torch.zeros(3)
    for _ in range(3):
        x.add_(1)
    y = x  # revealed: base, leaf, no grad, version 3, float, same as x
    return y


def case_while():
    x = torch.zeros(3)
    count = 0
    while count < 2:
        x.add_(1)
        count += 1
    y = x  # revealed: base, leaf, no grad, version 2, float, same as x
    return y


def case_accumulated():
    total = torch.zeros(())
    w = torch.rand(3, requires_grad=True)
    for _ in range(2):
        total = total + (w * w).sum()  # revealed: base, not leaf, requires grad, version 0, float
    return total


def case_accumulated_in_place():
    total = torch.zeros(())
    w = torch.rand(3, requires_grad=True)
    for _ in range(2):
        total += (w * w).sum()
    y = total  # revealed: base, not leaf, requires grad, version 2, float, same as total
    return y


def case_swap():
    a = torch.zeros(3)
    b = torch.rand(3, requires_grad=True)
    a, b = b, a  # revealed: base, leaf, requires grad, version 0, float
    return a, b


def case_star():
    first, *rest = torch.zeros(3, 2)  # revealed: multi view, leaf, no grad, version 0, float
    second = rest[0]  # revealed: multi view, leaf, no grad, version 0, float, memory of first
    return first, second


def case_numpy():
    x = torch.zeros(3)
    array = x.numpy()
    array += 1
    y = torch.from_numpy(array)  # revealed: base, leaf, no grad, version 0, float, memory of x
    return y


def case_states_of_lstm():
    lstm = nn.LSTM(3, 4)
    _, (h, c) = lstm(torch.rand(5, 2, 3))
    h += 1  # revealed: base, not leaf, requires grad, version 1
    c.mul_(2)  # revealed: base, not leaf, requires grad, version 1
    return h, c
