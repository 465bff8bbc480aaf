"""A self-motion as a picture: its joints over the length of the curve."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from visviva.drawing.curves import curve_chart

if TYPE_CHECKING:
    from visviva.drawing.figure import Figure
    from visviva.solve.rates.self_motion import SelfMotion

POINTS = 300


def self_motion_figure(motion: SelfMotion) -> Figure:
    """A plotly figure; parts on which a joint is beyond its limits are grey."""
    low, _ = motion.span
    inside = motion.within_limits()
    start = min(low, inside[0][0]) if inside else low
    s = np.linspace(start, start + motion.length, POINTS)
    q = motion.q(s)
    reach = motion.newton.reach
    shape = "closed" if motion.is_closed else "open"
    title = f"Self-motion of {reach.model.name}: {reach.frame} stays, {shape} curve"
    lines = [(s, q[:, k], reach.model.coordinate_names[k]) for k in reach.coordinates]
    fig = curve_chart(title, lines, "s [rad]", "joints [rad, m]")
    ends = [start, *(x for part in inside for x in part), start + motion.length]
    for a, b in zip(ends[::2], ends[1::2], strict=True):
        if b > a:
            fig.add_vrect(x0=a, x1=b, fillcolor="grey", opacity=0.2, line_width=0)
    return fig
