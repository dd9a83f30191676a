"""The analysis for other tools that are made with libcst: what it finds, as metadata of the nodes.

A visitor, a codemod or a Fixit rule names a provider among its `METADATA_DEPENDENCIES`, and asks each node:

>>> import libcst
>>> from inplace_lint.cst import AutogradHazards
>>> class Visitor(libcst.CSTVisitor):
...     METADATA_DEPENDENCIES = (AutogradHazards,)
...     def visit_Call(self, node: libcst.Call) -> None:
...         for hazard in self.get_metadata(AutogradHazards, node):
...             print(hazard.code, hazard.message)
>>> text = "import torch\\nx = torch.ones(2)\\ny = x * torch.sigmoid_(x)\\n"
>>> _ = libcst.MetadataWrapper(libcst.parse_module(text)).visit(Visitor())
IPL302 `sigmoid_` overwrites `x`, which the same expression reads
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TypeVar

import libcst as cst
from libcst.metadata import BatchableMetadataProvider, CodeRange, PositionProvider

from inplace_lint.findings.diagnostic import Diagnostic, Edit
from inplace_lint.findings.finding import Finding
from inplace_lint.findings.rule import Rule
from inplace_lint.fixes.edit import edited, lines_of
from inplace_lint.interpret.analysis.analyze import analyze
from inplace_lint.pipeline.lint_file import lint_source
from inplace_lint.pipeline.stack import on_deep_stack
from inplace_lint.source.place import Span
from inplace_lint.torch_model.events import Trace, Write

_Fact = TypeVar("_Fact")
_Positions = Mapping[cst.CSTNode, CodeRange]


class AutogradHazards(BatchableMetadataProvider[tuple[Diagnostic, ...]]):
    """The diagnostics at each node, usually none; each stands on one node, and what concerns no node on the module.

    They are those of `inplace_lint.lint_source`: of one file, by the rules that are on by default, less those that
    a comment silences.
    """

    METADATA_DEPENDENCIES = (PositionProvider,)

    def visit_Module(self, node: cst.Module) -> None:  # noqa: N802
        """Analyze the module, and give every node of it its diagnostics."""
        positions = _positions(self)
        facts = ((each.site.span, each) for each in lint_source(node.code))
        for each, found in _placed(node, positions, facts).items():
            self.set_metadata(each, found)


class InPlaceWrites(BatchableMetadataProvider[tuple[str, ...]]):
    """The ops by which a call or statement writes tensors in place, as far as it is known that it writes.

    An op is called as PyTorch calls it (`torch.Tensor.mul_`), or `+=`, or `[]=`. Code that writes nothing that has to
    do with a tensor is not run, and has none.

    Raises:
        inplace_lint.source.errors.SourceError: the module is nested too deeply, or too large.
    """

    METADATA_DEPENDENCIES = (PositionProvider,)

    def visit_Module(self, node: cst.Module) -> None:  # noqa: N802
        """Run the module on abstract tensors, and give every node of it the writes that happen there."""
        text = node.code
        analysis = on_deep_stack(lambda: analyze(text, _PATH, [_WRITES], lambda _: None))
        facts = dict.fromkeys((found.site.span, found.message) for _, found in analysis.findings)
        for each, found in _placed(node, _positions(self), facts).items():
            self.set_metadata(each, found)


_PATH = "<string>"


def _writes(trace: Trace) -> Iterable[Finding]:
    return (
        Finding(event.site, event.op, "info")
        for event in trace.events
        if isinstance(event, Write) and event.site.path == _PATH
    )


_WRITES = Rule("IPL000", "in-place-write", "Finds every write", _writes)


def cured(
    module: cst.Module, positions: _Positions, hazard: Diagnostic
) -> tuple[cst.BaseSmallStatement, cst.BaseSmallStatement] | None:
    """The simple statement that a hazard's safe fix changes, and the statement to take its place.

    None if there is no safe fix, or it adds lines, or changes several statements. Its edits can be applied to the text
    all the same.
    """
    edits = hazard.fix.edits if hazard.fix is not None and hazard.fix.applicability == "safe" else ()
    if not edits or any("\n" in edit.content for edit in edits):
        return None
    around = (node for node in positions if isinstance(node, cst.BaseSmallStatement))
    for node in around:
        place = _span(positions[node])
        if all(_covers(place, edit.span) for edit in edits):
            new = cst.ensure_type(cst.parse_statement(_edited(module.code, place, edits)), cst.SimpleStatementLine)
            return (node, new.body[0]) if len(new.body) == 1 else None
    return None


def _edited(text: str, place: Span, edits: Iterable[Edit]) -> str:
    """A stretch of a text, with edits that lie in it."""
    rows = lines_of(text)[place.row - 1 : place.end_row]
    behind = len(rows[-1]) - place.end_column + 1
    above = place.row - 1
    spans = [(replace(each.span, row=each.span.row - above, end_row=each.span.end_row - above), each) for each in edits]
    new = edited("".join(rows), [replace(each, span=span) for span, each in spans])
    return new[place.column - 1 : len(new) - behind]


def _placed(
    module: cst.Module, positions: _Positions, facts: Iterable[tuple[Span, _Fact]]
) -> dict[cst.CSTNode, tuple[_Fact, ...]]:
    """For every node, the facts that stand there: on the expression or else the statement with just that span.

    What has the span of none stands on the module.
    """
    placed: dict[cst.CSTNode, tuple[_Fact, ...]] = dict.fromkeys([*positions, module], ())
    exact: dict[Span, cst.CSTNode] = {}
    for node, place in positions.items():
        if isinstance(node, cst.BaseExpression) or (
            isinstance(node, cst.BaseSmallStatement) and _span(place) not in exact
        ):
            exact[_span(place)] = node
    for span, fact in facts:
        placed[exact.get(span, module)] += (fact,)
    return placed


def _covers(outer: Span, inner: Span) -> bool:
    return (outer.row, outer.column) <= (inner.row, inner.column) and (inner.end_row, inner.end_column) <= (
        outer.end_row,
        outer.end_column,
    )


def _span(place: CodeRange) -> Span:
    return Span(place.start.line, place.start.column + 1, place.end.line, place.end.column + 1)


def _positions(provider: BatchableMetadataProvider[tuple[_Fact, ...]]) -> _Positions:
    known: _Positions = provider.metadata[PositionProvider]  # type: ignore[assignment]
    return known
