"""The recursive Newton–Euler algorithm: outward for motions, inward for forces.

Luh, Walker and Paul's recursion, with the force and moment of a body written in its mass moments:
ω, ω̇ and the acceleration a of the link's origin go outward, wrenches come back. Gravity is an
acceleration of the base, a₀ = -g.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, vector
from visviva.describe.model.body import WORLD
from visviva.equations.bodies.links import Link, Placed, carried_inward, force_to_parent, placed
from visviva.equations.bodies.moments import inertial_wrench, spin
from visviva.space.rotations import cross


@dataclass(frozen=True, eq=False)
class Motion:
    """A link's motion in its own axes; a is the acceleration of its origin, less gravity."""

    w: Array
    alpha: Array
    a: Array

    @property
    def spin(self) -> Array:
        """Ω = [ω̇] + [ω][ω] (3, 3): a point r has the acceleration a + Ω r."""
        return spin(self.w, self.alpha)


def recursive_newton_euler(tree: Sequence[Link], gravity: Any, q: Any, v: Any, a: Any) -> Array:
    """Joint forces that produce the accelerations `a`."""
    steps = placed(tree, q)
    motions = outward(steps, gravity, q, v, a)
    wrenches = inward(steps, forces(steps, motions))
    return joint_forces(steps, wrenches, len(v))


def outward(steps: Sequence[Placed], gravity: Any, q: Any, v: Any, a: Any) -> list[Motion]:
    """Motions from base to tips: Bona, *Rigid Body Dynamics*, (114)–(117), Craig (6.45)–(6.47)."""
    motions: list[Motion] = []
    spins: list[Array] = []
    for s in steps:
        vJ, aJ = s.twist(v), s.twist_rate(q, v, a)
        if s.parent == WORLD:
            w, alpha, lin = np.zeros(3), np.zeros(3), s.R.T @ -vector(gravity)
        else:
            up = motions[s.parent]
            w, alpha = s.R.T @ up.w, s.R.T @ up.alpha
            lin = s.R.T @ (up.a + spins[s.parent] @ s.p)
        sliding = cross(w, vJ[3:])  # Coriolis: once for the turning path, once for the axes
        motion = Motion(
            w + vJ[:3],
            alpha + aJ[:3] + cross(w, vJ[:3]),
            lin + aJ[3:] + sliding + sliding + cross(vJ[:3], vJ[3:]),
        )
        motions.append(motion)
        spins.append(motion.spin)
    return motions


def forces(steps: Sequence[Placed], motions: Sequence[Motion]) -> list[Array]:
    """What each link needs: moment about its origin, and force."""
    pairs = zip(steps, motions, strict=True)
    return [np.concatenate(inertial_wrench(s.link.body, m.spin, m.a)) for s, m in pairs]


def inward(steps: Sequence[Placed], needed: Sequence[Array]) -> list[Array]:
    """What each joint passes on to its link, from tips to base: Bona, (119)–(120)."""
    return carried_inward(steps, needed, force_to_parent)


def joint_forces(steps: Sequence[Placed], wrenches: Sequence[Array], n: int) -> Array:
    """τ = Sᵀ F, coupled joints added to the ones they follow."""
    tau: Any = [0.0] * n
    for s, F in zip(steps, wrenches, strict=True):
        own = s.S.T @ F
        for k, x in zip(range(s.v.start, s.v.stop), own, strict=True):
            tau[k] = tau[k] + x
    return vector(tau)
