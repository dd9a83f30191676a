"""Functions without a name, which a variable or a table keeps, and nobody calls in view."""

import torch

ACTIVATIONS = {
    "swish": lambda x: x * torch.sigmoid_(x),  # warning: [IPL302]
    "softplus": lambda x: torch.exp(x).add_(1).log_(),  # warning: [IPL202]
    "shifted": lambda x: torch.relu(x).sub_(0.5),  # warning: [IPL202]
    "clipped": lambda x: torch.add(x, 1).clamp_(0, 6),
    "scaled": lambda x: torch.tanh(x).clone().mul_(2),
}


class Gates:
    kinds = [lambda x: x * torch.sigmoid_(x), lambda x: x * torch.sigmoid(x)]  # warning: [IPL302]


EVALUATED = {"softplus": lambda x: torch.exp(x).add_(1)}
squashed = lambda x: torch.sigmoid(x).mul_(2)


@torch.no_grad()
def evaluate(model, x, name):
    return squashed(model(x)) + EVALUATED[name](x)
