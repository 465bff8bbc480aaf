"""What cards are made of: a frame, matrices, tables, curves over time.

Everything is drawn with the ink of the page that it stands in, light or dark.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.algebra.expr import Expr
from visviva.algebra.expr import text as expression_text
from visviva.drawing.digits import number
from visviva.drawing.look import COLOURS, FONT
from visviva.drawing.svg import line as path_of
from visviva.show.page.escaping import escaped

_DIGITS = 5
_MATHS = "'Latin Modern Math','STIX Two Math','Cambria Math','DejaVu Math TeX Gyre',math"
_MOST_LETTERS = 60  # of a name or an entry
_WIDE, _HIGH, _LEFT, _BELOW = 420, 150, 72, 22  # pixels of a chart, and of its margins
_MOST_POINTS = 240  # of a curve


def boxed(title: str, *parts: str) -> str:
    """A card: its title, and below it parts side by side where there is room."""
    head = f'<div style="font-weight:600;margin-bottom:.4em">{escaped(title)}</div>'
    body = "".join(f"<div>{x}</div>" for x in parts if x)
    return (
        f'<div class="visviva" style="font-family:{FONT};font-size:14px;line-height:1.45;'
        "border:1px solid rgba(128,138,150,.4);border-radius:8px;padding:.7em 1em;"
        f'display:inline-block;max-width:100%;box-sizing:border-box">{head}'
        '<div style="display:flex;'
        f'flex-wrap:wrap;gap:.6em 1.6em;align-items:flex-start">{body}</div></div>'
    )


def short(x: Any) -> str:
    """A number with the digits that one reads, or an expression; escaped."""
    if isinstance(x, Expr):
        said = expression_text(x)
    elif isinstance(x, (int, float, np.number)):
        said = number(x, digits=_DIGITS)
    else:
        said = str(x)
    return escaped(said if len(said) <= _MOST_LETTERS else said[: _MOST_LETTERS - 1] + "…")


def matrix(name: str, A: Any) -> str:
    """name = [A], in MathML; what is below rounding of the largest entry is shown as 0."""
    rows = np.atleast_2d(np.asarray(A))
    if rows.dtype != object:
        rows = np.where(np.abs(rows) < 1e-14 * np.abs(rows).max(initial=0.0), 0.0, rows)
    cells = "".join(
        f"<mtr>{''.join(f'<mtd><mn>{short(x)}</mn></mtd>' for x in row)}</mtr>" for row in rows
    )
    return (
        f'<math display="block" style="font-family:{_MATHS}"><mi>{escaped(name)}</mi><mo>=</mo>'
        f"<mrow>{_fence('[')}<mtable>{cells}</mtable>{_fence(']')}</mrow></math>"
    )


def _fence(sign: str) -> str:
    return f'<mo fence="true" stretchy="true">{sign}</mo>'


def grid(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A small table; texts are escaped."""
    cell = 'style="text-align:left;padding:.1em .8em .1em 0;white-space:nowrap"'
    top = "".join(f"<th {cell}>{escaped(x)}</th>" for x in head)
    lines = ("".join(f"<td {cell}>{short(x)}</td>" for x in row) for row in rows)
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    thead = f"<thead><tr>{top}</tr></thead>" if any(head) else ""
    return f'<table style="border-collapse:collapse;margin:0">{thead}<tbody>{body}</tbody></table>'


def listed(pairs: Mapping[str, Any]) -> str:
    """Names and values in two columns."""
    return grid(("", ""), pairs.items()) if pairs else ""


def line(text: str) -> str:
    """A sentence."""
    return f'<div style="max-width:46em">{escaped(text)}</div>'


def chart(t: Array, curves: Sequence[tuple[str, Array]], unit: str) -> str:
    """Named curves over time as a small drawing, their names below; nan leaves a gap.

    Those of `drawing.chart` are larger, and their ink is not that of the page around them.
    """
    values = np.concatenate([np.ravel(y) for _, y in curves])
    values = values[np.isfinite(values)]
    if len(t) < 2 or not len(values) or not t[-1] > t[0]:
        return ""
    low, high = float(values.min()), float(values.max())
    if high - low < 1e-12 * max(abs(low), abs(high), 1e-300):
        low, high = low - 1.0, high + 1.0
    chosen = np.unique(np.linspace(0, len(t) - 1, _MOST_POINTS).astype(int))
    x = _LEFT + (_WIDE - _LEFT) * (t[chosen] - t[0]) / (t[-1] - t[0])
    drawn, legend = [], []
    for k, (name, y) in enumerate(curves):
        colour = COLOURS[k % len(COLOURS)]
        height = 6 + (_HIGH - _BELOW - 12) * (high - y[chosen]) / (high - low)
        gaps = np.flatnonzero(np.add.reduceat(~np.isfinite(y), chosen))  # also between the chosen
        pieces = np.split(np.stack([x, height], axis=1), gaps + 1)
        pieces = [p[np.isfinite(p).all(axis=1)] for p in pieces]
        path = "".join(path_of(p) for p in pieces if len(p) > 1)
        drawn.append(f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="1.6"/>')
        legend.append(f'<span style="color:{colour};margin-right:.9em">{short(name)}</span>')
    ends = ((6, high), (_HIGH - _BELOW - 6, low))
    ticks = "".join(
        f'<text x="{_LEFT - 6}" y="{y + 4}" text-anchor="end">{short(v)}</text>' for y, v in ends
    )
    times = (
        f'<text x="{_LEFT}" y="{_HIGH - 4}">{short(t[0])}</text>'
        f'<text x="{_WIDE}" y="{_HIGH - 4}" text-anchor="end">{short(t[-1])} s</text>'
    )
    box = (
        f'<rect x="{_LEFT}" y="0" width="{_WIDE - _LEFT}" height="{_HIGH - _BELOW}" fill="none" '
        'stroke="currentColor" stroke-opacity=".3"/>'
    )
    label = ", ".join(name for name, _ in curves) + f" [{unit}] over time"
    return (
        f'<svg width="{_WIDE}" height="{_HIGH}" viewBox="0 0 {_WIDE} {_HIGH}" role="img" '
        f'aria-label="{short(label)}" style="max-width:100%" font-size="11" fill="currentColor">'
        f"{box}{''.join(drawn)}{ticks}{times}</svg>"
        f'<div style="font-size:12px">{"".join(legend)}[{escaped(unit)}]</div>'
    )
