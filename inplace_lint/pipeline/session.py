"""What an editor's work needs from one check to the next: unsaved texts, settings, and what each file gave."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from inplace_lint.findings.diagnostic import Diagnostic, Related
from inplace_lint.interpret.analysis.analyze import forget_file, forget_files, learned
from inplace_lint.notebook import by_cell, is_notebook
from inplace_lint.pipeline.baseline import read_baseline
from inplace_lint.pipeline.callers import Callers
from inplace_lint.pipeline.comments import unused_comments
from inplace_lint.pipeline.lint_file import lint_loaded
from inplace_lint.pipeline.lint_paths import without_known
from inplace_lint.pipeline.merge import merge, settled
from inplace_lint.pipeline.result import FileResult, Result
from inplace_lint.project.config import Config, ConfigError, enabled_in
from inplace_lint.project.discovery import discover
from inplace_lint.project.environment import search_path
from inplace_lint.project.files import is_beneath
from inplace_lint.project.imports import importing
from inplace_lint.project.patterns import Patterns
from inplace_lint.project.settings import Settings
from inplace_lint.project.texts import Texts
from inplace_lint.source.place import Site


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a check.

    Args:
        found: the findings in each file in which they may have changed.
        stale: files checked before whose findings may have changed, too: they import what has changed.
        unread: whether the text is no Python at present; what was found in it before still counts.
        problem: what is wrong with the configuration.
    """

    found: Mapping[str, tuple[Diagnostic, ...]] = field(default_factory=dict)
    stale: frozenset[str] = frozenset()
    unread: bool = False
    problem: str = ""


