"""The pipeline: from files to diagnostics. A crash stays inside its file."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from multiprocessing import active_children
from traceback import extract_tb

from inplace_lint.config import Config, enabled_in, selection
from inplace_lint.diagnostic import Diagnostic, Severity, Site, Span
from inplace_lint.discovery import discover
from inplace_lint.reading import decode, normalized, read
from inplace_lint.rule import Finding, Rule, registry
from inplace_lint.settings import Settings
from inplace_lint.source.errors import SourceError
from inplace_lint.suppress import skips_file, suppress

Load = Callable[[str], "str | None"]

RANK: dict[Severity, int] = {"info": 0, "warning": 1, "error": 2}

# Fewer files than this are done before a pool of processes has started.
_WORTH_A_POOL = 8

# Source can be nested deeply; the parser and the interpreter descend into it.
_STACK_BYTES = 256 * 1024 * 1024
_RECURSION_LIMIT = 20_000


@dataclass(frozen=True, slots=True)
class Result:
    """The outcome of a run: findings in printing order, and the files that were looked at.

    `given_up` names the functions (`path: name`) of which not every path was followed.
    """

    diagnostics: tuple[Diagnostic, ...]
    files: tuple[str, ...]
    given_up: tuple[str, ...] = ()

    @property
    def statistics(self) -> dict[str, int]:
        """How many findings there are of each code, most frequent first."""
        counts = Counter(diagnostic.code for diagnostic in self.diagnostics)
        return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


@dataclass(frozen=True, slots=True)
class FileResult:
    """The outcome for one file."""

    diagnostics: list[Diagnostic]
    given_up: tuple[str, ...] = ()


def lint_source(text: str, path: str = "<string>", config: Config | None = None) -> list[Diagnostic]:
    """Check one source text. Reads no files, so calls into other files are unknown."""
    settings = config or Config()
    return _contained(path, settings, lambda: _lint(normalized(text), path, settings, lambda _: None)).diagnostics


def lint_text(text: str, path: str, config: Config) -> list[Diagnostic]:
    """Check the text of a file that is given rather than read; calls into other files are followed."""
    return _contained(path, config, lambda: _lint(normalized(text), path, config, load)).diagnostics


def lint_bytes(data: bytes, path: str, config: Config) -> list[Diagnostic]:
    """Check the content of a file that is given rather than read, as from standard input."""
    return _contained(path, config, lambda: _lint(decode(data, path), path, config, load)).diagnostics


def lint_file(path: str, config: Config) -> FileResult:
    """Check one file."""
    return _contained(path, config, lambda: _lint(read(path), path, config, load))


def lint_paths(paths: Sequence[str], config: Config | Settings | None = None, jobs: int | None = None) -> Result:
    """Check files, and the Python files under folders.

    Args:
        paths: files and folders.
        config: the configuration of all files; if left out, of each file that of the nearest
            configuration file, as on the command line.
        jobs: how many processes; as many as there are processors if left out.

    Raises:
        NoSuchPathError: one of the paths does not exist.
        ConfigError: a configuration file makes no sense.
    """
    settings = Settings(fixed=config) if isinstance(config, Config) else config or Settings()
    load.cache_clear()
    found = discover(paths, settings)
    configs = [settings.of(path) for path in found.files]
    jobs = min(jobs or _processors(), len(found.files))
    per_file = _in_processes if jobs > 1 and len(found.files) >= _WORTH_A_POOL else _one_by_one
    diagnostics = [
        unreadable(Site(path, Span(1, 1, 1, 1)), f"cannot be entered: {why}") for path, why in found.unreadable
    ]
    given_up: list[str] = []
    for path, result in zip(found.files, per_file(found.files, configs, jobs), strict=True):
        diagnostics += (each for each in result.diagnostics if _is_enabled(each, path, settings))
        given_up += (f"{path}: {name}" for name in result.given_up)
    return Result(tuple(merge(diagnostics)), found.files, tuple(given_up))


def _is_enabled(diagnostic: Diagnostic, path: str, settings: Settings) -> bool:
    """A finding in another file than the one that led to it obeys that file's configuration, too."""
    where = diagnostic.site.path
    return where == path or diagnostic.code in enabled_in(settings.of(where), where)


@lru_cache(maxsize=1024)
def load(path: str) -> str | None:
    """The text of another file of the project, None if there is none that can be read."""
    try:
        return read(path)
    except SourceError:
        return None


