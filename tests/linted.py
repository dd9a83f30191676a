"""Findings of a text, looked for once: many tests begin with the findings of the same programs."""

from __future__ import annotations

from functools import lru_cache

from inplace_lint.findings.diagnostic import Diagnostic
from inplace_lint.pipeline.lint_file import lint_bytes
from inplace_lint.project.config import Config

DEFAULT = Config()


@lru_cache(512)
def linted(data: bytes, path: str, config: Config = DEFAULT) -> tuple[Diagnostic, ...]:
    """What `lint_bytes` finds, but remembered: not for a test that changes how the linter works."""
    return tuple(lint_bytes(data, path, config))
