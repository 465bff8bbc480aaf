"""Exact polynomials in symbols, sines and cosines: a scalar type in which equality is decided.

An element of ℚ[symbols][cᵢ, sᵢ]/(cᵢ² + sᵢ² - 1) has one normal form: no sine occurs squared. The
angles behind the c and s are chosen by whoever makes the ring: sums of joint angles where axes are
parallel, halves where half angles occur. Coordinates, sines and cosines are algebraically
independent, so two elements are equal as functions exactly if their normal forms are.

Examples:
    >>> ring = Ring(["q", "m"], {"q": {"q": 1}})
    >>> q, m = ring["q"], ring["m"]
    >>> m * q.sin() ** 2 + m * q.cos() ** 2
    m
    >>> (q + q).sin() == 2 * q.sin() * q.cos()
    True
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from flint import Ordering, fmpq, fmpq_mpoly_ctx

from visviva.algebra.rationals import NUMBERS, OutsideError, rational, solved
from visviva.errors import UnknownNameError


class Ring:
    """Symbols, and angles: for each coordinate that is one, the base angles it is a sum of."""

    def __init__(self, symbols: Sequence[str], angles: Mapping[str, Mapping[str, int]]) -> None:
        self.symbols = tuple(symbols)
        self.angles = {name: dict(parts) for name, parts in angles.items()}
        self.bases = tuple(dict.fromkeys(b for parts in angles.values() for b in parts))
        sines, cosines = [f"sin {b}" for b in self.bases], [f"cos {b}" for b in self.bases]
        # sines first: in the lexical order s² then leads s² + c² - 1, and division removes it
        self.generators = (*sines, *cosines, *self.symbols)
        self.context = fmpq_mpoly_ctx.get(self.generators, Ordering.lex)
        made = self.context.gens()
        self.place = {name: k for k, name in enumerate(self.generators)}
        n = len(self.bases)
        self.circles = [made[k] ** 2 + made[n + k] ** 2 - 1 for k in range(n)]
        self._made = dict(zip(self.generators, made, strict=True))
        self.sums = solved(self.angles, self.bases)
        self.moved_by = {
            name: {b: parts[name] for b, parts in self.sums.items() if parts.get(name)}
            for name in self.angles
        }

    def __getitem__(self, name: str) -> Poly:
        if name not in self.symbols:
            raise UnknownNameError("symbol", name, self.symbols)
        return Poly(self, self._made[name])

    def generator(self, name: str) -> Poly:
        """A symbol, or `sin base`, `cos base`."""
        return Poly(self, self._made[name])

    def number(self, x: Any) -> Poly:
        """A number; decimals mean what they say, 0.1 is a tenth."""
        exact = rational(x)
        return Poly(self, self.context.constant(fmpq(exact.numerator, exact.denominator)))

    def reduced(self, p: Any) -> Any:
        """The normal form."""
        for k, degree in enumerate(p.degrees()[: len(self.bases)]):
            if degree > 1:
                p = divmod(p, self.circles[k])[1]
        return p


class Poly:
    """An element of a ring, in normal form; it mixes with numbers."""

    __slots__ = ("p", "ring")

    def __init__(self, ring: Ring, p: Any) -> None:
        self.ring = ring
        self.p = p

    def __add__(self, other: Any) -> Any:
        if isinstance(other, Poly):
            return self._new(self.p + self._same(other).p)
        if not isinstance(other, NUMBERS):
            return NotImplemented
        return self if other == 0 else self._new(self.p + self.ring.number(other).p)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self + -other if isinstance(other, (Poly, *NUMBERS)) else NotImplemented

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __neg__(self) -> Poly:
        return self._new(-self.p)

    def __pos__(self) -> Poly:
        return self

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, Poly):
            return self._new(self.ring.reduced(self.p * self._same(other).p))
        if not isinstance(other, NUMBERS):
            return NotImplemented
        return self if other == 1 else self._new(self.p * self.ring.number(other).p)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, NUMBERS):
            return self * (1 / rational(other))
        return Quotient.of(self) / other

    def __rtruediv__(self, other: Any) -> Any:
        return Quotient.of(self.ring.number(other)) / self

    def __pow__(self, n: Any) -> Any:
        if not isinstance(n, int) or n < 0:
            raise OutsideError(f"only whole powers from 0 on, got {n!r}")
        made, base = self.ring.number(1), self
        while n:
            made, base, n = (made * base if n & 1 else made), base * base, n >> 1
        return made

    def sin(self) -> Poly:
        """Of an integer combination of the ring's angles."""
        return self._turn()[1]

    def cos(self) -> Poly:
        """Of an integer combination of the ring's angles."""
        return self._turn()[0]

    def _turn(self) -> tuple[Poly, Poly]:
        """(cos, sin), by the addition theorem."""
        total: dict[str, Fraction] = {}
        for name, factor in self._linear().items():
            for base, times in self.ring.angles[name].items():
                total[base] = total.get(base, Fraction(0)) + factor * times
        if any(count.denominator != 1 for count in total.values()):
            raise OutsideError(f"{self} is no whole multiple of the ring's angles")
        c, s = self.ring.number(1), self.ring.number(0)
        for base, count in total.items():
            b, a = (self.ring.generator(f"{f} {base}") for f in ("cos", "sin"))
            a = a if count > 0 else -a
            for _ in range(abs(int(count))):
                c, s = c * b - s * a, s * b + c * a
        return c, s

    def _linear(self) -> dict[str, Fraction]:
        """The coefficients of a sum of angles."""
        found = {}
        for powers, coefficient in self.p.to_dict().items():
            names = [n for n, k in zip(self.ring.generators, powers, strict=True) for _ in range(k)]
            if len(names) != 1 or names[0] not in self.ring.angles:
                raise OutsideError(f"sine and cosine take a sum of angles, got {self}")
            found[names[0]] = Fraction(int(coefficient.p), int(coefficient.q))
        return found

    @property
    def is_zero(self) -> bool:
        """Decided, because the form is normal."""
        return bool(self.p == 0)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, (Poly, *NUMBERS)):
            return bool((self - other).is_zero)
        return NotImplemented

    def __hash__(self) -> int:
        return hash((id(self.ring), str(self.p)))

    @property
    def size(self) -> int:
        """How many terms."""
        return len(self.p)

    def __bool__(self) -> bool:
        return not self.is_zero

    def terms(self) -> list[tuple[dict[str, int], Fraction]]:
        """Powers by generator, and coefficient, of every term."""
        return [
            (
                {n: int(k) for n, k in zip(self.ring.generators, powers, strict=True) if k},
                Fraction(int(c.p), int(c.q)),
            )
            for powers, c in self.p.to_dict().items()
        ]

    def derivative(self, name: str) -> Poly:
        """By a symbol; an angle moves its sines and cosines too."""
        made = self._new(self.p.derivative(self.ring.place[name]))
        for base, times in self.ring.moved_by.get(name, {}).items():
            s, c = self.ring.generator(f"sin {base}"), self.ring.generator(f"cos {base}")
            by_s = self._new(self.p.derivative(self.ring.place[f"sin {base}"]))
            by_c = self._new(self.p.derivative(self.ring.place[f"cos {base}"]))
            made = made + (by_s * c - by_c * s) * times
        return made

    def __repr__(self) -> str:
        return str(self.p)

    def _new(self, p: Any) -> Poly:
        return Poly(self.ring, p)

    def _same(self, other: Poly) -> Poly:
        if other.ring is not self.ring:
            raise OutsideError("two rings cannot be mixed")
        return other


