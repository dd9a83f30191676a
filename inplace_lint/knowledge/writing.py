"""What comes of a write in place to a tensor at a time: PyTorch raises, a backward pass raises, or nothing."""

from __future__ import annotations

from collections.abc import Callable, Collection

from inplace_lint.knowledge.course import Course
from inplace_lint.knowledge.facts import Saved, Writing
from inplace_lint.knowledge.sight import Sight
from inplace_lint.source.place import Site
from inplace_lint.torch_model.tensor import Counter, Save
from inplace_lint.why.facts import Place

Locate = Callable[[Site], Place]


def saved(sight: Sight, course: Course, place: Locate) -> tuple[Saved, ...]:
    """What was saved of a memory when the tensor was seen."""
    return tuple(dict.fromkeys(_saved(each, sight, course, place) for each in course.saves(sight.storage, sight.time)))


def _saved(save: Save, sight: Sight, course: Course, place: Locate) -> Saved:
    read, backward = course.reader(save, sight.time)
    return Saved(
        op=save.op,
        place=place(save.site),
        version=save.version,
        is_result=save.is_result,
        overwritten=save.counter is sight.counter and save.version < sight.version,
        read=read,
        backward=place(backward.site) if backward is not None else None,
        assumptions=() if save.need.certain else save.need.assumptions,
    )


def consequence(sight: Sight, course: Course, place: Locate, guarded: bool, counters: Collection[int]) -> Writing:
    """What comes of a write to a tensor where it was seen.

    Args:
        sight: the tensor, and when.
        course: the path.
        place: where a site is.
        guarded: other views of the memory cannot be used after it is written.
        counters: the version counters that tensors of this memory have.
    """
    if sight.refusal is not None:
        certain = sight.refusal.certainty == "certain"
        return Writing("raises", sight.refusal.kind, None, () if certain else sight.refusal.assumptions)
    worst, unread, unclear = _worst(sight, course, place, counters)
    if worst is not None:
        return worst
    unclear |= guarded or sight.external or sight.may_be_copy or not sight.tensor.certain or not course.complete
    if unclear or course.is_handed_out(sight.storage, sight.time):
        return Writing("unknown", saved=unread)
    return Writing("safe", saved=unread)


def _worst(
    sight: Sight, course: Course, place: Locate, counters: Collection[int]
) -> tuple[Writing | None, Saved | None, bool]:
    """What a backward pass makes of it; what no pass in view reads; and whether something is not known."""
    found: list[Writing] = []
    unread: Saved | None = None
    unclear = False
    for save in course.saves(sight.storage, sight.time):
        seen = save.counter is sight.counter
        if save.until is not None or id(save.counter) not in counters:
            unclear = True
        elif not (seen and save.version < sight.version) and (seen or not save.unused):
            told = _saved(save, sight, course, place)
            unread = unread if told.read else told
            found += [Writing("breaks" if seen else "unseen", None, told, told.assumptions)] if told.read else []
            unclear |= not save.certain
    # What is certain first; then what raises.
    found.sort(key=lambda each: (bool(each.assumptions), each.comes))
    return found[0] if found else None, unread, unclear


def known_counters(sights: Collection[Sight]) -> dict[int, set[int]]:
    """By memory, the version counters of the tensors that were seen."""
    found: dict[int, set[int]] = {}
    for sight in sights:
        counter: Counter = sight.counter
        found.setdefault(id(sight.storage), set()).add(id(counter))
    return found
