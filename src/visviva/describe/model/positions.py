"""Positions and velocities of a tree: how many numbers they are, whose, and how they change."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from math import hypot
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, vector
from visviva.describe.model.body import Body
from visviva.errors import ArgumentError, ShapeError, UnknownNameError

UNIT = 1e-6  # how far a quaternion's length may be from one: files and float32 round


class Positions:
    """What q and v of a model are; `Model` is the only one that has them."""

    name: str
    bodies: tuple[Body, ...]

    @property
    def nq(self) -> int:
        """How many numbers state a position."""
        return sum(b.joint.nq for b in self.bodies if b.mimic is None)

    @property
    def nv(self) -> int:
        """How many state a velocity: the degrees of freedom."""
        return sum(b.joint.nv for b in self.bodies if b.mimic is None)

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Movable joints, in the order of v; coupled (mimic) joints are not among them."""
        return tuple(b.joint_name for b in self.bodies if b.mimic is None)

    @cached_property
    def q_index(self) -> tuple[slice, ...]:
        """Where in q each body's joint finds its coordinates."""
        return self._index("nq")

    @cached_property
    def v_index(self) -> tuple[slice, ...]:
        """Where in v each body's joint finds its velocities."""
        return self._index("nv")

    def joint_index(self, name: str) -> int:
        """The number of the body that a joint carries."""
        names = [b.joint_name for b in self.bodies]
        if name not in names:
            raise UnknownNameError("joint", name, names)
        return names.index(name)

    def q(self, positions: Mapping[str, Any] | None = None, /, **more: Any) -> Array:
        """A position by joint names, the others neutral: `model.q(elbow=-1.5)`."""
        q = self.neutral()
        for name, value in by_joint("q", positions, more).items():
            if name not in self.joint_names:
                self._refuse_coupled(name)
                raise UnknownNameError("joint", name, self.joint_names)
            i = self.joint_index(name)
            q[self.q_index[i]] = joint_position(self.bodies[i], value)
        return q

    def _refuse_coupled(self, name: str) -> None:
        """Say of a joint that follows another that it does."""
        for b in self.bodies:
            if b.joint_name == name and b.mimic is not None:
                m = b.mimic
                raise ArgumentError(
                    f"joint {name!r} is coupled: it is {m.multiplier} times {m.joint!r} plus "
                    f"{m.offset}, and has no coordinate of its own; give {m.joint!r}, or load the "
                    'file with mimic="expand"'
                )

    def neutral(self) -> Array:
        """All joints at zero, quaternions at (0, 0, 0, 1)."""
        return self._joined(lambda i, b: b.joint.neutral())

    def random(self, rng: np.random.Generator | int | None = None) -> Array:
        """A position within the limits."""
        try:
            source = np.random.default_rng(rng)
        except (TypeError, ValueError):
            raise ArgumentError(
                f"random takes a seed, a whole number from 0 on, or a NumPy Generator; got {rng!r}"
            ) from None
        return self._joined(lambda i, b: b.joint.random(source, b.limits.lower, b.limits.upper))

    def integrate(self, q: Any, step: Any) -> Array:
        """The position that the constant velocity `step` reaches in one unit of time."""
        q, step = self._position("q", q), self._sized("step", step, self.nv)
        return self._joined(
            lambda i, b: b.joint.integrate(q[self.q_index[i]], step[self.v_index[i]])
        )

    def difference(self, q0: Any, q1: Any) -> Array:
        """The step with integrate(q0, step) = q1."""
        q0, q1 = self._position("q0", q0), self._position("q1", q1)
        return self._joined(
            lambda i, b: b.joint.difference(q0[self.q_index[i]], q1[self.q_index[i]])
        )

    def rates(self, q: Any, v: Any) -> Array:
        """q̇ at velocity v."""
        q, v = self._sized("q", q, self.nq), self._sized("v", v, self.nv)
        return self._joined(lambda i, b: b.joint.rates(q[self.q_index[i]], v[self.v_index[i]]))

    def tangent(self, q: Any) -> Array:
        """The nq × nv matrix from v to q̇."""
        return np.stack([self.rates(q, e) for e in np.eye(self.nv)], axis=1)

    @property
    def lower(self) -> Array:
        """Lower limits of q."""
        return self._joined(lambda i, b: b.limits.lower)

    @property
    def upper(self) -> Array:
        """Upper limits of q."""
        return self._joined(lambda i, b: b.limits.upper)

    @property
    def velocity_limits(self) -> Array:
        """Largest speeds."""
        return self._joined(lambda i, b: b.limits.velocity)

    @property
    def effort_limits(self) -> Array:
        """Largest joint forces and torques."""
        return self._joined(lambda i, b: b.limits.effort)

    def _index(self, count: str) -> tuple[slice, ...]:
        slices: list[slice] = []
        by_joint: dict[str, slice] = {}
        start = 0
        for b in self.bodies:
            if b.mimic is None:
                size = getattr(b.joint, count)
                by_joint[b.joint_name] = slice(start, start + size)
                start += size
        for b in self.bodies:
            slices.append(by_joint[b.joint_name if b.mimic is None else b.mimic.joint])
        return tuple(slices)

    def _joined(self, part: Callable[[int, Body], Any]) -> Array:
        parts = [part(i, b) for i, b in enumerate(self.bodies) if b.mimic is None]
        return np.concatenate([vector(x) for x in parts]) if parts else np.zeros(0)

    @cached_property
    def _quaternions(self) -> tuple[tuple[str, int], ...]:
        """The joints that have one, and where it starts in q."""
        pairs = zip(self.bodies, self.q_index, strict=True)
        at = ((b.joint_name, part.start, b.joint.quaternion) for b, part in pairs)
        return tuple((name, start + part.start) for name, start, part in at if part)

    def _position(self, name: str, q: Any) -> Array:
        """A position of the right size; quaternions that are plain numbers have length one."""
        array = self._sized(name, q, self.nq)
        if array.dtype != object:
            for joint, start in self._quaternions:
                check_unit(f"{name} of {self.name!r}: joint {joint!r}", array[start : start + 4])
        return array

    def _sized(self, name: str, x: Any, n: int) -> Array:
        array = vector(x)
        if array.shape != (n,):
            raise ShapeError(f"{name} of {self.name!r} has {n} entries, got shape {array.shape}")
        return array


