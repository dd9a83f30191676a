"""The pipeline: from files to diagnostics. A crash stays inside its file."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from time import perf_counter, time_ns
from traceback import extract_tb

from inplace_lint.baseline import Baseline, beside, read_baseline
from inplace_lint.cache import Memory
from inplace_lint.config import Config, enabled_in, selection
from inplace_lint.diagnostic import Diagnostic, GivenUp, Site, Span
from inplace_lint.discovery import Discovered, discover
from inplace_lint.effort import Effort, allowance
from inplace_lint.notebook import by_cell, is_notebook, lines_of_cell
from inplace_lint.pool import WORTH_A_POOL, Executor, in_executor, in_processes, processors
from inplace_lint.reading import decode, normalized, read
from inplace_lint.result import FILE_RESULT, RESULT, FileResult, Result
from inplace_lint.rule import Analysis, Cure, Failure, Finding, Rule, missing_rules, registry, rules_from_elsewhere
from inplace_lint.settings import Settings
from inplace_lint.source.errors import SourceError, TooLarge
from inplace_lint.stack import NoThreadError, on_deep_stack
from inplace_lint.suppress import Use, covering, skips_file, suppress, suppressions
from inplace_lint.together import merge, settled
from inplace_lint.unused import IPL901, Judged, unused

Load = Callable[[str], "str | None"]
Progress = Callable[[int, int], None]


@lru_cache(maxsize=1024)
def load(path: str) -> str | None:
    """The text of another file of the project, None if there is none that can be read."""
    try:
        return read(path)
    except SourceError:
        return None


def lint_source(text: str, path: str = "<string>", config: Config | None = None) -> list[Diagnostic]:
    """Check one source text. Reads no files, so calls into other files are unknown."""
    settings = config or Config()
    found = _contained(path, settings, lambda: _lint_alone(normalized(text), path, settings, lambda _: None))
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
    began = perf_counter()
    result = _contained(path, config, lambda: _lint(read(path), path, config, load))
    imports, absent = _learned()
    return replace(result, seconds=perf_counter() - began, imports=imports, absent=absent)


def _learned() -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]]:
    """What the analysis has learned of imports since it was last asked; nothing if it never ran."""
    analyze = sys.modules.get("inplace_lint.interpret.analysis.analyze")
    return analyze.learned() if analyze is not None else ({}, {})


def lint_paths(
    paths: Sequence[str],
    config: Config | Settings | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
    cache: str | None = None,
    executor: Executor | None = None,
) -> Result:
    """Check files, and the Python files under folders.

    Args:
        paths: files and folders.
        config: the configuration of all files; if left out, of each file that of the nearest
            configuration file, as on the command line.
        jobs: how many processes; as many as there are processors if left out.
        progress: is told how many files are done, and of how many, after each.
        cache: the folder for what is kept between runs; if left out, nothing is.
        executor: does the work instead of processes of this machine; its workers must see the files.

    Raises:
        NoSuchPathError: one of the paths does not exist.
        ConfigError: a configuration file or a baseline makes no sense, or the folder for the cache is not ours.
    """
    settings = Settings(fixed=config) if isinstance(config, Config) else config or Settings()
    known = settings.common(paths).baseline
    baseline = read_baseline(known) if known is not None else None
    result = find_all(paths, settings, jobs, progress, cache, executor)
    return result if baseline is None else without_known(result, baseline, settings)


def source_of(diagnostic: Diagnostic, load: Load = load) -> str:
    """The source text that a finding is about; empty if it cannot be read, or is about a whole file."""
    span = diagnostic.site.span
    text = load(diagnostic.site.path) or ""
    rows = [*(lines_of_cell(text, diagnostic.cell) if diagnostic.cell else text.split("\n"))]
    rows = rows[span.row - 1 : span.end_row]
    if rows:
        rows[-1] = rows[-1][: span.end_column - 1]
        rows[0] = rows[0][span.column - 1 :]
    return "\n".join(rows)


def without_known(result: Result, baseline: Baseline, settings: Settings, load: Load = load) -> Result:
    """The result without the findings that a baseline knows; `load` gives the text of a file."""
    found = beside(baseline, result.diagnostics, result.files, partial(source_of, load=load), settings)
    known = len(result.diagnostics) - len(found.new)
    return replace(result, diagnostics=tuple(found.new), known=known, stale=len(found.stale))


def find_all(
    paths: Sequence[str],
    settings: Settings,
    jobs: int | None = None,
    progress: Progress | None = None,
    cache: str | None = None,
    executor: Executor | None = None,
) -> Result:
    """The same as `lint_paths`, with what a baseline knows."""
    began, started = perf_counter(), time_ns()
    _forget_files()
    found = discover(paths, settings)
    configs = [settings.of(path) for path in found.files]
    discovered = perf_counter()
    memory = None
    if cache is not None:
        asked = dict(zip(found.files, _fingerprints(configs), strict=True))
        memory = Memory(cache, settings.common(paths).root, asked, FILE_RESULT, RESULT, rules_from_elsewhere())
    if memory is not None and not found.unreadable and (known := memory.recall()) is not None:
        phases = {"discovery": discovered - began, "cache": perf_counter() - discovered}
        return replace(known, phases=phases)
    results: dict[str, FileResult] = memory.valid() if memory is not None else {}
    todo = [(path, config) for path, config in zip(found.files, configs, strict=True) if path not in results]
    for path, result in _work(todo, jobs, executor):
        results[path] = result
        if progress is not None:
            progress(len(results), len(found.files))
    outcome = _combined(found, configs, results, settings)
    if memory is not None and not found.unreadable:
        memory.save(results, [path for path, _ in todo], outcome, started)
    phases = {"discovery": discovered - began, "analysis": perf_counter() - discovered}
    return replace(outcome, phases=phases)


def _fingerprints(configs: Sequence[Config]) -> list[str]:
    """What findings depend on in each configuration."""
    known: dict[int, str] = {}
    for config in configs:
        if id(config) not in known:
            lasting = replace(config, output_format=None, fail_on="info", baseline=None, cache_dir=None)
            below = lasting.beneath
            chosen = (sorted(below.enabled), sorted(below.explicit)) if below is not None else None
            known[id(config)] = repr((replace(lasting, beneath=None), chosen))
    return [known[id(config)] for config in configs]


def _work(
    todo: Sequence[tuple[str, Config]], jobs: int | None, executor: Executor | None
) -> Iterator[tuple[str, FileResult]]:
    files, configs = [path for path, _ in todo], [config for _, config in todo]
    jobs = min(jobs or processors(), len(files))
    results: Iterator[FileResult | None] = _one_by_one(files, configs)
    if executor is not None:
        results = in_executor(executor, lint_file, files, configs)
    elif jobs > 1 and len(files) >= WORTH_A_POOL:
        results = in_processes(jobs, lint_file, files, configs)
    for path, result in zip(files, results, strict=True):
        yield path, result if result is not None else FileResult([_died(path)])


def _combined(
    found: Discovered, configs: Sequence[Config], results: Mapping[str, FileResult], settings: Settings
) -> Result:
    diagnostics = [unreadable(Site(path, Span(1, 1, 1, 1)), why) for path, why in dict.fromkeys(found.unreadable)]
    diagnostics += without_rules()
    given_up: list[GivenUp] = []
    used: set[Use] = set()
    gone = settled(
        {path: result.diagnostics for path, result in results.items()},
        {path: result.doubts for path, result in results.items()},
        (place for result in results.values() for place in result.run),
    )
    for path in found.files:
        result = results[path]
        shown = (each for each in result.diagnostics if (each.code, each.site) not in gone)
        diagnostics += (each for each in shown if _is_enabled(each, path, settings))
        given_up += (replace(each, path=path) for each in result.given_up)
        used |= result.used
    for path, config in zip(found.files, configs, strict=True):
        diagnostics += _unused(path, load, config, used)
    merged = merge(diagnostics)
    for path in filter(is_notebook, found.files):
        merged = by_cell(merged, path, load(path) or "")
    seconds = {path: results[path].seconds for path in found.files}
    return Result(tuple(merged), found.files, tuple(given_up), seconds=seconds)


def _forget_files() -> None:
    """An earlier run in this process may have read files that have changed since."""
    load.cache_clear()
    # If it has not been imported, there is nothing to forget.
    if (analyze := sys.modules.get("inplace_lint.interpret.analysis.analyze")) is not None:
        analyze.forget_files()


def _is_enabled(diagnostic: Diagnostic, path: str, settings: Settings) -> bool:
    """A finding in another file than the one that led to it obeys that file's configuration, too."""
    where = diagnostic.site.path
    return where == path or diagnostic.code in enabled_in(settings.of(where), where)


