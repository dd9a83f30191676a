"""`inplace-lint explain`: which line made PyTorch raise, from its error text and the sources."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from inplace_lint.cli.options import FORMATS, GroupedCommand, configuration_options, fail, option, settings
from inplace_lint.cli.printing import fitted, rendered, write
from inplace_lint.cli.streams import standard_input
from inplace_lint.project.files import SpecialFileError, read_file, read_stream

if TYPE_CHECKING:
    from inplace_lint.findings.diagnostic import Diagnostic
    from inplace_lint.postmortem.error_report import ErrorReport
    from inplace_lint.postmortem.explain import Explanation
    from inplace_lint.project.keys import Format

_MOST_CANDIDATES = 5
_LONGEST_LOG = 100_000_000


@click.command(cls=GroupedCommand, epilog=f"Formats: {', '.join(FORMATS)}.")
@click.argument("words", nargs=-1, metavar="[TEXT] [PATHS]...")
@option("Input", "--file", type=click.Path(dir_okay=False), metavar="FILE", help="Read the error from FILE.")
@option(
    "Output",
    "--output-format",
    type=click.Choice(FORMATS),
    metavar="FORMAT",
    show_default="full",
    help="Report format.",
)
@option("Output", "-o", "--output-file", type=click.Path(dir_okay=False), metavar="FILE", help="Write to FILE.")
@option(
    "Output", "--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="When to use colours."
)
@option("Output", "-q", "--quiet", is_flag=True, help="Print findings and nothing else.")
@configuration_options
def explain(words: tuple[str, ...], **options: Any) -> None:
    """Find the line behind PyTorch's error about an in-place operation.

    TEXT is the error, also with its traceback or the log around it; without TEXT and --file it is
    read from standard input. PATHS are the sources, by default those in the traceback.
    Nothing is executed. Exit status 0: explained, 1: not explained, 2: misuse.
    """
    from inplace_lint.postmortem.error_report import read_report
    from inplace_lint.postmortem.explain import explain as rank

    text, paths = _given(words, options["file"])
    report = read_report(text)
    if report is None:
        fail("the text holds no error of PyTorch's about an in-place operation")
    diagnostics = _lint(report, paths, options)
    explanation = rank(report, diagnostics)
    best = explanation.fitting or explanation.possible
    format: Format = options["output_format"] or "full"
    if best or format != "full":
        write(rendered([_told(each) for each in best], format, {**options, "quiet": True}), options["output_file"])
    if not options["quiet"]:
        unread = [each for each in diagnostics if each.code.startswith("IPL9")]
        for note in _notes(report, explanation, unread):
            err = format != "full" or bool(options["output_file"])
            click.echo("\n".join(fitted(note, err=err)), err=err)
    sys.exit(0 if best else 1)


def _given(words: Sequence[str], file: str | None) -> tuple[str, list[str]]:
    """The error's text, and the paths."""
    paths = [word for word in words if os.path.exists(word)]
    texts = [word for word in words if word != "-" and not os.path.exists(word)]
    if len(texts) > 1 or (texts and file) or (texts and len(texts[0].split()) < 3):
        fail(f"no such file: {texts[-1]}")
    if file and file != "-":  # which names standard input
        try:
            return read_file(file, _LONGEST_LOG).decode("utf-8", errors="replace"), paths
        except OSError as error:
            fail(f"{file}: cannot be read: {error.strerror}{_hint(error)}")
    if texts:
        return texts[0], paths
    if sys.stdin is not None and sys.stdin.isatty() and "-" not in words:
        fail("expected the text of an error: as an argument, with --file, or on standard input")
    try:
        return read_stream(standard_input(), _LONGEST_LOG).decode("utf-8", errors="replace"), paths
    except OSError as error:
        fail(f"standard input: cannot be read: {error.strerror}{_hint(error)}")


def _hint(error: OSError) -> str:
    if isinstance(error, SpecialFileError):
        return "; pipe the error in, without --file"
    return "; its end will do" if error.errno == errno.EFBIG else ""


def _lint(report: ErrorReport, paths: list[str], options: dict[str, Any]) -> Sequence[Diagnostic]:
    from inplace_lint.pipeline.lint_paths import find_all
    from inplace_lint.project.settings import Settings

    if not paths:
        named = {frame.path for frame in (*report.frames, *report.forward)}
        paths = sorted(filter(os.path.isfile, named)) or ["."]
    chosen = settings(options)
    # What was suppressed or switched off may be the very cause.
    everything = {**chosen.options, "select": ["IPL1", "IPL2", "IPL401"], "ignore": [], "ignore-noqa": True}
    return find_all(paths, Settings(everything, chosen.file, chosen.isolated)).diagnostics


def _told(diagnostic: Diagnostic) -> Diagnostic:
    from dataclasses import replace

    return replace(diagnostic, message=f"{diagnostic.message} [{diagnostic.verdict}]")


def _notes(report: ErrorReport, explanation: Explanation, unread: Sequence[Diagnostic]) -> list[str]:
    from inplace_lint.postmortem.explain import described

    found = explanation.fitting or explanation.possible
    notes = [] if found else [f"{described(report)}; no finding in the sources fits."]
    if not found:
        for each in explanation.others[:_MOST_CANDIDATES]:
            place = f"{each.site.path}:{each.site.span.row}:{each.site.span.column}"
            notes.append(f"candidate: {place}: {each.code} {each.message} [{each.verdict}]")
    notes += [f"warning: {each.site.path}: {each.message}" for each in unread]
    if report.kind == "stale" and not report.forward:
        notes.append(
            "note: anomaly mode, `torch.autograd.set_detect_anomaly(True)`, would add the line of the op that saved"
            " the tensor"
        )
    if report.kind == "stale" and len(explanation.fitting) != 1:
        notes.append("note: `inplace-lint run SCRIPT` tells both lines, from a run of the program")
    return notes
