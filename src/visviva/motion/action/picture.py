"""A path of least action beside others, as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from visviva.motion.tables import wanted

if TYPE_CHECKING:
    import plotly.graph_objects

PATHS = 7  # that are drawn beside the true one
SHARES = 41  # of the curve of the action
WHOLE = {"simplify": False}  # curves are drawn through all of their points


def action_figure(path: Any, size: float | None = None) -> plotly.graph_objects.Figure:
    """On the left paths with the same ends, on the right the action over how far they are away."""
    (graph, subplots) = wanted("plot", "plot", "plotly.graph_objects", "plotly.subplots")
    colours = wanted("plot", "plot", "plotly.colors")[0].qualitative.D3
    far = float(np.ptp(path.q, axis=0).max()) * 0.3 or 0.3 if size is None else float(size)
    s = path.system
    fig = subplots.make_subplots(rows=1, cols=2, subplot_titles=("paths", "action"))
    for k in range(s.nq):
        for x in np.linspace(-far, far, PATHS):
            q, _ = path.beside(x, 1, k)
            line = {"color": colours[k % len(colours)], "width": 0.7, **WHOLE}
            fig.add_trace(
                graph.Scatter(x=path.t, y=q[:, k], line=line, opacity=0.5, showlegend=False),
                row=1,
                col=1,
            )
        name = s.coordinate_names[k]
        bold = {"color": colours[k % len(colours)], "width": 3, **WHOLE}
        true = graph.Scatter(x=path.t, y=path.q[:, k], line=bold, name=name)
        fig.add_trace(true, row=1, col=1)
        away = np.linspace(-far, far, SHARES)
        for wave, dash in ((1, "solid"), (2, "dot")):
            S = [path.beside(x, wave, k)[1] for x in away]
            thin = {"color": colours[k % len(colours)], "dash": dash, "width": 1.5, **WHOLE}
            label = f"{name} + ε sin({wave if wave > 1 else ''}πs)"
            fig.add_trace(graph.Scatter(x=away, y=S, line=thin, name=label), row=1, col=2)
    fig.update_xaxes(title_text="t [s]", row=1, col=1)
    fig.update_xaxes(title_text="ε, with s from 0 at the start to 1 at the end", row=1, col=2)
    fig.update_yaxes(title_text=", ".join(s.coordinate_names), row=1, col=1)
    fig.update_yaxes(title_text="S [J s]", row=1, col=2)
    fig.update_layout(title=repr(path), height=420, template="plotly_white")
    return fig
