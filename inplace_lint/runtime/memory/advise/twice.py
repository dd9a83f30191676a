"""The same values that are alive twice at the peak: a tensor, and its copy or its conversion to another type."""

from __future__ import annotations

from dataclasses import dataclass

from inplace_lint.runtime.memory.advise.lives import Life
from inplace_lint.runtime.memory.advise.recording import Recording
from inplace_lint.source.place import Site


@dataclass(frozen=True, slots=True)
class Twice:
    """Copies that one line makes of what another line made.

    Args:
        site: the line that copies; None in backward.
        op: what it copies with.
        original: the line that made what is copied; None if it is given.
        count: how many copies.
        size: their bytes together.
    """

    site: Site | None
    op: str
    original: Site | None
    count: int
    size: int


def alive_twice(run: Recording) -> list[Twice]:
    """The copies whose original is alive at the peak, too, and was not written since; the largest first."""
    peak = run.peak_step
    groups: dict[tuple[Site | None, str, Site | None], list[int]] = {}
    for life in run.lives:
        if life.copy_of is not None and _still_equal(life, run.lives[life.copy_of], peak):
            groups.setdefault((life.site, life.op, run.lives[life.copy_of].site), []).append(life.size)
    found = [Twice(*group, len(sizes), sum(sizes)) for group, sizes in groups.items()]
    return sorted(found, key=lambda each: -each.size)


def _still_equal(copy: Life, original: Life, peak: int) -> bool:
    both = copy.alive(peak) and original.alive(peak) and copy.size > 0
    return both and max(copy.written, original.written) <= copy.born
