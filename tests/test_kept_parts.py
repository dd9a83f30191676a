"""A file is checked again only if parts of other files that it uses have changed; a cold run finds the same."""

from __future__ import annotations

import os
import random
import shutil
import time
from pathlib import Path

import pytest

from inplace_lint import Config, Result, lint_paths
from inplace_lint.pipeline import lint_paths as pipeline

PARTS = '''
"""Parts of networks."""

import torch
from torch import nn

SCALE = 2.0


def gate(t, by=SCALE):
    """Scale the argument."""
    t.mul_(by)
    return t


def plain(t):
    return t.mul(2)


class Base(nn.Module):
    """What blocks have in common."""

    def squash(self, h):
        return h.clamp(-1, 1)

    def unused(self, h):
        return h + 1
'''
BLOCKS = """
import torch
from parts import Base, gate


class Block(Base):
    def forward(self, x):
        y = torch.sigmoid(x)
        gate(y)
        return self.squash(y)


class Other(Base):
    def forward(self, x):
        y = torch.exp(x)
        z = self.squash(y)
        z += 1
        return y + z
"""
MAIN = """
import torch
import parts
from blocks import Block


def train(x):
    net = Block()
    h = torch.tanh(x)
    out = net(h) + parts.plain(h)
    out.sum().backward()
    return out


if __name__ == "__main__":
    train(torch.randn(3, requires_grad=True))
"""
ALONE = """
import torch


def f(x):
    y = torch.exp(x)
    y.add_(1)
    return y
"""


def write(name: str, text: str) -> None:
    Path(name).write_text(text)
    age = time.time_ns() - 10**10
    os.utime(name, ns=(age, age))


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in (("parts.py", PARTS), ("blocks.py", BLOCKS), ("main.py", MAIN), ("alone.py", ALONE)):
        write(name, text)


@pytest.fixture
def checked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that are really checked."""
    seen: list[str] = []
    lint_file = pipeline.lint_remembering

    def lint(path: str, config: Config) -> pipeline.FileResult:
        seen.append(path)
        return lint_file(path, config)

    monkeypatch.setattr(pipeline, "lint_remembering", lint)
    return seen


def lint(cache: str | None = ".inplace_lint_cache") -> Result:
    return lint_paths(["."], Config(python="none"), jobs=1, cache=cache)


def told(result: Result) -> tuple[object, ...]:
    return result.diagnostics, result.files, result.given_up, sorted(result.coverage.items())


def checked_after(name: str, old: str, new: str, checked: list[str]) -> list[str]:
    """The files that are checked again after a change, if the findings are then those of a cold run."""
    lint()
    text = Path(name).read_text()
    assert old in text
    write(name, text.replace(old, new))
    checked.clear()
    kept = told(lint())
    again = sorted(checked)
    assert kept == told(lint(None))
    return again


def test_a_comment_concerns_its_file_alone_and_places_move(checked: list[str]) -> None:
    before = [each for each in lint().diagnostics if each.site.path == "parts.py"]
    assert before
    assert checked_after("parts.py", "SCALE = 2.0", "# How much.\n\nSCALE = 2.0", checked) == ["parts.py"]
    after = [each for each in lint().diagnostics if each.site.path == "parts.py"]
    assert [each.site.span.row + 2 for each in before] == [each.site.span.row for each in after]


def test_a_body_concerns_those_that_run_it(checked: list[str]) -> None:
    assert checked_after("parts.py", "return h + 1", "return h + 3", checked) == ["parts.py"]
    assert checked_after("parts.py", "t.mul_(by)", "t = t.mul(by)", checked) == ["blocks.py", "main.py", "parts.py"]


PREPARED = """
import torch
from torch import nn


class Prepared(nn.Module):
    def __init__(self):
        super().__init__()
        self.limit = self.chosen()

    def chosen(self) -> int:
        return 3

    def reset_state(self):
        self.scale = torch.ones(3, requires_grad=True)
"""
PREPARING = """
import torch
from prepared import Prepared


class Layer(Prepared):
    def __init__(self):
        super().__init__()
        self.reset_state()

    def forward(self, x):
        y = torch.exp(x)
        y.add_(1)
        return ATTRIBUTE
