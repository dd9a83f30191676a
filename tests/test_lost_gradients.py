"""What is put into a result through `.data` gets no gradient: told where that may require one."""

from __future__ import annotations

from typing import Any

import pytest

from inplace_lint.pipeline.lint_file import lint_source

# A way to add, by its name, with whether gradients are lost.
WAYS = {
    "through data": ("y.data.add_(0.5 * torch.tanh(x))", "y = y + 0.5 * torch.tanh(x)", True),
    "through detach": ("y.detach().add_(0.5 * torch.tanh(x))", "y = y + 0.5 * torch.tanh(x)", True),
    "noise": ("y.data.add_(torch.ones(3))", "y = y + torch.ones(3)", False),
    "without its history": ("y.data.add_(torch.tanh(x.detach()))", "y = y + torch.tanh(x.detach())", False),
}


@pytest.mark.parametrize(("written", "meant", "lost"), WAYS.values(), ids=WAYS)
def test_what_is_put_into_a_result(written: str, meant: str, lost: bool) -> None:
    text = "import torch\n\n\ndef f(x):\n    y = torch.sin(x)\n    WRITE\n    return y * 2\n"
    gradients = []
    for way in (written, meant):
        space: dict[str, Any] = {}
        exec(text.replace("WRITE", way), space)
        x = space["torch"].arange(3.0).requires_grad_()
        space["f"](x).sum().backward()
        gradients.append(x.grad)
    assert (not gradients[0].equal(gradients[1])) == lost
    found = [each.code for each in lint_source(text.replace("WRITE", written)) if each.severity != "info"]
    assert found == (["IPL401"] if lost else [])
    assert not [each for each in lint_source(text.replace("WRITE", meant)) if each.severity != "info"]


# How generated weights come into a layer, and whether what they are computed from gets no gradient that way.
SETTINGS = {
    "assigned": ("layer.weight.data = maker(z).view(3, 3)", True),
    "copied": ("layer.weight.data.copy_(maker(z).view(3, 3))", True),
    "rounded": ("layer.weight.data = layer.weight.sign() * layer.weight.abs().mean()", False),
    "of values": ("layer.weight.data.copy_(maker(z).detach().view(3, 3))", False),
}


@pytest.mark.parametrize(("setting", "told"), SETTINGS.values(), ids=SETTINGS)
def test_what_parameters_are_set_to(setting: str, told: bool) -> None:
    text = (
        "import torch\nfrom torch import nn\n\nlayer, maker = nn.Linear(3, 3), nn.Linear(4, 9)\nz = torch.ones(4)\n"
        f"{setting}\nlayer(torch.ones(3)).sum().backward()\n"
    )
    space: dict[str, Any] = {}
    exec(text, space)
    assert space["maker"].weight.grad is None
    assert space["layer"].weight.grad is not None
    assert [each.code for each in lint_source(text) if each.severity != "info"] == (["IPL401"] if told else [])