def merge(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """In printing order, one for each code and place: the severest, with the stories of all."""
    merged: dict[tuple[str, Site], Diagnostic] = {}
    for new in diagnostics:
        old = merged.setdefault((new.code, new.site), new)
        first, second = (new, old) if RANK[new.severity] > RANK[old.severity] else (old, new)
        related = tuple(dict.fromkeys(first.related + second.related))
        merged[new.code, new.site] = replace(first, related=related, help=first.help or second.help)
    return sorted(merged.values(), key=lambda diagnostic: diagnostic.sort_key)


def unreadable(site: Site, message: str) -> Diagnostic:
    """The finding that a file cannot be read."""
    return Diagnostic("IPL902", "unreadable-file", "error", message, site)


def _lint(text: str, path: str, config: Config, load: Load) -> FileResult:
    if not config.ignore_noqa and skips_file(text):
        return FileResult([])
    # Late, since the analysis is slow to import.
    from inplace_lint.interpret.analyze import analyze
    from inplace_lint.models import table_with
    from inplace_lint.torch_model.op_table import using

    enabled = selection(config).enabled
    rules = [entry.rule for code, entry in registry().items() if code in enabled]
    with using(table_with(config.models)):
        analysis = analyze(text, path, rules, load)
    found = merge(_diagnostic(rule, finding) for rule, finding in analysis.findings)
    kept = [
        diagnostic
        for where in _files(found)
        for diagnostic in _wanted(found, where, text if where == path else load(where), config)
    ]
    return FileResult(kept, analysis.given_up)


def _diagnostic(rule: Rule, finding: Finding) -> Diagnostic:
    return Diagnostic(
        rule.code, rule.name, finding.severity, finding.message, finding.site, finding.related, finding.help
    )


def _files(diagnostics: Iterable[Diagnostic]) -> Iterable[str]:
    return dict.fromkeys(diagnostic.site.path for diagnostic in diagnostics)


def _wanted(found: Sequence[Diagnostic], path: str, text: str | None, config: Config) -> list[Diagnostic]:
    """The findings in one file that the user wants to see; a call may lead to other files."""
    enabled, explicit = enabled_in(config, path), selection(config).explicit
    wanted = [
        diagnostic
        for diagnostic in found
        if diagnostic.site.path == path
        and diagnostic.code in enabled
        and (diagnostic.severity != "info" or diagnostic.code in explicit)
    ]
    return wanted if config.ignore_noqa or text is None else suppress(text, wanted)[0]


def _contained(path: str, config: Config, work: Callable[[], FileResult]) -> FileResult:
    """Do the work on a deep stack; what goes wrong becomes a finding about the file."""
    outcome: list[FileResult] = []

    def contain() -> None:
        try:
            outcome.append(work())
        except SourceError as error:
            shown = "IPL902" in enabled_in(config, path)
            outcome.append(FileResult([unreadable(error.site, error.message)] if shown else []))
        except Exception as error:
            outcome.append(FileResult([_crash(path, error)]))

    with _settings():
        # A daemon, so that Ctrl-C does not wait for it.
        thread = threading.Thread(target=contain, daemon=True)
        thread.start()
        thread.join()
    return outcome[0]


@contextmanager
def _settings() -> Iterator[None]:
    collecting, limit, stack = gc.isenabled(), sys.getrecursionlimit(), threading.stack_size()
    # Syntax trees are many small objects that all live to the end: collecting them is lost time.
    gc.disable()
    sys.setrecursionlimit(max(limit, _RECURSION_LIMIT))
    threading.stack_size(_STACK_BYTES)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python warns of escapes in the strings that it reads
            yield
    finally:
        threading.stack_size(stack)
        sys.setrecursionlimit(limit)
        if collecting:
            gc.enable()


def _crash(path: str, error: Exception) -> Diagnostic:
    tail = [
        f"{frame.filename.replace(os.sep, '/').rpartition('/inplace_lint/')[2]}:{frame.lineno} in {frame.name}"
        for frame in extract_tb(error.__traceback__)[-3:]
    ]
    reason = f"{type(error).__name__}: {error}".splitlines()[0][:200].rstrip(": ")
    message = f"inplace-lint failed on this file and knows nothing about it: {reason}"
    help = f"please report this as a bug, with the file if you can; it happened at {' < '.join(reversed(tail))}"
    return Diagnostic("IPL903", "internal-error", "error", message, Site(path, Span(1, 1, 1, 1)), help=help)


def _died(path: str) -> Diagnostic:
    message = "inplace-lint failed on this file and knows nothing about it: the process died"
    help = "it may have run out of memory; leave the file out with --extend-exclude"
    return Diagnostic("IPL903", "internal-error", "error", message, Site(path, Span(1, 1, 1, 1)), help=help)


def _one_by_one(files: Sequence[str], configs: Sequence[Config], jobs: int) -> Iterator[FileResult]:
    for path, config in zip(files, configs, strict=True):
        yield lint_file(path, config)


def _in_processes(files: Sequence[str], configs: Sequence[Config], jobs: int) -> Iterator[FileResult]:
    """The same in several processes. If one dies, the rest is done one at a time, to learn by which file."""
    others = set(active_children())
    pool = _pool(jobs)
    try:
        futures = [pool.submit(lint_file, path, config) for path, config in zip(files, configs, strict=True)]
        for path, config, future in zip(files, configs, futures, strict=True):
            try:
                yield future.result()
            except BrokenProcessPool:
                yield _in_own_process(path, config)
    except BaseException:  # Ctrl-C, or a caller that wants no more: do not finish what has begun
        for worker in set(active_children()) - others:
            worker.terminate()
        raise
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _in_own_process(path: str, config: Config) -> FileResult:
    with _pool(1) as pool:
        try:
            return pool.submit(lint_file, path, config).result()
        except BrokenProcessPool:
            return FileResult([_died(path)])


def _pool(jobs: int) -> ProcessPoolExecutor:
    # By default a child prints a traceback on Ctrl-C; it shall just go.
    return ProcessPoolExecutor(jobs, initializer=signal.signal, initargs=(signal.SIGINT, signal.SIG_DFL))


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
