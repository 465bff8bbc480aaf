"""Lines over axes as SVG: what a figure of plotly shows in its panels, without a browser."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import quoteattr

import numpy as np

from visviva.drawing.digits import MINUS, SUPERSCRIPTS
from visviva.drawing.look import COLOURS, Array
from visviva.drawing.svg import line, pixels, svg, text

WIDTH, PANEL = 700.0, 180.0  # pixels, of a picture and of a panel
TALLEST = 560.0  # of a panel whose axes have one scale
LEFT, RIGHT, HEAD, FOOT, GAP = 74.0, 22.0, 36.0, 46.0, 26.0
ROW, KEY, LETTER = 18.0, 20.0, 6.6  # of a legend: height, length of a stroke, of a letter
AIR = 0.06  # of a panel's height, above and below its lines
APART = 0.4  # pixels: points that are closer are one
DASHES = {"dot": "1.5 3.5", "dash": "6 4", "dashdot": "6 3 1.5 3"}

Span = tuple[float, float]


@dataclass(frozen=True, eq=False)
class Curve:
    """A line (k,) over (k,), with gaps where a number is none; no name, no entry in a legend."""

    x: Array
    y: Array
    name: str = ""
    colour: str = COLOURS[0]
    width: float = 1.7
    opacity: float = 1.0
    dash: str = "solid"
    fill: str = ""  # of the area inside
    dots: float = 0.0  # the diameter of points
    edge: str = ""  # the colour of the line around them


@dataclass(frozen=True, eq=False)
class Panel:
    """Curves over one pair of axes, with words at them."""

    curves: Sequence[Curve]
    x: str = ""
    y: str = ""
    is_equal: bool = False  # one scale for both axes


def chart(title: str, panels: Sequence[Panel]) -> str:
    """Panels under each other, as SVG; equal words below are written once."""
    top, body = HEAD, [text(14, 21, title)]
    for k, panel in enumerate(panels):
        is_last = k + 1 == len(panels) or panels[k + 1].x != panel.x
        legend, rows = _legend(panel.curves, top)
        top += ROW * rows
        room = _room(panel)
        body += [*legend, *_panel(panel, top, is_last, *room)]
        top += room[2] + (FOOT if is_last else GAP)
    return svg(title, WIDTH, top, body)


def _room(panel: Panel) -> tuple[Span, Span, float]:
    """The ranges of both axes, and the height of the panel in pixels."""
    across, up = [c.x for c in panel.curves], [c.y for c in panel.curves]
    if not panel.is_equal:
        return _range(across, 0.0), _range(up, AIR), PANEL
    xs, ys, wide = _range(across, AIR), _range(up, AIR), WIDTH - RIGHT - LEFT
    unit = min(wide / (xs[1] - xs[0]), TALLEST / (ys[1] - ys[0]))  # pixels
    high = max(PANEL, unit * (ys[1] - ys[0]))
    return _widened(xs, wide / unit), _widened(ys, high / unit), high


def _widened(span: Span, size: float) -> Span:
    middle = (span[0] + span[1]) / 2
    return middle - size / 2, middle + size / 2


def _panel(panel: Panel, top: float, is_last: bool, xs: Span, ys: Span, high: float) -> list[str]:
    right, bottom = WIDTH - RIGHT, top + high

    def at(x: Array, y: Array) -> Array:
        across = LEFT + (x - xs[0]) / (xs[1] - xs[0]) * (right - LEFT)
        return np.stack([across, bottom - (y - ys[0]) / (ys[1] - ys[0]) * high], axis=-1)

    box = f'x="{LEFT:g}" y="{pixels(top)}" width="{right - LEFT:g}" height="{pixels(high)}"'
    clip = f"c{round(10 * top)}"  # pages with several charts: where names are the same, boxes are
    made = [f'<clipPath id="{clip}"><rect {box}/></clipPath>']
    (marks, numbers, power), (rows, values, factor) = ticks(*xs, 8), ticks(*ys, 6)
    for x, number in zip(at(marks, np.full(len(marks), ys[0])), numbers, strict=True):
        made.append(f'<path class="m" opacity=".22" d="M{pixels(x[0])} {pixels(top)}V{x[1]:g}"/>')
        made += [text(x[0], bottom + 16, number, "middle", "t")] * is_last
    for y, number in zip(at(np.full(len(rows), xs[0]), rows)[:, 1], values, strict=True):
        made.append(f'<path class="m" opacity=".22" d="M{LEFT:g} {pixels(y)}H{right:g}"/>')
        made.append(text(LEFT - 7, y + 4, number, "end", "t"))
    made.append(f'<path class="m" opacity=".6" d="M{LEFT:g} {pixels(top)}V{bottom:g}H{right:g}"/>')
    made.append(text(LEFT - 7, top - 3, factor, "end", "t") if factor else "")
    middle, side = (LEFT + right) / 2, pixels((top + bottom) / 2)
    if is_last:
        made.append(text(middle, bottom + 34, " ".join([panel.x, power]).strip(), "middle"))
    turned = text(0, 0, panel.y, "middle")
    made.append(f'<g transform="translate(20 {side}) rotate(-90)">{turned}</g>')
    drawn = [_curve(c, at) for c in panel.curves]
    return [x for x in (*made, f'<g clip-path="url(#{clip})">', *drawn, "</g>") if x]


def _curve(c: Curve, at: Callable[[Array, Array], Array]) -> str:
    """The line, its area and its points."""
    x, y = np.asarray(c.x, dtype=float), np.asarray(c.y, dtype=float)
    pieces = [line(thinned(p)) for p in _pieces(at(x, y)) if len(p) > 1]
    look = f' opacity="{c.opacity:g}"' if c.opacity < 1 else ""
    dash = f' stroke-dasharray="{DASHES[c.dash]}"' if c.dash in DASHES else ""
    made = ""
    if c.fill and pieces:
        made += f'<path d="{"".join(pieces)}Z" fill={quoteattr(c.fill)}{look}/>'
    if c.width and pieces:
        stroke = f'stroke={quoteattr(c.colour)} stroke-width="{c.width:g}"'
        made += f'<path class="n" d="{"".join(pieces)}" {stroke}{dash}{look}/>'
    for p in _finite(at(x, y)) if c.dots else ():
        made += _dot(c, p[0], p[1], look)
    return made


def _dot(c: Curve, x: float, y: float, look: str = "") -> str:
    edge = f' stroke={quoteattr(c.edge)} stroke-width="2"' if c.edge else ""
    where = f'cx="{pixels(x)}" cy="{pixels(y)}" r="{c.dots / 2:g}"'
    return f"<circle {where} fill={quoteattr(c.colour)}{edge}{look}/>"


def _legend(curves: Sequence[Curve], top: float) -> tuple[list[str], int]:
    """Strokes and names above a panel, in as many rows as they need."""
    made, x, row = [], LEFT, 0
    for c in curves:
        if not c.name:
            continue
        size = KEY + 6 + LETTER * len(c.name) + 16
        if x > LEFT and x + size > WIDTH - RIGHT + 16:
            x, row = LEFT, row + 1
        y = top + ROW * row + 4
        colour = c.fill if c.fill and not c.width else c.colour
        dash = f' stroke-dasharray="{DASHES[c.dash]}"' if c.dash in DASHES else ""
        look = f'stroke={quoteattr(colour)} stroke-width="{max(2.0, c.width) if not c.fill else 9}"'
        stroke = f'<path d="M{pixels(x)} {pixels(y)}h{KEY:g}" {look}{dash}/>'
        is_dot = c.dots and not c.width
        made.append(_dot(c, x + KEY / 2, y) if is_dot else stroke)
        made.append(text(x + KEY + 6, y + 4, c.name))
        x += size
    return made, row + 1 if made else 0


def ticks(low: float, high: float, some: int) -> tuple[Array, list[str], str]:
    """About `some` round numbers in a range, how they are written, and of which power of ten."""
    least = 0.7 * (high - low) / some
    power = 10.0 ** np.floor(np.log10(least))
    step = next(k * power for k in (1.0, 2.0, 5.0, 10.0) if k * power >= least * (1 - 1e-9))
    first, last = np.ceil(low / step - 1e-9), np.floor(high / step + 1e-9)
    marks = np.arange(first, last + 1) * step
    largest = float(np.abs(marks).max(initial=step))
    e = int(3 * np.floor(np.log10(largest) / 3)) if not 1e-2 <= largest < 1e5 else 0
    digits = max(0, e - int(np.floor(np.log10(step) + 1e-9)))
    said = [f"{x / 10.0**e + 0.0:.{digits}f}".translate(MINUS) for x in marks]
    return marks, said, f"×10{str(e).translate(SUPERSCRIPTS)}" if e else ""


def thinned(points: Array) -> list[Array]:
    """Without points that are as good as the one before; the last one stays."""
    kept = [points[0]]
    for p in points[1:-1]:
        if np.abs(p - kept[-1]).max() > APART:
            kept.append(p)
    return [*kept, points[-1]]


def _range(values: Iterable[Array], air: float) -> tuple[float, float]:
    """Of all finite numbers; of one number alone around it."""
    every = np.concatenate([np.zeros(0), *(np.ravel(np.asarray(x, dtype=float)) for x in values)])
    every = every[np.isfinite(every)]
    low, high = (float(every.min()), float(every.max())) if len(every) else (0.0, 1.0)
    if high - low <= 1e-12 * max(abs(low), abs(high)):
        middle, half = (low + high) / 2, max(abs(low), abs(high)) / 2 or 0.5
        return middle - half, middle + half
    return low - air * (high - low), high + air * (high - low)


def _finite(points: Array) -> Array:
    return np.asarray(points[np.isfinite(points).all(axis=1)])


def _pieces(points: Array) -> list[Array]:
    """Between the gaps."""
    gaps = np.flatnonzero(~np.isfinite(points).all(axis=1))
    return [_finite(x) for x in np.split(points, gaps)]
