"""What each term of an equation of motion is: its kind, its formula, and a sentence that reads it.

Terms are told apart by what they multiply: an acceleration, a square of a velocity, a product of
two, one velocity, or nothing. The last are forces of position; those that vanish with gravity are
its own.
"""

from __future__ import annotations

from dataclasses import dataclass

import sympy

from visviva.algebra.exact.poly import Poly
from visviva.judge.check.compare.differences import (
    CENTRIFUGAL,
    CORIOLIS,
    DISSIPATIVE,
    INERTIAL,
    TERM_KINDS,
    by_factor,
    kind_of,
)
from visviva.judge.exact.forms import Forms


@dataclass(frozen=True)
class Term:
    """One term of equation `row`: coefficient · factor."""

    row: int
    kind: str
    factor: sympy.Expr  # qdd1, qd1**2, qd1*qd2, qd1 or 1
    coefficient: sympy.Expr
    reading: str

    @property
    def formula(self) -> sympy.Expr:
        """The whole term."""
        return self.coefficient * self.factor

    def __str__(self) -> str:
        return f"{self.kind}: {self.formula}\n    {self.reading}"


def terms(forms: Forms, row: int) -> list[Term]:
    """The terms of one equation (rows count from 0), inertial ones first."""
    split = by_factor(
        forms.polynomial(forms.quantity("equations")[row]), (*forms.names.v, *forms.names.a)
    )
    read_terms = [_term(forms, row, factor, part) for factor, part in split]
    return sorted(read_terms, key=lambda t: (TERM_KINDS.index(t.kind), str(t.factor)))


def _term(forms: Forms, row: int, factor: tuple[str, ...], part: Poly) -> Term:
    names = forms.names
    rates = dict(zip(names.v, names.q, strict=True))
    second = dict(zip(names.a, names.q, strict=True))
    here = names.q[row]
    kind = kind_of(factor, second)
    moved = [rates[f] for f in factor if f in rates]
    if kind == INERTIAL:
        reading = _inertial(here, next(second[f] for f in factor if f in second))
    elif kind == CENTRIFUGAL:
        reading = (
            f"{moved[0]} at constant speed already asks for this force at {here}: what it carries "
            "is led along a bend"
        )
    elif kind == CORIOLIS:
        reading = (
            f"{' and '.join(moved)} moving together: each turns or shifts what the other moves"
        )
    elif kind == DISSIPATIVE and len(factor) == 1:
        reading = f"friction against the speed of {moved[0]}"
    elif kind == DISSIPATIVE:
        reading = "a power of the velocities"
    else:
        reading = f"holds {here} against weight and springs"
    product = sympy.Mul(*(sympy.Symbol(f) for f in factor))
    return Term(row, kind, product, forms.written(part), reading)


def _inertial(here: str, mover: str) -> str:
    if here == mover:
        return f"the inertia that {here} itself has to accelerate"
    return f"accelerating {mover} pulls at {here}, and the other way round"
