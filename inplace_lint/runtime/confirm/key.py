"""Keys that identify a call of the program in several runs."""

from __future__ import annotations

from dataclasses import dataclass

from inplace_lint.source.place import Site


@dataclass(frozen=True, slots=True)
class Key:
    """A call: its op, where it stands, and the calls that led to it, outermost first."""

    op: str
    site: Site | None
    stack: tuple[Site, ...]

    @property
    def sites(self) -> tuple[Site, ...]:
        """The call and those that led to it, innermost first."""
        return (*((self.site,) if self.site else ()), *reversed(self.stack))
