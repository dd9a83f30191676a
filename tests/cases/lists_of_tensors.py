"""Ops on lists of tensors: each does to every tensor what the method does."""

import torch
from torch import nn


def case_weights_are_swapped_between_forward_and_backward():
    model = nn.Sequential(nn.Linear(3, 3), nn.Tanh(), nn.Linear(3, 1))
    average = AverageWithin(model)
    loss = model(torch.rand(2, 3)).sum()
    average.swap()
    loss.backward()
    return model[0].weight.grad


class Average:
    def __init__(self, model):
        self.params = list(model.parameters())
        self.shadow = [param.detach().clone() for param in self.params]

    @torch.no_grad()
    def update(self):
        torch._foreach_lerp_(self.shadow, self.params, 0.1)


class AverageWithin(Average):
    @torch.no_grad()
    def swap(self):
        torch._foreach_copy_(self.params, self.shadow)  # error: [IPL203]


def case_weights_are_swapped_after_backward():
    model = nn.Sequential(nn.Linear(3, 3), nn.Tanh(), nn.Linear(3, 1))
    average = AverageAfter(model)
    loss = model(torch.rand(2, 3)).sum()
    loss.backward()
    average.update()
    average.swap()
    return model[0].weight.grad


class AverageAfter(Average):
    @torch.no_grad()
    def swap(self):
        torch._foreach_copy_(self.params, self.shadow)


def case_the_bias_is_not_what_the_layer_keeps():
    model = nn.Sequential(nn.Linear(3, 3), nn.Tanh(), nn.Linear(3, 1))
    weight, bias = list(model.parameters())[2:]
    loss = model(torch.rand(2, 3)).sum()
    with torch.no_grad():
        bias.zero_()
    loss.backward()
    loss = model(torch.rand(2, 3)).sum()
    with torch.no_grad():
        weight.zero_()  # error: [IPL203]
    loss.backward()


def case_leaves_in_a_list():
    weights = [nn.Parameter(torch.ones(3)) for _ in range(2)]
    torch._foreach_mul_(weights, 2.0)  # error: [IPL101]


def case_gates_in_a_list():
    x = torch.rand(3, requires_grad=True)
    gates = [torch.sigmoid(x), torch.sigmoid(2 * x)]
    torch._foreach_mul_(gates, [2.0, 3.0])  # error: [IPL202]
    (gates[0] + gates[1]).sum().backward()


def case_gates_made_and_scaled_as_lists():
    x = torch.rand(3, requires_grad=True)
    gates = torch._foreach_mul(torch._foreach_sigmoid([x, 2 * x]), 2.0)
    (gates[0] + gates[1]).sum().backward()
    return x.grad


def case_gradients_are_clipped_as_a_list():
    model = nn.Linear(3, 1)
    model(torch.rand(2, 3)).sum().backward()
    grads = [param.grad for param in model.parameters()]
    total = torch.linalg.vector_norm(torch.stack(torch._foreach_norm(grads)))
    torch._foreach_div_(grads, total)
    return grads[0]


def case_moments_of_a_handwritten_optimizer():
    params = [torch.ones(3, requires_grad=True), torch.ones(2, requires_grad=True)]
    moments = [torch.zeros_like(param) for param in params]
    squares = [torch.zeros_like(param) for param in params]
    for _ in range(3):
        loss = sum((param**2).sum() for param in params)
        grads = torch.autograd.grad(loss, params)
        with torch.no_grad():
            torch._foreach_lerp_(moments, grads, 0.1)
            torch._foreach_mul_(squares, 0.99)
            torch._foreach_addcmul_(squares, grads, grads, value=0.01)
            roots = torch._foreach_sqrt(squares)
            torch._foreach_add_(roots, 1e-8)
            torch._foreach_addcdiv_(params, moments, roots, value=-0.1)
    return params[0]


def case_views_filled_at_once():
    weight = torch.ones(3, requires_grad=True)
    rows = torch.zeros(2, 3)
    first, second = rows[0], rows[1]
    torch._foreach_add_([first, second], [weight, weight])
    rows.sum().backward()
    return weight.grad


def case_views_filled_one_by_one():
    weight = torch.ones(3, requires_grad=True)
    rows = torch.zeros(2, 3)
    first, second = rows[0], rows[1]
    first.add_(weight)
    second.add_(weight)  # error: [IPL101]


def case_gradients_kept_while_they_are_cleared():
    model = nn.Linear(2, 1)
    model(torch.ones(1, 2)).sum().backward()
    kept = [param.grad for param in model.parameters()]
    model.zero_grad(set_to_none=False)  # warning: [IPL304]
    return torch.autograd.grad(list(model.parameters()), list(model.parameters()), grad_outputs=kept)


def case_gradients_kept_while_they_are_cleared_cured():
    model = nn.Linear(2, 1)
    model(torch.ones(1, 2)).sum().backward()
    kept = [param.grad.clone() for param in model.parameters()]
    model.zero_grad(set_to_none=False)
    return torch.autograd.grad(list(model.parameters()), list(model.parameters()), grad_outputs=kept)
