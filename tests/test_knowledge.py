"""What is known of a tensor at a place is what real PyTorch says there, or nothing; and it is told in few words."""

from __future__ import annotations

import itertools
import pickle
import textwrap
from pathlib import Path

import pytest
from click.testing import CliRunner
from knowledge_oracle import Score, score

from inplace_lint.cli import cli
from inplace_lint.knowledge.facts import Knowledge, Known
from inplace_lint.knowledge.index import knowledge_of
from inplace_lint.knowledge.lookup import hints, known_at
from inplace_lint.knowledge.text import lines, markdown
from inplace_lint.pipeline.worker import Unwanted

PROGRAMS = {
    "a saved result and its views": """
        import torch
        def program():
            x = torch.randn(4, requires_grad=True)
            y = torch.sigmoid(x)
            z, first = y, y[:2]
            loss = (z.exp() + y).sum()
            loss.backward()
            first.add_(1)
            return first.detach()
    """,
    "what is detached, and what only looks so": """
        import torch
        def program():
            x = torch.randn(4, requires_grad=True)
            h = torch.tanh(x * 2)
            kept, data, copy = h.detach(), h.data, h.clone()
            copy.mul_(2)
            with torch.no_grad():
                total = kept + data
                total += 1
            return h.sum() + copy.sum() + total.sum()
    """,
    "views of one op, and a buffer": """
        import torch
        def program():
            x = torch.randn(4, 4, requires_grad=True) * 1
            a, b = x.chunk(2)
            out = torch.zeros(4)
            out[0] = a.sum()
            out[1:] += b.mean()
            mask = out > 0
            return out * mask + a.exp().sum()
    """,
    "a module": """
        import torch
        from torch import nn
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.weight = nn.Parameter(torch.ones(4))
                self.register_buffer("count", torch.zeros(1))
            def forward(self, x):
                self.count += 1
                y = torch.relu(x * self.weight)
                return y if y.sum() > 100 else y * 2
        def program():
            net = Net()
            return net(torch.randn(4)) + net.count
    """,
    "a loop": """
        import torch
        def program():
            x = torch.randn(4, requires_grad=True)
            total, states = torch.zeros(4), []
            for step in range(5):
                state = torch.exp(x * step)
                states.append(state)
                total += state
            return total + torch.stack(states).sum()
    """,
}


def known_in(program: str) -> Knowledge:
    return knowledge_of(textwrap.dedent(program), "program.py", lambda path: None)


def at(program: str, expression: str, line: str) -> Known:
    """What is known of an expression in a line of a program."""
    rows = textwrap.dedent(program).split("\n")
    row = next(number for number, text in enumerate(rows, 1) if line in text)
    found = known_at(known_in(program), row, rows[row - 1].index(expression) + 1)
    assert found is not None
    return found


def told(known: Known) -> list[str]:
    return list(lines(known, lambda place: f"line {place.span.row}"))


@pytest.mark.parametrize("name", PROGRAMS)
def test_real_pytorch_says_the_same(name: str) -> None:
    text = textwrap.dedent(PROGRAMS[name])
    found = Score()
    score(text, "program", known_in(text).known, found, writes=12)
    assert found.wrong == []
    right = sum(count for (_, verdict), count in found.counts.items() if verdict == "right")
    assert right > 0.8 * found.counts.total() > 50


@pytest.mark.parametrize("most", [0, 1, 5])
def test_work_that_is_unwanted_stops_and_leaves_nothing_behind(most: int) -> None:
    text = textwrap.dedent(PROGRAMS["a loop"])
    whole = known_in(text)
    asked = itertools.count()
    with pytest.raises(Unwanted):
        knowledge_of(text, "program.py", lambda path: None, is_unwanted=lambda: next(asked) >= most)
    assert next(asked) <= most + 4
    assert known_in(text) == whole


GATE = """
    import torch
    def gate(x, twice):
        y = torch.sigmoid(x)
        z = y
        if twice:
            y = y * 2
        return y, z
"""


def test_what_holds_on_all_paths_and_on_some() -> None:
    first, *rest = told(at(GATE, "y", "z = y"))
    assert first == "`y`: the result of `torch.sigmoid(x)` (line 4)"
    assert "requires grad if `x` requires grad" in rest
    assert "saved for backward by `sigmoid` (line 4)" in rest
    later = told(at(GATE, "y", "return y"))
    assert later[0].startswith("`y`: on some paths the result of ")
    assert "on others the result of " in later[0]


def test_an_argument_may_require_grad() -> None:
    (state,) = at(GATE, "x)", "sigmoid").states
    assert (state.kind, state.requires_grad, state.is_leaf, state.writing.comes) == (
        "argument",
        "maybe",
        None,
        "unknown",
    )


def test_a_number_is_no_tensor() -> None:
    assert known_at(known_in(GATE), 6, 8) is None


def test_hints_are_short() -> None:
    program = PROGRAMS["a saved result and its views"]
    labels = [hint.label for hint in hints(known_in(program), range(1, 20))]
    assert labels[0] == "saved by sigmoid"
    assert "v1" in labels


def test_markdown_links_to_places() -> None:
    shown = markdown(at(GATE, "z", "z = y"), lambda place: f"file:///p.py#L{place.span.row}")
    assert shown.startswith("**`z`**: the result of `torch.sigmoid(x)` ([line 4](file:///p.py#L4))\n\n- ")
    assert len(shown.split("\n")) <= 9


def test_it_can_go_to_another_process() -> None:
    knowledge = known_in(GATE)
    assert pickle.loads(pickle.dumps(knowledge)) == knowledge


def test_the_command_line_takes_a_column(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("gate.py").write_text(textwrap.dedent(GATE))
    shown = CliRunner().invoke(cli, ["why", "gate.py:4:5"], catch_exceptions=False).output
    assert "  `y`: the result of `torch.sigmoid(x)` (line 4)\n" in shown
    shown = CliRunner().invoke(cli, ["why", "gate.py:6:8", "--output-format", "json"], catch_exceptions=False).output
    assert '"tensor": null' in shown
