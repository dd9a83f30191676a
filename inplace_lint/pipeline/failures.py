"""Failures as findings: a file that cannot be read, an internal error, a rule that cannot be used."""

from __future__ import annotations

import os
from traceback import extract_tb

from inplace_lint.findings.analysis import Failure
from inplace_lint.findings.diagnostic import Diagnostic
from inplace_lint.findings.registry import missing_rules
from inplace_lint.source.place import Site, Span


def unreadable(site: Site, message: str) -> Diagnostic:
    """The finding that a file cannot be read."""
    return Diagnostic("IPL902", "unreadable-file", "error", message, site)


_LEAVE_OUT = "leave the file out with --extend-exclude"


def failed(failure: Failure) -> Diagnostic:
    """That findings are missing at an entry point."""
    if failure.code is None:
        return crashed(failure.site, f"on `{failure.entry}` and does not know all about it", failure.error)
    return crashed(failure.site, f"to judge `{failure.entry}` by rule {failure.code}", failure.error)


def crashed(site: Site, what: str, error: Exception) -> Diagnostic:
    """A mistake of ours; `what` completes "inplace-lint failed ..."."""
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


def died(path: str) -> Diagnostic:
    """That the process which checked a file has ended."""
    message = "inplace-lint failed on this file and knows nothing about it: the process died"
    help = f"it may have run out of memory; {_LEAVE_OUT}"
    return Diagnostic("IPL903", "internal-error", "error", message, Site(path, Span(1, 1, 1, 1)), help=help)
