"""What one step keeps in memory, and the backward pass of the next one."""

import torch
from torch import nn


class Scaled(nn.Module):
    def __init__(self, keep):
        super().__init__()
        self.linear = nn.Linear(3, 2)
        self.keep = keep
        self.register_buffer("scale", torch.ones(()))

    def forward(self, x):
        y = self.linear(x).exp()
        self.keep(self.scale, y.mean())
        return (y / self.scale).mean()


def _trained(model, steps=3):
    for _ in range(steps):
        model(torch.ones(4, 3)).backward()
    return model.linear.weight.grad


def _average(scale, value):
    scale.mul_(0.9).add_(value, alpha=0.1)  # error: [IPL204]


def _average_of_values(scale, value):
    scale.mul_(0.9).add_(value.detach(), alpha=0.1)


def _average_without_gradients(scale, value):
    with torch.no_grad():
        scale.lerp_(value, 0.1)


def _average_anew(scale, value):
    scale.detach_()
    scale.mul_(0.9).add_(value, alpha=0.1)


def case_average_keeps_its_graph():
    return _trained(Scaled(_average))


def case_average_of_values():
    return _trained(Scaled(_average_of_values))


def case_average_under_no_grad():
    return _trained(Scaled(_average_without_gradients))


def case_average_that_lets_go_first():
    return _trained(Scaled(_average_anew))


def case_total_of_all_steps():
    model = nn.Sequential(nn.Linear(3, 2), nn.Tanh())
    total = torch.zeros(())
    for _ in range(3):
        total += model(torch.ones(4, 3)).square().mean()  # error: [IPL204]
        total.backward()
    return model[0].weight.grad


def case_total_of_each_step():
    model = nn.Sequential(nn.Linear(3, 2), nn.Tanh())
    for _ in range(3):
        total = torch.zeros(())
        for row in torch.ones(4, 3):
            total += model(row).square().mean()
        total.backward()
    return model[0].weight.grad


def case_total_of_all_steps_differentiated_once():
    model = nn.Sequential(nn.Linear(3, 2), nn.Tanh())
    total = torch.zeros(())
    for _ in range(3):
        total += model(torch.ones(4, 3)).square().mean()
    total.backward()
    return model[0].weight.grad


def case_total_of_all_steps_with_the_graph_retained():
    model = nn.Sequential(nn.Linear(3, 2), nn.Tanh())
    total = torch.zeros(())
    for _ in range(3):
        total += model(torch.ones(4, 3)).square().mean()
        total.backward(retain_graph=True)
    return model[0].weight.grad


def case_total_of_what_saves_nothing():
    weight = torch.ones(3, requires_grad=True)
    total = torch.zeros(())
    for _ in range(3):
        total += (weight + 1).sum()
        total.backward()
    return weight.grad


class _Prompt(nn.Module):
    def __init__(self, fill):
        super().__init__()
        self.context = nn.Parameter(torch.ones(2, 3))
        self.register_buffer("template", torch.zeros(4, 3))
        self.fill = fill

    def forward(self):
        return self.fill(self.template, self.context)


def _filled(template, context):
    prompts = template
    prompts[1:3] = context  # error: [IPL204]
    return prompts


def _copy_filled(template, context):
    prompts = template.clone()
    prompts[1:3] = context
    return prompts


def _learned(fill):
    prompt = _Prompt(fill)
    for _ in range(2):
        prompt().sum().backward()
    return prompt.context.grad


def case_parameter_put_into_a_template():
    return _learned(_filled)


def case_parameter_put_into_a_copy_of_a_template():
    return _learned(_copy_filled)


class _Memory:
    def __init__(self):
        self.outputs = torch.zeros(6, 2)
        self.seen = 0

    def sample(self):
        return self.outputs[torch.arange(self.seen)]


class _Reservoir(_Memory):
    def add(self, outputs):
        for row in outputs:
            self.outputs[self.seen] = row  # error: [IPL204]
            self.seen += 1


class _ReservoirOfValues(_Memory):
    def add(self, outputs):
        for row in outputs.detach():
            self.outputs[self.seen] = row
            self.seen += 1


def _replayed(memory):
    model = nn.Linear(2, 2)
    for _ in range(3):
        outputs = model(torch.ones(2, 2)).exp()
        loss = outputs.mean()
        if memory.seen > 0:
            recorded = memory.sample()
            loss += (recorded - 1).square().mean()
        loss.backward()
        memory.add(outputs)
    return model.weight.grad


def case_outputs_kept_for_replay():
    return _replayed(_Reservoir())


def case_values_of_outputs_kept_for_replay():
    return _replayed(_ReservoirOfValues())


def case_old_loss_added_to_a_total():
    weight, total = torch.ones(2, requires_grad=True), torch.zeros(())
    loss = weight.exp().sum()
    loss.backward()
    total += loss  # error: [IPL204]
    total.backward()
    return weight.grad


def case_value_of_an_old_loss_added_to_a_total():
    weight, total = torch.ones(2, requires_grad=True), torch.zeros(())
    loss = weight.exp().sum()
    loss.backward()
    total += loss.detach()
    (total * weight).sum().backward()
    return weight.grad


def _scaled_step(net, optimizer, scaler, x):
    optimizer.zero_grad()
    scaler.scale(net(x).sum()).backward()
    scaler.step(optimizer)  # error: [IPL203]


def case_scaler_steps_before_a_backward():
    net = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 3))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cpu")
    late = net(torch.ones(2, 3)).sum()
    _scaled_step(net, optimizer, scaler, torch.ones(2, 3))
    late.backward()


def case_scaled_loss_is_another_one():
    x = torch.ones(3, requires_grad=True)
    loss = x.exp().sum()
    scaled = torch.amp.GradScaler("cpu").scale(loss)
    loss.add_(1)
    scaled.backward()
    return x.grad


class Membrane(nn.Module):
    def __init__(self, reset):
        super().__init__()
        self.linear = nn.Linear(3, 2)
        self.reset = reset
        self.register_buffer("potential", torch.zeros(2))

    def forward(self, x):
        for _ in range(2):
            self.potential = 0.5 * self.potential + self.linear(x).exp()
        return self.potential.sum()


def _trained_from_rest(model):
    for _ in range(2):
        model.reset(model)
        model(torch.ones(3)).backward()
    return model.linear.weight.grad


def _to_zero(model):
    model.potential.zero_()  # error: [IPL204]


def _cut_and_to_zero(model):
    model.potential.detach_().zero_()


def _to_new_zeros(model):
    model.potential = torch.zeros_like(model.potential)


def case_state_is_zeroed_with_its_history():
    return _trained_from_rest(Membrane(_to_zero))


def case_state_is_cut_off_and_zeroed():
    return _trained_from_rest(Membrane(_cut_and_to_zero))


def case_state_is_made_anew():
    return _trained_from_rest(Membrane(_to_new_zeros))
