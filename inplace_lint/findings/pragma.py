"""How a comment that suppresses findings is written: `# noqa: IPL202`, `# inplace-lint: ignore[IPL202] reason`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

CODE = r"(?<![A-Za-z])[A-Za-z]+[0-9]+"
_NAME = r"[A-Za-z]+(?:-[A-Za-z]+)+"
# A name needs a comma before it, or a reason with a hyphen would be one.
_LIST = rf"(?:{CODE}|{_NAME})(?:\s*,\s*{_NAME}|[\s,]+{CODE})*"
NOQA = re.compile(rf"#\s*noqa(?P<colon>\s*:\s*(?P<listed>{_LIST})?)?(?![\w-])", re.IGNORECASE)
_OWN = re.compile(
    r"#\s*inplace-lint:\s*(?P<verb>ignore-file|ignore|skip-file)(?![\w-])"
    # Without brackets, or with one, it is a slip, which shall not silence everything.
    rf"(?:\s*\[(?P<listed>[^\]]*)\]|\s*(?:[:=(]\s*)?(?P<bare>IPL\d+(?:[\s,]+{CODE})*)(?:\s*\))?|(?P<open>\s*\[.*))?"
)


@dataclass(frozen=True, slots=True)
class Pragma:
    """What one comment says.

    Args:
        text: how it is written.
        head: the same without the reason.
        reason: what follows, in the user's words.
        words: codes, parts of codes, and names of the rules that it suppresses; None for all rules.
        listed: where in the text these stand.
        own: whether it is of our own form, so that it can be meant for no other tool.
        whole_file: whether it holds for the file rather than for its statement.
    """

    text: str
    head: str
    reason: str
    words: tuple[str, ...] | None
    listed: tuple[int, int]
    own: bool
    whole_file: bool

    def names(self, code: str, name: str) -> Iterator[str]:
        """The words by which it names a rule; `` if it names no rule at all."""
        return (word for word in (self.words if self.words is not None else ("",)) if stands_for(word, code, name))


def stands_for(word: str, code: str, name: str) -> bool:
    """Whether a word is a rule's code, the beginning of it, or its name."""
    return code.startswith(word) or word == name


def pragma(part: str) -> Pragma | None:
    """What a comment says, up to the next `#`; None if it suppresses nothing."""
    text = part.rstrip()
    if own := _OWN.match(text):
        group = "bare" if own["bare"] else "listed"
        words = None if own[group] is None else split(own[group])
        if own["open"] or (words is None and own["verb"] == "ignore-file"):
            words = ()
        return Pragma(text, own.group(), _reason(text, own), words, own.span(group), True, own["verb"] != "ignore")
    noqa = NOQA.match(text)
    if noqa is None or (noqa["colon"] and not noqa["listed"]):
        return None  # a colon without a code: too easily a slip to silence everything
    words = split(noqa["listed"]) if noqa["listed"] else None
    return Pragma(text, noqa.group(), _reason(text, noqa), words, noqa.span("listed"), False, False)


def split(listed: str) -> tuple[str, ...]:
    """The words of a list: codes in capitals, names in small letters."""
    return tuple(normal(word) for word in re.split(r"[\s,]+", listed) if word)


def normal(word: str) -> str:
    """A code in capitals, a name in small letters."""
    return word.upper() if re.fullmatch(CODE, word) or word.upper().startswith("IPL") else word.lower()


def _reason(text: str, head: re.Match[str]) -> str:
    return text[head.end() :].lstrip(" \t:;,-")
