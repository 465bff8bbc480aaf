"""A trajectory as a picture: one panel for each unit of positions, velocities and forces."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from visviva.drawing.curves import curve_chart
from visviva.drawing.look import COLOURS, words
from visviva.errors import ArgumentError, UnknownNameError

if TYPE_CHECKING:
    from visviva.drawing.figure import Figure
    from visviva.motion.trajectory import Trajectory

HEAD, HEIGHT = 110, 220  # pixels, of a panel the second
MOST_LINES = 50  # trajectories of a batch that are drawn
MOST_POINTS, FEWEST_POINTS, ALL_POINTS = 4000, 200, 100_000  # on a line, and on all
JOULES = ("kinetic_energy", "potential_energy", "energy")
PANELS = ("positions", "velocities", "forces")


def trajectory_figure(run: Trajectory, names: tuple[str, ...] = ()) -> Figure:
    """A plotly figure of some names, or of all; of a batch its first trajectories, in pale lines.

    Lines that go on for long are drawn at some of their samples.
    """
    from visviva.drawing.figure import new_figure

    panels = _panels(run, names)
    count = max(1, len(panels))
    fig = new_figure(_title(run), height=HEAD + HEIGHT * count, panels=(count, 1))
    lanes = range(min(len(run.q), MOST_LINES)) if run.is_batch else [None]
    most = min(MOST_POINTS, ALL_POINTS // (len(lanes) * max(1, sum(map(len, panels.values())))))
    some = slice(None, None, max(1, -(-len(run.t) // max(most, FEWEST_POINTS))))
    for row, (title, entries) in enumerate(panels.items(), 1):
        for k, (label, values) in enumerate(entries):
            for lane in lanes:
                line = {"color": COLOURS[k % len(COLOURS)], "width": 1.7, "simplify": False}
                fig.add_scatter(
                    x=run.t[some],
                    y=(values if lane is None else values[lane])[some],
                    mode="lines",
                    name=words(label),
                    legendgroup=words(label),
                    legend="legend" if row == 1 else f"legend{row}",
                    showlegend=lane in (None, 0),
                    line=line,
                    opacity=1.0 if lane is None else 0.35,
                    row=row,
                    col=1,
                )
        _labelled(fig, row, title, last=row == count)
    return fig


def phase_figure(run: Trajectory, x: str, y: str) -> Figure:
    """One name over another, a line for each trajectory: x="q1", y="qd1" is a phase portrait."""
    first, rate = run.system.coordinate_names[0], run.system.velocity_names[0]
    own = {name: _own_name(run, name) for name in (x, y)}
    for name in (x, y):
        if not own[name]:
            way, line = "one over another", f"run.plot(x={first!r}, y={rate!r})"
            raise UnknownNameError(f"name of {run.system.name!r}", name, run.names, way, cure=line)
    x, y = own[x], own[y]
    across, up = (np.atleast_2d(run[name])[:MOST_LINES] for name in (x, y))
    right, left = (words(k) + (f" [{run.units[k]}]" if run.units[k] else "") for k in (x, y))
    lines = [(a, b, "") for a, b in zip(across, up, strict=True)]
    return curve_chart(_title(run), lines, right, left)


def _own_name(run: Trajectory, name: str) -> str:
    """That of an entry of q, v or tau, as qd1 of q1'; nothing if it is none."""
    place = run._places.get(name)
    return next((x for x in run.names if run._places[x] == place), "")


def _labelled(fig: Any, row: int, title: str, last: bool) -> None:
    """What a panel shows, above it its lines."""
    axis = fig.get_subplot(row, 1).yaxis
    axis.title.text = title
    place = {"y": axis.domain[1], "yref": "paper", "yanchor": "bottom", "x": 0, "xanchor": "left"}
    fig.update_layout({"legend" if row == 1 else f"legend{row}": {**place, "orientation": "h"}})
    fig.update_xaxes(matches="x", showticklabels=last, row=row, col=1)
    if last:
        fig.update_xaxes(title_text="t [s]", row=row, col=1)


def _panels(run: Trajectory, names: tuple[str, ...]) -> dict[str, list[tuple[str, Any]]]:
    """Lines by panel: what is of one kind and one unit shares axes."""
    places, units = run._places, run.units
    starts = {"q": 0, "v": run.system.nq, "tau": run.system.nq + run.system.nv}
    panels: dict[str, list[tuple[str, Any]]] = {}
    groups = {"q": run.system.coordinate_names, "v": run.system.velocity_names}
    groups |= {"tau": tuple(f"tau_{x}" for x in run.system.motion_names), "energy": JOULES}
    listed = [x for name in names for x in (name if isinstance(name, (list, tuple)) else (name,))]
    asked = [
        x for name in listed for x in ((name,) if name in places else groups.get(name, (name,)))
    ]
    for name in asked or run.names:
        if str(name).lower().endswith((".html", ".svg", ".png", ".pdf")):
            raise ArgumentError(
                f"plot takes names of what is drawn, got a file {str(name)!r}",
                cure='run.plot().save("run.svg")',
            )
        if name in JOULES and name not in places:
            panels.setdefault("energy [J]", []).append((name.replace("_", " "), getattr(run, name)))
            continue
        if name not in places:
            raise UnknownNameError(
                f"name of {run.system.name!r}", name, (*run.names, *groups), cure=_line(run, name)
            )
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


def _line(run: Trajectory, name: Any) -> str:
    """What draws a name of others."""
    s = run.system
    number = re.fullmatch(r"(?:tau|u|torque)_?(\d+)", str(name))
    if number and 0 < int(number[1]) <= s.nv and run.tau is not None:
        return f"run.plot({f'tau_{s.motion_names[int(number[1]) - 1]}'!r})"
    if str(name).lower() in ("phase", "phase_portrait", "portrait"):
        return f"run.plot(x={s.coordinate_names[0]!r}, y={s.velocity_names[0]!r})"
    return ""


def _title(run: Trajectory) -> str:
    drawn = min(len(run.q), MOST_LINES) if run.is_batch else 1
    more = f", {drawn} of {len(run.q)} trajectories" if run.is_batch else ""
    return f"{run.system.name}{more}"
