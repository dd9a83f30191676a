"""What is alive at the peak and never read again, and who holds it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

import torch
from torch import Tensor, nn

from inplace_lint.runtime.memory.advise import recording
from inplace_lint.runtime.memory.advise.lives import GIVEN, Life, Lives
from inplace_lint.runtime.memory.advise.recording import Change, Recording, record
from inplace_lint.runtime.recorder.frames import OURS
from inplace_lint.runtime.recorder.saves import kept_by, nodes_from
from inplace_lint.runtime.target import Target
from inplace_lint.runtime.values import tensors_of
from inplace_lint.source.place import Site

THE_RESULT = "the result of the model"
THE_GRAPH = "the graph of autograd"
A_CALL = "the call of a layer, as its argument"
_DEPTH = 3
_NOT_THE_PROGRAM = (OURS, str(Path(torch.autograd.__file__).parent), str(Path(torch.utils.__file__).parent))


@dataclass(frozen=True, slots=True)
class Held:
    """Memory made on one line, and held in one way.

    Args:
        site: the line that made it; None if backward did.
        op: what made it.
        by: who holds it; empty if that could not be told.
        count: how many storages.
        size: their bytes together.
    """

    site: Site | None
    op: str
    by: str
    count: int
    size: int


def held_for_nothing(target: Target, recorded: bool, plain: Recording) -> list[Held]:
    """What is alive at the peak though no later op reads it, the largest first.

    What is given, and what backward makes, is not meant to be freed, and left out.
    """
    peak = plain.peak_step
    wanted = {number for number, life in enumerate(plain.lives) if _is_idle(life, peak)}
    if not wanted:
        return []
    holders: dict[int, str] = {}

    def look(frame: FrameType, model: nn.Module, results: list[Tensor], lives: Lives) -> None:
        holders.update(_holders(frame, model, results, lives, wanted))

    record(target, recorded, Change(stop=peak, look=look))
    groups: dict[tuple[Site | None, str, str], list[int]] = {}
    for number in wanted:
        life = plain.lives[number]
        by = THE_RESULT if number in plain.results else holders.get(number, "")
        if by == THE_GRAPH and life.read >= plain.forward:  # its node has yet to end
            continue
        groups.setdefault((life.site, life.op, by), []).append(life.size)
    held = [Held(*group, len(sizes), sum(sizes)) for group, sizes in groups.items()]
    return sorted(held, key=lambda each: -each.size)


def _is_idle(life: Life, peak: int) -> bool:
    unread = life.site is not None and GIVEN < life.born < peak and life.read < peak
    return unread and life.alive(peak) and life.size > 0


def _holders(
    frame: FrameType, model: nn.Module, results: Sequence[Tensor], lives: Lives, wanted: Collection[int]
) -> dict[int, str]:
    """Who holds each storage: the innermost variable first, then attributes, arguments passed on, autograd."""
    found: dict[int, str] = {}
    seen: list[Tensor] = list(results)

    def note(tensors: Iterable[Tensor], holder: str) -> None:
        for tensor in tensors:
            seen.append(tensor)
            number = lives.number(tensor)
            if number is not None and number in wanted:
                found.setdefault(number, holder)

    variables = list(_variables(frame))
    passed_on = [(A_CALL, value) for holder, value in variables if holder == A_CALL]
    own = [each for each in variables if each[0] != A_CALL]
    for holder, value in [*own, *_attributes(model), *passed_on]:
        note(tensors_of(value, _DEPTH), holder)
    nodes = nodes_from([tensor.grad_fn for tensor in seen])
    note([kept.tensor for node in nodes for kept in kept_by(node)], THE_GRAPH)
    return found


def _variables(frame: FrameType | None) -> Iterator[tuple[str, object]]:
    while frame is not None and frame.f_code.co_filename != recording.__file__:
        code = frame.f_code
        if not code.co_filename.startswith(_NOT_THE_PROGRAM):
            for name, value in frame.f_locals.items():
                if not name.startswith("__"):
                    passes_on = code.co_filename == nn.modules.module.__file__
                    yield A_CALL if passes_on else f"`{name}` of `{code.co_name}`", value
        frame = frame.f_back


def _attributes(model: nn.Module) -> Iterator[tuple[str, object]]:
    for path, module in model.named_modules():
        for name, value in vars(module).items():
            if name not in ("_parameters", "_buffers", "_modules"):
                yield f"`{'.'.join(filter(None, ('self', path, name)))}`", value
