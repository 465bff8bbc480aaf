"""Factors of trigonometric polynomials.

In sines and cosines nothing factors in one way only: sin² = (1 - cos)(1 + cos). In half angles it
does. With t = tan(q/2) a polynomial of degree d in sin q and cos q is one of degree 2d in t, over
(1 + t²)ᵈ; where its degree is less, the rest are zeros at t = ∞, factors cos(q/2). Polynomials in t
have one factorisation, which FLINT finds. A factor of even degree in every t is a polynomial in
sines and cosines again; of the others several are multiplied, until they are: tan(q/2) times
cos(q/2)² is sin q.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import sympy
from flint import Ordering, fmpq_mpoly_ctx

from visviva.algebra.arrays import Array
from visviva.algebra.exact.poly import Base, Poly, Wave
from visviva.algebra.exact.ring import Ring
from visviva.errors import OutsideError
from visviva.notation.textbook.writer import textbook

MOST_TERMS = 4000  # in half angles, of what FLINT is asked to factor
_WHOLE = 10**6  # coefficients up to which a factor is written in whole numbers
_ROUNDING = 1e-13  # of the largest term: what digits of an irrational direction leave
Sizes = Sequence[Mapping[str, float]]  # how large symbols may be, in one way or another


@dataclass(frozen=True, eq=False)
class Factor:
    """A factor and its power."""

    poly: Poly
    power: int


def factored(x: Poly, lengths: Collection[Fraction] = ()) -> list[Factor]:
    """Factors whose product is x, those without coordinates or angles among them.

    A factor is one up to a number: it is taken so that its coefficients are whole, or, where that
    can be, so that all of them are among the `lengths` of an arm; very long ones are decimals.

    Examples:
        >>> from visviva.algebra.exact.ring import Ring
        >>> ring = Ring(["q", "l"], {"q": {"q": 1}})
        >>> q, l = ring["q"], ring["l"]
        >>> [f.poly for f in factored(l * (q + q).sin() + l * l * q.sin())]
        [l, sin(q), 2*cos(q) + l]
    """
    if x.is_zero:
        return [Factor(x, 1)]
    half = HalfAngles(x)
    if len(half.p) > MOST_TERMS:
        raise OutsideError(
            f"too many terms: {len(half.p)} in half angles, factors are looked for up to "
            f"{MOST_TERMS}"
        )
    return half.factors(lengths)


class HalfAngles:
    """A polynomial in the tangents of half of its base angles, and the way back."""

    def __init__(self, x: Poly) -> None:
        self.ring: Ring = x.ring
        self.x = x
        used = {g for powers, _ in x.terms() for g in powers}
        self.bases = [b for b in self.ring.bases if {Wave("sin", b), Wave("cos", b)} & used]
        self.symbols = [s for s in self.ring.symbols if s in used]
        names = [f"t{k}" for k in range(len(self.bases))]
        names += [f"x{k}" for k in range(len(self.symbols))]
        self.context = fmpq_mpoly_ctx.get(names or ["x"], Ordering.lex)
        self.t = self.context.gens()[: len(self.bases)]
        self.degrees = [self._degree(b) for b in self.bases]
        self.p = self._in_tangents()

    def _degree(self, base: Base) -> int:
        """In the sine and cosine of a base angle together."""
        s, c = (self.ring.place[Wave(f, base)] for f in ("sin", "cos"))
        return max(int(powers[s] + powers[c]) for powers in self.x.p.to_dict())

    def _in_tangents(self) -> Any:
        places = [tuple(self.ring.place[Wave(f, b)] for f in ("sin", "cos")) for b in self.bases]
        tables = [
            {
                (i, j): (2 * t) ** i * (1 - t * t) ** j * (1 + t * t) ** (d - i - j)
                for i in range(2)
                for j in range(d - i + 1)
            }
            for t, d in zip(self.t, self.degrees, strict=True)
        ]
        columns = [self.ring.place[s] for s in self.symbols]
        n = len(self.bases)
        rows: dict[tuple[Any, ...], dict[tuple[int, ...], Any]] = {}  # by their waves
        for powers, c in self.x.p.to_dict().items():
            waves = tuple((int(powers[s]), int(powers[k])) for s, k in places)
            rest = (*[0] * n, *(int(powers[k]) for k in columns))
            rows.setdefault(waves, {})[rest if columns or n else (0,)] = c
        total = self.context.constant(0)
        for waves, symbols in rows.items():
            part = self.context.from_dict(symbols)
            for table, wave in zip(tables, waves, strict=True):
                part = part * table[wave]
            total = total + part
        return total

    def factors(self, lengths: Collection[Fraction] = ()) -> list[Factor]:
        """Numbers and symbols first, then by how long they are."""
        _, found = self.p.factor()
        rest = [2 * d for d in self.degrees]
        parts: list[tuple[tuple[int, ...], Any, int]] = []  # degrees in t, factor, power
        plain: list[Factor] = []
        for f, k in found:
            degrees = self._degrees(f)
            rest = [r - int(k) * d for r, d in zip(rest, degrees, strict=True)]
            if any(degrees) or self._is_circle(f):
                parts.append((degrees, f, int(k)))
            else:
                plain.append(Factor(self._back(f, degrees), int(k)))
        one = self.context.constant(1)
        for k, r in enumerate(rest):
            if r:  # cos(q/2), which has no t
                degrees = tuple(int(i == k) for i in range(len(self.bases)))
                parts.append((degrees, one, r))
        even = [(self._back(f, d), k) for d, f, k in self._even(parts)]
        whole = [Factor(_neat(f, lengths), k) for f, k in even if not f.p.is_constant()]
        scale = self._scale([*plain, *whole])
        front = [] if scale == 1 else [Factor(scale, 1)]
        ordered = sorted(plain, key=_order) + sorted(whole, key=_order)
        return [*front, *ordered] or [Factor(self.ring.number(1), 1)]

    def _degrees(self, f: Any) -> tuple[int, ...]:
        return tuple(int(k) for k in f.degrees()[: len(self.bases)])

    def _is_circle(self, f: Any) -> bool:
        return any(f == 1 + t * t for t in self.t)

    def _even(self, parts: Sequence[tuple[Any, Any, int]]) -> list[tuple[Any, Any, int]]:
        """Factors of even degree in every t, made of some that are not."""
        done = [x for x in parts if not any(d % 2 for d in x[0])]
        odd = [[d, f, k] for d, f, k in parts if any(e % 2 for e in d)]
        while odd:
            group = self._group(odd)
            power = min(x[2] for x in group)
            product = self.context.constant(1)
            for x in group:
                product = product * x[1]
                x[2] -= power
            degrees = tuple(sum(e) for e in zip(*(x[0] for x in group), strict=True))
            done.append((degrees, product, power))
            odd = [x for x in odd if x[2]]
        return done

    def _group(self, odd: list[Any]) -> list[Any]:
        """The first and as few others as make all degrees even, its partner half a turn on first.

        tan(q/2) and 1, that is sin(q/2) and cos(q/2), are such partners. A square is the last way.
        """
        first = odd[0]
        others = sorted(odd[1:], key=lambda x: not self._are_partners(first, x))
        for count in range(1, len(others) + 1):
            for more in combinations(others, count):
                group = [first, *more]
                sums = (sum(e) for e in zip(*(x[0] for x in group), strict=True))
                if not any(s % 2 for s in sums):
                    return group
        return self._square(first)

    def _square(self, first: list[Any]) -> list[Any]:
        """A factor that stands alone has an even power: its square is even."""
        if first[2] % 2:
            raise OutsideError("a factor of odd degree in a half angle stands alone")
        first[0] = tuple(2 * d for d in first[0])
        first[1], first[2] = first[1] ** 2, first[2] // 2
        return [first]

    def _are_partners(self, one: list[Any], other: list[Any]) -> bool:
        """Whether half a turn of one angle makes the other of the first, up to its sign."""
        if one[0] != other[0]:
            return False
        for k, d in enumerate(one[0]):
            if d % 2:
                turned = self._turned(one[1], k, d)
                if turned in (other[1], -other[1]) or self._same(turned, other[1]):
                    return True
        return False

    def _same(self, f: Any, g: Any) -> bool:
        """Up to a number."""
        return bool(f * g.leading_coefficient() == g * f.leading_coefficient())

    def _turned(self, f: Any, k: int, degree: int) -> Any:
        """t to -1/t, times tᵈ: the angle half a turn further."""
        terms = {}
        for powers, c in f.to_dict().items():
            new = list(map(int, powers))
            new[k] = degree - new[k]
            terms[tuple(new)] = -c if powers[k] % 2 else c
        return self.context.from_dict(terms)

    def _back(self, f: Any, degrees: Sequence[int]) -> Poly:
        """A polynomial of even degrees in t, times cos(q/2) to these degrees, in sines, cosines."""
        ring, total = self.ring, self.ring.number(0)
        waves = [
            tuple(ring.generator(Wave(kind, b)) for kind in ("sin", "cos")) for b in self.bases
        ]
        tables = []
        for (s, c), d in zip(waves, degrees, strict=True):
            low, high = (1 - c) / 2, (1 + c) / 2  # sin², cos² of the half angle
            tables.append(
                [
                    (s / 2 if i % 2 else ring.number(1)) * low ** (i // 2) * high ** ((d - i) // 2)
                    for i in range(d + 1)
                ]
            )
        n = len(self.bases)
        for powers, number in f.to_dict().items():
            term = Poly(ring, ring.context.constant(number), 0)
            for name, k in zip(self.symbols, powers[n:], strict=False):
                term = term * ring[name] ** int(k)
            for table, k in zip(tables, powers[:n], strict=True):
                term = term * table[int(k)]
            total = total + term
        return total

    def _scale(self, factors: Sequence[Factor]) -> Any:
        """The number that is left of x."""
        product = self.ring.number(1)
        for f in factors:
            product = product * f.poly**f.power
        powers, c = max(self.x.p.to_dict().items())
        scale = Poly(self.ring, self.ring.context.constant(c / product.p.to_dict()[powers]), 0)
        if product * scale != self.x:
            raise OutsideError("factors do not multiply to what was factored")
        return scale


def _neat(f: Poly, lengths: Collection[Fraction]) -> Poly:
    """The same up to a number: in lengths, or in whole numbers; more terms plus than minus."""
    numbers = [c for _, c in f.terms()]
    scale = Fraction(
        math.lcm(*(c.denominator for c in numbers)), math.gcd(*(c.numerator for c in numbers))
    )
    largest = max(abs(c) for c in numbers) * scale
    if largest > _WHOLE:  # digits of a direction or of a sine: the largest is between 1 and 10
        scale /= 10 ** (len(str(int(largest))) - 1)
    written = {abs(c) for c in _coefficients(f)}
    for length in sorted(lengths):
        measured = {length / min(written) * c for c in written}
        if len(written) > 1 and measured <= set(lengths):
            scale = length / min(written)
    parts = sympy.Add.make_args(textbook(f))
    minus = sum(x.could_extract_minus_sign() for x in parts)
    neat: Poly = f * (scale if 2 * minus <= len(parts) else -scale)
    return neat


def _coefficients(f: Poly) -> list[Fraction]:
    """Of the terms as they are written."""
    numbers = [x.as_coeff_Mul()[0] for x in sympy.Add.make_args(textbook(f))]
    return [Fraction(str(sympy.Rational(x))) for x in numbers]


def largest_term(x: Poly, sizes: Sizes) -> Array:
    """How large its largest term is by each of the `sizes`; waves are 1."""
    terms = [_sizes(*term, sizes) for term in x.terms()] or [np.zeros(len(sizes))]
    return np.asarray(np.max(terms, axis=0))


def without_rounding(x: Poly, sizes: Sizes, largest: Array) -> Poly:
    """Without terms that by all of the `sizes` are rounding beside one that is so large."""
    sized = (_sizes(*term, sizes) for term in x.terms())
    rows = zip(x.p.to_dict().items(), sized, strict=True)
    kept = {powers: c for (powers, c), size in rows if (size > _ROUNDING * largest).any()}
    return Poly(x.ring, x.ring.context.from_dict(kept), x.sines) if len(kept) < len(x.p) else x


def is_zero_at(x: Poly, values: Mapping[str, float]) -> bool:
    """Whether an element without coordinates is zero at the parameters' values; no number is."""
    if x.p.is_constant():
        return x.is_zero
    value = float(textbook(x).subs({sympy.Symbol(k): v for k, v in values.items()}))
    return abs(value) <= _ROUNDING * float(largest_term(x, (values,))[0])


def _sizes(powers: Mapping[Any, int], c: Fraction, sizes: Sizes) -> Array:
    each = [math.prod(abs(x.get(str(g), 1.0)) ** k for g, k in powers.items()) for x in sizes]
    return abs(float(c)) * np.array(each)


def _order(f: Factor) -> tuple[int, str]:
    return len(f.poly.p), f.poly.key
