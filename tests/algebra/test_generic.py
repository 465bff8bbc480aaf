"""The vocabulary over every kind of scalar."""

import math
from fractions import Fraction

import casadi
import mpmath
import numpy as np
import pytest
import sympy

from visviva.algebra import generic as g
from visviva.algebra.expr import Graph
from visviva.algebra.ops import NUMPY_NAMES
from visviva.errors import TraceError

ONE = [n for n in NUMPY_NAMES if n not in ("atan2", "power", "minimum", "maximum", "where")]
ONE = [n for n in ONE if n not in ("less", "less_equal", "equal", "not_equal")]
TWO = ["atan2", "power", "minimum", "maximum", "less", "less_equal", "equal", "not_equal"]


@pytest.mark.parametrize("name", ONE)
def test_every_scalar_agrees_on_functions_of_one(name):
    f, x = getattr(g, name), 0.375
    expected = float(f(x))
    assert float(f(mpmath.mpf(x))) == pytest.approx(expected, rel=1e-15)
    assert float(f(sympy.Float(x, 30))) == pytest.approx(expected, rel=1e-15)
    assert float(f(casadi.DM(x))) == pytest.approx(expected, rel=1e-15)
    assert float(f(np.array([x]))[0]) == expected
    assert float(f(np.array([mpmath.mpf(x)]))[0]) == pytest.approx(expected, rel=1e-15)


@pytest.mark.parametrize("name", TWO)
@pytest.mark.parametrize(("a", "b"), [(0.375, 1.5), (1.5, 0.375), (2.0, 2.0)])
def test_every_scalar_agrees_on_functions_of_two(name, a, b):
    f = getattr(g, name)
    expected = float(f(a, b))
    assert float(f(mpmath.mpf(a), b)) == pytest.approx(expected, rel=1e-15)
    assert float(f(a, mpmath.mpf(b))) == pytest.approx(expected, rel=1e-15)
    assert float(f(sympy.Float(a), b)) == pytest.approx(expected, rel=1e-14)
    assert float(f(casadi.DM(a), b)) == pytest.approx(expected, rel=1e-15)
    assert float(f(np.array(a), b)) == expected


def test_where_over_every_scalar():
    for one in (1.0, Fraction(1), mpmath.mpf(1), sympy.Integer(1), casadi.DM(1), np.array(1.0)):
        assert float(g.where(one, 2 * one, 3 * one)) == 2.0
        assert float(g.where(one - one, 2 * one, 3 * one)) == 3.0


def test_numbers_follow_ieee():
    assert g.log(0.0) == -math.inf
    assert math.isnan(g.sqrt(-1.0))
    assert math.isnan(g.sin(math.inf))
    assert g.exp(1e4) == math.inf
    assert g.sinh(-1e4) == -math.inf
    assert g.power(0.0, -1.0) == math.inf
    assert math.isnan(g.power(-1.0, 0.5))
    for f in (g.minimum, g.maximum):
        assert math.isnan(f(math.nan, 1.0))
        assert math.isnan(f(1.0, math.nan))
    assert math.isnan(g.sign(math.nan))
    assert [g.sign(x) for x in (-2.0, 0.0, 3)] == [-1, 0, 1]


def test_fractions_stay_exact_or_refuse():
    assert g.sqrt(Fraction(4, 9)) == Fraction(2, 3)
    assert g.power(Fraction(2, 3), 3) == Fraction(8, 27)
    assert g.cos(Fraction(0)) == 1
    assert g.sign(Fraction(-1, 2)) == -1
    assert g.absolute(Fraction(-1, 2)) == Fraction(1, 2)
    for refused in (lambda: g.sqrt(Fraction(2)), lambda: g.sin(Fraction(1))):
        with pytest.raises(TraceError, match="is not a fraction"):
            refused()


def test_arrays_and_lists_of_numbers_stay_numbers():
    for f in (g.sin, g.sqrt, g.sign):
        assert f(np.array([0.1, 0.2])).dtype == float
    assert g.where([1, 0], [1.0, 2.0], 5.0).tolist() == [1.0, 5.0]
    assert g.less([1.0, 3.0], 2.0).dtype == float
    assert g.sin([0.0]).tolist() == [0.0]


def test_expressions_win_over_fractions_and_text_is_refused():
    x = Graph().input("x")
    assert g.maximum(Fraction(1, 2), x) is g.maximum(0.5, x)
    with pytest.raises(TraceError, match="do not combine"):
        g.maximum(x, "3")
    with pytest.raises(TraceError, match="must fit a double"):
        x * 10**400


def test_sincos_is_the_pair():
    assert g.sincos(0.3) == (math.sin(0.3), math.cos(0.3))


def test_unknown_scalars_are_named():
    with pytest.raises(TraceError, match="sin of object: not a scalar we know"):
        g.sin(object())
