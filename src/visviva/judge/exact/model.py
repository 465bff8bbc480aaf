"""A model over exact scalars: its numbers become symbols, its angles sines and cosines of a ring.

Angles of hinges with parallel axes are added up: the ring has cos(q1 + q2) rather than the products
that make it, so that sums of ten angles stay one term. Fixed rotations that are no fractions get an
angle of their own.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.algebra.exact.poly import Poly, Quotient
from visviva.algebra.exact.rationals import as_fmpq
from visviva.algebra.exact.ring import Ring
from visviva.algebra.expr import Expr, names_in, reachable
from visviva.describe.joints.joint import Joint
from visviva.describe.model.body import WORLD
from visviva.describe.model.model import Model
from visviva.describe.model.stiffness import Stiffness
from visviva.describe.names import TIME_NAME, Motion, motion
from visviva.describe.values import leaves
from visviva.equations.forces.forces import has_dry_friction, has_stribeck
from visviva.equations.parameters.parameters import parameter_names, parameter_values, with_symbols
from visviva.errors import ArgumentError, OutsideError
from visviva.notation.names import fresh, inside
from visviva.space.euler import euler_angles
from visviva.space.poses import Pose
from visviva.space.rotations import about_axis

TURNS = ("yaw", "pitch", "roll")
TURNED = 8 * math.ulp(math.pi)  # rotations that are multiplied lose so much
NEARLY = 1e-3  # of angles that were typed with too few digits
LARGEST_RATIO = 12  # denominator of a gear ratio that is taken for a fraction


@dataclass(frozen=True, eq=False)
class Exact:
    """A model with `Poly` for numbers, and its coordinates, velocities and accelerations."""

    model: Model
    ring: Ring
    q: Array
    v: Array
    a: Array
    values: Mapping[str, float]  # of the parameters that became symbols
    names: Motion
    t: Any = None  # time, where a constraint moves by itself

    @property
    def gravity(self) -> Array:
        """The acceleration of gravity, as the model has it."""
        return self.model.gravity


def exact(model: Model, symbols: Iterable[str] | None = None, signed: bool = False) -> Exact:
    """The model over a ring; `symbols` names the parameters to keep, all of them if it is None.

    `signed`: the ring has symbols for the signs of velocities.
    """
    asked = tuple(parameter_names(model) if symbols is None else symbols)
    values = dict(zip(asked, map(float, parameter_values(model, asked)), strict=True))
    zero = {} if model.parameters else {k: x for k, x in values.items() if x == 0.0}
    kept = {k: x for k, x in values.items() if k not in zero}
    names = motion(model.bodies, model.parameters)
    coordinates, rates, second = names.q, names.v, names.a
    fixed = _FixedTurns(model, {*coordinates, *rates, *second, *kept})
    angles = {**_joint_angles(model, coordinates), **fixed.angles, **_angles_among(model, kept)}
    time = [TIME_NAME] if any(x.is_moving for x in model.constraints.active) else []
    signs = {v: inside("sign", v) for v in rates} if signed else {}
    every = [*coordinates, *rates, *second, *kept, *fixed.angles, *signs.values(), *time]
    ring = Ring(every, angles, signs)
    over = {k: ring[k] for k in kept}
    turned = fixed.applied(ring)
    over_ring = with_symbols(turned, tuple(over), tuple(over.values()))
    over_ring = replace(over_ring, parameters={}).mapped(lambda x: _kept_exact(x, ring))
    q, v, a = (np.array([ring[k] for k in x], dtype=object) for x in (coordinates, rates, second))
    t = ring[TIME_NAME] if time else None
    return Exact(over_ring, ring, q, v, a, {**kept, **fixed.values}, names, t)


def _kept_exact(x: Any, ring: Ring) -> Any:
    """Numbers enter the ring before they are multiplied: 0.4² is 0.16 there."""
    if isinstance(x, Quotient):
        return x.top if x.bottom == 1 else x  # a parameter divides, as in rest = "-preload/k"
    return x if isinstance(x, Poly) or x in (0, 1, -1) else ring.number(x)


def _joint_angles(model: Model, coordinates: Sequence[str]) -> dict[str, dict[str, int]]:
    """Each angle as a sum of base angles, which are added up along parallel axes.

    A base has the name of the last coordinate that is in it.
    """
    angles: dict[str, dict[str, int]] = {}
    ratios = _ratios(model)
    bases: list[
        tuple[str, Array] | None
    ] = []  # the turn that a body's frame has made, and its axis
    for i, b in enumerate(model.bodies):
        up = None if b.parent == WORLD else bases[b.parent]
        own = [coordinates[k] for k in range(model.q_index[i].start, model.q_index[i].stop)]
        turns = [c for c, angular in zip(own, b.joint.angular, strict=True) if angular]
        axis = _turn_axis(b.joint)
        bases.append(None)
        if up is not None and not b.joint.turns:
            bases[i] = (up[0], b.placement.R.T @ up[1])
        if not turns:
            continue
        if len(turns) > 1 or axis is None or ratios.get(turns[0], 1) != 1 or b.mimic is not None:
            for c in turns:
                k = ratios.get(c, 1)
                angles.setdefault(c, {c: k})
            continue
        (c,) = turns
        sign = 0 if up is None else _parallel(b.placement.R.T @ up[1], axis)
        if sign and up is not None:
            angles[c] = {c: sign, up[0]: -sign}
            bases[i] = (c, axis * sign)
        else:
            angles[c] = {c: 1}
            bases[i] = (c, axis)
    return angles


def _turn_axis(joint: Joint) -> Array | None:
    """Of a joint with one angle, the axis that it keeps while the angle grows."""
    if sum(joint.angular) != 1 or not (joint.has_rates and joint.constant_subspace):
        return None
    return joint.subspace(joint.neutral())[:3, joint.angular.index(True)]


def _parallel(a: Any, b: Any) -> int:
    """1 or -1 where two unit vectors are parallel, 0 where they are not, or not surely."""
    if any(isinstance(x, Expr) for x in (*a, *b)):
        return 0
    along = float(np.dot(np.asarray(a, float), np.asarray(b, float)))
    return 0 if abs(abs(along) - 1.0) > 1e-12 else int(np.sign(along))


def _ratios(model: Model) -> dict[str, int]:
    """The common denominator of the gear ratios of the joints that follow each joint."""
    ratios: dict[str, int] = {}
    for b in model.numeric.bodies:
        if b.mimic is not None:
            part = Fraction(float(b.mimic.multiplier)).limit_denominator(LARGEST_RATIO)
            k = ratios.get(b.mimic.joint, 1)
            ratios[b.mimic.joint] = int(np.lcm(k, part.denominator))
    return ratios


def _angles_among(model: Model, kept: Mapping[str, float]) -> dict[str, dict[str, int]]:
    """The parameters that stand inside a sine or cosine."""
    nodes = reachable(x for x in leaves(model) if isinstance(x, Expr))
    angles = names_in(a for node in nodes if node.op in ("sin", "cos") for a in node.args)
    return {name: {name: 1} for name in kept if name in angles}


class _FixedTurns:
    """Placements that turn by an angle whose sine is no fraction: angles by name.

    They are those of Rz(yaw) Ry(pitch) Rx(roll) that are not zero.
    """

    def __init__(self, model: Model, taken: set[str]) -> None:
        self.model = model
        self.values: dict[str, float] = {}
        self.turns: dict[int, dict[str, Any]] = {}  # axes by name
        for i, b in enumerate(model.bodies):
            R = b.placement.R
            if any(isinstance(x, Expr) for x in R.ravel()) or _is_exact(R):
                continue
            angles = euler_angles(np.asarray(R, float), "ZYX")
            self.turns[i] = {}
            for kind, angle, axis in zip(TURNS, angles, np.eye(3)[::-1], strict=True):
                if angle != 0:
                    name = fresh(f"{kind}_{b.joint_name}", taken)
                    taken.add(name)
                    self.turns[i][name] = axis
                    self.values[name] = float(angle)
        self.angles = {name: {name: 1} for name in self.values}

    def applied(self, ring: Ring) -> Model:
        """The model with those placements written in sines and cosines."""
        bodies = list(self.model.bodies)
        for i, axes in self.turns.items():
            R: Any = np.eye(3)
            for name, axis in axes.items():
                R = R @ about_axis(axis, ring[name])
            bodies[i] = replace(bodies[i], placement=Pose(R, bodies[i].placement.p))
        return replace(self.model, bodies=tuple(bodies)) if self.turns else self.model


def _is_exact(R: Any) -> bool:
    """Whether the decimals are a rotation, not nearly one."""
    rows = [[as_fmpq(x) for x in row] for row in R]
    return all(
        a[0] * b[0] + a[1] * b[1] + a[2] * b[2] == (i == j)
        for i, a in enumerate(rows)
        for j, b in enumerate(rows)
    )


def polynomial(x: Any, ring: Ring) -> Poly:
    """A scalar that came out of an algorithm, as an element of the ring."""
    if isinstance(x, Poly):
        return x
    if isinstance(x, Quotient) and x.bottom != 1:
        raise OutsideError(
            f"{x!s:.200} is a fraction, no polynomial in symbols, sines and cosines{_way(x, ring)}"
        )
    return x.top if isinstance(x, Quotient) else ring.number(x)


def _way(x: Quotient, ring: Ring) -> str:
    """What to do where parameters divide: they are numbers, or the fraction has a name."""
    names = {str(g) for powers, _ in x.bottom.terms() for g in powers}
    if not names <= set(ring.symbols):
        return ""
    said = ", ".join(sorted(names))
    return (
        f": the model's formulas divide by {said}. symbols=[…] without {said} keeps a number "
        "there; or give the fraction a name of its own, as a parameter"
    )


def frame_of_tip(model: Model) -> str:
    """The frame that is meant where none is named: the last one of the last body that has any."""
    frames = model.frame_names
    return max(frames, key=lambda name: (model.frame(name).body, frames.index(name)))


def refused(model: Model) -> str:
    """What the model has that its closed form has not."""
    if any(s.is_spatial and np.ndim(s.turning) for s in model.springs):
        return "it has elements that resist turning, whose rotation vectors have no closed form"
    if any(s.frames and isinstance(s.stiffness, Stiffness) for s in model.springs):
        return (
            "it has springs between frames whose stiffness depends on their length, whose forces "
            "have square roots of distances in them and no closed form of this kind"
        )
    if has_stribeck(model):
        return "its friction falls with the speed (stiction, stribeck), which has no closed form"
    if any(s.frames and s.is_damped for s in model.numeric.springs):
        return "it has dampers between frames, which are not in its closed form"
    if any(s.frames and not s.is_spatial and s.rest != 0 for s in model.numeric.springs):
        return (
            "it has springs between frames with a length at rest, whose forces have square roots "
            "of distances in them and no closed form of this kind"
        )
    return ""


def not_polynomial(model: Model) -> list[str]:
    """What the model has and polynomials have not."""
    dampers = any(s.frames and s.is_damped for s in model.numeric.springs)
    left_out = {
        "Coulomb friction": has_dry_friction(model.numeric),
        "Stribeck friction": has_stribeck(model),
        "dampers between frames": dampers,
    }
    return [x for x, there in left_out.items() if there]


def fixed_turn(name: str, angle: float, model: Model) -> Fraction:
    """The angle of a fixed rotation in π, where it is a multiple of 15° but for rounding."""
    turns = Fraction(round(angle / math.pi * 12), 12)
    off = abs(float(turns) * math.pi - angle)
    if off <= TURNED:
        return turns
    near = f", but {off:.1e} rad off {turns * 180}°" if off < NEARLY else ""
    raise ArgumentError(
        f"{model.name!r} has a frame turned by {angle:.6g} rad ({name}), which is no multiple of "
        f"15°{near}: give that angle {'all its digits, or ' if near else ''}a name, as a "
        "parameter, for its equations to be judged"
    )
