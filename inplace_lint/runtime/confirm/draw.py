"""Draws a traced graph, with the hazards in colour: one op a row, in the order in which they ran."""

from __future__ import annotations

import linecache
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Literal

from torch import fx
from torch.overrides import resolve_name

from inplace_lint.findings.diagnostic import Diagnostic
from inplace_lint.report.escaping import visible
from inplace_lint.runtime.confirm.fork import covers, is_about
from inplace_lint.runtime.confirm.trace import Traced
from inplace_lint.runtime.recorder import Place
from inplace_lint.source.place import Site

Role = Literal["writes", "saved", "reads"]

_COLORS: dict[Role, str] = {"writes": "#d62728", "saved": "#e08a00", "reads": "#1f77b4"}
_FILLS: dict[Role, str] = {"writes": "#fde0e0", "saved": "#fdf0d5", "reads": "#dfecf7"}
_LEGEND: dict[Role, str] = {
    "writes": "modifies in place, confirmed",
    "saved": "saved for backward, or was made, before",
    "reads": "reads it afterwards",
}
_ROW, _TOP, _NAMES, _CHAR = 24, 70, 150, 7
_DEEPEST = 120
_LONGEST_LINE = 70


@dataclass(frozen=True, slots=True)
class _Row:
    number: int
    name: str
    result: str
    where: str
    source: str
    role: Role | None

    @property
    def y(self) -> float:
        return _TOP + _ROW * self.number


def draw(traced: Traced, diagnostics: Sequence[Diagnostic], title: str) -> str:
    """An SVG image of the graph. Curves on the left lead from a result to ops that use it later.

    Args:
        traced: the graph.
        diagnostics: judged findings; the confirmed ones are shown.
        title: stands above it.
    """
    confirmed = [each for each in diagnostics if (each.verdict or "").startswith("confirmed")]
    shown = [node for node in traced.graph.nodes if node.op != "get_attr" and not node.meta.get("part")]
    rows = {node: _row(number, node, confirmed) for number, node in enumerate(shown)}
    widths = [max(len(text) for text in column) * _CHAR + 24 for column in _columns(rows.values())]
    starts = [_NAMES + sum(widths[:i]) for i in range(4)]
    legend, right = _legend()
    # A letter of the title, which is larger, takes a quarter more.
    width = max(starts[3] + widths[3], right, math.ceil(16 + len(title) * _CHAR * 1.3))
    height = _TOP + _ROW * len(rows) + 20
    body = [_text(16, 24, title, "#000", 15), *legend]
    body += [_band(row, width) for row in rows.values() if row.role]
    body += [edge for node in rows for edge in _edges(node, rows)]
    for row in rows.values():
        color = _COLORS[row.role] if row.role else "#222"
        body.append(f'<circle cx="{_NAMES - 12}" cy="{row.y}" r="4" fill="{color}"/>')
        cells = zip(starts, (row.name, row.result, row.where, row.source), (color, "#777", "#777", "#444"), strict=True)
        body += [_text(x, row.y + 4, text, tint) for x, text, tint in cells]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        'font-family="monospace" font-size="12"><rect width="100%" height="100%" fill="white"/>'
        + "".join(body)
        + "</svg>\n"
    )


def _columns(rows: Iterable[_Row]) -> list[list[str]]:
    return [list(column) for column in zip(*((r.name, r.result, r.where, r.source) for r in rows), strict=True)]


def _row(number: int, node: fx.Node, confirmed: Sequence[Diagnostic]) -> _Row:
    place: Place = node.meta.get("place", Place(()))
    site = place.site if node.op != "placeholder" else None
    where = f"{site.path.rpartition('/')[2]}:{site.span.row}" if site else ""
    source = linecache.getline(site.path, site.span.row).strip()[:_LONGEST_LINE] if site else ""
    stack = (site, *reversed(place.stack)) if site else ()
    return _Row(number, _name(node), node.meta.get("result", ""), where, source, _role(stack, confirmed))


def _name(node: fx.Node) -> str:
    if node.op != "call_function":
        return str(node.target)
    return str(resolve_name(node.target) or getattr(node.target, "__name__", node.name)).rpartition(".")[2]


def _role(stack: Sequence[Site], confirmed: Sequence[Diagnostic]) -> Role | None:
    writes = [site for finding in confirmed for site in finding.write_sites]
    if any(is_about(site, write) for write in writes for site in stack):
        return "writes"
    for finding in confirmed:
        for related in finding.related:
            if related.site in finding.write_sites or not stack:
                continue
            later = related in finding.later
            if later and covers(related.site, stack[0]):
                return "reads"
            if not later and is_about(stack[0], related.site):
                return "saved"
    return None


def _edges(node: fx.Node, rows: dict[fx.Node, _Row]) -> list[str]:
    end, found = rows[node], []
    for number, source in enumerate(node.all_input_nodes):
        origin = _shown(source, rows)
        if origin is None:
            continue
        start = rows[origin]
        written = end.role == "writes" and number == 0
        hot = written or (end.role is not None and start.role is not None)
        color = _COLORS[end.role] if hot and end.role else "#bbb"
        found.append(_edge(start, end, color, 2.5 if hot else 1))
    return found


def _shown(node: fx.Node, rows: dict[fx.Node, _Row]) -> fx.Node | None:
    """The node that has a row: of parts of a tuple it is the op that made the tuple; parameters have none."""
    while node not in rows and node.meta.get("part"):
        node = node.all_input_nodes[0]
    return node if node in rows else None


def _edge(start: _Row, end: _Row, color: str, width: float) -> str:
    x, steps = _NAMES - 12, end.number - start.number
    bend = 0 if steps == 1 else min(_DEEPEST, 14 + 7 * steps)
    path = f"M{x} {start.y}C{x - bend} {start.y} {x - bend} {end.y} {x} {end.y}"
    return f'<path d="{path}" fill="none" stroke="{color}" stroke-width="{width}"/>'


def _band(row: _Row, width: float) -> str:
    assert row.role is not None
    return f'<rect x="0" y="{row.y - _ROW / 2}" width="{width}" height="{_ROW}" fill="{_FILLS[row.role]}"/>'


def _legend() -> tuple[list[str], int]:
    """The legend, and where it ends."""
    out, x = [], 16
    for role, text in _LEGEND.items():
        out.append(f'<circle cx="{x + 4}" cy="42" r="4" fill="{_COLORS[role]}"/>{_text(x + 14, 46, text, "#444")}')
        x += 14 + _CHAR * len(text) + 26
    return out, x


def _text(x: float, y: float, text: str, color: str, size: int = 12) -> str:
    shown = escape(visible(text))
    return f'<text x="{x}" y="{y}" fill="{color}" font-size="{size}" xml:space="preserve">{shown}</text>'
