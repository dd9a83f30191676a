"""What objects keep from one step to the next: memory banks, caches, running values and tables of totals."""

from __future__ import annotations

from textwrap import dedent

import pytest
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from inplace_lint.pipeline.lint_file import lint_source
from inplace_lint.project.config import Config


def _codes(text: str) -> set[str]:
    found = lint_source(dedent(text), "kept.py", Config(select=("ALL",)))
    return {diagnostic.code for diagnostic in found if diagnostic.severity != "info"}


BANK = """
    import torch
    import torch.nn.functional as F


    class Bank:
        def __init__(self, size, width):
            self.rows = torch.zeros(size, width)

        def recent(self, n):
            return self.rows[:n].clone()

        def put(self, rows):
            self.rows[: len(rows)] = {rows}


    class Trainer:
        def __init__(self, model, size):
            self.model = model
            self.bank = Bank(size, 8)
            self.optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

        def step(self, images):
            rows = F.normalize(self.model(images), dim=-1)
            loss = (rows @ self.bank.recent(4).t()).square().mean()
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            self.bank.put(rows)
            return loss.item()
"""


@pytest.mark.parametrize(("rows", "codes"), [("rows", {"IPL204"}), ("rows.detach()", set())])
def test_a_memory_bank_keeps_the_graph_of_an_unseen_model(rows: str, codes: set[str]) -> None:
    assert _codes(BANK.format(rows=rows)) == codes


@pytest.mark.parametrize("detached", [False, True])
def test_pytorch_follows_the_graph_of_the_bank(detached: bool) -> None:
    model, bank = nn.Linear(3, 3), torch.zeros(4, 3)

    def step() -> None:
        rows = nn.functional.normalize(model(torch.ones(2, 3)), dim=-1)
        (rows @ bank.clone().t()).square().mean().backward()
        bank[:2] = rows.detach() if detached else rows

    step()
    if detached:
        step()
    else:
        with pytest.raises(RuntimeError, match="second time"):
            step()


NORM = """
    import torch
    from torch import nn
    from torch.utils.checkpoint import checkpoint


    class Norm(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("rms", torch.ones(()))
            self.rms.fill_(0.5)

        @torch.no_grad()
        def observe(self, x):
            self.rms.lerp_(x.square().mean(), 0.1)

        def forward(self, x):
            {observe}
            return x / self.rms


    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm = Norm()

        def forward(self, x):
            return self.norm(x)


    class Encoder(nn.Module):
        def __init__(self, depth):
            super().__init__()
            self.blocks = nn.ModuleList(Block() for _ in range(depth))

        def run(self, block, x):
            return checkpoint(block, x, use_reentrant=False)

        def forward(self, x):
            for block in self.blocks:
                {beside}
                x = self.run(block, x)
            return x
"""


def test_running_values_move_twice_in_a_checkpointed_block() -> None:
    assert _codes(NORM.format(observe="self.observe(x)", beside="pass")) == {"IPL405"}
    assert _codes(NORM.format(observe="pass", beside="block.norm.observe(x)")) == set()


def test_pytorch_runs_the_block_again() -> None:
    seen = torch.zeros(())

    def block(x: torch.Tensor) -> torch.Tensor:
        seen.add_(1)
        return x.sin()

    x = torch.ones(2, requires_grad=True)
    checkpoint(block, x, use_reentrant=False).sum().backward()
    assert seen == 2


TOTALS = """
    import torch


    class Totals:
        def __init__(self, splits):
            self.splits = tuple(splits)
            self.reset()

        def reset(self):
            empty = torch.zeros(3)
            self.sums = {sums}

        def update(self, split, values: torch.Tensor):
            self.sums[split] += values.sum(0)

        def compute(self):
            return {{split: self.sums[split].mean() for split in self.splits}}
"""


def test_one_total_for_all_keys() -> None:
    assert _codes(TOTALS.format(sums="dict.fromkeys(self.splits, empty)")) == {"IPL306"}
    assert _codes(TOTALS.format(sums="{split: empty.clone() for split in self.splits}")) == set()


