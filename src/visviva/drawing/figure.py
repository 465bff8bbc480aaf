"""`Figure`: a plotly figure that needs no network.

Notebooks show plotly figures by their mime type, drawn by the extension that plotly brings along.
Whatever asks for HTML instead gets plotly's script with it, not a link to a server.
"""

from __future__ import annotations

import plotly.graph_objects as graph
from plotly.subplots import make_subplots

from visviva.drawing.look import HEIGHT, template, titled

ABOVE_AND_BELOW, PANEL_GAP = 110, 42  # pixels


class Figure(graph.Figure):  # type: ignore[misc]
    """A figure of plotly, in our look, whose HTML has all that it needs."""

    def _repr_html_(self) -> str:
        html: str = self.to_html(full_html=False, include_plotlyjs=True)
        return html


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
        make_subplots(*panels, figure=fig, **gaps)
    if x:
        fig.update_xaxes(title_text=x)
    if y:
        fig.update_yaxes(title_text=y)
    return fig
