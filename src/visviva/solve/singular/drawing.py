"""Arms, arrows, ellipsoids, maps and boundaries as plotly figures.

An arm that moves in a plane is drawn in it, others in space.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.describe.model.body import WORLD
from visviva.describe.model.model import Model
from visviva.equations.frames.kinematics import poses
from visviva.errors import BackendError
from visviva.solve.singular.chosen import placed

if TYPE_CHECKING:
    from visviva.solve.singular.columns import JacobianColumns
    from visviva.solve.singular.place import Singularity
    from visviva.solve.singular.workspace import Workspace

FLAT = 1e-9  # of the arm's size: how far from a plane its points may be
ARM, TIP = "#5b6b7b", "#1f77b4"
COLOURS = ("#d62728", "#2ca02c", "#ff7f0e", "#9467bd", "#8c564b", "#e377c2", "#17becf", "#bcbd22")
LETTERS = "xyz"


def skeleton(model: Model, frame: str, q: Any) -> Array:
    """(k, 3): the base, the origins of the bodies that carry a frame, and the frame."""
    f, every = model.frame(frame), poses(model.numeric, np.asarray(q, float))
    chain, i = [], f.body
    while i != WORLD:
        chain.append(every[i][:3, 3])
        i = model.bodies[i].parent
    points = [np.zeros(3), *chain[::-1], placed(model, frame, q)[0][:3, 3]]
    return np.array([p for k, p in enumerate(points) if k == 0 or np.any(p != points[k - 1])])


def drawn_plane(points: Array) -> tuple[int, int] | None:
    """The two world axes of a plane in which all points lie; None if there is none."""
    spread = np.ptp(points.reshape(-1, 3), axis=0)
    size = max(float(spread.max()), 1e-12)
    for flat, axes in ((2, (0, 1)), (1, (0, 2)), (0, (1, 2))):
        if spread[flat] <= FLAT * size:
            return axes
    return None


class Canvas:
    """A figure in a plane or in space, and what can be put on it."""

    def __init__(self, axes: tuple[int, int] | None, title: str, many: bool = False) -> None:
        """`many`: of thousands of points, which the graphics card draws, and all with them."""
        try:
            self.graph = import_module("plotly.graph_objects")
        except ImportError:
            raise BackendError(
                "figures need plotly: pip install visviva[plot], or pip install plotly"
            ) from None
        self.axes = axes
        self.flat = self.graph.Scattergl if many else self.graph.Scatter
        self.figure = self.graph.Figure()
        self.figure.update_layout(
            title={"text": title, "font": {"size": 15}},
            template="plotly_white",
            width=760,
            height=640,
            margin={"l": 60, "r": 30, "t": 60, "b": 50},
        )
        if axes is None:
            names = {f"{x}axis": {"title": f"{x} [m]"} for x in LETTERS}
            camera = {"eye": {"x": 1.5, "y": 1.5, "z": 1.0}}
            self.figure.update_layout(scene={"aspectmode": "data", "camera": camera, **names})
        else:
            self.figure.update_xaxes(title_text=f"{LETTERS[axes[0]]} [m]")
            self.figure.update_yaxes(
                title_text=f"{LETTERS[axes[1]]} [m]", scaleanchor="x", scaleratio=1
            )

    def line(self, points: Array, name: str, colour: str, **how: Any) -> None:
        """Through points (k, 3)."""
        width = how.pop("width", 2)
        line = {"color": colour, "width": width, **how.pop("line", {})}
        shown = {"mode": "lines", "name": name, "line": line, **how}
        if self.axes is None:
            x, y, z = np.asarray(points).T
            self.figure.add_trace(self.graph.Scatter3d(x=x, y=y, z=z, **shown))
        else:
            x, y = np.asarray(points)[:, self.axes].T
            self.figure.add_trace(self.flat(x=x, y=y, **shown))

    def points(self, points: Array, name: str, **marker: Any) -> None:
        """Dots at points (k, 3)."""
        shown = {"mode": "markers", "name": name, "marker": marker}
        if self.axes is None:
            x, y, z = np.asarray(points).T
            self.figure.add_trace(self.graph.Scatter3d(x=x, y=y, z=z, **shown))
        else:
            x, y = np.asarray(points)[:, self.axes].T
            self.figure.add_trace(self.flat(x=x, y=y, **shown))

    def arm(self, points: Array, name: str = "arm", colour: str = ARM) -> None:
        """Links as thick lines, joints as dots."""
        edge = {"color": colour, "width": 2.5}
        dots = {"size": 9 if self.axes else 5, "color": "white", "line": edge}
        self.line(points, name, colour, width=7, mode="lines+markers", marker=dots)

    def arrow(self, start: Array, along: Array, name: str, colour: str) -> None:
        """From a point."""
        end = start + along
        if self.axes is None:
            self.line(np.array([start, end]), name, colour, width=6)
            x, y, z = end
            u, v, w = along * 0.18
            cone = {"x": [x], "y": [y], "z": [z], "u": [u], "v": [v], "w": [w]}
            self.figure.add_trace(
                self.graph.Cone(
                    **cone,
                    anchor="tip",
                    sizemode="raw",
                    showscale=False,
                    colorscale=[[0, colour], [1, colour]],
                    hoverinfo="skip",
                )
            )
            return
        a, b = self.axes
        self.line(np.array([start, end]), name, colour, width=2.5)
        head = {"arrowhead": 2, "arrowsize": 1.3, "arrowwidth": 2.5, "arrowcolor": colour}
        self.figure.add_annotation(
            x=end[a], y=end[b], ax=start[a], ay=start[b], axref="x", ayref="y", text="", **head
        )

    def ellipsoid(self, centre: Array, axes: Array, name: str, colour: str) -> None:
        """Of half axes that are columns (3, k)."""
        t = np.linspace(0.0, 2 * np.pi, 121)
        if self.axes is not None:
            first, second = _two(axes)
            ring = np.outer(np.cos(t), first) + np.outer(np.sin(t), second)
            fill = {"fill": "toself", "opacity": 0.75}
            self.line(centre + ring, name, colour, **fill)
            return
        u, w = np.meshgrid(t[::4], np.linspace(0.0, np.pi, 25))
        ball = np.stack([np.cos(u) * np.sin(w), np.sin(u) * np.sin(w), np.cos(w)])
        full = np.zeros((3, 3))
        full[:, : axes.shape[1]] = axes[:, :3]
        x, y, z = np.einsum("ij,jkl->ikl", full, ball) + centre[:, None, None]
        self.figure.add_trace(
            self.graph.Surface(
                x=x,
                y=y,
                z=z,
                name=name,
                showscale=False,
                opacity=0.45,
                showlegend=True,
                colorscale=[[0, colour], [1, colour]],
            )
        )


def _two(axes: Array) -> tuple[Array, Array]:
    """Half axes of the shadow of an ellipsoid on the plane: the two longest, of a flat one all."""
    order = np.argsort(-np.linalg.norm(axes, axis=0))
    first = axes[:, order[0]]
    second = axes[:, order[1]] if axes.shape[1] > 1 else np.zeros(3)
    return first, second


def columns_figure(model: Model, columns: JacobianColumns) -> Any:
    """An arm, and at its tip the velocity for every joint."""
    points = skeleton(model, columns.frame, columns.q)
    points = np.vstack([points, columns.tip])
    moved = np.array([columns.tip + c.velocity for c in columns.columns])
    canvas = Canvas(
        drawn_plane(np.vstack([points, moved])),
        f"columns of the Jacobian of {columns.frame}: the tip while one joint alone moves",
    )
    canvas.arm(points)
    fastest = max([1e-12, *(c.speed for c in columns.columns)])
    scale = _arm_size(points) / 2 / fastest
    for c, colour in zip(columns.columns, _colours(len(columns)), strict=True):
        label = f"{c.joint}: |v| = {c.speed:.4g} m/{'rad' if c.lever is not None else 'm'}"
        if c.speed > 1e-9 * fastest:
            canvas.arrow(columns.tip, c.velocity * scale, label, colour)
        if c.foot is not None:
            lever = np.array([c.foot, columns.tip])
            canvas.line(lever, f"r of {c.joint}", colour, width=1.5, line={"dash": "dot"})
    return canvas.figure


def ellipsoid_figure(place: Singularity, force: bool) -> Any:
    """An arm with the ellipsoid of its tip's velocities, or of the forces that it can hold."""
    arm = place._arm
    points = skeleton(arm.model, arm.frame, place.q)
    J = placed(arm.model, arm.frame, place.q)[1][3:][:, list(arm.moving)]
    U, s, _ = np.linalg.svd(J, full_matrices=False)
    flat = drawn_plane(np.vstack([points, points[-1] + J.T]))
    kept = s > 1e-9 * s[0]
    U, s = U[:, kept], s[kept]
    axes = U / s if force else U * s
    what = "forces held by torques" if force else "velocities for joint velocities"
    canvas = Canvas(flat, f"{arm.frame}: {what} of length one; axes {', '.join(_numbers(axes))}")
    canvas.arm(points)
    size = float(np.linalg.norm(axes, axis=0).max())
    scale = 0.4 * _arm_size(points) / size
    colour = COLOURS[0] if force else TIP
    canvas.ellipsoid(points[-1], axes * scale, "force" if force else "velocity", colour)
    for k, axis in enumerate(axes.T):
        ends = points[-1] + np.array([-axis, axis]) * scale
        label = f"{np.linalg.norm(axis):.4g} {'N/Nm' if force else 'm/rad'}"
        canvas.line(ends, label, _colours(4)[k % 4], width=2)
    return canvas.figure


