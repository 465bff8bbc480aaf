"""A self-motion as a picture: its joints over the length of the curve."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

import numpy as np

from visviva.errors import BackendError

if TYPE_CHECKING:
    import plotly.graph_objects

    from visviva.solve.rates.self_motion import SelfMotion

POINTS = 300


def self_motion_figure(motion: SelfMotion) -> plotly.graph_objects.Figure:
    """A plotly figure; parts on which a joint is beyond its limits are grey."""
    try:
        graph = import_module("plotly.graph_objects")
    except ImportError as problem:
        raise BackendError(
            f'plot needs plotly, which cannot be imported ({problem}): pip install "visviva[plot]"'
        ) from None
    low, _ = motion.span
    inside = motion.within_limits()
    start = min(low, inside[0][0]) if inside else low
    s = np.linspace(start, start + motion.length, POINTS)
    q = motion.q(s)
    reach = motion.newton.reach
    fig: plotly.graph_objects.Figure = graph.Figure()
    for k in reach.coordinates:
        name = reach.model.coordinate_names[k]
        fig.add_scatter(x=s, y=q[:, k], name=name, mode="lines", line_simplify=False)
    ends = [start, *(x for part in inside for x in part), start + motion.length]
    for a, b in zip(ends[::2], ends[1::2], strict=True):
        if b > a:
            fig.add_vrect(x0=a, x1=b, fillcolor="grey", opacity=0.2, line_width=0)
    shape = "closed" if motion.is_closed else "open"
    fig.update_layout(
        title=f"Self-motion of {reach.model.name}: {reach.frame} stays, {shape} curve",
        xaxis_title="s [rad]",
        yaxis_title="joints [rad, m]",
        template="plotly_white",
        height=420,
    )
    return fig
