"""Exact polynomials in symbols, sines and cosines: their laws, digit for digit."""

from fractions import Fraction

import numpy as np
import pytest
import sympy
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from tests.support.counts import examples
from tests.support.oracles.rings import Point, plus, points, small, turned
from visviva.algebra import generic
from visviva.algebra.exact.poly import Quotient, Wave
from visviva.algebra.exact.rationals import as_fmpq as fraction
from visviva.algebra.exact.ring import Ring
from visviva.algebra.exact.ring_sympy import as_sympy
from visviva.errors import OutsideError, UnknownNameError

PLAIN = Ring(["x", "y", "m", "k"], {"x": {"x": 1}, "y": {"y": 1}})
SUMS = Ring(["x", "y", "m", "k"], {"x": {"first": 1}, "y": {"both": 1, "first": -1}})
HALF = Ring(["x", "y", "m", "k"], {"x": {"x/2": 2}, "y": {"y": 1}})
RINGS = [PLAIN, SUMS, HALF]


@st.composite
def elements(draw, ring):
    total = ring.number(draw(small))
    for _ in range(draw(st.integers(0, 4))):
        term = ring.number(draw(small))
        for name in draw(st.lists(st.sampled_from(ring.generators), max_size=5)):
            term = term * ring.generator(name)
        total = total + term
    return total


rings = st.sampled_from(RINGS)


@examples(9, 3000)
@given(st.data())
def test_arithmetic_at_rational_points(data):
    ring = data.draw(rings)
    at = data.draw(points(ring))
    p, q = data.draw(elements(ring)), data.draw(elements(ring))
    number = data.draw(small)
    assert at(p + q) == at(p) + at(q)
    assert at(p - q) == at(p) - at(q)
    assert at(p * q) == at(p) * at(q)
    assert at(-p) == -at(p)
    assert at(p**3) == at(p) ** 3
    assert at(number + p * number - number) == at(p) * number
    assert at(number - p) == number - at(p)
    if number:
        assert at(p / number) == at(p) / number


@examples(6, 2000)
@given(st.data())
def test_laws_of_a_ring(data):
    ring = data.draw(rings)
    p, q, r = (data.draw(elements(ring)) for _ in range(3))
    assert p + q == q + p
    assert p * q == q * p
    assert (p + q) + r == p + (q + r)
    assert (p * q) * r == p * (q * r)
    assert p * (q + r) == p * q + p * r
    assert p - p == 0
    assert p * 1 == p
    assert p * 0 == 0
    assert p**0 == 1
    assert not (p - p)
    assert +p is p
    assert hash(p + q) == hash(q + p)


@examples(6, 2000)
@given(st.data())
def test_normal_form(data):
    """No sine is squared, and different forms are different functions."""
    ring = data.draw(rings)
    p, q = data.draw(elements(ring)), data.draw(elements(ring))
    for powers, c in (p * q).terms():
        assert c
        sines = [g for g in powers if isinstance(g, Wave) and g.function == "sin"]
        assert all(powers[g] < 2 for g in sines)
    assume(p != q)
    rest = p - q
    # it may vanish somewhere, but not on all of a grid
    turns = [(Fraction(i, 5), Fraction(j, 3)) for i in range(-6, 7) for j in range(1, 8)]
    grid = (Point(ring, t, [i + t[0], 2 - i, i * i, 3 + t[1]]) for t in turns for i in range(4))
    assert any(at(rest) for at in grid)


@given(st.data())
@settings(max_examples=80, deadline=None)
def test_sines_of_sums_and_multiples(data):
    ring = data.draw(rings)
    at = data.draw(points(ring))
    j, k = data.draw(st.integers(-3, 3)), data.draw(st.integers(-3, 3))
    angle = ring["x"] * j + ring["y"] * k
    c, s = plus(turned(at.turn("x"), j), turned(at.turn("y"), k))
    assert at(angle.cos()) == c
    assert at(angle.sin()) == s
    assert angle.cos() ** 2 + angle.sin() ** 2 == 1
    assert generic.sincos(angle) == (angle.sin(), angle.cos())


