"""A baseline: the findings of one day, in a file, so that later runs show only new ones.

A finding is known again by its file, code, message and source text, so that it may move; equal ones
are counted. The file is JSON with a line for each entry, sorted, made to be read in
diffs. Its paths are relative to its own folder.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import cast, get_args

from inplace_lint.findings.diagnostic import Diagnostic, Severity
from inplace_lint.project.config import ConfigError, enabled_in, selection
from inplace_lint.project.files import read_file
from inplace_lint.project.settings import Settings
from inplace_lint.project.writing import write_atomically

DEFAULT_NAME = "inplace-lint-baseline.json"

# Gives the source text that a finding is about.
Source = Callable[[Diagnostic], str]

# Of a file on which the tool failed nothing is known.
_NEVER_KNOWN = frozenset({"IPL903"})


@dataclass(frozen=True, slots=True, order=True)
class Entry:
    """A finding that is known, wherever in its file it stands."""

    code: str
    source: str
    message: str
    severity: Severity = field(compare=False)


@dataclass(frozen=True, slots=True)
class Baseline:
    """How often each entry is known, by the path of the file."""

    files: Mapping[str, Counter[Entry]]

    def __len__(self) -> int:
        return sum(map(Counter.total, self.files.values()))


@dataclass(frozen=True, slots=True)
class Comparison:
    """Findings beside a baseline: those that are new, those of it that remain, and those that are gone."""

    new: list[Diagnostic]
    known: Baseline
    stale: Baseline


def baseline_of(diagnostics: Iterable[Diagnostic], source: Source) -> Baseline:
    """The baseline that knows all these findings, but for crashes."""
    files: dict[str, Counter[Entry]] = {}
    for diagnostic in diagnostics:
        if diagnostic.code not in _NEVER_KNOWN:
            files.setdefault(_path(diagnostic.site.path), Counter())[_entry(diagnostic, source)] += 1
    return Baseline(files)


def compare(
    baseline: Baseline, diagnostics: Iterable[Diagnostic], source: Source, sought: Callable[[str, Entry], bool]
) -> Comparison:
    """Tell findings that are known from new ones; of equal ones, the first are known.

    Args:
        sought: whether a run looked for what an entry says of a file, so that it is gone if not found.
    """
    left = {path: Counter(entries) for path, entries in baseline.files.items()}
    new: list[Diagnostic] = []
    for diagnostic in diagnostics:
        entries, entry = left.get(_path(diagnostic.site.path), Counter()), _entry(diagnostic, source)
        if entries[entry] > 0:
            entries[entry] -= 1
        else:
            new.append(diagnostic)
    stale = {path: Counter({e: n for e, n in left[path].items() if n and sought(path, e)}) for path in left}
    known = {path: baseline.files[path] - gone for path, gone in stale.items()}
    return Comparison(new, _without_empty(known), _without_empty(stale))


def beside(
    baseline: Baseline, diagnostics: Iterable[Diagnostic], files: Iterable[str], source: Source, settings: Settings
) -> Comparison:
    """Compare the findings in some files, and nothing of other ones that exist."""
    checked = set(map(_path, files))

    def sought(path: str, entry: Entry) -> bool:
        if path not in checked:
            return not os.path.lexists(path)
        config = settings.of(path)
        explicit = entry.code in selection(config).explicit
        return entry.code in enabled_in(config, path) and (explicit or entry.severity != "info")

    return compare(baseline, diagnostics, source, sought)


def renewed(baseline: Baseline, found: Baseline, files: Iterable[str]) -> Baseline:
    """What was found in some files, and what the baseline says of others that still exist."""
    checked = set(map(_path, files))
    others = {p: each for p, each in baseline.files.items() if p not in checked and os.path.lexists(p)}
    return Baseline({**others, **found.files})


def read_baseline(file: str) -> Baseline:
    """The baseline in a file.

    Raises:
        ConfigError: it cannot be read, or is no baseline.
    """
    try:
        document = json.loads(read_file(file).decode("utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"{file}: no such baseline; `inplace-lint baseline` writes one") from None
    except OSError as error:
        raise ConfigError(f"{file}: cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{file}: cannot be read as a baseline: {error}; {_CURE}") from error
    if not isinstance(document, dict) or document.get("version") != 1:
        raise ConfigError(f"{file}: is no baseline of this version; {_CURE}")
    folder = os.path.dirname(file)
    try:
        return Baseline(
            {
                _path(os.path.join(folder, path)): Counter({_known(row): _count(row["count"]) for row in rows})
                for path, rows in document["findings"].items()
            }
        )
    except (AttributeError, KeyError, TypeError) as error:
        raise ConfigError(f"{file}: is damaged ({error!r}); {_CURE}") from error


_CURE = "delete it, and `inplace-lint baseline` writes a new one"
_KEYS = ("code", "source", "message", "severity")


def _known(row: Mapping[str, object]) -> Entry:
    severity = row["severity"]
    if severity not in get_args(Severity):
        raise TypeError("no severity")
    return Entry(_text(row["code"]), _text(row["source"]), _text(row["message"]), cast(Severity, severity))


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"expected a string, not {type(value).__name__}")
    return value


def _count(value: object) -> int:
    if not isinstance(value, int):
        raise TypeError(f"expected a number, not {type(value).__name__}")
    return value


def write_baseline(baseline: Baseline, file: str, root: str = ".") -> None:
    """Write a baseline to a file, all at once, unless a link leads out of the project's folder (`root`).

    Raises:
        ConfigError: the file cannot be written.
    """
    folder = os.path.dirname(os.path.abspath(file))
    paths = {os.path.relpath(path, folder).replace(os.sep, "/"): each for path, each in baseline.files.items()}
    blocks = [
        f"    {json.dumps(path)}: [\n" + ",\n".join(_row(entry, paths[path][entry]) for entry in sorted(paths[path]))
        for path in sorted(paths)
    ]
    findings = "{\n" + "\n    ],\n".join(blocks) + "\n    ]\n  }" if blocks else "{}"
    text = f'{{\n  "version": 1,\n  "findings": {findings}\n}}\n'
    try:
        write_atomically(file, text.encode(), (root, "."))
    except OSError as error:
        raise ConfigError(f"{file}: cannot be written: {error.strerror}") from error


def _row(entry: Entry, count: int) -> str:
    row = {**{key: getattr(entry, key) for key in _KEYS}, "count": count}
    return f"      {json.dumps(row)}"


def _entry(diagnostic: Diagnostic, source: Source) -> Entry:
    return Entry(diagnostic.code, " ".join(source(diagnostic).split()), diagnostic.message, diagnostic.severity)


def _path(path: str) -> str:
    return os.path.abspath(path)


def _without_empty(files: Mapping[str, Counter[Entry]]) -> Baseline:
    return Baseline({path: entries for path, entries in files.items() if entries})
