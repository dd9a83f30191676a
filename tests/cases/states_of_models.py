"""States of models: `state_dict()` is the memory of the model, so what is changed for another model changes this one."""

import copy

import torch
from torch import nn


def _nets(count):
    torch.manual_seed(0)
    return [nn.Linear(2, 1) for _ in range(count)]


def case_delta_merged_for_another_model():
    net, other = _nets(2)
    merged = net.state_dict()
    for name in merged:
        merged[name] += 0.5  # warning: [IPL304]
    other.load_state_dict(merged)
    x = torch.ones(3, 2)
    return other(x) - net(x)


def case_delta_merged_for_another_model_cured():
    net, other = _nets(2)
    merged = copy.deepcopy(net.state_dict())
    for name in merged:
        merged[name] += 0.5
    other.load_state_dict(merged)
    x = torch.ones(3, 2)
    return other(x) - net(x)


class _Server:
    def __init__(self, clients):
        self.clients = clients
        self.model = nn.Linear(2, 1)

    def aggregate(self, shares):
        state = self.clients[0].state_dict()
        for key in state:
            state[key] *= shares[0]  # warning: [IPL304]
            for client, share in zip(self.clients[1:], shares[1:], strict=True):
                state[key] += client.state_dict()[key] * share  # warning: [IPL304]
        self.model.load_state_dict(state)


class _ServerOfItsOwn:
    def __init__(self, clients):
        self.clients = clients
        self.model = nn.Linear(2, 1)

    def aggregate(self, shares):
        state = copy.deepcopy(self.clients[0].state_dict())
        for key in state:
            state[key] *= shares[0]
            for client, share in zip(self.clients[1:], shares[1:], strict=True):
                state[key] += client.state_dict()[key] * share
        self.model.load_state_dict(state)


def case_weighted_average_in_the_state_of_the_first():
    server = _Server(_nets(3))
    server.aggregate([0.5, 0.25, 0.25])
    return torch.stack([client(torch.ones(2)) for client in server.clients])


def case_weighted_average_in_the_state_of_the_first_cured():
    server = _ServerOfItsOwn(_nets(3))
    server.aggregate([0.5, 0.25, 0.25])
    return torch.stack([client(torch.ones(2)) for client in server.clients])


def case_average_that_all_take_over():
    nets = _nets(3)
    state = nets[0].state_dict()
    for key in state:
        for net in nets[1:]:
            state[key] += net.state_dict()[key]
        state[key] /= len(nets)
    for net in nets:
        net.load_state_dict(state)
    return torch.stack([net(torch.ones(2)) for net in nets])


def case_state_that_is_changed_and_loaded_back():
    (net,) = _nets(1)
    state = net.state_dict()
    for key in state:
        state[key] *= 0.9
    net.load_state_dict(state)
    return net(torch.ones(2))


def _averaged(models):
    first = models[0]
    for own, *others in zip(first.parameters(), *[model.parameters() for model in models[1:]], strict=True):
        for other in others:
            own.data += other.data  # warning: [IPL304]
        own.data /= len(models)  # warning: [IPL304]
    return first


def _averaged_copy(models):
    return _averaged_in(copy.deepcopy(models[0]), models[1:])


def _averaged_in(first, models):
    for own, *others in zip(first.parameters(), *[model.parameters() for model in models], strict=True):
        for other in others:
            own.data += other.data
        own.data /= len(models) + 1
    return first


def case_average_in_the_parameters_of_the_first():
    nets = _nets(3)
    mean = _averaged(nets)
    return torch.stack([(a - b).norm() for a, b in zip(mean.parameters(), nets[0].parameters(), strict=True)])


def case_average_in_the_parameters_of_the_first_cured():
    nets = _nets(3)
    mean = _averaged_copy(nets)
    return torch.stack([(a - b).norm() for a, b in zip(mean.parameters(), nets[0].parameters(), strict=True)])
