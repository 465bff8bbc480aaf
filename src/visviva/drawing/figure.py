"""`Figure`: a plotly figure that needs no network.

Notebooks show plotly figures by their mime type, drawn by the extension that plotly brings along.
Whatever asks for HTML instead gets plotly's script with it, not a link to a server. Lines over axes
are also drawn as SVG, which needs neither.
"""

from __future__ import annotations

from html import unescape
from typing import TYPE_CHECKING, Any

import numpy as np

from visviva.drawing.chart import Curve, Panel, chart
from visviva.drawing.look import COLOURS, HEIGHT, MOST_LETTERS, template, titled
from visviva.errors import ArgumentError, MissingAttributeError, path_of
from visviva.extras import require

graph, subplots = require("a picture", "plotly.graph_objects", "plotly.subplots")
_Plotly: Any = graph.Figure

ABOVE_AND_BELOW, PANEL_GAP = 110, 42  # pixels


class Figure(_Plotly):  # type: ignore[misc]
    """A figure of plotly, in our look, whose HTML has all that it needs."""

    def _repr_html_(self) -> str:
        html: str = self.to_html(full_html=False, include_plotlyjs=True)
        return html

    if not TYPE_CHECKING:  # type checkers shall see what is not there

        def __getattr__(self, name: str) -> Any:
            if name != "savefig":
                return object.__getattribute__(self, name)  # its own error
            cure = "figure.save('figure.svg')"
            raise MissingAttributeError(f"a figure has no {name!r}", cure=cure)

    @property
    def svg(self) -> str:
        """The picture as text of SVG, where it has lines over axes and nothing else."""
        return lines_svg(self)

    def save(self, path: Any) -> None:
        """Write it to a file: `.html`, which needs no network, or lines as `.svg`."""
        where = path_of("save", path)
        if where.suffix.lower() == ".svg":
            where.write_text(self.svg, encoding="utf-8")
        elif where.suffix.lower() in (".html", ".htm"):
            self.write_html(where, include_plotlyjs=True)
        else:
            raise ArgumentError(f"a figure is saved as .html or .svg, got {str(path)!r}")


def lines_svg(fig: Any) -> str:
    """A figure of plotly that has lines over axes, as text of SVG; others are refused."""
    return chart(unescape(fig.layout.title.text or "").replace("<br>", " "), _panels(fig))


def _panels(fig: Any) -> list[Panel]:
    """Its traces by their axes, from the top."""
    panels: dict[tuple[str, str], list[Curve]] = {}
    for k, trace in enumerate(fig.data):
        if trace.type not in ("scatter", "scattergl"):
            raise ArgumentError(
                f"only lines over axes are written as .svg, and this figure has a {trace.type}: "
                "save it as .html; a mechanism as .svg is m.picture(q)"
            )
        if "text" in (trace.mode or ""):
            raise ArgumentError(
                "words at points are not written as .svg: save the figure as .html; a mechanism as "
                ".svg is m.picture(q)"
            )
        axes = (trace.xaxis or "x", trace.yaxis or "y")
        panels.setdefault(axes, []).append(_curve(trace, COLOURS[k % len(COLOURS)]))
    kinds = {k: fig.layout[f"{k[0]}axis{k[1:]}"] for axes in panels for k in axes}
    if any(x.type not in (None, "-", "linear") for x in kinds.values()):
        raise ArgumentError(
            "only lines over even axes are written as .svg: save it as .html; a mechanism as .svg "
            "is m.picture(q)"
        )
    said = {k: unescape(x.title.text or "") for k, x in kinds.items()}
    ordered = sorted(panels, key=lambda axes: -(kinds[axes[1]].domain or (0, 1))[1])
    below = said[ordered[-1][0]] if ordered else ""  # shared axes are titled at the last panel
    return [
        Panel(
            panels[x, y],
            said[x] or below,
            said[y],
            bool(kinds[x].scaleanchor or kinds[y].scaleanchor),
        )
        for x, y in ordered
    ]


def _name(trace: Any) -> str:
    name = unescape(trace.name or "")
    return name if len(name) <= MOST_LETTERS else name[: MOST_LETTERS - 1] + "…"


def _curve(trace: Any, colour: str) -> Curve:
    mode, line = trace.mode or "lines", trace.line
    has_line, dots = "lines" in mode, trace.marker.size if "markers" in mode else 0
    return Curve(
        np.asarray(trace.x, dtype=float),
        np.asarray(trace.y, dtype=float),
        _name(trace) if trace.showlegend is not False else "",
        (line.color if has_line else trace.marker.color) or colour,
        (2.0 if line.width is None else line.width) if has_line else 0.0,
        1.0 if trace.opacity is None else trace.opacity,
        line.dash or "solid",
        (trace.fillcolor or "") if trace.fill else "",
        float(dots or 0.0),
        trace.marker.line.color or "" if dots and trace.marker.line.width else "",
    )


def with_room_for_legend(fig: Figure) -> Figure:
    """Higher by the lines of its legend beyond the first, at a width of 700 pixels."""
    width, rows = 0.0, 1
    for trace in fig.data:
        if trace.name and trace.showlegend is not False:
            step = 45 + 6.6 * len(trace.name)
            rows, width = (rows, width + step) if width + step < 590 else (rows + 1, step)
    fig.update_layout(height=fig.layout.height + 19 * (rows - 1))
    return fig


def new_figure(
    title: str,
    x: str = "",
    y: str = "",
    height: int = HEIGHT,
    panels: tuple[int, int] | None = None,
) -> Figure:
    """An empty one with titles of its axes; `panels` in rows and columns."""
    # all at once: an update is compared with what there is, and takes forty times as long
    fig = Figure(layout={"template": template(), "height": height, **titled(title)})
    if panels is not None:
        inside = max(height - ABOVE_AND_BELOW, 1)
        gaps = {"vertical_spacing": min(PANEL_GAP / inside, 0.2), "horizontal_spacing": 0.13}
        subplots.make_subplots(*panels, figure=fig, **gaps)
    if x:
        fig.update_xaxes(title_text=x)
    if y:
        fig.update_yaxes(title_text=y)
    return fig
