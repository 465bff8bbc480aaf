"""The Jacobian of a task over exact scalars, its minors, and their factors."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

import numpy as np

from visviva.algebra.arrays import Array, each
from visviva.algebra.exact.minors import determinant
from visviva.algebra.exact.poly import Poly
from visviva.equations.bodies.links import ancestors, links
from visviva.equations.frames.middle import jacobian_from_the_middle
from visviva.equations.frames.parts import Euler, Quaternion, RotationVector
from visviva.equations.frames.tasks import task_jacobian
from visviva.errors import OutsideError
from visviva.judge.exact.model import Exact, exact, polynomial
from visviva.progress import progress
from visviva.solve.singular.chosen import Arm
from visviva.solve.singular.factors import Sizes, largest_term, without_rounding

MOST_MINORS = 40


@dataclass(frozen=True, eq=False)
class Minor:
    """The determinant of some rows and columns that are as many; J itself where it is square."""

    rows: tuple[int, ...]
    columns: tuple[int, ...]
    poly: Poly


def exact_model(arm: Arm) -> Exact:
    """The model over a ring: its named parameters are symbols, its other numbers are numbers."""
    return exact(arm.model, tuple(arm.model.parameters))


def exact_jacobian(arm: Arm, e: Exact) -> Array:
    """(size, moving): J of the task; of a pose seen from a link in the middle."""
    tree = arm.model.bodies
    chain = ancestors(links(arm.model.numeric), arm.model.frame(arm.frame).body)
    free = [tree[k].joint_name for k in chain if tree[k].joint.quaternion]
    if free:
        raise OutsideError(
            f"the joint {free[0]!r} turns by a quaternion, which has no closed form of this kind"
        )
    if any(isinstance(part, (Euler, RotationVector, Quaternion)) for part in arm.task.parts):
        raise OutsideError(
            f"the coordinates of orientation of the task {arm.task.text!r} are no polynomials in "
            "sines and cosines; the pose has one, and Euler angles are singular themselves where "
            "vv.space.euler_singularity is zero"
        )
    if arm.task.text == "pose":
        J = jacobian_from_the_middle(e.model, arm.frame, e.q)
    else:
        J = task_jacobian(e.model, arm.frame, e.q, arm.task.text)
    return each(lambda x: polynomial(x, e.ring), J[:, list(arm.moving)])


def minors(arm: Arm, e: Exact) -> list[Minor]:
    """The largest square parts of J that are not zero everywhere: rank is lost where all are.

    Directions that are no fractions have so many digits: terms that are zero but for rounding,
    beside the largest of all, are left out.
    """
    J = exact_jacobian(arm, e)
    m, n = J.shape
    size = min(m, n)
    places = [(r, c) for r in combinations(range(m), size) for c in combinations(range(n), size)]
    if len(places) > MOST_MINORS:
        raise OutsideError(
            f"too many terms: the {m} × {n} Jacobian has {len(places)} determinants of {size} "
            f"rows, closed forms take {MOST_MINORS}"
        )
    found = []
    with progress(f"determinants of the Jacobian of {arm.frame}", len(places)) as at:
        for r, c in places:
            at.step()
            e.ring.budget.renew()
            x = determinant(J[np.ix_(r, c)].tolist())
            x = polynomial(x, e.ring)
            if not x.is_zero:
                found.append(Minor(r, c, x))
    return _without_rounding(arm, e, found)


def _without_rounding(arm: Arm, e: Exact, found: list[Minor]) -> list[Minor]:
    sizes, length = sizes_of(e), _length(e)
    slides = [arm.model.velocity_units[k] == "m/s" for k in arm.moving]
    # minors have different units: as large as they would be with the arm's length for a metre
    units = [
        length ** (sum(not arm.task.angular[k] for k in x.rows) - sum(slides[k] for k in x.columns))
        for x in found
    ]
    tall = [largest_term(x.poly, sizes) / u for x, u in zip(found, units, strict=True)]
    largest = np.max(tall or [np.zeros(len(sizes))], axis=0)
    clean = [
        Minor(x.rows, x.columns, without_rounding(x.poly, sizes, largest * u))
        for x, u in zip(found, units, strict=True)
    ]
    return [x for x in clean if not x.poly.is_zero]


def sizes_of(e: Exact) -> Sizes:
    """How large symbols are, in terms that are compared: slides as the arm is, parameters as they
    are, and as one: a small parameter is no rounding."""
    slides = dict.fromkeys((q for q in e.names.q if q not in e.ring.angles), _length(e))
    return ({**slides, **{k: v or 1.0 for k, v in e.values.items()}}, slides)


def _length(e: Exact) -> float:
    """The largest length of an arm; 1 where it has parameters alone."""
    return float(max(lengths(e), default=1))


def lengths(e: Exact) -> frozenset[Fraction]:
    """The numbers by which frames lie apart, for factors that are made of them."""
    places = [b.placement.p for b in e.model.bodies] + [f.placement.p for f in e.model.frames]
    numbers = [polynomial(x, e.ring) for p in places for x in p]
    constant = [sum((c for _, c in x.terms()), Fraction(0)) for x in numbers if x.p.is_constant()]
    return frozenset(abs(x) for x in constant if x)
