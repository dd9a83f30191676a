"""Gradients asked for by name, kept, or differentiated again."""

import torch
import torch.nn.functional as F
from torch import nn


def case_gradient_of_the_written():
    start = torch.tensor([-1.0, 2.0], requires_grad=True)
    x = start * 3
    return torch.autograd.grad(F.relu_(x).sum(), (x,))  # warning: [IPL402]


def case_gradient_of_the_written_cured():
    start = torch.tensor([-1.0, 2.0], requires_grad=True)
    x = start * 3
    return torch.autograd.grad(F.relu_(x.clone()).sum(), (x,))


def case_gradient_of_the_written_by_name():
    start = torch.tensor([-1.0, 2.0], requires_grad=True)
    x = start * 3
    y = F.relu(x, inplace=True)  # warning: [IPL402]
    return torch.autograd.grad(y.sum(), x)


def case_gradient_of_the_written_by_name_cured():
    start = torch.tensor([-1.0, 2.0], requires_grad=True)
    x = start * 3
    y = F.relu(x)
    return torch.autograd.grad(y.sum(), x)


def case_gradient_of_a_meant_write():
    start = torch.tensor([-1.0, 2.0], requires_grad=True)
    x = start * 3
    x += 0.5
    return torch.autograd.grad((x**2).sum(), x)


def case_gradient_of_the_start():
    start = torch.tensor([-1.0, 2.0], requires_grad=True)
    return torch.autograd.grad(F.relu_(start * 3).sum(), start)


def case_kept_gradient_of_the_written():
    start = torch.tensor([-1.0, 2.0], requires_grad=True)
    x = start * 3
    x.retain_grad()
    y = F.relu_(x)  # warning: [IPL402]
    y.sum().backward()
    return x.grad


def case_kept_gradient_of_the_written_cured():
    start = torch.tensor([-1.0, 2.0], requires_grad=True)
    x = start * 3
    x.retain_grad()
    y = F.relu(x)
    y.sum().backward()
    return x.grad


def case_kept_gradient_of_a_rebound_name():
    start = torch.tensor([-1.0, 2.0], requires_grad=True)
    x = start * 3
    x = F.relu(x, inplace=True)
    x.retain_grad()
    x.sum().backward()
    return x.grad


def case_graph_kept_then_written():
    x = torch.rand(3, requires_grad=True)
    y = x.exp()
    y.sum().backward(retain_graph=True)
    y += 1  # error: [IPL202]
    y.sum().backward()
    return x.grad


def case_graph_kept_and_left_alone():
    x = torch.rand(3, requires_grad=True)
    y = x.exp()
    y.sum().backward(retain_graph=True)
    y.sum().backward()
    return x.grad


def case_graph_not_kept_then_written():
    x = torch.rand(3, requires_grad=True)
    y = x.exp()
    y.sum().backward()
    y.detach().add_(1)
    return x.grad


def case_gradient_penalty():
    x = torch.rand(3, requires_grad=True)
    score = x.square().sum()
    (gradient,) = torch.autograd.grad(score, x, create_graph=True)
    penalty = (gradient.norm() - 1) ** 2
    penalty.backward()
    return x.grad


def case_gradient_penalty_written_after_it_was_saved():
    x = torch.rand(3, requires_grad=True)
    score = (x**3).sum()
    (gradient,) = torch.autograd.grad(score, x, create_graph=True)
    penalty = (gradient**2).sum()
    gradient.mul_(2)  # error: [IPL201]
    penalty.backward()
    return x.grad


def case_gradient_without_a_graph_written():
    x = torch.rand(3, requires_grad=True)
    (gradient,) = torch.autograd.grad((x**3).sum(), x)
    gradient.mul_(2)
    gradient[0] = 0.0
    return gradient


def case_several_losses_in_one_call():
    x = torch.rand(3, requires_grad=True)
    y = x.exp()
    first, second = y.sum(), (y * 2).sum()
    y.mul_(2)  # error: [IPL202]
    torch.autograd.backward([first, second])
    return x.grad


def case_leaf_gradients_zeroed_between():
    x = torch.rand(3, requires_grad=True)
    x.square().sum().backward()
    x.grad.zero_()
    x.exp().sum().backward()
    return x.grad


def case_gradients_kept_before_clipping():
    layer = nn.Linear(2, 2)
    (layer(torch.rand(1, 2)).sum() * 9).backward()
    before = {name: parameter.grad for name, parameter in layer.named_parameters()}
    nn.utils.clip_grad_norm_(layer.parameters(), 0.1)  # warning: [IPL304]
    return before["weight"] * 1


def case_gradients_kept_while_more_are_added():
    w = torch.rand(2, requires_grad=True)
    (w * 2).sum().backward()
    first = [w.grad]
    (w * 3).sum().backward()  # warning: [IPL304]
    return first[0] * 1


def case_gradients_kept_while_the_next_are_new():
    layer = nn.Linear(2, 1)
    kept = []
    for _ in range(2):
        layer.zero_grad()
        layer(torch.rand(1, 2)).sum().backward()
        kept.append(layer.weight.grad)
    return kept[0] + kept[1]


def case_gradients_read_where_they_are():
    w = torch.rand(2, requires_grad=True)
    (w * 2).sum().backward()
    size = w.grad.norm()
    (w * 3).sum().backward()
    return size, w.grad.norm()


