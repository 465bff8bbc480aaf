"""`singularity`: how near a position is to a singular one, and what is lost or held there.

Singular values compare velocities of the task with those of the joints. Where a task has metres and
radians, or an arm hinges and slides, they depend on how many metres count as much as a radian: that
`length` is stated, or derived from the arm and shown. A task of positions of an arm of hinges needs
none.

Where loops hold a mechanism and motors drive some of its joints, J maps the rates of the motors to
the task (Gosselin and Angeles): of type 1 are positions at which it loses rank, of type 2 those at
which the mechanism moves while the motors stand still, and no torques of theirs hold it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from visviva.algebra.arrays import Array, FloatArray, frozen
from visviva.describe.model.model import Model
from visviva.equations.forces.actuators import actuator_map
from visviva.equations.frames.tasks import Task
from visviva.errors import ArgumentError
from visviva.solve.assembly import check_state
from visviva.solve.following import beside
from visviva.solve.rows import Rows
from visviva.solve.singular.chosen import Arm, chosen, moving_columns, placed, random_positions
from visviva.solve.singular.columns import one_position
from visviva.solve.singular.distance import Distance, distance

if TYPE_CHECKING:
    from visviva.drawing.figure import Figure

RANK_LOST = 1e-9  # of the largest singular value: below it a direction counts as lost
TRIED_BESIDE = 8  # positions that show how many freedoms there are
BESIDE_BY = 0.05  # radians, or levers of the mechanism: how far away they are
STEEPEST = 1e8  # of the rows of a task: beyond, they are those of singular coordinates
SIZED_AT = 32  # positions from which the size of an arm is taken
_MEAN = f"the distance of the tip from the axes of the joints, its mean over {SIZED_AT} random "
_MEAN += "positions"


@dataclass(frozen=True, eq=False)
class Scales:
    """What rows and columns are multiplied by, so that they can be compared."""

    rows: FloatArray
    columns: FloatArray
    length: float | None  # metres for a radian; None where nothing is mixed
    says: str


@dataclass(frozen=True, eq=False, repr=False)
class Singularity:
    """A frame's task at a position.

    `J` is the task's Jacobian as it is, by the joints that move the frame, or by the motors of a
    mechanism with loops; `singular_values` are
    those of `rows J columns` of the scales, largest first. `rank` counts those above `threshold`
    times the largest. `lost` has a column for every direction in which the task has no velocity,
    `resisted` for every load F (in the task's rows: newtons, newton metres) that no joint torque
    feels, Jᵀ F = 0; not those that no position feels, where rows outnumber joints. `undone` are
    motions of the joints in which the task keeps still. `loose` (nv, k) are motions that loops
    admit while all motors stand still: J and the singular values are then those of motions.
    """

    frame: str
    task: Task
    why: str
    q: FloatArray
    joints: tuple[str, ...]
    J: FloatArray
    scales: Scales
    singular_values: FloatArray
    rank: int
    threshold: float
    lost: FloatArray
    resisted: FloatArray
    undone: FloatArray
    directions: FloatArray  # (size, k): of the axes of the velocity ellipsoid
    loose: FloatArray
    motors: tuple[str, ...]  # where loops hold and not all joints are driven
    freedoms: int  # of the mechanism
    _arm: Arm = field(compare=False)

    @property
    def is_singular(self) -> bool:
        """Whether rank is lost, or motors do not hold what they hold elsewhere."""
        return self._loses_rank or self.is_parallel

    @property
    def is_parallel(self) -> bool:
        """Type 2: it moves while as many motors stand still as it has freedoms, or more."""
        return bool(self.loose.size) and len(self.motors) >= self.freedoms

    @property
    def _loses_rank(self) -> bool:
        return bool(self.rank < min(*self.J.shape, self.freedoms))

    @property
    def length(self) -> float | None:
        """Metres that count as a radian; None where nothing is mixed."""
        return self.scales.length

    @property
    def manipulability(self) -> float:
        """The product of the singular values: sqrt(det J Jᵀ), of square J |det J|.

        Infinite where motors stand still while it moves.
        """
        return np.inf if self.is_parallel else float(np.prod(self.singular_values))

    @property
    def condition(self) -> float:
        """The largest singular value over the smallest; infinite where rank is lost."""
        s = self.singular_values
        return float(s[0] / s[-1]) if not self.is_singular else np.inf

    @property
    def velocity_ellipsoid(self) -> FloatArray:
        """Its axes, as columns: velocities of the task for joint velocities of length one."""
        return np.asarray(self.directions * self.singular_values)

    @property
    def force_ellipsoid(self) -> FloatArray:
        """Its axes, as columns: loads that joint torques of length one hold; infinite if any do."""
        free = np.arange(len(self.singular_values)) >= self.rank
        sizes = np.where(free, 1.0, self.singular_values)
        axes = self.directions / sizes
        endless = np.where(np.abs(axes) > RANK_LOST, np.copysign(np.inf, axes), 0.0)
        return np.where(free, endless, axes)

    @cached_property
    def distance(self) -> Distance:
        """To the next singular position: no nearer than `lower`, one found at `upper`."""
        return distance(self._arm, self.q, self.scales.rows, self.scales.columns, self.threshold)

    def plot(self, force: bool = False) -> Figure:
        """The arm with the ellipsoid of velocities, or of forces, at its tip. (plotly)"""
        from visviva.solve.singular import drawing

        return drawing.ellipsoid_figure(self, force)

    def __str__(self) -> str:
        size = min(*self.J.shape, self.freedoms)
        values = ", ".join(f"{x:.6g}" for x in self.singular_values)
        state = f"rank {self.rank} of {size}" + (": singular" if self._loses_rank else "")
        state += ", type 1" if self._loses_rank and self.motors else ""
        lines = [
            f"{self.frame!r}, task {self.task.text!r} ({self.why}) at q = {self.q.tolist()}",
            f"{state} (singular values below {self.threshold:g} of the largest count as zero)",
            f"singular values {values}; {self.scales.says}",
            f"manipulability {self.manipulability:.6g}, condition number {self.condition:.6g}",
        ]
        names = self.task.names
        if self.loose.size:
            lines += self._told_of_motors()
        for column in self.lost.T:
            lines.append(f"lost: {_combination(column, names)}")
        for column in self.resisted.T:
            lines.append(f"resisted without torque: {_combination(column, _loads(names))}")
        if self._loses_rank:
            for column in self.undone.T:
                lines.append(f"moves nothing: {_combination(column, self.joints)}")
        return "\n".join(lines)

    def _told_of_motors(self) -> list[str]:
        own = ", ".join(self.motors) or "no motor"
        few = f"{len(self.motors)} of {self.freedoms} freedoms have a motor"
        what = "singular, type 2 (parallel)" if self.is_parallel else few
        told = [f"{what}: no torques of {own} hold it against all loads"]
        moves = self._arm.model.motion_names
        told += [f"moves while {own} stand still: {_combination(x, moves)}" for x in self.loose.T]
        return told

    __repr__ = __str__


def singularity(
    model: Model, frame: str, q: Any, task: str | None = None, length: float | None = None
) -> Singularity:
    """A frame's task at one position q (nq,)."""
    asked = f"singularity({frame!r}, q)"
    model.frame(frame)
    at = one_position(model, q, asked)
    if model.held_by:
        check_state(model, at)
    arm = chosen(model, frame, task, asked)
    J, joints, over, loose, motors, freedoms = _jacobian(arm, at)
    scales = scaled(arm, length, J.shape[1], over)
    U, s, Vt = np.linalg.svd(scales.rows[:, None] * J * scales.columns)
    least = min(*J.shape, freedoms)
    rank = int(np.sum(s > RANK_LOST * max(float(s[0]), 1e-300)))
    # of U: what no velocity has; where rows outnumber joints, not what no position ever has
    gone = U[:, rank:least] if J.shape[0] > least else U[:, rank:]
    return Singularity(
        frame,
        arm.task,
        arm.why,
        at,
        joints,
        frozen(J),
        scales,
        frozen(s[:least]),
        rank,
        RANK_LOST,
        _unit(gone / scales.rows[:, None]),
        _unit(gone * scales.rows[:, None]),
        _unit(Vt[rank:].T * scales.columns[:, None]),
        frozen(U[:, :least]),
        _unit(loose),
        motors,
        freedoms,
        arm,
    )


def manipulability(
    model: Model, frame: str, q: Any, task: str | None = None, length: float | None = None
) -> Array:
    """sqrt(det J Jᵀ) (…,) at positions (…, nq): the product of the singular values.

    Where a task mixes metres and radians, a radian counts as a length, the arm's own if none is
    given; with length=1 it is Yoshikawa's.
    """
    if model.held_by:
        raise ArgumentError(
            f"manipulability of {model.name!r} is that of free joints, and constraints hold it; "
            "singularity(frame, q) looks at one position with them"
        )
    arm = chosen(model, frame, task, "manipulability")
    J = moving_columns(arm, model.task_jacobian(frame, arm.task.text)(q))
    scales = scaled(arm, length, J.shape[-1])
    known = np.asarray(np.isfinite(J).all(axis=(-1, -2)))  # nan in, nan out
    J = np.where(known[..., None, None], J, 0.0)
    sizes = np.linalg.svd(scales.rows[:, None] * J * scales.columns, compute_uv=False)
    return np.asarray(np.where(known, np.prod(sizes, axis=-1), np.nan))


class _Driven(NamedTuple):
    """J by what drives, which that is and its unit, what no motor holds, and the freedoms."""

    J: Array
    joints: tuple[str, ...]
    over: str
    loose: Array
    motors: tuple[str, ...]
    freedoms: int


def _jacobian(arm: Arm, q: Array) -> _Driven:
    """J of the joints that move the frame; where loops hold them, of motors or of what is free."""
    X, twists = placed(arm.model, arm.frame, q)
    with np.errstate(divide="ignore", invalid="ignore"):
        rows = arm.task.rows(X)
    if not np.abs(rows).max() < STEEPEST:
        raise ArgumentError(
            f"singularity({arm.frame!r}, q): the coordinates of the task {arm.task.text!r} are "
            "singular themselves there, as Euler angles can be; rows of a pose never are"
        )
    J, none = rows @ twists, np.zeros((arm.model.nv, 0))
    if not arm.model.held_by:
        return _Driven(moving_columns(arm, J), arm.joints, "", none, (), len(arm.joints))
    N = arm.model.displacements(q)
    motions = tuple(f"motion {k + 1}" for k in range(N.shape[1]))
    motors, units = _motors(arm.model)
    if not motors:
        return _Driven(J @ N, motions, "unit of motion", none, (), N.shape[1])
    T = np.asarray(actuator_map(arm.model, q), dtype=float)
    rates = T.T @ N  # of motors, for motions of length one
    _, sizes, Vt = np.linalg.svd(rates)
    held = int(np.sum(sizes > RANK_LOST * max(float(np.abs(T).max(initial=0.0)), 1e-300)))
    if held < N.shape[1]:
        loose = N @ Vt[held:].T
        freedoms = _freedoms(arm.model, q, N) if len(motors) < N.shape[1] else N.shape[1]
        return _Driven(J @ N, motions, "unit of motion", loose, motors, freedoms)
    over = units[0] if len(set(units)) == 1 else "unit of the motors"
    return _Driven(J @ N @ np.linalg.pinv(rates), motors, over, none, motors, N.shape[1])


def _freedoms(model: Model, q: Array, N: Array) -> int:
    """Of a mechanism beside q: where branches meet, rows leave more motions free than there are."""
    rows = Rows(model)
    found = [int(N.shape[1])]
    for way in np.random.default_rng(0).normal(size=(TRIED_BESIDE, N.shape[1])) @ N.T:
        there = beside(rows, q, way[rows.free], BESIDE_BY)
        if there is not None:
            found.append(model.displacements(there).shape[1])
    return min(found)


def _motors(model: Model) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What drives a model, and units of that; none where every joint does."""
    units = ("rad" if x == "rad/s" else "m" for x in model.velocity_units)
    own = dict(zip(model.motion_names, units, strict=True))
    if model.actuators:
        kinds = {"thruster": "m", "couple": "rad"}
        moved = [kinds.get(a.kind) or own.get(a.joint, "rad") for a in model.actuators]
        return tuple(a.name for a in model.actuators), tuple(moved)
    if not model.passive:
        return (), ()
    driven = [
        model.motion_names[k]
        for b, part in zip(model.bodies, model.v_index, strict=True)
        if b.mimic is None and b.joint_name not in model.passive
        for k in range(part.start, part.stop)
    ]
    return tuple(driven), tuple(own[x] for x in driven)


def scaled(arm: Arm, length: float | None, columns: int, over: str = "") -> Scales:
    """Metres for radians, where there are both; `over` is the unit of motions of loops."""
    angular = np.array(arm.task.angular)
    slides = np.array([arm.model.velocity_units[k] == "m/s" for k in arm.moving])
    held = bool(arm.model.held_by)  # motions of loops are of hinges and slides together
    mixed_rows = bool(angular.any() and not angular.all())
    mixed_columns = bool(slides.any() and not slides.all()) and not held
    if not (mixed_rows or mixed_columns):
        unit = "rad" if angular.all() else "m"
        over = over or ("m" if slides.all() else "rad")
        if length is not None:
            raise ArgumentError(
                f"length={length!r}: the task {arm.task.text!r} of {arm.frame!r} mixes no metres "
                "and radians, and needs none"
            )
        return Scales(np.ones(len(angular)), np.ones(columns), None, f"in {unit} per {over}")
    stated = length is not None
    size = _checked(length) if stated else arm_length(arm)
    how = "as asked" if stated else _MEAN
    rows = np.where(angular, size, 1.0) if mixed_rows else np.ones(len(angular))
    scales = np.where(slides, size, 1.0) if mixed_columns else np.ones(columns)
    says = f"a radian counts as {size:.6g} m ({how})"
    return Scales(rows, scales, size, says)


def arm_length(arm: Arm) -> float:
    """The mean distance of the tip from the axes that turn it, over random positions."""
    some = random_positions(arm.model, SIZED_AT, 3)
    J = moving_columns(arm, np.stack([placed(arm.model, arm.frame, q)[1] for q in some]))
    turns = np.linalg.norm(J[:, :3], axis=1) > 1e-9
    sizes = np.linalg.norm(J[:, 3:], axis=1)[turns]
    mean = float(sizes.mean()) if sizes.size else 0.0
    return float(f"{mean:.3g}") if mean > 1e-9 else 1.0


def _checked(length: Any) -> float:
    if not isinstance(length, (int, float)) or not 0 < length < np.inf:
        raise ArgumentError(f"length is a positive number of metres, got {length!r}")
    return float(length)


def _unit(columns: Array) -> Array:
    """Columns of length one, their largest entry positive."""
    if not columns.size:
        return frozen(columns)
    columns = columns / np.linalg.norm(columns, axis=0)
    largest = np.take_along_axis(columns, np.abs(columns).argmax(axis=0)[None], axis=0)
    return frozen(np.where(np.abs(columns) < 1e-15, 0.0, columns * np.sign(largest)))


def _combination(column: Array, names: tuple[str, ...]) -> str:
    parts = [f"{x:+.4g} {name}" for x, name in zip(column, names, strict=True) if abs(x) > 1e-9]
    return " ".join(parts).removeprefix("+")


def _loads(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"F_{n}" if n in ("x", "y", "z") else f"M_{n.removeprefix('w')}" for n in names)
