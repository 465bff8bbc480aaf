"""Actuators anywhere on a mechanism: u = T(q) f, and what limits on f mean for u.

T f = M a + C v + g + b is (10.11) of Choset et al., *Principles of Robot Motion*. The column of a
thruster is the transpose of the Jacobian of its point, times its direction (10.12).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, FloatArray, vector
from visviva.describe.model.actuator import Actuator, motor_velocity
from visviva.describe.model.model import Model
from visviva.describe.model.positions import sized
from visviva.equations.forces.forces import generalized_force
from visviva.errors import ActuationError, ArgumentError, ShapeError


def actuator_map(model: Model, q: Any) -> Array:
    """T(q), n × k, with u = T f for k actuators.

    A model that names none has one at every velocity, also at those of a free base, but for its
    passive joints: T is the identity, or those of its columns.
    """
    if not model.actuators:
        return np.eye(model.nv)[:, _driven(model)]
    return np.stack([_column(model, a, q) for a in model.actuators], axis=1)


def _driven(model: Model) -> list[int]:
    """The velocities of joints that are not passive."""
    return [
        k
        for b, where in zip(model.bodies, model.v_index, strict=True)
        if b.mimic is None and b.joint_name not in model.passive
        for k in range(where.start, where.stop)
    ]


def _column(model: Model, a: Actuator, q: Any) -> Array:
    """What the actuator's unit of force does to each velocity."""
    if a.kind == "motor":
        i = model.joint_index(a.joint)
        mimic = model.bodies[i].mimic
        column: list[Any] = [0.0] * model.nv
        ratio = 1.0 if mimic is None else mimic.multiplier
        column[model.v_index[i].start + motor_velocity(model, a)] = a.gear * ratio
        return vector(column)
    none = np.zeros(3)
    pair = [none, a.direction] if a.kind == "thruster" else [a.direction, none]
    return generalized_force(model, a.frame, q, np.concatenate(pair), a.axes, a.point)


@dataclass(frozen=True, eq=False)
class Actuation:
    """What the actuators can do at one position.

    f lies between `lower_f` and `upper_f`. `lower` and `upper` are the tightest limits of each
    entry of u = T f alone; which u are possible together, `within` tells. `rank` and `condition`
    are those of T, whose rows may have different units; where `rank` is less than the number of
    velocities, some u cannot be made at all.
    """

    T: FloatArray
    lower_f: FloatArray
    upper_f: FloatArray
    rank: int
    condition: float

    @classmethod
    def of(cls, T: Any, lower_f: Any, upper_f: Any) -> Actuation:
        """From the map and the limits of the actuators."""
        T = np.asarray(T, dtype=float)
        if not np.isfinite(T).all():
            raise ArgumentError("the map of the actuators has entries that are not finite")
        n, k = T.shape
        sizes = np.linalg.svd(T, compute_uv=False)
        largest = sizes.max(initial=0.0)
        rank = int(np.sum(sizes > largest * max(n, k) * np.finfo(float).eps))
        condition = largest / sizes[-1] if 0 < n <= k and rank == n else np.inf
        lower, upper = np.asarray(lower_f, dtype=float), np.asarray(upper_f, dtype=float)
        return cls(T, lower, upper, rank, float(condition))

    @property
    def lower(self) -> FloatArray:
        """The least value of each entry of u."""
        return _least(self.T, self.lower_f, self.upper_f)

    @property
    def upper(self) -> FloatArray:
        """The largest value of each entry of u."""
        return 0.0 - _least(-self.T, self.lower_f, self.upper_f)

    @property
    def full_rank(self) -> bool:
        """Whether every u can be made, limits aside."""
        return self.rank == len(self.T)

    def forces(self, u: Any) -> FloatArray:
        """f with T f = u: the virtual actuators u become real ones.

        f = T⁻¹ u; with more actuators than velocities, the smallest of all such f.
        """
        n, k = self.T.shape
        given = np.asarray(u, dtype=float)
        if given.shape != (n,):
            raise ShapeError(f"u has {n} entries, got shape {given.shape}")
        if not self.full_rank:
            raise ActuationError(
                f"{k} actuators make {self.rank} of {n} generalized forces at this position: "
                "no f gives every u"
            )
        if n == k:
            return np.asarray(np.linalg.solve(self.T, given))
        return np.asarray(np.linalg.lstsq(self.T, given, rcond=None)[0])

    def within(self, u: Any, tolerance: float = 1e-12) -> bool:
        """Whether the f that makes u is within its limits; T must be square.

        `tolerance` is relative to the size of f and of its limits.
        """
        n, k = self.T.shape
        if n != k:
            raise ArgumentError(
                f"f follows from u where there are as many actuators as velocities; got {k} and {n}"
            )
        f = self.forces(u)
        slack = tolerance * max(1.0, np.abs(f).max(initial=0.0))
        return bool(np.all((f >= self.lower_f - slack) & (f <= self.upper_f + slack)))

    def __repr__(self) -> str:
        n, k = self.T.shape
        lines = [f"{k} actuators, {n} velocities, rank {self.rank}, condition {self.condition:.4g}"]
        if not self.full_rank:
            lines.append(f"rank lost: {n - self.rank} of {n} generalized forces cannot be made")
        ends = enumerate(zip(self.lower, self.upper, strict=True), 1)
        return "\n".join([*lines, *(f"u{i} in [{low:.6g}, {high:.6g}]" for i, (low, high) in ends)])


def actuation(model: Model, q: Any) -> Actuation:
    """What the actuators can do at position q: T with its rank, and limits of u.

    Without actuators, f is u of the joints that are not passive, within their effort limits.
    """
    numeric = model.numeric
    try:
        at = np.asarray(q, dtype=float)
    except (TypeError, ValueError):
        raise ArgumentError(f"q of {model.name!r} is {numeric.nq} numbers, got {q!r}") from None
    sized(numeric, "q", at, numeric.nq)
    if not numeric.actuators:
        limits = numeric.effort_limits[_driven(numeric)]
        return Actuation.of(actuator_map(numeric, at), -limits, limits)
    lower, upper = ([getattr(a, k) for a in numeric.actuators] for k in ("lower", "upper"))
    return Actuation.of(actuator_map(numeric, at), lower, upper)


def _least(T: Array, lower: Array, upper: Array) -> Array:
    """min T f by entry: each term takes the end that its sign asks for; none where T is zero."""
    ends = np.where(T > 0, lower, upper)
    terms = np.multiply(T, ends, where=T != 0, out=np.zeros_like(T))
    return np.asarray(terms.sum(axis=1))
