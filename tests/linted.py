"""Findings of a text, looked for once: many tests begin with the findings of the same programs."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

from inplace_lint.findings.diagnostic import Diagnostic
from inplace_lint.pipeline.lint_file import lint_bytes
from inplace_lint.project.config import Config

DEFAULT = Config()

SHARED = "TESTS_SHARE_FINDINGS"
"""The environment variable with a folder of the session, where its processes leave findings for each other."""

_LONG = 1000  # bytes; less is looked for faster than read


T = TypeVar("T")


@lru_cache(512)
def linted(data: bytes, path: str, config: Config = DEFAULT) -> tuple[Diagnostic, ...]:
    """What `lint_bytes` finds, but remembered: not for a test that changes how the linter works."""
    if len(data) < _LONG:
        return tuple(lint_bytes(data, path, config))
    return shared((data, path, config), lambda: tuple(lint_bytes(data, path, config)))


def shared(what: object, find: Callable[[], T]) -> T:
    """What is found, by whichever process of a session comes first."""
    folder = os.environ.get(SHARED)
    if folder is None:
        return find()
    name = sha256(pickle.dumps((what, os.getcwd()))).hexdigest()
    file = Path(folder, name)
    if file.exists():
        known: T = pickle.loads(file.read_bytes())
        return known
    found = find()
    draft = file.with_suffix(f".{os.getpid()}")
    draft.write_bytes(pickle.dumps(found))
    draft.replace(file)  # at once, for whoever looks
    return found
