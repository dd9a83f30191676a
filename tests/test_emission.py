"""What has happened is not changed any more: events are final once they are part of a trace."""

from __future__ import annotations

from pathlib import Path

import pytest
from observed import make_final, observed

from inplace_lint import Config, lint_source
from inplace_lint.findings.registry import registry
from inplace_lint.source.place import Site, Span
from inplace_lint.torch_model.events import Trace
from inplace_lint.torch_model.machine import Machine
from inplace_lint.torch_model.operands import Operand
from inplace_lint.torch_model.tensor import NO

HERE = Path(__file__).parent
PROGRAMS = [
    *sorted(HERE.glob("cases/*.py")),
    *sorted((HERE.parent / "examples").rglob("*.py")),
    *sorted((HERE / "revealed").glob("*.py")),
    *sorted((HERE / "summaries").glob("*.py")),
]


@pytest.fixture
def final(monkeypatch: pytest.MonkeyPatch) -> None:
    """The events of all traces are final."""
    make_final(monkeypatch)


@pytest.mark.usefixtures("final")
def test_an_event_that_was_emitted_cannot_be_changed() -> None:
    """Or the other tests would find nothing."""
    machine = Machine(Trace("a test"))
    site = Site("a.py", Span(1, 1, 1, 2))
    operand = Operand(machine.tensor(site), site, None, 0, "x")
    write = machine.writing(operand, "torch.Tensor.mul_", site, NO)
    write.op = "*="
    machine.emit(write)
    with pytest.raises(AttributeError, match=r"FinalWrite\.op is changed"):
        write.op = "another"


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_events_are_final(path: Path) -> None:
    assert not [each for each in observed(path).diagnostics if each.code == "IPL903"]


@pytest.mark.usefixtures("final")
@pytest.mark.parametrize("code", registry())
def test_events_of_the_examples_of_rules_are_final(code: str) -> None:
    for block in registry()[code].documentation.split("```python\n")[1:]:
        found = lint_source(block.partition("```")[0], "example.py", Config(select=("ALL",)))
        assert not [each for each in found if each.code == "IPL903"]
