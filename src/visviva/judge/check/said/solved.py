"""Equations that are solved for an acceleration, which alone stands on a side."""

from __future__ import annotations

import math
from fractions import Fraction

from visviva.notation.tree import (
    Name,
    Negative,
    Node,
    Number,
    Product,
    Quotient,
    Sum,
    names,
)


def is_solved(left: Node, right: Node) -> bool:
    """Whether one side is an acceleration, and the other one what it is."""
    return is_acceleration(left) and not any(n.dots == 2 for n in names(right))


def multiple(node: Node) -> tuple[Name, Fraction] | None:
    """The acceleration that stands alone on a side, and the number that it is multiplied by."""
    match node:
        case Name(_, 2):
            return node, Fraction(1)
        case Negative(inside):
            parts, times = [inside], Fraction(-1)
        case Quotient(top, Number(below)) if below:
            parts, times = [top], 1 / Fraction(below)
        case Product(factors):
            parts = [x for x in factors if not isinstance(x, Number)]
            numbers = [Fraction(x.value) for x in factors if isinstance(x, Number)]
            times = math.prod(numbers, start=Fraction(1))
        case Sum(terms):
            parts, times = [x for x in terms if x != Number(0)], Fraction(1)
        case _:
            return None
    inner = multiple(parts[0]) if len(parts) == 1 and times else None
    return inner and (inner[0], inner[1] * times)


def is_acceleration(node: Node) -> bool:
    """Whether nothing but an acceleration stands there."""
    return isinstance(node, Name) and node.dots == 2
