"""`x.data = ...`: a tensor gets other memory, for all who hold it, and autograd does not see it."""

import torch
from torch import nn


def _binarized(x):
    x.data = x.data.sign()  # warning: [IPL303]
    return x * 2


def _binarized_copy(x):
    return x.detach().sign() * 2


class Block(nn.Module):
    def __init__(self, binarize):
        super().__init__()
        self.linear = nn.Linear(3, 3)
        self.binarize = binarize

    def forward(self, x):
        shortcut = x
        return self.linear(self.binarize(x)) + shortcut


def case_shortcut_of_a_binarized_input():
    torch.manual_seed(0)
    return Block(_binarized)(torch.tensor([[0.5, -0.2, 0.1]]))


def case_shortcut_of_a_binarized_input_cured():
    torch.manual_seed(0)
    return Block(_binarized_copy)(torch.tensor([[0.5, -0.2, 0.1]]))


def case_views_keep_the_old_memory():
    weight = nn.Parameter(torch.ones(3))
    before = weight.data
    weight.data = weight.data * 0.5
    return before, weight


def case_saved_input_exchanged():
    weight = torch.ones(3, requires_grad=True)
    x = torch.full((3,), 2.0)
    y = x * weight
    x.data = torch.zeros(3)  # warning: [IPL401]
    y.sum().backward()
    return weight.grad


def case_saved_input_exchanged_cured():
    weight = torch.ones(3, requires_grad=True)
    x = torch.full((3,), 2.0)
    y = x * weight
    y.sum().backward()
    return weight.grad


def case_weights_put_back_before_backward():
    model = nn.Conv1d(3, 1, 1)
    x = torch.ones(1, 3, 1, requires_grad=True)
    kept = [param.data for param in model.parameters()]
    for param in model.parameters():
        param.data = torch.zeros_like(param)
    loss = model(x).sum()
    for param, value in zip(model.parameters(), kept, strict=True):
        param.data = value  # warning: [IPL401]
    loss.backward()
    return x.grad


def case_weights_put_back_before_backward_cured():
    model = nn.Conv1d(3, 1, 1)
    x = torch.ones(1, 3, 1, requires_grad=True)
    kept = [param.data for param in model.parameters()]
    for param in model.parameters():
        param.data = torch.zeros_like(param)
    loss = model(x).sum()
    loss.backward()
    for param, value in zip(model.parameters(), kept, strict=True):
        param.data = value
    return x.grad


def case_only_what_has_not_three_channels_is_binarized():
    image = torch.rand(1, 3, 2, 2)
    again = image
    if image.size(1) != 3:
        image.data = image.data.sign()
    return image + again


def case_what_keeps_a_transpose_keeps_the_old_memory():
    model = nn.Linear(3, 1)
    x = torch.ones(1, 3, requires_grad=True)
    loss = model(x).sum()
    model.weight.data = torch.zeros(1, 3)
    loss.backward()
    return x.grad


def case_memory_of_two_owners():
    weight = torch.ones(3, requires_grad=True)
    x = torch.full((3,), 2.0)
    y = x * weight
    taken = torch.empty(0).set_(x)
    taken.mul_(0.5)  # warning: [IPL401]
    y.sum().backward()
    return weight.grad


def case_memory_of_two_owners_cured():
    weight = torch.ones(3, requires_grad=True)
    x = torch.full((3,), 2.0)
    y = x * weight
    taken = torch.empty(0).set_(x)
    y.sum().backward()
    taken.mul_(0.5)
    return weight.grad


def case_weights_set_to_parts_of_a_vector():
    net, flat = nn.Linear(2, 1), torch.ones(3)
    with torch.no_grad():
        net.weight.set_(flat[:2].view(1, 2))
        net.bias.set_(flat[2:])
    x = torch.ones(1, 2, requires_grad=True)
    y = net(x)
    flat.mul_(0.5)  # warning: [IPL401]
    y.sum().backward()
    return x.grad


def case_weights_set_to_parts_of_a_vector_cured():
    net, flat = nn.Linear(2, 1), torch.ones(3)
    with torch.no_grad():
        net.weight.set_(flat[:2].view(1, 2))
        net.bias.set_(flat[2:])
    x = torch.ones(1, 2, requires_grad=True)
    y = net(x)
    y.sum().backward()
    flat.mul_(0.5)
    return x.grad


def case_saved_input_set():
    weight = torch.ones(3, requires_grad=True)
    x = torch.full((3,), 2.0)
    y = x * weight
    x.set_(torch.zeros(3))  # error: [IPL201]
    y.sum().backward()


