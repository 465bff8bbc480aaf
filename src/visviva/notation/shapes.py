"""Which formulas are numbers, which are vectors and matrices, and whether these fit."""

from __future__ import annotations

from visviva.errors import ParseError
from visviva.notation.evaluate import evaluate
from visviva.notation.tree import (
    IN_TIME,
    SLOPE,
    TRANSPOSE,
    Call,
    Matrix,
    Negative,
    Node,
    Number,
    Power,
    Product,
    Quotient,
    Sum,
    children,
    rebuilt,
)


def shape_of(node: Node) -> tuple[int, int] | None:
    """Rows and columns of a formula that is a matrix."""
    match node:
        case Matrix(rows):
            return len(rows), len(rows[0])
        case Negative(inside) | Quotient(inside, _):
            return shape_of(inside)
        case Sum(terms):
            return shape_of(terms[0])
        case Call(function, (inside,)) if function == TRANSPOSE:
            turned = shape_of(inside)
            return turned and (turned[1], turned[0])
        case Product(factors):
            shapes = [x for x in map(shape_of, factors) if x is not None]
            shape = (shapes[0][0], shapes[-1][1]) if shapes else None
            return None if len(shapes) > 1 and shape == (1, 1) else shape
        case Power(base, Number(-1)):
            return shape_of(base)
        case Call(function, (inside,)) if function == IN_TIME:
            return shape_of(inside)
        case Call(function, (inside, by, *_)) if function == SLOPE:
            below, above = shape_of(by), shape_of(inside)
            if below is None:
                return above
            return (below[0], 1) if above is None else (above[0], below[0])
    return None


def fits(node: Node) -> bool:
    """Whether numbers, vectors and matrices stand in a formula as they may."""
    try:
        evaluate(_without_slopes(node), _Ones())
    except ParseError:
        return False
    return True


def _without_slopes(node: Node) -> Node:
    """A formula of the same shape."""
    if isinstance(node, Call) and node.function in (SLOPE, IN_TIME):
        shape = shape_of(node)
        return Number(1) if shape is None else Matrix(((Number(1),) * shape[1],) * shape[0])
    return rebuilt(node, tuple(map(_without_slopes, children(node))))


class _One:
    """A number of which only is known that it is one: sums, products and quotients are such too."""

    def __add__(self, _: object) -> _One:
        return self

    __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __add__

    def __neg__(self) -> _One:
        return self


class _Ones:
    """Scalars that are all alike: only shapes count, and m - M is not zero."""

    def number(self, _: object) -> _One:
        """One."""
        return _One()

    name = number

    def call(self, *_: object) -> _One:
        """One."""
        return _One()

    power = call
