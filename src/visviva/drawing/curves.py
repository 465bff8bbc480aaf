"""Laws as curves, and their energies as areas.

Under the curve y(x) from 0 to x lies ∫ y dx, beside it, towards the axis of y, ∫ x dy: together
they are the rectangle x y. Of a particle, h(v), they are co-energy and energy, of a spring, f(e),
energy and co-energy (Bona, *Rigid Body Dynamics*, figures 8 and 14).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from visviva.drawing.look import COLOURS, INK, words

if TYPE_CHECKING:
    from visviva.drawing.figure import Figure

FILLS = ("rgba(40,120,200,0.25)", "rgba(217,84,30,0.22)")


def curve_chart(
    title: str, lines: Iterable[tuple[Any, Any, str]], x: str, y: str, height: int = 420
) -> Figure:
    """Lines (x, y, name) over one axis."""
    from visviva.drawing.figure import new_figure

    fig = new_figure(title, x, y, height)
    for k, (a, b, name) in enumerate(lines):
        line = {"color": COLOURS[k % len(COLOURS)], "width": 2, "simplify": False}
        fig.add_scatter(x=a, y=b, mode="lines", line=line, name=words(name), showlegend=bool(name))
    return fig


def area_chart(
    title: str,
    x: Any,
    y: Any,
    until: int,
    axes: tuple[str, str],
    names: tuple[str, str],
    values: tuple[float, float],
) -> Figure:
    """A law with the areas under and beside it from 0 to the sample `until`, in joules."""
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    fig = curve_chart(title, [(x, y, "")], *axes)
    start = int(np.abs(x).argmin())
    step = 1 if until >= start else -1
    part = np.arange(start, until + step, step)
    a, b = x[part], y[part]
    under = (np.append(a, [a[-1], a[0]]), np.append(b, [0.0, 0.0]))
    beside = (np.append(a, [0.0, 0.0]), np.append(b, [b[-1], b[0]]))
    for (u, w), fill, name, value in zip((under, beside), FILLS, names, values, strict=True):
        look = {"fill": "toself", "fillcolor": fill, "mode": "lines", "line": {"width": 0}}
        said = f"{name} = {value:.4g} J"
        fig.add_scatter(x=u, y=w, name=words(said), hoverinfo="name", **look)
    _named(fig, a, b, names)
    edge = {"mode": "lines", "line": {"color": INK, "width": 1, "dash": "dot"}}
    corner = {"x": [a[-1], a[-1], 0.0], "y": [0.0, b[-1], b[-1]]}
    fig.add_scatter(**corner, **edge, showlegend=False, hoverinfo="skip")
    dot = {"size": 8, "color": COLOURS[0]}
    fig.add_scatter(x=[a[-1]], y=[b[-1]], mode="markers", marker=dot, showlegend=False)
    return fig


def _named(fig: Any, a: Any, b: Any, names: tuple[str, str]) -> None:
    """What the areas are, in the middle of each."""
    rise, run = np.diff(b), np.diff(a)
    x, y = (a[1:] + a[:-1]) / 2, (b[1:] + b[:-1]) / 2
    under, beside = (y * run).sum() or 1.0, (x * rise).sum() or 1.0
    places = (
        ((x * y * run).sum() / under, (y * y / 2 * run).sum() / under),
        ((x * x / 2 * rise).sum() / beside, (y * x * rise).sum() / beside),
    )
    for (u, w), name in zip(places, names, strict=True):
        fig.add_annotation(x=u, y=w, text=words(name), showarrow=False, font={"size": 15})
