"""A hand that pulls at a point: a spring with a damper, as stiff as what it holds is heavy.

In each direction in which the point can go it swings at the same frequency, whatever it moves: the
stiffness is the inertia that the point feels, times the square of the frequency.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array

SAG = 36.0  # of the mechanism's size: the part of it by which weight pulls a held point down
SLOWEST, FASTEST = 4.0, 60.0  # rad/s
DAMPED = 0.7  # of what would just not swing
LIGHTEST = 0.1  # of the easiest direction: what is heavier than this is taken as so heavy
WEIGHT = 9.81  # m/s², where nothing else says what is slow


@dataclass(frozen=True)
class Grip:
    """A point of a carrier of a scene that is held, and where to it is pulled, in the world."""

    carrier: int
    point: tuple[float, float, float]
    target: tuple[float, float, float]


def frequency(size: float) -> float:
    """Of the hand, in rad/s, for a mechanism of this size."""
    return float(np.clip(np.sqrt(SAG * WEIGHT / size), SLOWEST, FASTEST))


def felt_inertia(J: Array, a: Array) -> Array:
    """Λ (3, 3), symmetric: the mass that a point feels in each direction.

    J (3, nv) are the velocities of the point, a (3, nv) the accelerations that unit forces on it
    make. Directions in which it cannot go have none.
    """
    W = J @ a.T
    sizes, axes = np.linalg.eigh((W + W.T) / 2)
    largest = float(sizes.max(initial=0.0))
    if not largest > 0.0 or not np.isfinite(largest):
        return np.zeros((3, 3))
    masses = np.where(sizes > 1e-9 * largest, 1.0 / np.maximum(sizes, LIGHTEST * largest), 0.0)
    return np.asarray((axes * masses) @ axes.T)


def pulling_force(inertia: Array, away: Array, speed: Array, omega: float) -> Array:
    """F (3,): of the spring, by which the target is away, and of the damper, against the speed."""
    return np.asarray(inertia @ (omega**2 * away - 2.0 * DAMPED * omega * speed))


def held_point(X: Any, world: Any) -> tuple[float, float, float]:
    """A point of the world in the axes of a carrier [A | p]."""
    x, y, z = np.linalg.solve(X[:, :3], np.asarray(world, dtype=float) - X[:, 3])
    return float(x), float(y), float(z)
