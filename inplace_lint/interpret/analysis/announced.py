"""Writes that a comment beside them calls in place: their author knew that the argument changes."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import takewhile

from inplace_lint.findings.finding import Finding
from inplace_lint.findings.rule import Rule
from inplace_lint.judgement.reason import silent

ANNOUNCED = silent(
    "announced",
    "a comment beside the write of an argument, or where its block begins, says that it is in place",
    """
    import torch


    def described(boxes, scale):
        if scale != 1:  # rescales the boxes in place
            boxes /= scale
        return boxes.mean() * 2


    boxes = torch.rand(3, 4)
    mean = described(boxes, 2.0)
    result = boxes.sum()
    """,
)

ALIAS_TOLD = silent(
    "alias-told",
    "a comment above the write says that another name is an alias, which the write in place is to reach",
    """
    import torch


    def scaled(scales, x):
        flat = scales.view(-1)
        # In place, so that `flat`, an alias of `scales`, has the values too.
        scales.nan_to_num_(nan=1.0)
        return x * flat * scales


    result = scaled(torch.tensor([[float("nan"), 2.0]]), torch.ones(2))
    """,
)

_CHANGED_ARGUMENT = "IPL305"
_OTHER_NAME = "IPL303"
_IN_PLACE = re.compile(r"#(?!.*\b(?:no|not|never|without|avoid\w*)\b).*\bin[- ]?placed?\b", re.IGNORECASE)


_ALIAS = re.compile(r"\balias(es|ed)?\b|\bshar(es?|ed|ing) (the )?(memory|storage)\b", re.IGNORECASE)
# So many lines of a comment are read.
_MOST_LINES = 12


def without_announced(findings: list[tuple[Rule, Finding]], path: str, text: str) -> list[tuple[Rule, Finding]]:
    """Findings but for those on what a comment says is changed: an argument, or also an alias."""
    told: dict[str, Callable[[int, list[str]], bool]] = {}
    if ANNOUNCED.on:
        told[_CHANGED_ARGUMENT] = _is_announced
    if ALIAS_TOLD.on:
        told[_OTHER_NAME] = _tells_of_alias
    if not any(rule.code in told for rule, _ in findings):
        return findings
    lines = text.splitlines()
    return [
        (rule, found)
        for rule, found in findings
        if rule.code not in told or found.site.path != path or not told[rule.code](found.site.span.row, lines)
    ]


def _is_announced(row: int, lines: list[str]) -> bool:
    here, above = lines[row - 1] if row <= len(lines) else "", lines[row - 2] if 2 <= row <= len(lines) else ""
    begins_block = above.partition("#")[0].rstrip().endswith(":")
    return _IN_PLACE.search(here) is not None or (begins_block and _IN_PLACE.search(above) is not None)


def _tells_of_alias(row: int, lines: list[str]) -> bool:
    """Whether the comment above a row says that there is an alias, and that what follows is in place."""
    above = list(takewhile(_is_comment, reversed(lines[max(row - 1 - _MOST_LINES, 0) : row - 1])))
    said = " ".join(line.strip(" #\t") for line in reversed(above))
    sentences = re.split(r"(?<=[.;!?])\s+", said)
    return any(_IN_PLACE.search(f"# {each}") and _ALIAS.search(each) for each in sentences)


def _is_comment(line: str) -> bool:
    return line.lstrip().startswith("#")