def unreadable(site: Site, message: str) -> Diagnostic:
    """The finding that a file cannot be read."""
    return Diagnostic("IPL902", "unreadable-file", "error", message, site)


def _lint(text: str, path: str, config: Config, load: Load) -> FileResult:
    if not config.ignore_noqa and skips_file(text):
        return FileResult([])
    # Late, since the analysis is slow to import.
    from inplace_lint.interpret.analysis.analyze import analyze
    from inplace_lint.models import known

    enabled = selection(config).enabled
    rules = [entry.rule for code, entry in registry().items() if code in enabled]
    with known(config.models):
        effort = allowance(text)
        analysis = analyze(text, path, rules, load, effort=effort)
        found = _found(analysis)
        kept: list[Diagnostic] = []
        used: frozenset[Use] = frozenset()
        for where in _files(found):
            wanted, using_there = _wanted(
                [each for each in found if each.site.path == where],
                where,
                text if where == path else load(where),
                config,
            )
            kept, used = kept + wanted, used | using_there
        failures = [_failed(failure) for failure in analysis.failures]
        given_up = analysis.given_up
        try:
            kept = _with_fixes(kept, analysis, text, path, config, load, effort)
        except Exception:  # no fix is worth a finding
            given_up = (*given_up, GivenUp("<fixes>", "failure"))
    return FileResult([*kept, *failures], given_up, used, analysis.doubts, analysis.run)


