"""From files and folders to the findings of a run, in several processes, with a cache."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from time import perf_counter, time_ns

from inplace_lint.findings.diagnostic import Diagnostic, GivenUp
from inplace_lint.findings.registry import rules_from_elsewhere
from inplace_lint.findings.suppress import Use
from inplace_lint.notebook import by_cell, is_notebook, lines_of_cell
from inplace_lint.pipeline.baseline import Baseline, beside, read_baseline
from inplace_lint.pipeline.callers import Callers
from inplace_lint.pipeline.comments import unused_comments
from inplace_lint.pipeline.failures import died, unreadable, without_rules
from inplace_lint.pipeline.lint_file import lint_file, lint_remembering
from inplace_lint.pipeline.merge import merge, settled
from inplace_lint.pipeline.pool import WORTH_A_POOL, Executor, in_executor, in_processes, processors
from inplace_lint.pipeline.result import FILE_RESULT, RESULT, FileResult, Result, moved
from inplace_lint.project.cache import Memory
from inplace_lint.project.config import Config, enabled_in
from inplace_lint.project.discovery import Discovered, Paths, discover, listed
from inplace_lint.project.environment import search_path
from inplace_lint.project.outline_folder import shared
from inplace_lint.project.reading import Load, load
from inplace_lint.project.settings import Settings
from inplace_lint.source import installed
from inplace_lint.source.part_names import moves
from inplace_lint.source.place import Site, Span

Progress = Callable[[int, int], None]


def lint_paths(
    paths: Paths,
    config: Config | Settings | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
    cache: str | None = None,
    executor: Executor | None = None,
) -> Result:
    """Check files, and the Python files under folders.

    Args:
        paths: files and folders; one alone need be in no list.
        config: the configuration of all files; if left out, of each file that of the nearest
            configuration file, as on the command line.
        jobs: how many processes; as many as there are processors if left out.
        progress: is told how many files are done, and of how many: after each, and now and then while one takes long.
        cache: the folder of the cache; if left out, there is none.
        executor: does the work instead of processes of this machine; its workers must see the files.

    Raises:
        TypeError: the configuration is no `Config`.
        NoSuchPathError: one of the paths does not exist.
        ConfigError: a configuration file or a baseline makes no sense, or the folder for the cache is not ours.
    """
    if not isinstance(config, (Config, Settings, type(None))):
        raise TypeError(f"lint_paths takes a Config, not {type(config).__name__}")
    settings = Settings(fixed=config) if isinstance(config, Config) else config or Settings()
    given = listed(paths)
    known = settings.common(given).baseline
    baseline = read_baseline(known) if known is not None else None
    result = find_all(given, settings, jobs, progress, cache, executor)
    return result if baseline is None else without_known(result, baseline, settings)


def find_all(
    paths: Sequence[str],
    settings: Settings,
    jobs: int | None = None,
    progress: Progress | None = None,
    cache: str | None = None,
    executor: Executor | None = None,
    only: Collection[str] | None = None,
) -> Result:
    """The same as `lint_paths`, with what a baseline knows; or with what the cache knows of all but a few files."""
    began, started = perf_counter(), time_ns()
    _forget_files()
    found = discover(paths, settings)
    configs = [settings.of(path) for path in found.files]
    discovered = perf_counter()
    memory, followed = _memory(cache, settings.common(paths).root, found, configs) if cache is not None else (None, ())
    if memory is not None and not found.unreadable and (known := memory.recall()) is not None:
        phases = {"discovery": discovered - began, "cache": perf_counter() - discovered}
        return replace(known, phases=phases)
    results: dict[str, FileResult] = {}
    if memory is not None:
        with installed.using(followed):
            results = memory.valid()
    asked = set(found.files if only is None else only)
    todo = [(path, settings.of(path)) for path in found.files if path in asked and path not in results]
    done_before = most_done = len(results)

    def tell(done: int) -> None:
        nonlocal most_done
        most_done = max(most_done, done)
        if progress is not None:
            progress(most_done, len(found.files))

    for path, result in _work(cache is not None, todo, jobs, executor, lambda finished: tell(done_before + finished)):
        results[path] = result
        tell(len(results))
    program = found.files
    if only is not None:
        found = replace(found, files=tuple(path for path in found.files if path in results))
    outcome = _combined(found, [settings.of(path) for path in found.files], results, settings, program)
    if memory is not None and not found.unreadable and only is None:
        memory.save(results, [path for path, _ in todo], outcome, started)
    phases = {"discovery": discovered - began, "analysis": perf_counter() - discovered}
    return replace(outcome, phases=phases)


def _memory(
    cache: str, root: str, found: Discovered, configs: Sequence[Config]
) -> tuple[Memory[FileResult, Result], tuple[str, ...]]:
    """What earlier runs have found; and where installed packages are, if all files ask of the same ones."""
    different = {id(config): config for config in configs}.values()
    followed = [*{search_path(config.python, config.root) for config in different}]
    asked = dict(zip(found.files, _fingerprints(configs), strict=True))
    parts = _parts_now if len(followed) == 1 else _parts_unknown  # answers rest on what is installed
    memory = Memory(cache, root, asked, FILE_RESULT, RESULT, rules_from_elsewhere(), parts, _moved)
    return memory, followed[0] if len(followed) == 1 else ()


def without_known(result: Result, baseline: Baseline, settings: Settings, load: Load = load) -> Result:
    """The result without the findings that a baseline knows; `load` gives the text of a file."""
    found = beside(baseline, result.diagnostics, result.files, partial(source_of, load=load), settings)
    known = len(result.diagnostics) - len(found.new)
    return replace(result, diagnostics=tuple(found.new), known=known, stale=len(found.stale))


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


def _fingerprints(configs: Sequence[Config]) -> list[str]:
    """What findings depend on in each configuration."""
    known: dict[int, str] = {}
    for config in configs:
        if id(config) not in known:
            lasting = replace(config, output_format=None, fail_on="info", baseline=None, cache_dir=None, docs_url=None)
            below = lasting.beneath
            chosen = (sorted(below.enabled), sorted(below.explicit)) if below is not None else None
            followed = search_path(config.python, config.root)
            known[id(config)] = repr((replace(lasting, beneath=None), chosen, followed))
    return [known[id(config)] for config in configs]


def _work(
    remembers: bool,
    todo: Sequence[tuple[str, Config]],
    jobs: int | None,
    executor: Executor | None,
    finished: Callable[[int], None],
) -> Iterator[tuple[str, FileResult]]:
    files, configs = [path for path, _ in todo], [config for _, config in todo]
    check = lint_remembering if remembers else lint_file
    jobs = min(jobs or processors(), len(files))
    results: Iterator[FileResult | None] = map(check, files, configs)
    if executor is not None:
        results = in_executor(executor, check, files, configs)
    elif jobs > 1 and len(files) >= WORTH_A_POOL:
        results = in_processes(jobs, check, files, configs, finished)
    for path, result in zip(files, results, strict=True):
        yield path, result if result is not None else FileResult([died(path)])


def _combined(
    found: Discovered,
    configs: Sequence[Config],
    results: Mapping[str, FileResult],
    settings: Settings,
    program: Sequence[str],
) -> Result:
    diagnostics = [unreadable(Site(path, Span(1, 1, 1, 1)), why) for path, why in dict.fromkeys(found.unreadable)]
    diagnostics += without_rules()
    given_up: list[GivenUp] = []
    used: set[Use] = set()
    gone = _settled(results, program)
    elsewhere: list[Diagnostic] = []
    for path in found.files:
        result = results[path]
        enabled = [each for each in result.diagnostics if _is_enabled(each, path, settings)]
        diagnostics += (each for each in enabled if (each.code, each.site) not in gone)
        elsewhere += (each for each in enabled if (each.code, each.site) in gone)
        given_up += (GivenUp(each.name, each.reason, path) for each in result.given_up)
        used |= result.used
    for path, config in zip(found.files, configs, strict=True):
        diagnostics += unused_comments(path, load, config, used)
    merged, refuted = _placed(merge(diagnostics), found), _placed(merge(elsewhere), found)
    seconds = {path: results[path].seconds for path in found.files}
    coverage = {path: results[path].coverage for path in found.files if results[path].coverage.writes}
    spent = {path: (results[path].spent, results[path].busiest) for path in found.files}
    outcome = Result(tuple(merged), found.files, tuple(given_up), seconds=seconds, coverage=coverage, spent=spent)
    return replace(outcome, refuted=tuple(refuted))


def _settled(results: Mapping[str, FileResult], program: Sequence[str]) -> set[tuple[str, Site]]:
    """The findings of files that others show not to hold."""
    return settled(
        {path: result.diagnostics for path, result in results.items()},
        {path: result.doubts for path, result in results.items()},
        (place for result in results.values() for place in result.run),
        partial(
            Callers(load).refuted,
            given=(each for result in results.values() for each in result.given),
            paths=program,
        ),
    )


def _placed(diagnostics: list[Diagnostic], found: Discovered) -> list[Diagnostic]:
    """Findings with places in the cells of notebooks."""
    for path in filter(is_notebook, found.files) if diagnostics else ():
        diagnostics = by_cell(diagnostics, path, load(path) or "")
    return diagnostics


def _parts_now(path: str, asked: Collection[str]) -> tuple[Mapping[str, str], Mapping[str, Iterable[str]]] | None:
    """The digests of the parts of a file with the answers to questions, and on what those rest; None if no Python."""
    # Late, since the analysis is slow to import.
    from inplace_lint.interpret.analysis.analyze import outlines_from, parts_now

    with outlines_from(shared()):
        return parts_now(path, load, asked)


def _parts_unknown(path: str, asked: Collection[str]) -> None:
    """Nothing is known of the parts of a file."""


def _moved(outcome: FileResult, path: str, before: Mapping[str, str], now: Mapping[str, str]) -> FileResult | None:
    """The outcome for a file after the functions of another one have moved; None if it names anything else there."""
    known = moves(before, now)

    def move(row: int) -> int | None:
        return next((row + by for first, last, by in known if first <= row <= last), None)

    return moved(outcome, path, move)


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
