"""From one file to its diagnostics. A crash stays inside its file."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING

from inplace_lint.effort import allowance
from inplace_lint.findings.diagnostic import Diagnostic, GivenUp
from inplace_lint.findings.registry import registry
from inplace_lint.findings.suppress import Use, skips_file, suppress
from inplace_lint.notebook import by_cell, is_notebook
from inplace_lint.phases import begin, taken, within
from inplace_lint.pipeline.comments import mistyped_comments, unused_comments
from inplace_lint.pipeline.failures import crashed, failed, unreadable, without_rules
from inplace_lint.pipeline.merge import diagnostics_of, merge
from inplace_lint.pipeline.offers import files_of, with_fixes
from inplace_lint.pipeline.result import FileResult
from inplace_lint.pipeline.stack import NoThreadError, on_deep_stack
from inplace_lint.project.config import Config, enabled_in, selection
from inplace_lint.project.environment import search_path
from inplace_lint.project.outline_folder import shared
from inplace_lint.project.reading import Load, decode, load, normalized, read
from inplace_lint.project.texts import Texts
from inplace_lint.source import installed
from inplace_lint.source.errors import SourceError, TooLarge
from inplace_lint.source.part_names import PLACES
from inplace_lint.source.place import Site, Span

if TYPE_CHECKING:
    from inplace_lint.interpret.analysis.dependencies import Learned


def lint_source(
    text: str,
    path: str | os.PathLike[str] = "<string>",
    config: Config | None = None,
    overlay: Mapping[str, str] | None = None,
) -> list[Diagnostic]:
    """Check one source text.

    Args:
        text: the text.
        path: its name.
        config: the configuration.
        overlay: by path, texts of other files that count instead of those on disk. With it, which may be empty,
            calls into other files are followed; without it no file is read, and they are unknown.

    Raises:
        TypeError: a text is no string, or the configuration no `Config`.
    """
    if not isinstance(text, str):
        raise TypeError(f"lint_source takes the text of a program as str, not {type(text).__name__}")
    if not isinstance(config, (Config, type(None))):
        raise TypeError(f"lint_source takes a Config, not {type(config).__name__}")
    for where, other in (overlay or {}).items():
        if not isinstance(other, str):
            raise TypeError(f"lint_source takes the text of {where} as str, not {type(other).__name__}")
    settings, name = config or Config(), os.fspath(path)
    others: Load = Texts({**overlay, name: text}).load if overlay is not None else lambda _: None
    found = _contained(name, settings, lambda: _lint_alone(normalized(text), name, settings, others))
    return [*without_rules(), *found.diagnostics]


def lint_text(text: str, path: str, config: Config) -> list[Diagnostic]:
    """Check the text of a file that is given rather than read; calls into other files are followed."""
    return _contained(path, config, lambda: _lint(normalized(text), path, config, load)).diagnostics


def lint_bytes(data: bytes, path: str, config: Config) -> list[Diagnostic]:
    """Check the content of a file that is given rather than read, as from standard input."""
    found = _contained(path, config, lambda: _lint_alone(decode(data, path), path, config, load)).diagnostics
    return [*without_rules(), *(by_cell(found, path, _program(data, path)) if is_notebook(path) else found)]


def _program(data: bytes, path: str) -> str:
    try:
        return decode(data, path)
    except SourceError:
        return ""


def lint_file(path: str, config: Config) -> FileResult:
    """Check one file."""
    return lint_loaded(lambda: read(path), path, config, load)


def lint_remembering(path: str, config: Config) -> FileResult:
    """Check one file, with outlines that earlier runs have kept."""
    # Late, since the analysis is slow to import.
    from inplace_lint.interpret.analysis.analyze import outlines_from

    with outlines_from(None if config.models else shared()):  # models may say what else writes
        return lint_file(path, config)


def lint_loaded(text: Callable[[], str], path: str, config: Config, load: Load) -> FileResult:
    """Check one file.

    Args:
        text: gives its text, or raises SourceError.
        path: its name.
        config: its configuration.
        load: gives the text of another file, or None.
    """
    began = perf_counter()
    result = _contained(path, config, lambda: _lint(text(), path, config, load))
    result = replace(result, seconds=perf_counter() - began)
    # Nothing was learned if the analysis never ran.
    analyze = sys.modules.get("inplace_lint.interpret.analysis.analyze")
    if analyze is None:
        return result
    learned: Learned = analyze.learned(path)
    depends = dict(learned.used)
    for other in result.elsewhere() - {path}:
        depends[other] = (*depends.get(other, ()), PLACES)
    imports, absent, digests, beneath = learned.imports, learned.absent, learned.digests, learned.beneath
    return replace(result, imports=imports, absent=absent, depends=depends, digests=digests, beneath=beneath)


def _lint(text: str, path: str, config: Config, load: Load) -> FileResult:
    if not config.ignore_noqa and skips_file(text):
        return FileResult([])
    # Late, since the analysis is slow to import.
    from inplace_lint.interpret.analysis.analyze import analyze
    from inplace_lint.project.models import known

    begin()
    enabled = selection(config).enabled
    rules = [entry.rule for code, entry in registry().items() if code in enabled]
    libraries = search_path(config.python, config.root)
    with known(config.models, config.torch_version), installed.using(libraries):
        effort = allowance(text)
        analysis = analyze(text, path, rules, load, effort=effort)
        found = diagnostics_of(analysis)
        kept: list[Diagnostic] = []
        used: frozenset[Use] = frozenset()
        for where in files_of(found):
            wanted, using_there = _wanted(
                [each for each in found if each.site.path == where],
                where,
                text if where == path else load(where),
                config,
            )
            kept, used = kept + wanted, used | using_there
        failures = [failed(failure) for failure in analysis.failures]
        given_up = analysis.given_up
        try:
            effort.limit_for_fixes()
            with within("fix"):
                kept = with_fixes(kept, analysis, text, path, config, load, effort)
        except Exception:  # no fix is worth a finding
            given_up = (*given_up, GivenUp("<fixes>", "failure"))
    kept += mistyped_comments(path, text, config)
    spent, busiest = taken()
    result = FileResult(
        [*kept, *failures], given_up, used, analysis.doubts, analysis.run, analysis.given, analysis.coverage
    )
    return replace(result, spent=spent, busiest=busiest)


def _lint_alone(text: str, path: str, config: Config, load: Load) -> FileResult:
    """With the comments that no finding of this file needs."""
    result = _lint(text, path, config, load)
    return replace(result, diagnostics=merge([*result.diagnostics, *unused_comments(path, text, config, result.used)]))


def _wanted(
    found: Sequence[Diagnostic], path: str, text: str | None, config: Config
) -> tuple[list[Diagnostic], frozenset[Use]]:
    """The findings in one file that the user wants to see; a call may lead to other files."""
    enabled, explicit = enabled_in(config, path), selection(config).explicit
    kept, used = [each for each in found if each.code in enabled], frozenset[Use]()
    if not config.ignore_noqa and text is not None:
        kept, used = suppress(text, kept)
    return [each for each in kept if each.severity != "info" or each.code in explicit], used


def _contained(path: str, config: Config, work: Callable[[], FileResult]) -> FileResult:
    """Do the work on a deep stack; what goes wrong becomes a finding about the file."""
    try:
        return on_deep_stack(work)
    except SourceError as error:
        given_up = (GivenUp("<file>", "size"),) if isinstance(error, TooLarge) else ()
        data = isinstance(error, TooLarge) and error.is_data
        shown = "IPL902" in enabled_in(config, path) and not data
        return FileResult([unreadable(error.site, error.message)] if shown else [], given_up)
    except NoThreadError:  # with other files it would be the same
        raise
    except Exception as error:
        site = Site(path, Span(1, 1, 1, 1))
        return FileResult([crashed(site, "on this file and knows nothing about it", error)])
