"""Values of formulas by ball arithmetic: numbers with a proved bound of their error."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as field_of
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb, arb_mat, ctx, fmpq

from visviva.algebra.exact.angles import factors_of
from visviva.algebra.exact.poly import Poly, Quotient, Wave
from visviva.algebra.exact.substitute import PI
from visviva.judge.exact.field import Field
from visviva.judge.exact.forms import Facts
from visviva.judge.exact.sums import symbol_of
from visviva.notation.evaluate import evaluate
from visviva.notation.tree import Name, Node

BITS = 240
# tried after that; a difference of normal forms is there, however small
MORE_BITS = (2_000, 16_000, 130_000, 1_000_000)
POINTS = 24
MOST_POINTS = 80  # tried before giving up


@dataclass(frozen=True)
class Solution:
    """Entry `index` of the solution of M x = right, which nobody writes out."""

    M: list[list[Any]]
    right: list[Any]
    index: int

    def at(self, point: Mapping[str, Fraction], field: Field | None) -> Any:
        """Its value, a ball."""
        M = arb_mat([[value(x, point, field) for x in row] for row in self.M])
        right = arb_mat([[value(x, point, field)] for x in self.right])
        try:
            return M.solve(right)[self.index, 0]
        except ZeroDivisionError:
            return arb("nan")


Formula = Node | Poly | Quotient | Solution


@dataclass(frozen=True)
class Witness:
    """A point where claim and truth have these values, which differ by more than their errors."""

    point: Mapping[str, Fraction]
    claim: float
    truth: float
    apart: str = ""  # claim - truth, to a few digits


@dataclass(frozen=True)
class Agreement:
    """At how many points two formulas agree, to how many digits at least, and where these are."""

    points: int
    digits: int
    unreal: Mapping[str, Any] | None = None  # a point where the claim alone has no real value
    ranges: Mapping[str, tuple[float, float]] = field_of(default_factory=dict)  # of each name


def weakest(agreements: Sequence[Agreement]) -> Agreement:
    """Of all entries: the fewest points and digits, and between which values all of them agree."""
    unreal = next((x.unreal for x in agreements if x.unreal), None)
    points, digits = min(x.points for x in agreements), min(x.digits for x in agreements)
    ranges: dict[str, tuple[float, float]] = {}
    for x in agreements:
        for name, (low, high) in x.ranges.items():
            low_bound, high_bound = ranges.get(name, (low, high))
            ranges[name] = max(low, low_bound), min(high, high_bound)
    return Agreement(points, digits, unreal, ranges)


def compared(
    claim: Formula,
    truth: Formula,
    field: Field | None,
    symbols: Iterable[str],
    facts: Facts,
    bits: int = BITS,
    most: int = POINTS,
    places: Callable[[Collection[str]], Iterator[Mapping[str, Any]]] | None = None,
) -> Witness | Agreement:
    """The first point that tells two formulas apart, or how well they agree at `most` points.

    Parameters and other names are positive there, quaternions have the length 1; `places` yields
    other points.
    """
    symbols = sorted(set(symbols))
    agreed, digits, unreal = list[Mapping[str, Any]](), 1000, None
    before = ctx.prec
    ctx.prec = bits
    try:
        for point in points(symbols, facts, wide=True) if places is None else places(symbols):
            a, b = (value(x, point, field) for x in (claim, truth))
            gap = a - b
            if not gap.is_finite():  # a root of a negative number, a division by zero
                if unreal is None and b.is_finite():
                    unreal = {k: _rational(x) for k, x in point.items() if k in symbols}
                continue
            if not gap.contains(0):
                if gap.rel_accuracy_bits() < 12:
                    ctx.prec = 2 * bits
                    gap = value(claim, point, field) - value(truth, point, field)
                apart = gap.mid().str(3, radius=False)
                rounded = {k: _rational(x) for k, x in point.items() if k in symbols}
                return Witness(rounded, _float(a), _float(b), apart)
            agreed.append(point)
            digits = min(digits, _digits(gap))
            if len(agreed) == most:
                break
    finally:
        ctx.prec = before
    return Agreement(len(agreed), digits if agreed else 0, unreal, _ranges(symbols, agreed))


def _ranges(
    symbols: Iterable[str], points: Sequence[Mapping[str, Any]]
) -> dict[str, tuple[float, float]]:
    """The least and the greatest value of each name."""
    rows = {s: [float(_rational(point[s])) for point in points if s in point] for s in symbols}
    return {s: (min(row), max(row)) for s, row in rows.items() if row}


def value(formula: Formula, point: Mapping[str, Fraction], field: Field | None) -> Any:
    """A formula, or an element of a field, at a point."""
    if isinstance(formula, Quotient):
        return value(formula.top, point, field) / value(formula.bottom, point, field)
    if isinstance(formula, Solution):
        return formula.at(point, field)
    if isinstance(formula, Poly):
        return _polynomial(formula, point, field)
    try:
        return evaluate(formula, Balls(point))
    except ZeroDivisionError:
        return arb("nan")


class Balls:
    """Balls around rational numbers and what becomes of them."""

    def __init__(self, point: Mapping[str, Fraction]) -> None:
        self.point = point

    def number(self, value: Fraction) -> arb:
        """As near as the precision allows."""
        return ball(value)

    def name(self, name: Name) -> arb:
        """The symbol's value at the point."""
        return arb.pi() if name.key == "pi" else ball(self.point[symbol_of(name)])

    def call(self, function: str, *arguments: Any) -> Any:
        """FLINT has them all."""
        words = {"abs": "__abs__", "sign": "sgn"}
        return getattr(arb, words.get(function, function))(*arguments)

    def power(self, base: Any, exponent: Any) -> Any:
        """Whole powers of negative numbers too."""
        if isinstance(exponent, Fraction):
            if exponent.denominator == 1:
                return whole_power(base, int(exponent))
            exponent = ball(exponent)
        return base**exponent


