"""Made-up objects: attributes get their values late, and they are the values that the constructor would have given."""

from __future__ import annotations

import pytest

from inplace_lint import lint_source
from inplace_lint.findings.registry import registry
from inplace_lint.interpret.analysis.analyze import analyze
from inplace_lint.interpret.analysis.collected import Watch
from inplace_lint.interpret.analysis.exploration import Exploration
from inplace_lint.interpret.state.oracle import Oracle
from inplace_lint.pipeline.merge import diagnostics_of

# The bodies of constructors, and whether `self.act` overwrites what `sigmoid` saved.
CONSTRUCTORS = [
    ("self.act = nn.ReLU(inplace=True)", True),
    ("self.act = nn.ReLU()", False),
    ("self.act = nn.ReLU(inplace=True)\n        self.act = nn.ReLU()", False),
    ("self.act = nn.ReLU()\n        self.act = nn.ReLU(inplace=True)", True),
    ("kind = nn.ReLU(inplace=True)\n        self.act = nn.Sequential(kind)\n        kind = nn.ReLU()", True),
    ("cfg = {'inplace': True}\n        self.act = nn.ReLU(**cfg)\n        cfg = {}", True),
    ("self.act = self.make()\n        self.flag = False", True),
    ("self.flag = False\n        self.act = self.make()\n        self.flag = True", False),
    ("acts = [nn.ReLU(), nn.ReLU(inplace=True)]\n        self.act = acts.pop()", True),
    ("self.first = nn.ReLU(inplace=True)\n        self.act = self.first", True),
    ("self.act = nn.ReLU(inplace=True)\n        self.act.inplace = False", False),
    ("self.act = Layer(True)\n        self.other = Layer(False)", True),
    ("self.act = Layer(False)\n        self.other = Layer(True)", False),
    ("self.act = nn.Sequential(*[Layer(i > 0) for i in range(2)])", True),
    ("self.act = Layer(True) if deep else Layer(False)", True),
]

CLASSES = """\
import torch
from torch import nn

class Layer(nn.Module):
    def __init__(self, inplace):
        super().__init__()
        self.layer = nn.ReLU(inplace=inplace)

    def forward(self, x):
        return self.layer(x)

class Net(nn.Module):
    flag = True

    def __init__(self, deep):
        super().__init__()
        {body}

    def make(self):
        return nn.ReLU(inplace=self.flag)

    def forward(self, x):
        y = torch.sigmoid(x)
        return self.act(y)
"""


@pytest.mark.parametrize(("body", "wanted"), CONSTRUCTORS)
def test_attributes_are_what_the_constructor_gives(body: str, wanted: bool) -> None:
    found = lint_source(CLASSES.format(body=body))
    assert bool(found) is wanted


def test_the_first_and_last_turns_of_a_loop_come_before_the_others() -> None:
    paths: list[tuple[int, ...]] = []

    def run(oracle: Oracle) -> None:
        for _ in range(5):
            oracle.place = "in the loop"
            oracle.choose(2)
        oracle.place = "behind it"
        oracle.choose(2)
        paths.append(tuple(choice for choice, _ in oracle.taken))

    exploration = Exploration(most_steps=10, most_of_path=10)
    exploration.go_on(4, run)
    assert paths == [(0, 0, 0, 0, 0, 0), (1, 0, 0, 0, 0, 0), (0, 0, 0, 0, 1, 0), (0, 0, 0, 0, 0, 1)]
    exploration.go_on(64, run)
    assert len(set(paths)) == 64


ORDERED = """\
import torch
from torch import nn

class Parts(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.ReLU(inplace=True)
        for name in ("second",):
            setattr(self, name, nn.ReLU())
        self.third = nn.ReLU(inplace=True)

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.act = list(Parts().children())[{index}]

    def forward(self, x):
        return self.act(torch.sigmoid(x))
"""


@pytest.mark.parametrize(("index", "wanted"), [(0, True), (1, False), (2, True)])
def test_attributes_keep_their_order(index: int, wanted: bool) -> None:
    assert bool(lint_source(ORDERED.format(index=index))) is wanted


WEIGHTS_SHARED_BY_LATER_BLOCKS = """
from torch import nn


class Block(nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.layer = layer
        nn.init.xavier_normal_(self.layer.weight)

    def forward(self, x):
        return self.layer(x).tanh()


class Stage(nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.block = Block(layer)

    def forward(self, x):
        return self.block(x)


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        shared = nn.Linear(4, 4)
        self.first = Stage(shared)
        self.rest = nn.ModuleList()
        for _ in range(3):
            self.rest.append(Stage(shared))

    def forward(self, x):
        x = self.first(x)
        for each in self.rest:
            x = each(x)
        return x
"""


def test_what_a_constructor_writes_late_does_not_change_what_was_saved_in_the_meantime() -> None:
    assert all_codes(WEIGHTS_SHARED_BY_LATER_BLOCKS) == []


def test_what_a_method_writes_into_shared_weights_changes_what_was_saved() -> None:
    again = WEIGHTS_SHARED_BY_LATER_BLOCKS.replace("            x = each(x)", START_ANEW)
    assert all_codes(again) == ["IPL203"]


START_ANEW = """\
            nn.init.xavier_normal_(each.block.layer.weight)
            x = each(x)"""


def all_codes(text: str) -> list[str]:
    """What is found where nothing is screened out."""
    rules = [entry.rule for entry in registry().values()]
    watch = Watch(statement=None, path=lambda entry, run: None)
    analysis = analyze(text, "module.py", rules, lambda path: None, watch=watch)
    return [diagnostic.code for diagnostic in diagnostics_of(analysis)]


def test_objects_that_are_made_of_others_of_their_class_are_not_made_up_forever() -> None:
    assert all_codes(MADE_OF_ITS_LIKE) == ["IPL202"]


MADE_OF_ITS_LIKE = """\
import torch

class Sum:
    def __init__(self, *parts):
        shape = torch.broadcast_shapes(*[part.batch_shape for part in parts])
        try:
            parts = tuple(part.expanded(shape) if part.batch_shape != shape else part for part in parts)
        finally:
            self.parts = parts

    @property
    def batch_shape(self):
        return self.parts[0].shape

    def expanded(self, shape):
        return Sum(*[part.expand(shape) for part in self.parts])

    def gated(self, gate):
        total = torch.sigmoid(gate)
        return total.mul_(self.parts[0])
"""
