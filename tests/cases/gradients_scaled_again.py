"""Gradients that are scaled after each backward pass that adds to them."""

import torch
from torch import nn


def _net():
    torch.manual_seed(0)
    return nn.Linear(2, 1)


def averaged_too_often(net, batches):
    for batch in batches:
        net(batch).square().mean().backward()
        for parameter in net.parameters():
            parameter.grad /= len(batches)  # warning: [IPL406]


def case_the_average_is_taken_after_each_batch():
    net = _net()
    averaged_too_often(net, list(torch.arange(6.0).view(3, 1, 2)))
    return net.weight.grad


def averaged_once(net, batches):
    for batch in batches:
        net(batch).square().mean().backward()
    for parameter in net.parameters():
        parameter.grad /= len(batches)


def case_the_average_is_taken_after_each_batch_cured():
    net = _net()
    averaged_once(net, list(torch.arange(6.0).view(3, 1, 2)))
    return net.weight.grad


class _Scaling:
    def __init__(self, net):
        self.net = net
        self.optimizer = torch.optim.SGD(net.parameters(), lr=0.1)

    def _damp(self):
        self.net.weight.grad.mul_(0.5)  # warning: [IPL406]

    def accumulated_steps(self, batches):
        for index, batch in enumerate(batches):
            self.net(batch).square().mean().backward()
            self._damp()
            if index % 2 == 1:
                self.optimizer.step()
                self.optimizer.zero_grad()


def case_a_method_damps_what_is_accumulated():
    net = _net()
    _Scaling(net).accumulated_steps(torch.arange(8.0).view(4, 1, 2))
    return net.weight.detach()


class _ScalingOnce:
    def __init__(self, net):
        self.net = net
        self.optimizer = torch.optim.SGD(net.parameters(), lr=0.1)

    def _damp_the_sum(self):
        self.net.weight.grad.mul_(0.5)

    def steps_of_sums(self, batches):
        for index, batch in enumerate(batches):
            self.net(batch).square().mean().backward()
            if index % 2 == 1:
                self._damp_the_sum()
                self.optimizer.step()
                self.optimizer.zero_grad()


def case_a_method_damps_what_is_accumulated_cured():
    net = _net()
    _ScalingOnce(net).steps_of_sums(torch.arange(8.0).view(4, 1, 2))
    return net.weight.detach()


def case_reset_before_each_pass():
    net = _net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for batch in torch.arange(6.0).view(3, 1, 2):
        optimizer.zero_grad(set_to_none=False)
        net(batch).square().mean().backward()
        net.weight.grad.mul_(0.5)
        optimizer.step()
    return net.weight.detach()


def case_reset_after_each_pass():
    net = _net()
    for batch in torch.arange(6.0).view(3, 1, 2):
        net(batch).square().mean().backward()
        net.weight.grad.mul_(0.5)
        with torch.no_grad():
            net.weight -= net.weight.grad
        net.weight.grad.zero_()
    return net.weight.detach()


def case_masked_after_each_pass():
    net = _net()
    mask = torch.tensor([[1.0, 0.0]])
    for batch in torch.arange(6.0).view(3, 1, 2):
        net(batch).square().mean().backward()
        net.weight.grad.mul_(mask)
    return net.weight.grad


def case_scaled_twice_without_a_pass_in_between():
    net = _net()
    net(torch.ones(1, 2)).sum().backward()
    for _ in range(2):
        net.weight.grad.mul_(0.5)
    return net.weight.grad


class Agent:
    def __init__(self, model, optimizer):
        self.model = model
        self.optimizer = optimizer

    def improve(self, batch):
        loss = self.model(batch).square().mean()
        self.optimizer.zero_grad()
        loss.backward()
        for parameter in self.model.parameters():
            parameter.grad.mul_(0.5)
        self.optimizer.step()


def case_an_agent_resets_the_gradients_of_a_model_that_nobody_has_seen():
    net = _net()
    agent = eval("Agent")(net, torch.optim.SGD(net.parameters(), lr=0.1))
    for batch in torch.arange(6.0).view(3, 1, 2):
        agent.improve(batch)
    return net.weight.detach()
