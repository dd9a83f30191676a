"""What the editor shows under the pointer."""

from __future__ import annotations

from collections.abc import Sequence

from lsprotocol import types as lsp

from inplace_lint.findings.diagnostic import Diagnostic
from inplace_lint.findings.registry import registry

_LONGEST = 800


def hover_text(found: Sequence[tuple[lsp.Range, Diagnostic]], position: lsp.Position) -> str | None:
    """Markdown about a position; None if there is nothing to say.

    Args:
        found: the findings in the document.
        position: where the pointer is.
    """
    here = [diagnostic for place, diagnostic in found if contains(place, position)]
    return "\n\n---\n\n".join(map(_of_finding, here)) or None


def contains(place: lsp.Range, position: lsp.Position) -> bool:
    """Whether a position is in a range, or at its end."""
    start, at, end = ((each.line, each.character) for each in (place.start, position, place.end))
    return start <= at <= end


def _of_finding(found: Diagnostic) -> str:
    entry = registry().get(found.code)
    parts = [f"**{found.code} {found.name}**", found.help or ""]
    if entry is not None:
        parts.append(_beginning(entry.documentation))
    return "\n\n".join(filter(None, parts))


def _beginning(documentation: str) -> str:
    """The paragraphs before the first heading, as far as they are short."""
    told = ""
    for paragraph in documentation.split("\n\n"):
        if paragraph.startswith("#") or (told and len(told) + len(paragraph) > _LONGEST):
            break
        told += f"{paragraph}\n\n"
    return told.rstrip()
