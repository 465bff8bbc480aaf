"""Matrices of textbooks on robot arms that are no rows of the table of quantities.

Craig's matrices of squared rates and of products of rates, stiffness and damping, Jacobians and
some of their rows, centres of mass, and the pose of one numbered frame in another. Each function
takes the exact facts of a system and returns exact entries.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import sympy

from visviva.algebra.arrays import Array
from visviva.algebra.exact.minors import determinant as minor
from visviva.algebra.exact.poly import Poly
from visviva.algebra.exact.substitute import Substitution
from visviva.describe.quantities import FRAME_JACOBIAN, KINDS, TERMS
from visviva.errors import ArgumentError
from visviva.judge.exact.forms import Facts

CORIOLIS_TERM = next(row.exact for row in TERMS if row.times == "v")
SYMBOLS = next(kind for kind, row in KINDS.items() if row.rank == 3)
POSE = next(kind for kind, row in KINDS.items() if "X" in row.letters)
# how frames are numbered: frame k is that of a DH table, is at the end of link k, or at its joint
TABLE, AT_ENDS, AT_JOINTS = "dh", "ends", "joints"


def is_natural(facts: Facts) -> bool:
    """Whether C(q, v) has no terms without velocities: gyroscopic ones do not vanish at rest."""
    rates = [v for v, _ in facts.rates]
    return all(_at_rest(x, rates) == 0 for x in np.ravel(facts.quantity(CORIOLIS_TERM)))


def _at_rest(entry: Any, rates: list[str]) -> Any:
    if isinstance(entry, Poly):
        zero = {v: entry.ring.number(0) for v in rates}
        return Substitution(entry.ring, entry.ring, zero).of(entry)
    return sympy.S(entry).subs({sympy.Symbol(v): 0 for v in rates})


def squared_rate_matrix(facts: Facts) -> Array:
    """Craig's C(q): in row i and column j Γⁱⱼⱼ, which multiplies q̇ⱼ² in equation i."""
    gamma = facts.quantity(SYMBOLS)
    n = len(gamma)
    return np.array([[gamma[i, j, j] for j in range(n)] for i in range(n)], dtype=object)


def rate_product_matrix(facts: Facts) -> Array:
    """Craig's B(q): in row i, for each pair j < k, 2 Γⁱⱼₖ, which multiplies q̇ⱼ q̇ₖ in equation i."""
    gamma = facts.quantity(SYMBOLS)
    n = len(gamma)
    pairs = [*combinations(range(n), 2)]
    return np.array([[gamma[i, j, k] * 2 for j, k in pairs] for i in range(n)], dtype=object)


def slopes_of(facts: Facts, kind: str, by: tuple[str, ...]) -> Array:
    """∂g/∂q of springs and weights, the stiffness; ∂b/∂q̇ of dampers."""
    whole = [facts.forms.polynomial(x) for x in facts.quantity(kind)]
    return np.array([[x.derivative(name) for name in by] for x in whole], dtype=object)


def matrix_entry(facts: Facts, of: Any, place: tuple[int, int]) -> Any:
    """The entry at a place of the matrix of(facts)."""
    return np.asarray(of(facts)[place], dtype=object)


def matrix_rows(facts: Facts, of: Any, rows: tuple[int, ...]) -> Array:
    """Some rows of the matrix of(facts); in a plane, those that are not among them are zero."""
    matrix: Array = of(facts)
    others = [k for k in range(len(matrix)) if k not in rows]
    turns = rows == (2,)
    if (turns and any(x != 0 for k in (0, 1) for x in matrix[k])) or (
        len(rows) == 2 and any(x != 0 for x in matrix[others[-1]])
    ):
        raise ArgumentError(f"{facts.name!r} does not move in the plane z = 0: write three rows")
    return np.asarray(matrix[list(rows)])


def jacobian_in(facts: Facts, frame: str, reference: str = "world") -> Array:
    """The Jacobian (ω, v) in axes of the world, of the body or of space."""
    forms = facts.forms
    whole: Array = forms.judged(forms.quantity(FRAME_JACOBIAN.exact, frame, reference))
    return whole