def _lint_alone(text: str, path: str, config: Config, load: Load) -> FileResult:
    """With the comments that no finding of this file needs."""
    result = _lint(text, path, config, load)
    return replace(result, diagnostics=merge([*result.diagnostics, *_unused(path, text, config, result.used)]))


def _found(analysis: Analysis) -> list[Diagnostic]:
    return merge(_diagnostic(rule, finding) for rule, finding in analysis.findings)


def _with_fixes(
    kept: Sequence[Diagnostic], analysis: Analysis, text: str, path: str, config: Config, load: Load, effort: Effort
) -> list[Diagnostic]:
    """The findings with the fixes that work: with them, the text has these findings no more, and no other.

    What is left of the effort for the file is there to try them.
    """
    if not any(finding.cures for _, finding in analysis.findings) or effort.exhausted:
        return [*kept]
    from inplace_lint.drafts import Draft, Original
    from inplace_lint.fixes.offer import Proposal, offer

    chosen = selection(config)
    rules = {code: entry.rule for code, entry in registry().items()}
    wanted = [rule for code, rule in rules.items() if code in chosen.enabled]
    others = [rule for code, rule in rules.items() if code not in chosen.enabled and rule.default]
    cures: dict[tuple[str, Site], dict[Cure, None]] = {}
    for rule, finding in analysis.findings:
        cures.setdefault((rule.code, finding.site), {}).update(dict.fromkeys(finding.cures))

    def found(analysis: Analysis) -> list[Diagnostic]:
        return [each for each in _found(analysis) if each.severity != "info" or each.code in chosen.explicit]

    original = Original(text, path, analysis, wanted, others, load, found, effort)
    fixed: list[Diagnostic] = []
    for where in _files(kept):
        known, own = (text, True) if where == path else (load(where) or "", False)
        # Who else calls a function of another file, is not known here.
        proposals = [
            Proposal(each, tuple(cure if own else cure.from_afar() for cure in cures[each.code, each.site]))
            for each in kept
            if each.site.path == where
        ]
        fixed += offer(known, proposals, analysis.shared, Draft(original, where, known))
    return fixed


def _diagnostic(rule: Rule, finding: Finding) -> Diagnostic:
    return Diagnostic(
        rule.code, rule.name, finding.severity, finding.message, finding.site, finding.related, finding.help
    )


