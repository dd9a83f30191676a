"""Containers, objects and modules that have two names: what they hold is written by one, and read by the other."""

import copy
from dataclasses import dataclass

import torch
from torch import nn


def case_dictionary_with_two_names():
    first = {"a": torch.ones(3)}
    second = first
    second["a"] += 1  # warning: [IPL304]
    return first["a"] - second["a"]


def case_dictionary_with_two_names_cured():
    first = {"a": torch.ones(3)}
    second = {key: value.clone() for key, value in first.items()}
    second["a"] += 1
    return first["a"] - second["a"]


def case_list_with_two_names():
    rows = [torch.full((2,), float(i)) for i in range(3)]
    smooth = rows
    for i in range(1, 3):
        smooth[i].mul_(0.5).add_(smooth[i - 1], alpha=0.5)  # warning: [IPL304]
    return [row - mean for row, mean in zip(rows, smooth)]


def case_list_with_two_names_cured():
    rows = [torch.full((2,), float(i)) for i in range(3)]
    smooth = [row.clone() for row in rows]
    for i in range(1, 3):
        smooth[i].mul_(0.5).add_(smooth[i - 1], alpha=0.5)
    return [row - mean for row, mean in zip(rows, smooth)]


@dataclass
class State:
    position: torch.Tensor
    speed: torch.Tensor


def _moved(state, copied):
    new = State(state.position.clone(), state.speed) if copied else state
    new.position += state.speed
    return new


def _moved_in_place(state):
    new = state
    new.position += state.speed  # warning: [IPL304]
    return new


def case_object_with_two_names():
    first = State(torch.ones(2), torch.ones(2))
    second = _moved_in_place(first)
    return second.position - first.position


def case_object_with_two_names_cured():
    first = State(torch.ones(2), torch.ones(2))
    second = _moved(first, copied=True)
    return second.position - first.position


def _sum_in_first(states):
    total = states[0]
    for key in total:
        for other in states[1:]:
            total[key] += other[key]  # warning: [IPL304]
    return list(total.values())


def _sum_in_copy(states):
    total = copy.deepcopy(states[0])
    for key in total:
        for other in states[1:]:
            total[key] += other[key]
    return list(total.values())


def _sum_of_parts(states):
    total = states[0]
    for key in total:
        for other in states[1:]:
            total[key] += other[key]
    return total


def case_first_of_several_models_becomes_their_sum():
    models = [nn.Linear(2, 1) for _ in range(3)]
    for i, model in enumerate(models):
        nn.init.constant_(model.weight, i + 1.0)
        nn.init.zeros_(model.bias)
    total = _sum_in_first([model.state_dict() for model in models])
    return total, [model(torch.ones(1, 2)) for model in models]


def case_first_of_several_models_becomes_their_sum_cured():
    models = [nn.Linear(2, 1) for _ in range(3)]
    for i, model in enumerate(models):
        nn.init.constant_(model.weight, i + 1.0)
        nn.init.zeros_(model.bias)
    total = _sum_in_copy([model.state_dict() for model in models])
    return total, [model(torch.ones(1, 2)) for model in models]


def case_sum_of_parts_that_nobody_else_reads():
    parts = [{"loss": torch.ones(2), "count": torch.ones(1)} for _ in range(3)]
    total = _sum_of_parts(parts)
    return total["loss"] / total["count"]


def case_mean_of_models_in_the_first():
    models = [nn.Linear(2, 1) for _ in range(3)]
    for i, model in enumerate(models):
        nn.init.constant_(model.weight, i + 1.0)
        nn.init.zeros_(model.bias)
    mean = models[0]
    for model in models[1:]:
        for p, q in zip(mean.parameters(), model.parameters()):
            p.data += q.data  # warning: [IPL304]
    return [model(torch.ones(1, 2)) for model in models]


def case_mean_of_models_in_the_first_cured():
    models = [nn.Linear(2, 1) for _ in range(3)]
    for i, model in enumerate(models):
        nn.init.constant_(model.weight, i + 1.0)
        nn.init.zeros_(model.bias)
    mean = copy.deepcopy(models[0])
    for model in models[1:]:
        for p, q in zip(mean.parameters(), model.parameters()):
            p.data += q.data
    return [model(torch.ones(1, 2)) for model in models]


def case_mean_that_all_models_take_over():
    models = [nn.Linear(2, 1) for _ in range(3)]
    for i, model in enumerate(models):
        nn.init.constant_(model.weight, i + 1.0)
        nn.init.zeros_(model.bias)
    total = _sum_of_parts([model.state_dict() for model in models])
    for model in models:
        model.load_state_dict(total)
    return [model(torch.ones(1, 2)) for model in models]


def _trained(target_of):
    net = nn.Linear(2, 1, bias=False)
    nn.init.ones_(net.weight)
    target = target_of(net)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(3):
        loss = (net(torch.ones(1, 2)) - target(torch.ones(1, 2)).detach() - 1).square().sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return net.weight


def case_target_network_that_shares_parameters():
    net = nn.Linear(2, 1, bias=False)
    nn.init.ones_(net.weight)
    target = copy.copy(net)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(3):
        loss = (net(torch.ones(1, 2)) - target(torch.ones(1, 2)).detach() - 1).square().sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()  # warning: [IPL304]
    return net.weight


