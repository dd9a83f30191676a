"""What a class defines for its base to call, where nobody in view makes an object of it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from called_back import raises

from inplace_lint import lint_source

CASES = Path(__file__).parent / "cases" / "called_by_bases.py"


def test_classes_alone_are_enough() -> None:
    text = CASES.read_text()
    alone = re.sub(r"\ndef open_.*?(?=\n\n\n|\Z)", "", text, flags=re.DOTALL)
    assert "open_" not in alone
    assert [each.code for each in lint_source(alone)] == ["IPL103", "IPL202", "IPL303"]


def test_a_base_of_another_file_calls(tmp_path: Path) -> None:
    from inplace_lint import lint_paths

    classes = CASES.read_text().split("\n\n\n")
    (tmp_path / "bases.py").write_text("\n\n\n".join(classes[:2]))
    (tmp_path / "layers.py").write_text("import torch\nfrom bases import Coupling\n\n\n" + classes[2])
    found = lint_paths([str(tmp_path)], cache=None).diagnostics
    assert [(each.code, Path(each.site.path).name) for each in found] == [("IPL103", "layers.py")]


def test_an_inherited_method_that_the_class_overrides_does_not_run() -> None:
    text = """
import torch
from torch import nn


class Coupling(nn.Module):
    def forward(self, x):
        return self.shifted(*torch.split(x, [2, 2]))


class Other(Coupling):
    def forward(self, x):
        return self.shifted(x + 1, x)

    def shifted(self, left, right):
        return left.add_(right)
"""
    assert not lint_source(text)


ROUNDS = """import torch


class Rounds:
    roles = ()

    def __init__(self, networks):
        self.networks = networks
        self.optimizers = {role: torch.optim.SGD(networks[role].parameters(), lr=0.1) for role in self.roles}

    def loss(self, role, batch):
        raise NotImplementedError

    def update(self, role, loss):
        self.optimizers[role].zero_grad()
        loss.backward()
        self.optimizers[role].step()
        return loss.detach()

    def train_round(self, batch):
        losses = {role: self.loss(role, batch) for role in self.roles}
        return [self.update(role, losses[role]) for role in self.roles]
"""
RIVALS = """
class Rivals(Rounds):
    roles = ("judge", "maker")

    def __init__(self, maker, judge):
        super().__init__({"maker": maker, "judge": judge})

    def loss(self, role, batch):
        maker, judge = self.networks["maker"], self.networks["judge"]
        if role == "judge":
            return judge(batch).mean()
        return -judge(maker(batch)).mean()
"""
AT_ONCE = """        losses = {role: self.loss(role, batch) for role in self.roles}
        return [self.update(role, losses[role]) for role in self.roles]
"""
IN_TURN = """        return [self.update(role, self.loss(role, batch)) for role in self.roles]
"""
PLAYED = """
torch.manual_seed(0)
judge = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
Rivals(torch.nn.Linear(4, 4), judge).train_round(torch.ones(2, 4))
"""


@pytest.mark.parametrize(("body", "wrong"), [(AT_ONCE, True), (IN_TURN, False)])
def test_a_base_works_through_what_the_class_defines(tmp_path: Path, body: str, wrong: bool) -> None:
    pytest.importorskip("torch")
    from inplace_lint import lint_paths

    rounds = ROUNDS.replace(AT_ONCE, body)
    (tmp_path / "rounds.py").write_text(rounds)
    (tmp_path / "rivals.py").write_text("from rounds import Rounds\n" + RIVALS)
    found = lint_paths([str(tmp_path)], cache=None).diagnostics
    row = rounds.splitlines().index("        self.optimizers[role].step()") + 1
    told = [(each.code, Path(each.site.path).name, each.site.span.row) for each in found]
    assert told == ([("IPL203", "rounds.py", row)] if wrong else [])
    assert raises(lambda: exec(rounds + RIVALS + PLAYED, {})) == wrong