def case_gradients_kept_before_clipping_cured():
    layer = nn.Linear(2, 2)
    (layer(torch.rand(1, 2)).sum() * 9).backward()
    before = {name: parameter.grad.clone() for name, parameter in layer.named_parameters()}
    nn.utils.clip_grad_norm_(layer.parameters(), 0.1)
    return before["weight"] * 1


def case_gradients_kept_while_more_are_added_cured():
    w = torch.rand(2, requires_grad=True)
    (w * 2).sum().backward()
    first = [w.grad.clone()]
    (w * 3).sum().backward()
    return first[0] * 1


def _gradients_of_addends(scaled):
    first, second = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    loss = ((first + second) * torch.tensor([1.0, 2.0])).sum()
    return scaled(torch.autograd.grad(loss, [first, second]))


def _scaled_in_place(grads):
    for grad, scale in zip(grads, (0.5, 3.0), strict=True):
        grad.mul_(scale)  # warning: [IPL306]
    return grads


def _scaled(grads):
    return [grad * scale for grad, scale in zip(grads, (0.5, 3.0), strict=True)]


def case_one_gradient_for_two_addends():
    return _gradients_of_addends(_scaled_in_place)


def case_one_gradient_for_two_addends_cured():
    return _gradients_of_addends(_scaled)


def case_gradients_of_factors_are_apart():
    first, second = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    loss = (first * second + first).sum()
    grads = torch.autograd.grad(loss, [first, second])
    for grad in grads:
        grad.mul_(2.0)
    return grads


def case_gradients_of_addends_of_other_sizes_are_apart():
    rows, bias = torch.ones(3, 2, requires_grad=True), torch.ones(2, requires_grad=True)
    loss = ((rows + bias) * torch.arange(6.0).view(3, 2)).sum()
    grads = torch.autograd.grad(loss, [rows, bias])
    for grad in grads:
        grad.mul_(2.0)
    return grads


def _fitted_with_norm():
    torch.manual_seed(0)
    net = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    net(torch.ones(3, 2)).square().sum().backward()
    return net, optimizer


def case_norm_that_squares_the_gradients():
    net, optimizer = _fitted_with_norm()
    norm = sum(p.grad.data.pow_(2).sum().item() for p in net.parameters()) ** 0.5  # warning: [IPL301]
    optimizer.step()
    return net.weight.detach() + 0 * norm


def case_norm_that_squares_the_gradients_cured():
    net, optimizer = _fitted_with_norm()
    norm = sum(p.grad.data.pow(2).sum().item() for p in net.parameters()) ** 0.5
    optimizer.step()
    return net.weight.detach() + 0 * norm


def case_gradients_scaled_before_the_step():
    net, optimizer = _fitted_with_norm()
    for p in net.parameters():
        p.grad.data.clamp_(-1, 1)
        p.grad += 0.01 * p.data
    scaled = net.weight.grad.mul_(0.5)
    largest = scaled.abs().max()
    optimizer.step()
    return net.weight.detach() + 0 * largest


def traced(out, x, weights, count, create_graph):
    """What is differentiated is not known here; each turn differentiates with the gradient of the last one."""
    product, total = weights, 0
    for _ in range(count):
        product = torch.autograd.grad(out, x, product, create_graph=create_graph, retain_graph=True)[0]
        total = total + product.view(-1).mul_(weights.view(-1)).sum()  # warning: [IPL301]
    return total


def case_gradient_overwritten_before_it_is_given_back():
    x = torch.tensor([0.2, 0.4], requires_grad=True)
    return traced(x.square(), x, torch.tensor([2.0, 3.0]), 2, False)


def traced_apart(out, x, weights, count, create_graph):
    product, total = weights, 0
    for _ in range(count):
        product = torch.autograd.grad(out, x, product, create_graph=create_graph, retain_graph=True)[0]
        total = total + product.view(-1).mul(weights.view(-1)).sum()
    return total


def case_gradient_overwritten_before_it_is_given_back_cured():
    x = torch.tensor([0.2, 0.4], requires_grad=True)
    return traced_apart(x.square(), x, torch.tensor([2.0, 3.0]), 2, False)


def penalized(out, x):
    gradient = torch.autograd.grad(out.sum(), x, create_graph=True)[0]
    penalty = gradient.norm()
    gradient.mul_(2)  # warning: [IPL201]
    return penalty


def reported(out, x):
    gradient = torch.autograd.grad(out.sum(), x)[0]
    size = gradient.norm()
    gradient.mul_(2)
    return size, gradient


def case_variable_of_a_search_is_projected():
    x = torch.ones(3)
    d = (x * 1).requires_grad_()
    for _ in range(3):
        (g,) = torch.autograd.grad((d**3).sum(), d)
        d.data.sub_(g, alpha=0.1)
        d.data.add_(x).clamp_(0, 1).sub_(x)
    return d.detach().clone()


def case_step_that_is_to_be_differentiated():
    w = torch.ones(3, requires_grad=True)
    fast = w * 1
    (g,) = torch.autograd.grad((fast**3).sum(), fast, create_graph=True)
    fast.data.sub_(0.1 * g)  # warning: [IPL401]
    (fast**2).sum().backward()
    return w.grad


def case_step_that_is_to_be_differentiated_cured():
    w = torch.ones(3, requires_grad=True)
    fast = w * 1
    (g,) = torch.autograd.grad((fast**3).sum(), fast, create_graph=True)
    fast = fast - 0.1 * g
    (fast**2).sum().backward()
    return w.grad
