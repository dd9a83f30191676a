"""Layers that callers name: one whose output the next layer overwrites may be among them."""

from collections import OrderedDict

import torch
import torch.nn.functional as F
from torch import nn


def small_backbone(widths=(3, 4, 2)):
    layers = OrderedDict()
    for i, (a, b) in enumerate(zip(widths[:-1], widths[1:])):
        layers[f"linear{i}"] = nn.Linear(a, b)
        layers[f"relu{i}"] = nn.ReLU(inplace=True)  # warning: [IPL304]
    return nn.Sequential(layers)


class Taps:
    """Collects the outputs of layers."""

    def __init__(self, model, names):
        self.model = model
        self.outputs = {}
        modules = dict(model.named_modules())
        for name in names:
            modules[name].register_forward_hook(self._recorder(name))

    def _recorder(self, name):
        def record(module, inputs, output):
            self.outputs[name] = output

        return record

    def __call__(self, x):
        self.outputs.clear()
        self.model(x)
        return dict(self.outputs)


class TapsOfCopies(Taps):
    def _recorder(self, name):
        def record(module, inputs, output):
            self.outputs[name] = output.clone()

        return record


class ContentLoss(nn.Module):
    def __init__(self, backbone, names=("linear0", "linear1")):
        super().__init__()
        self.taps = Taps(backbone, names)
        self.names = names

    def forward(self, x, target):
        found = self.taps(x)
        return sum(F.mse_loss(found[name], target[name]) for name in self.names)


class ContentLossOfCopies(nn.Module):
    def __init__(self, backbone, names=("linear0", "linear1")):
        super().__init__()
        self.taps = TapsOfCopies(backbone, names)
        self.names = names

    def forward(self, x, target):
        found = self.taps(x)
        return sum(F.mse_loss(found[name], target[name]) for name in self.names)


def content_loss(kind):
    torch.manual_seed(0)
    loss = eval(f"{kind}(small_backbone())")
    return loss(torch.ones(2, 3), {"linear0": torch.zeros(2, 4), "linear1": torch.zeros(2, 2)})


def case_outputs_of_named_layers():
    return content_loss("ContentLoss")


def case_outputs_of_named_layers_cured():
    return content_loss("ContentLossOfCopies")
