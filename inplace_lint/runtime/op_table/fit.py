"""From what was seen of an overload to the row that explains all of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import torch

from inplace_lint.runtime.op_table.observe import Seen, kind_of
from inplace_lint.runtime.op_table.schema import Overload
from inplace_lint.torch_model.effects import DtypeKind, Effects, Origin, Output, SaveSpec


@dataclass(frozen=True)
class Sample:
    """All runs of one call, with the names of the tensors that it was given."""

    given: frozenset[str]
    runs: tuple[Seen, ...]


@dataclass(frozen=True)
class Fitted:
    """A row, and what it claims although it was not seen in every run."""

    effects: Effects
    loose: tuple[str, ...] = ()


def fit(overload: Overload, samples: Sequence[Sample], strided: Sequence[Seen] = ()) -> Fitted:
    """The smallest row that covers every run.

    Autograd's guard on a save is a disjunction: it is made if any of certain arguments requires
    grad. So running with one argument at a time gives `when`, and running with all checks it.
    `strided` are runs on arguments with gaps; they tell views from `maybe`s.
    """
    runs = [run for sample in samples for run in sample.runs]
    outputs, tupled = _outputs(overload, runs, strided)
    saves, loose = _saves(samples)
    most = max((len(run.saves) for run in runs if run.node is not None), default=0)
    # some ops take several ways; the one that saves most is what the row describes
    nodes = Counter(run.node for run in runs if run.node is not None and len(run.saves) == most)
    writes = {w for run in runs for w in run.writes}
    # `nn.init` writes under no_grad: its result requires grad only as it did before
    recorded = bool(nodes) or not writes
    effects = Effects(
        params=overload.params,
        writes=tuple(sorted(writes | ({"out"} & set(overload.writes)))),
        outputs=outputs,
        tupled=tupled,
        saves=saves,
        differentiable=recorded and any(run.requires_grad for run in runs),
        dtypes=_dtypes(runs, len(outputs)),
        contiguous=all(run.contiguous for run in runs),
        node=nodes.most_common(1)[0][0] if nodes else None,
        fields=runs[0].fields,
        source="probed",
    )
    return Fitted(effects, loose)


def _dtypes(runs: Sequence[Seen], outputs: int) -> tuple[str | None, ...]:
    """The dtype that each output had in every run, or its kind, where it is not simply that of the arguments."""
    found = tuple(_dtype([(run.given, run.dtypes[index]) for run in runs]) for index in range(outputs))
    return found if any(found) else ()


def _dtype(seen: Sequence[tuple[DtypeKind | None, torch.dtype | None]]) -> str | None:
    kinds = {kind_of(dtype) for _, dtype in seen if dtype is not None}
    if len(kinds) != 1 or any(dtype is None for _, dtype in seen):
        return None
    kind = kinds.pop()
    if all(given == kind for given, _ in seen):
        return None
    # which floating-point numbers come of tensors depends on theirs
    exact = kind in ("int", "bool") or all(given is None for given, _ in seen)
    dtypes = {str(dtype).removeprefix("torch.") for _, dtype in seen}
    return dtypes.pop() if exact and len(dtypes) == 1 else kind


def _outputs(overload: Overload, runs: Sequence[Seen], strided: Sequence[Seen]) -> tuple[tuple[Output, ...], bool]:
    lengths = {len(run.outputs) for run in (*runs, *strided)}
    tupled = any(run.tupled for run in runs)
    declared_list = len(overload.outputs) == 1 and overload.outputs[0].many
    if tupled and (len(lengths) > 1 or declared_list):
        merged = merge_origins([o for run in (*runs, *strided) for o in run.outputs])
        return (Output(merged.origin, merged.of, many=True),), False
    found = []
    for index in range(len(runs[0].outputs)):
        resolve = merge_origins([run.outputs[index] for run in runs])
        merged = merge_origins([resolve, *(run.outputs[index] for run in strided)])
        shared = resolve.origin in ("alias", "view") and merged.origin == "maybe"
        found.append(replace(resolve, when="contiguous") if shared else merged)
    return tuple(found), tupled


def merge_origins(seen: Collection[Output]) -> Output:
    """One output that covers all: what is not always a view is one `maybe`."""
    kinds = set(seen)
    if len(kinds) == 1:
        only = kinds.pop()
        return Output(only.origin, only.of, only.many or only.origin == "views")
    origins: set[Origin] = {o.origin for o in kinds}
    of = sorted({o.of for o in kinds if o.of is not None})
    if not of:
        return Output("parts" if "parts" in origins else "fresh")
    if origins == {"alias", "view"} and len(of) == 1:
        return Output("view", of[0])
    if origins == {"view", "views"}:
        return Output("views", of[0], True)
    return Output("maybe", of[0])


def _saves(samples: Sequence[Sample]) -> tuple[tuple[SaveSpec, ...], tuple[str, ...]]:
    alone_runs = [run for s in samples for run in s.runs if len(run.grad) == 1 and run.requires_grad]
    able = frozenset(name for run in alone_runs for name in run.grad)
    saved = sorted({item for sample in samples for run in sample.runs for item in run.saves})
    specs: list[SaveSpec] = []
    loose: list[str] = []
    for item in saved:
        when = frozenset(name for run in alone_runs if item in run.saves for name in run.grad) or able
        explained = when if when != able else frozenset[str]()
        specs.append(SaveSpec(item[0], tuple(sorted(explained)), item[1]))
        due = _due(samples, item[0], when)
        hits = sum(item in run.saves for run in due)
        if hits < len(due):
            loose.append(f"{'clone of ' if item[1] else ''}{item[0]} in {hits} of {len(due)} runs")
    return tuple(specs), tuple(loose)


def _due(samples: Sequence[Sample], what: str, when: Collection[str]) -> list[Seen]:
    """The runs that should save something, if it is saved whenever one of certain arguments requires grad."""
    possible = [sample for sample in samples if what in sample.given or what.startswith("result")]
    return [run for sample in possible for run in sample.runs if run.requires_grad and not run.grad.isdisjoint(when)]
