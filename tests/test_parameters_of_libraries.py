"""Parameters with methods of their own, as libraries for manifolds and quantized weights define them."""

from __future__ import annotations

from pathlib import Path

import pytest
from installed_programs import found, install, result

torch = pytest.importorskip("torch")

pytestmark = pytest.mark.usefixtures("in_own_folder")

SPHERES = """import torch


class OnSphere(torch.Tensor):
    def __new__(cls, data, radius=1.0, requires_grad=False):
        made = torch.Tensor._make_subclass(cls, data, requires_grad)
        made.radius = radius
        return made

    __torch_function__ = torch._C._disabled_torch_function_impl

    def proj_(self):
        return self.copy_(self.radius * self / self.norm(dim=-1, keepdim=True))


class SphereParameter(OnSphere, torch.nn.Parameter):
    def __new__(cls, data, radius=1.0, requires_grad=True):
        return super().__new__(cls, data, radius, requires_grad)
"""
NET = """import spheres
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.points = spheres.SphereParameter(torch.rand(4, 2), radius=2.0)
        self.scale = torch.nn.Parameter(torch.ones(1))

    def forward(self, x):
        return x @ self.points.t() * self.scale


def main():
    torch.manual_seed(0)
    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(2):
        optimizer.zero_grad()
        x = torch.rand(3, 2, requires_grad=True)
        loss = net(x).sum()
        BEFORE
        loss.backward()
        optimizer.step()
        AFTER
    return net.scale.item()


if __name__ == "__main__":
    main()
"""
PROJECTED = (
    "for each in net.parameters():\n{0}    if isinstance(each, spheres.SphereParameter):\n{0}        each.proj_()"
)
RIGHT = "with torch.no_grad():\n            " + PROJECTED.format(" " * 12)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("pass", PROJECTED.format(" " * 8), [("IPL101", 28, "main.py")]),
        (RIGHT, "pass", [("IPL203", 26, "main.py")]),
        ("pass", RIGHT, []),
    ],
)
def test_a_parameter_of_a_library_is_written_by_its_method(
    tmp_path: Path, before: str, after: str, expected: list[tuple[str, int, str]]
) -> None:
    env = install(tmp_path / "env", {"spheres/__init__.py": SPHERES})
    text = NET.replace("BEFORE", before).replace("AFTER", after)
    assert isinstance(result(text, env), RuntimeError) == bool(expected)
    assert found(text, env) == expected
