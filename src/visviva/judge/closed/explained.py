"""What each term of the equations of motion is: kind, bodies, and its cause in a sentence.

The kind is read off what a term multiplies and off where it comes from. Bodies are those without
which it would be zero: the equations are linear in masses, so each body is tried alone. The cause
of a term of two velocities is the derivative of the mass matrix that it is made of,
2 Γᵢⱼₖ = ∂ₖMᵢⱼ + ∂ⱼMᵢₖ - ∂ᵢMⱼₖ.

Examples:
    >>> from visviva.describe import catalog
    >>> arm = catalog.rp_arm()
    >>> for x in arm.closed_form().terms(1):
    ...     print(x.kind, x.formula, x.bodies)
    inertial m2*qdd2 ('link2',)
    centrifugal -m2*q2*qd1**2 ('link2',)
    gravitational a_g*m2*sin(q1) ('link2',)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import sympy

from visviva.algebra.exact.poly import Poly
from visviva.describe.bodies.inertia import Inertia
from visviva.describe.constraints.constraint import Constraints
from visviva.describe.model.model import Model
from visviva.describe.quantities import ROWS
from visviva.equations.dynamics import inverse_dynamics
from visviva.errors import VisvivaError
from visviva.judge.check.compare.differences import (
    CENTRIFUGAL,
    CONSTRAINING,
    CORIOLIS,
    DISSIPATIVE,
    GRAVITATIONAL,
    GYROSCOPIC,
    INERTIAL,
    by_factor,
    kind_of,
)
from visviva.judge.exact.forms import Forms, depends
from visviva.notation.names import Names
from visviva.notation.writing.plain import plain_text

ELASTIC, APPLIED = "elastic", "of position"
KINDS = (INERTIAL, CENTRIFUGAL, CORIOLIS, GYROSCOPIC, DISSIPATIVE, GRAVITATIONAL, ELASTIC, APPLIED)
KINDS_OF_TERMS = (*KINDS, CONSTRAINING)
NAMED = 3  # bodies that are named one by one
CHANCE = 5
SMALL = 1e-12  # of the largest force: what rounding leaves


@dataclass(frozen=True)
class Term:
    """One term of the equation of `row`: coefficient · factor, its kind, and a sentence on it.

    Terms are told apart by what they multiply: an acceleration, a square of a velocity, a product
    of two, one velocity, a multiplier, or nothing. `bodies` are those that have a part in it.
    """

    row: int
    kind: str
    factor: sympy.Expr  # qdd1, qd1**2, qd1*qd2, qd1, lambda1 or 1
    coefficient: sympy.Expr
    bodies: tuple[str, ...]
    sentence: str

    @property
    def formula(self) -> sympy.Expr:
        """The whole term."""
        return self.coefficient * self.factor

    def __str__(self) -> str:
        return f"{self.kind}: {self.formula}\n    {self.sentence}"


def explained(forms: Forms, row: int) -> list[Term]:
    """The terms of one equation (rows count from 0), inertial ones first."""
    said = Reader(forms.system, forms).terms(row)
    return sorted(said, key=lambda x: KINDS_OF_TERMS.index(x.kind))


class Reader:
    """Reads the equations of a system, term by term."""

    def __init__(self, system: Any, forms: Forms) -> None:
        self.system, self.forms = system, forms
        self.moves = [_word(x) for x in system.motion_names]
        self.turns = [unit.startswith("rad") for unit in system.velocity_units]
        self.has_joints = bool(system.frame_names)
        self.has_rates = not self.has_joints or all(b.joint.has_rates for b in system.bodies)

    def terms(self, row: int) -> Iterator[Term]:
        """What τ of this row equals, and what constraints do to it."""
        forms, names = self.forms, self.forms.names
        whole = forms.polynomial(forms.open_equations[row])
        index = {x: k for pair in (names.v, names.a) for k, x in enumerate(pair)}
        for factor, part in by_factor(whole, (*names.v, *names.a)):
            moving = [index[x] for x in factor]
            product = sympy.Mul(*map(sympy.Symbol, factor))
            for kind, x in self._kinds(row, factor, part):
                bodies = self._bodies(row, kind, moving)
                said = self._sentence(kind, row, moving, bodies)
                yield Term(row, kind, product, forms.written(x), bodies, said)
        if forms.held_by:
            yield from self._held(row)

    def _held(self, row: int) -> Iterator[Term]:
        """-Aᵀ λ, one term for each row of A that pulls here."""
        forms = self.forms
        pulls = zip(forms.multiplier_names, forms.quantity(ROWS.exact)[:, row], strict=True)
        for k, (name, x) in enumerate(pulls):
            if x != 0:
                said = f"{_word(name)}, {self._rows[k]}, as {self.moves[row]} feels it"
                symbol = sympy.Symbol(name)
                yield Term(row, CONSTRAINING, symbol, forms.written(-x), (), said)

    # ---- where a term comes from

    def _kinds(self, row: int, factor: tuple[str, ...], part: Poly) -> list[tuple[str, Poly]]:
        """What it is, by what it multiplies; split where it comes from several sources."""
        kind = kind_of(factor, self.forms.names.a)
        if not factor:
            return self._of_position(row, part)
        if kind == DISSIPATIVE:
            b = self._still(self.forms.quantity("dissipation")[row], factor)
            return self._split(part, [(DISSIPATIVE, b)], GYROSCOPIC)
        return [(kind, part)]

    def _of_position(self, row: int, part: Poly) -> list[tuple[str, Poly]]:
        """Weight, springs, and what is left: turning axes, forces that are stated."""
        weight = self._still(self.forms.weight_forces[row])
        slope = self._still(self.forms.potential_slopes[row])
        others = slope - weight if weight is not None and slope is not None else slope
        return self._split(part, [(GRAVITATIONAL, weight), (ELASTIC, others)], APPLIED)

    def _still(self, entry: Any, factor: tuple[str, ...] = ()) -> Poly | None:
        """Of an entry what multiplies some velocities."""
        try:
            whole = self.forms.polynomial(entry)
        except VisvivaError:
            return None
        parts: dict[tuple[str, ...], Poly] = dict(by_factor(whole, self.forms.names.v))
        nothing: Poly = whole - whole
        return parts.get(factor, nothing)

    @staticmethod
    def _split(
        part: Poly, known: Sequence[tuple[str, Poly | None]], rest: str
    ) -> list[tuple[str, Poly]]:
        found = [(kind, x) for kind, x in known if x is not None and not x.is_zero]
        left = part
        for _, x in found:
            left = left - x
        return [*found, *([] if left.is_zero else [(rest, left)])]

    def _bodies(self, row: int, kind: str, factors: Sequence[int]) -> tuple[str, ...]:
        """Those that have a part in it."""
        if not self.has_joints or kind not in (INERTIAL, CENTRIFUGAL, CORIOLIS, GRAVITATIONAL):
            return ()
        sizes = {name: abs(x.part(row, kind, factors)) for name, x in _shares(self.system)}
        largest = max(sizes.values(), default=0.0)
        return tuple(name for name, x in sizes.items() if x > SMALL * max(largest, 1e-300))

    # ---- what is said of it

    def _sentence(self, kind: str, i: int, factors: Sequence[int], bodies: Sequence[str]) -> str:
        what, here = self._carried(bodies), self.moves[i]
        if kind == INERTIAL:
            return self._inertial(i, factors[-1], what)
        if kind in (CENTRIFUGAL, CORIOLIS):
            return self._of_velocities(i, factors[0], factors[-1], what)
        if kind == GYROSCOPIC:
            return (
                f"{self.moves[factors[0]]} moving pushes {here} sideways; such forces come in "
                "pairs and do no work together"
            )
        if kind == DISSIPATIVE:
            return f"Friction, which grows with the speed of {self.moves[factors[0]]}"
        if kind == GRAVITATIONAL and not self.has_joints:
            return f"The weight: how steeply its potential energy rises along {here}"
        if kind == GRAVITATIONAL and self.turns[i]:
            return f"The weight of {what} on its lever about the axis of {here}"
        if kind == GRAVITATIONAL:
            return f"The part of the weight of {what} along {here}"
        if kind == ELASTIC:
            source = "springs" if self.has_joints else "springs and fields"
            return f"The force of {source}: how steeply their potential energy rises along {here}"
        return f"A force on {here} that is applied, or comes of axes that are turned from outside"

    def _inertial(self, i: int, j: int, what: str) -> str:
        here, mover = self.moves[i], self.moves[j]
        if i != j:
            return (
                f"Accelerating {mover} takes {what} along, and {here} feels it; the equation of "
                f"{mover} has the same coefficient"
            )
        changing = self._changing(i)
        more = f". It changes with {changing}" if changing else ""
        if not self.has_joints:
            return f"The inertia of {here}{more}"
        if self.turns[i]:
            return f"The moment of inertia of {what} about the axis of {here}{more}"
        return f"The mass of {what}, which {here} moves{more}"

    def _of_velocities(self, i: int, j: int, k: int, what: str) -> str:
        """Terms of two velocities, by the derivatives of M that they are made of."""
        here, a, b = self.moves[i], self.moves[j], self.moves[k]
        if not self.has_rates:
            return (
                f"{what[:1].upper()}{what[1:]} turns while it moves, its momentum turns with it: "
                f"{here} supplies the change"
            )
        if i == j == k:
            return f"The inertia of {a} changes with {a} itself, and with it the momentum"
        if j == k:
            return self._centrifugal(i, j, what)
        other = k if i == j else j
        if i not in (j, k) or not self._depends(i, other):
            return (
                f"{a} and {b} move together: each takes {what} to where the other gives it "
                f"another velocity, and {here} supplies the change"
            )
        moving = self.moves[other]
        if not self.turns[i]:
            return f"Moving {moving} changes the inertia of {here} while it moves, and its momentum"
        how = ("bending" if self.turns[other] else "sliding") if self.has_joints else "moving"
        return (
            f"While {here} turns, {how} {moving} takes {what} nearer to the axis or farther out: "
            f"the angular momentum changes, and {here} supplies the torque"
        )

    def _centrifugal(self, i: int, j: int, what: str) -> str:
        here, led = self.moves[i], "Turning" if self.turns[j] else "Moving"
        said = f"{led} {self.moves[j]} leads {what} round a bend even at constant speed"
        if self._depends(j, i) and not self.turns[i]:
            return f"{said}; {here} has to pull it inward"
        lever = "a lever about the axis of" if self.turns[i] and self.has_joints else "a part along"
        return f"{said}; the force for that has {lever} {here}"

    @cached_property
    def _rows(self) -> list[str]:
        """What the rows of A are, in words."""
        s = self.system
        home = s._constraint_equations()
        rows = home.row_slices(s) if self.has_joints else {}
        if not self.has_joints:
            names = s.constraints.given_names
            return [
                f"the force of constraint {repr(x) if x else k}" for k, x in enumerate(names, 1)
            ]
        return [
            f"the force of {name!r}" + (f" (row {k + 1} of it)" if at.stop - at.start > 1 else "")
            for name, at in rows.items()
            for k in range(at.stop - at.start)
        ]

    # ---- words

    def _carried(self, bodies: Sequence[str]) -> str:
        if not bodies:
            return "what it carries" if self.has_joints else "the mass"
        if len(bodies) > NAMED:
            return f"{bodies[0]} to {bodies[-1]} ({len(bodies)} bodies)"
        return f"{', '.join(bodies[:-1])} and {bodies[-1]}" if bodies[1:] else bodies[0]

    def _changing(self, i: int) -> str:
        """The coordinates that the inertia of one depends on."""
        entry = self.forms.inertial_matrix[i, i]
        return ", ".join(_word(q) for q in self.forms.names.q if depends(entry, q))

    def _depends(self, i: int, k: int) -> bool:
        return depends(self.forms.inertial_matrix[i, i], self.forms.names.q[k])


def _word(name: Any) -> str:
    """A name as it is printed: θ₁ of theta1."""
    return plain_text(sympy.Symbol(str(name)), Names())


@dataclass(frozen=True, eq=False)
class _Share:
    """What one body alone does to the equations at some position."""

    at_rest: Any  # (nv,)
    of_accelerations: Any  # (nv, nv)
    of_velocities: Any  # (nv, nv, nv)

    def part(self, row: int, kind: str, factors: Sequence[int]) -> float:
        """The part of a term."""
        if kind == INERTIAL:
            return float(self.of_accelerations[row, factors[-1]])
        if kind == GRAVITATIONAL:
            return float(self.at_rest[row])
        return float(self.of_velocities[row, factors[0], factors[-1]])


@lru_cache(maxsize=4)
def _shares(model: Model) -> list[tuple[str, _Share]]:
    """By bodies, each alone at a position like any other."""
    numbers = replace(
        model.numeric, constraints=Constraints(), springs=(), actuators=(), passive=()
    )
    bare = [
        replace(b, armature=0 * b.armature, damping=0 * b.damping, **_smooth(b))
        for b in numbers.bodies
    ]
    rng = np.random.default_rng(CHANCE)
    q, n = numbers.random(rng), numbers.nv
    massless = Inertia(0.0, [0.0] * 3, np.zeros((3, 3)))
    shares = []
    for k, own in enumerate(bare):
        bodies = tuple(own if j == k else replace(b, inertia=massless) for j, b in enumerate(bare))
        shares.append((own.name, _share(replace(numbers, bodies=bodies), q, n)))
    return shares


def _share(alone: Model, q: Any, n: int) -> _Share:
    def tau(v: Any, a: Any) -> Any:
        return np.asarray(inverse_dynamics(alone, q, v, a), dtype=float)

    still, unit = np.zeros(n), np.eye(n)
    rest = tau(still, still)
    inertia = np.stack([tau(still, e) - rest for e in unit], axis=1)
    one = [tau(e, still) - rest for e in unit]
    speed = np.zeros((n, n, n))
    for j in range(n):
        for k in range(n):
            pair = one[j] if j == k else tau(unit[j] + unit[k], still) - rest - one[j] - one[k]
            speed[:, j, k] = pair
    return _Share(rest, inertia, speed)


def _smooth(b: Any) -> dict[str, Any]:
    return {k: 0 * getattr(b, k) for k in ("friction", "stiction", "stribeck")}