def test_half_angles():
    x = HALF["x"]
    c, s = (x / 2).cos(), (x / 2).sin()
    assert x.sin() == 2 * s * c
    assert x.cos() == c * c - s * s
    assert (x * Fraction(3, 2)).cos() == 4 * c**3 - 3 * c
    assert (x * 0.5).sin() == s
    with pytest.raises(OutsideError, match="whole multiple"):
        (x / 3).sin()


@examples(3, 400)
@given(st.data())
def test_derivatives_as_in_sympy(data):
    ring = data.draw(rings)
    p = data.draw(elements(ring))
    for name in ("x", "y", "m"):
        expected = sympy.diff(in_sympy(p), sympy.Symbol(name))
        assert in_sympy(p.derivative(name)).expand().equals(expected.expand())


def in_sympy(p, named=None):
    """The polynomial with its base angles written as sums of coordinates."""
    x, y = sympy.symbols("x y")
    meaning = {"x": x, "y": y, "first": x, "both": x + y, "x/2": x / 2}
    total = sympy.Integer(0)
    for powers, c in p.terms():
        term = sympy.Rational(c.numerator, c.denominator)
        for name, k in powers.items():
            if isinstance(name, Wave):
                term *= getattr(sympy, name.function)(meaning[name.base]) ** k
            else:
                term *= (named or {}).get(name, sympy.Symbol(name)) ** k
        total += term
    return total


@examples(6, 2000)
@given(st.data())
def test_terms_become_the_products_that_sympy_makes(data):
    """Also in the order of their factors, on which printing and comparing rest."""
    ring = data.draw(st.sampled_from([PLAIN, HALF]))  # bases that are sums of coordinates
    p = data.draw(elements(ring))
    assert sympy.srepr(as_sympy(p)) == sympy.srepr(in_sympy(p))
    named = {"m": sympy.sqrt(2), "k": 2 * sympy.Symbol("x")}  # to be multiplied out by SymPy
    assert sympy.srepr(as_sympy(p, named)) == sympy.srepr(in_sympy(p, named))


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_rules_of_derivatives(data):
    ring = data.draw(rings)
    p, q = data.draw(elements(ring)), data.draw(elements(ring))
    for name in ring.symbols:
        assert (p * q).derivative(name) == p.derivative(name) * q + p * q.derivative(name)
        assert (p + q).derivative(name) == p.derivative(name) + q.derivative(name)
    assert p.derivative("x").derivative("y") == p.derivative("y").derivative("x")


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_quotients(data):
    ring = data.draw(rings)
    p, q, r = (data.draw(elements(ring)) for _ in range(3))
    assume(not q.is_zero and not r.is_zero)
    x, y = p / q, q / r
    assert isinstance(x, Quotient)
    assert x == Quotient(p * r, q * r)
    assert x * q == p
    assert x * y == p / r
    assert x + y == (p * r + q * q) / (q * r)
    assert x - x == 0
    assert -x + x == 0
    assert 1 - x == (q - p) / q
    assert y / y == 1
    assert 2 / y == 2 * r / q
    assert bool(x) == bool(p)
    assert (x == y) == (p * r == q * q)


def test_a_fraction_of_one_circle():
    """sin² / (1 - cos) is 1 + cos, although no common factor shows it."""
    x = PLAIN["x"]
    assert x.sin() ** 2 / (1 - x.cos()) == 1 + x.cos()
    assert x.sin() / (1 + x.cos()) == (1 - x.cos()) / x.sin()


def test_division_by_nothing():
    x = PLAIN["x"]
    with pytest.raises(ZeroDivisionError):
        x / (x.sin() ** 2 + x.cos() ** 2 - 1)
    with pytest.raises(ZeroDivisionError):
        x / 0


def test_numbers_mean_what_they_say():
    m = PLAIN["m"]
    assert m * 0.1 == m / 10
    assert m * np.float64(0.3) - m * Fraction(3, 10) == 0
    assert m + np.int64(2) == 2 + m
    assert PLAIN.number(1e-9) * 10**9 == 1
    for bad in (float("nan"), float("inf"), "1/2x", 1j):
        with pytest.raises(OutsideError, match="finite number"):
            PLAIN.number(bad)


