"""Branches: a hazard on one path, and paths that cannot be."""

import argparse
from enum import Enum

import torch
import torch.nn.functional as F
from torch import nn


def scale_saved(y, inplace):
    if inplace:
        y *= 2  # error: [IPL202]
    else:
        y = y * 2
    return y


def case_branch_taken():
    x = torch.randn(3, requires_grad=True)
    scale_saved(x.sigmoid(), inplace=True).sum().backward()
    return x.grad


def scale_either_way(y, inplace):
    if inplace:
        y *= 2
    else:
        y = y * 2
    return y


def case_branch_not_taken():
    x = torch.randn(3, requires_grad=True)
    scale_either_way(x.sigmoid(), inplace=False).sum().backward()
    return x.grad


def case_branch_on_what_saves_nothing():
    x = torch.randn(3, requires_grad=True)
    scale_either_way(x + 1, inplace=True).sum().backward()
    return x.grad


def case_branch_on_data():
    x = torch.rand(3, requires_grad=True)
    y = x.exp()
    if x.sum() > 0:
        y += 1  # error: [IPL202]
    y.sum().backward()
    return x.grad


def case_branch_on_data_out_of_place():
    x = torch.rand(3, requires_grad=True)
    y = x.exp()
    if x.sum() > 0:
        y = y + 1
    y.sum().backward()
    return x.grad


def activate(x, kind, keep):
    before = x.clone() if keep else None
    if kind == "relu":
        x = F.relu(x, inplace=True)
    elif kind == "tanh":
        x = x.tanh_()
    else:
        x = F.silu(x)
    if keep:
        x = x + before
    return x


def case_kinds():
    x = torch.randn(3, requires_grad=True)
    out = activate(x * 2, "relu", True) + activate(x * 3, "tanh", False) + activate(x, "", True)
    out.sum().backward()
    return x.grad


def clone_if(x, condition):
    if condition:
        x = x.clone()
    y = x + 1
    if condition:
        x.zero_()
    return y, x


def case_same_condition_twice():
    x = torch.ones(3, requires_grad=True)
    y, z = clone_if(x, True)
    (y + z).sum().backward()
    clone_if(x, False)
    return x.grad


def case_early_return():
    def shifted(y, done):
        if done:
            return y
        y += 1
        return y

    x = torch.randn(3, requires_grad=True)
    shifted(x.tanh(), done=True).sum().backward()
    return x.grad


def case_default_argument_decides():
    def gated(x, inplace=False):
        gate = F.relu(x, inplace=inplace)
        return gate + x

    return gated(torch.randn(3))


def case_default_argument_overruled():
    def gated(x, inplace=False):
        gate = F.relu(x, inplace=inplace)  # warning: [IPL301]
        return gate + x

    return gated(torch.randn(3), inplace=True)


def case_default_argument_overruled_cured():
    def gated(x, inplace=False):
        gate = F.relu(x, inplace=inplace)
        return gate + x

    return gated(torch.randn(3), inplace=False)


def case_conditional_expression():
    inplace = True
    x = torch.randn(3)
    y = x.relu_() if inplace else x.relu()  # warning: [IPL301]
    return y - x


def case_conditional_expression_cured():
    inplace = False
    x = torch.randn(3)
    y = x.relu_() if inplace else x.relu()
    return y - x


def case_none_is_replaced():
    def add(x, out=None):
        if out is None:
            out = torch.zeros_like(x)
        out += x
        return out

    x = torch.randn(3, requires_grad=True)
    add(x).sum().backward()
    return x.grad


def case_short_circuit():
    x = torch.randn(3)
    y = None
    y = y if y is not None else x.clone()
    y.mul_(2)
    return x + y


def _told(words):
    parser = argparse.ArgumentParser()
    parser.add_argument("--shift", "-s", action="store_true")
    group = parser.add_argument_group("numbers")
    group.add_argument("--scale", type=float, default=1.5)
    return parser.parse_args(words)


def case_switched_on_by_default_on_the_command_line():
    x = torch.randn(3, requires_grad=True)
    y = x.exp()
    if _told([]).scale == 1.5:
        y += 1  # error: [IPL202]
    y.sum().backward()
    return x.grad


def case_switched_on_by_the_command_line():
    x = torch.randn(3, requires_grad=True)
    y = x.exp()
    if _told(["--shift"]).shift:
        y += 1  # error: [IPL202]
    y.sum().backward()
    return x.grad


def case_unless_nothing_is_left():
    x = torch.randn(3, requires_grad=True)
    y = x.exp()
    if torch.nonzero(y > 0).numel() == 0:
        return x.grad
    y += 1  # error: [IPL202]
    y.sum().backward()
    return x.grad


class _Optional(torch.nn.Module):
    """Many options, of which the last ones lead to writes."""

    def __init__(self, *, shift=True, scale=True, turn=True, fold=True, mix=True, keep=True, early=True):
        super().__init__()
        self.shift, self.scale, self.turn, self.fold = shift, scale, turn, fold
        self.mix, self.keep, self.early = mix, keep, early
        self.weight = torch.nn.Parameter(torch.ones(3))


class BehindManyOptions(_Optional):
    def forward(self, x):
        y = x * self.weight
        if self.shift:
            y = y + 1
        if self.scale:
            y = y * 2
        if self.turn:
            y = -y
        if self.fold:
            y = y.flip(0)
        if self.mix:
            y = y + y.flip(0)
        if self.keep:
            gate = y.clone()
        else:
            gate = y.sigmoid()
            gate.mul_(2)  # error: [IPL202]
        return gate


