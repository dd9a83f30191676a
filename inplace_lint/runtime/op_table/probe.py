"""Probing: runs an overload on samples, for every choice of arguments that require grad."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import torch

from inplace_lint.runtime.op_table.binding import bind
from inplace_lint.runtime.op_table.fit import Sample
from inplace_lint.runtime.op_table.observe import Call, Seen, observe, subjects, tensor_names
from inplace_lint.runtime.op_table.samples import Arguments, seed
from inplace_lint.torch_model.effects import Param


@contextmanager
def quiet() -> Iterator[None]:
    """Deprecations are not the generator's business."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def as_call(function: Callable[..., object], params: Sequence[Param], given: Arguments) -> Call | None:
    """The call with its arguments named, or None if they do not fit the parameters."""
    if bind(params, given.args, given.kwargs) is None:
        return None
    positional = [p.name for p in params if not p.keyword_only]
    last = positional[-1:] * max(0, len(given.args) - len(positional))
    names = tuple([*positional, *last][: len(given.args)])
    return Call(function, given.args, given.kwargs, names)


def sample(call: Call) -> Sample | None:
    """Runs the call without grad, with each argument alone, and with all; None if it raises without."""
    names = subjects(call)
    if _try(call, frozenset()) is None:
        return None
    choices = [*(frozenset({name}) for name in sorted(names))]
    if len(names) > 1:
        choices.append(names)
    runs = [run for choice in choices if (run := _try(call, choice)) is not None]
    if not runs:
        resolve = _try(call, frozenset())
        runs = [resolve] if resolve is not None else []
    return Sample(tensor_names(call), tuple(runs)) if runs else None


def _try(call: Call, grad: frozenset[str], strided: bool = False) -> Seen | None:
    seed()
    try:
        return observe(call, grad, strided)
    except Exception:  # an op refuses arguments in many ways; none may stop the generation
        return None


@dataclass
class Probed:
    """The calls that ran, what was seen of each, and what was seen of them on memory with gaps."""

    calls: list[Call] = field(default_factory=list)
    samples: list[Sample] = field(default_factory=list)
    strided: list[Seen] = field(default_factory=list)


def probe(calls: Iterable[Call], limit: int) -> Probed:
    """Runs the first `limit` calls that can be run."""
    probed = Probed()
    with quiet(), torch.enable_grad():
        for call in calls:
            found = sample(call)
            if found is None:
                continue
            probed.calls.append(call)
            probed.samples.append(found)
            gaps = _try(call, found.runs[-1].grad, strided=True)
            probed.strided.extend([gaps] if gaps is not None else [])
            if len(probed.calls) == limit:
                break
    return probed