def test_only_sums_of_angles_have_sines():
    x, m = PLAIN["x"], PLAIN["m"]
    for bad in (m, x * m, x * x, x + 1, x.sin()):
        with pytest.raises(OutsideError, match="sum of angles"):
            bad.sin()
    for bad in (x / 2, (x + PLAIN["y"]) / 2):
        with pytest.raises(OutsideError, match="whole multiple"):
            bad.cos()


def test_roots_and_other_powers():
    m = PLAIN["m"]
    for power in (-1, 0.5, Fraction(1, 2), m):
        with pytest.raises(OutsideError, match="whole powers"):
            m**power
    for name in ("sqrt", "exp", "atan"):
        with pytest.raises(TypeError):
            getattr(generic, name)(m)


def test_rings_are_not_mixed():
    p, q = PLAIN["m"], SUMS["m"]
    for mixed in (lambda: p + q, lambda: p - q, lambda: p * q, lambda: p / q):
        with pytest.raises(OutsideError, match="two rings"):
            mixed()
    with pytest.raises(TypeError):
        p + "m"


def test_symbols():
    with pytest.raises(UnknownNameError, match="'z'"):
        PLAIN["z"]
    with pytest.raises(OutsideError):
        Ring(["x"], {"x": {"a": 1, "b": 1}})
    with pytest.raises(OutsideError):
        Ring(["x", "y"], {"x": {"a": 1, "b": 1}, "y": {"a": 2, "b": 2}})


@examples(11, 1000)
@given(st.floats(allow_nan=False, allow_infinity=False) | st.integers() | st.fractions())
@example(0.5)
@example(-3.0625)
@example(0.1)
@example(123456789.0625)
@example(True)
def test_numbers_mean_what_they_print(x):
    exact = fraction(x)
    assert Fraction(int(exact.p), int(exact.q)) == Fraction(str(x) if x is not True else 1)


HOSTILE = ("cos q", "sin q", "q/2", "q + r", "a*b", "g0", "θ", "关节1", "lambda", "x'", " ", "2")


def test_names_of_symbols_are_labels_only():
    """Symbols called as sines, sums, products or FLINT's own generators stay themselves."""
    ring = Ring(["q", "r", "a", "b", *HOSTILE], {"q": {"q": 2}, "r": {"q + r": 1, "q": -2}})
    symbols = [ring[name] for name in ring.symbols]
    assert [str(x) for x in symbols] == list(ring.symbols)
    made = [*symbols, ring["q"].cos(), ring["q"].sin(), ring["r"].cos(), ring["a"] * ring["b"]]
    made += [ring["q"] + ring["r"], ring["q"] / 2]
    for i, x in enumerate(made):
        for y in made[i + 1 :]:
            assert x != y
            assert x.key != y.key
    assert all(ring["q"].cos().derivative(name) == 0 for name in HOSTILE)


def test_two_symbols_of_one_name_are_refused():
    with pytest.raises(OutsideError, match="two symbols of a ring are called 'x'"):
        Ring(["x", "m", "x"], {})


def test_what_is_no_polynomial_is_told_and_numbers_have_values():
    """The vocabulary of algorithms: fractions stay exact, all else is outside."""
    x, four = PLAIN["x"], PLAIN.number(4)
    assert generic.sqrt(four / 9) == Fraction(2, 3)
    assert generic.absolute(-four) == 4
    assert generic.where(generic.less(four, 5), x, 0.0) is x
    assert generic.where(four - 4, x, 7.0) == 7.0
    assert four / 3 > 1 >= four / 5
    assert generic.power(x, 2) == x * x
    assert generic.power(x, -1.0) * x == 1
    assert generic.power(four, Fraction(-1)) == Fraction(1, 4)
    assert x * four / (four - 1) == x * Fraction(4, 3)
    assert generic.sin(Quotient.of(x)) == x.sin()
    for outside in (
        lambda: generic.sqrt(x),
        lambda: generic.sqrt(four / 2),
        lambda: generic.sign(x),
        lambda: generic.tan(x),
        lambda: generic.less(x, 0.0),
        lambda: generic.maximum(0.0, x),
        lambda: generic.where(x, 1.0, 2.0),
        lambda: generic.power(x, 0.5),
        lambda: generic.sin(x / PLAIN["m"]),
        lambda: x < 1,
    ):
        with pytest.raises(OutsideError, match=r"is no polynomial in symbols, sines and cosines"):
            outside()
