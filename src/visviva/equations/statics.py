"""Forces at rest: by virtual work, and force systems reduced to one wrench.

The other road to the same joint forces, the balance of link after link, is the recursion of
`forces.reactions` without motion. Here no link is balanced: every force does
its work along the Jacobian of the point at which it acts, τ · δq = Σ F · δx + δV.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, FloatArray, vector
from visviva.algebra.diff import slopes
from visviva.describe.model.model import Model
from visviva.equations.forces.forces import spring_energy
from visviva.equations.frames.kinematics import jacobian
from visviva.errors import ArgumentError, ShapeError
from visviva.space.rotations import cross

Exerted = tuple[
    str, Any, Any
]  # frame, point in it (None: its origin), (moment, force) in world axes


def holding_forces(model: Model, q: Any, exerted: Sequence[Exerted] = ()) -> Array:
    """τ = Σ Jᵀ F + G(q) + ∂V/∂q of springs: what holds the mechanism while it exerts loads.

    F is exerted by the robot on what it touches; weights act on the robot, so
    that G = -Σ m J_cᵀ g.
    """
    q = vector(q)
    tau = vector([0.0] * model.nv)
    for frame, point, wrench in exerted:
        W = vector(wrench)
        if W.shape != (6,):
            raise ShapeError(f"a wrench is (moment, force), 6 numbers; got shape {W.shape}")
        tau = tau + jacobian(model, frame, q, "world", point).T @ W
    for b in model.bodies:
        J = jacobian(model, b.name, q, "world", b.inertia.com)[3:]
        tau = tau - J.T @ (np.asarray(model.gravity) * b.inertia.mass)
    if model.springs:
        tau = tau + slopes(lambda x: vector(spring_energy(model, x)), q) @ model.tangent(q)
    return vector(tau)


@dataclass(frozen=True, eq=False)
class ForceSystem:
    """A force system as one force at a point and one moment, and its central axis.

    About points of the central axis the moment is parallel to the force: `pitch` times it. Where
    the forces add up to none, only the moment is left, the same about all points: `direction` is
    zero and `axis_point` the point of reduction.
    """

    point: FloatArray
    force: FloatArray
    moment: FloatArray
    axis_point: FloatArray
    direction: FloatArray
    pitch: Any

    def about(self, point: Any) -> ForceSystem:
        """The same system, reduced to another point: M_P = M_A + (r_A - r_P) × f."""
        P = _three("point", point)
        return reduced(P, self.moment + cross(self.point - P, self.force), self.force)

    def wrench(self, order: str = "moment first") -> FloatArray:
        """(moment, force), or (force, moment)."""
        return ordered(np.concatenate([self.moment, self.force]), order)

    def __repr__(self) -> str:
        def text(x: Any) -> str:
            return f"({', '.join(f'{float(y):.6g}' for y in x)})"

        lines = [f"force {text(self.force)} N and moment {text(self.moment)} N m"]
        lines[0] += f" at {text(self.point)} m"
        if self.direction.any():
            lines.append(
                f"central axis through {text(self.axis_point)} m along {text(self.direction)}, "
                f"pitch {float(self.pitch):.6g} m"
            )
        return "\n".join(lines)


def reduced(point: Any, moment: Any, force: Any) -> ForceSystem:
    """A wrench at a point, with its central axis: the line where the moment is along the force.

    The axis passes through r + f × M / f², and the pitch is f · M / f².

    Examples:
        >>> reduced([0, 0, 0], [0, 0, 2.0], [0, 4.0, 0]).axis_point
        array([0.5, 0. , 0. ])
    """
    r, M, f = _three("point", point), _three("moment", moment), _three("force", force)
    square = f @ f
    if square == 0:
        return ForceSystem(r, f, M, r, f * 0.0, 0.0)
    return ForceSystem(r, f, M, r + cross(f, M) / square, f / (square**0.5), (f @ M) / square)


ORDERS = ("moment first", "force first")


def ordered(wrench: Any, order: str) -> Array:
    """A wrench (moment, force) in the order that is asked for, or from that order back.

    Lynch and Park have moments first, Tang's slides on robotic arms have forces first.
    """
    if order not in ORDERS:
        raise ArgumentError(f"order is one of {', '.join(map(repr, ORDERS))}; got {order!r}")
    W = vector(wrench)
    return W if order == ORDERS[0] else np.concatenate([W[3:], W[:3]])


def _three(what: str, x: Any) -> Array:
    array = vector(x)
    if array.shape != (3,):
        raise ShapeError(f"{what} has 3 coordinates, got shape {array.shape}")
    return array
