"""What is wrong with the comments of a file that suppress findings, or were meant to."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from inplace_lint.findings.diagnostic import Diagnostic
from inplace_lint.findings.malformed import IPL904, malformed
from inplace_lint.findings.registry import registry
from inplace_lint.findings.suppress import Use, covering, skips_file, suppressions
from inplace_lint.findings.unused import IPL901, Judged, unused
from inplace_lint.project.config import Config, enabled_in, fixable
from inplace_lint.project.reading import Load


def unused_comments(path: str, text: str | Load, config: Config, used: Collection[Use]) -> list[Diagnostic]:
    """The comments in a file that suppress nothing, if the user wants to know."""
    enabled = enabled_in(config, path)
    if IPL901 not in enabled or config.ignore_noqa:
        return []
    content = text if isinstance(text, str) else text(path)
    if content is None or skips_file(content):
        return []
    usual = [code for code, entry in registry().items() if entry.rule.default]
    found = list(unused(path, content, used, Judged(_names(), usual, enabled)))
    return _with_wanted_fixes(_unless_suppressed(content, found), config)


def mistyped_comments(path: str, text: str, config: Config) -> list[Diagnostic]:
    """The comments in a file that are mistyped, if the user wants to know."""
    if IPL904 not in enabled_in(config, path) or config.ignore_noqa:
        return []
    return _with_wanted_fixes(_unless_suppressed(text, list(malformed(path, text, _names()))), config)


def _with_wanted_fixes(found: Sequence[Diagnostic], config: Config) -> list[Diagnostic]:
    return [each if each.code in fixable(config) else replace(each, fix=None) for each in found]


def _unless_suppressed(text: str, found: Sequence[Diagnostic]) -> list[Diagnostic]:
    """What no comment that names rules suppresses: one that names none would hide that it does nothing."""
    if not found:
        return []
    comments = [each for each in suppressions(text) if each.pragma.words]
    return [each for each, by in zip(found, covering(comments, found), strict=True) if not by]


def _names() -> dict[str, str]:
    return {code: entry.rule.name for code, entry in registry().items()}
