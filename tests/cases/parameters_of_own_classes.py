"""Parameters of classes that derive from `nn.Parameter`, with methods that write them."""

import torch
from torch import nn


class Bounded(nn.Parameter):
    def cut_(self):
        return self.clamp_(-0.5, 0.5)  # error: [IPL101]


class Stepped(nn.Parameter):
    def move_(self, by):
        with torch.no_grad():
            return self.add_(by)


class Spent(nn.Parameter):
    def move_(self, by):
        with torch.no_grad():
            return self.add_(by)  # error: [IPL203]


class Plain(nn.Parameter):
    def norm_(self):
        return self / self.norm()


def case_method_that_writes_a_leaf():
    weight = Bounded(torch.ones(2))
    weight.cut_()
    return weight


def case_method_that_computes():
    weight = Plain(torch.ones(2))
    loss = weight.norm_().square().sum()
    loss.backward()
    return weight.grad


class _Net(nn.Module):
    def __init__(self, weight):
        super().__init__()
        self.weight = weight
        self.bias = nn.Parameter(torch.zeros(2))

    def forward(self, x):
        return (x * self.weight + self.bias).square().sum()


def case_moved_before_backward():
    net = _Net(Spent(torch.ones(2)))
    x = torch.ones(2, requires_grad=True)
    loss = net(x)
    for each in net.parameters():
        if isinstance(each, Spent):
            each.move_(1.0)
    loss.backward()
    return x.grad


def case_moved_after_backward():
    net = _Net(Stepped(torch.ones(2)))
    x = torch.ones(2, requires_grad=True)
    loss = net(x)
    loss.backward()
    for each in net.parameters():
        if isinstance(each, Stepped):
            each.move_(1.0)
    return x.grad


def case_view_is_a_plain_tensor():
    weight = Stepped(torch.ones(2, 2))
    row = weight[0]
    return hasattr(row, "move_"), row.sum()


class Tagged(torch.Tensor):
    def scaled_(self):
        return self.mul_(2)


def case_other_tensors_are_left_alone():
    return torch.ones(2).as_subclass(Tagged).scaled_().sum()
