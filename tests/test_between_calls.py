"""What one call of a library needs for backward and the next one changes is told where the program calls it again."""

from __future__ import annotations

from pathlib import Path

import pytest
from installed_programs import found, install, result

torch = pytest.importorskip("torch")

# The base of the loss names no PyTorch, and its result lies deep in a dictionary.
pytestmark = pytest.mark.usefixtures("in_own_folder")

BANK = {
    "banks/__init__.py": "from .bank import Bank\nfrom .losses import Nearest\n",
    "banks/recorded.py": (
        "import torch\n\n\nclass Recorded(torch.nn.Module):\n    def __init__(self, records=None):\n"
        "        super().__init__()\n        self.records = [] if records is None else records\n"
    ),
    "banks/reduced.py": (
        "from .recorded import Recorded\n\n\nclass Silent(Recorded):\n    def forward(self, losses):\n"
        "        return losses\n\n\nclass Reduced(Recorded):\n    def __init__(self, reducer=None, **options):\n"
        "        super().__init__(**options)\n"
        "        self.reducer = reducer if isinstance(reducer, Silent) else self.usual()\n\n"
        "    def forward(self, x, kept):\n        return self.reducer(self.losses(x, kept))\n"
    ),
    "banks/losses.py": (
        "import torch\n\nfrom .reduced import Reduced\n\n\nclass Mean(torch.nn.Module):\n"
        "    def forward(self, losses):\n"
        "        return sum(each['loss']['rows'].mean() for each in losses.values())\n\n\n"
        "class Nearest(Reduced):\n    def usual(self):\n        return Mean()\n\n    def losses(self, x, kept):\n"
        "        return {'near': {'loss': {'rows': torch.cdist(x, kept), 'weight': None}}}\n"
    ),
    "banks/bank.py": (
        "import torch\n\n\nclass Bank(torch.nn.Module):\n    def __init__(self, loss, width, size):\n"
        "        super().__init__()\n        self.loss = loss\n        self.at = 0\n"
        "        self.register_buffer('kept', torch.ones(size, width))\n\n    def forward(self, x):\n"
        "        rows = torch.arange(self.at, self.at + len(x)) % len(self.kept)\n"
        "        self.kept[rows] = x.detach()\n        self.at += len(x)\n        return self.loss(x, self.kept)\n"
    ),
}
TWO_VIEWS = """import torch
from banks import Bank, Nearest


def step(encoder, criterion, optimizer, x):
    near = encoder(x)
    far = encoder(x + 1)
    LOSS
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


def main():
    torch.manual_seed(0)
    encoder = torch.nn.Linear(4, 4)
    criterion = Bank(Nearest(), 4, 64)
    optimizer = torch.optim.SGD(encoder.parameters(), lr=0.1)
    return [step(encoder, criterion, optimizer, torch.randn(8, 4)) for _ in range(3)]


if __name__ == "__main__":
    main()
"""

NOISY = {
    "noisy/__init__.py": "from .layers import NoisyLinear\n",
    "noisy/layers.py": (
        "import torch\nfrom torch import nn\n\n\nclass Noise(nn.Module):\n    def __init__(self, *sizes):\n"
        "        super().__init__()\n        self.spread = nn.Parameter(torch.ones(*sizes))\n"
        "        self.register_buffer('eps', torch.zeros(*sizes))\n\n    def draw(self):\n"
        "        self.eps.data.normal_()\n        return self.spread * self.eps\n\n\n"
        "class NoisyLinear(nn.Module):\n    def __init__(self, inner, outer):\n        super().__init__()\n"
        "        self.noise = Noise(outer, inner)\n\n    def forward(self, x):\n"
        "        return nn.functional.linear(x, self.noise.draw())\n"
    ),
}
DRAWS = """import torch
from noisy import NoisyLinear


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.head = NoisyLinear(3, 1)

    def forward(self, x):
        return self.head(x).square().mean()


def main():
    torch.manual_seed(0)
    model, x, total = Net(), torch.ones(5, 3), 0.0
    for _ in range(4):
        TURN
    LATER
    return [parameter.grad.norm().item() for parameter in model.parameters()]


if __name__ == "__main__":
    main()
"""

