"""Factors by FLINT: the same product as SymPy's, also where SymPy may not come back."""

import pytest
import sympy

from visviva.algebra.exact.factors import factored

a, b, c, q = sympy.symbols("a b c q")

CASES = [
    a**2 - b**2,
    (a + b) ** 3 * (a - c),
    sympy.Rational(3, 4) * (a * b + c) * (a - 1) ** 2,
    (sympy.cos(q) ** 2 - a**2) * (sympy.sin(q) + b),
    (a**2 - b**2) / (c**2 + 2 * c * a + a**2),
    sympy.sqrt(a) * b - sympy.sqrt(a) * c,
    sympy.Integer(6),
    sympy.Rational(2, 3),
    sympy.S.Zero,
    a,
]


@pytest.mark.parametrize("x", CASES, ids=str)
def test_factors_are_those_of_sympy(x):
    found = factored(sympy.expand(x))
    assert sympy.expand(found - x) == 0 or sympy.simplify(found - x) == 0
    ours = {sympy.expand(f) for f in sympy.Mul.make_args(found)}
    theirs = {sympy.expand(f) for f in sympy.Mul.make_args(sympy.factor(sympy.expand(x)))}
    assert {f for f in ours if -f not in theirs} <= theirs
    assert len(ours) == len(theirs)


def test_decimals_are_left_as_they_are():
    x = 0.1 * a**2 - 0.1 * b**2
    assert factored(x) == x


def test_many_symbols_take_no_time():
    """The square of a distance in a linkage, times two lengths: SymPy's way depends on luck."""
    lengths, angles = sympy.symbols("l0:5"), sympy.symbols("q0:4")
    x = sum(s * sympy.cos(t) for s, t in zip(lengths, angles, strict=False)) - lengths[4]
    y = sum(s * sympy.sin(t) for s, t in zip(lengths, angles, strict=False))
    square = sympy.expand((x**2 + y**2) * (x - y) * lengths[0])
    assert sympy.expand(factored(square) - square) == 0
    assert len(sympy.Mul.make_args(factored(square))) == 3
