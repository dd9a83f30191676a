"""Writes that a comment beside them calls in place: their author knew that the argument changes."""

from __future__ import annotations

import re

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

_CHANGED_ARGUMENT = "IPL305"
_IN_PLACE = re.compile(r"#(?!.*\b(?:no|not|never|without|avoid\w*)\b).*\bin[- ]?placed?\b", re.IGNORECASE)


def without_announced(findings: list[tuple[Rule, Finding]], path: str, text: str) -> list[tuple[Rule, Finding]]:
    """Findings but for those on arguments of which a comment says that they are changed."""
    if not ANNOUNCED.on or not any(rule.code == _CHANGED_ARGUMENT for rule, _ in findings):
        return findings
    lines = text.splitlines()
    return [
        (rule, found)
        for rule, found in findings
        if rule.code != _CHANGED_ARGUMENT or found.site.path != path or not _is_announced(found.site.span.row, lines)
    ]


def _is_announced(row: int, lines: list[str]) -> bool:
    here, above = lines[row - 1] if row <= len(lines) else "", lines[row - 2] if 2 <= row <= len(lines) else ""
    begins_block = above.partition("#")[0].rstrip().endswith(":")
    return _IN_PLACE.search(here) is not None or (begins_block and _IN_PLACE.search(above) is not None)
