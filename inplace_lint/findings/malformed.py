"""Comments that were meant to suppress, and are mistyped (IPL904)."""

from __future__ import annotations

import re
import tokenize
from collections.abc import Iterator, Mapping

from inplace_lint.findings.diagnostic import Diagnostic, Edit, Fix
from inplace_lint.findings.pragma import Pragma, pragma, stands_for
from inplace_lint.findings.suppress import tokens
from inplace_lint.findings.wording import did_you_mean
from inplace_lint.source.place import Site, Span

IPL904 = "IPL904"

_VERBS = ("ignore", "ignore-file", "skip-file")
# What other tools call it.
_FOREIGN = {"disable": "ignore", "noqa": "ignore", "off": "ignore", "suppress": "ignore", "skip": "skip-file"}
# A colon makes it ours; without one, only what follows can, as prose may begin with our name, too.
_OURS = re.compile(
    r"#\s*inplace[-_ ]?lint(?:\s*:\s*(?P<verb>[\w-]*)|\s+(?P<spaced>[\w-]+)(?=\s*\[|=|\s*$))", re.IGNORECASE
)
_NOQA = re.compile(r"#\s*noqa\b(?P<colon>\s*:)?[\s\[(=;:-]*(?P<words>\w+(?:[\s,]+[A-Z]+\d\w*)*)", re.IGNORECASE)


def malformed(path: str, text: str, rules: Mapping[str, str]) -> Iterator[Diagnostic]:
    """The mistyped comments of a file; `rules` are names by code."""
    lowered = text.lower()
    if "noqa" not in lowered and not re.search("inplace[-_ ]?lint", lowered):
        return
    for token in tokens(text):
        if token.type != tokenize.COMMENT:
            continue
        for part in re.finditer(r"#[^#]*", token.string):
            written = part.group().rstrip()
            said = pragma(written)
            fault = _fault(written, said, rules)
            if fault is not None:
                row, column = token.start[0], token.start[1] + part.start() + 1
                site = Site(path, Span(row, column, row, column + len(written)))
                yield Diagnostic(IPL904, "malformed-suppression", "warning", fault, site, fix=_fix(written, said, site))


def _fault(written: str, said: Pragma | None, rules: Mapping[str, str]) -> str | None:
    """What is wrong with one comment; None if nothing is, or it is about something else."""
    if said is not None and said.own:
        return _fault_of_words(said, rules)
    if ours := _OURS.match(written):
        verb = (ours["verb"] or ours["spaced"] or "").lower()
        if not verb:
            return None
        if verb in _VERBS and pragma(_spelled(written)) is not None:
            return f"`{ours.group()}` suppresses nothing: write `# inplace-lint: {verb}`"
        near = f"; did you mean `{_FOREIGN[verb]}`?" if verb in _FOREIGN else did_you_mean(verb, _VERBS)
        if not near and not _lists(written[ours.end() :]):
            return None  # prose
        return f"`{verb}` is nothing that a comment can ask for{near or f'; there are {_and(_VERBS)}'}"
    noqa = _NOQA.match(written)
    if noqa is None:
        return None
    ours_listed = [word for word in re.split(r"[\s,]+", noqa["words"]) if re.match(r"IPL\w*\d", word, re.IGNORECASE)]
    if ours_listed and not noqa["colon"]:
        return f"`{noqa.group()}` names no rule without a colon: write `# noqa: {', '.join(ours_listed)}`"
    return next((fault for word in ours_listed if (fault := _unknown(word.upper(), rules))), None)


def _fault_of_words(said: Pragma, rules: Mapping[str, str]) -> str | None:
    if said.words == ():
        if said.head.rstrip().endswith("ignore-file"):
            return "`ignore-file` needs the rules in brackets; to leave out the file, write `skip-file`"
        return f"`{said.head}` names no rule"
    return next((fault for word in said.words or () if (fault := _unknown(word, rules))), None)


def _unknown(word: str, rules: Mapping[str, str]) -> str | None:
    if any(stands_for(word, code, name) for code, name in rules.items()):
        return None
    return f"`{word}` is no rule{did_you_mean(word, [*rules, *rules.values()])}"


def _lists(rest: str) -> bool:
    """Whether rules follow, rather than prose."""
    return rest.lstrip().startswith(("[", "=", "(")) or "IPL" in rest


def _spelled(written: str) -> str:
    """The comment with our name, and what it asks for, as they have to be."""

    def right(head: re.Match[str]) -> str:
        return f"# inplace-lint: {head['verb'].lower()}"

    return re.sub(r"^#\s*inplace[-_ ]?lint\s*:?\s*(?P<verb>[\w-]*)", right, written, flags=re.IGNORECASE)


def _fix(written: str, said: Pragma | None, site: Site) -> Fix | None:
    """The comment as it was meant, where that is certain: a colon is missing, or our name is spelled differently."""
    if said is not None and said.own:
        return None
    noqa = _NOQA.match(written)
    if noqa is not None and not noqa["colon"]:
        better = re.sub(r"^#\s*noqa[\s\[(=;-]*", "# noqa: ", written, flags=re.IGNORECASE).replace("]", "", 1)
    elif noqa is None and pragma(_spelled(written)) is not None:
        better = _spelled(written)
    else:
        return None
    return Fix("safe", f"write `{better}`", (Edit(site.span, better),))


def _and(words: tuple[str, ...]) -> str:
    return f"{', '.join(f'`{word}`' for word in words[:-1])} and `{words[-1]}`"
