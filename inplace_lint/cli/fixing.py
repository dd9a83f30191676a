"""`--fix`, `--unsafe-fixes`, `--fix-only` and `--diff`."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import unified_diff
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any

import click

from inplace_lint.cli.options import all_of, codes, fail, list_option, option
from inplace_lint.cli.printing import tell
from inplace_lint.findings.registry import registry
from inplace_lint.fixes.edit import lines_of
from inplace_lint.notebook import is_notebook, sources
from inplace_lint.project.reading import encoding_of
from inplace_lint.report.escaping import quoted_path, visible

if TYPE_CHECKING:
    from inplace_lint.cli.checked import Checked
    from inplace_lint.findings.diagnostic import Diagnostic
    from inplace_lint.pipeline.result import Result
    from inplace_lint.project.settings import Settings

fix_options = all_of(
    (
        option("Fixes", "--fix", is_flag=True, help="Apply safe fixes."),
        option("Fixes", "--unsafe-fixes", is_flag=True, help="Apply unsafe fixes, which may change values."),
        option("Fixes", "--fix-only", is_flag=True, help="Apply fixes and report nothing."),
        option("Fixes", "--diff", is_flag=True, help="Only show what --fix would change."),
        list_option("Fixes", "--fixable", "Codes or prefixes whose fixes are offered.", codes),
        list_option("Fixes", "--unfixable", "Codes or prefixes whose fixes are not.", codes),
        option("Fixes", "--show-fixes", is_flag=True, help="List what was fixed, by file and rule."),
        option("Fixes", "--exit-non-zero-on-fix", is_flag=True, help="Exit with 1 if anything was fixed."),
    )
)


@dataclass(slots=True)
class Outcome:
    """What fixing did, or would do.

    Args:
        contents: old and new content by path.
        by_file: how many findings of each code were fixed, by path.
        failed: whether a file could not be written.
        status: the exit status, if there is nothing more to do.
    """

    by_file: dict[str, Counter[str]] = field(default_factory=dict)
    contents: dict[str, tuple[bytes, bytes]] = field(default_factory=dict)
    failed: bool = False
    status: int | None = None

    @property
    def count(self) -> int:
        """How many findings were fixed."""
        return sum(codes.total() for codes in self.by_file.values())


def wanted(options: Mapping[str, Any]) -> bool:
    """Whether files are to be fixed, or the changes shown."""
    if options["diff"] and (options["fix"] or options["fix_only"]):
        fail("--diff writes nothing, so it excludes --fix and --fix-only")
    return bool(options["fix"] or options["fix_only"] or options["diff"])


def fix(result: Result, before: Checked, chosen: Settings, options: Mapping[str, Any], piped: bytes | None) -> Outcome:
    """Fix what was found: files on disk, or what was piped in, which is printed. With `--diff` nothing is written.

    A file that has changed since it was checked is left alone.
    """
    from inplace_lint.pipeline.apply_fixes import NotFixedError, fixed

    outcome = Outcome()
    if not wanted(options):
        return outcome
    for path, some in groupby(result.diagnostics, key=lambda each: each.site.path):
        found = list(some)
        if not any(each.fix for each in found):
            continue
        try:
            data = before.read(path) if piped is None else piped
            done = fixed(data, path, found, partial(_again, path, chosen, piped), options["unsafe_fixes"])
            if done.data != data and not options["diff"] and piped is None:
                before.replace(path, done.data)
        except NotFixedError as error:
            tell(f"warning: {os.path.relpath(path)} is left alone: {error}")
            continue
        except OSError as error:
            tell(f"error: {os.path.relpath(path)} cannot be fixed: {error.strerror}")
            outcome.failed = True
            continue
        if done.data != data:
            outcome.by_file[path] = done.codes
            outcome.contents[path] = (data, done.data)
        if done.unfinished:
            tell(f"warning: {os.path.relpath(path)} has more fixes than one run tries: run it again")
    _conclude(outcome, options, piped)
    return outcome


def _again(path: str, chosen: Settings, piped: bytes | None, data: bytes) -> Sequence[Diagnostic]:
    """What is found in another content of a file, without what a baseline knows."""
    from inplace_lint.pipeline.baseline import read_baseline
    from inplace_lint.pipeline.lint_file import lint_bytes
    from inplace_lint.pipeline.lint_paths import without_known
    from inplace_lint.pipeline.result import Result
    from inplace_lint.project.reading import decode

    config = chosen.of(path)
    found = Result(tuple(lint_bytes(data, path, config)), (path,))
    if config.baseline is not None and found.diagnostics:
        found = without_known(found, read_baseline(config.baseline), chosen, lambda _: decode(data, path))
    # Which comments are needless, only a look at all files can tell.
    return [each for each in found.diagnostics if each.code != "IPL901" or piped is not None]


def _conclude(outcome: Outcome, options: Mapping[str, Any], piped: bytes | None) -> None:
    """Print what `--diff`, `--fix-only` or a fixed standard input ask for."""
    if piped is not None and not options["diff"]:
        sys.stdout.buffer.write(next((new for _, new in outcome.contents.values()), piped))
        sys.stdout.flush()
    if options["diff"]:
        text = "".join(_differences(outcome))
        click.echo(_for_people(text) if sys.stdout.isatty() else text, nl=False, color=True)
    if options["diff"] or options["fix_only"]:
        if not options["quiet"]:
            verb, plural = "Would fix" if options["diff"] else "Fixed", "s" * (outcome.count != 1)
            tell(f"{verb} {outcome.count} problem{plural}.")
            tell_fixes(outcome, options)
        differs = options["diff"] and bool(outcome.contents) and not options["exit_zero"]
        outcome.status = 2 if outcome.failed else int(differs or asked_for_none(outcome, options))


def asked_for_none(outcome: Outcome, options: Mapping[str, Any]) -> bool:
    """Whether something was fixed where the exit status must tell that."""
    return bool(options["exit_non_zero_on_fix"] and outcome.count and not options["diff"])


def tell_fixes(outcome: Outcome, options: Mapping[str, Any]) -> None:
    """What was fixed, by file and rule, if the user asks for it."""
    if not options["show_fixes"]:
        return
    for path, fixed in outcome.by_file.items():
        tell(f"{os.path.relpath(path) if path != '-' else path}:")
        for code, count in sorted(fixed.items()):
            tell(f"  {count} of {code} {registry()[code].rule.name}")


def _differences(outcome: Outcome) -> Iterator[str]:
    for path, (old, new) in outcome.contents.items():
        shown = os.path.relpath(path) if path != "-" else path
        for label, before, after in _changed_texts(path, old, new):
            name = quoted_path(f"{shown}{label}")
            for line in unified_diff(before, after, name, name):
                yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _for_people(difference: str) -> str:
    """What a terminal may be given; for programs that apply it, a difference must stay what it is."""
    return "\n".join("\t".join(map(visible, line.removesuffix("\r").split("\t"))) for line in difference.split("\n"))


def _changed_texts(path: str, old: bytes, new: bytes) -> Iterator[tuple[str, list[str], list[str]]]:
    """What to compare: a file, or each cell of a notebook that changes."""
    before, after = (data.decode(encoding_of(data), errors="replace") for data in (old, new))
    if not is_notebook(path):
        yield "", _rows(before), _rows(after)
        return
    changed = sources(after)
    for number, source in sources(before).items():
        if source != changed[number]:
            yield f":cell {number}", _rows(source), _rows(changed[number])


def _rows(text: str) -> list[str]:
    return [row for row in lines_of(text) if row]
