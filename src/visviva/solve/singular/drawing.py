"""Arrows, ellipsoids, maps, boundaries and singular sets of arms as plotly figures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.describe.model.model import Model
from visviva.drawing.canvas import Canvas, drawn_plane
from visviva.drawing.curves import curve_chart
from visviva.drawing.look import ALARM, BAR, COLOURS, INK, SCALE, words
from visviva.equations.frames.skeleton import skeleton
from visviva.errors import ArgumentError
from visviva.solve.singular.chosen import Arm, moving_columns, placed
from visviva.solve.singular.region import seen_from_axis

if TYPE_CHECKING:
    from visviva.drawing.figure import Figure
    from visviva.solve.singular.closed import Singularities
    from visviva.solve.singular.columns import JacobianColumns
    from visviva.solve.singular.place import Singularity
    from visviva.solve.singular.workspace import Workspace

CLOUD, DOTS = 6000, 600  # points at most, in space and of a singular set
PER_CELL = 6  # samples, about, in a cell of a map
CELLS_ACROSS = (12, 80)
OVER_ONE, OVER_TWO = 721, 121  # samples of a determinant, over one joint and over each of two
W_BAR = {**BAR, "title": {"text": "w"}}


def columns_figure(model: Model, columns: JacobianColumns) -> Figure:
    """An arm, and at its tip the velocity for every joint."""
    points = np.vstack([skeleton(model, columns.frame, columns.q), columns.tip])
    moved = np.array([columns.tip + c.velocity for c in columns.columns])
    canvas = Canvas(
        drawn_plane(np.vstack([points, moved])),
        f"columns of the Jacobian of {columns.frame}: the tip while one joint alone moves",
    )
    canvas.arm(points)
    fastest = max([1e-12, *(c.speed for c in columns.columns)])
    scale = _arm_size(points) / 2 / fastest
    for k, c in enumerate(columns.columns):
        colour = COLOURS[k % len(COLOURS)]
        label = f"{c.joint}: |v| = {c.speed:.4g} m/{'rad' if c.lever is not None else 'm'}"
        if c.speed > 1e-9 * fastest:
            canvas.arrow(columns.tip, c.velocity * scale, label, colour)
        if c.foot is not None:
            lever = np.array([c.foot, columns.tip])
            dotted = {"line": {"dash": "dot"}, "width": 1.5 if canvas.axes else 3}
            canvas.line(lever, f"r of {c.joint}", colour, **dotted)
    return canvas.done()


def ellipsoid_figure(place: Singularity, force: bool) -> Figure:
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
    sizes = ", ".join(f"{x:.4g}" for x in np.linalg.norm(axes, axis=0))
    canvas = Canvas(flat, f"{arm.frame}: {what} of length one; axes {sizes}")
    canvas.arm(points)
    size = float(np.linalg.norm(axes, axis=0).max())
    scale = 0.4 * _arm_size(points) / size
    colour = COLOURS[1] if force else COLOURS[0]
    canvas.ellipsoid(points[-1], axes * scale, "force" if force else "velocity", colour)
    for k, axis in enumerate(axes.T):
        ends = points[-1] + np.array([-axis, axis]) * scale
        label = f"{np.linalg.norm(axis):.4g} {'N/Nm' if force else 'm/rad'}"
        canvas.line(ends, label, COLOURS[2 + k], width=2)
    return canvas.done()


def workspace_figure(space: Workspace, q: Any = None) -> Figure:
    """A map of manipulability, with boundary and singular curves, and an arm at q."""
    if space.dimension == 0:
        still = f"the joints of {space.model!r} leave {space.frame!r} in its place"
        raise ArgumentError(f"plot: {still}, nothing is swept")
    if space.axis is not None and space.dimension > 1:
        return _section(space, np.asarray(space.axis))
    title = f"workspace of {space.frame}: manipulability w of {space.task}"
    canvas = Canvas(space.plane, title)
    if space.plane is None:
        some = slice(None, None, -(-len(space.positions) // CLOUD))
        shade = {"color": space.manipulability[some], "colorscale": SCALE, "colorbar": W_BAR}
        canvas.points(space.positions[some], "sampled", size=2, showscale=True, **shade)
    else:
        axes = list(space.plane)
        at, centre = space.positions[:, axes], np.asarray(space.centre)[axes]
        _map(canvas, at, space.manipulability, space.plane, centre)
    if len(space.singular):
        some = slice(None, None, -(-len(space.singular) // DOTS))
        canvas.points(space.singular[some], "singular positions", size=3, color=ALARM)
    if space.plane is not None:
        _boundary(canvas, space)
    if q is not None:
        canvas.arm(skeleton(space._arm.model, space.frame, q))
    return canvas.done()


def _map(
    canvas: Canvas,
    points: Array,
    values: Array,
    plane: tuple[int, int],
    centre: Array | None = None,
) -> None:
    """The mean of values in each cell of a grid over points (N, 2); none where no point fell.

    Nor where the middle of a cell is further from the centre than all points, or nearer.
    """
    low, high = points.min(axis=0), points.max(axis=0)
    across = int(np.clip(np.sqrt(len(points) / PER_CELL), *CELLS_ACROSS))
    size = float((high - low).max()) / across
    shape = np.maximum(np.ceil((high - low) / size), 1).astype(int)
    i, j = np.minimum(((points - low) / size).astype(int), shape - 1).T
    count, total = np.zeros(shape), np.zeros(shape)
    np.add.at(count, (i, j), 1.0)
    np.add.at(total, (i, j), values)
    count, total = _without_holes(count, total)
    with np.errstate(invalid="ignore"):
        mean = np.where(count > 0, total / count, np.nan)
    x, y = (low[k] + size * (np.arange(shape[k]) + 0.5) for k in (0, 1))
    if centre is not None:
        far = np.linalg.norm(points - centre, axis=1)
        middle = np.hypot(*np.meshgrid(x - centre[0], y - centre[1], indexing="ij"))
        mean = np.where((middle >= far.min()) & (middle <= far.max()), mean, np.nan)
    corners = np.zeros((2, 3))
    corners[:, list(plane)] = [low, high]
    canvas.reach(corners)
    canvas.figure.add_heatmap(
        x=x, y=y, z=mean.T, name="sampled", colorscale=SCALE, colorbar=W_BAR, hoverongaps=False
    )


def _without_holes(count: Array, total: Array) -> tuple[Array, Array]:
    """Empty cells that are surrounded get what is around them: chance left them out."""
    near = [(a, b) for a in (0, 1, 2) for b in (0, 1, 2) if (a, b) != (1, 1)]
    n, m = count.shape
    padded = [np.pad(x, 1) for x in (count, total)]
    around = [sum(x[a : a + n, b : b + m] for a, b in near) for x in padded]
    filled = sum((padded[0] > 0)[a : a + n, b : b + m].astype(int) for a, b in near)
    hole = (count == 0) & (np.asarray(filled) >= 6)
    return np.where(hole, around[0], count), np.where(hole, around[1], total)


def _boundary(canvas: Canvas, space: Workspace) -> None:
    """Exact arcs, and where every orientation is reached."""
    for arc in space.arcs:
        edge = arc.is_boundary is True
        name = f"boundary: {arc.says}" if edge else "inner arcs"
        look = {"width": 3, "line": {}} if edge else {"width": 1.5, "line": {"dash": "dot"}}
        points = _in_space(space, arc.points())
        canvas.line(points, name, INK, hovertext=words(arc.says, 200), **look)
    for part in space.dexterous or ():
        for r in part:
            if r > 0:
                ring = r * np.exp(1j * np.linspace(0, 2 * np.pi, 181))
                ring = ring + complex(*space.centre[list(space.plane or (0, 1))])
                says = f"every orientation: edge at {r:.4g} m"
                dashed = {"width": 2.5, "line": {"dash": "dash"}}
                canvas.line(_in_space(space, ring), says, COLOURS[1], **dashed)


def _section(space: Workspace, axis: Array) -> Figure:
    """Through the axis about which it is the same all round: distance from it, and height."""
    title = f"section of the workspace of {space.frame} through the first axis: manipulability w"
    labels = ("distance from the axis [m]", "height along the axis [m]", "")
    canvas = Canvas((0, 1), title, units=labels)
    _map(canvas, seen_from_axis(space.positions, space.centre, axis), space.manipulability, (0, 1))
    if len(space.singular):
        some = space.singular[:: -(-len(space.singular) // DOTS)]
        flat = seen_from_axis(some, space.centre, axis)
        flat = np.column_stack([flat, np.zeros(len(flat))])
        canvas.points(flat, "singular positions", size=3, color=ALARM)
    return canvas.done()


def _in_space(space: Workspace, points: Array) -> Array:
    """Complex points of the plane in space."""
    rows = np.tile(space.centre, (len(points), 1))
    axes = list(space.plane or (0, 1))
    rows[:, axes] = np.stack([points.real, points.imag], axis=1)
    return rows


def singular_sets_figure(found: Singularities, arms: bool) -> Figure:
    """The determinant over the one or two joints it depends on, with its zeros; else arms there."""
    arm = found._arm
    if not found.sets:
        raise ArgumentError(f"plot: {found.what} of {found.frame!r} is never zero, nothing is lost")
    names = list(arm.model.coordinate_names)
    over = [k for k, name in enumerate(names) if name in _symbols(found)]
    if arms or len(over) not in (1, 2):
        return _singular_arms(found)
    base = np.asarray(arm.model.neutral(), dtype=float)
    sides = [_span(arm, k) for k in over]
    axes = [f"{words(names[k])} [{arm.model.coordinate_units[k]}]" for k in over]
    title = f"{found.what} of {found.frame}: zero where a direction is lost"
    if len(over) == 1:
        x = np.linspace(sides[0][0], sides[0][1], OVER_ONE)
        q = np.tile(base, (OVER_ONE, 1))
        q[:, over[0]] = x
        fig = curve_chart(title, [(x, _determinant(arm, q), found.what)], axes[0], found.what)
    else:
        from visviva.drawing.figure import new_figure

        x, y = (np.linspace(a, b, OVER_TWO) for a, b in sides)
        q = np.tile(base, (OVER_TWO, OVER_TWO, 1))
        q[..., over[0]], q[..., over[1]] = np.meshgrid(x, y)
        fig = new_figure(title, axes[0], axes[1], height=480)
        bar = {**BAR, "title": {"text": found.what}}
        z = _determinant(arm, q)
        fig.add_heatmap(x=x, y=y, z=z, colorscale=SCALE, colorbar=bar, name=found.what)
    for k, one in enumerate(found.sets):
        at = _wrapped(one.positions(DOTS, limits=False)[:, over], sides)
        at = np.unique(at.round(6), axis=0) if len(over) == 1 else at
        y = np.zeros(len(at)) if len(over) == 1 else at[:, 1]
        marker = {"size": 9 if len(over) == 1 else 4, "color": COLOURS[(1 + k) % len(COLOURS)]}
        label = words(one.name or one.condition)
        fig.add_scatter(x=at[:, 0], y=y, mode="markers", marker=marker, name=label)
    return fig


def _symbols(found: Singularities) -> set[str]:
    """Names in all equations of the sets."""
    return {s.name for one in found.sets for x in one.equations for s in x.free_symbols}


def _span(arm: Arm, k: int) -> tuple[float, float]:
    """Of a joint that turns a whole turn, else its limits, else a metre to both sides."""
    if arm.model.coordinate_units[k] == "rad":
        return -np.pi, np.pi
    low, high = float(arm.model.lower[k]), float(arm.model.upper[k])
    return (low, high) if np.isfinite(high - low) else (-1.0, 1.0)


def _wrapped(at: Array, sides: list[tuple[float, float]]) -> Array:
    """Whole turns taken off; what is outside of the picture left out."""
    for k, (low, high) in enumerate(sides):
        if (low, high) == (-np.pi, np.pi):
            at[:, k] = (at[:, k] + np.pi) % (2 * np.pi) - np.pi
    low, high = np.array(sides).T
    return np.asarray(at[((at >= low) & (at <= high)).all(axis=1)])


def _determinant(arm: Arm, q: Array) -> Array:
    """det J, or det J Jᵀ or Jᵀ J where J is not square, at positions (…, nq)."""
    J = moving_columns(arm, arm.model.task_jacobian(arm.frame, arm.task.text)(q))
    if not arm.is_square:
        J = J @ J.swapaxes(-1, -2) if J.shape[-1] > J.shape[-2] else J.swapaxes(-1, -2) @ J
    return np.asarray(np.linalg.det(J))


def _singular_arms(found: Singularities) -> Figure:
    """The arm at a position on every set."""
    arm, lines = found._arm, []
    for one in found.sets:
        q = [*one.positions(1), *one.positions(1, limits=False)][:1]
        if q:
            lines.append((skeleton(arm.model, arm.frame, q[0]), one.name or one.condition))
    if not lines:
        raise ArgumentError(f"plot: no position was found on the singular sets of {found.frame!r}")
    plane = drawn_plane(np.concatenate([points for points, _ in lines]))
    canvas = Canvas(plane, f"{found.frame} of {found.model}: the arm where it loses a direction")
    for k, (points, name) in enumerate(lines):
        canvas.arm(points, name, COLOURS[k % len(COLOURS)])
    return canvas.done()


def _arm_size(points: Array) -> float:
    return max(float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum()), 1e-9)
