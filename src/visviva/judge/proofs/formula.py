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

INTEGRAL, OF_MASS = Mark("∫"), Row((Mark("d"), Sign("m")))
SKEW = "S"  # of a vector: the matrix of its vector product
TURNED_OVER = Mark("T")
SIGMA = "Σ"
OVER_TIME = Quotient(Mark("d"), Row((Mark("d"), Sign("t"))))


@dataclass(frozen=True)
class Expression:
    """What stands on the page; a `loose` one has a sign of a product in it."""

    box: Any
    loose: bool = False

    def __add__(self, other: Expression) -> Expression:
        return Expression(Sum((*_terms(1, self.box), *_terms(1, other.box))))

    def __sub__(self, other: Expression) -> Expression:
        return Expression(Sum((*_terms(1, self.box), *_terms(-1, other.box))))

    def __neg__(self) -> Expression:
        return Expression(Sum(((-1, fenced(self.box)),)))

    def __mul__(self, other: Expression) -> Expression:
        """Side by side: a product of numbers, matrices or columns."""
        return Expression(Row((*self._parts(True), *other._parts(False))), other.loose)

    def __pow__(self, n: int) -> Expression:
        return Expression(Power(_inside(self.box), Number(str(n))))

    def dot(self, other: Expression) -> Expression:
        """The scalar product."""
        return Expression(Row((self._factor(), Mark("·"), other._factor())), True)

    def cross(self, other: Expression) -> Expression:
        """The vector product."""
        return Expression(Row((self._factor(), Mark("×"), other._factor())), True)

    @property
    def T(self) -> Expression:  # noqa: N802  # as numpy calls it
        """Rows for columns."""
        return Expression(Power(_inside(self.box), TURNED_OVER))

    @property
    def within(self) -> Expression:
        """In brackets."""
        return Expression(Fence(self.box))

    @property
    def rate(self) -> Expression:
        """d/dt of it."""
        return Expression(over_time(self._factor()))

    def by(self, other: Expression) -> Expression:
        """∂ of it by another."""
        return Expression(partial(self.box, other.box))

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
    return not isinstance(first, (Call, Power, Fence, Number, Quotient)) or first == OVER_TIME


def _inside(box: Any) -> Any:
    """Without brackets, which an exponent brings along."""
    return box.inner if isinstance(box, Fence) else box


def _terms(sign: int, box: Any) -> tuple[tuple[int, Any], ...]:
    if isinstance(box, Sum):
        return box.terms if sign > 0 else ((-1, Fence(box)),)
    return ((sign, box),)


def sign(letter: str, sub: str = "", dots: int = 0, frame: str = "") -> Expression:
    """A letter with what stands around it."""
    return Expression(Sign(letter, sub, dots, frame=frame))


def number(n: int) -> Expression:
    """A whole number."""
    return Expression(Number(str(n)))


def integral(inside: Expression) -> Expression:
    """Over the mass of a body."""
    inner = inside.box.parts if isinstance(inside.box, Row) else (fenced(inside.box),)
    return Expression(Row((INTEGRAL, *inner, OF_MASS)))


def summed(indices: str, inside: Expression) -> Expression:
    """Over all values of some indices."""
    inner = inside.box.parts if isinstance(inside.box, Row) else (fenced(inside.box),)
    return Expression(Row((Sign(SIGMA, indices), *inner)))


def matrix_of(vector: Expression) -> Expression:
    """S(c): the matrix for which S(c) x = c × x."""
    return Expression(Call(SKEW, (vector.box,)))


def blocks(*rows: tuple[Expression, ...]) -> Expression:
    """A matrix, row by row."""
    return Expression(Grid(tuple(tuple(x.box for x in row) for row in rows)))


def det(matrix: Expression) -> Expression:
    """The determinant."""
    return Expression(Call("det", (matrix.box,)))


HALF_OF = Expression(HALF)
