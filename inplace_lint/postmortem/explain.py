"""Which findings explain an error that PyTorch raised.

Each part of the report supports a finding, contradicts it, or neither; a finding fits if a part
supports it and none contradicts it. Where several are of the right kind, and no place tells which, none fits: each
is possible.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import PurePath

from inplace_lint.findings.diagnostic import Diagnostic
from inplace_lint.findings.wording import op_name
from inplace_lint.postmortem.error_report import ErrorReport, Frame, Kind
from inplace_lint.source.place import Site
from inplace_lint.torch_model.effects import Effects
from inplace_lint.torch_model.events import Refused
from inplace_lint.torch_model.messages import Stale, node_name
from inplace_lint.torch_model.op_table import table

CODES: dict[Refused, tuple[str, ...]] = {
    "leaf": ("IPL101", "IPL102"),  # PyTorch also says "a leaf" of `p[:]`
    "leaf-view": ("IPL102",),
    "multi-view": ("IPL103",),
    "no-grad-view": ("IPL103",),
    "custom-view": ("IPL103",),
    "stale-view": ("IPL103",),
    "detached-view": ("IPL103",),
    "expanded": ("IPL104",),
    "overlap": ("IPL104",),
    "out-with-grad": ("IPL105",),
    "inference": ("IPL106",),
    "inference-saved": ("IPL106",),
    "hooked": ("IPL107", "IPL103"),
}
STALE_CODES = ("IPL201", "IPL202", "IPL203")
# Under a checkpoint PyTorch's own check does not look, so the finding is one of silent writes.
CACHED_CODES = (*STALE_CODES, "IPL401")

# How a layer sees its weight: transposed, or as it is.
_OF_PARAMETERS = (None, "T", "Transpose", "AsStrided", "Permute", "View", "Expand", "Unsqueeze")


@dataclass(frozen=True, slots=True)
class Evidence:
    """A reason for a finding (a positive weight) or against it.

    Args:
        weight: how much it counts.
        reason: in words.
        places: whether it is about a place in the sources, and not only about a kind of op.
    """

    weight: int
    reason: str
    places: bool = False


@dataclass(frozen=True, slots=True)
class Explanation:
    """The findings by how well they fit the error, best first.

    Args:
        fitting: those that something speaks for and nothing against.
        possible: those of the right kind among which the report does not tell, if none fits.
        others: those of the right kind that something speaks against.
    """

    fitting: tuple[Diagnostic, ...]
    possible: tuple[Diagnostic, ...]
    others: tuple[Diagnostic, ...]


def explain(report: ErrorReport, diagnostics: Iterable[Diagnostic]) -> Explanation:
    """Rank findings; the reasons for each become its `verdict`."""
    codes = _codes(report.kind)
    ranked: list[tuple[int, Diagnostic, list[Evidence]]] = []
    for diagnostic in diagnostics:
        if diagnostic.code in codes:
            evidence = list(_evidence(report, diagnostic))
            ranked.append((sum(each.weight for each in evidence), diagnostic, evidence))
    ranked.sort(key=lambda each: (-each[0], each[1].severity != "error", each[1].sort_key))
    supported = [evidence for *_, evidence in ranked if evidence and all(each.weight > 0 for each in evidence)]
    groups: dict[str, list[Diagnostic]] = {"fits": [], "possible": [], "unlikely": []}
    for _, diagnostic, evidence in ranked:
        against = [each for each in evidence if each.weight < 0]
        fits = any(each.places for each in evidence) or supported == [evidence]
        group = "unlikely" if against else "fits" if fits else "possible"
        reasons = ", ".join(each.reason for each in against or evidence)
        groups[group].append(replace(diagnostic, verdict=f"{group}: {reasons}" if reasons else group))
    fitting = tuple(groups["fits"])
    return Explanation(fitting, () if fitting else tuple(groups["possible"]), tuple(groups["unlikely"]))


def _codes(kind: Kind) -> tuple[str, ...]:
    if kind == "stale":
        return STALE_CODES
    return CACHED_CODES if kind == "cached" else CODES[kind]


def _evidence(report: ErrorReport, diagnostic: Diagnostic) -> Iterator[Evidence]:
    return _stale(report, diagnostic) if report.kind in ("stale", "cached") else _refused(report, diagnostic)


def _stale(report: ErrorReport, diagnostic: Diagnostic) -> Iterator[Evidence]:
    ops = [each.op for each in diagnostic.related if each.role == "save" and each.op]
    known = [entry for op in ops if (entry := _by_name().get(op))]
    nodes = frozenset(node for entry in known for node in entry.nodes)
    yield from _forward(report, diagnostic)
    if report.failed and nodes:
        if report.failed in nodes:
            yield Evidence(3, f"the backward of {ops[0]} failed")
        elif _is_sure(diagnostic, nodes):
            yield Evidence(-4, f"the backward of {report.failed} failed")
    if report.details:
        yield from _tensor(report.details, diagnostic, nodes)
        if _is_sure(diagnostic, nodes):
            yield from _version(report.details, known)
    yield from _backward(report, diagnostic)


def _forward(report: ErrorReport, diagnostic: Diagnostic) -> Iterator[Evidence]:
    """What anomaly mode says of the line that saved the tensor."""
    saved = [each.site for each in diagnostic.related if each.role == "save"]
    if report.forward and any(_at(site, report.forward) for site in saved):
        yield Evidence(8, "anomaly mode names the line that saved the tensor", places=True)
    elif report.forward and saved:
        yield Evidence(-4, f"anomaly mode names another line, {_where(report.forward)}")


def _backward(report: ErrorReport, diagnostic: Diagnostic) -> Iterator[Evidence]:
    """What the traceback says of the backward pass that failed."""
    read = [each.site for each in diagnostic.related if each.role == "backward"]
    if report.frames and any(_at(site, report.frames) for site in read):
        yield Evidence(4, "the same backward pass", places=True)
    elif any(_same_file(site, frame) for site in read for frame in report.frames):
        yield Evidence(-3, "another backward pass")


def _tensor(details: Stale, diagnostic: Diagnostic, nodes: frozenset[str]) -> Iterator[Evidence]:
    """What the description of the overwritten tensor says."""
    if diagnostic.code == "IPL202" and nodes:
        # A saved result is described by the op that saved it.
        if details.node in nodes:
            yield Evidence(3, f"the tensor is the result of {details.node}")
        elif _is_sure(diagnostic, nodes):
            made = f"the result of {details.node}" if details.node else "no result of an op"
            yield Evidence(-3, f"the tensor is {made}")
    if diagnostic.code == "IPL203":
        if details.node in _OF_PARAMETERS:
            yield Evidence(2, "the tensor is a parameter, or a view of one")
        else:
            yield Evidence(-2, f"the tensor is the result of {details.node}, no parameter")


def _version(details: Stale, known: Sequence[_Known]) -> Iterator[Evidence]:
    """A new result is at version 0 when it is saved, that of an in-place op is past it."""
    writes = frozenset(each for entry in known for each in entry.writes)
    if writes == {True} and details.expected == 0:
        yield Evidence(-2, "the tensor was new when it was saved")
    if writes == {False} and details.expected > 0:
        yield Evidence(-2, f"the tensor had been written {_times(details.expected)} when it was saved")


def _is_sure(diagnostic: Diagnostic, nodes: frozenset[str]) -> bool:
    """Whether the op table tells the very node that saved the tensor: not of ops made of several."""
    return diagnostic.code == "IPL202" and len(nodes) == 1


def _refused(report: ErrorReport, diagnostic: Diagnostic) -> Iterator[Evidence]:
    if not report.frames:
        return
    if _at(diagnostic.site, report.frames[-1:]):
        yield Evidence(5, "the line that raised", places=True)
    elif _at(diagnostic.site, report.frames):
        yield Evidence(3, "a line on the way to the error", places=True)
    else:
        yield Evidence(-3, f"another line raised, {_where(report.frames)}")


def _at(site: Site, frames: Sequence[Frame]) -> bool:
    return any(_same_file(site, frame) and site.span.row <= frame.row <= site.span.end_row for frame in frames)


def _same_file(site: Site, frame: Frame) -> bool:
    """By name: the report may come from another machine."""
    return PurePath(site.path).name == frame.name


def _where(frames: Sequence[Frame]) -> str:
    return f"{frames[-1].name}:{frames[-1].row}"


@dataclass(frozen=True, slots=True)
class _Known:
    """What the op table knows of an op by the name that findings give it.

    Args:
        nodes: what autograd may call it.
        writes: whether it writes in place; both if that depends on how it is called.
    """

    nodes: frozenset[str]
    writes: frozenset[bool]


@cache
def _by_name() -> dict[str, _Known]:
    ops = table()
    rows: dict[str, list[Effects]] = {}
    for name in ops.names():
        rows.setdefault(op_name(name), []).extend(ops.overloads(name))
    for name in ops.module_names():
        spec = ops.module(name)
        rows.setdefault(op_name(name), []).extend(spec.forward if spec else ())
    return {
        name: _Known(
            frozenset(node_name(row.node) for row in found if row.node),
            frozenset(any(param != "out" for param in row.writes) for row in found),
        )
        for name, found in rows.items()
    }


def described(report: ErrorReport) -> str:
    """What the error says, in plain words."""
    if report.kind == "cached":
        return "a tensor that a selective checkpoint had saved was modified before a backward pass read it"
    if report.kind != "stale":
        return f"PyTorch refused a write: {report.message.strip()}"
    details = report.details
    if details is None:
        return "a saved tensor was modified before a backward pass read it"
    kind = details.type.rpartition(".")[2].removesuffix("Tensor").lower()
    made = f", the result of {details.node}," if details.node else ""
    times = _times(details.version - details.expected)
    return f"a saved {kind} tensor of shape {list(details.shape)}{made} was modified {times} before a backward read it"


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"