CACHE = """
    import torch
    from torch import nn


    class {name}:
        def __init__(self, length, width):
            self.k = torch.zeros(length, width)
            self.length = 0

        def update(self, k):
            end = self.length + len(k)
            self.k[self.length : end] = k
            return self.k[:end]


    class Layer(nn.Module):
        def __init__(self, width):
            super().__init__()
            self.q, self.k = nn.Linear(width, width), nn.Linear(width, width)

        def forward(self, x, cache=None):
            k = self.k(x)
            if cache is not None:
                k = cache.update(k)
            return (self.q(x) @ k.t()).softmax(-1) @ k
"""


def test_a_key_value_cache_is_filled_where_nobody_differentiates() -> None:
    assert _codes(CACHE.format(name="KVCache")) == set()


TRAINED = """

    def chunks(layer, x):
        cache = KVCache(6, 3)
        return torch.cat([layer(part, cache) for part in x.split(2)])


    layer = Layer(3)
    chunks(layer, torch.rand(6, 3)).sum().backward()
"""


def test_a_key_value_cache_that_is_trained_through() -> None:
    assert _codes(CACHE.format(name="KVCache") + TRAINED) == {"IPL201"}


ROW = """
    import torch


    def doubled(x: torch.Tensor):
        weight = torch.rand(5, 3, requires_grad=True)
        rows = weight.sigmoid()
        return rows[{row}].mul_(2)
"""


@pytest.mark.parametrize("row", ["x.argmin()", "torch.argmax(x)", "x.sum().long()", "x.any().long()"])
def test_a_position_without_dimensions_gives_a_view(row: str) -> None:
    assert _codes(ROW.format(row=row)) == {"IPL202"}


@pytest.mark.parametrize("row", ["x.argmin(0)", "torch.argmax(x, keepdim=True)", "x.argmax(axis=1)", "x > 0"])
def test_several_positions_give_a_copy(row: str) -> None:
    assert "IPL202" not in _codes(ROW.format(row=row))


RESTORED = """
    import copy

    import torch


    class Stopper:
        def improved(self, model):
            self.{name} = {state}

        def at_end(self, model):
            model.load_state_dict(self.{name})
"""


@pytest.mark.parametrize("state", ["model.state_dict()", "dict(model.state_dict())", "model.state_dict().copy()"])
def test_the_best_state_by_reference(state: str) -> None:
    assert _codes(RESTORED.format(name="best", state=state)) == {"IPL304"}


@pytest.mark.parametrize(
    ("name", "state"),
    [
        ("best", "copy.deepcopy(model.state_dict())"),
        ("best", "{key: value.clone() for key, value in model.state_dict().items()}"),
        ("best", "other.state_dict()"),
        ("shared", "model.state_dict()"),
    ],
)
def test_copies_and_states_that_are_shared_on_purpose(name: str, state: str) -> None:
    text = RESTORED.format(name=name, state=state).replace("Stopper", "Hub").replace("improved", "push")
    assert _codes(text) == set()


OWN = """
    import torch


    class Trainer:
        def __init__(self, model):
            self.model = model
            self.first = {state}

        def again(self):
            {other}
            self.model.load_state_dict(self.first)
"""


def test_an_object_loads_what_its_model_has_already() -> None:
    assert _codes(OWN.format(state="model.state_dict()", other="pass")) == {"IPL304"}
    assert _codes(OWN.format(state="model.state_dict()", other='self.first = torch.load("first.pt")')) == set()
    assert _codes(OWN.format(state="torch.load('first.pt')", other="pass")) == set()


def test_pytorch_loads_nothing() -> None:
    model = nn.Linear(2, 2)
    kept = dict(model.state_dict())
    with torch.no_grad():
        model.weight.zero_()
    model.load_state_dict(kept)
    assert not model.weight.any()


FILLED_LATER = """
    import torch
    class Score:
        def __init__(self):
            self.residuals = None
        def fit(self, estimate, event):
            self.residuals = (event - estimate) ** 2
        def score(self):
            return {}.div_(2.0)
"""


@pytest.mark.parametrize("weight", ["torch.exp(self.residuals)", "self.residuals.exp()"])
def test_what_another_method_fills_is_what_ops_take(weight: str) -> None:
    assert _codes(FILLED_LATER.format(weight)) == {"IPL202"}
    assert _codes(FILLED_LATER.format(weight.replace("exp", "sin"))) == set()
