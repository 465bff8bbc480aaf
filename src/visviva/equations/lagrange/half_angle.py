"""Linkages solved by the tangent of half an angle: two angles as functions of the others.

α + β cos c + γ sin c = 0 is (α - β) u² + 2 γ u + α + β = 0 for u = tan(c/2): each of its roots is
one way to put the linkage together. Two conditions that are linear in sines and cosines of b and of
c are solved for cos b and sin b, and cos² b + sin² b = 1 is such an equation for c.

With r² = β² + γ² - α² cos c and sin c are linear in r, and so are cos b and sin b: what is claimed
of them is a polynomial in r, and zero if its even and its odd part are.

Examples:
    >>> a, c, r, l = sympy.symbols("a c r l")
    >>> half_angle([r * sympy.sin(a) + l * sympy.sin(c)], [a, c], 1).assumed[0]
    'l**2 + r**2*cos(a)**2 - r**2 > 0'
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import combinations
from typing import Any

import numpy as np
import sympy
from flint import arb, arb_mat, ctx, fmpq

from visviva.algebra.exact.factors import factored
from visviva.equations.integrability.functions import Functions

TRIES = 200
COSINE_AND_SINE = (sympy.cos, sympy.sin)


@dataclass(frozen=True, eq=False)
class HalfAngle:
    """α + β cos c + γ sin c = 0 for the angle `c`; another one, `b`, may follow from it."""

    c: Any
    factors: tuple[Any, Any, Any]  # α, β, γ: of the other coordinates and the time
    sign: int  # of the root
    r: Any  # the symbol of the root
    b: Any = None
    unit: tuple[Any, Any] | None = None  # cos b and sin b, of cos c and sin c
    bottom: Any = 1  # α + β cos c + γ sin c is cos² b + sin² b - 1 times this

    @cached_property
    def under(self) -> Any:
        """What the root is taken of."""
        alpha, beta, gamma = self.factors
        square = sympy.expand(beta**2 + gamma**2 - alpha**2)
        even = {w**2: 1 - sympy.cos(w.args[0]) ** 2 for w in square.atoms(sympy.sin)}
        return factored(square.subs(even))

    @cached_property
    def tangent(self) -> Any:
        """tan(c/2), of r."""
        alpha, beta, gamma = self.factors
        return (-gamma + self.sign * self.r) / (alpha - beta)

    @cached_property
    def point(self) -> tuple[Any, Any]:
        """cos c and sin c, of r."""
        alpha, beta, gamma = self.factors
        square, turn = beta**2 + gamma**2, self.sign * self.r
        return (-alpha * beta + turn * gamma) / square, (-alpha * gamma - turn * beta) / square

    @cached_property
    def relations(self) -> dict[Any, Any]:
        """The angles, of the other coordinates, also where the tangent of a half is infinite."""
        at = {self.r: sympy.sqrt(self.under)}
        return {y: sympy.atan2(s.xreplace(at), c.xreplace(at)) for y, (c, s) in self.waves.items()}

    @property
    def assumed(self) -> tuple[str, ...]:
        """What is divided by and under the root."""
        _, beta, gamma = self.factors
        return f"{self.under} > 0", f"{sympy.trigsimp(sympy.expand(beta**2 + gamma**2))} ≠ 0"

    @cached_property
    def waves(self) -> dict[Any, tuple[Any, Any]]:
        """Cosine and sine of each angle, of r."""
        known = {self.c: self.point}
        if self.unit is not None:
            at = dict(zip((sympy.cos(self.c), sympy.sin(self.c)), self.point, strict=True))
            known[self.b] = self.unit[0].xreplace(at), self.unit[1].xreplace(at)
        return known

    def rational(self, x: Any) -> Any:
        """A formula with r in place of the angles."""
        waves = self.waves.items()
        at = {f(y): e for y, w in waves for f, e in zip(COSINE_AND_SINE, w, strict=True)}
        return sympy.expand_trig(x).xreplace(at)

    def vanishes(self, x: Any) -> bool:
        """Whether a formula is zero by cos² c + sin² c = 1 and what cos b and sin b are."""
        C, S = sympy.Dummy("C"), sympy.Dummy("S")
        e = sympy.expand_trig(x)
        if self.unit is not None:
            e = e.xreplace(dict(zip((f(self.b) for f in COSINE_AND_SINE), self.unit, strict=True)))
        e = e.xreplace(dict(zip((f(self.c) for f in COSINE_AND_SINE), (C, S), strict=True)))
        top = sympy.fraction(sympy.together(e))[0]
        if top.has(*self.waves) or not top.is_polynomial(C, S):
            return False
        p = sympy.Poly(sympy.rem(sympy.expand(top), S**2 + C**2 - 1, S), C, S)
        linear = [p.coeff_monomial(m) for m in (1, C, S)]
        others = [e for m, e in p.terms() if sum(m) > 1]
        if self.unit is None:  # or multiples of α, β and γ
            pairs = combinations(zip(linear, self.factors, strict=True), 2)
            linear = [a * g - b * f for (a, f), (b, g) in pairs]
        by = Functions([*linear, *others], ())
        return all(by.is_zero(e) for e in (*linear, *others))

    @property
    def is_sound(self) -> bool:
        """Whether cosines and sines are those of angles, by the tangents of their halves."""
        whole = True
        if self.unit is not None:
            alpha, beta, gamma = self.factors
            zero = alpha + beta * sympy.cos(self.c) + gamma * sympy.sin(self.c)
            whole = self.vanishes(self.unit[0] ** 2 + self.unit[1] ** 2 - 1 - zero / self.bottom)
        symbols = sympy.symbols("alpha beta gamma", cls=sympy.Dummy)
        plain = HalfAngle(self.c, symbols, self.sign, self.r)
        u, (cosine, sine) = plain.tangent, plain.point
        rest = [cosine * (1 + u**2) - (1 - u**2), sine * (1 + u**2) - 2 * u]
        rest += [cosine**2 + sine**2 - 1, symbols[0] + symbols[1] * cosine + symbols[2] * sine]
        tops = (sympy.expand(sympy.fraction(sympy.together(e))[0]) for e in rest)
        square = self.r**2 - sympy.expand(plain.under)
        return whole and all(sympy.rem(e, square, self.r) == 0 for e in tops)


def half_angle(functions: Sequence[Any], q: Sequence[Any], sign: int) -> HalfAngle | None:
    """One or two conditions solved for the last angles that they can be solved for."""
    r = sympy.Dummy("r")
    if len(functions) == 1:
        for c in reversed(q):
            if (parts := _linear(functions[0], [c])) is not None and any(parts[1:]):
                return HalfAngle(c, parts, sign, r)
    if len(functions) == 2:
        for pair in reversed(list(combinations(q, 2))):
            if (found := _two(functions, pair, sign, r)) is not None:
                return found
    return None


def _two(functions: Sequence[Any], pair: Sequence[Any], sign: int, r: Any) -> HalfAngle | None:
    b, c = pair
    parts = [_linear(f, pair) for f in functions]
    if parts[0] is None or parts[1] is None:
        return None
    table = sympy.Matrix(parts)
    first, by_b, by_c = table[:, 0], table[:, 1:3], table[:, 3:5]
    scale = sympy.trigsimp(sympy.expand(by_b.det()))
    if scale == 0:
        return None
    inverse = by_b.adjugate() / scale
    start, turn = (inverse * x for x in (first, by_c))
    start, turn = (x.applyfunc(lambda e: sympy.trigsimp(sympy.expand(e))) for x in (start, turn))
    square = (turn.T * turn).applyfunc(lambda e: sympy.trigsimp(sympy.expand(e)))
    if square[0, 1] != 0 or sympy.expand(square[0, 0] - square[1, 1]) != 0:
        return None  # cos 2c stands in it
    alpha = sympy.trigsimp(sympy.expand(start.dot(start) + square[0, 0] - 1))
    beta, gamma = (sympy.trigsimp(sympy.expand(e)) for e in 2 * turn.T * start)
    bottom = reduce(sympy.lcm, (sympy.fraction(sympy.together(e))[1] for e in (alpha, beta, gamma)))
    alpha, beta, gamma = (sympy.expand(sympy.cancel(e * bottom)) for e in (alpha, beta, gamma))
    cosine, sine = -(start + turn * sympy.Matrix([f(c) for f in COSINE_AND_SINE]))
    return HalfAngle(c, (alpha, beta, gamma), sign, r, b, (cosine, sine), bottom)


def _linear(f: Any, angles: Sequence[Any]) -> tuple[Any, ...] | None:
    """f₀ and the factors of cosine and sine of each angle, where f is linear in all of these."""
    waves = [w for y in angles for w in (sympy.cos(y), sympy.sin(y))]
    names = [sympy.Dummy() for _ in waves]
    e = sympy.expand(sympy.expand_trig(f)).xreplace(dict(zip(waves, names, strict=True)))
    if e.has(*angles) or not e.is_polynomial(*names):
        return None
    p = sympy.Poly(e, *names)
    if p.total_degree() > 1:
        return None
    return p.coeff_monomial(1), *(p.coeff_monomial(x) for x in names)


def is_independent(by: HalfAngle, A: Any, count: int) -> bool:
    """Whether so many rows of A are independent somewhere: a minor is certain not to be zero.

    In ball arithmetic: coordinates and parameters are fractions, and the root is enclosed.
    """
    rows = A.applyfunc(lambda e: by.rational(sympy.nsimplify(e, rational=True)))
    under = sympy.nsimplify(by.under, rational=True)
    symbols = sorted((rows.free_symbols | under.free_symbols) - {by.r}, key=str)
    chance = np.random.default_rng(0)
    before, ctx.prec = ctx.prec, 128
    try:
        for _ in range(TRIES):
            at = {x: fmpq(int(chance.integers(20, 180)), 100) for x in symbols}
            square = _value(under, at)
            if not square > 0:
                continue
            values = {**at, by.r: square.sqrt()}
            table = [[_value(e, values) for e in rows[k, :]] for k in range(rows.rows)]
            for some in combinations(range(rows.rows), count):
                for columns in combinations(range(rows.cols), count):
                    minor = arb_mat([[table[i][j] for j in columns] for i in some]).det()
                    if minor.is_finite() and not minor.contains(0):
                        return True
    finally:
        ctx.prec = before
    return False


def _value(e: Any, at: dict[Any, Any]) -> Any:
    """A formula at a point, as a ball."""
    if e.is_Rational:
        return arb(fmpq(int(e.p), int(e.q)))
    if e.is_Symbol:
        return arb(at[e])
    parts = [_value(x, at) for x in e.args]
    if e.is_Add:
        return sum(parts[1:], start=parts[0])
    if e.is_Mul:
        return reduce(operator.mul, parts)
    if e.is_Pow and e.exp.is_Integer:
        power = reduce(operator.mul, [parts[0]] * abs(int(e.exp)))
        return power if e.exp > 0 else 1 / power
    if isinstance(e, COSINE_AND_SINE):
        return parts[0].cos() if isinstance(e, sympy.cos) else parts[0].sin()
    return arb("nan")
