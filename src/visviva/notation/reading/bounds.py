"""How large the numbers of a typed formula can get, before anything is computed."""

from __future__ import annotations

import math
from fractions import Fraction

from visviva.notation.tree import (
    Call,
    Negative,
    Node,
    Number,
    Power,
    Product,
    Quotient,
    Sum,
    children,
    walk,
)

LARGEST_EXPONENT = 1000
MOST_BITS = 10_000  # of a coefficient, and of all large numbers together
LARGE = 400  # bits; a hundred digits are not yet large


class Sizes:
    """Bounds and exact values of subtrees, each computed once.

    The size of a formula is a bound of the digits, base 2, of any coefficient in its expansion; a
    name counts as one, so that it also bounds the degree.
    """

    def __init__(self) -> None:
        self.known: dict[int, tuple[Node, int, Fraction | None]] = {}  # the node keeps its id alive
        self.spent = 0  # sizes of all large numbers

    def size(self, node: Node) -> int:
        """The bound."""
        return self._of(node)[0]

    def constant(self, node: Node) -> Fraction | None:
        """The value of a formula of numbers alone; None for others, and for 1/0."""
        return self._of(node)[1]

    def spend(self, node: Node) -> bool:
        """Count the size of a number; False if there is no room for it."""
        size = self.size(node)
        self.spent += size if size > LARGE and self.constant(node) is not None else 0
        return max(size, self.spent) <= MOST_BITS

    def has_powers(self, node: Node) -> bool:
        """Whether a power is inside."""
        return any(isinstance(x, Power) for x in walk(node))

    def _of(self, node: Node) -> tuple[int, Fraction | None]:
        waiting, order = [node], []
        while waiting:
            x = waiting.pop()
            if id(x) not in self.known:
                order.append(x)
                waiting.extend(children(x))
        for x in reversed(order):  # what is inside comes first
            size = self._size(x)
            self.known[id(x)] = (x, size, self._value(x) if size <= MOST_BITS else None)
        return self.known[id(node)][1:]

    def _size(self, node: Node) -> int:
        inside = [self.known[id(x)][1] for x in children(node)]
        match node:
            case Number(value):
                exact = Fraction(value)
                return exact.numerator.bit_length() + exact.denominator.bit_length()
            case Sum():
                return max(inside) + len(inside)
            case Product() | Quotient():
                return sum(inside)
            case Power(_, Number(n)):
                return max(1, abs(int(n))) * inside[0]
            case Call():
                return 1
        return max(inside, default=1)

    def _value(self, node: Node) -> Fraction | None:
        if isinstance(node, Number):
            return Fraction(node.value)
        if not isinstance(node, (Negative, Sum, Product, Quotient, Power)):
            return None
        inside = [self.known[id(x)][2] for x in children(node)]
        values = [value for value in inside if value is not None]
        if len(values) < len(inside):
            return None
        match node:
            case Negative():
                return -values[0]
            case Sum():
                return sum(values, Fraction(0))
            case Product():
                return math.prod(values, start=Fraction(1))
        first, second = values
        if isinstance(node, Quotient):
            return first / second if second else None
        if second.denominator != 1 or (second < 0 and not first):
            return None
        return first ** int(second)
