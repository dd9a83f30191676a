"""`inplace_lint.watch()`: explains PyTorch's errors about in-place operations where they happen."""

from __future__ import annotations

import linecache
import os
import sys
import warnings
from collections.abc import Callable, Iterable, Sequence
from contextlib import ContextDecorator
from dataclasses import replace
from types import TracebackType

from torch.overrides import handle_torch_function

from inplace_lint.findings.diagnostic import Diagnostic
from inplace_lint.findings.suppress import suppress
from inplace_lint.report import Report, render
from inplace_lint.report.escaping import escaped
from inplace_lint.runtime.recorder.frames import OURS
from inplace_lint.runtime.recorder.verdict import Judge
from inplace_lint.source.place import Site

UNSEEN = (
    "inplace-lint saw nothing of the write that this is about: it ran before the recording began, or in a scripted"
    " function or C++ code, of which Python does not see the single operations."
)
"""What there is to say of an error without a story."""


STORIES = "_inplace_lint_stories"
"""The attribute of an error that tells which of its notes are ours."""


class InplaceWarning(UserWarning):
    """A write that PyTorch does not refuse, although it makes a gradient wrong."""

    __module__ = "inplace_lint"  # its name in filters


class InplaceError(RuntimeError):
    """The same, where it shall be refused: PyTorch itself would have gone on."""

    __module__ = "inplace_lint"


def warn(diagnostics: Iterable[Diagnostic]) -> None:
    """Tell of findings by an `InplaceWarning` for each, at the line that wrote."""
    for diagnostic in diagnostics:
        path, row = diagnostic.site.path, diagnostic.site.span.row
        warnings.warn_explicit(escaped(f"{diagnostic.message} ({diagnostic.code})"), InplaceWarning, path, row)


class watch(ContextDecorator):  # noqa: N801  it is used like a function
    """Records the PyTorch code that runs inside `with inplace_lint.watch():`.

    An error of PyTorch's about an in-place operation stays the same error, with a note: which line
    saved the tensor, which modified it, and which backward reads it. What PyTorch should have
    refused becomes an `InplaceWarning` at the end of the block.

    Args:
        strict: refuse it, by an `InplaceError` from the backward pass that would go wrong.
        tell: what to do with it at the end of the block instead of a warning.

    Attributes:
        diagnostics: what was found so far.
    """

    def __init__(self, *, strict: bool = False, tell: Callable[[Sequence[Diagnostic]], None] = warn) -> None:
        self._strict = strict
        self._tell = tell
        self._judge = Judge(explain, refuse if strict else None)

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """What was found so far, in order of files and lines."""
        return shown([*self._judge.diagnostics.values(), *unsuppressed(self._judge.silent.values())])

    def __enter__(self) -> watch:
        self._judge.recorder.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._judge.recorder.__exit__(kind, error, trace)
        if error is not None:
            without_our_frames(error)
        if not self._strict:
            self._tell(shown(unsuppressed(self._judge.silent.values())))


def refuse(diagnostics: Sequence[Diagnostic]) -> None:
    """Raise what PyTorch should have raised, unless a comment in the source allows it."""
    found = shown(unsuppressed(diagnostics))
    if found:
        error = InplaceError(escaped(f"{found[0].message} ({found[0].code})"))
        explain(error, diagnostics)
        raise error


def explain(error: BaseException, diagnostics: Sequence[Diagnostic], process: str = "") -> None:
    """Add to an error what there is to say of it, as a note, under the name of the process if there are several."""
    text = told(diagnostics) or UNSEEN
    text = f"{process}:\n{text}" if process else text
    if sys.version_info >= (3, 11):
        error.add_note(text)
        error.__dict__.setdefault(STORIES, []).append(text)
    else:
        warnings.warn(text, InplaceWarning, stacklevel=2)


def told(diagnostics: Iterable[Diagnostic], color: bool = False) -> str:
    """Findings with the source around them, for people; empty if there are none."""
    found = shown(diagnostics)
    return render(Report(found, source_lines, color, summary=False, brief=True), "full").rstrip("\n") if found else ""


def source_lines(path: str) -> Sequence[str]:
    """The lines of a file, or of a cell of a notebook that runs."""
    return [line.rstrip("\n") for line in linecache.getlines(path)]


def shown(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Findings in order, with paths as a user would write them."""
    return sorted((_relative(each) for each in diagnostics), key=lambda diagnostic: diagnostic.sort_key)


def unsuppressed(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """The findings that no comment in the source suppresses."""
    return [each for each in diagnostics if suppress("\n".join(source_lines(each.site.path)), [each])[0]]


def _relative(diagnostic: Diagnostic) -> Diagnostic:
    related = tuple(replace(each, site=_near(each.site)) for each in diagnostic.related)
    return replace(diagnostic, site=_near(diagnostic.site), related=related)


def _near(site: Site) -> Site:
    folder = os.getcwd() + os.sep
    return Site(site.path.removeprefix(folder), site.span)


def without_our_frames(error: BaseException) -> None:
    """Take the frames of the recorder out of a traceback, also of what led to the error."""
    seen: set[int] = set()
    todo: list[BaseException | None] = [error]
    while todo:
        current = todo.pop()
        if current is not None and id(current) not in seen:
            seen.add(id(current))
            current.__traceback__ = _without(current.__traceback__)
            todo += (current.__cause__, current.__context__)


def _without(trace: TracebackType | None) -> TracebackType | None:
    kept: list[TracebackType] = []
    while trace is not None:
        code = trace.tb_frame.f_code
        if not code.co_filename.startswith(OURS):
            # PyTorch calls itself anew through a mode; without one, the first of the two calls goes on.
            if len(kept) > 1 and code is kept[-2].tb_frame.f_code and _dispatches(kept[-1]):
                del kept[-2:]
            kept.append(trace)
        trace = trace.tb_next
    for trace, following in zip(kept, [*kept[1:], None], strict=True):
        trace.tb_next = following
    return kept[0] if kept else None


def _dispatches(trace: TracebackType) -> bool:
    return trace.tb_frame.f_code is handle_torch_function.__code__