class Session:
    """Checks files as an editor has them. All paths are absolute.

    Args:
        folders: the folders of the projects that are open.
        options: keys as in a configuration file, laid over what these say.
    """

    def __init__(self, folders: Sequence[str], options: Mapping[str, object]) -> None:
        self.texts = Texts()
        self._results: dict[str, FileResult] = {}
        self._imports: dict[str, set[str]] = {}
        self._stale: frozenset[str] = frozenset()
        self._callers = Callers(self.texts.load)
        self._settled: frozenset[tuple[str, Site]] = frozenset()
        self.configure(folders, options)

    def configure(self, folders: Sequence[str], options: Mapping[str, object]) -> None:
        """Read all settings anew."""
        self._folders, self._options = tuple(folders), dict(options)
        self._settings: dict[str, Settings] = {}
        search_path.cache_clear()
        self.forget_disk()

    def forget_disk(self) -> None:
        """Read all files anew: some may have come or gone."""
        self.texts.forget()
        forget_files()

    def settings(self, path: str) -> Settings:
        """The settings of the project that a file belongs to."""
        around = [folder for folder in self._folders if is_beneath(path, folder)]
        root = max(around, key=len, default=os.path.dirname(path))
        if root not in self._settings:
            self._settings[root] = Settings(self._options, root=root)
        return self._settings[root]

    def files(self) -> tuple[str, ...]:
        """The files of all projects that a run of the command line would check."""
        found: dict[str, None] = {}
        for folder in self._folders:
            found.update(dict.fromkeys(discover([folder], self.settings(os.path.join(folder, ""))).files))
        return tuple(found)

    def update(self, texts: Mapping[str, str | None]) -> None:
        """Take over texts, None where that on disk counts again. The next check tells what this may change."""
        self._learn(learned("").imports)  # from what else the session was asked
        if any(each.outdated for each in self._settings.values()):  # not all editors tell
            self.configure(self._folders, self._options)
            self._stale |= self._results.keys()
        absent = {path for path in texts if self.texts.load(path) is None}
        changed = self.texts.update(texts) | self.texts.changed_on_disk()
        if absent != {path for path in texts if self.texts.load(path) is None}:
            forget_files()  # what imports mean may have changed
        for path in changed:
            forget_file(path)
        self._stale |= (changed | importing(changed, self._imports)) & self._results.keys()

    def _updated(self, path: str, texts: Mapping[str, str | None]) -> frozenset[str]:
        """Take over texts; the other files checked before that what was taken over since the last check may change."""
        self.update(texts)
        stale, self._stale = self._stale - {path}, frozenset()
        return stale

    def check(self, path: str, texts: Mapping[str, str | None]) -> Outcome:
        """Check one file, with new texts for some."""
        stale = self._updated(path, texts)
        try:
            config = self.settings(path).of(path)
            result = self._result(path, config)
            before = self._results.get(path)
            if _is_unread(result, path) and before is not None:
                return Outcome(stale=stale, unread=True)
            self._results[path] = result
            return Outcome(self._around(path, result, before), stale)
        except ConfigError as error:
            return Outcome(stale=stale, problem=str(error))

    def drop(self, path: str, texts: Mapping[str, str | None]) -> Outcome:
        """Forget what a file gave, with new texts for some."""
        stale = self._updated(path, texts)
        before = self._results.pop(path, None)
        try:
            return Outcome(self._around(path, before), stale)
        except ConfigError as error:
            return Outcome(stale=stale, problem=str(error))

    def _around(self, path: str, *results: FileResult | None) -> dict[str, tuple[Diagnostic, ...]]:
        """The findings in a file, where results of it lie, in files that lead to it, and where it settles some."""
        files = {path, *self._settle()}.union(*map(_files, results))
        files |= {other for other, result in self._results.items() if path in _files(result)}
        return {each: self.found_in(each) for each in files}

    def _result(self, path: str, config: Config) -> FileResult:
        text = self.texts.load(path)
        excluded = Patterns(config.root, config.exclude + config.extend_exclude)
        if text is None or excluded.match(path, False):
            return FileResult([])
        result = lint_loaded(lambda: text, path, config, self.texts.load)
        self._learn(result.imports)
        return result

    def _learn(self, imports: Mapping[str, Iterable[str]]) -> None:
        """Note what files import."""
        for importer, targets in imports.items():
            self._imports.setdefault(importer, set()).update(targets)

    def found_in(self, path: str) -> tuple[Diagnostic, ...]:
        """All that is known of a file, whichever file led there."""
        settings = self.settings(path)
        config = settings.of(path)
        found = [each for each in self._known_in(path, config) if (each.code, each.site) not in self._settled]
        if path in self._results:
            used = {use for result in self._results.values() for use in result.used}
            found += unused_comments(path, self.texts.load, config, used)
            found += self._elsewhere(path)
        result = Result(tuple(merge(found)), (path,))
        if config.baseline is not None:
            result = without_known(result, read_baseline(config.baseline), settings, self.texts.load)
        return self._placed(result.diagnostics)

    def refuted_in(self, path: str) -> tuple[Diagnostic, ...]:
        """The findings in a file that do not hold, as other files show."""
        found = self._known_in(path, self._config(path))
        return self._placed(merge(each for each in found if (each.code, each.site) in self._settled))

    def _known_in(self, path: str, config: Config) -> list[Diagnostic]:
        """What has been found in a file."""
        enabled = enabled_in(config, path)
        found = (each for result in self._results.values() for each in result.diagnostics)
        return [each for each in found if each.site.path == path and each.code in enabled]

    def _settle(self) -> set[str]:
        """Look anew which findings other files have settled; the files where this makes a difference."""
        found = {path: result.diagnostics for path, result in self._results.items()}
        doubts = {path: result.doubts for path, result in self._results.items() if result.doubts}
        run = (place for result in self._results.values() for place in result.run)
        given = (each for result in self._results.values() for each in result.given)
        now = settled(found, doubts, run, partial(self._callers.refuted, given=given, paths=self._results))
        differing, self._settled = self._settled ^ now, frozenset(now)
        return {
            each
            for path, some in (found.items() if differing else ())
            for diagnostic in some
            if (diagnostic.code, diagnostic.site) in differing
            for each in (path, diagnostic.site.path)
        }

    def _elsewhere(self, path: str) -> Iterable[Diagnostic]:
        """What a file leads to in files that nobody looks at."""
        for each in self._results[path].diagnostics:
            where = each.site.path
            hidden = where not in self._results
            shown = hidden and (each.code, each.site) not in self._settled
            if shown and each.code in enabled_in(self._config(where), where):
                yield from _seen_from(path, each)

    def _config(self, path: str) -> Config:
        return self.settings(path).of(path)

    def _placed(self, found: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
        """Findings with places in the cells of notebooks."""
        placed = list(found)
        for path in dict.fromkeys(
            site.path for each in placed for site in (each.site, *(r.site for r in each.related))
        ):
            if is_notebook(path):
                placed = by_cell(placed, path, self.texts.load(path) or "")
        return tuple(placed)


def _seen_from(path: str, found: Diagnostic) -> Iterable[Diagnostic]:
    """A finding in another file, at the call in this one that leads there."""
    own = [each for each in found.related if each.site.path == path and each.order < found.order]
    if own:
        where = os.path.relpath(found.site.path, os.path.dirname(path))
        message = f"{found.message} (in {where}:{found.site.span.row})"
        there = Related(found.message, found.site, found.role or "write", found.order)
        related = (there, *(each for each in found.related if each is not own[-1]))
        yield replace(
            found, site=own[-1].site, role=own[-1].role, order=own[-1].order, message=message, related=related, fix=None
        )


def _files(result: FileResult | None) -> set[str]:
    return {each.site.path for each in result.diagnostics} if result is not None else set()


def _is_unread(result: FileResult, path: str) -> bool:
    return any(each.code == "IPL902" and each.site.path == path for each in result.diagnostics)
