"""Formulas of proofs, as they stand on the page.

A formula has no value of its own: `meaning` reads it from what stands on the page, so that nothing
is proved but what is printed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from visviva.judge.derive.bodies import over_time, partial
from visviva.notation.writing.page import (
    HALF,
    Call,
    Fence,
    Grid,
    Mark,
    Number,
    Power,
    Quotient,
    Row,
    Sign,
    Sum,
    fenced,
)

INTEGRAL, MASS = Mark("∫"), Sign("m")
SKEW = "S"  # of a vector: the matrix of its vector product
TRANSPOSED = Mark("T")
SIGMA = "Σ"
RATE = Quotient(Mark("d"), Row((Mark("d"), Sign("t"))))


@dataclass(frozen=True)
class Formula:
    """What stands on the page; a `loose` one has a sign of a product in it."""

    box: Any
    loose: bool = False

    def __add__(self, other: Formula) -> Formula:
        return Formula(Sum((*_terms(1, self.box), *_terms(1, other.box))))

    def __sub__(self, other: Formula) -> Formula:
        return Formula(Sum((*_terms(1, self.box), *_terms(-1, other.box))))

    def __neg__(self) -> Formula:
        return Formula(Sum(((-1, fenced(self.box)),)))

    def __mul__(self, other: Formula) -> Formula:
        """Side by side: a product of numbers, matrices or columns."""
        return Formula(Row((*self._parts(True), *other._parts(False))), other.loose)

    def __pow__(self, n: int) -> Formula:
        return Formula(Power(self.box, Number(str(n))))

    def dot(self, other: Formula) -> Formula:
        """The scalar product."""
        return Formula(Row((self._factor(), Mark("·"), other._factor())), True)

    def cross(self, other: Formula) -> Formula:
        """The vector product."""
        return Formula(Row((self._factor(), Mark("×"), other._factor())), True)

    @property
    def T(self) -> Formula:  # noqa: N802  # as numpy calls it
        """Transposed."""
        whole = isinstance(self.box, (Sign, Fence, Call))
        return Formula(Power(self.box if whole else Fence(self.box), TRANSPOSED))

    @property
    def within(self) -> Formula:
        """In brackets."""
        return Formula(Fence(self.box))

    @property
    def rate(self) -> Formula:
        """d/dt of it."""
        return Formula(over_time(self._factor()))

    def by(self, other: Formula) -> Formula:
        """∂ of it by another."""
        return Formula(partial(self.box, other.box))

    def _factor(self) -> Any:
        return Fence(self.box) if self.loose else fenced(self.box)

    def _parts(self, first: bool) -> tuple[Any, ...]:
        """As factors; a vector product that stands last needs no brackets beside a number."""
        if isinstance(self.box, Row) and not (self.loose and first) and not _closed(self.box):
            return self.box.parts
        return (self._factor() if first else fenced(self.box),)


def _closed(row: Row) -> bool:
    """An integral, a sum or a derivative: nothing may slip into it."""
    first = row.parts[0]
    if isinstance(first, Sign):
        return first.letter == SIGMA
    return not isinstance(first, (Call, Power, Fence, Number, Quotient)) or first == RATE


def _terms(sign: int, box: Any) -> tuple[tuple[int, Any], ...]:
    if isinstance(box, Sum):
        return box.terms if sign > 0 else ((-1, Fence(box)),)
    return ((sign, box),)


def sign(letter: str, sub: str = "", dots: int = 0, frame: str = "") -> Formula:
    """A letter with what stands around it."""
    return Formula(Sign(letter, sub, dots, frame=frame))


def number(n: int) -> Formula:
    """A whole number."""
    return Formula(Number(str(n)))


def integral(inside: Formula) -> Formula:
    """Over the mass of a body."""
    inner = inside.box.parts if isinstance(inside.box, Row) else (fenced(inside.box),)
    return Formula(Row((INTEGRAL, *inner, Mark("d"), MASS)))


def summed(indices: str, inside: Formula) -> Formula:
    """Over all values of some indices."""
    inner = inside.box.parts if isinstance(inside.box, Row) else (fenced(inside.box),)
    return Formula(Row((Sign(SIGMA, indices), *inner)))


def matrix_of(vector: Formula) -> Formula:
    """S(c): the matrix for which S(c) x = c × x."""
    return Formula(Call(SKEW, (vector.box,)))


def blocks(*rows: tuple[Formula, ...]) -> Formula:
    """A matrix, row by row."""
    return Formula(Grid(tuple(tuple(x.box for x in row) for row in rows)))


def det(matrix: Formula) -> Formula:
    """The determinant."""
    return Formula(Call("det", (matrix.box,)))


HALF_OF = Formula(HALF)
