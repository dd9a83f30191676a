"""What has happened is not changed any more: events are final once they are part of a trace."""

from __future__ import annotations

from pathlib import Path
from typing import Any, SupportsIndex

import pytest

from inplace_lint import Config, lint_source
from inplace_lint.findings.registry import registry
from inplace_lint.source.place import Site, Span
from inplace_lint.torch_model import events
from inplace_lint.torch_model.events import Event, Trace
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


def refuse(event: Event, name: str, value: object) -> None:
    raise AttributeError(f"{type(event).__name__}.{name} is changed after it was emitted")


FINAL: dict[type[Event], type[Event]] = {
    kind: type(f"Final{kind.__name__}", (kind,), {"__slots__": (), "__setattr__": refuse})
    for kind in vars(events).values()
    if isinstance(kind, type) and issubclass(kind, Event) and kind is not Event
}


class Final(list[Event]):
    """Events that cannot be changed."""

    def append(self, event: Event) -> None:
        event.__class__ = FINAL[type(event)]
        super().append(event)

    def insert(self, index: SupportsIndex, event: Event) -> None:
        event.__class__ = FINAL[type(event)]
        super().insert(index, event)


@pytest.fixture
def final(monkeypatch: pytest.MonkeyPatch) -> None:
    """The events of all traces are final."""
    begin = Trace.__init__

    def begun(self: Trace, *args: Any, **facts: Any) -> None:
        begin(self, *args, **facts)
        self.events = Final(self.events)

    monkeypatch.setattr(Trace, "__init__", begun)


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


@pytest.mark.usefixtures("final")
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_events_are_final(path: Path) -> None:
    found = lint_source(path.read_text("utf-8"), str(path), Config(select=("ALL",)))
    assert not [each for each in found if each.code == "IPL903"]


@pytest.mark.usefixtures("final")
@pytest.mark.parametrize("code", registry())
def test_events_of_the_examples_of_rules_are_final(code: str) -> None:
    for block in registry()[code].documentation.split("```python\n")[1:]:
        found = lint_source(block.partition("```")[0], "example.py", Config(select=("ALL",)))
        assert not [each for each in found if each.code == "IPL903"]
