"""Curves of a plotly figure as a small SVG, for pages that have no script to draw them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape, unescape
from typing import Any

import numpy as np

from visviva.drawing.look import COLOURS, FONT, INK

WIDE, HIGH = 480.0, 320.0
LEFT, RIGHT, TOP, BELOW = 56.0, 14.0, 12.0, 44.0  # margins
MOST_POINTS, LETTER, LINE = 100, 6.6, 17.0
FAINT = re.compile(r"0?\.\d+\)$")  # the last number of rgba(…)
DASHES = {"dash": "6 4", "dot": "2 4"}
STYLE = (
    f"text{{font:12px {FONT};fill:{INK}}}path{{fill:none;stroke-width:1.8}}"
    f".a{{stroke:{INK};stroke-width:1;stroke-opacity:.35}}"
    "@media(prefers-color-scheme:dark){text{fill:#aab4c0}.a{stroke:#aab4c0}}"
)


def svg(figure: Any) -> str:
    """Of the lines and points of its first pair of axes."""
    traces = [t for t in figure.data if t.type == "scatter" and t.xaxis in (None, "x")]
    xs, ys = (np.concatenate([np.array(getattr(t, k), float) for t in traces]) for k in "xy")
    span = np.array([[np.nanmin(k), np.nanmax(k)] for k in (xs, ys)])
    span += 0.04 * np.outer(np.maximum(span[:, 1] - span[:, 0], 1e-9), [-1, 1])
    if figure.layout.yaxis.scaleanchor:
        span = _alike(span)

    def at(x: Any, y: Any) -> tuple[Any, Any]:
        a, b = ((np.array(v, float) - s[0]) / np.ptp(s) for v, s in ((x, span[0]), (y, span[1])))
        return LEFT + (WIDE - LEFT - RIGHT) * a, HIGH - BELOW - (HIGH - TOP - BELOW) * b

    parts = [*_axes(span, at, figure.layout)]
    named: dict[str, str] = {}
    for k, t in enumerate(traces):
        colour = _colour(t) or COLOURS[k % len(COLOURS)]
        parts += _drawn(t, *at(t.x, t.y), colour)
        if t.name and t.showlegend is not False:
            named.setdefault(unescape(t.name), colour)
    for note in figure.layout.annotations:
        a, b = at(note.x, note.y)
        words = escape(unescape(note.text))
        parts.append(f'<text x="{a:.1f}" y="{b:.1f}" text-anchor="middle">{words}</text>')
    legend, high = _legend(named)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE:.0f} {high:.0f}" '
        f'width="{WIDE:.0f}" height="{high:.0f}"><style>{STYLE}</style>'
        f"{''.join(parts)}{''.join(legend)}</svg>"
    )


def _colour(t: Any) -> str:
    """Of a line, a filled area or points, if the figure says one."""
    given = t.fillcolor or (t.line.color if "lines" in (t.mode or "lines") else t.marker.color)
    return given if isinstance(given, str) else ""


def _alike(span: Any) -> Any:
    """One scale for both axes."""
    room = np.array([WIDE - LEFT - RIGHT, HIGH - TOP - BELOW])
    scale = ((span[:, 1] - span[:, 0]) / room).max()
    return span.mean(axis=1)[:, None] + np.outer(scale * room / 2, [-1, 1])


def _axes(span: Any, at: Any, layout: Any) -> Iterator[str]:
    (x0, x1), (y0, y1) = span
    low, left = HIGH - BELOW, LEFT
    for x in _ticks(x0, x1):
        a = float(at(x, y0)[0])
        yield f'<line class="a" x1="{a:.1f}" x2="{a:.1f}" y1="{TOP}" y2="{low}"/>'
        yield f'<text x="{a:.1f}" y="{low + 16}" text-anchor="middle">{_short(x)}</text>'
    for y in _ticks(y0, y1):
        b = float(at(x0, y)[1])
        yield f'<line class="a" y1="{b:.1f}" y2="{b:.1f}" x1="{left}" x2="{WIDE - RIGHT}"/>'
        yield f'<text x="{left - 6}" y="{b + 4:.1f}" text-anchor="end">{_short(y)}</text>'
    said = escape(unescape(layout.xaxis.title.text or ""))
    yield f'<text x="{WIDE - RIGHT}" y="{HIGH - 10}" text-anchor="end">{said}</text>'
    said = escape(unescape(layout.yaxis.title.text or ""))
    yield f'<text transform="translate(13,{TOP}) rotate(-90)" text-anchor="end">{said}</text>'


def _ticks(low: float, high: float) -> list[float]:
    """Round numbers, four to eight."""
    power = 10.0 ** np.floor(np.log10((high - low) / 4))
    step = max(k * power for k in (1, 2, 5) if k * power <= (high - low) / 3.5)
    return [float(k * step) for k in range(int(np.ceil(low / step)), int(high // step) + 1)]


def _short(x: float) -> str:
    return f"{x:.4g}".replace("-", "−")


def _drawn(t: Any, x: Any, y: Any, colour: str) -> Iterator[str]:
    mode = t.mode or "lines"
    many = len(x) if t.fill else MOST_POINTS  # corners of an area are kept
    chosen = np.unique(np.linspace(0, len(x) - 1, many).round().astype(int))
    shown = [(x[k], y[k]) for k in chosen if np.isfinite(x[k]) and np.isfinite(y[k])]
    if "lines" in mode:
        way = "L".join(f"{a:.1f} {b:.1f}" for a, b in shown)
        if t.fill:
            yield f'<path d="M{way}Z" style="fill:{colour};stroke:none"/>'
            return
        dash = DASHES.get(t.line.dash or "", "")
        how = f' stroke-dasharray="{dash}"' if dash else ""
        how += f' stroke-opacity="{t.opacity:g}"' if t.opacity else ""
        how += f' style="stroke-width:{t.line.width:g}"' if t.line.width else ""
        yield f'<path d="M{way}" stroke="{colour}"{how}/>'
    if "markers" in mode:
        for a, b in shown:
            yield f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3.2" fill="{colour}"/>'


def _legend(named: dict[str, str]) -> tuple[list[str], float]:
    """Names below, in as many lines as they need; and how high all is."""
    out, x, y = [], LEFT, HIGH + 10
    for name, colour in named.items():
        wide = 26 + LETTER * len(name)
        if x > LEFT and x + wide > WIDE - RIGHT:
            x, y = LEFT, y + LINE
        out.append(
            f'<path d="M{x:.0f} {y - 4:.0f}h14" stroke="{FAINT.sub("1)", colour)}"/>'
            f'<text x="{x + 19:.0f}" y="{y:.0f}">{escape(name)}</text>'
        )
        x += wide + 8
    return out, y + 8 if named else HIGH
