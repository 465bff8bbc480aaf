"""Rings of trigonometric polynomials: exact scalars in which equality is decided.

An element of ℚ[symbols][cᵢ, sᵢ]/(cᵢ² + sᵢ² - 1) has one normal form: no sine occurs squared. The
angles behind the c and s are chosen by whoever makes the ring: sums of joint angles where axes are
parallel, halves where half angles occur, products where things turn at a rate. Coordinates, sines
and cosines are algebraically independent, so two elements are equal as functions exactly if their
normal forms are.

Names are labels and nothing else: FLINT sees g0, g1, … whatever people call their coordinates, and
sines and cosines are told from symbols by their type, not by their spelling.

Examples:
    >>> ring = Ring(["q", "m"], {"q": {"q": 1}})
    >>> q, m = ring["q"], ring["m"]
    >>> m * q.sin() ** 2 + m * q.cos() ** 2
    m
    >>> (q + q).sin() == 2 * q.sin() * q.cos()
    True
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

from flint import Ordering, fmpq_mpoly_ctx

from visviva.algebra.exact.angles import Angle, factors_of, slopes_of
from visviva.algebra.exact.budget import MOST_WAVES, Budget, is_quick_gcd, must_fit
from visviva.algebra.exact.poly import Base, Generator, Poly, Wave
from visviva.algebra.exact.rationals import as_fmpq, solved
from visviva.errors import OutsideError, UnknownNameError

_MOST = 100  # multiples of an angle that are worked out


class Ring:
    """Symbols, and angles: for each of these, the base angles it is a sum of.

    `signs`: the symbols that stand for the signs of others.
    """

    def __init__(
        self,
        symbols: Sequence[str],
        angles: Mapping[Any, Mapping[Any, int]],
        signs: Mapping[str, str] | None = None,
    ) -> None:
        self.symbols, self.signs = tuple(symbols), dict(signs or {})
        if len(set(self.symbols)) < len(self.symbols):  # two things would be one and the same
            twice = next(x for k, x in enumerate(self.symbols) if x in self.symbols[:k])
            raise OutsideError(f"two symbols of a ring are called {twice!r}")
        self.angles = {angle: dict(parts) for angle, parts in angles.items()}
        self.bases = tuple(dict.fromkeys(b for parts in angles.values() for b in parts))
        sines, cosines = ([Wave(f, b) for b in self.bases] for f in ("sin", "cos"))
        # sines first: in the lexical order s² then leads s² + c² - 1, and division removes it
        self.generators: tuple[Generator, ...] = (*sines, *cosines, *self.symbols)
        self.context = fmpq_mpoly_ctx.get(
            [f"g{k}" for k in range(len(self.generators))], Ordering.lex
        )
        elements = self.context.gens()
        self.place = {name: k for k, name in enumerate(self.generators)}
        n = len(self.bases)
        self._sines = (1 << n) - 1
        self.circles = [elements[k] ** 2 + elements[n + k] ** 2 - 1 for k in range(n)]
        self._elements = dict(zip(self.generators, elements, strict=True))
        self.zero = self.context.constant(0)
        self.budget = Budget()
        self.sums = solved(self.angles, self.bases)
        self.names_in = {b: {x for a in self.sums[b] for x in factors_of(a)} for b in self.bases}

    def __getitem__(self, name: str) -> Poly:
        if name not in self.symbols:
            raise UnknownNameError("symbol", name, self.symbols)
        return Poly(self, self._elements[name], 0)

    def generator(self, which: Generator) -> Poly:
        """A symbol, or the sine or cosine of a base angle."""
        return Poly(self, self._elements[which], (1 << self.place[which]) & self._sines)

    def number(self, x: Any) -> Poly:
        """A number; decimals mean what they say, 0.1 is a tenth."""
        return Poly(self, self.context.constant(as_fmpq(x)), 0)

    @cached_property
    def moved_by(self) -> dict[str, dict[Base, Any]]:
        """The derivatives of base angles by the symbols that stand in them."""
        slopes: dict[str, dict[Base, Any]] = {}
        for base, parts in self.sums.items():
            for angle, times in parts.items():
                for name, (n, others) in slopes_of(angle).items():
                    slope = math.prod((self[x] for x in others), start=times * n)
                    rates = slopes.setdefault(name, {})
                    rates[base] = rates[base] + slope if base in rates else slope
        return slopes

    def cos_sin_of_sum(self, parts: Mapping[Angle, Fraction]) -> tuple[Poly, Poly]:
        """(cos, sin) of Σ factor · angle, by the addition theorem."""
        total: dict[Base, Fraction] = {}
        for name, factor in parts.items():
            for base, times in self.angles[name].items():
                total[base] = total.get(base, Fraction(0)) + factor * times
        if any(count.denominator != 1 or abs(count) > _MOST for count in total.values()):
            angle = _sum(parts, times=" ")
            raise OutsideError(f"{angle} is no whole multiple of the ring's angles")
        # c and s have half of the products of sines and cosines each, of multiples as many
        must_fit(math.prod(abs(int(count)) + 1 for count in total.values()) // 2, MOST_WAVES)
        c, s = self.number(1), self.number(0)
        for base, count in total.items():
            b, a = (self.generator(Wave(f, base)) for f in ("cos", "sin"))
            a = a if count > 0 else -a
            for _ in range(abs(int(count))):
                c, s = c * b - s * a, s * b + c * a
        return c, s

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """What a reader sees of each generator: a name, or cos(q1 + q2)."""
        return tuple(
            f"{g.function}({_sum(self.sums[g.base])})" if isinstance(g, Wave) else g
            for g in self.generators
        )

    def shown(self, p: Any) -> str:
        """An element in the names that were given."""
        return re.sub(r"g(\d+)", lambda match: self.labels[int(match[1])], str(p))

    def at_zero(self, p: Any, names: Iterable[str]) -> Any:
        """An element with some symbols zero, none of them in an angle."""
        return p.subs({f"g{self.place[name]}": 0 for name in names})

    def common(self, p: Any, q: Any) -> Any:
        """The greatest common divisor; of large ones 1, which divides them too."""
        return p.gcd(q) if is_quick_gcd(p, q) else self.context.constant(1)

    def reduced(self, p: Any) -> Any:
        """The normal form."""
        for k, degree in enumerate(p.degrees()[: len(self.bases)]):
            if degree > 1:
                must_fit(len(p))  # each square is two terms, 1 - c²
                p = divmod(p, self.circles[k])[1]
        return p


def _sum(parts: Mapping[Angle, Any], times: str = "*") -> str:
    products = {times.join(factors_of(angle)): x for angle, x in parts.items()}
    return " + ".join(name if x == 1 else f"{x}{times}{name}" for name, x in products.items())