def case_target_network_that_shares_parameters_cured():
    return _trained(copy.deepcopy)


class Wrapped(nn.Module):
    def __init__(self, module):
        super().__init__()
        self.module = module

    def forward(self, x):
        return self.module(x)


def case_model_that_is_taken_out_to_change_it():
    wrapped = Wrapped(nn.Linear(2, 1))
    inner = wrapped.module
    with torch.no_grad():
        inner.weight.fill_(0.5)
        inner.bias.zero_()
    return wrapped(torch.ones(1, 2)), inner.weight.norm()


class Node:
    def __init__(self, value, following=None):
        self.value, self.following = value, following


def case_name_that_goes_from_object_to_object():
    head = Node(torch.ones(2), Node(torch.ones(2)))
    node = head
    while node is not None:
        node.value *= 2
        node = node.following
    return head.value + head.following.value


class Points:
    def __init__(self, values):
        self.values = values


def _clipped(points):
    copied = copy.copy(points)
    copied.values = copied.values + 1
    copied.values.clamp_(max=1.5)
    return copied


def case_copy_of_an_object_that_is_given_other_values():
    points = Points(torch.ones(3))
    return _clipped(points).values - points.values


def case_all_are_compared_with_one_of_them():
    particles = [{"at": torch.full((2,), float(i))} for i in range(3)]
    best = particles[1]
    for particle in particles:
        particle["at"] += 1
    return [particle["at"] - best["at"] for particle in particles]


def _counted(totals, loss):
    sums = totals
    sums["loss"] += loss
    return sums


def case_argument_that_is_given_back_under_its_name():
    totals = {"loss": torch.zeros(())}
    for i in range(3):
        totals = _counted(totals, float(i))
    return totals["loss"] / 3


def _stepped(state):
    state["at"] += state["speed"]  # warning: [IPL304]
    return state


def case_what_a_step_gave_is_compared_with_what_it_was_given():
    before = {"at": torch.zeros(2), "speed": torch.ones(2)}
    after = _stepped(before)
    return torch.dist(after["at"], before["at"])


def case_what_a_step_gave_is_compared_with_what_it_was_given_cured():
    before = {"at": torch.zeros(2), "speed": torch.ones(2)}
    after = {"at": before["at"] + before["speed"]}
    return torch.dist(after["at"], before["at"])


def _weighted_in_first(states, shares):
    total = states[0]
    for key in total:
        total[key] *= shares[0]
        for state, share in zip(states[1:], shares[1:], strict=True):
            total[key] += state[key] * share  # warning: [IPL304]
    return list(total.values())


def _weighted_in_copy(states, shares):
    total = copy.deepcopy(states[0])
    for key in total:
        total[key] *= shares[0]
        for state, share in zip(states[1:], shares[1:], strict=True):
            total[key] += state[key] * share
    return list(total.values())


def case_first_of_several_models_becomes_their_weighted_mean():
    models = [nn.Linear(2, 1) for _ in range(2)]
    for i, model in enumerate(models):
        nn.init.constant_(model.weight, i + 1.0)
        nn.init.zeros_(model.bias)
    mean = _weighted_in_first([model.state_dict() for model in models], [0.25, 0.75])
    return mean, [model(torch.ones(1, 2)) for model in models]


def case_first_of_several_models_becomes_their_weighted_mean_cured():
    models = [nn.Linear(2, 1) for _ in range(2)]
    for i, model in enumerate(models):
        nn.init.constant_(model.weight, i + 1.0)
        nn.init.zeros_(model.bias)
    mean = _weighted_in_copy([model.state_dict() for model in models], [0.25, 0.75])
    return mean, [model(torch.ones(1, 2)) for model in models]


def case_other_row_of_a_batch():
    batch = {"image": torch.ones(2, 4)}
    noisy = batch
    noisy["image"][0] += 1
    return batch["image"][1].sum() + noisy["image"][1].sum()


class Twins(nn.Module):
    def __init__(self, net):
        super().__init__()
        self.net, self.twin = net, copy.copy(net)

    def forward(self, x):
        return self.net(x) + self.twin(x)


def case_copy_is_part_of_a_larger_module():
    twins = Twins(nn.Linear(2, 1))
    optimizer = torch.optim.SGD(twins.net.parameters(), lr=0.1)
    for _ in range(2):
        optimizer.zero_grad()
        twins(torch.ones(2)).sum().backward()
        optimizer.step()
    return twins.twin(torch.ones(2)).shape


def case_first_of_a_list_grows():
    states = [{"at": torch.ones(3)}, {"at": torch.zeros(3)}]
    first = states[0]
    first["at"] += 0.1 * first["at"]
    return states[0]["at"].sum()


def case_first_of_a_list_moves_by_a_step():
    states = [{"at": torch.ones(3)}, {"at": torch.zeros(3)}]
    steps = [{"at": torch.ones(3)}, {"at": torch.ones(3)}]
    first = states[0]
    first["at"] += steps[1]["at"]
    return states[0]["at"].sum()


