"""Parameters set to what is computed from others: these get no gradient, though the values are right."""

import copy

import torch
from torch import nn
from torch.func import functional_call


class _Generated(nn.Module):
    def __init__(self):
        super().__init__()
        self.maker = nn.Linear(4, 9)
        self.layer = nn.Linear(3, 3)

    def forward(self, x, z):
        self.layer.weight.data = self.maker(z).view(3, 3)  # warning: [IPL401]
        return self.layer(x)

    def copied(self, x, z):
        self.layer.weight.data.copy_(self.maker(z).view(3, 3))  # warning: [IPL401]
        return self.layer(x)

    def functional(self, x, z):
        return nn.functional.linear(x, self.maker(z).view(3, 3), self.layer.bias)

    def without_gradients(self, x, z):
        with torch.no_grad():
            self.layer.weight.data.copy_(self.maker(z).view(3, 3))
        return self.layer(x)

    def of_values(self, x, z):
        self.layer.weight.data.copy_(self.maker(z).detach().view(3, 3))
        return self.layer(x)

    def rounded(self, x):
        self.layer.weight.data = self.layer.weight.sign() * self.layer.weight.abs().mean()
        return self.layer(x)


class _Between(nn.Module):
    def __init__(self, one, other, mixed):
        super().__init__()
        self.one = one
        self.other = other
        self.mixed = mixed

    def forward(self, x, t):
        for a, b, c in zip(self.one.parameters(), self.other.parameters(), self.mixed.parameters()):
            c.data = t * a + (1 - t) * b  # warning: [IPL401]
        return self.mixed(x)


def followed(net, target, tau):
    for p, q in zip(net.parameters(), target.parameters()):
        q.data.copy_(tau * p + (1 - tau) * q)
    return target


class _MetaStep(nn.Module):
    def __init__(self, graph):
        super().__init__()
        self.model, self.graph = nn.Linear(2, 1), graph
        self.size = nn.ParameterList(nn.Parameter(torch.full_like(p, 0.1)) for p in self.model.parameters())

    def gradients(self, model, x):
        loss = model(x).square().mean()
        return torch.autograd.grad(loss, list(model.parameters()), create_graph=self.graph)


class _StepUnseen(_MetaStep):
    def forward(self, x):
        adapted = copy.deepcopy(self.model)
        for param, size, grad in zip(adapted.parameters(), self.size, self.gradients(adapted, x)):
            param.data -= size * grad  # warning: [IPL401]
        return adapted(x)


class _Step(_MetaStep):
    def forward(self, x):
        names = [name for name, _ in self.model.named_parameters()]
        params = zip(self.model.parameters(), self.size, self.gradients(self.model, x))
        adapted = {name: param - size * grad for name, (param, size, grad) in zip(names, params)}
        return functional_call(self.model, adapted, (x,))


def _learned_sizes(make):
    torch.manual_seed(0)
    step = make(True)
    step(torch.ones(3, 2)).sum().backward()
    return [size.grad is not None for size in step.size]


def case_step_of_learned_size_unseen():
    return _learned_sizes(_StepUnseen)


def case_step_of_learned_size_unseen_cured():
    return _learned_sizes(_Step)


def _step_along(read_later):
    torch.manual_seed(0)
    layer, size = nn.Linear(2, 1), nn.Parameter(torch.tensor(0.1))
    layer(torch.ones(3, 2)).square().mean().backward()
    read_later(layer, size)
    layer(torch.ones(3, 2)).sum().backward()
    return size.grad is not None


def _moved(layer, size):
    layer.weight.data.sub_(size * layer.weight.grad)  # warning: [IPL401]


def case_gradient_scaled_by_a_parameter():
    return _step_along(_moved)


def _moved_seen(layer, size):
    moved = layer.weight.detach() - size * layer.weight.grad
    del layer.weight
    layer.weight = moved


def case_gradient_scaled_by_a_parameter_cured():
    return _step_along(_moved_seen)


def _moved_by_its_value(layer, size):
    layer.weight.data.sub_(size.detach() * layer.weight.grad)
    layer.bias.data -= size.item() * layer.bias.grad


def case_gradient_scaled_by_the_value_of_a_parameter():
    return _step_along(_moved_by_its_value)


class _NumberedStep(_MetaStep):
    def forward(self, x):
        gradients = self.gradients(self.model, x)
        for param, grad in zip(self.model.parameters(), gradients):
            param.data -= 0.1 * grad
        return self.model(x) + sum(grad.square().sum() for grad in gradients)


def case_gradients_with_a_history_for_a_penalty():
    torch.manual_seed(0)
    step = _NumberedStep(True)
    step(torch.ones(3, 2)).sum().backward()
    return [param.grad for param in step.model.parameters()]


def case_moving_average_of_live_weights():
    torch.manual_seed(0)
    live, average = nn.Linear(2, 1), nn.Linear(2, 1)
    live(torch.ones(3, 2)).square().mean().backward()
    for mean, param in zip(average.parameters(), live.parameters()):
        mean.data.add_(0.1 * (param - mean.data))
    return (average(torch.ones(3, 2)) - live(torch.ones(3, 2))).sum().detach()


class _StepAssigned(_MetaStep):
    def forward(self, x):
        adapted = copy.deepcopy(self.model)
        for param, size, grad in zip(adapted.parameters(), self.size, self.gradients(adapted, x)):
            param.data = param.data - size.abs() * grad  # warning: [IPL401]
        return adapted(x)


class _StepCopied(_MetaStep):
    def forward(self, x):
        adapted = copy.deepcopy(self.model)
        for param, size, grad in zip(adapted.parameters(), self.size, self.gradients(adapted, x)):
            param.data.copy_(param.data - size * grad)  # warning: [IPL401]
        return adapted(x)


def case_step_of_learned_size_assigned():
    return _learned_sizes(_StepAssigned)


def case_step_of_learned_size_assigned_cured():
    return _learned_sizes(_Step)


def _learned_sizes_of_first_order(make):
    torch.manual_seed(0)
    step = make(False)
    step(torch.ones(3, 2)).sum().backward()
    return [size.grad is not None for size in step.size]


def case_step_of_learned_size_copied():
    return _learned_sizes_of_first_order(_StepCopied)


def case_step_of_learned_size_copied_cured():
    return _learned_sizes_of_first_order(_Step)


class _Branches(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(3, 3), nn.Linear(3, 3)

    def fused(self):
        layer = nn.Linear(3, 3)
        layer.weight.data = self.first.weight + self.second.weight
        layer.bias.data = self.first.bias + self.second.bias
        return layer


def case_layer_made_to_be_deployed():
    torch.manual_seed(0)
    layer = _Branches().fused()
    return layer(torch.ones(3)).detach()


def turned_if_asked(weight, turn):
    if not turn:
        return weight
    if isinstance(weight, nn.Parameter):
        return nn.Parameter(weight.T)
    return weight.T


def scaled_difference(module, name):
    a, b = module.down[name].weight, module.up[name].weight
    difference = (b * module.scales[name]) @ a
    return turned_if_asked(difference, module.turns).mul_(module.factor)


class Adapter:
    turns, factor = True, 2.0
    scales = {"own": torch.ones(3)}

    def __init__(self):
        self.down, self.up = {"own": nn.Linear(3, 3)}, {"own": nn.Linear(3, 3)}


def case_product_of_parameters_is_none():
    return eval("scaled_difference")(Adapter(), "own")
