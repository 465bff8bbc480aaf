"""Functions of coordinates whose zeros are decided: polynomials in what is independent.

Sines and cosines are rational functions of the tangent of half their angle; exponentials and square
roots of what does not move are themselves. Coordinates, parameters, such tangents and exponentials
of different products of symbols satisfy no polynomial equation (Ax), so that a polynomial in them
is zero only if all of its coefficients are. Each knows its derivatives.

Examples:
    >>> x, y = sympy.symbols("x y")
    >>> field = Functions([sympy.sin(x), y], [x, y])
    >>> field.is_zero(sympy.sin(2 * x) - 2 * sympy.sin(x) * sympy.cos(x))
    True
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import Any

import flint
import sympy
from flint.utils.flint_exceptions import DomainError

from visviva.algebra.exact.budget import Budget, is_quick_gcd
from visviva.algebra.exact.ring_sympy import angle_terms
from visviva.errors import OutsideError

HIGHEST = 64
MOST_PRODUCTS = 20_000_000  # of terms, for one question

Ratio = tuple[Any, Any]  # numerator and denominator


class Functions:
    """What formulas of some coordinates are made of, with derivatives by these coordinates."""

    def __init__(self, formulas: Iterable[Any], coordinates: Sequence[Any]) -> None:
        formulas = [sympy.sympify(x) for x in formulas]
        self.coordinates = tuple(coordinates)
        self.waves: dict[Any, int] = {}  # products of symbols, and the parts that are taken of them
        self.powers: dict[Any, int] = {}  # the same of exponentials
        for x in formulas:
            for f in x.atoms(sympy.sin, sympy.cos, sympy.tan, sympy.exp):
                known = self.powers if isinstance(f, sympy.exp) else self.waves
                for part, times in angle_terms(f.args[0]):
                    known[part] = math.lcm(known.get(part, 1), times.denominator)
        self.roots = _roots(formulas, self.coordinates)
        symbols = {s for x in formulas for s in x.free_symbols} | {*coordinates}
        symbols |= {s for part in (*self.waves, *self.powers) for s in part.free_symbols}
        self.symbols = sorted(symbols, key=str)
        generators = [
            *self.symbols,
            *_keys("wave", self.waves),
            *_keys("power", self.powers),
            *_keys("root", self.roots),
        ]
        names = [f"s{k}" for k in range(len(generators))]
        self.ring = flint.fmpq_mpoly_ctx.get(names, flint.Ordering.degrevlex)
        self.place = {x: k for k, x in enumerate(generators)}
        self.budget = Budget(MOST_PRODUCTS)
        self._known: dict[Any, Ratio] = {}
        self._squares: list[tuple[int, Any]] = []  # the generators that are roots, and of what
        for base in self.roots:
            self._add_root(base)
        self._rates = [self._rates_by(x) for x in self.coordinates]

    # ---- reading

    def ratio(self, x: Any) -> Ratio:
        """Numerator and denominator of a formula; OutsideError if it has none."""
        x = sympy.sympify(x)
        if x not in self._known:
            self._known[x] = self._new(x)
        return self._known[x]

    def is_zero(self, x: Any) -> bool:
        """Whether a formula is zero wherever it has a value."""
        return not self.ratio(x)[0]

    def row(self, formulas: Iterable[Any]) -> list[Any]:
        """Polynomials in the ratio of some formulas, without a common factor."""
        ratios = [self.ratio(x) for x in formulas]
        common = self.ring.constant(1)
        for _, d in ratios:
            common = self.times(common, d / self.gcd(common, d))
        return self.primitive([self.times(p, common / d) for p, d in ratios])

    def _new(self, x: Any) -> Ratio:
        one = self.ring.constant(1)
        if x in self.place:
            return self._generator(x), one
        if isinstance(x, (sympy.Rational, sympy.Float)):
            number = x if isinstance(x, sympy.Rational) else sympy.Rational(str(x))
            return self.ring.constant(flint.fmpq(int(number.p), int(number.q))), one
        if isinstance(x, sympy.Add):
            total = (self.ring.constant(0), one)
            for part in x.args:
                total = self._sum(total, self.ratio(part))
            return total
        if isinstance(x, sympy.Mul):
            total = (one, one)
            for part in x.args:
                total = self._product(total, self.ratio(part))
            return total
        if isinstance(x, sympy.Pow) and x.exp.is_Integer and abs(x.exp) <= HIGHEST:
            p, d = self.ratio(x.base)
            return self._power((p, d) if x.exp > 0 else self._inverse((p, d)), abs(int(x.exp)))
        if isinstance(x, sympy.Pow) and x.base in self.roots and (2 * x.exp).is_Integer:
            p, d = self.ratio(x.base)
            root = self._generator(("root", x.base)), d
            half = self._power(root if x.exp > 0 else self._inverse(root), abs(int(2 * x.exp)))
            return self._lowest(*half)
        if isinstance(x, sympy.exp):
            return self._exponential(x.args[0])
        if isinstance(x, (sympy.sin, sympy.cos, sympy.tan)):
            c, s = self._wave(x.args[0])
            if isinstance(x, sympy.tan):
                return self._product(s, self._inverse(c))
            return c if isinstance(x, sympy.cos) else s
        raise OutsideError(f"{x!s:.200} is no rational function of symbols, sines and exponentials")

    def _wave(self, angle: Any) -> tuple[Ratio, Ratio]:
        """Cosine and sine of a sum of angles, by multiplying (1 + iu)² / (1 + u²)."""
        one = self.ring.constant(1)
        real, imaginary, below = one, self.ring.constant(0), one
        for part, times in angle_terms(angle):
            u = self._generator(("wave", part))
            n = times * self.waves[part]
            c, s, d = one - u * u, 2 * u if n > 0 else -2 * u, one + u * u
            if abs(n) > HIGHEST:
                raise OutsideError(f"the angle {angle!s:.60} is a high multiple")
            for _ in range(abs(int(n))):
                real, imaginary = (
                    self.times(real, c) - self.times(imaginary, s),
                    self.times(real, s) + self.times(imaginary, c),
                )
                below = self.times(below, d)
        return (real, below), (imaginary, below)

    def _exponential(self, exponent: Any) -> Ratio:
        total = (self.ring.constant(1), self.ring.constant(1))
        for part, times in angle_terms(exponent):
            n = int(times * self.powers[part])
            one = (self._generator(("power", part)), self.ring.constant(1))
            total = self._product(total, self._power(one if n > 0 else self._inverse(one), abs(n)))
        return total

    def _generator(self, x: Any) -> Any:
        return self.ring.gens()[self.place[x]]

    # ---- arithmetic, weighed before it is done

    def times(self, p: Any, q: Any) -> Any:
        """A product of polynomials."""
        self.budget.spend(p, q)
        return self._without_squares(p * q)

    def slope(self, p: Any, j: int) -> Any:
        """∂p/∂qⱼ of a polynomial, by the chain rule."""
        total = self.ring.constant(0)
        for k, rate in self._rates[j].items():
            if by := p.derivative(k):
                total = total + self.times(by, rate)
        return total

    def primitive(self, row: Sequence[Any]) -> list[Any]:
        """Without the factor that all entries have."""
        common = self.ring.constant(0)
        for p in row:
            common = self.gcd(common, p)
            if common.is_constant() and common:
                break
        if not common:
            return list(row)
        return [p / common for p in row] if not common.is_constant() else _monic(row)

    def sympy(self, p: Any) -> Any:
        """A polynomial as a formula."""
        names = [*self.symbols]
        names += [_tangent(part / (2 * k)) for part, k in self.waves.items()]
        names += [sympy.exp(part / k) for part, k in self.powers.items()]
        names += [sympy.sqrt(base) * self.sympy(self.ratio(base)[1]) for base in self.roots]
        terms = []
        for powers, c in p.to_dict().items():
            factors = [x ** int(k) for x, k in zip(names, powers, strict=True) if k]
            terms.append(sympy.Mul(sympy.Rational(int(c.p), int(c.q)), *factors))
        return sympy.Add(*terms)

    def _rates_by(self, x: Any) -> dict[int, Any]:
        """How fast each generator changes with a coordinate."""
        one = self.ring.constant(1)
        rates = {self.place[x]: one}
        for part, k in self.waves.items():
            if x in part.free_symbols:
                u = self._generator(("wave", part))
                inner = self.ratio(part.diff(x))[0]
                rates[self.place["wave", part]] = self.times(one + u * u, inner) * flint.fmpq(
                    1, 2 * k
                )
        for part, k in self.powers.items():
            if x in part.free_symbols:
                e, inner = self._generator(("power", part)), self.ratio(part.diff(x))[0]
                rates[self.place["power", part]] = self.times(e, inner) * flint.fmpq(1, k)
        return rates

    def gcd(self, p: Any, q: Any) -> Any:
        """A common divisor; the greatest where it is found soon."""
        if not p or not q:
            return p or q
        if p.is_constant() or q.is_constant() or not is_quick_gcd(p, q):
            return self.ring.constant(1)
        self.budget.spend(p, q)
        return p.gcd(q)

    def _lowest(self, p: Any, d: Any) -> Ratio:
        common = self.gcd(p, d) if p else d
        return p / common, d / common

    def _sum(self, x: Ratio, y: Ratio) -> Ratio:
        if x[1] == y[1]:
            return self._lowest(x[0] + y[0], x[1])
        above = self.times(x[0], y[1]) + self.times(y[0], x[1])
        return self._lowest(above, self.times(x[1], y[1]))

    def _product(self, x: Ratio, y: Ratio) -> Ratio:
        return self._lowest(self.times(x[0], y[0]), self.times(x[1], y[1]))

    def _inverse(self, x: Ratio) -> Ratio:
        if not x[0]:
            raise OutsideError("a formula divides by zero")
        return x[1], x[0]

    def _power(self, x: Ratio, n: int) -> Ratio:
        for p in x:
            self.budget.spend_power(p, n)
        return self._without_squares(x[0] ** n), self._without_squares(x[1] ** n)

    # ---- roots of what does not move

    def _add_root(self, base: Any) -> None:
        """√(p/d) = √(p d) / d, if that is no product of roots that are there already."""
        p, d = self.ratio(base)
        square = self.times(p, d)
        for size in range(len(self._squares) + 1):
            for others in combinations([x for _, x in self._squares], size):
                product = square
                for x in others:
                    product = self.times(product, x)
                if _is_square(product):
                    raise OutsideError(f"the root of {base} is rational, or of other roots")
        self._squares.append((self.place["root", base], square))

    def _without_squares(self, p: Any) -> Any:
        """Roots in the first power only: the normal form."""
        for k, square in self._squares:
            if p and p.degrees()[k] > 1:
                parts: dict[int, dict[Any, Any]] = {}
                for powers, c in p.to_dict().items():
                    left = list(powers)
                    times, left[k] = divmod(int(left[k]), 2)
                    parts.setdefault(times, {})[tuple(left)] = c
                p = self.ring.constant(0)
                for times, terms in parts.items():
                    part = self.ring.from_dict(terms)
                    for _ in range(times):
                        part = self.times(part, square)
                    p = p + part
        return p


def _roots(formulas: Iterable[Any], moving: Sequence[Any]) -> dict[Any, None]:
    """What square roots are taken of, where it does not move."""
    powers = (x for f in formulas for x in f.atoms(sympy.Pow))
    halves = (x.base for x in powers if x.exp.is_Rational and x.exp.q == 2)
    return {x: None for x in sorted(halves, key=str) if not x.free_symbols & {*moving}}


def _is_square(p: Any) -> bool:
    try:
        p.sqrt()
    except DomainError:
        return False
    return True


def _keys(kind: str, parts: Iterable[Any]) -> Iterator[tuple[str, Any]]:
    return ((kind, part) for part in parts)


def _tangent(half: Any) -> Any:
    return sympy.sin(2 * half) / (1 + sympy.cos(2 * half))


def _monic(row: Sequence[Any]) -> list[Any]:
    """Divided by the leading number of the first entry that has one."""
    first = next((p for p in row if p), None)
    return list(row) if first is None else [p / first.leading_coefficient() for p in row]
