"""Methods, modules, custom functions."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor


class Linear(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(3, 3))
        self.bias = nn.Parameter(torch.rand(3))

    def forward(self, x: Tensor):  # summary: returns fresh, saves self.weight and x
        return F.linear(x, self.weight, self.bias)


class InPlaceBlock(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)
        self.act = nn.ReLU(inplace=True)

    def forward(self, x: Tensor):  # summary: returns fresh, saves result and self.fc.weight and x
        return self.act(self.fc(x))


class ActivatesItsArgument(nn.Module):
    def __init__(self):
        super().__init__()
        self.act = nn.ReLU(inplace=True)
        self.fc = nn.Linear(3, 3)

    def forward(self, x: Tensor):  # summary: writes x, returns fresh, saves self.fc.weight and x
        return self.fc(self.act(x))


class PreActivated(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.ReLU(inplace=True), nn.Linear(3, 3), nn.Tanh())

    def forward(self, x: Tensor):  # summary: writes x, returns fresh, saves self.net.1.weight and x
        return self.net(x) + x


class Residual(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)

    def forward(self, x: Tensor):  # summary: returns fresh, saves self.fc.weight and x
        out = self.fc(x)
        out += x
        return out


class Chosen(nn.Module):
    def __init__(self, act_layer=nn.SiLU):
        super().__init__()
        self.act = act_layer(inplace=True)

    def forward(self, x: Tensor):  # summary: writes x, returns alias of x
        return self.act(x)


class Counts(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros(1))

    def forward(self, x: Tensor):  # summary: writes self.count, returns fresh
        self.count += 1
        return x * 2


class RunningMean(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.zeros(3))

    def forward(self, x: Tensor):  # summary: writes self.mean, returns fresh
        with torch.no_grad():
            self.mean.mul_(0.9).add_(x.mean(0), alpha=0.1)
        return x - self.mean


class Remembers(nn.Module):
    def __init__(self):
        super().__init__()
        self.last = torch.zeros(2, 3)

    def forward(self, x: Tensor):  # summary: returns alias of self.last
        before = self.last
        self.last = x
        return before


class GivesItsBuffer(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = torch.zeros(2, 3)

    def forward(self, x: Tensor):  # summary: writes self.table, returns alias of self.table
        self.table.copy_(x.detach())
        return self.table


class Optional(nn.Module):
    def __init__(self):
        super().__init__()
        self.skip = nn.Identity()

    def forward(self, x: Tensor):  # summary: returns alias of x
        return self.skip(x)


class Splits(nn.Module):
    def forward(self, x: Tensor):  # summary: returns (fresh, one of several views of x), saves x
        a, b = x.chunk(2, dim=0)
        return a * b.sigmoid(), b


class Delegates(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = Counts()

    def forward(self, x: Tensor):  # summary: writes self.block.count, returns fresh
        return self._run(x)

    def _run(self, x: Tensor):  # summary: writes self.block.count, returns fresh
        return self.block(x)


class Inherits(ActivatesItsArgument):
    def forward(self, x: Tensor):  # summary: writes x, returns fresh, saves self.fc.weight and x
        return super().forward(x) * 2


class WritesWeights(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(3))

    def forward(self, x: Tensor):  # summary: writes self.weight, returns fresh
        with torch.no_grad():
            self.weight.clamp_(min=0)
        return x + self.weight

    @torch.no_grad()
    def reset(self):  # summary: writes self.weight, returns nothing
        self.weight.zero_()

    def hidden(self):  # summary: writes self.weight unseen, returns nothing
        self.weight.data.fill_(1.0)


class Plain:
    def __init__(self):
        self.buffer = torch.zeros(2, 3)

    def push(self, x: Tensor):  # summary: writes self.buffer, returns a value
        self.buffer.add_(x.detach())
        return self

    def peek(self):  # summary: returns view of self.buffer
        return self.buffer[0]

    @staticmethod
    def fix(x: Tensor):  # summary: writes x, returns alias of x
        return x.abs_()


class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        x.mul_(2)
        return x

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


class Squared(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return 2 * x * grad


def doubled(x: Tensor):  # summary: writes x, returns alias of x
    return Doubled.apply(x)


def squared(x: Tensor):  # summary: returns fresh, saves x
    return Squared.apply(x)


def squared_then_written(x: Tensor):  # summary: returns fresh, saves x
    y = Squared.apply(x)
    return y.add_(1)


def makes_a_module(x: Tensor):  # summary: returns fresh, saves result
    return nn.Sequential(nn.ReLU(), nn.Tanh())(x)


def makes_a_writing_module(x: Tensor):  # summary: writes x, returns alias of x
    return nn.Hardtanh(inplace=True)(x)


def dropout_off(x: Tensor):  # summary: returns alias of x
    return F.dropout(x, 0.5, False, True)


class Positions(nn.Module):
    """Fills its table when it is made, not when it is called."""

    def __init__(self):
        super().__init__()
        table = torch.zeros(4, 4)
        table[:, 0::2] = torch.sin(torch.ones(4, 2))
        self.register_buffer("table", table)

    # summary: returns view of self.table
    def forward(self, x):
        return self.table[:2]
