"""Which calls could be in place: chosen by what is read later, then run in place, compared and measured anew."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from inplace_lint.runtime.memory.advise.calls import Ran, Spelled
from inplace_lint.runtime.memory.advise.lives import GIVEN
from inplace_lint.runtime.memory.advise.recording import Change, Recording, record, same, same_buffers
from inplace_lint.runtime.target import Target

_MOST_TO_PART = 64
_PART_THAT_COUNTS = 50


@dataclass(frozen=True, slots=True)
class Place:
    """A call of the source that could be in place.

    Args:
        call: the call.
        times: how often it ran.
        size: the bytes that it would write, all these times together.
        needed: the peak would be higher without it.
    """

    call: Spelled
    times: int
    size: int
    needed: bool


@dataclass(frozen=True, slots=True)
class InPlace:
    """All calls that could be in place, and the run in which they are."""

    places: Sequence[Place]
    peak: int


def safe_in_place(target: Target, recorded: bool, plain: Recording) -> InPlace:
    """Put in place what can be; every result, gradient, input and buffer stays what it is, to the bit.

    Args:
        target: what to run.
        recorded: with gradients.
        plain: the run as it is.
    """

    def tried(chosen: Sequence[Spelled]) -> Recording:
        return record(target, recorded, Change(in_place=chosen))

    def agrees(chosen: Sequence[Spelled]) -> bool:
        run = tried(chosen)
        return same(plain, run) and same_buffers(plain, run)

    right = _agreeing(_unread(plain), agrees)
    if not right:
        return InPlace((), plain.peak)
    peak = tried(right).peak
    most = peak + (plain.peak - peak) // _PART_THAT_COUNTS
    needed = _needed(right, lambda chosen: tried(chosen).peak <= most) if peak < plain.peak else []
    ran = plain.noted.ran
    places = [Place(each, len(ran[each]), _size(plain, ran[each]), each in needed) for each in right]
    return InPlace(sorted(places, key=lambda place: (not place.needed, -place.size)), peak)


def _unread(run: Recording) -> list[Spelled]:
    """The calls whose operand nobody reads afterwards, whenever they run; for one operand each."""
    chosen: dict[tuple[object, str], Spelled] = {}
    for call, ran in run.noted.ran.items():
        if all(_is_safe(run, each) for each in ran):
            chosen.setdefault((call.site, call.op), call)
    return list(chosen.values())


def _is_safe(run: Recording, ran: Ran) -> bool:
    if ran.operand is None or ran.operand in run.noted.exposed:
        return False
    life = run.lives[ran.operand]
    own = life.born != GIVEN and life.died is not None and ran.operand not in run.results
    return own and life.read <= ran.last


def _size(run: Recording, ran: Sequence[Ran]) -> int:
    return sum(run.lives[each.operand].size for each in ran if each.operand is not None)


def _agreeing(calls: Sequence[Spelled], agree: Callable[[Sequence[Spelled]], bool]) -> list[Spelled]:
    """Those of the calls that agree, all together: halved wherever they do not."""
    kept: list[Spelled] = []
    todo = [list(calls)] if calls else []
    while todo:
        some = todo.pop()
        if agree([*kept, *some]):
            kept += some
        elif len(some) > 1:
            todo += [some[len(some) // 2 :], some[: len(some) // 2]]
    return kept


def _needed(calls: Sequence[Spelled], enough: Callable[[Sequence[Spelled]], bool]) -> list[Spelled]:
    """Those without which it is not enough: whatever can be left out is, by halves."""
    kept = list(calls)
    todo = [list(calls)] if len(calls) <= _MOST_TO_PART else []
    while todo:
        some = todo.pop()
        rest = [each for each in kept if each not in some]
        if enough(rest):
            kept = rest
        elif len(some) > 1:
            todo += [some[len(some) // 2 :], some[: len(some) // 2]]
    return kept