class Quotient:
    """A fraction of two elements; equal ones are recognised by cross-multiplication."""

    __slots__ = ("bottom", "top")

    def __init__(self, top: Poly, bottom: Poly) -> None:
        if bottom.is_zero:
            raise ZeroDivisionError(f"({top}) / 0")
        common = top.p.gcd(bottom.p)
        if not common.is_constant():
            top, bottom = Poly(top.ring, top.p / common), Poly(top.ring, bottom.p / common)
        self.top, self.bottom = top, bottom

    @classmethod
    def of(cls, x: Any, ring: Ring | None = None) -> Quotient:
        """A number or an element as a fraction."""
        if isinstance(x, Quotient):
            return x
        if isinstance(x, Poly):
            return cls(x, x.ring.number(1))
        if ring is None or not isinstance(x, NUMBERS):
            raise OutsideError(f"{x!r} is no polynomial in symbols, sines and cosines")
        return cls(ring.number(x), ring.number(1))

    @property
    def ring(self) -> Ring:
        """Of both parts."""
        return self.top.ring

    @property
    def is_zero(self) -> bool:
        """Decided by the numerator."""
        return self.top.is_zero

    def __add__(self, other: Any) -> Any:
        if not isinstance(other, (Quotient, Poly, *NUMBERS)):
            return NotImplemented
        o = Quotient.of(other, self.ring)
        return Quotient(self.top * o.bottom + o.top * self.bottom, self.bottom * o.bottom)

    __radd__ = __add__

    def __neg__(self) -> Quotient:
        return Quotient(-self.top, self.bottom)

    def __sub__(self, other: Any) -> Any:
        return self + -other

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __mul__(self, other: Any) -> Any:
        if not isinstance(other, (Quotient, Poly, *NUMBERS)):
            return NotImplemented
        o = Quotient.of(other, self.ring)
        return Quotient(self.top * o.top, self.bottom * o.bottom)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        if not isinstance(other, (Quotient, Poly, *NUMBERS)):
            return NotImplemented
        o = Quotient.of(other, self.ring)
        return Quotient(self.top * o.bottom, self.bottom * o.top)

    def __rtruediv__(self, other: Any) -> Any:
        return Quotient.of(other, self.ring) / self

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (Quotient, Poly, *NUMBERS)):
            return NotImplemented
        o = Quotient.of(other, self.ring)
        return bool((self.top * o.bottom - o.top * self.bottom).is_zero)

    def __hash__(self) -> int:
        return hash(id(self.ring))

    def __bool__(self) -> bool:
        return not self.is_zero

    def __repr__(self) -> str:
        return f"({self.top}) / ({self.bottom})"
