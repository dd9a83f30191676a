"""What experiments say of a finding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from inplace_lint.runtime.confirm.outcome import Difference

Kind = Literal["confirmed", "refuted", "not reached", "undecided"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What experiments say of a finding.

    Args:
        kind: the verdict.
        why: completes it (`raises`, `values differ by up to 0.5`).
        quote: PyTorch's own words, where it raised.
    """

    kind: Kind
    why: str = ""
    quote: str = ""

    def __str__(self) -> str:
        return f"{self.kind}: {self.why}" if self.why else self.kind


def in_words(found: Difference) -> str:
    """A difference, as a verdict tells it."""
    if found.kind == "printed":
        return "what it prints differs"
    if found.kind == "shapes":
        return f"values differ in shape ({found.name})"
    return f"{found.kind} differ by up to {found.largest:.3g} ({found.name})"
