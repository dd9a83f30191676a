"""Applying fixes: to the bytes of a file, pass by pass, until nothing is left to fix."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from inplace_lint.diagnostic import Diagnostic, Edit, Fix
from inplace_lint.edit import compatible, edited
from inplace_lint.notebook import edited_notebook, is_notebook
from inplace_lint.reading import encoding_of

# A fix may make room for another one; this many times is surely a mistake of ours.
MOST_PASSES = 20

_UNREADABLE = frozenset({"IPL902", "IPL903"})


class NotFixedError(Exception):
    """A file that is better left alone, and why."""


@dataclass(frozen=True, slots=True)
class Fixed:
    """What came of fixing one file.

    Args:
        data: its new content.
        codes: how many findings of each code were fixed.
    """

    data: bytes
    codes: Counter[str] = field(default_factory=Counter)


def applies(fix: Fix | None, unsafe: bool) -> bool:
    """Whether a fix is to be applied: safe ones are, and unsafe ones if the user asks for them."""
    return fix is not None and (fix.applicability == "safe" or (unsafe and fix.applicability == "unsafe"))


def fixed(
    data: bytes,
    path: str,
    diagnostics: Sequence[Diagnostic],
    again: Callable[[bytes], Sequence[Diagnostic]],
    unsafe: bool = False,
) -> Fixed:
    """Apply what can be applied at once, check again, and go on until there is nothing left.

    Args:
        data: the content of the file.
        path: its name.
        diagnostics: what was found in it.
        again: what is found in another content.
        unsafe: whether to apply fixes that may change what the program computes.

    Raises:
        NotFixedError: the content cannot be edited, or could not be read afterwards.
    """
    codes: Counter[str] = Counter()
    failures = _failures(diagnostics, path)
    for _ in range(MOST_PASSES):
        edits, done = _together((each for each in diagnostics if each.site.path == path), unsafe)
        if not edits:
            return Fixed(data, codes)
        data = with_edits(data, path, edits)
        codes.update(done)
        diagnostics = again(data)
        if _failures(diagnostics, path) > failures:
            raise NotFixedError("the fixes for it do not go together")
    return Fixed(data, codes)


def _failures(diagnostics: Iterable[Diagnostic], path: str) -> int:
    return sum(each.code in _UNREADABLE and each.site.path == path for each in diagnostics)


def _together(diagnostics: Iterable[Diagnostic], unsafe: bool) -> tuple[list[Edit], list[str]]:
    """The edits of all fixes that do not overlap an earlier one, and the codes that they fix."""
    edits: list[Edit] = []
    codes: list[str] = []
    for diagnostic in diagnostics:
        if diagnostic.fix is not None and applies(diagnostic.fix, unsafe):
            new = [edit for edit in diagnostic.fix.edits if edit not in edits]
            if compatible(new, edits):
                edits += new
                codes.append(diagnostic.code)
    return edits, codes


def with_edits(data: bytes, path: str, edits: Iterable[Edit]) -> bytes:
    """The content of a file with edits applied that do not overlap; every other byte stays as it is.

    Raises:
        NotFixedError: the content cannot be written back as it was read.
    """
    try:
        encoding = encoding_of(data)
        text = data.decode(encoding)
        if text.encode(encoding) != data:
            raise NotFixedError(f"its encoding ({encoding}) does not give back what it reads")
        new = edited_notebook(text, edits) if is_notebook(path) else edited(text, edits)
        return new.encode(encoding)
    except (UnicodeError, LookupError, SyntaxError, ValueError) as error:
        raise NotFixedError(f"it cannot be written in its own encoding: {error}") from error
