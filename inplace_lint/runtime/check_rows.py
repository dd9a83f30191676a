"""Holds the rows of a model file against the functions that they describe, by running these on random tensors.

`python -m inplace_lint.runtime.check_rows MODEL VERDICTS` writes, as JSON, what was found of each name: `agrees`,
`not run`, or in what the function does something else. It imports the library.
"""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from itertools import islice, product
from pathlib import Path
from typing import Any

import torch
from torch import nn

from inplace_lint.runtime.op_table.observe import NESTED, Call, Seen, observe, subjects
from inplace_lint.runtime.op_table.probe import quiet
from inplace_lint.runtime.op_table.samples import seed
from inplace_lint.torch_model.effects import Effects, Output, Param
from inplace_lint.torch_model.op_table import read_row

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

AGREES = "agrees"
NOT_RUN = "not run"

_SHAPES: tuple[tuple[int, ...], ...] = ((2, 4, 8), (2, 4, 8, 8), (4, 4), (4,), (2, 4, 4, 4, 4))
_MOST_CALLS = 24
_SECONDS = 30


class _OutOfTime(Exception):
    pass


def check(document: Mapping[str, Any]) -> dict[str, str]:
    """What was found of each name in a model file."""
    found = {}
    for name, entry in document.get("ops", {}).items():
        rows = [read_row(row) for row in (entry if isinstance(entry, list) else [entry])]
        found[name] = _judged(lambda n=name, r=rows: _function(n, r))  # type: ignore[misc]
    for name, entry in document.get("modules", {}).items():
        found[name] = _judged(lambda n=name, e=entry: _module(n, e))  # type: ignore[misc]
    return found


def _judged(verdict: Callable[[], str]) -> str:
    try:
        with _bounded():
            found = verdict()
    except KeyboardInterrupt:
        raise
    except BaseException:  # whatever libraries do when they are imported, the others are checked
        found = NOT_RUN
    return found