DEEP = {
    "deep/__init__.py": "from .model import Deep\n",
    "deep/model.py": (
        "import torch\nfrom torch import nn\n\n\ndef exists(value):\n    return value is not None\n\n\n"
        "def mixed(x, basis):\n    return torch.einsum('bd,de->be', x, basis)\n\n\nclass Mixer(nn.Module):\n"
        "    def __init__(self, width):\n        super().__init__()\n"
        "        self.register_buffer('basis', torch.eye(width))\n\n    @torch.no_grad()\n    def redraw(self):\n"
        "        self.basis.copy_(torch.randn_like(self.basis))\n\n    def forward(self, x):\n"
        "        return mixed(x, self.basis) if exists(self.basis) else x\n\n\nclass Block(nn.Module):\n"
        "    def __init__(self, inner):\n        super().__init__()\n        self.inner = inner\n\n"
        "    def forward(self, x):\n        return x + self.inner(x)\n\n\nclass Layer(Block):\n"
        "    def forward(self, x):\n        return self.inner(x * 2)\n\n\nclass Deep(nn.Module):\n"
        "    def __init__(self, width, every=1):\n        super().__init__()\n        self.every = every\n"
        "        self.register_buffer('calls', torch.tensor(0))\n"
        "        self.net = Layer(Block(Layer(Block(Mixer(width)))))\n\n    def forward(self, x):\n"
        "        if self.training and exists(self.every) and self.calls >= self.every:\n"
        "            for each in [each for each in self.net.modules() if isinstance(each, Mixer)]:\n"
        "                each.redraw()\n            self.calls.zero_()\n        self.calls += 1\n"
        "        return self.net(x)\n"
    ),
}
TOWERS = """import torch
from deep import Deep


class Tower(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = torch.nn.Linear(4, 4)
        self.body = Deep(4)

    def forward(self, x):
        return self.body(self.embed(x))


def main():
    torch.manual_seed(0)
    tower = Tower()
    for _ in range(2):
        left, right = torch.rand(3, 4), torch.rand(3, 4)
        CALLS
        (q * p).sum().backward()
    return tower.embed.weight.grad.norm().item()


if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize(
    ("loss", "expected", "raises"),
    [
        ("loss = criterion(near)\n    loss = loss + criterion(far)", [("IPL201", 9, "main.py")], True),
        ("loss = criterion(torch.cat([near, far]))", [], False),
        ("loss = criterion(near)", [], False),
    ],
)
def test_a_buffer_that_the_next_call_fills(
    tmp_path: Path, loss: str, expected: list[tuple[str, int, str]], raises: bool
) -> None:
    env, text = install(tmp_path / "env", BANK), TWO_VIEWS.replace("LOSS", loss)
    assert isinstance(result(text, env), RuntimeError) == raises
    assert found(text, env) == expected


def test_noise_that_the_next_call_draws_unseen(tmp_path: Path) -> None:
    env = install(tmp_path / "env", NOISY)
    together = DRAWS.replace("TURN", "total = total + model(x)").replace("LATER", "total.backward()")
    apart = DRAWS.replace("TURN", "model(x).backward()").replace("    LATER\n", "")
    assert result(together, env) != pytest.approx(result(apart, env))  # the gradient is that of the last draw
    assert found(together, env) == [("IPL401", 18, "main.py")]
    assert found(apart, env) == []


@pytest.mark.parametrize(
    ("calls", "expected", "raises"),
    [
        ("q = tower(left)\n        p = tower(right)", [("IPL201", 21, "main.py")], True),
        ("q, p = tower(torch.cat([left, right])).chunk(2)", [], False),
    ],
)
def test_a_matrix_deep_in_a_model_that_is_drawn_anew(
    tmp_path: Path, calls: str, expected: list[tuple[str, int, str]], raises: bool
) -> None:
    env, text = install(tmp_path / "env", DEEP), TOWERS.replace("CALLS", calls)
    assert isinstance(result(text, env), RuntimeError) == raises
    assert found(text, env) == expected


def test_libraries_see_stubs_of_others_as_programs_do(tmp_path: Path) -> None:
    files = {
        "einops/__init__.py": "from .einops import rearrange\n",
        "einops/einops.py": "import torch\n\n\ndef rearrange(x, pattern):\n    return backend(x).run(x, pattern)\n",
        "heads/__init__.py": "from .split import heads\n",
        "heads/split.py": "import torch\nfrom einops import rearrange\n\n\ndef heads(x):\n"
        "    return rearrange(x, 'b (h d) -> b h d', h=2)\n",
    }
    env = install(tmp_path / "env", files)
    text = (
        "import torch\nfrom heads import heads\n\n\ndef f(w):\n    y = torch.sigmoid(w)\n    part = heads(y)\n"
        "    part += 1\n    return part.sum()\n"
    )
    assert found(text, env) == [("IPL202", 8, "main.py")]
    assert found(text.replace("heads(y)", "heads(y).clone()"), env) == []
