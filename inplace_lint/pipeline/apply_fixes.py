"""Applying fixes: to the bytes of a file, pass by pass, until nothing is left to fix."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from inplace_lint.findings.diagnostic import Diagnostic, Edit, Fix
from inplace_lint.fixes.edit import Moved, compatible, edited
from inplace_lint.notebook import edited_notebook, is_notebook
from inplace_lint.project.reading import encoding_of
from inplace_lint.source.place import Span

# So many sets of fixes in a row may turn out not to go together.
MOST_FAILURES = 20
# After so many looks at a file, what is left waits for the next time. Each may cost what checking the file may.
MOST_LOOKS = 12

_UNREADABLE = frozenset({"IPL902", "IPL903"})


class NotFixedError(Exception):
    """A file that is better left alone, and why."""


@dataclass(frozen=True, slots=True)
class Fixed:
    """What came of fixing one file.

    Args:
        data: its new content.
        codes: how many findings of each code were fixed.
        unfinished: whether fixes are left that were not looked at.
    """

    data: bytes
    codes: Counter[str] = field(default_factory=Counter)
    unfinished: bool = False


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

    Every pass leaves fewer findings, and none that was not there: fixes that do not go together are applied in parts.

    Args:
        data: the content of the file.
        path: its name.
        diagnostics: what was found in it.
        again: what is found in another content.
        unsafe: whether to apply fixes that may change what the program computes.

    Raises:
        NotFixedError: the content cannot be edited.
    """
    done = Fixed(data)
    found = [each for each in diagnostics if each.site.path == path]
    some = _together(found, unsafe, frozenset())
    # A look at this file alone may find what a look at all files has ruled out, or miss what others show.
    known = [*found, *again(data)] if some else found
    refused: set[tuple[Edit, ...]] = set()
    looks = failures = 0
    while some and failures < MOST_FAILURES and looks < MOST_LOOKS:
        looks += 1
        edits = list(dict.fromkeys(edit for _, fix in some for edit in fix))
        moves = _Moves(edits)
        new = with_edits(done.data, path, edits)
        after = again(new)
        if _fewer(known, after, moves):
            done = Fixed(new, done.codes + Counter(code for code, _ in some))
            shown = _places(found, moves)
            found = [each for each in after if _place(each, moves, Moved.back) in shown]
            known, failures = list(after), 0
            refused.clear()
        elif len(some) > 1:
            some, failures = some[: len(some) // 2], failures + 1
            continue
        else:
            refused.add(some[0][1])
            failures += 1
        some = _together(found, unsafe, refused)
    return replace(done, unfinished=bool(some) and looks == MOST_LOOKS)


class _Moves:
    """How places move with edits, in each cell."""

    def __init__(self, edits: Iterable[Edit]) -> None:
        self._edits: dict[int | None, list[Edit]] = {}
        for edit in edits:
            self._edits.setdefault(edit.cell, []).append(edit)
        self._moved: dict[int | None, Moved] = {}

    def of(self, cell: int | None) -> Moved:
        """How they move in one of them."""
        if cell not in self._moved:
            self._moved[cell] = Moved(self._edits.get(cell, ()))
        return self._moved[cell]


def _fewer(before: Collection[Diagnostic], after: Collection[Diagnostic], moves: _Moves) -> bool:
    """Whether edits have taken findings away and brought none."""
    if _failures(after) > _failures(before):
        return False
    return {_place(each, moves, Moved.back) for each in after} < _places(before, moves)


def _failures(diagnostics: Iterable[Diagnostic]) -> int:
    return sum(each.code in _UNREADABLE for each in diagnostics)


def _places(diagnostics: Iterable[Diagnostic], moves: _Moves) -> set[Hashable]:
    """What findings are known by while a text is edited."""
    return {_place(each, moves, Moved.settled) for each in diagnostics}


def _place(diagnostic: Diagnostic, moves: _Moves, move: Callable[[Moved, Span], Span]) -> Hashable:
    return diagnostic.code, diagnostic.cell, move(moves.of(diagnostic.cell), diagnostic.site.span)


def _together(
    diagnostics: Iterable[Diagnostic], unsafe: bool, refused: Collection[tuple[Edit, ...]]
) -> list[tuple[str, tuple[Edit, ...]]]:
    """The codes and fixes of all findings whose fix does not overlap an earlier one."""
    edits: dict[Edit, None] = {}
    some: list[tuple[str, tuple[Edit, ...]]] = []
    for diagnostic in diagnostics:
        fix = diagnostic.fix
        if fix is not None and applies(fix, unsafe) and fix.edits not in refused:
            new = [edit for edit in fix.edits if edit not in edits]
            if compatible(new, edits):
                edits.update(dict.fromkeys(new))
                some.append((diagnostic.code, fix.edits))
    return some


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