def workspace_figure(space: Workspace, q: Any = None) -> Any:
    """A map of manipulability, with boundary and singular curves, and an arm at q."""
    title = f"workspace of {space.frame}: manipulability of {space.task}"
    shade = {
        "size": 3,
        "color": space.manipulability,
        "colorscale": "Viridis",
        "showscale": True,
        "colorbar": {"title": {"text": "w"}, "thickness": 14, "len": 0.6, "y": 0.35},
    }
    arm = space._arm
    if space.axis is not None:
        return _section(space, shade)
    canvas = Canvas(space.plane, title, many=True)
    canvas.points(space.positions, "sampled", **shade)
    if len(space.singular):
        canvas.points(space.singular, "singular positions", size=3, color=COLOURS[0])
    if space.plane is not None:
        for arc in space.arcs:
            edge = arc.is_boundary is True
            name, colour = ("boundary", "black") if edge else ("inner arc", "#999999")
            look = {"width": 3 if edge else 1, "line": {} if edge else {"dash": "dot"}}
            canvas.line(_placed(space, arc.points()), f"{name}: {arc.says}", colour, **look)
        for part in space.dexterous or ():
            for r in part:
                if r > 0:
                    ring = r * np.exp(1j * np.linspace(0, 2 * np.pi, 181))
                    ring = ring + complex(*space.centre[list(space.plane)])
                    line = {"dash": "dash"}
                    says = f"every orientation: edge at {r:.4g} m"
                    canvas.line(_placed(space, ring), says, COLOURS[2], width=2.5, line=line)
    if q is not None:
        canvas.arm(skeleton(arm.model, arm.frame, q))
    return _with_legend_below(canvas.figure)


