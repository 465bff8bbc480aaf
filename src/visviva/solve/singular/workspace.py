"""`workspace`: where a frame can go, how well it moves there, and where it turns all ways.

Plane arms of hinges have boundaries made of arcs of circles, exactly; if their joints turn all
round, an exact area and an exact dexterous part. Of other arms positions are sampled, beside random
ones those on singular sets, which boundaries are made of: the true reach is then no less than what
was seen, and area and volume are counted in cells of grids, with an error. A point that joints move
in fewer directions stays on a surface or a curve, which has no volume.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from visviva.algebra.arrays import Array, FloatArray
from visviva.describe.model.model import Model
from visviva.errors import ArgumentError, OutsideError
from visviva.progress import progress
from visviva.solve.numeric.cells import measured
from visviva.solve.singular.arcs import (
    MOST_JOINTS,
    Arc,
    PlaneArm,
    area_of_two,
    marked_arcs,
    reach_of_two,
    turned_all_ways,
)
from visviva.solve.singular.chosen import Arm, chosen, placed, random_positions, refuse_loops
from visviva.solve.singular.closed import singularities
from visviva.solve.singular.columns import jacobian_columns
from visviva.solve.singular.place import manipulability
from visviva.solve.singular.region import (
    first_axis,
    nearest_on_axis,
    rank_and_joints,
    seen_from_axis,
    shares,
    swept,
)

if TYPE_CHECKING:
    from visviva.drawing.figure import Figure

WORLD_AXES = {"x": 0, "y": 1, "z": 2}
ON_SETS = 400  # positions on each singular set
UNITS = {1: "m", 2: "m²", 3: "m³"}
KINDS = {
    0: ("a single point", ""),
    1: ("a curve", "length"),
    2: ("a surface", "area"),
    3: ("all of space", "volume"),
}
ONCE = "{} by quadrature over the joints, every place once"
COUNTED = "{} by cells of two sizes"
UNSETTLED = "its {} is not told, as cells of two sizes do not agree about it"
BY_SAMPLES = "by random positions and such on singular sets; the true reach is no less"


@dataclass(frozen=True, eq=False, repr=False)
class Workspace:
    """Where a frame goes.

    `q` (N, nq), `positions` (N, 3) and `manipulability` (N,) are samples within the limits.
    `dimension` is that of what it sweeps: 3 in space, 2 in a plane or on a surface, 1 on a curve, 0
    where the joints leave it in its place. `size` is its volume, area or length, None where that is
    not known, `error` how far it may be off, where cells were counted; `reach` the least and the
    largest distance of the frame from `centre`. `is_exact` says whether these two are, `how` in
    which way. `arcs` are the exact curves of which the boundary of a plane arm is part, marked as
    boundary or inside where that is known. `dexterous` are the distances from the centre at which
    every orientation is reached, where that is known exactly; else None.
    """

    model: str
    frame: str
    task: str  # the positions that are looked at: "x y", "position"
    centre: FloatArray
    q: FloatArray
    positions: FloatArray
    manipulability: FloatArray
    reach: tuple[float, float]
    dimension: int
    size: float | None
    error: float | None
    is_exact: bool
    how: str
    arcs: tuple[Arc, ...]
    dexterous: tuple[tuple[float, float], ...] | None
    axis: FloatArray | None  # about which it is the same all round, if there is one
    singular: FloatArray  # (M, 3): images of positions on singular sets
    _arm: Arm = field(compare=False)

    @property
    def plane(self) -> tuple[int, int] | None:
        """The world axes of the plane, of plane arms."""
        letters = self.task.split()
        return (WORLD_AXES[letters[0]], WORLD_AXES[letters[1]]) if len(letters) == 2 else None

    @property
    def extent(self) -> str:
        """What it sweeps, and its size, in words."""
        plain = self.dimension == (2 if self.plane is not None else 3)
        kind, what = KINDS[self.dimension]
        if plain:
            kind, what = "", {2: "area", 3: "volume"}[self.dimension]
        if self.size is None:
            unknown = f"{what} not computed"
            return unknown if plain else f"{kind}, its {unknown}" if what else kind
        about = f"{self.size:.6g}"
        if self.error is not None:
            about = f"about {self.size:.4g} ± {self.error:.1g}"
        size = f"{what} {about} {UNITS[self.dimension]}"
        return size if plain else f"{kind}, {size}"

    @property
    def boundary(self) -> tuple[Arc, ...]:
        """The arcs with something unreachable on one side."""
        return tuple(arc for arc in self.arcs if arc.is_boundary)

    def dexterity(self, points: Any, orientations: int = 200, seed: int = 0) -> FloatArray:
        """(N,): which share of random orientations the frame takes at points (N, 3). Sampled.

        By the closed form of its inverse kinematics, within the limits of the joints.
        """
        return shares(self._arm, self.plane, points, orientations, seed)

    def plot(self, q: Any = None) -> Figure:
        """A map of manipulability with boundary and singular curves; an arm at q. (plotly)

        Of an arm in space that turns all round about an axis, a section through this axis.
        """
        from visviva.solve.singular import drawing

        return drawing.workspace_figure(self, q)

    def __str__(self) -> str:
        low, high = self.reach
        at = ", ".join(f"{x:.6g}" for x in (np.asarray(self.centre).round(12) + 0.0).tolist())
        lines = [
            f"workspace of {self.frame!r} of {self.model!r}: {self.task}",
            f"reach {low:.6g} to {high:.6g} m from ({at}), {self.extent}",
            f"{'exact' if self.is_exact else 'sampled'}: {self.how}",
        ]
        if self.dimension < 2:
            pass
        elif self.boundary:
            few = "an arc of a circle" if len(self.boundary) == 1 else f"{len(self.boundary)} arcs"
            lines.append(f"boundary: {few} (exact)")
        elif self.arcs:
            lines.append(f"boundary: part of {len(self.arcs)} arcs of circles (exact)")
        if self.dexterous is not None:
            parts = [f"{a:.6g} to {b:.6g} m" for a, b in self.dexterous]
            lines.append(f"every orientation: {' and '.join(parts) or 'nowhere'} (exact)")
        return "\n".join(lines)

    __repr__ = __str__


def workspace(
    model: Model, frame: str, *, samples: int = 20000, seed: int = 0, limits: bool = True
) -> Workspace:
    """Where a frame can go; `limits=False` lets hinges turn all round."""
    asked = f"workspace({frame!r})"
    refuse_loops(model, asked)
    if not isinstance(samples, int) or samples < 100:
        raise ArgumentError(f"{asked}: samples is a whole number from 100 on, got {samples!r}")
    arm = _arm(model, frame, asked)
    words = arm.task.text.removesuffix(" phi")
    flat = len(words.split()) == 2 and set(words.split()) <= set(WORLD_AXES)
    text = words if flat else "position"
    low, high = _ranges(model, limits, asked)
    with progress(f"workspace of {frame}"):
        q = np.random.default_rng(seed).uniform(low, high, (samples, model.nq))
        on, poses = _on_sets(arm, low, high), model.pose(frame)
        seen = _Seen(
            arm,
            text,
            (low, high),
            seed,
            np.vstack([q, on]),
            q,
            poses(q)[:, :3, 3],
            manipulability(model, frame, q, task=text),
            poses(on)[:, :3, 3].reshape(-1, 3),
        )
        made = _plane(seen) if flat else _space(seen)
        return seen.counted(made) if made.dimension == (2 if flat else 3) else _thin(made, seen)


def _arm(model: Model, frame: str, asked: str) -> Arm:
    """With the task that fits; joints that do the same, as parallel slides, leave the position."""
    try:
        return chosen(model, frame, None, asked)
    except ArgumentError:
        return chosen(model, frame, "position", asked)


@dataclass(frozen=True, eq=False)
class _Seen:
    """What was sampled."""

    arm: Arm
    text: str
    ranges: tuple[Array, Array]
    seed: int
    starts: Array  # q, and those on singular sets
    q: Array
    positions: Array
    manipulability: Array
    singular: Array

    @cached_property
    def rank(self) -> tuple[int, tuple[int, ...]]:
        """The dimension of what the frame sweeps, and the joints that move its point."""
        return rank_and_joints(self.arm, self.text, self.q, *self.ranges)

    @property
    def every(self) -> Array:
        """All positions of the frame."""
        return np.vstack([self.positions, self.singular])

    def told(self, **known: Any) -> Workspace:
        """With what is known besides."""
        kept: tuple[Any, ...] = (self.q, self.positions, self.manipulability)
        names = ("q", "positions", "manipulability")
        return Workspace(
            model=self.arm.model.name,
            frame=self.arm.frame,
            task=self.text,
            dimension=self.rank[0],
            singular=self.singular,
            _arm=self.arm,
            **dict(zip(names, kept, strict=True))
            | {"arcs": (), "dexterous": None, "axis": None, "is_exact": False}
            | {"size": None, "error": None}
            | known,
        )

    def counted(self, made: Workspace) -> Workspace:
        """With its area or volume in cells, where no better way is known."""
        if made.size is not None:
            return made
        poses, axis, plane = self.arm.model.pose(self.arm.frame), made.axis, made.plane

        def at(q: Array) -> Array:
            x = np.asarray(poses(q)[:, :3, 3])
            if axis is not None:
                return seen_from_axis(x, made.centre, axis)
            return (x - made.centre)[:, plane or (0, 1, 2)]

        found = measured(at, self.starts, self.ranges, axis is not None, self.seed)
        what = KINDS[made.dimension][1]
        if found.is_rough:
            return replace(made, reach=found.reach, how=f"{made.how}; {UNSETTLED.format(what)}")
        how = f"{made.how}; {COUNTED.format(what)}"
        return replace(made, reach=found.reach, size=found.size, error=found.error, how=how)


def _thin(made: Workspace, seen: _Seen) -> Workspace:
    """Without volume, or in a plane without area: with its own area or length, where known."""
    dimension, joints = seen.rank
    size = swept(seen.arm, joints, *seen.ranges) if dimension == len(joints) > 0 else None
    how = made.how
    if size is not None:
        how += f"; {ONCE.format(KINDS[dimension][1])}"
    return replace(made, size=size, how=how)


def _plane(seen: _Seen) -> Workspace:
    axes, every = [WORLD_AXES[x] for x in seen.text.split()], seen.every
    points = every[:, axes] @ np.array([1.0, 1j])
    row = plane_arm(seen.arm, axes, *seen.ranges)
    centre = first_axis(seen.arm, axes) if row is None else row.base
    out = next(k for k in range(3) if k not in axes)
    place = np.zeros(3)
    place[axes], place[out] = (centre.real, centre.imag), float(every[0, out])
    gaps = np.abs(points - centre)
    sampled = {
        "centre": place,
        "reach": (float(gaps.min()), float(gaps.max())),
        "how": BY_SAMPLES,
    }
    return seen.told(**sampled if row is None else {**sampled, **_known(row)})


def _known(row: PlaneArm) -> dict[str, Any]:
    """What is exact of hinges in a plane."""
    known: dict[str, Any] = {}
    if row.is_free and len(row.d) > 2:
        known["dexterous"] = turned_all_ways(row)
    row = row.moving_its_tip()
    inner, outer = row.reach
    if len(row.d) == 1:
        how = "one hinge leads along an arc of a circle"
        known |= {"reach": (inner, outer), "is_exact": True, "how": how}
    elif row.is_free:
        shape = "a ring" if inner > 1e-9 * outer else "a disc"
        ring = f"{len(row.d)} hinges that turn all round reach {shape}"
        area = np.pi * (outer**2 - inner**2)
        known |= {"reach": (inner, outer), "size": area, "is_exact": True, "how": ring}
    elif len(row.d) == 2:
        how = "two hinges: by the inverse, and by quadrature over the radius"
        area = area_of_two(row)
        known |= {"reach": reach_of_two(row), "size": area, "is_exact": True, "how": how}
    return known | {"arcs": marked_arcs(row) if len(row.d) <= MOST_JOINTS else ()}


def _space(seen: _Seen) -> Workspace:
    model, every, (low, high) = seen.arm.model, seen.every, seen.ranges
    columns = jacobian_columns(model, seen.arm.frame, seen.q[0])
    first, *others = (columns[k] for k in seen.arm.moving)
    centre, how = np.zeros(3), BY_SAMPLES
    axis = None
    if first.foot is not None and first.axis is not None:
        second = next((c for c in others if c.lever is not None), None)
        centre = nearest_on_axis(first.foot, first.axis, second)
        names = model.coordinate_names
        k = names.index(first.joint) if first.joint in names else None
        if k is not None and high[k] - low[k] >= 2 * np.pi - 1e-9:
            axis = first.axis
            how += f"; the same all round the axis of {first.joint}"
    gaps = np.linalg.norm(every - centre, axis=1)
    return seen.told(
        centre=centre,
        reach=(float(gaps.min()), float(gaps.max())),
        how=how,
        axis=axis,
    )


def plane_arm(arm: Arm, axes: Sequence[int], low: Array, high: Array) -> PlaneArm | None:
    """The arm as hinges in a plane, or None if it is something else."""
    model = arm.model.numeric
    names = arm.joints
    if model.nq != model.nv:
        return None
    zero = np.zeros(model.nq)
    X, J = placed(model, arm.frame, zero)
    tip = X[:3, 3][list(axes)] @ np.array([1.0, 1j])
    unit = np.eye(3)
    normal = np.cross(unit[axes[0]], unit[axes[1]])
    feet, senses = [], []
    for k in arm.moving:
        w, v = J[:3, k], J[3:, k]
        if abs(abs(w @ normal) - 1.0) > 1e-9:
            return None  # a slide, or several joints in gear
        foot = X[:3, 3] + np.cross(w, v) / (w @ w)
        feet.append(foot[list(axes)] @ np.array([1.0, 1j]))
        senses.append(float(np.sign(w @ normal)))
    d = np.diff(np.array([*feet, tip]))
    if np.abs(d[:-1]).min(initial=np.inf) < 1e-9 * np.abs(d).max():
        return None  # two joints on one axis
    moving = list(arm.moving)
    row = PlaneArm(complex(feet[0]), d, np.array(senses), low[moving], high[moving], names)
    for q in random_positions(model, 3):  # joints in gear may look like hinges at q = 0
        there = placed(model, arm.frame, q)[0][:3, 3][list(axes)] @ np.array([1.0, 1j])
        if abs(row.tip(q[moving]) - there) > 1e-9 * row.lengths.sum():
            return None
    return row


def _ranges(model: Model, limits: bool, asked: str) -> tuple[Array, Array]:
    low, high = np.array(model.lower, float), np.array(model.upper, float)
    angular = np.array([unit == "rad" for unit in model.coordinate_units])
    if model.quaternions:
        raise ArgumentError(
            f"{asked}: {model.name!r} has joints that turn freely, whose positions have no ranges"
        )
    if not limits:
        low, high = np.where(angular, -np.inf, low), np.where(angular, np.inf, high)
    endless = ~angular & ~(np.isfinite(low) & np.isfinite(high))
    if endless.any():
        names = [x for x, e in zip(model.coordinate_names, endless, strict=True) if e]
        raise ArgumentError(
            f"{asked}: the slide {', '.join(names)} of {model.name!r} has no limits, and its "
            "workspace no end; give the joint limits"
        )
    low = np.where(np.isfinite(low), low, np.where(np.isfinite(high), high - 2 * np.pi, -np.pi))
    high = np.where(np.isfinite(high), high, low + 2 * np.pi)
    return low, high


def _on_sets(arm: Arm, low: Array, high: Array) -> Array:
    """Positions on the singular sets of the frame's position, where those have a closed form."""
    words = arm.task.text.removesuffix(" phi")
    text = words if len(words.split()) == 2 else "position"
    try:
        sets = singularities(arm.model, arm.frame, text).sets
    except OutsideError:
        return np.zeros((0, arm.model.nq))
    found = [s.positions(ON_SETS, limits=False) for s in sets if s.equations != (0,)]
    q = np.vstack([np.zeros((0, arm.model.nq)), *found])
    turns = np.array([unit == "rad" for unit in arm.model.coordinate_units])
    q = np.where(turns, q + 2 * np.pi * np.ceil((low - q - 1e-12) / (2 * np.pi)), q)
    return np.asarray(q[((q >= low - 1e-12) & (q <= high + 1e-12)).all(axis=1)])
