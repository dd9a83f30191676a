"""Comments that suppress nothing (IPL901), and the edits that remove them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from inplace_lint.findings.diagnostic import Diagnostic, Edit, Fix
from inplace_lint.findings.suppress import CODE, NOQA, Suppression, Use, suppressions
from inplace_lint.findings.wording import did_you_mean
from inplace_lint.source.place import Site, Span

IPL901 = "IPL901"


@dataclass(frozen=True, slots=True)
class Judged:
    """What is known of the rules in one file.

    Args:
        rules: the codes of all rules.
        usual: those that are on by default.
        enabled: those that were looked for; nothing can be said of the others.
    """

    rules: Collection[str]
    usual: Collection[str]
    enabled: Collection[str]


def unused(path: str, text: str, used: Collection[Use], judged: Judged) -> Iterator[Diagnostic]:
    """The comments in a file, or the codes in them, that suppressed none of its findings.

    A bare `# noqa` may be meant for another tool, and so may codes of other tools.
    """
    lines = text.split("\n")
    for comment in suppressions(text):
        idle = [word for word in comment.codes or ("",) if _is_idle(path, comment, word, used, judged)]
        if idle:
            fix = Fix("safe", _title(comment, idle), (_edit(comment, idle, lines),))
            message = _message(comment, idle, judged)
            yield Diagnostic(IPL901, "unused-suppression", "warning", message, Site(path, comment.span), fix=fix)


def _is_idle(path: str, comment: Suppression, word: str, used: Collection[Use], judged: Judged) -> bool:
    own = NOQA.match(comment.text) is None
    if Use(path, comment.span, word) in used or (comment.whole_file and not word):
        return False
    if not word:
        return own and (comment.codes == () or set(judged.usual) <= set(judged.enabled))
    meant = {code for code in judged.rules if code.startswith(word)}
    if not meant:
        return own or word.startswith("IPL")
    return meant <= set(judged.enabled) and IPL901 not in meant


def _message(comment: Suppression, idle: list[str], judged: Judged) -> str:
    for word in idle:
        if word and not any(code.startswith(word) for code in judged.rules):
            near = did_you_mean(word, judged.rules) if word.startswith("IPL") else ""
            return f"`{word}` is no rule code{near}"
    what = _pragma(comment) if _is_all(comment, idle) else ", ".join(idle)
    return f"`{what}` {'suppress' if what == ', '.join(idle) and len(idle) > 1 else 'suppresses'} nothing"


def _title(comment: Suppression, idle: list[str]) -> str:
    return f"remove `{_pragma(comment) if _is_all(comment, idle) else ', '.join(idle)}`"


def _is_all(comment: Suppression, idle: list[str]) -> bool:
    return set(idle) >= set(comment.codes or ("",))


def _pragma(comment: Suppression) -> str:
    """The comment without the reason that follows it."""
    found = NOQA.match(comment.text) or re.match(r"#[^\]]*\]|#\s*inplace-lint:\s*[\w-]+", comment.text)
    return found.group() if found else comment.text


def _edit(comment: Suppression, idle: list[str], lines: list[str]) -> Edit:
    row, start, end = comment.span.row, comment.span.column - 1, comment.span.end_column - 1
    line = lines[row - 1]
    if not _is_all(comment, idle):
        listed = re.search(rf"{CODE}(?:[\s,]+{CODE})*", comment.text, re.IGNORECASE)
        assert listed is not None
        words = [word for word in re.findall(CODE, listed.group()) if word.upper() not in idle]
        first = start + listed.start() + 1
        return Edit(Span(row, first, row, first + len(listed.group())), ", ".join(words))
    before, after = line[:start], line[end:]
    if not before.strip() and not after.strip() and row < len(lines):
        return Edit(Span(row, 1, row + 1, 1), "")
    if after.strip():  # another comment follows, and takes its place
        return Edit(Span(row, start + 1, row, len(line) - len(after.lstrip()) + 1), "")
    return Edit(Span(row, len(before.rstrip()) + 1, row, len(line) + 1), "")
