"""Why a read of overwritten memory is reported, or is not: reasons that have names."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import dedent
from typing import Literal

StaleKind = Literal["same-name", "same-expression", "alias", "captured", "argument"]
"""How a read is stale: which rule reports it."""


@dataclass(slots=True, eq=False)
class Reason:
    """What decides about a read and a write.

    A habit is a reason that rests on how people write programs, so it may be wrong; it has an example that comes out
    otherwise without it. Any other reason is a fact of the trace.

    Args:
        name: for developers, in lower case, with hyphens.
        says: for users, a sentence without a capital and a full stop.
        kind: how the read is stale; `kept` is "captured" for an attribute or element and "alias" for a variable; None
            for what is not reported.
        example: of a habit, a program, indented as it stands here.
        on: whether a habit counts. Only tests and measurements switch one off.
    """

    name: str
    says: str
    kind: StaleKind | Literal["kept"] | None = None
    example: str | None = None
    on: bool = True

    @property
    def is_habit(self) -> bool:
        """Whether it rests on how people write programs."""
        return self.example is not None

    @property
    def program(self) -> str:
        """The example, ready to run."""
        return dedent(self.example or "").lstrip("\n")


def fact(name: str, says: str, kind: StaleKind | Literal["kept"] | None = None) -> Reason:
    """A reason that the trace shows."""
    return Reason(name, says, kind)


def silent(name: str, says: str, example: str) -> Reason:
    """A habit: the write is meant to be seen, so the read is not reported. Without it, the example is."""
    return Reason(name, says, None, example)


def suspect(name: str, kind: StaleKind | Literal["kept"], says: str, example: str) -> Reason:
    """A habit: the write is not meant to be seen. Without it, nothing is reported in the example, or something else."""
    return Reason(name, says, kind, example)
