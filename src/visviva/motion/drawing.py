"""A trajectory as a picture: one panel for each unit of positions, velocities and forces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from visviva.errors import UnknownNameError
from visviva.motion.tables import wanted

if TYPE_CHECKING:
    import plotly.graph_objects

    from visviva.motion.trajectory import Trajectory

HEIGHT = 220  # pixels of a panel
MOST_LINES = 50  # trajectories of a batch that are drawn
MOST_POINTS = 4000  # on a line
PANELS = ("positions", "velocities", "forces")


def figure(run: Trajectory, names: tuple[str, ...] = ()) -> plotly.graph_objects.Figure:
    """A plotly figure of some names, or of all; of a batch its first trajectories, in pale lines.

    Lines that go on for long are drawn at some of their samples.
    """
    (graph, subplots) = wanted("plot", "plot", "plotly.graph_objects", "plotly.subplots")
    panels = _panels(run, names)
    fig = subplots.make_subplots(
        rows=len(panels), cols=1, shared_xaxes=True, vertical_spacing=0.12 / max(1, len(panels))
    )
    colours = wanted("plot", "plot", "plotly.colors")[0].qualitative.D3
    lanes = range(min(len(run.q), MOST_LINES)) if run.is_batch else [None]
    some = slice(None, None, max(1, -(-len(run.t) // MOST_POINTS)))
    for row, (title, entries) in enumerate(panels.items(), 1):
        for k, (label, values) in enumerate(entries):
            for lane in lanes:
                line = graph.Scattergl if run.is_batch else graph.Scatter
                whole = {} if run.is_batch else {"simplify": False}  # or curves become polygons
                fig.add_trace(
                    line(
                        x=run.t[some],
                        y=(values if lane is None else values[lane])[some],
                        name=label,
                        legendgroup=label,
                        legend="legend" if row == 1 else f"legend{row}",
                        showlegend=lane in (None, 0),
                        line={"color": colours[k % len(colours)], "width": 1.5, **whole},
                        opacity=1.0 if lane is None else 0.35,
                    ),
                    row=row,
                    col=1,
                )
        axis = fig.get_subplot(row, 1).yaxis
        axis.title.text = title
        where = {"y": axis.domain[1], "yanchor": "top", "x": 1.01, "font": {"size": 11}}
        fig.update_layout({"legend" if row == 1 else f"legend{row}": where})
    fig.update_xaxes(title_text="t [s]", row=len(panels), col=1)
    fig.update_layout(
        title=_title(run),
        height=90 + HEIGHT * len(panels),
        template="plotly_white",
        margin={"l": 70, "r": 20, "t": 50, "b": 40},
    )
    made: plotly.graph_objects.Figure = fig
    return made


def _panels(run: Trajectory, names: tuple[str, ...]) -> dict[str, list[tuple[str, Any]]]:
    """Lines by panel: what is of one kind and one unit shares axes."""
    places, units = run._places, run.units
    starts = {"q": 0, "v": run.system.nq, "tau": run.system.nq + run.system.nv}
    panels: dict[str, list[tuple[str, Any]]] = {}
    for name in names or run.names:
        if name not in places:
            raise UnknownNameError(f"name of {run.system.name!r}", name, run.names)
        where, at = places[name]
        size = run.system.nq if where == "q" else run.system.nv
        values = run[name]
        single = values.ndim == run.q.ndim - 1
        for k, column in enumerate(np.arange(size)[at if not single else slice(at, at + 1)]):  # type: ignore[operator]
            label = run.names[starts[where] + column]
            title = PANELS[list(starts).index(where)]
            unit = units[label]
            title += f" [{unit}]" if unit else ""
            panels.setdefault(title, []).append((label, values if single else values[..., k]))
    return panels


def _title(run: Trajectory) -> str:
    drawn = min(len(run.q), MOST_LINES) if run.is_batch else 1
    more = f", {drawn} of {len(run.q)} trajectories" if run.is_batch else ""
    return f"{run.system.name}{more}"
