"""Draws live memory over a forward and a backward, in place and out of place."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from inplace_lint.report.escaping import visible
from inplace_lint.runtime.memory.units import spelled, ticks
from inplace_lint.runtime.memory.weigh import Run, Weighed

_WIDTH, _HEIGHT = 760, 360
_LEFT, _RIGHT, _TOP, _BOTTOM = 90, 20, 60, 50
_COLORS = {"in place": "#1f77b4", "out of place": "#d62728"}


def plot(weighed: Weighed, title: str) -> str:
    """An SVG image: one step line for each of the two runs, forward and backward each at full width."""
    runs = {"out of place": weighed.out_of_place, "in place": weighed.original}
    lines = ticks(max(run.peak for run in runs.values()))
    top = lines[-1][0] * 1.02
    body = [_text(_LEFT, 24, title, size=15)]
    for value, name in lines:
        y = _y(value, top)
        body.append(f'<path d="M{_LEFT} {y:.1f}H{_WIDTH - _RIGHT}" stroke="#ddd"/>')
        body.append(_text(_LEFT - 8, y + 4, name, anchor="end"))
    middle = _x(0.5)
    body.append(f'<path d="M{middle} {_TOP}V{_HEIGHT - _BOTTOM}" stroke="#999" stroke-dasharray="4 3"/>')
    body.append(_text((_LEFT + middle) / 2, _HEIGHT - 20, "forward", anchor="middle"))
    body.append(_text((middle + _WIDTH - _RIGHT) / 2, _HEIGHT - 20, "backward", anchor="middle"))
    for place, (name, run) in enumerate(runs.items()):
        color = _COLORS[name]
        body.append(f'<path d="{_steps(run, top)}" fill="none" stroke="{color}" stroke-width="2"/>')
        x = _WIDTH - _RIGHT - 220 * (2 - place) + 30
        body.append(f'<path d="M{x} 42h24" stroke="{color}" stroke-width="3"/>')
        body.append(_text(x + 30, 46, f"{name}, peak {spelled(run.peak)}"))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" '
        f'height="{_HEIGHT}" font-family="sans-serif"><rect width="100%" height="100%" fill="white"/>'
        + "".join(body)
        + "</svg>\n"
    )


def _steps(run: Run, top: float) -> str:
    points = [*_spread(run.timeline[: run.forward], 0.0), *_spread(run.timeline[run.forward :], 0.5)]
    first = points[0]
    return f"M{_x(first[0]):.1f} {_y(first[1], top):.1f}" + "".join(
        f"H{_x(at):.1f}V{_y(value, top):.1f}" for at, value in points[1:]
    )


def _spread(values: Sequence[int], start: float) -> list[tuple[float, int]]:
    """The values evenly over half of the width."""
    return [(start + 0.5 * i / len(values), value) for i, value in enumerate(values)]


def _x(share: float) -> float:
    return _LEFT + share * (_WIDTH - _LEFT - _RIGHT)


def _y(value: float, top: float) -> float:
    return _HEIGHT - _BOTTOM - value / top * (_HEIGHT - _TOP - _BOTTOM)


def _text(x: float, y: float, text: str, anchor: str = "start", size: int = 12) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}">{escape(visible(text))}</text>'
