"""`DrivingTorque`: what it takes to drive a linkage by one joint.

Constraints do no work, so the power of the one motor is that of all forces that are needed if
nothing held the tree together: τ = w · (M a + C v + g + b - Jᵀ F), w the velocities of all joints
for a unit of the driven one's (virtual work).
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from visviva.algebra.arrays import Array, FloatArray, frozen
from visviva.describe.model.model import Model
from visviva.drawing.curves import curve_chart
from visviva.drawing.look import words
from visviva.equations.forces.forces import has_dry_friction
from visviva.errors import ArgumentError
from visviva.foreign import explained
from visviva.solve.planar.curves import (
    UNLIMITED,
    begun,
    limits_of,
    moving,
    notes_as_text,
    values_of,
    with_fixed,
)
from visviva.solve.planar.meeting import told_of_changes
from visviva.solve.planar.saving import save_sweep
from visviva.solve.planar.unit import joint_called
from visviva.solve.rows import finite
from visviva.solve.tracking import Beyond, beyond_limits, told_of_limits

if TYPE_CHECKING:
    from visviva.drawing.figure import Figure

_KEPT = 1e-9  # of limits: what rounding may leave beyond them


@explained
@dataclass(frozen=True, eq=False, repr=False)
class DrivingTorque:
    """`torque` (N,) of a joint at its values (N,), and q, v, a (N, …) of the motion.

    In N m of a joint that turns, in N of one that slides; nan where the mechanism jams.
    """

    name: str
    joint: str
    values: FloatArray
    torque: FloatArray
    q: FloatArray
    v: FloatArray
    a: FloatArray
    speed: float
    unit: str = "rad"  # of the values
    change_points: tuple[float, ...] = ()  # those at which branches meet
    limits: tuple[float, float] = UNLIMITED  # of the joint
    driven: int = 0  # which entry of v is the joint's
    loads: Mapping[str, FloatArray] = field(default_factory=dict)  # (moment, force) at frames
    held: Model | None = None  # the linkage, with joints that `fixed` holds
    beyond: tuple[Beyond, ...] = ()  # joints that leave their limits
    notes: tuple[str, ...] = ()  # limits that are left, what is not in it, the branch

    @cached_property
    def tau(self) -> FloatArray:
        """The torque among those of all joints (N, nv); a warning says that loads act besides."""
        if self.loads:
            axes = dict.fromkeys(self.loads, "world")
            warnings.warn(
                f"tau of the drive of {self.name} is not all that acts: {self._told_of_loads} is "
                "besides. .reactions has it in; model.reactions(q, v, tau) leaves it out, and "
                f"model.function('reactions', wrenches={axes}) takes it",
                UserWarning,
                stacklevel=3,  # beyond the property, which asks once
            )
        return self._every

    @property
    def _told_of_loads(self) -> str:
        return f"the load at {', '.join(map(repr, self.loads))}"

    @property
    def _every(self) -> FloatArray:
        every = np.zeros_like(self.v)
        every[:, self.driven] = self.torque
        return frozen(every)

    @cached_property
    def reactions(self) -> FloatArray:
        """(moment, force) in every joint and loop (N, rows, 6), as `model.reactions`, under loads.

        Each in axes of what it acts on; nan where the mechanism jams.
        """
        f = cast(Model, self.held).function(
            "reactions", wrenches=dict.fromkeys(self.loads, "world")
        )
        given = {"q": self.q, "v": self.v, "tau": self._every, "t": np.zeros(len(self.q))}
        acting = np.array([*self.loads.values()]).reshape(1, -1, 6)
        given["wrenches"] = np.repeat(acting, len(self.q), axis=0)
        return frozen(np.asarray(f(*(given[x] for x in f.inputs))))

    @property
    def worst(self) -> int:
        """Which of the values takes most."""
        return int(np.nanargmax(np.abs(self.torque)))

    @property
    def _of(self) -> str:
        return "N m" if self.unit == "rad" else "N"

    def plot(self) -> Figure:
        """The torque over the joint. (plotly)"""
        title = f"{self.name}: drive at {self.joint}, {self.speed:.4g} {self.unit}/s"
        over = f"{words(self.joint)} [{self.unit}]"
        lines = [(self.values, self.torque, "")]
        return curve_chart(title, lines, over, f"driving torque [{self._of}]")

    def save(self, path: Any) -> None:
        """As `.csv` (joint, torque, then q, v and a), `.svg` or `.html`, in SI units."""
        head = [self.joint, "torque"]
        head += [
            f"{x}{k}"
            for x, y in zip("qva", (self.q, self.v, self.a), strict=True)
            for k in range(1, y.shape[1] + 1)
        ]
        save_sweep(self, path, head, [self.values, self.torque, self.q, self.v, self.a], None)

    def __repr__(self) -> str:
        if np.isnan(self.torque).all():
            return f"driving torque of {self.name} at {self.joint}: it jams at all values (nan)"
        k = self.worst
        low, high = np.nanmin(self.torque), np.nanmax(self.torque)
        return (
            f"driving torque of {self.name} at {self.joint}, {self.speed:.4g} {self.unit}/s: from "
            f"{low:.4g} to {high:.4g} {self._of}; largest at {self.joint} = {self.values[k]:.6g}, "
            f"{self.torque[k]:.4g} {self._of}{told_of_changes(self.joint, self.change_points)}"
            f"{told_of_limits(self.joint, self.beyond)}"
            + notes_as_text(self.notes)
            + (f"; {self._told_of_loads} is in it and in .reactions" if self.loads else "")
        )


def driving_torque(
    model: Any,
    joint: str,
    values: Any,
    *,
    speed: float,
    loads: Mapping[str, Array],
    q0: Any,
    fixed: Any,
) -> DrivingTorque:
    """Along the motion; `Model.driving_torque` says what may be asked."""
    joint = joint_called(model, "driving_torque", joint)
    if np.ndim(speed):
        raise ArgumentError(
            f"driving_torque: speed is one number, got {np.shape(speed)}: one call for each speed, "
            "or actuator_forces(q, v, a) for any motion (q, v, a of what is found are its)"
        )
    (rate,) = finite("driving_torque: speed", [speed], 1)
    if "t" in model.constraint_drift.inputs:
        raise ArgumentError(
            f"driving_torque: constraints of {model.name!r} move with time and do work themselves; "
            "actuator_forces(q, v, a, t) has the forces of motors beside them"
        )
    held, values = with_fixed(model, joint, fixed), values_of(model, joint, values)
    m: Model = held.numeric
    q, way, bent, changes, notes = moving(held, joint, values, begun(model, joint, q0, fixed))
    v, a = rate * way, rate**2 * bent
    forces = np.asarray(model.inverse_dynamics(q, v, a))
    for frame, load in loads.items():
        forces = forces - np.einsum("nij,i->nj", np.asarray(model.jacobian(frame)(q)), load)
    torque = np.einsum("ni,ni->n", way, forces)
    wanted = frozen(np.array(values, dtype=float))
    unit = m.coordinate_units[m.joint_slices[joint][0].start]
    torque, q, v, a = (frozen(x) for x in (torque, q, v, a))
    limits, at = limits_of(m, joint), m.joint_slices[joint][1].start
    found = DrivingTorque(
        m.name, joint, wanted, torque, q, v, a, float(rate), unit, changes, limits, at, loads, held
    )
    notes = (*_notes(m, found), *notes)
    return replace(found, beyond=beyond_limits(m, joint, wanted, q), notes=notes)


def _notes(m: Model, found: DrivingTorque) -> list[str]:
    """Where it takes more than the joints are stated to give, and that friction may hold it."""
    notes, joint = [], found.joint
    effort, speeds = float(m.effort_limits[found.driven]), m.velocity_limits
    over = found.values[np.abs(found.torque) > effort * (1 + _KEPT)]
    if len(over):
        notes.append(
            f"the torque is more than the effort of {joint}, {effort:.6g} {found._of}, at "
            f"{joint} = {_from_to(over)}"
        )
    for k in np.flatnonzero((np.abs(found.v) > speeds * (1 + _KEPT)).any(axis=0)):
        fast = found.values[np.abs(found.v[:, k]) > speeds[k] * (1 + _KEPT)]
        notes.append(
            f"{m.motion_names[k]} is faster than its velocity limit, {speeds[k]:.6g} "
            f"{m.velocity_units[k]}, at {joint} = {_from_to(fast)}"
        )
    if not found.speed and has_dry_friction(m):
        notes.append("dry friction, which can take part of the torque at rest, is not counted")
    return notes


def _from_to(values: Array) -> str:
    low, high = float(values.min()), float(values.max())
    return f"{low:.6g}" if low == high else f"{low:.6g} to {high:.6g} ({len(values)} values)"
