"""`TransmissionAngle`: how well a coupler pushes what it drives.

At the pin between coupler and output, the angle between their lines: to the coupler's other pin and
to the output's other pin. Of an output that slides on its other joint, the line is the normal of
the slide; of a coupler that slides on the output or on what drives it, a block in a slot, the
normal of the slot. The coupler pushes along its line, the output can only move across its own: at
90° all of the force moves it, near 0° and 180° it jams (Alt's angle).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from visviva.algebra.arrays import Array, FloatArray, frozen
from visviva.describe.model.body import WORLD
from visviva.describe.model.model import Model
from visviva.drawing.curves import curve_chart
from visviva.drawing.look import COLOURS, INK, words
from visviva.equations.constraints.rows import constraint_matrix, row_slices
from visviva.equations.frames.kinematics import jacobian
from visviva.errors import ArgumentError, check_known
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
from visviva.solve.planar.pins import Pin, body_called, pins
from visviva.solve.planar.plane import Plane, plane_needed
from visviva.solve.planar.saving import save_sweep
from visviva.solve.planar.unit import joint_called
from visviva.solve.rows import RANK, directions
from visviva.solve.tracking import Beyond, beyond_limits, told_of_limits

if TYPE_CHECKING:
    from visviva.drawing.figure import Figure


@explained
@dataclass(frozen=True, eq=False, repr=False)
class TransmissionAngle:
    """`angle` (N,) in radians, from 0 to π, at values (N,) of the driven joint, and q (N, nq)."""

    name: str
    joint: str
    coupler: str
    output: str
    values: FloatArray
    angle: FloatArray
    q: FloatArray
    unit: str = "rad"  # of the values
    change_points: tuple[float, ...] = ()  # those at which branches meet
    limits: tuple[float, float] = UNLIMITED  # of the joint
    beyond: tuple[Beyond, ...] = ()  # joints that leave theirs
    notes: tuple[str, ...] = ()  # where it begins, if nobody stated that

    @property
    def deviation(self) -> FloatArray:
        """|90° - angle| (N,) in radians."""
        return np.asarray(np.abs(np.pi / 2 - self.angle))

    @property
    def worst(self) -> int:
        """Which of the values has the largest deviation."""
        return int(self.deviation.argmax())

    def plot(self) -> Figure:
        """The angle in degrees over the joint; 45° to 135°, which designers keep to, is shaded."""
        line = (self.values, np.degrees(self.angle), "")
        title = f"{self.name}: {self.coupler} on {self.output}"
        over = f"{words(self.joint)} [{self.unit}]"
        fig = curve_chart(title, [line], over, "transmission angle [degrees]")
        fig.add_hrect(y0=45, y1=135, fillcolor=COLOURS[2], opacity=0.12, line_width=0)
        fig.add_hline(y=90, line_dash="dot", line_width=1, line_color=INK)
        fig.update_yaxes(range=[0, 180], dtick=45)
        return fig

    def save(self, path: Any) -> None:
        """As `.csv` (joint, angle in radians, the same in degrees), `.svg` or `.html`."""
        head = [self.joint, "angle", "angle_in_degrees"]
        save_sweep(self, path, head, [self.values, self.angle, np.degrees(self.angle)], None)

    def __repr__(self) -> str:
        low, high = np.degrees([self.angle.min(), self.angle.max()])
        k = self.worst
        return (
            f"transmission angle of {self.name}, {self.coupler} on {self.output}: from {low:.4g}° "
            f"to {high:.4g}°; furthest from 90° at {self.joint} = {self.values[k]:.6g}, "
            f"{np.degrees(self.angle[k]):.4g}°{told_of_changes(self.joint, self.change_points)}"
            f"{told_of_limits(self.joint, self.beyond)}{notes_as_text(self.notes)}"
        )


def transmission_angle(
    model: Any,
    joint: str,
    values: Any,
    *,
    coupler: str = "",
    output: str = "",
    q0: Any = None,
    fixed: Any = None,
) -> TransmissionAngle:
    """Along the motion; `Model.transmission_angle` says what may be asked."""
    joint = joint_called(model, "transmission_angle", joint)
    held, values = with_fixed(model, joint, fixed), values_of(model, joint, values)
    q, _, _, changes, notes = moving(held, joint, values, begun(model, joint, q0, fixed))
    m: Model = held.numeric
    plane = plane_needed(m, q[0], "transmission_angle")
    geared = _geared(m, q[0], joint)
    chain = _chain(m, _grounded(m, pins(m, q[0]), fixed or ()), joint, coupler, output, geared)
    angle = frozen([_angle(pins(m, x), chain, plane) for x in q])
    body, out = body_called(m, chain.coupler), body_called(m, chain.output)
    wanted = frozen(np.array(values, dtype=float))
    unit = m.coordinate_units[m.joint_slices[joint][0].start]
    q = frozen(q)
    limits, beyond = limits_of(m, joint), beyond_limits(m, joint, wanted, q)
    return TransmissionAngle(
        m.name, joint, body, out, wanted, angle, q, unit, changes, limits, beyond, notes
    )


@dataclass(frozen=True)
class _Chain:
    """Numbers of bodies, and of the pins: input to coupler, coupler to output, output further."""

    coupler: int
    output: int
    first: int
    middle: int
    last: int


def _grounded(m: Model, joined: Sequence[Pin], fixed: Iterable[str]) -> list[Pin]:
    """Bodies on joints that are held, and stand on the ground, are ground.

    What floats, on a joint that moves in several ways at once, stands on nothing.
    """
    ground = {WORLD}
    for i, b in enumerate(m.bodies):
        if b.joint_name in fixed and b.parent in ground:
            ground.add(i)

    def seen(body: int) -> int:
        return WORLD if body in ground else body

    ways = {b.joint_name: b.joint.subspace(b.joint.neutral()) for b in m.bodies}
    floats = {x for x, S in ways.items() if np.linalg.matrix_rank(np.asarray(S)[3:]) > 1}
    return [
        replace(p, bodies=(WORLD, WORLD))
        if p.name in floats
        else replace(p, bodies=(seen(p.bodies[0]), seen(p.bodies[1])))
        for p in joined
    ]


def _geared(m: Model, q: Array, joint: str) -> set[int]:
    """Bodies that formulas and followers move with the driven joint, without any coupler."""
    A = np.asarray(constraint_matrix(m, q), dtype=float)
    slices = row_slices(m)
    kept = [range(len(A))[slices[x.name]] for x in m.constraints.active if not x.frames]
    rows = A[[k for part in kept for k in part]]
    others = np.delete(np.arange(m.nv), range(m.nv)[m.joint_slices[joint][1]])
    N, _ = directions(rows[:, others])
    J = [np.asarray(jacobian(m, b.name, q), dtype=float) for b in m.bodies]
    free = [np.abs(x[:, others] @ N).max(initial=0.0) for x in J]
    return {i for i, x in enumerate(free) if x < RANK and i != m.joint_index(joint)}


def _chain(
    m: Model,
    joined: Sequence[Pin],
    joint: str,
    coupler: str,
    output: str,
    geared: Collection[int] = (),
) -> _Chain:
    """What is named, and the rest where there is one way only; what is geared only if named."""
    for what, name in (("coupler", coupler), ("output", output)):
        if name:
            check_known(f"{what} of {m.name!r}", name, m.body_names)
    crank = m.joint_index(joint)
    known = []
    for k, middle in enumerate(joined):
        for c in middle.bodies:
            o = middle.other(c)
            if WORLD in (c, o) or crank in (c, o):
                continue
            if (c in geared and not coupler) or (o in geared and not output):
                continue
            if (coupler and m.bodies[c].name != coupler) or (output and m.bodies[o].name != output):
                continue
            firsts = _further(joined, k, c, crank)
            lasts = _further(joined, k, o, WORLD)
            if not output and not any(WORLD in joined[i].bodies for i in lasts):
                continue  # an output stands on the ground unless another one is named
            known += [_Chain(c, o, i, k, j) for i in firsts for j in lasts]
    if len(known) == 1:
        return known[0]
    pairs = sorted({f"{m.bodies[x.coupler].name!r} on {m.bodies[x.output].name!r}" for x in known})
    there = f"there are {', '.join(pairs)}" if pairs else "there is none"
    if geared and not pairs:
        names = ", ".join(repr(m.bodies[i].name) for i in sorted(geared))
        there += f" ({names} goes with {joint!r} without a coupler)"
    line, way = "", f": name coupler= and output= of {', '.join(map(repr, m.body_names))}"
    named = [(k, x) for k, p in enumerate(joined) for x in _apart(p, crank)]
    if not any(_further(joined, k, x, WORLD) for k, x in named):
        way = ", and nothing can be named as one; there is how fast others move with the joint"
        line = f"model.driving_torque({joint!r}, speed=1.0).v"
    raise ArgumentError(
        f"a coupler is joined to an output that it drives, and further to another body; of "
        f"{m.name!r}, driven by {joint!r}, {there}{way}",
        cure=line,
    )


def _apart(pin: Pin, crank: int) -> tuple[int, ...]:
    """The bodies of a pin that may be a coupler and its output."""
    return () if {WORLD, crank} & {*pin.bodies} else pin.bodies


def _further(joined: Sequence[Pin], middle: int, body: int, wanted: int) -> list[int]:
    """The other pins of a body; the one to `wanted` alone if there is such."""
    others = [i for i, p in enumerate(joined) if i != middle and body in p.bodies]
    best = [i for i in others if wanted in joined[i].bodies]
    return best or others


def _angle(joined: Sequence[Pin], chain: _Chain, plane: Plane) -> float:
    first, middle, last = (joined[k] for k in (chain.first, chain.middle, chain.last))
    slots = [p for p in (middle, first) if p.along.any()]
    one = _across(slots[0], plane) if slots else plane.flat(first.at - middle.at)
    # a block is pushed at its pin, wherever the frames of its slot are
    at = first.at if middle.along.any() else middle.at
    other = _across(last, plane) if last.along.any() else plane.flat(last.at - at)
    across = one[0] * other[1] - one[1] * other[0]
    return float(np.arctan2(abs(across), one @ other))


def _across(slide: Pin, plane: Plane) -> Array:
    """The normal of a slide, in the plane."""
    x, y = plane.flat(slide.along)
    return np.array([-y, x])
