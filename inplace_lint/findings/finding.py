"""A finding: what a rule found on one path."""

from __future__ import annotations

from dataclasses import dataclass

from inplace_lint.findings.cure import (
    Cure,
)
from inplace_lint.findings.diagnostic import Related, Role, Severity
from inplace_lint.findings.wording import if_assumed
from inplace_lint.source.place import Site
from inplace_lint.torch_model.tensor import Assumption


@dataclass(frozen=True, slots=True)
class Finding:
    """What a rule found on one path. The pipeline adds the code, and merges equal findings.

    `role` says what happens at its own place; `assumed` marks one that rests on something not known of the entry
    point's arguments, and `assumes` is what of that a message can say; `cures` say what would help, best first;
    `because` says which habit made advice of it; `parameters` are those of which one must be given a tensor that
    requires grad, and none if it may hold without.
    """

    site: Site
    message: str
    severity: Severity
    related: tuple[Related, ...] = ()
    help: str | None = None
    assumed: bool = False
    assumes: tuple[Assumption, ...] = ()
    cures: tuple[Cure, ...] = ()
    role: Role = "write"
    because: str = ""
    parameters: frozenset[Site] = frozenset()

    @property
    def told(self) -> str:
        """The message, and under which assumptions it holds."""
        return f"{self.message}{if_assumed(self.assumes)}"
