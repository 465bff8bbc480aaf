"""Formulas that are sums of names: what a sine or cosine can be taken of."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from flint import fmpq

from visviva.algebra.exact.angles import Angle
from visviva.algebra.exact.poly import Poly, Quotient
from visviva.algebra.exact.rationals import independent, solved
from visviva.algebra.exact.ring import Ring
from visviva.errors import ArgumentError, OutsideError
from visviva.notation.evaluate import evaluate
from visviva.notation.names import acceleration_name, velocity_name
from visviva.notation.tree import Name, Node, walk

MOST_IN_ANGLE = 8  # of a product that is an angle


def symbol_of(name: Name) -> str:
    """The symbol of a ring that a name with its dots is."""
    if name.dots > 2:
        raise ArgumentError(f"{name.text or name.key}: a third time derivative is in no equation")
    named = (str, velocity_name, acceleration_name)[name.dots]
    return str(named(name.key))


def linear(node: Node) -> dict[Angle, Fraction] | None:
    """The rational factors of angles in a sum of them, or None if it is no such sum."""
    try:
        return whole(evaluate(node, _Letters(node))).angle_parts()
    except (OutsideError, ArgumentError, ZeroDivisionError):
        return None


class _Letters:
    """Polynomials in the names of one formula, of low degree."""

    def __init__(self, node: Node) -> None:
        symbols = [symbol_of(x) for x in walk(node) if isinstance(x, Name)]
        self.ring = Ring(list(dict.fromkeys(symbols)), {})

    def number(self, value: Fraction) -> Poly:
        """Exact."""
        return self.ring.number(value)

    def name(self, name: Name) -> Poly:
        """A symbol."""
        return self.ring[symbol_of(name)]

    def call(self, function: str, *_: Any) -> Poly:
        """No sum of names."""
        raise OutsideError(function)

    def power(self, base: Any, exponent: Any) -> Any:
        """Whole powers of few terms."""
        if not isinstance(exponent, Fraction) or not 0 <= exponent <= MOST_IN_ANGLE:
            raise OutsideError("a power")
        return base ** int(exponent) if exponent.denominator == 1 else _outside(base)


def whole(x: Any) -> Poly:
    """A quotient over a number as a polynomial; an error for what is none."""
    if isinstance(x, Quotient):
        fixed = constant(x.bottom)
        if fixed is None:
            raise OutsideError(f"{x} is no sum of angles")
        x = x.top * (1 / fixed)
    return x if isinstance(x, Poly) else _outside(x)


def _outside(x: Any) -> Poly:
    raise OutsideError(f"{x} is no polynomial")


def constant(x: Any) -> Fraction | None:
    """The number that an element is."""
    if isinstance(x, Quotient):
        top, bottom = constant(x.top), constant(x.bottom)
        return None if top is None or not bottom else top / bottom
    if not isinstance(x, Poly):
        return Fraction(x)
    if not x.p.is_constant():
        return None
    value = next(iter(x.p.coeffs()), fmpq(0))
    return Fraction(int(value.p), int(value.q))


Combination = Mapping[Any, Fraction]  # of angles


def angles_over(
    preferred: Iterable[Combination], arguments: Sequence[Combination], names: Sequence[Angle]
) -> dict[Angle, dict[int, int]]:
    """Every name as whole multiples of base angles, of which arguments are whole multiples too.

    Bases are the first of the `preferred` combinations that are independent, divided; they go by
    their number.

    Examples:
        >>> half = Fraction(1, 2)
        >>> angles_over([{"a": 1, "b": 1}], [{"a": half}], ["a", "b"])
        {'a': {1: 2}, 'b': {0: 1, 1: -2}}
    """
    units = [{n: Fraction(1)} for n in names]
    all_of = [*preferred, *units]
    first = independent([[x.get(n, 0) for n in names] for x in all_of])
    chosen = {base: all_of[k] for base, k in enumerate(first)}
    turned = solved(chosen, names)  # name -> factors of the chosen ones
    divided = dict.fromkeys(chosen, 1)
    for combination in (*arguments, *units):
        total: dict[int, Fraction] = {}
        for name, times in combination.items():
            for base, k in turned[name].items():
                total[base] = total.get(base, Fraction(0)) + times * k
        for base, times in total.items():
            divided[base] = math.lcm(divided[base], times.denominator)
    return {
        name: {base: int(k * divided[base]) for base, k in turned[name].items()} for name in names
    }
