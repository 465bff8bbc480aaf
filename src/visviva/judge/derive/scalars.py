"""What derivations compute with: exact polynomials, or SymPy where there are none."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cached_property
from typing import Any, Protocol

import mpmath  # type: ignore[import-untyped]
import sympy

from visviva.algebra.exact.growth import expanded
from visviva.algebra.exact.poly import Poly
from visviva.algebra.exact.ring import Ring
from visviva.algebra.exact.slopes import slope
from visviva.errors import ArgumentError
from visviva.judge.exact.model import polynomial
from visviva.notation.textbook.writer import from_textbook, textbook

_POINTS = 3  # at which formulas outside the exact class are compared
DIGITS = 40


class Scalars(Protocol):
    """The questions."""

    proves: bool

    def of(self, x: Any) -> Any:
        """A number or scalar as one of these."""

    def show(self, x: Any) -> Any:
        """As SymPy, in textbook form."""

    def read(self, expr: Any) -> Any:
        """What an expression means."""

    def same(self, a: Any, b: Any) -> bool:
        """Whether two are equal."""

    def d(self, x: Any, name: str) -> Any:
        """∂x/∂name, of one scalar."""

    def rate(self, x: Any) -> Any:
        """dx/dt: Σ (∂x/∂q) q̇ + (∂x/∂q̇) q̈ over the coordinates, of one scalar."""


class _Rates:
    """The chain rule, for coordinates with rates and second rates."""

    def __init__(
        self, q: Sequence[str], v: Sequence[str], a: Sequence[str], time: str = ""
    ) -> None:
        self.q, self.v, self.a, self.time = tuple(q), tuple(v), tuple(a), time

    def rate(self, x: Any) -> Any:
        """dx/dt = Σ ∂x/∂q q̇ + ∂x/∂q̇ q̈ + ∂x/∂t."""
        this: Any = self
        total = this.d(x, self.time) if self.time else this.of(0)
        for names, rates in ((self.q, self.v), (self.v, self.a)):
            for name, rate in zip(names, rates, strict=True):
                total = total + this.d(x, name) * this.read(sympy.Symbol(rate))
        return total


class ExactScalars(_Rates):
    """Polynomials in symbols, sines and cosines: equality is decided."""

    proves = True

    def __init__(self, ring: Ring, q: Sequence[str], v: Sequence[str], a: Sequence[str]) -> None:
        super().__init__(q, v, a)
        self.ring = ring

    def of(self, x: Any) -> Poly:
        """As an element of the ring."""
        return polynomial(x, self.ring)

    def show(self, x: Any) -> Any:
        """In textbook form."""
        return textbook(self.of(x))

    def read(self, expr: Any) -> Poly:
        """The element that an expression means."""
        return from_textbook(expr, self.ring)

    def same(self, a: Any, b: Any) -> bool:
        """By normal forms."""
        return self.of(a) == self.of(b)

    def d(self, x: Any, name: str) -> Poly:
        """In the ring."""
        return self.of(x).derivative(name)


class SympyScalars(_Rates):
    """Any SymPy expressions; equal ones are compared at random points, to many digits."""

    proves = False

    def of(self, x: Any) -> Any:
        """As SymPy has it."""
        return sympy.sympify(x)

    def show(self, x: Any) -> Any:
        """Common factors pulled out."""
        return sympy.factor_terms(sympy.sympify(x))

    def read(self, expr: Any) -> Any:
        """As it is."""
        return expr

    def d(self, x: Any, name: str) -> Any:
        """By SymPy."""
        return slope(sympy.sympify(x), sympy.Symbol(name))

    def differs(self, f: Any, name: str, derivative: Any) -> float:
        """How far a derivative is from a numerical one, by more digits than doubles have."""
        try:
            return self._differs(f, name, derivative)
        except (NameError, TypeError, ValueError, NotImplementedError, ArithmeticError) as error:
            raise ArgumentError(
                "every line of a derivation is confirmed by numbers, and there are none of "
                f"{f!s:.60}: {error!s:.60}"
            ) from None

    def _differs(self, f: Any, name: str, derivative: Any) -> float:
        symbols = sorted(f.free_symbols | {sympy.Symbol(name)}, key=str)
        place = [s.name for s in symbols].index(name)
        draw = random.Random(2)  # noqa: S311  # points to compare at, no secret
        worst = 0.0
        value, rate = (self._function(symbols, x) for x in (f, derivative))
        for _ in range(_POINTS):
            # all different: conditions such as x < k are not met at their boundaries
            places = draw.sample(range(2, 60 + len(symbols)), len(symbols))
            with mpmath.workdps(DIGITS):
                size = mpmath.log10(1 + abs(value(*(mpmath.mpf(k) / 100 for k in places))))
            with mpmath.workdps(DIGITS + int(size)):  # what is large hides the digits of its slope
                at = [mpmath.mpf(k) / 100 for k in places]

                def along(x: Any, at: list[Any] = at) -> Any:
                    return value(*at[:place], x, *at[place + 1 :])

                ratio = mpmath.diff(along, at[place])
                exact = rate(*at)
                worst = max(worst, float(abs(ratio - exact) / (1 + abs(exact))))
        return worst

    def _function(self, symbols: list[Any], x: Any) -> Any:
        """x as a function of numbers, made once."""
        key = (*symbols, x)
        if key not in self._functions:
            self._functions[key] = sympy.lambdify(symbols, x, "mpmath")
        return self._functions[key]

    @cached_property
    def _functions(self) -> dict[Any, Any]:
        return {}

    def same(self, a: Any, b: Any) -> bool:
        """Literally, or at points where both are defined."""
        gap = sympy.sympify(a) - sympy.sympify(b)
        if gap == 0 or expanded(gap) == 0:
            return True
        symbols = sorted(gap.free_symbols, key=str)
        draw = random.Random(1)  # noqa: S311  # points to compare at, no secret
        seen = 0
        for _ in range(10 * _POINTS):
            at = {s: sympy.Rational(draw.randint(2, 98), 100) for s in symbols}
            value = gap.subs(at).evalf(DIGITS)
            if not value.is_number or not value.is_finite:
                continue
            scale = 1 + abs(sympy.sympify(a).subs(at).evalf(DIGITS))
            if abs(value) > scale * sympy.Float(10) ** (10 - DIGITS):
                return False
            seen += 1
            if seen == _POINTS:
                return True
        return bool(sympy.simplify(gap) == 0)
