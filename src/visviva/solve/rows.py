"""The rows about positions of a system, as numbers: φ(q), how it changes, and whose rows they are.

Some joints may be held; motions are then those of the others. Systems of bodies and of energies are
alike here: both have φ, its derivative along motions, `integrate` and `difference`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.describe.quantities import FUNCTIONS
from visviva.errors import ArgumentError, check_known

RANK = 1e-6  # of singular values to the largest one, of rows of length one


@dataclass(frozen=True, eq=False)
class Rows:
    """φ(q) = 0 of a system at a time, with some joints held."""

    system: Any
    t: float = 0.0
    fixed: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in self.fixed:
            check_known("joint", name, self.system.joint_names)

    @cached_property
    def free(self) -> Array:
        """Which entries of v may change."""
        free = np.ones(self.system.nv, dtype=bool)
        for name in self.fixed:
            free[self.system.joint_slices[name][1]] = False
        return np.flatnonzero(free)

    @cached_property
    def all_labels(self) -> tuple[str, ...]:
        """Whose each row of A is: the constraint's name, and which of its rows."""
        labels: list[str] = []
        for name, part in home_of_rows(self.system).row_slices(self.system).items():
            count = part.stop - part.start
            rows = [f"row {k + 1} of {name!r}" for k in range(count)]
            labels += rows if count > 1 else [repr(name)] * count
        return tuple(labels)

    @cached_property
    def places(self) -> tuple[int, ...]:
        """Which rows of A are the rates of φ."""
        if not self.system.held_by:
            return ()
        return tuple(home_of_rows(self.system).position_rows(self.system))

    @property
    def labels(self) -> tuple[str, ...]:
        """Whose each entry of φ is."""
        return tuple(self.all_labels[k] for k in self.places)

    def named(self, some: list[int]) -> tuple[str, ...]:
        """Rows of φ by label; a constraint by its own name where all its rows are among them."""
        places = {self.places[k]: self.labels[k] for k in some}
        told: list[str] = []
        for name, part in home_of_rows(self.system).row_slices(self.system).items():
            own = [k for k in range(part.start, part.stop) if k in self.places]
            there = [k for k in own if k in places]
            told += [name] if own and there == own else [places[k] for k in there]
        return tuple(told)

    @property
    def count(self) -> int:
        """How many rows there are."""
        return len(self.places)

    def start(self, q: Any = None) -> Array:
        """A position with held joints where they are held.

        If none is given, where the model says that it is assembled, or neutral.
        """
        s = self.system
        given = s.keyframes.get("assembled", s.neutral()) if q is None else q
        at = np.array(given, dtype=float)
        if at.shape != (s.nq,):
            raise ArgumentError(f"q of {s.name!r} has {s.nq} entries, got shape {at.shape}")
        if not np.isfinite(at).all():
            raise ArgumentError(f"q of {s.name!r} is finite, got {at}")
        held = s.q(dict(self.fixed))
        for name in self.fixed:
            at[s.joint_slices[name][0]] = held[s.joint_slices[name][0]]
        return np.asarray(at)

    def error(self, q: Any) -> Array:
        """φ at a position."""
        return self._value(self.system.constraint_error, q) if self.count else np.zeros(0)

    def slope(self, q: Any) -> Array:
        """∂φ along the motions that are free."""
        if not self.count:
            return np.zeros((0, len(self.free)))
        return self._value(self._slope, q)[:, self.free]

    @cached_property
    def _slope(self) -> Any:
        return self.system.constraint_error.jacobian("q")

    def matrix(self, q: Any) -> Array:
        """A, with the rows about velocities alone, and with the columns of held joints."""
        return self._value(self.system.constraint_matrix, q)

    def _value(self, function: Any, q: Any) -> Array:
        more = (self.t,) if "t" in function.inputs else ()
        return np.asarray(function(q, *more))

    def moved(self, q: Any, step: Any) -> Array:
        """Where a step of the free motions leads."""
        whole = np.zeros(self.system.nv)
        whole[self.free] = step
        return np.asarray(self.system.integrate(q, whole))

    @cached_property
    def circular(self) -> Array:
        """Which entries of v turn something that is after a whole turn where it was: a mask."""
        rng, n = np.random.default_rng(0), self.system.nv
        mask = np.zeros(n, dtype=bool)
        q = self.moved(self.start(), rng.uniform(-1.0, 1.0, len(self.free)))
        slope = self.slope(q)
        for column, i in enumerate(self.free):
            turned = self.moved(q, 2 * np.pi * (self.free == i))
            same = np.allclose(self.slope(turned), slope, rtol=0, atol=1e-9)
            own = np.count_nonzero(np.abs(turned - q) > 1e-9) == 1  # one number, not a quaternion
            mask[i] = own and same and np.abs(slope[:, column]).max(initial=0.0) > 1e-9
        return mask

    def apart(self, q0: Any, q1: Any) -> Array:
        """The step (nv,) from q0 to q1, the shorter way round where something turns."""
        step = np.array(self.system.difference(q0, q1))
        around = step[self.circular]
        step[self.circular] = np.remainder(around + np.pi, 2 * np.pi) - np.pi
        return step

    def worst(self, error: Array) -> tuple[float, str]:
        """The largest entry of φ, and whose it is."""
        if not len(error):
            return 0.0, ""
        k = int(np.argmax(np.abs(error)))
        return float(abs(error[k])), self.labels[k]


def home_of_rows(system: Any) -> Any:
    """The module that states φ for this kind of system, and knows whose rows are whose."""
    module, _, _ = getattr(FUNCTIONS["constraint_error"], system.stated).partition(":")
    return import_module(f"visviva.equations.{module}")


def directions(slope: Array, near: float = RANK) -> tuple[Array, Array]:
    """Motions (columns, orthonormal) that rows leave free, and singular values of the rows.

    Rows have length one before they are compared; those that are zero count as none.
    """
    n = slope.shape[1]
    length = np.linalg.norm(slope, axis=1)
    large = length > 1e-11 * max(1.0, float(length.max(initial=0.0)))
    if not n or not large.any():
        return np.eye(n), np.zeros(0)
    _, sizes, Vt = np.linalg.svd(slope[large] / length[large, None])
    rank = int((sizes > near * sizes[0]).sum())
    return Vt[rank:].T, sizes