def determinant_of(facts: Facts, of: Any) -> Array:
    """Of a square matrix."""
    return np.asarray(minor(of(facts).tolist()), dtype=object)


def centre(facts: Facts, body: str) -> Array:
    """The place of a body's centre of mass in the world."""
    forms = facts.forms
    own = next(x for x in forms.exact.model.bodies if x.name == body)
    pose = forms.quantity(POSE, body)
    place: Array = forms.judged(pose[:3, :3] @ np.asarray(own.inertia.com, object) + pose[:3, 3])
    return place


def centre_jacobian(facts: Facts, body: str) -> Array:
    """Its slopes by the coordinates."""
    place = [facts.forms.polynomial(x) for x in centre(facts, body)]
    return np.array([[x.derivative(q) for q in facts.coordinates] for x in place], dtype=object)


def centre_along(facts: Facts, axis: int, body: str, moving: bool) -> Any:
    """One coordinate of a centre of mass, or its rate."""
    if not moving:
        return np.asarray(centre(facts, body)[axis], dtype=object)
    slopes = centre_jacobian(facts, body)[axis]
    rates = [facts.ring[v] for v, _ in facts.rates]
    return np.asarray(sum((a * b for a, b in zip(slopes, rates, strict=True)), 0), dtype=object)


def frame_numberings(facts: Facts) -> list[str]:
    """Which of TABLE, AT_ENDS, AT_JOINTS may be meant by frame k of a chain; none of other arms."""
    n = len(facts.bodies)
    if n != len(facts.rates):
        return []
    if all(f"dh{k}" in facts.frames for k in range(1, n + 1)):
        return [TABLE]
    exact = getattr(facts.forms, "exact", None)
    if exact is None or any(q not in facts.ring.angles for q in facts.coordinates):
        return []
    bodies = exact.model.bodies
    serial = all(x.parent == k - 1 for k, x in enumerate(bodies))
    places = [*(x.placement for x in bodies), *(x.placement for x in exact.model.frames[-1:])]
    along = all(map(_is_along, places)) and all(x == 0 for x in bodies[0].placement.p)
    upright = all(_is_upright(facts.quantity(POSE, x)) for x in facts.bodies)
    ends = [x.name for x in exact.model.frames[-1:]] == [facts.tip]
    return [AT_ENDS, AT_JOINTS] if serial and along and upright and ends else []


def _is_along(placement: Any) -> bool:
    """Whether the next joint is on the x axis, with the same axes."""
    turned = not np.array_equal(np.asarray(placement.R, object), np.eye(3))
    return not turned and all(x == 0 for x in placement.p[1:])


def _is_upright(pose: Array) -> bool:
    """Whether a body moves in the plane of x and y."""
    return all(x == z for x, z in zip(pose[2], (0, 0, 1, 0), strict=True))


def _frame_pose(facts: Facts, k: int, numbering: str) -> Array:
    """The pose of frame k in the world."""
    if k == 0:
        return np.eye(4, dtype=int).astype(object)
    if numbering == TABLE:
        whole: Array = facts.quantity(POSE, f"dh{k}")
        return whole
    whole = facts.quantity(POSE, facts.bodies[k - 1])
    if numbering == AT_ENDS:
        after = facts.bodies[k] if k < len(facts.bodies) else facts.tip
        whole = whole.copy()
        whole[:3, 3] = facts.quantity(POSE, after)[:3, 3]
    return whole


def relative_pose(facts: Facts, j: int, k: int, numbering: str, size: int) -> Array:
    """The pose of frame k in frame j (size 4), or its rotation matrix (size 3)."""
    base, pose = (_frame_pose(facts, x, numbering) for x in (j, k))
    to_base = base[:3, :3].T
    relative = np.eye(4, dtype=int).astype(object)
    relative[:3, :3] = to_base @ pose[:3, :3]
    relative[:3, 3] = to_base @ (pose[:3, 3] - base[:3, 3])
    return relative[:size, :size]
