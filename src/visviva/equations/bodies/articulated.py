"""The articulated-body algorithm: forward dynamics in one sweep in, one sweep out.

Featherstone, *Rigid Body Dynamics Algorithms*, table 7.1, in link axes. Its cost grows with the
number of links, that of a factored mass matrix with the square of a chain's length; long chains are
cheaper this way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, vector
from visviva.describe.model.body import WORLD
from visviva.equations.bodies.factor import Factor
from visviva.equations.bodies.links import (
    Link,
    Placed,
    force_to_parent,
    motion_to_child,
    placed,
    velocities,
)
from visviva.equations.bodies.moments import Moments, mirrored, turned
from visviva.space.rotations import skew
from visviva.space.spatial import cross_force, cross_motion


@dataclass(frozen=True, eq=False)
class Articulated:
    """The symmetric inertia [[A, B], [Bᵀ, C]] of a body with what hangs on it, at its origin."""

    A: Array
    B: Array
    C: Array

    @classmethod
    def of(cls, body: Moments) -> Articulated:
        """The articulated inertia of a rigid body alone."""
        return cls(body.tensor(), skew(body.h), np.eye(3) * body.m)

    def __add__(self, other: Articulated) -> Articulated:
        return Articulated(self.A + other.A, self.B + other.B, self.C + other.C)

    def __matmul__(self, V: Any) -> Array:
        w, v = V[:3], V[3:]
        return np.concatenate([self.A @ w + self.B @ v, self.B.T @ w + self.C @ v])

    def less(self, U: Array, W: Array) -> Articulated:
        """This - U Wᵀ, where that product is symmetric."""
        rank = [[U[i] @ W[j] for j in range(6)] for i in range(6)]
        return Articulated(
            self.A - mirrored([row[:3] for row in rank[:3]]),
            self.B - vector([row[3:] for row in rank[:3]]),
            self.C - mirrored([row[3:] for row in rank[3:]]),
        )

    def moved(self, R: Any, p: Any) -> Articulated:
        """Seen from a frame in which this one has rotation R and position p."""
        C, B, P = turned(R, self.C), R @ self.B @ R.T, skew(p)
        PB = P @ B.T
        shifted = B + P @ C
        return Articulated(turned(R, self.A) + mirrored(PB + PB.T + P @ C @ P.T), shifted, C)


def articulated_body(
    tree: Sequence[Link], gravity: Any, rotors: Any, q: Any, v: Any, tau: Any
) -> Array:
    """Accelerations that the joint forces `tau` produce; no joint may follow another."""
    steps = placed(tree, q)
    V = velocities(steps, v)
    bodies = [Articulated.of(s.link.body) for s in steps]
    bias = [cross_force(x, body @ x) for body, x in zip(bodies, V, strict=True)]
    drift = [_drift(s, x, q, v) for s, x in zip(steps, V, strict=True)]
    U = [np.zeros((6, 0))] * len(steps)
    D: list[Factor] = [Factor(np.zeros((0, 0)))] * len(steps)
    u = [np.zeros(0)] * len(steps)
    for i in reversed(range(len(steps))):  # tips to base
        s, body = steps[i], bodies[i]
        U[i] = np.stack([body @ x for x in s.S.T], axis=1) if s.S.shape[1] else np.zeros((6, 0))
        D[i] = Factor(s.S.T @ U[i] + np.diag(vector(rotors)[s.v]))
        u[i] = vector(tau)[s.v] - s.S.T @ bias[i]
        if s.parent != WORLD:
            W = np.stack([D[i].solve(row) for row in U[i]]) if s.S.shape[1] else U[i]
            rest = body.less(U[i], W)
            passed = bias[i] + rest @ drift[i] + W @ u[i]
            bodies[s.parent] = bodies[s.parent] + rest.moved(s.R, s.p)
            bias[s.parent] = bias[s.parent] + force_to_parent(s, passed)
    a: Any = [0.0] * len(v)
    A: list[Array] = []
    base = np.concatenate([np.zeros(3), -vector(gravity)])
    for i, s in enumerate(steps):  # base to tips
        carried = motion_to_child(s, base if s.parent == WORLD else A[s.parent]) + drift[i]
        own = D[i].solve(u[i] - U[i].T @ carried)
        a[s.v] = list(own)
        A.append(carried + s.S @ own)
    return vector(a)


def _drift(s: Placed, V: Any, q: Any, v: Any) -> Array:
    """The part of a link's acceleration that its joint's velocity causes."""
    still = np.zeros(len(v))
    return cross_motion(V, s.twist(v)) + s.twist_rate(q, v, still)
