"""Computes the answer about one line from a run of the analysis."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from inplace_lint.effort import allowance
from inplace_lint.findings.analysis import Analysis, Names
from inplace_lint.findings.diagnostic import Diagnostic
from inplace_lint.findings.finding import Finding
from inplace_lint.findings.registry import registry
from inplace_lint.findings.rule import Rule
from inplace_lint.findings.suppress import skips_file
from inplace_lint.interpret.analysis.analyze import analyze, screened_in
from inplace_lint.interpret.analysis.collected import Watch
from inplace_lint.notebook import Layout, is_notebook
from inplace_lint.pipeline.stack import on_deep_stack
from inplace_lint.project.config import Config, enabled_in, selection
from inplace_lint.project.environment import search_path
from inplace_lint.project.models import known
from inplace_lint.source import installed
from inplace_lint.source.parsing import parse_once
from inplace_lint.source.place import Site, Span
from inplace_lint.torch_model.events import MODULE
from inplace_lint.why import unfollowed
from inplace_lint.why.facts import Answer, Place, Source, Told
from inplace_lint.why.observer import Observer

Load = Callable[[str], "str | None"]
_Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
_MOST = 6

REFUTED_ELSEWHERE = "not shown: other files run or call the function, and do not show it"
"""The status of a finding that does not hold in the program."""


def answer(
    text: str, path: str, row: int, config: Config, load: Load, shown: Mapping[str, Sequence[Diagnostic]]
) -> Answer:
    """Why a line is reported, or is not.

    Args:
        text: the file's text; of a notebook, its program.
        path: its name.
        row: the line of the text, from 1.
        config: the configuration of the file.
        load: gives the text of another file, or None.
        shown: diagnostics of the file by status, strictest first.

    Raises:
        SourceError: the text is not Python.
    """
    rows = statement_rows(text, path, row)
    source = Source(path, Layout.of(text) if is_notebook(path) else None)
    observer = Observer(source, rows)
    analysis, screened = on_deep_stack(lambda: _watched(text, path, config, load, observer))
    unseen = "a check does not run this" if screened else "another finding covers it"
    findings = tuple(_findings(analysis, source, rows, config, shown, unseen))
    notes = _notes(text, path, row, rows, observer, analysis, bool(findings)) + screened
    notes += tuple(unfollowed.notes(observer.callees, search_path(config.python, config.root)))
    if skips_file(text) and not config.ignore_noqa:
        notes = ("a comment in the file excludes it from the check", *notes)
    line = source.place(Site(path, Span(row, 1, row, 1)))
    return Answer(path, line.span.row, line.cell, findings, observer.writes, notes)


def _watched(text: str, path: str, config: Config, load: Load, observer: Observer) -> tuple[Analysis, tuple[str, ...]]:
    """What a run finds that is looked on, and that a check makes no such run, if so."""
    rules = [entry.rule for entry in registry().values()]
    watch = Watch(observer.statement, observer.path)
    libraries = search_path(config.python, config.root)
    with known(config.models, config.torch_version), installed.using(libraries):
        analysis = analyze(text, path, rules, load, effort=allowance(text), watch=watch)
        return analysis, _screened_out(text, path, load, observer.reached)


def statement_rows(text: str, path: str, row: int) -> range:
    """The rows of the innermost statement that stands on a line; of a compound one, those of its header.

    Empty if the line has a comment, an `else:` or the like. Of what only libcst can parse, just the line.
    """
    tree, _ = parse_once(text, path)
    if tree is None:
        return range(row, row + 1)
    found = [here for node in ast.walk(tree) if isinstance(node, ast.stmt) and row in (here := _header(node))]
    return min(found, key=len, default=range(0))


def _header(node: ast.stmt) -> range:
    """The rows of a statement, without those of its body."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    first = min((each.lineno for each in decorators), default=node.lineno)
    body: list[ast.stmt] | None = getattr(node, "body", None)
    last = body[0].lineno - 1 if body else node.end_lineno or node.lineno
    return range(first, max(node.lineno, last) + 1)


def _findings(
    analysis: Analysis,
    source: Source,
    rows: Collection[int],
    config: Config,
    shown: Mapping[str, Sequence[Diagnostic]],
    unseen: str,
) -> Iterator[Told]:
    """What is found on the line, shown or not; `unseen` says why a finding is not shown that nothing else hides."""
    told: dict[tuple[str, Site], Told] = {}
    places = {status: {(each.code, _place(each)) for each in some} for status, some in shown.items()}
    for rule, finding in analysis.findings:
        if finding.site.path != source.path or finding.site.span.row not in rows:
            continue
        key = (rule.code, source.place(finding.site))
        status = next((status for status, some in places.items() if key in some), None)
        status = status or f"not shown: {_not_wanted(rule, finding, source.path, config) or unseen}"
        told.setdefault((rule.code, finding.site), Told(rule.code, finding.site.span.column, finding.told, status))
    for code, site in analysis.refuted:
        if site.path == source.path and site.span.row in rows:
            status = "not shown: callers in view do not show it"
            told.setdefault((code, site), Told(code, site.span.column, registry()[code].rule.summary, status))
    told |= _found_elsewhere(told.values(), source, rows, shown)
    yield from sorted(told.values(), key=lambda each: (each.column, each.code))