"""


@pytest.mark.parametrize("attribute", ["self.scale.mul_(2)", "y * 2"])
def test_what_prepares_an_object_concerns_those_that_use_what_it_gives(attribute: str, checked: list[str]) -> None:
    write("prepared.py", PREPARED)
    write("layer.py", PREPARING.replace("ATTRIBUTE", attribute))
    uses = "scale" in attribute
    assert ("IPL101" in {each.code for each in lint().diagnostics}) == uses
    again = checked_after("prepared.py", "torch.ones(3", "torch.zeros(3", checked)
    assert again == ["layer.py", "prepared.py"] if uses else ["prepared.py"]
    assert checked_after("prepared.py", "return 3", "return 4", checked) == ["prepared.py"]


def test_a_name_or_a_value_at_the_top_concerns_all_that_import_it(checked: list[str]) -> None:
    everyone = ["blocks.py", "main.py", "parts.py"]
    assert checked_after("parts.py", "SCALE = 2.0", "SCALE = 3.0", checked) == everyone
    assert checked_after("parts.py", "def plain", "def fancy", checked) == everyone


def test_a_comment_that_suppresses_counts() -> None:
    assert any(each.site.path == "parts.py" for each in lint().diagnostics)
    write("parts.py", PARTS.replace("t.mul_(by)", "t.mul_(by)  # inplace-lint: ignore"))
    kept = told(lint())
    assert kept == told(lint(None))
    write("parts.py", PARTS)
    assert told(lint()) == told(lint(None)) != kept


LINES = (
    "# remark",
    "",
    "    t.add_(1)",
    "    h = h.relu_()",
    "x = 1",
    "def extra(t):\n    return t.exp_()\n",
    "import math",
)


@pytest.mark.parametrize("seed", range(4))
def test_random_edits_find_what_a_cold_run_finds(seed: int) -> None:
    chance = random.Random(seed)
    lint()
    for index in range(12):
        name = chance.choice(sorted(path.name for path in Path().glob("*.py")))
        draw, lines = chance.random(), Path(name).read_text().split("\n")
        if draw < 0.1:
            shutil.copy(name, f"copy{index}.py")
        elif draw < 0.2 and name.startswith("copy"):
            os.unlink(name)
        else:
            place = chance.randrange(len(lines))
            if draw < 0.5:
                lines.insert(place, chance.choice(LINES))
            elif draw < 0.7:
                lines.insert(place, lines[chance.randrange(len(lines))])
            elif draw < 0.85:
                del lines[place]
            else:
                lines[place] = lines[place].replace("mul_(", "mul(").replace("2", "3").replace("exp(", "exp_(")
            write(name, "\n".join(lines))
        asked = ["."] if chance.random() < 0.7 else [name] if Path(name).exists() else ["."]
        found = lint_paths(asked, Config(python="none"), jobs=1, cache=".inplace_lint_cache")
        assert told(found) == told(lint_paths(asked, Config(python="none"), jobs=1)), (seed, index, name)


LAYERS = """
import torch
from torch import nn


class Layer(nn.Module):
    def __init__(self, act=None):
        super().__init__()
        self.act = [nn.Sigmoid(), nn.Identity()][0]
        self.kept = None
        self.post()

    def post(self):
        self.ready = True

    def pack(self, h):
        return h

    def apply_all(self, h):
        return self.pack(h)
"""
STACK = """
import torch
from layers import Layer


class Stack(Layer):
    def forward(self, x):
        y = self.act(x)
        y.mul_(2)
        return y

    def grow(self, h):
        return h.add_(1)

    def both(self, x):
        return self.apply_all(torch.exp(x))
"""


@pytest.fixture
def stacked(project: None) -> None:
    write("layers.py", LAYERS)
    write("stack.py", STACK)


@pytest.mark.usefixtures("stacked")
def test_an_inherited_constructor_concerns_those_that_run_it(checked: list[str]) -> None:
    assert "stack.py" in checked_after("layers.py", "][0]", "][1]", checked)


@pytest.mark.usefixtures("stacked")
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return h\n", "text = str(h).upper()\n        return h\n"),
        ("return self.pack(h)", "more = self.pack(h)\n        return more"),
    ],
)
def test_what_a_body_reaches_is_asked_and_an_answer_that_stays_concerns_nobody(
    old: str, new: str, checked: list[str]
) -> None:
    write("stack.py", STACK.replace("self.apply_all(torch.exp(x))", "x").replace("y.mul_(2)", "pass"))
    assert checked_after("layers.py", old, new, checked) == ["layers.py"]


@pytest.mark.usefixtures("stacked")
def test_a_body_that_meets_another_method_of_a_class_concerns_it(checked: list[str]) -> None:
    assert "stack.py" in checked_after("layers.py", "return self.pack(h)", "return self.grow(h)", checked)


def test_an_answer_that_rests_on_another_file_is_found_out_anew(checked: list[str]) -> None:
    write("deep.py", "def store(t):\n    return t + 1\n\n\ndef further(t):\n    return store(t)\n")
    write("middle.py", "import torch\nfrom deep import further\n\n\ndef through(t):\n    return further(t)\n")
    top = (
        "import torch\nfrom middle import through\n\n\ndef f(x):\n    y = torch.exp(x)\n    through(y)\n    return y\n"
    )
    write("top.py", top)
    assert checked_after("deep.py", "return store(t)", "text = store(t)\n    return text", checked) == ["deep.py"]
    assert "top.py" in checked_after("deep.py", "text = store(t)", "text = t.add_(1)", checked)


BRINGS = """
import torch
from kinds import Holder


class User:
    def use(self, disc: Holder, x):
        y = torch.exp(x)
        y.mul_(2)
        disc.fill(y)
        disc.level
        return y
