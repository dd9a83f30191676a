"""Records the steps of a training loop that somebody else runs."""

from __future__ import annotations

from collections.abc import Sequence

from inplace_lint.findings.diagnostic import Diagnostic
from inplace_lint.runtime.watch import warn, watch


class Steps:
    """Watches the first steps of a training loop, and tells of each finding once.

    Args:
        strict: raise where a write would silently make a gradient wrong.
        steps: how many to watch; all if None.
    """

    def __init__(self, strict: bool, steps: int | None) -> None:
        self._watch = watch(strict=strict, tell=self._once)
        self._left = steps
        self._told: set[Diagnostic] = set()
        self._inside = False

    def begin(self) -> None:
        """Record from here; a step that did not end, because it raised, ends now."""
        self.end()
        if self._left == 0:
            return
        if self._left is not None:
            self._left -= 1
        self._watch.__enter__()
        self._inside = True

    def end(self, error: BaseException | None = None) -> None:
        """The step has ended, if one is being recorded."""
        if self._inside:
            self._inside = False
            self._watch.__exit__(type(error) if error else None, error, error.__traceback__ if error else None)

    def _once(self, diagnostics: Sequence[Diagnostic]) -> None:
        new = [each for each in diagnostics if each not in self._told]
        self._told.update(new)
        warn(new)
