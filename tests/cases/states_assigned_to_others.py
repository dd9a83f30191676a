"""`load_state_dict(..., assign=True)`: two modules have the very same weights, and one of them changes them."""

import torch
from torch import nn


def merged(base, delta):
    net = nn.Linear(2, 2, device="meta")
    net.load_state_dict(base.state_dict(), assign=True)
    with torch.no_grad():
        net.weight.add_(delta)  # warning: [IPL304]
    return net


def case_weights_that_the_base_has_too():
    torch.manual_seed(0)
    base, x = nn.Linear(2, 2), torch.ones(2)
    net = merged(base, torch.ones(2, 2))
    return (base(x) - net(x)).detach()


def merged_apart(base, delta):
    net = nn.Linear(2, 2, device="meta")
    net.load_state_dict({name: each.clone() for name, each in base.state_dict().items()}, assign=True)
    with torch.no_grad():
        net.weight.add_(delta)
    return net


def case_weights_that_the_base_has_too_cured():
    torch.manual_seed(0)
    base, x = nn.Linear(2, 2), torch.ones(2)
    net = merged_apart(base, torch.ones(2, 2))
    return (base(x) - net(x)).detach()


def case_base_that_nobody_asks_any_more():
    torch.manual_seed(0)
    base, x = nn.Linear(2, 2), torch.ones(2)
    net = nn.Linear(2, 2, device="meta")
    net.load_state_dict(base.state_dict(), assign=True)
    del base
    with torch.no_grad():
        net.weight.mul_(2)
    return net(x).detach()
