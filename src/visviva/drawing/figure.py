"""`Figure`: a plotly figure that needs no network.

Notebooks show plotly figures by their mime type, drawn by the extension that plotly brings along.
Whatever asks for HTML instead gets plotly's script with it, not a link to a server.
"""

from __future__ import annotations

import plotly.graph_objects as graph
from plotly.subplots import make_subplots

from visviva.drawing.look import HEIGHT, template, titled

MIME = "application/vnd.plotly.v1+json"


class Figure(graph.Figure):  # type: ignore[misc]
    """A figure of plotly, in our look, whose HTML has all that it needs."""

    def _repr_html_(self) -> str:
        shown: str = self._repr_mimebundle_().get("text/html", "")
        linked = not shown or "src=" in shown
        return self.to_html(full_html=False, include_plotlyjs=True) if linked else shown


def new_figure(
    title: str, x: str = "", y: str = "", height: int = HEIGHT, panels: tuple[int, int] = (1, 1)
) -> Figure:
    """An empty one with titles of its axes; `panels` in rows and columns."""
    fig = Figure()
    if panels != (1, 1):
        make_subplots(*panels, figure=fig)
    fig.update_layout(template=template(), height=height, **titled(title))
    if x:
        fig.update_xaxes(title_text=x)
    if y:
        fig.update_yaxes(title_text=y)
    return fig
