"""Euler angles in all 24 conventions, and in any order of the three numbers.

A convention is three axis letters: capitals turn about the moving axes (`"ZXZ"`: first about z,
then about the new x, then about the new z), small letters about the fixed ones. Digits say which
number belongs to which turn: `"Z1X3Z2"` is R = Rz(q₁) Rx(q₃) Rz(q₂), where q lists precession, spin
and nutation (Choset et al., eq. 10.47).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array, vector
from visviva.algebra.generic import atan2, sincos, sqrt
from visviva.errors import UnknownNameError
from visviva.space.rotations import about_axis

SEQUENCES = tuple("".join(s) for s in product("xyz", repeat=3) if s[0] != s[1] != s[2])
CONVENTIONS = (*(s.upper() for s in SEQUENCES), *SEQUENCES)


@dataclass(frozen=True)
class Convention:
    """Axes of the three turns about moving axes, and the place of each angle in q."""

    axes: tuple[int, int, int]
    places: tuple[int, int, int]

    @property
    def is_proper(self) -> bool:
        """First and last axis are the same (z-x-z), as opposed to z-y-x."""
        return self.axes[0] == self.axes[2]


def convention(name: str) -> Convention:
    """Read a convention's name."""
    letters = "".join(c for c in name if not c.isdigit())
    digits = "".join(c for c in name if c.isdigit()) or "123"
    if letters not in CONVENTIONS or sorted(digits) != ["1", "2", "3"]:
        raise UnknownNameError("Euler angle convention", name, [*CONVENTIONS, "Z1X3Z2"])
    axes = [("xyz".index(c.lower())) for c in letters]
    places = [int(d) - 1 for d in digits]
    if letters.islower():  # turns about fixed axes are those about moving axes in reverse
        axes, places = axes[::-1], places[::-1]
    return Convention((axes[0], axes[1], axes[2]), (places[0], places[1], places[2]))


def euler_matrix(q: Any, name: str) -> Array:
    """The rotation of three angles."""
    c = convention(name)
    a, b, d = (about_axis(np.eye(3)[i], q[k]) for i, k in zip(c.axes, c.places, strict=True))
    return a @ b @ d


def euler_angles(R: Any, name: str) -> Array:
    """Angles with R = euler_matrix(angles, name); the middle one in [0, π] or [-π/2, π/2].

    At a singularity (see `euler_singularity`) only the sum or difference of the outer two is
    determined; the last is then zero up to rounding.
    """
    c, R = convention(name), vector(R)
    i, j, k = c.axes
    sign = 1.0 if (j - i) % 3 == 1 else -1.0
    if c.is_proper:
        k = 3 - i - j
        first = atan2(R[j][i], -sign * R[k][i])
        middle = atan2(sqrt(R[j][i] * R[j][i] + R[k][i] * R[k][i]), R[i][i])
    else:
        first = atan2(-sign * R[j][k], R[k][k])
        middle = atan2(sign * R[i][k], sqrt(R[j][k] * R[j][k] + R[k][k] * R[k][k]))
    # undo the first turn; row j of what is left, R_j(b) R_k(d), is row j of R_k(d)
    s, cosine = sincos(first)
    n = 3 - i - j
    row = [R[j][m] * cosine + sign * R[n][m] * s for m in range(3)]
    last_axis = c.axes[2]
    other = 3 - j - last_axis
    turn = 1.0 if (j - last_axis) % 3 == 1 else -1.0
    last = atan2(-turn * row[other], row[j])
    angles: list[Any] = [None, None, None]
    for place, angle in zip(c.places, (first, middle, last), strict=True):
        angles[place] = angle
    return vector(angles)


def euler_rates_matrix(q: Any, name: str) -> Array:
    """B with ω = B q̇, the angular velocity in body axes."""
    c = convention(name)
    a, b, d = c.axes
    R3 = about_axis(np.eye(3)[d], q[c.places[2]])
    R23 = about_axis(np.eye(3)[b], q[c.places[1]]) @ R3
    columns: list[Any] = [None, None, None]
    for place, column in zip(c.places, (R23[a], R3[b], np.eye(3)[d]), strict=True):
        columns[place] = column  # row a of R is Rᵀ e_a
    return np.stack(columns, axis=1)


def euler_singularity(q: Any, name: str) -> Any:
    """det B: zero where the angles are singular, ±1 farthest away."""
    c = convention(name)
    s, cosine = sincos(q[c.places[1]])
    return s if c.is_proper else cosine
