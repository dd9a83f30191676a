"""Comments that suppress nothing (IPL901), and the edits that remove them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from inplace_lint.findings.diagnostic import Diagnostic, Edit, Fix
from inplace_lint.findings.pragma import Pragma, normal, stands_for
from inplace_lint.findings.suppress import Suppression, Use, suppressions
from inplace_lint.source.place import Site, Span

IPL901 = "IPL901"

# Whether a comment is needed for these cannot be told from what it suppressed.
_OF_COMMENTS = frozenset({IPL901, "IPL904"})


@dataclass(frozen=True, slots=True)
class Judged:
    """What is known of the rules in one file.

    Args:
        rules: the names of all rules, by code.
        usual: those that are on by default.
        enabled: those that were looked for; nothing can be said of the others.
    """

    rules: Mapping[str, str]
    usual: Collection[str]
    enabled: Collection[str]


def unused(path: str, text: str, used: Collection[Use], judged: Judged) -> Iterator[Diagnostic]:
    """The comments in a file, or the codes in them, that suppressed none of its findings.

    A bare `# noqa` may be meant for another tool, and so may codes of other tools; `malformed.py` has those that are
    no rule's.
    """
    lines = text.split("\n")
    for comment in suppressions(text):
        said = comment.pragma
        idle = [word for word in _words(said) if _is_idle(path, comment, word, used, judged)]
        if idle:
            what = f"`{said.head if set(idle) >= set(_words(said)) else ', '.join(idle)}`"
            message = f"{what} {'suppresses' if len(idle) == 1 or said.head in what else 'suppress'} nothing"
            fix = Fix("safe", f"remove {what}", (without(comment, idle, lines),))
            yield Diagnostic(IPL901, "unused-suppression", "warning", message, Site(path, comment.span), fix=fix)


def _words(said: Pragma) -> tuple[str, ...]:
    """The words of a comment; one that is empty if it has none."""
    return said.words or ("",)


def _is_idle(path: str, comment: Suppression, word: str, used: Collection[Use], judged: Judged) -> bool:
    said = comment.pragma
    if Use(path, comment.span, word) in used or (said.whole_file and not word):
        return False
    if not word:
        return said.own and said.words is None and set(judged.usual) <= set(judged.enabled)
    meant = {code for code, name in judged.rules.items() if stands_for(word, code, name)}
    return bool(meant) and meant <= set(judged.enabled) and meant.isdisjoint(_OF_COMMENTS)


def without(comment: Suppression, idle: Collection[str], lines: list[str]) -> Edit:
    """The edit that takes words out of a comment; its reason stays, as a comment, if no word is left."""
    row, start, end = comment.span.row, comment.span.column - 1, comment.span.end_column - 1
    line, said = lines[row - 1], comment.pragma
    if not set(idle) >= set(_words(said)):
        return _fewer_words(comment, idle)
    if said.reason:
        return Edit(comment.span, f"# {said.reason}")
    before, after = line[:start], line[end:]
    if not before.strip() and not after.strip() and row < len(lines):
        return Edit(Span(row, 1, row + 1, 1), "")
    if after.strip():  # another comment follows, and takes its place
        return Edit(Span(row, start + 1, row, len(line) - len(after.lstrip()) + 1), "")
    return Edit(Span(row, len(before.rstrip()) + 1, row, len(line) + 1), "")


def _fewer_words(comment: Suppression, idle: Collection[str]) -> Edit:
    row, column, said = comment.span.row, comment.span.column, comment.pragma
    start, end = said.listed
    kept = [word for word in re.split(r"[\s,]+", said.text[start:end]) if word and normal(word) not in idle]
    return Edit(Span(row, column + start, row, column + end), ", ".join(kept))
