"""Formulas of inverse kinematics as cosines and sines of angles, over fractions with roots.

acos u is the angle with cosine u and the sine √(1 - u²), which is not negative; atan2(y, x) that
with (x, y)/√(x² + y²); atan u that with (1, u)/√(1 + u²). So an angle is a pair, exactly, and the
position of the tip is a polynomial of such pairs.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from visviva.algebra.exact.poly import Poly, Wave
from visviva.judge.check.reach.roots import Rooted, Roots, UnknownSignError
from visviva.notation.tree import (
    Call,
    Name,
    Negative,
    Node,
    Number,
    Power,
    Product,
    Quotient,
    Sum,
)

Turn = tuple[Rooted, Rooted]  # cosine and sine
QUARTER_TURNS = {0: (1, 0), 1: (0, 1), 2: (-1, 0), 3: (0, -1)}


@dataclass(eq=False)
class Angles:
    """Values of formulas: `pairs` of the names that are angles, `values` of the others."""

    roots: Roots
    pairs: dict[str, Turn] = field(default_factory=dict)
    values: dict[str, Rooted] = field(default_factory=dict)

    def value(self, node: Node) -> Rooted:
        """A formula that is a number or a length."""
        match node:
            case Number(x):
                return self.roots.number(Fraction(x))
            case Name(key) if key in self.values:
                return self.values[key]
            case Negative(inside):
                return -self.value(inside)
            case Sum(terms):
                first, *rest = map(self.value, terms)
                return sum(rest, first)
            case Product(factors):
                product = self.roots.number(1)
                for factor in factors:
                    product = product * self.value(factor)
                return product
            case Quotient(top, bottom):
                return self.value(top) / self.value(bottom)
            case Power(base, Number(n)):
                n = Fraction(n)
                if n.denominator == 1:
                    return self.value(base) ** int(n)
                if n.denominator == 2:
                    return self.roots.root(self.value(base)) ** n.numerator
            case Call("sqrt", (inside,)):
                return self.roots.root(self.value(inside))
            case Call("cos", (inside,)):
                return self.pair(inside)[0]
            case Call("sin", (inside,)):
                return self.pair(inside)[1]
            case Call("tan", (inside,)):
                c, s = self.pair(inside)
                return s / c
        raise UnknownSignError  # no normal form of this kind

    def pair(self, node: Node) -> Turn:
        """Cosine and sine of a formula that is an angle."""
        one = self.roots.number(1)
        match node:
            case Name(key) if key in self.pairs:
                return self.pairs[key]
            case Negative(inside):
                c, s = self.pair(inside)
                return c, -s
            case Sum(terms):
                total = self.pair(terms[0])
                for x in terms[1:]:
                    total = _sum(total, self.pair(x))
                return total
            case Call("acos", (inside,)):
                u = self.value(inside)
                return u, self.roots.root(one - u * u)
            case Call("asin", (inside,)):
                u = self.value(inside)
                return self.roots.root(one - u * u), u
            case Call("atan", (inside,)):
                u = self.value(inside)
                c = one / self.roots.root(one + u * u)
                return c, u * c
            case Call("atan2", (top, bottom)):
                up, along = self.value(top), self.value(bottom)
                r = self.roots.root(along * along + up * up)
                return along / r, up / r
        turns = _of_pi(node)
        if turns is not None and turns * 2 == int(turns * 2):
            quarter = QUARTER_TURNS[int(turns * 2) % 4]
            return self.roots.number(quarter[0]), self.roots.number(quarter[1])
        times, rest = _whole_multiple(node)
        if rest is not None:
            return self.multiple(self.pair(rest), times)
        raise UnknownSignError

    def multiple(self, angle: Turn, times: int) -> Turn:
        """The pair of a whole multiple."""
        c, s = angle
        total = self.roots.number(1), self.roots.number(0)
        for _ in range(abs(times)):
            total = _sum(total, (c, s if times > 0 else -s))
        return total

    def of(self, p: Poly) -> Rooted:
        """A polynomial of the system where its coordinates are such values and pairs."""
        ring = p.ring
        known: dict[Any, Rooted] = {}
        for generator, degree in zip(ring.generators, p.p.degrees(), strict=True):
            if degree <= 0:
                continue
            if isinstance(generator, Wave):
                angle = self.roots.number(1), self.roots.number(0)
                for name, times in ring.sums[generator.base].items():
                    if times != int(times) or name not in self.pairs:
                        raise UnknownSignError
                    angle = _sum(angle, self.multiple(self.pairs[name], int(times)))
                known[generator] = angle[0 if generator.function == "cos" else 1]
            elif generator in self.values:
                known[generator] = self.values[generator]
            else:
                raise UnknownSignError
        total = self.roots.number(0)
        for powers, c in p.p.to_dict().items():
            term = self.roots.number(Fraction(int(c.p), int(c.q)))
            for generator, k in zip(ring.generators, powers, strict=True):
                if k:
                    term = term * known[generator] ** int(k)
            total = total + term
        return total


def _sum(a: Turn, b: Turn) -> Turn:
    return a[0] * b[0] - a[1] * b[1], a[1] * b[0] + a[0] * b[1]


def _of_pi(node: Node) -> Fraction | None:
    """A multiple of π, without it."""
    match node:
        case Number(x) if x == 0:
            return Fraction(0)
        case Name("pi"):
            return Fraction(1)
        case Quotient(top, Number(below)) if below:
            inside = _of_pi(top)
            return None if inside is None else inside / Fraction(below)
        case Product(factors):
            times = Fraction(1)
            rest = [y for y in factors if not isinstance(y, Number)]
            for factor in factors:
                times *= Fraction(factor.value) if isinstance(factor, Number) else 1
            return times if rest == [Name("pi")] else None
    return None


def _whole_multiple(node: Node) -> tuple[int, Node | None]:
    """k and an angle, of k times this angle."""
    if isinstance(node, Product) and len(node.factors) == 2:
        first, rest = node.factors
        if isinstance(first, Number) and Fraction(first.value).denominator == 1:
            return int(first.value), rest
    return 0, None
