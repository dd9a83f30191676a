"""Models that callers bring, over whose parts somebody walks: what the file makes tells what they are made of."""

from __future__ import annotations

from textwrap import dedent

import pytest

from inplace_lint.pipeline.lint_file import lint_source
from inplace_lint.project.config import Config


def _codes(text: str) -> set[str]:
    found = lint_source(dedent(text), "walked.py", Config(select=("ALL",)))
    return {diagnostic.code for diagnostic in found if diagnostic.severity != "info"}


CLASS = """
    import torch
    from torch import nn
    class Net(nn.Module):
        def __init__(self, width=8):
            super().__init__()
            self.block = nn.Sequential(nn.Conv2d(1, width, 3), nn.ReLU({inplace}))
            self.head = nn.Linear(width, 2)
        def forward(self, x):
            return self.head(self.block(x).mean((2, 3)))
"""
FACTORY = """
    import torch
    from torch import nn
    def make_net(widths=(1, 8)):
        layers = []
        for before, after in zip(widths[:-1], widths[1:]):
            layers += [nn.Conv2d(before, after, 3), nn.ReLU({inplace})]
        return nn.Sequential(nn.Sequential(*layers), nn.AdaptiveAvgPool2d(2))
"""
GRADIENTS = """
    class Tap:
        def __init__(self, layer):
            self.gradient = None
            layer.register_full_backward_hook(self.keep)
        def keep(self, module, grad_input, grad_output):
            self.gradient = grad_output[0].clone()
    def last_conv(model):
        return [m for m in model.modules() if isinstance(m, nn.Conv2d)][-1]
    def explained(model, images):
        tap = Tap(last_conv(model))
        model(images).sum().backward()
        return tap.gradient
"""
ACTIVATIONS = """
    class Extractor:
        def __init__(self, model: nn.Module):
            self.model = model.eval()
            self.kept = {{}}
        def hook(self, name):
            def store(module, inputs, output):
                self.kept[name] = output.detach(){copy}
            return store
        @torch.no_grad()
        def extract(self, batch, wanted):
            for name, module in self.model.named_modules():
                if name == wanted:
                    module.register_forward_hook(self.hook(name))
            self.model(batch)
            return self.kept[wanted]
"""


@pytest.mark.parametrize("model", [CLASS, FACTORY])
def test_hooks_meet_the_activations_of_the_one_model_that_the_file_makes(model: str) -> None:
    assert _codes((model + GRADIENTS).format(inplace="True")) == {"IPL107"}
    assert _codes((model + GRADIENTS).format(inplace="")) == set()
    assert _codes((model + ACTIVATIONS).format(inplace="True", copy="")) == {"IPL304"}
    assert _codes((model + ACTIVATIONS).format(inplace="True", copy=".clone()")) == set()
    assert _codes((model + ACTIVATIONS).format(inplace="", copy="")) == set()


def test_one_of_two_models_is_not_guessed() -> None:
    other = FACTORY.replace("make_net", "make_other")
    assert _codes((FACTORY + other + GRADIENTS).format(inplace="True")) == set()