def _found_elsewhere(
    own: Iterable[Told], source: Source, rows: Collection[int], shown: Mapping[str, Sequence[Diagnostic]]
) -> dict[tuple[str, Site], Told]:
    """What only the check of another file finds on the line: one that calls what is here."""
    lines = {
        (place.cell, place.span.row) for place in (source.place(Site(source.path, Span(r, 1, r, 1))) for r in rows)
    }
    known = {(each.code, each.column) for each in own}
    told: dict[tuple[str, Site], Told] = {}
    for status, some in shown.items():
        for each in some:
            here = each.site.path == source.path and (each.cell, each.site.span.row) in lines
            if here and (each.code, each.site.span.column) not in known:
                told.setdefault(
                    (each.code, each.site), Told(each.code, each.site.span.column, each.message, status + _from(each))
                )
    return told


def _from(found: Diagnostic) -> str:
    """Where another file leads to a finding."""
    others = [each for each in found.related if each.site.path != found.site.path]
    calls = [each for each in others if each.role == "call"] or others
    return f"; {calls[-1].site.path}:{calls[-1].site.span.row} leads here" if calls else ""


def _place(diagnostic: Diagnostic) -> Place:
    return Place(diagnostic.site.path, diagnostic.site.span, diagnostic.cell)


def _not_wanted(rule: Rule, finding: Finding, path: str, config: Config) -> str:
    """Which setting hides a finding, if one does."""
    if rule.code not in enabled_in(config, path):
        return "the rule is off for this file"
    if finding.severity == "info" and rule.code not in selection(config).explicit:
        return f"advice, shown only if the rule is selected by its code {finding.because}".rstrip()
    return ""


def _notes(
    text: str, path: str, row: int, rows: range, observer: Observer, analysis: Analysis, found: bool
) -> tuple[str, ...]:
    """Why there is no write on the line, as far as nothing else tells."""
    if found or observer.writes:
        return ()
    if not rows:
        return ("no statement stands on this line",)
    around = _definitions_around(text, path, row)
    rest = _not_followed(analysis, around)
    function = next((each for each in reversed(around) if not isinstance(each, ast.ClassDef)), None)
    if function is not None and function.lineno not in observer.functions:
        return (f"`{function.name}` was not run: nothing that is run calls it", *rest)
    if not observer.reached:
        return ("no path that was followed came to this line", *rest)
    if observer.unknown:
        return ("nothing shows that what is changed here is a tensor",)
    if observer.harmless:
        return ("what is changed here is a number or a container, and no tensor, on every path that was followed",)
    return ("nothing on this line writes in place",)


def _not_followed(analysis: Analysis, around: Sequence[_Definition]) -> tuple[str, ...]:
    """What was not followed to its end: the function of the line if it was not, else what else may have led there."""
    name = ".".join(each.name for each in around) or MODULE
    own = [each for each in analysis.given_up if name == each.name or name.startswith(f"{each.name}.")]
    listed = [str(each).partition(": ")[2] for each in own or analysis.given_up]
    more = [f"and {len(listed) - _MOST} more"] if len(listed) > _MOST else []
    return (f"not followed to the end: {', '.join(listed[:_MOST] + more)}",) if listed else ()


def _definitions_around(text: str, path: str, row: int) -> list[_Definition]:
    """The classes and functions whose bodies have the line, outermost first."""
    tree, _ = parse_once(text, path)
    around = [
        node
        for node in (ast.walk(tree) if tree is not None else ())
        if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))
        and node.body[0].lineno <= row <= (node.end_lineno or row)
    ]
    return sorted(around, key=lambda node: node.lineno)


def _screened_out(text: str, path: str, load: Load, reached: Collection[Names]) -> tuple[str, ...]:
    """That no run which comes to the line is made when the file is only checked."""
    screened = screened_in(text, path, load)
    if screened is None or not reached or any(screened.keeps(*names) for names in reached):
        return ()
    if not screened.outline.about_tensors:
        return ("a check does not run this file: it does not use PyTorch",)
    return ("a check does not run this: neither it nor its callees write memory that is seen elsewhere",)
