"""Names for findings that stay the same when lines move."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator

from inplace_lint.findings.diagnostic import Diagnostic
from inplace_lint.report.places import portable


def fingerprints(diagnostics: Iterable[Diagnostic]) -> Iterator[str]:
    """One for each: of its file, code and message, numbered where these are equal."""
    seen: Counter[str] = Counter()
    for diagnostic in diagnostics:
        parts = (portable(diagnostic.site.path), diagnostic.code, diagnostic.message)
        key = "\0".join(parts)
        seen[key] += 1
        yield hashlib.sha256(f"{key}\0{seen[key]}".encode("utf-8", "surrogatepass")).hexdigest()
