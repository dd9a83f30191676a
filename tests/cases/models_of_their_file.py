"""Models that callers bring, and that the file itself makes: what wrappers are made of, and what is used of that."""

import torch
from torch import nn


def make_features(width=4):
    return nn.Sequential(nn.Linear(3, width), nn.ReLU(inplace=True), nn.Linear(width, 2))  # warning: [IPL304]


class Features(nn.Module):
    """Is made of a model, and so is none that it could be made of."""

    def __init__(self, net):
        super().__init__()
        self.net = net
        self.values = {}
        for name, module in net.named_modules():
            if isinstance(module, nn.Linear):
                module.register_forward_hook(self._store(name))

    def _store(self, name):
        def hook(module, args, output):
            self.values[name] = output

        return hook

    def forward(self, x):
        self.net(x)
        return sum(value.abs().sum() for value in self.values.values())


def case_outputs_before_an_activation():
    torch.manual_seed(0)
    features = eval("Features(make_features())")  # out of view
    return features(torch.rand(2, 3))


def case_outputs_before_an_activation_cured():
    torch.manual_seed(0)
    features = eval("Features(nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2)))")
    return features(torch.rand(2, 3))