class BehindAnEarlyReturn(_Optional):
    def forward(self, x):
        y = x * self.weight
        if self.shift:
            y = y + 1
        if self.scale:
            y = y * 2
        if self.turn:
            y = -y
        if self.fold:
            y = y.flip(0)
        if self.mix:
            y = y + y.flip(0)
        if self.early:
            return y
        gate = y.exp()
        gate.add_(1)  # error: [IPL202]
        return gate


class RightBehindManyOptions(_Optional):
    def forward(self, x):
        y = x * self.weight
        if self.shift:
            y = y + 1
        if self.scale:
            y = y * 2
        if self.turn:
            y = -y
        if self.fold:
            y = y.flip(0)
        if self.mix:
            y = y + y.flip(0)
        if self.keep:
            gate = y.clone()
            gate.mul_(2)
        else:
            gate = y.sigmoid()
            gate = gate.mul(2)
        if self.early:
            return gate
        return (gate * 2).add_(1)


def case_write_behind_many_options():
    BehindManyOptions(keep=False)(torch.ones(3)).sum().backward()


def case_write_behind_an_early_return():
    BehindAnEarlyReturn(early=False)(torch.ones(3)).sum().backward()


def case_right_writes_behind_many_options():
    net = RightBehindManyOptions(keep=False)
    net(torch.ones(3)).sum().backward()
    return net.weight.grad


class Average(Enum):
    NONE = "none"
    MACRO = "macro"


class Accuracy:
    def __init__(self, average):
        self.average = Average(average)
        self.right = torch.zeros(3, dtype=torch.long)

    def update(self, right):
        self.right += right

    def compute(self):
        return _rates(self.right, self.average)


def _rates(right, average):
    rates = right
    if average == Average.NONE:
        rates[right == 0] = -1  # warning: [IPL305]
    return rates.float() / 4


def case_an_enumeration_of_a_text_is_its_member():
    metric = Accuracy("none")
    found = []
    for turn in range(3):
        metric.update(torch.tensor([turn, 0, 1]))
        found.append(metric.compute())
    return torch.stack(found)


class CarefulAccuracy:
    def __init__(self, average):
        self.average = Average(average)
        self.right = torch.zeros(3, dtype=torch.long)

    def update(self, right):
        self.right += right

    def compute(self):
        return _rates_of_copy(self.right, self.average)


def _rates_of_copy(right, average):
    rates = right.clone()
    if average == Average.NONE:
        rates[right == 0] = -1
    return rates.float() / 4


def case_an_enumeration_of_a_text_is_its_member_cured():
    metric = CarefulAccuracy("none")
    found = []
    for turn in range(3):
        metric.update(torch.tensor([turn, 0, 1]))
        found.append(metric.compute())
    return torch.stack(found)


class MacroAccuracy:
    def __init__(self):
        self.right = torch.zeros(3, dtype=torch.long)

    def update(self, right):
        self.right += right

    def compute(self):
        return _mean_rate(self.right, Average("macro"))


def _mean_rate(right, average):
    rates = right
    if average == Average.NONE:
        rates[right == 0] = -1
    return (rates.float() / 4).mean()


def case_an_enumeration_of_another_text():
    metric = MacroAccuracy()
    found = []
    for turn in range(3):
        metric.update(torch.tensor([turn, 0, 1]))
        found.append(metric.compute())
    return torch.stack(found)


def case_all_is_not_any():
    w = torch.rand(3, requires_grad=True)
    if all([True, False]):
        w.add_(1)
    if all(flag for flag in [True, True]):
        w.mul_(2)  # error: [IPL101]
    return w


def case_any_with_something_unknown(flag=None):
    w = torch.rand(3, requires_grad=True)
    if any([flag, True]):
        w.mul_(2)  # error: [IPL101]
    return w


class _Neuron(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("state", torch.zeros(0))

    def forward(self, x, state=None):
        if not state == None:
            self.state = state
        if self.state.shape != x.shape:
            self.state = torch.zeros_like(x)
        reset = self.state * 0.5
        self.state = self.state + x - reset
        return self.state


def case_no_tensor_equals_none():
    neuron, state = _Neuron(), None
    for x in torch.ones(3, 2):
        state = neuron(x, state)
        state.clamp_(max=1.5)
    return state


def above_and_below(x):
    above, below = torch.where(x > 0)[0], torch.where(x <= 0)[0]
    above = above if len(above) < 1 else above[above >= 0]
    return above, below if len(below) <= 1 else below[below >= 0]


class Bank:
    """Loses nothing but what is too small, at any of its checks."""

    def __init__(self):
        self.rows = torch.ones(4, 3)

    def loss(self, x):
        pairs = above_and_below(x)
        if all(len(each) <= 1 for each in pairs):
            return x.sum() * 0
        if 2 > len(pairs[0]):
            return x.mean() * 0
        self.rows[0] = x.detach()  # error: [IPL201]
        return (self.rows @ x).sum()


def case_two_losses_that_are_not_too_small():
    bank, x = Bank(), torch.tensor([1.0, 2.0, -1.0], requires_grad=True)
    for _ in range(2):
        (bank.loss(x * 1) + bank.loss(x * 2)).backward()


class BankOfCopies:
    """Has other rows for each loss."""

    def __init__(self):
        self.rows = torch.ones(4, 3)

    def loss(self, x):
        if all(len(each) <= 1 for each in above_and_below(x)):
            return x.sum() * 0
        self.rows = torch.cat([x.detach()[None], self.rows[1:]])
        return (self.rows @ x).sum()


def case_two_losses_with_rows_of_their_own():
    bank, x = BankOfCopies(), torch.tensor([1.0, 2.0, -1.0], requires_grad=True)
    for _ in range(2):
        (bank.loss(x * 1) + bank.loss(x * 2)).backward()
    return x.grad