class _Attack:
    def __init__(self, model):
        self.model = model

    def __call__(self, x):
        self.model.eval()
        loss = self.model(x).sum()
        self.model.train()
        return x + loss.detach()


class _Trainer:
    def __init__(self, model):
        self.model = model

    def train(self, x):
        self.model(x).sum().backward()


def case_model_shared_by_attack_and_trainer():
    model = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
    trainer = _Trainer(model)
    for _ in range(2):
        trainer.train(torch.rand(3, 2))
    return _Attack(model)(torch.ones(3, 2))


def _same_weights(nets, chosen):
    for net in nets:
        other = net if chosen else nn.Linear(2, 1)
        others = list(other.parameters())
        for i, weight in enumerate(list(net.parameters())):
            if not others[i].eq(weight).all():
                return False
    return True


def case_weights_that_were_filled_before_there_was_a_second_name():
    nets = [nn.Linear(2, 1)]
    for weight in nets[0].parameters():
        weight.data.fill_(1.0)
    return _same_weights(nets, True)


class _Agent:
    def __init__(self, online):
        self.online = online
        self.target = self.online  # warning: [IPL304]
        self.optimizer = torch.optim.SGD(self.online.parameters(), lr=0.1)

    def learn(self, now, later):
        with torch.no_grad():
            wanted = self.target(later) + 1
        loss = (self.online(now) - wanted).square().mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()


class _CopyingAgent:
    def __init__(self, online):
        self.online = online
        self.target = copy.deepcopy(self.online)
        self.optimizer = torch.optim.SGD(self.online.parameters(), lr=0.1)

    def learn(self, now, later):
        with torch.no_grad():
            wanted = self.target(later) + 1
        loss = (self.online(now) - wanted).square().mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()


def case_target_network_by_reference():
    agent = _Agent(nn.Linear(2, 1))
    for _ in range(2):
        agent.learn(torch.ones(3, 2), torch.ones(3, 2))
    return agent.target.weight.detach()


def case_target_network_by_reference_cured():
    agent = _CopyingAgent(nn.Linear(2, 1))
    for _ in range(2):
        agent.learn(torch.ones(3, 2), torch.ones(3, 2))
    return agent.target.weight.detach()


def _distilled(net, momentum):
    teacher = copy.deepcopy(net) if momentum else net
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for x in torch.ones(2, 3, 2):
        loss = (net(x) - teacher(x).detach() - 1).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return net.weight.detach()


def case_teacher_that_an_option_makes_the_student_itself():
    return _distilled(nn.Linear(2, 1), False)


def _embedded(source, ids):
    target_embedding = source
    optimizer = torch.optim.SGD(source.parameters(), lr=0.1)
    for _ in range(2):
        loss = (source(ids) * target_embedding(ids)).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return source.weight.detach()


def case_embeddings_that_two_sides_share():
    return _embedded(nn.Embedding(3, 2), torch.arange(3))


class _Throttle:
    def __init__(self):
        self.seen = torch.zeros(2)

    def hook(self, slot):
        def scaled(grad):
            self.seen[slot] += grad.norm()
            return grad * 0.5

        return scaled


class _Fusion:
    def __init__(self, throttle):
        self.throttle = throttle

    def forward(self, x):
        a, b = x * 2, x * 3
        a.register_hook(self.throttle.hook(0))
        b.register_hook(self.throttle.hook(1))
        return a + b


def case_an_object_is_given_another_to_work_on():
    throttle = _Throttle()
    fusion = _Fusion(throttle)
    x = torch.ones(2, requires_grad=True)
    history = []
    for _ in range(3):
        fusion.forward(x).sum().backward()
        history.append((throttle.seen / 2).tolist())
        throttle.seen.zero_()
    return history


def averaged_by_key(states):
    mean = {}
    for state in states:
        for key, value in state.items():
            if key in mean:
                mean[key] += value  # warning: [IPL304]
            else:
                mean[key] = value
    return {key: value / len(states) for key, value in mean.items()}


def averaged_by_key_apart(states):
    mean = {}
    for state in states:
        for key, value in state.items():
            if key in mean:
                mean[key] += value
            else:
                mean[key] = value.clone()
    return {key: value / len(states) for key, value in mean.items()}


def case_average_that_begins_with_a_weight():
    layers = [nn.Linear(2, 1), nn.Linear(2, 1)]
    for layer in layers:
        nn.init.ones_(layer.weight)
    averaged_by_key([layer.state_dict() for layer in layers])
    return layers[0].weight.sum()


def case_average_that_begins_with_a_weight_cured():
    layers = [nn.Linear(2, 1), nn.Linear(2, 1)]
    for layer in layers:
        nn.init.ones_(layer.weight)
    averaged_by_key_apart([layer.state_dict() for layer in layers])
    return layers[0].weight.sum()


def summed_by_key(states):
    total = {}
    for state in states:
        for key, value in state.items():
            if key in total:
                total[key] += value
            else:
                total[key] = value
    return total


def case_sum_that_is_read_by_its_key():
    return summed_by_key([{"a": torch.ones(2)}, {"a": torch.ones(2)}])["a"].sum()