def _files(diagnostics: Iterable[Diagnostic]) -> Iterable[str]:
    return dict.fromkeys(diagnostic.site.path for diagnostic in diagnostics)


def _wanted(
    found: Sequence[Diagnostic], path: str, text: str | None, config: Config
) -> tuple[list[Diagnostic], frozenset[Use]]:
    """The findings in one file that the user wants to see; a call may lead to other files."""
    enabled, explicit = enabled_in(config, path), selection(config).explicit
    kept, used = [each for each in found if each.code in enabled], frozenset[Use]()
    if not config.ignore_noqa and text is not None:
        kept, used = suppress(text, kept)
    return [each for each in kept if each.severity != "info" or each.code in explicit], used


def _unused(path: str, text: str | Load, config: Config, used: Collection[Use]) -> list[Diagnostic]:
    """The comments in a file that suppress nothing, if the user wants to know."""
    enabled = enabled_in(config, path)
    if IPL901 not in enabled or config.ignore_noqa:
        return []
    content = text if isinstance(text, str) else text(path)
    if content is None or skips_file(content):
        return []
    rules = registry()
    usual = [code for code, entry in rules.items() if entry.rule.default]
    found = list(unused(path, content, used, Judged(rules, usual, enabled)))
    comments = [each for each in suppressions(content) if each.codes and each.is_about(IPL901)]
    return [each for each, by in zip(found, covering(comments, found), strict=True) if not by]


def _contained(path: str, config: Config, work: Callable[[], FileResult]) -> FileResult:
    """Do the work on a deep stack; what goes wrong becomes a finding about the file."""
    try:
        return on_deep_stack(work)
    except SourceError as error:
        given_up = (GivenUp("<file>", "size"),) if isinstance(error, TooLarge) else ()
        shown = "IPL902" in enabled_in(config, path)
        return FileResult([unreadable(error.site, error.message)] if shown else [], given_up)
    except NoThreadError:  # with other files it would be the same
        raise
    except Exception as error:
        site = Site(path, Span(1, 1, 1, 1))
        return FileResult([_crash(site, "on this file and knows nothing about it", error)])


_LEAVE_OUT = "leave the file out with --extend-exclude"


def _failed(failure: Failure) -> Diagnostic:
    if failure.code is None:
        return _crash(failure.site, f"on `{failure.entry}` and does not know all about it", failure.error)
    return _crash(failure.site, f"to judge `{failure.entry}` by rule {failure.code}", failure.error)


def _crash(site: Site, what: str, error: Exception) -> Diagnostic:
    tail = [
        f"{frame.filename.replace(os.sep, '/').rpartition('/inplace_lint/')[2]}:{frame.lineno} in {frame.name}"
        for frame in extract_tb(error.__traceback__)[-3:]
    ]
    reason = f"{type(error).__name__}: {error}".splitlines()[0][:200].rstrip(": ")
    message = f"inplace-lint failed {what}: {reason}"
    help = f"please report this as a bug, with the file if you can; it happened at {' < '.join(reversed(tail))}"
    if isinstance(error, MemoryError):
        message, help = f"inplace-lint failed {what}: not enough memory", _LEAVE_OUT
    return Diagnostic("IPL903", "internal-error", "error", message, site, help=help)


def without_rules() -> list[Diagnostic]:
    """That rules of other packages cannot be used: they found nothing, in any file."""
    return [
        Diagnostic(
            *("IPL903", "internal-error", "error"),
            f"the rule {each.name} cannot be used, and found nothing: {each.problem}",
            Site(each.file, Span(1, 1, 1, 1)),
            help="mend the package that announces it here, or uninstall it",
        )
        for each in missing_rules()
    ]


def _died(path: str) -> Diagnostic:
    message = "inplace-lint failed on this file and knows nothing about it: the process died"
    help = f"it may have run out of memory; {_LEAVE_OUT}"
    return Diagnostic("IPL903", "internal-error", "error", message, Site(path, Span(1, 1, 1, 1)), help=help)


def _one_by_one(files: Sequence[str], configs: Sequence[Config]) -> Iterator[FileResult]:
    for path, config in zip(files, configs, strict=True):
        yield lint_file(path, config)