def case_set_before_it_is_saved():
    weight = torch.ones(3, requires_grad=True)
    with torch.no_grad():
        weight.set_(torch.zeros(3))
    (weight * weight).sum().backward()
    return weight.grad


class Initialized(nn.Module):
    """What was written before a parameter was given its memory overwrites nothing of it."""

    def __init__(self, shape):
        super().__init__()
        self.scale = nn.Parameter(torch.zeros(shape)[None])

    def forward(self, x):
        start = torch.log(x.std(dim=0, keepdim=True) + 1e-6).neg_()
        self.scale.data = start.data
        return x * torch.exp(self.scale)


def case_memory_that_was_written_before_it_was_taken():
    torch.manual_seed(0)
    return Initialized(3)(torch.randn(4, 3))


def _averaging():
    """A frozen weight that is given expanded memory has not been written."""
    pool = nn.Conv2d(2, 4, 2, stride=2, bias=False, groups=2)
    pool.weight.requires_grad = False
    pool.weight.data = torch.full((1, 1, 2, 2), 0.25).expand(4, -1, -1, -1)
    return pool


def case_given_expanded_memory():
    return _averaging()(torch.ones(1, 2, 4, 4))


def case_expanded_memory_is_written():
    pool = _averaging()
    pool.weight.data.mul_(0.5)  # error: [IPL104]
    return pool(torch.ones(1, 2, 4, 4))


class _Shifted(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.shift = nn.Parameter(torch.zeros(width))
        self.is_set = False

    def forward(self, x):
        if not self.is_set:
            self.shift.data = x.mean(dim=0).mul_(-1).data
            self.is_set = True
        return x + self.shift


def case_what_is_written_first_and_then_given():
    return _Shifted(3)(torch.arange(6.0).reshape(2, 3))


def _units(size):
    return torch.zeros(size).uniform_(-1, 1)


class UnitsAtFirst(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(size))
        self.begin(self.weight)

    def begin(self, weight):
        weight.data = _units(weight.size(0)).type_as(weight.data)

    def forward(self, x):
        norm = (self.weight.data**2).sum() + self.weight.view(-1).detach().abs().sum()
        return x * self.weight / norm


def case_memory_was_written_before_the_parameter_had_it():
    return UnitsAtFirst(3)(torch.ones(3)).sum()


def _swapped(layer, weights):
    held = {name: param.data.clone() for name, param in layer.named_parameters()}
    for name, param in layer.named_parameters():
        param.data.copy_(weights[name])
    return held


def _put_back(layer, held):
    for name, param in layer.named_parameters():
        param.data.copy_(held[name])


def case_weights_swapped_and_put_back_before_backward():
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 1))
    x = torch.ones(2)
    y = net(x)
    held = _swapped(net, {name: torch.zeros_like(param) for name, param in net.named_parameters()})
    with torch.no_grad():
        z = net(x)
    _put_back(net, held)
    (y - z).sum().backward()
    return net[0].weight.grad


class _Learner:
    def __init__(self):
        torch.manual_seed(0)
        self.online, self.target = nn.Linear(2, 1), nn.Linear(2, 1)
        self.optimizer = torch.optim.SGD(self.online.parameters(), lr=0.1)
        self.give_memory()

    def give_memory(self):
        for own, theirs in zip(self.target.parameters(), self.online.parameters()):
            own.data = theirs.data

    def learn_twice(self):
        for turn in range(2):
            loss = (self.online(torch.ones(1, 2)) - self.target(torch.ones(1, 2)).detach() - 1).sum()
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()  # warning: [IPL304]
            if turn % 2 == 0:
                self.give_memory()
        return self.target(torch.ones(1, 2)).detach()


def case_a_target_is_given_the_memory_twice():
    return _Learner().learn_twice()


class _LearnerOfValues:
    def __init__(self):
        torch.manual_seed(0)
        self.online, self.target = nn.Linear(2, 1), nn.Linear(2, 1)
        self.optimizer = torch.optim.SGD(self.online.parameters(), lr=0.1)
        self.give_values()

    def give_values(self):
        for own, theirs in zip(self.target.parameters(), self.online.parameters()):
            own.data.copy_(theirs.data)

    def learn_values_twice(self):
        for turn in range(2):
            loss = (self.online(torch.ones(1, 2)) - self.target(torch.ones(1, 2)).detach() - 1).sum()
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            if turn % 2 == 0:
                self.give_values()
        return self.target(torch.ones(1, 2)).detach()


def case_a_target_is_given_the_memory_twice_cured():
    return _LearnerOfValues().learn_values_twice()