def _section(space: Workspace, shade: dict[str, Any]) -> Any:
    """Through the axis about which it is the same all round: distance from it, and height."""
    from visviva.solve.singular.region import seen_from_axis

    title = f"section of the workspace of {space.frame} through the first axis"
    canvas = Canvas((0, 1), title, many=True)
    for points, name, look in (
        (space.positions, "sampled", shade),
        (space.singular, "singular positions", {"size": 3, "color": COLOURS[0]}),
    ):
        if len(points):
            flat = seen_from_axis(points, space.centre, np.asarray(space.axis))
            canvas.points(np.column_stack([flat, np.zeros(len(flat))]), name, **look)
    canvas.figure.update_xaxes(title_text="distance from the axis [m]")
    canvas.figure.update_yaxes(title_text="height along the axis [m]")
    return _with_legend_below(canvas.figure)


def _placed(space: Workspace, points: Array) -> Array:
    """Complex points of the plane in space."""
    placed = np.tile(space.centre, (len(points), 1))
    axes = list(space.plane or (0, 1))
    placed[:, axes] = np.stack([points.real, points.imag], axis=1)
    return placed


def _with_legend_below(figure: Any) -> Any:
    legend = {"orientation": "h", "y": -0.12, "font": {"size": 10}}
    figure.update_layout(legend=legend, height=760)
    return figure


def _numbers(axes: Array) -> list[str]:
    return [f"{x:.4g}" for x in np.linalg.norm(axes, axis=0)]


def _arm_size(points: Array) -> float:
    return max(float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum()), 1e-9)


def _colours(count: int) -> Sequence[str]:
    return [COLOURS[k % len(COLOURS)] for k in range(count)]