"""
KINDS = """
import torch


class Base:
    def fill(self, t):
        t.mul_(2)

    def prepare(self):
        self.level = 1


class Holder(Base):
    def other(self):
        return 0
"""


def test_what_a_class_offers_concerns_those_that_are_brought_its_objects(checked: list[str]) -> None:
    write("kinds.py", KINDS)
    write("brings.py", BRINGS)
    assert "brings.py" in checked_after("kinds.py", "self.level = 1", "self.height = 1", checked)


DECLARING = """
import torch


class Base:
    def scaled(self, x):
        raise NotImplementedError


def run(policy, x):
    return x
"""
DERIVED = """
import torch
from kinds import Base


class Scorer(Base):
    def scaled(self, logits):
        scores = torch.sigmoid(logits)
        scores.mul_(2)
        return scores
"""


def test_a_caller_that_appears_beside_a_base_concerns_who_derives_from_it(checked: list[str]) -> None:
    write("kinds.py", DECLARING)
    write("mine.py", DERIVED)
    with_caller = "    with torch.no_grad():\n        return policy.scaled(x)\n"
    assert any(each.site.path == "mine.py" for each in lint().diagnostics)
    assert "mine.py" in checked_after("kinds.py", "    return x\n", with_caller, checked)
    assert not any(each.site.path == "mine.py" for each in lint().diagnostics)
    assert "mine.py" not in checked_after("kinds.py", "    with torch", "    str(x)\n    with torch", checked)


MAKING = """
import torch
from torch import nn


def make():
    net = nn.Sequential(nn.Linear(3, 3), nn.ReLU(inplace=True))
    return net


class Watch:
    def __init__(self, model):
        self.model = model
        self.parts = [each for each in model.modules()]
"""
WATCHING = """
import torch
from nets import Watch


class Mine(Watch):
    def run(self, x):
        y = torch.sigmoid(x)
        z = self.model(y)
        y.mul_(2)
        return y + z
"""


def test_a_function_that_comes_to_make_models_concerns_those_that_may_be_given_one(checked: list[str]) -> None:
    write("nets.py", MAKING)
    write("mine.py", WATCHING)
    made = "return nn.Sequential(nn.Sigmoid(), nn.ReLU(inplace=True))"
    old = "net = nn.Sequential(nn.Linear(3, 3), nn.ReLU(inplace=True))\n    return net"
    before = len(lint().diagnostics)
    assert "mine.py" in checked_after("nets.py", old, made, checked)
    assert len(lint().diagnostics) > before


BEAMS = """
import torch
from torch import nn


class Kept:
    def __init__(self, boxes, timed=False):
        self.boxes = boxes
        if timed:
            self.times = torch.zeros(3, dtype=torch.long)

    def renew(self, t):
        self.other = t

    def unused(self, t):
        return t
"""
BEAM = """
import torch
from beams import Kept


class Beam(Kept):
    def advance(self, blank):
        times = torch.square(self.times)
        self.times.copy_(times + blank)
        return times


def boxes_of(holders: list[Kept]):
    for holder in holders:
        y = torch.exp(holder.boxes)
        y.mul_(2)
"""


@pytest.mark.parametrize(
    ("old", "new", "concerned"),
    [
        ("self.other = t", "self.times = t", True),
        ("self.boxes = boxes", "self.boxes: int = boxes", True),
        ("return t", "return t + 1", False),
    ],
)
def test_what_a_class_gives_an_attribute_or_declares_it_to_be_concerns_who_uses_that(
    old: str, new: str, concerned: bool, checked: list[str]
) -> None:
    write("beams.py", BEAMS)
    write("beam.py", BEAM)
    assert ("beam.py" in checked_after("beams.py", old, new, checked)) == concerned


def test_the_length_of_a_file_concerns_those_that_may_not_use_much_more(checked: list[str]) -> None:
    remarks = "# a remark\n" * 6000
    write("one.py", f"import torch\n\n\ndef first(t):\n    return t + 1\n\n\n{remarks}# the end\n")
    write("two.py", f"import torch\n\n\ndef second(t):\n    return t.mul_(2)\n\n\n{remarks[:-3300]}")
    user = "import torch\nfrom one import first\nfrom two import second\n\n\n"
    write("user.py", f"{user}def f(x):\n    y = torch.exp(first(x))\n    second(y)\n    return y\n")
    assert "user.py" not in checked_after("one.py", "# the end\n", "# the end\n" * 60, checked)
    assert "user.py" in checked_after("one.py", "# the end\n", "# more\n" * 200, checked)
    assert any(each.reason == "imports" for each in lint().given_up)


def test_a_function_that_becomes_a_generator_concerns_all_that_import_it(checked: list[str]) -> None:
    inner = "\n    def inner():\n        yield 1\n    return t.mul(2)"
    write("parts.py", PARTS.replace("return t.mul(2)", inner))
    assert "main.py" in checked_after("parts.py", "return t.mul(2)", "yield t.mul(2)", checked)