def by_joint(verb: str, positions: Any, more: Mapping[str, Any]) -> dict[str, Any]:
    """Positions by joint name, from a mapping and from keywords."""
    if positions is not None and not isinstance(positions, Mapping):
        raise ArgumentError(
            f"{verb} takes positions by joint name, {verb}(elbow=-1.5) or "
            f'{verb}({{"elbow": -1.5}}); got {type(positions).__name__}'
        )
    return {**(positions or {}), **more}


def joint_position(b: Body, value: Any) -> Array:
    """The coordinates of one joint, as finite floats."""
    name, size = b.joint_name, b.joint.nq
    if np.size(value) != size:
        raise ShapeError(f"joint {name!r} takes {size} values, got {np.size(value)}")
    try:
        at = np.asarray(value, dtype=float).reshape(size)
    except (TypeError, ValueError):
        raise ArgumentError(f"joint {name!r} takes numbers, got {value!r}") from None
    if not np.isfinite(at).all():
        raise ArgumentError(f"joint {name!r} takes finite numbers, got {value!r}")
    if b.joint.quaternion:
        check_unit(f"joint {name!r}", at[b.joint.quaternion])
    return at


def check_unit(what: str, quaternion: Array) -> None:
    """Refuse a quaternion that is not of length one: no rotation is meant by it."""
    length = hypot(*quaternion)
    if not abs(length - 1.0) <= UNIT:
        raise ArgumentError(
            f"{what} has a quaternion (x, y, z, w) of length one, got length {length:.6g}; "
            "neutral(), q(), random() and integrate() give such positions"
        )
