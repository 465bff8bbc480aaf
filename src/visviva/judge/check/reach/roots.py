"""Fractions of polynomials and square roots, with a normal form.

A root s of u is a symbol with s² = u and s ≥ 0. Squares of roots are replaced until none is left;
what is then zero is zero wherever all roots exist. The reverse need not hold: roots may depend on
each other in ways that nobody sees here.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import isqrt
from typing import Any

from flint import Ordering, fmpq, fmpq_mpoly_ctx

MOST_ROOTS = 12  # in one claim


class UnknownSignError(Exception):
    """√(x²) is x or -x: without a sign there is no normal form."""


@dataclass(eq=False)
class Roots:
    """Polynomials over ℚ in `symbols` and roots; of `positive` symbols the sign is known."""

    symbols: Sequence[str]
    positive: Collection[str] = ()
    squares: list[Any] = field(default_factory=list)  # polynomials u with s² = u

    def __post_init__(self) -> None:
        names = [*self.symbols, *(f"root {k}" for k in range(MOST_ROOTS))]
        self.context = fmpq_mpoly_ctx.get(names, Ordering.lex)
        self.generators = self.context.gens()
        self.first = len(self.symbols)  # where roots begin
        self.signed = {i for i, s in enumerate(names) if s in self.positive or i >= self.first}

    def number(self, x: Fraction | int) -> Rooted:
        """A rational number."""
        x = Fraction(x)
        return Rooted(self, self._constant(fmpq(x.numerator, x.denominator)), self._constant(1))

    def symbol(self, name: str) -> Rooted:
        """A symbol by its name."""
        return Rooted(self, self.generators[list(self.symbols).index(name)], self._constant(1))

    def _constant(self, x: Any) -> Any:
        return self.context.from_dict({(0,) * len(self.generators): fmpq(x)} if x else {})

    def reduced(self, p: Any) -> Any:
        """A polynomial without squares of roots, the newest first: u may have older ones."""
        for k in reversed(range(len(self.squares))):
            place = self.first + k
            if p.degrees()[place] < 2:
                continue
            parts: dict[int, dict[Any, Any]] = {}
            for powers, c in p.to_dict().items():
                rest = list(powers)
                half, rest[place] = divmod(rest[place], 2)
                parts.setdefault(half, {})[tuple(rest)] = c
            p = sum(
                (self.context.from_dict(x) * self.squares[k] ** half for half, x in parts.items()),
                self._constant(0),
            )
        return p

    def root(self, x: Rooted) -> Rooted:
        """√x: what is a square under it comes out, if its sign is known."""
        whole = self.reduced(x.top * x.bottom)
        if whole == 0:
            return self.number(0)
        c, factors = whole.factor()
        inside, out = self._constant(1), self._constant(1)
        for p, power in factors:
            lead = p.leading_coefficient()
            if lead < 0:  # so that equal factors look alike
                p, c = -p, c * (-1) ** int(power)
            if int(power) // 2:
                out *= self._positive(p) ** (int(power) // 2)
            if int(power) % 2 and self._is_positive(p):  # √(p q) = √p √q
                out *= self._adjoined(p)
            elif int(power) % 2:
                inside *= p
        for k, u in enumerate(self.squares):  # what is a root already
            if not u.is_constant() and inside % u == 0:
                inside, out = inside / u, out * self.generators[self.first + k]
        outside, left = _square_part(Fraction(int(c.p), int(c.q)))
        inside *= fmpq(left.numerator, left.denominator)
        out *= fmpq(outside.numerator, outside.denominator)
        below = self._positive(x.bottom)
        if inside != 1:
            out *= self._adjoined(inside)
        return Rooted(self, out, below).settled()

    def _adjoined(self, u: Any) -> Any:
        if u not in self.squares:
            if len(self.squares) == MOST_ROOTS:
                raise UnknownSignError
            self.squares.append(u)
        return self.generators[self.first + self.squares.index(u)]

    def _positive(self, p: Any) -> Any:
        """A polynomial that is nowhere negative: a product of such, or of squares of roots."""
        if not self._is_positive(p):
            c, factors = p.factor()
            for q, power in factors:
                if int(power) % 2 and not self._is_positive(q):
                    if not any(q == u or q == -u for u in self.squares):
                        raise UnknownSignError
                    c = c if q in self.squares else -c
            if c < 0:
                raise UnknownSignError
        return p

    def _is_positive(self, p: Any) -> bool:
        """Whether a polynomial is nowhere negative, as none of its terms is."""
        return all(
            c > 0 and all(n % 2 == 0 or i in self.signed for i, n in enumerate(powers))
            for powers, c in p.to_dict().items()
        )


@dataclass(frozen=True, eq=False)
class Rooted:
    """A fraction whose parts have no squares of roots."""

    home: Roots
    top: Any
    bottom: Any

    def settled(self) -> Rooted:
        """Reduced, and without common factors."""
        top, bottom = self.home.reduced(self.top), self.home.reduced(self.bottom)
        if bottom == 0:
            raise ZeroDivisionError
        common = top.gcd(bottom)
        if common != 0 and common != 1:
            top, bottom = top / common, bottom / common
        return Rooted(self.home, top, bottom)

    @property
    def is_zero(self) -> bool:
        """Proved; if not, it may still be."""
        return bool(self.top == 0)

    def __add__(self, other: Rooted) -> Rooted:
        top = self.top * other.bottom + other.top * self.bottom
        return Rooted(self.home, top, self.bottom * other.bottom).settled()

    def __neg__(self) -> Rooted:
        return Rooted(self.home, -self.top, self.bottom)

    def __sub__(self, other: Rooted) -> Rooted:
        return self + -other

    def __mul__(self, other: Rooted) -> Rooted:
        return Rooted(self.home, self.top * other.top, self.bottom * other.bottom).settled()

    def __truediv__(self, other: Rooted) -> Rooted:
        return Rooted(self.home, self.top * other.bottom, self.bottom * other.top).settled()

    def __pow__(self, n: int) -> Rooted:
        one = self.home.number(1)
        base = one / self if n < 0 else self
        power = one
        for _ in range(abs(n)):
            power = power * base
        return power


def _square_part(x: Fraction) -> tuple[Fraction, Fraction]:
    """a and b with √x = a √b, b a whole number that is no square."""
    whole, sign = x.numerator * x.denominator, -1 if x < 0 else 1
    size, out = abs(whole), 1
    if (r := isqrt(size)) ** 2 == size:
        return Fraction(r, x.denominator), Fraction(sign)
    for k in range(2, 1000):
        while size % (k * k) == 0:
            size, out = size // (k * k), out * k
    return Fraction(out, x.denominator), Fraction(sign * size)