def whole_power(x: Any, k: int) -> Any:
    """x to a whole power, by products: FLINT has no powers of a ball around zero."""
    if k < 0:
        return 1 / whole_power(x, -k)
    power = arb(1)
    for bit in f"{k:b}":
        power = power * power * x if bit == "1" else power * power
    return power


def _polynomial(p: Poly, point: Mapping[str, Fraction], field: Field | None) -> Any:
    ring = p.ring
    values: list[Any] = []

    def symbol(name: str) -> arb:
        """In an angle: what the function does not depend on is left out of the point."""
        return arb.pi() if name == PI else ball(point.get(name, Fraction(0)))

    for generator, degree in zip(ring.generators, p.p.degrees(), strict=True):
        if degree <= 0:
            values.append(None)
        elif isinstance(generator, Wave):
            angle = arb(0)
            for product, times in ring.sums[generator.base].items():
                angle += math.prod(map(symbol, factors_of(product)), start=ball(times))
            values.append(getattr(angle, generator.function)())
        elif generator == PI:
            values.append(arb.pi())
        elif field is not None and generator in field.meaning:
            values.append(_other(*field.meaning[generator], point, field))
        else:
            values.append(ball(point[generator]))
    total = arb(0)
    for powers, coefficient in p.p.to_dict().items():
        term = arb(coefficient)
        for x, k in zip(values, powers, strict=True):
            if k:
                term *= whole_power(x, int(k))
        total += term
    return total


def _other(function: str, arguments: Any, point: Mapping[str, Fraction], field: Field) -> Any:
    inside = [value(x, point, field) for x in arguments]
    balls = Balls(point)
    return balls.power(*inside) if function == "power" else balls.call(function, *inside)


def ball(x: Any) -> arb:
    """A ball around a rational number; a ball is one already."""
    return x if isinstance(x, arb) else arb(fmpq(x.numerator, x.denominator))


def _float(x: arb) -> float:
    """Its middle; zero where that is possible."""
    return 0.0 if x.contains(0) else float(x.mid())


def _rational(x: Any) -> Fraction:
    """A number as it is, a ball's middle to the digits of a float."""
    return Fraction(float(x.mid())) if isinstance(x, arb) else x


def points(symbols: list[str], facts: Facts, wide: bool = False) -> Iterator[dict[str, Fraction]]:
    """Short decimals, so that a point can be typed by hand; later ones are longer, then larger.

    With `wide`, longer ones have parameters of all sizes, so that sums of them have any sign.
    """
    chance = np.random.default_rng(0)
    names = sorted({*symbols, *(q for quaternion in facts.unit for q in quaternion)})
    rates = (x for pair in facts.rates for x in pair)
    signed = {*facts.coordinates, *rates, *facts.forms.multiplier_names, "t"}
    for k in range(MOST_POINTS):
        third = min(3 * k // POINTS, 2)
        scale, top = [(10, 2), (1000, 4 if wide else 2), (10, 40)][third]
        sizes = chance.integers(2, top * scale, len(names))
        if wide and third:
            any_size = np.exp(chance.uniform(np.log(2), np.log(10 * top * scale), len(names)))
            sizes = np.where([s in signed for s in names], sizes, any_size.astype(int))
        signs = chance.choice([-1, 1], len(names))
        point = {
            s: Fraction(int(x * sign if s in signed or not s.isidentifier() else x), scale)
            for s, x, sign in zip(names, sizes, signs, strict=True)
        }
        for quaternion in facts.unit:
            point |= _on_sphere({q: point[q] for q in quaternion})
        yield {s: point[s] for s in symbols}


def _on_sphere(quaternion: Mapping[str, Fraction]) -> dict[str, Fraction]:
    """Three of four numbers as the place of a rational point on the unit sphere."""
    *names, last = quaternion
    square = sum((quaternion[q] ** 2 for q in names), Fraction(0))
    point = {q: 2 * quaternion[q] / (1 + square) for q in names}
    return {**point, last: (1 - square) / (1 + square)}


def _digits(gap: arb) -> int:
    radius = float(abs(gap).upper())
    if radius == 0.0 or math.isinf(radius):
        return 1000 if radius == 0.0 else 0
    return max(0, math.floor(-math.log10(radius)))