@contextmanager
def _bounded() -> Iterator[None]:
    """Ends what takes too long, where the system can do that."""
    if not hasattr(signal, "SIGALRM"):
        yield
        return

    def stop(*_: object) -> None:
        raise _OutOfTime

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(_SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def function_named(name: str) -> Any:
    """What a program gets that imports a name."""
    module, _, last = name.rpartition(".")
    # The tests of PyTorch, where samples are from, forbid to set its flags; libraries set some when they are imported.
    with getattr(torch.backends, "__allow_nonbracketed_mutation")():
        return getattr(import_module(module), last)


def _function(name: str, rows: Sequence[Effects]) -> str:
    function = function_named(name)
    verdicts = [verdict_on(row, _calls(function, row, dict(row.given), ())) for row in rows]
    return _together(verdicts)


def _module(name: str, entry: Mapping[str, Any]) -> str:
    cls, verdicts = function_named(name), []
    rows = [read_row(row) for row in entry.get("forward", ())]
    for row in rows:
        given = {key: value for key, value in row.given if key != "training"}
        wanted = dict(row.given).get("training")
        calls = []
        for module in _built(cls, entry.get("init", ()), given):
            for training in (True, False) if wanted is None else (bool(wanted),):
                calls += list(islice(_calls(module.train(training), row, {}, _owned(module)), _MOST_CALLS))
        verdicts.append(verdict_on(row, calls))
    return _together(verdicts)


def _together(verdicts: Sequence[str]) -> str:
    wrong = next((each for each in verdicts if each not in (AGREES, NOT_RUN)), None)
    return wrong or (AGREES if verdicts and all(each == AGREES for each in verdicts) else NOT_RUN)


def _built(cls: Callable[..., Any], init: Sequence[Sequence[Any]], given: Mapping[str, object]) -> Iterator[nn.Module]:
    """Instances of a module, its required arguments being small numbers."""
    required = [name for name, default in init if default == "<required>"]
    for number in (4, 8, 1, 2, 0.5):
        try:
            made = cls(**{**dict.fromkeys(required, number), **given})
        except Exception:  # another number may do
            continue
        if isinstance(made, nn.Module):
            yield made
        if not required:
            return


def _owned(module: nn.Module) -> list[tuple[str, torch.Tensor]]:
    named = [*module.named_parameters(), *module.named_buffers()]
    return [(NESTED if "." in name else name, tensor) for name, tensor in named]


def _calls(
    function: Callable[..., object],
    row: Effects,
    given: Mapping[str, object],
    owned: Sequence[tuple[str, torch.Tensor]],
) -> Iterator[Call]:
    """Calls with tensors of several shapes for all that must be given."""
    params = [param for param in row.params if not param.optional and param.name not in given]
    seed()
    for shape, other in product(_SHAPES, (True, False)):
        values = [_value(param, shape, other) for param in params]
        named = {**dict(zip((param.name for param in params), values, strict=True)), **given}
        yield Call(function, (), named, (), owned)


def _value(param: Param, shape: Sequence[int], positive: bool) -> object:
    if param.kind in ("tensor", "tensors"):
        made = torch.rand(tuple(shape)) + 0.1 if positive else torch.randn(tuple(shape))
        return made if param.kind == "tensor" else [made, torch.rand(tuple(shape))]
    return {"int": 2, "ints": (2, 2), "number": 0.5, "bool": positive, "str": "mean"}.get(param.kind, 2)


def verdict_on(row: Effects, calls: Iterator[Call] | Sequence[Call]) -> str:
    """Whether a row describes what is seen of calls."""
    ran = False
    with quiet(), torch.enable_grad():
        for call in islice(calls, _MOST_CALLS):
            names = subjects(call)
            for grad in (frozenset[str](), *(frozenset({name}) for name in sorted(names)), names):
                seen = _seen(call, grad)
                if seen is None:
                    continue
                ran = ran or bool(grad)
                if wrong := _difference(row, seen):
                    return wrong
    return AGREES if ran else NOT_RUN


def _seen(call: Call, grad: frozenset[str]) -> Seen | None:
    seed()
    try:
        return observe(call, grad)
    except _OutOfTime:
        raise
    except Exception:  # not every function takes every shape
        return None


def _difference(row: Effects, seen: Seen) -> str:
    """What a call does otherwise than its row says; "" if nothing."""
    if seen.writes != frozenset(row.writes):
        return f"writes {', '.join(sorted(seen.writes)) or 'nothing'}"
    told = row.outputs
    if len(told) == len(seen.outputs) and not (told[0].many and not row.tupled):
        pairs = list(zip(told, seen.outputs, strict=True))
    elif told[0].many and not row.tupled:
        pairs = [(told[0], each) for each in seen.outputs]
    else:
        return "gives another number of results"
    for expected, got in pairs:
        if not _covers(expected, got):
            return f"returns {got.origin}{f' {got.of}' if got.of else ''}"
    if seen.requires_grad and not row.differentiable:
        return "its result requires grad"
    return _unsaved(row, seen)


def _unsaved(row: Effects, seen: Seen) -> str:
    """What a call does not keep, though its row says so; "" if nothing."""
    kept = {name for name, clone in seen.saves if not clone}
    for save in row.saves:
        due = seen.requires_grad and (not save.when or not seen.grad.isdisjoint(save.when))
        if due and not (save.clone or save.gpu) and save.what not in kept:
            return f"does not save {save.what}"
    return ""


def _covers(told: Output, seen: Output) -> bool:
    """Whether an origin that was told covers one that was seen."""
    if told.origin == "maybe":
        return seen.origin == "fresh" or seen.of == told.of
    if told.origin in ("view", "views"):
        return seen.origin in ("alias", "view", "views") and seen.of == told.of
    return (told.origin, told.of) == (seen.origin, seen.of) or (told.origin == "fresh" and seen.origin == "parts")


if __name__ == "__main__":
    model, verdicts = map(Path, sys.argv[1:3])
    verdicts.write_text(json.dumps(check(tomllib.loads(model.read_text("utf-8")))), "utf-8")
