"""Inner steps along gradients that were recorded, so that a second pass goes through them."""

import torch
from torch import nn
from torch.func import functional_call


def fitted(net, x, lr):
    params = dict(net.named_parameters())
    loss = functional_call(net, params, (x,)).exp().mean()
    grads = torch.autograd.grad(loss, tuple(params.values()), create_graph=True)
    for p, g in zip(params.values(), grads):
        p.data.add_(g, alpha=-lr)  # warning: [IPL401]
    return functional_call(net, params, (x,)).exp().mean()


def fitted_apart(net, x, lr):
    params = dict(net.named_parameters())
    loss = functional_call(net, params, (x,)).exp().mean()
    grads = torch.autograd.grad(loss, tuple(params.values()), create_graph=True)
    params = {name: p - lr * g for (name, p), g in zip(params.items(), grads)}
    return functional_call(net, params, (x,)).exp().mean()


def one_layer():
    net = nn.Linear(2, 1)
    with torch.no_grad():
        for p in net.parameters():
            p.fill_(0.5)
    return net


def case_inner_step_of_the_parameters_themselves():
    net = eval("one_layer")()
    eval("fitted")(net, torch.ones(1, 2), 0.1).backward()
    return net.weight.grad


def case_inner_step_of_the_parameters_themselves_cured():
    net = eval("one_layer")()
    eval("fitted_apart")(net, torch.ones(1, 2), 0.1).backward()
    return net.weight.grad


def stepped(net, x, lr):
    params = dict(net.named_parameters())
    loss = functional_call(net, params, (x,)).exp().mean()
    grads = torch.autograd.grad(loss, tuple(params.values()))
    for p, g in zip(params.values(), grads):
        p.data.add_(g, alpha=-lr)
    return functional_call(net, params, (x,)).exp().mean()


def case_step_along_a_gradient_that_is_a_number():
    return eval("stepped")(eval("one_layer")(), torch.ones(1, 2), 0.1)


def penalized(net, x, lr):
    x = x.requires_grad_()
    out = net(x).exp().sum()
    (slope,) = torch.autograd.grad(out, x, create_graph=True)
    (out + (slope.norm() - 1) ** 2).backward()
    for p in net.parameters():
        p.data.add_(p.grad, alpha=-lr)
    return net(x).sum()


def case_step_with_a_penalty_of_gradients():
    return eval("penalized")(eval("one_layer")(), torch.ones(1, 2), 0.1)
