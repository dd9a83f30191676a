"""What the editor shows under the pointer, and between the words of a text."""

from __future__ import annotations

from collections.abc import Sequence

from lsprotocol import types as lsp

from inplace_lint.findings.diagnostic import Diagnostic
from inplace_lint.findings.registry import registry
from inplace_lint.knowledge.facts import Hint, Known
from inplace_lint.knowledge.text import markdown
from inplace_lint.server.places import Places

_LONGEST = 800


def hover_text(
    found: Sequence[tuple[lsp.Range, Diagnostic]], position: lsp.Position, tensor: Known | None, places: Places
) -> str | None:
    """Markdown about a position; None if there is nothing to say.

    Args:
        found: the findings in the document.
        position: where the pointer is.
        tensor: what is known of the tensor there.
        places: translates places.
    """
    told = [_of_finding(diagnostic) for place, diagnostic in found if contains(place, position)]
    if tensor is not None:
        told.append(markdown(tensor, lambda place: places.link(place.path, place.cell, place.span)))
    return "\n\n---\n\n".join(told) or None


def inlay_hint(hint: Hint, places: Places) -> lsp.InlayHint:
    """A hint as the editor shows it."""
    where = places.location(hint.place.path, hint.place.cell, hint.place.span).range
    return lsp.InlayHint(where.end, hint.label, padding_left=True)


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
