"""What moving bodies carry: momenta, and how their second moments change.

For a body, or several moving each in its own way, seen from one frame: A = d/dt ∫ r rᵀ dm in fixed
axes, n = ∫ r × ṙ dm and f = ∫ ṙ dm. Together they are the matrix ∫ r ṙᵀ dm and the momentum: all
that the velocities contribute to Coriolis terms. (This is the matrix B of Echeandia and Wensing,
*Numerical methods to compute the Coriolis matrix and Christoffel symbols*, in mass moments.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, is_zero
from visviva.equations.bodies.links import Placed, carried_inward
from visviva.equations.bodies.moments import Moments, mirrored, sym_outer, turned
from visviva.space.rotations import cross


@dataclass(frozen=True, eq=False)
class Transport:
    """A, n and f about the origin of a frame."""

    A: Array
    n: Array
    f: Array
    is_zero: bool = False

    @classmethod
    def of(cls, body: Moments, V: Any) -> Transport:
        """Of one body with the twist V."""
        if is_zero(V):
            return cls(np.zeros((3, 3)), np.zeros(3), np.zeros(3), is_zero=True)
        w, v = V[:3], V[3:]
        return cls(_turning(w, body.S) + sym_outer(body.h, v), *body.momentum(w, v))

    def __add__(self, other: Transport) -> Transport:
        if self.is_zero or other.is_zero:
            return other if self.is_zero else self
        return Transport(self.A + other.A, self.n + other.n, self.f + other.f)

    def moved(self, R: Any, p: Any) -> Transport:
        """The same seen from a frame in which this one has rotation R and position p."""
        if self.is_zero:
            return self
        f = R @ self.f
        return Transport(turned(R, self.A) + sym_outer(p, f), R @ self.n + cross(p, f), f)

    def along(self, s: Any) -> tuple[Array, Array]:
        """Twice the wrench of ∫ ṙ dm, read as a field of velocities turned by s: Coriolis forces.

        Moment and force; only the angular part of a motion matters.
        """
        force = cross(s, self.f)
        return self._stretch(s) + cross(s, self.n), force + force

    def across(self, S: Any) -> Array:
        """Twice the moment with the roles of the two motions exchanged; the force is zero."""
        s, u = S[:3], S[3:]
        shift = cross(self.f, u)
        moment: Array = self._stretch(s) - cross(s, self.n) + (shift + shift)
        return moment

    def _stretch(self, s: Any) -> Array:
        """(tr A · 1 - A) s."""
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = self.A
        return np.array(
            [
                (yy + zz) * s[0] - xy * s[1] - xz * s[2],
                (xx + zz) * s[1] - xy * s[0] - yz * s[2],
                (xx + yy) * s[2] - xz * s[0] - yz * s[1],
            ],
        )


def transports(steps: Sequence[Placed], V: Sequence[Array]) -> list[Transport]:
    """Each link with all that it carries."""
    own = [Transport.of(s.link.body, twist) for s, twist in zip(steps, V, strict=True)]
    return carried_inward(steps, own, lambda s, x: x.moved(s.R, s.p))


def _turning(w: Any, S: Any) -> Array:
    """[w] Σ - Σ [w]: how a second moment changes when it turns with w."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = S
    x, y, z = w
    a, b, c = y * xz - z * xy, z * xy - x * yz, x * yz - y * xz
    return mirrored(
        [
            [a + a, z * (xx - yy) + y * yz - x * xz, y * (zz - xx) + x * xy - z * yz],
            [0.0, b + b, x * (yy - zz) + z * xz - y * xy],
            [0.0, 0.0, c + c],
        ]
    )
