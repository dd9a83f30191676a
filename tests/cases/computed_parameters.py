"""Parameters set to what is computed from others: these get no gradient, though the values are right."""

import torch
from torch import nn


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
