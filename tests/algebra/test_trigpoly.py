"""Exact polynomials in symbols, sines and cosines: their laws, digit for digit.

The oracle is arithmetic of fractions at rational points of the circle: with t rational, the point
((1 - t²)/(1 + t²), 2t/(1 + t²)) has rational coordinates, and turns of such points stay rational.
"""

from fractions import Fraction

import numpy as np
import pytest
import sympy
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from visviva.algebra import generic
from visviva.algebra.rationals import OutsideError, fraction, rational
from visviva.algebra.trigpoly import Poly, Quotient, Ring
from visviva.describe.inertia import Inertia
from visviva.describe.joints import Prismatic, Revolute
from visviva.equations import coriolis, mass_matrix
from visviva.equations.links import Link, placed
from visviva.equations.moments import Moments
from visviva.equations.newton_euler import newton_euler
from visviva.errors import UnknownNameError
from visviva.space.poses import Pose

PLAIN = Ring(["x", "y", "m", "k"], {"x": {"x": 1}, "y": {"y": 1}})
SUMS = Ring(["x", "y", "m", "k"], {"x": {"first": 1}, "y": {"both": 1, "first": -1}})
HALF = Ring(["x", "y", "m", "k"], {"x": {"x/2": 2}, "y": {"y": 1}})
RINGS = [PLAIN, SUMS, HALF]

small = st.fractions(-3, 3, max_denominator=7)


def circle(t):
    return (1 - t * t) / (1 + t * t), 2 * t / (1 + t * t)


def turned(point, times):
    """(cos, sin) of a multiple of an angle."""
    c, s = Fraction(1), Fraction(0)
    x, y = (point[0], point[1] if times > 0 else -point[1])
    for _ in range(abs(times)):
        c, s = c * x - s * y, s * x + c * y
    return c, s


def plus(a, b):
    return a[0] * b[0] - a[1] * b[1], a[1] * b[0] + a[0] * b[1]


class Point:
    """Values of base angles (as points of the circle) and symbols."""

    def __init__(self, ring, turns, values):
        self.ring = ring
        self.bases = dict(zip(ring.bases, map(circle, turns), strict=True))
        self.values = dict(zip(ring.symbols, values, strict=True))
        self.values |= {f"cos {b}": p[0] for b, p in self.bases.items()}
        self.values |= {f"sin {b}": p[1] for b, p in self.bases.items()}

    def __call__(self, p):
        """The value of a polynomial, term by term."""
        if not isinstance(p, Poly):
            return rational(p)
        total = Fraction(0)
        for powers, c in p.terms():
            for name, k in powers.items():
                c *= self.values[name] ** k
            total += c
        return total

    def turn(self, coordinate):
        """(cos, sin) of a coordinate."""
        made = (Fraction(1), Fraction(0))
        for base, times in self.ring.angles[coordinate].items():
            made = plus(made, turned(self.bases[base], times))
        return made


@st.composite
def points(draw, ring):
    turns = [draw(small) for _ in ring.bases]
    return Point(ring, turns, [draw(small) for _ in ring.symbols])


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


@given(st.data())
@settings(max_examples=150, deadline=None)
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


@given(st.data())
@settings(max_examples=100, deadline=None)
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


@given(st.data())
@settings(max_examples=100, deadline=None)
def test_normal_form(data):
    """No sine is squared, and different forms are different functions."""
    ring = data.draw(rings)
    p, q = data.draw(elements(ring)), data.draw(elements(ring))
    for powers, c in (p * q).terms():
        assert c
        assert all(k < 2 for name, k in powers.items() if name.startswith("sin "))
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


@given(st.data())
@settings(max_examples=40, deadline=None)
def test_derivatives_as_in_sympy(data):
    ring = data.draw(rings)
    p = data.draw(elements(ring))
    for name in ("x", "y", "m"):
        expected = sympy.diff(in_sympy(p), sympy.Symbol(name))
        assert in_sympy(p.derivative(name)).expand().equals(expected.expand())


def in_sympy(p):
    """The polynomial with its base angles written as sums of coordinates."""
    x, y = sympy.symbols("x y")
    meaning = {"x": x, "y": y, "first": x, "both": x + y, "x/2": x / 2}
    total = sympy.Integer(0)
    for powers, c in p.terms():
        term = sympy.Rational(c.numerator, c.denominator)
        for name, k in powers.items():
            kind, _, base = name.partition(" ")
            term *= (getattr(sympy, kind)(meaning[base]) if base else sympy.Symbol(name)) ** k
        total += term
    return total


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_rules_of_derivatives(data):
    ring = data.draw(rings)
    p, q = data.draw(elements(ring)), data.draw(elements(ring))
    for name in ring.symbols:
        assert (p * q).derivative(name) == p.derivative(name) * q + p * q.derivative(name)
        assert (p + q).derivative(name) == p.derivative(name) + q.derivative(name)
    assert p.derivative("x").derivative("y") == p.derivative("y").derivative("x")


# ---- fractions


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


# ---- what is outside


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


# ---- the recursions


class Exact:
    """A fraction that, like an element of a ring, takes floats for the decimals they print as."""

    def __init__(self, value):
        self.value = Fraction(value)

    def _of(self, other):
        return other.value if isinstance(other, Exact) else rational(other)

    def __add__(self, other):
        return Exact(self.value + self._of(other))

    def __sub__(self, other):
        return Exact(self.value - self._of(other))

    def __rsub__(self, other):
        return Exact(self._of(other) - self.value)

    def __mul__(self, other):
        return Exact(self.value * self._of(other))

    def __truediv__(self, other):
        return Exact(self.value / self._of(other))

    def __neg__(self):
        return Exact(-self.value)

    def __eq__(self, other):
        return self.value == self._of(other)

    __radd__, __rmul__ = __add__, __mul__
    __hash__ = None


class Turn:
    """An angle that is known by its point on the circle."""

    def __init__(self, point):
        self.point = point

    def cos(self):
        return Exact(self.point[0])

    def sin(self):
        return Exact(self.point[1])


AXES = np.eye(3)
QUARTERS = [(1, 0, 0, 0), (1, 1, 0, 0), (1, 0, -1, 0), (1, 0, 0, 1), (1, 1, 1, 1), (0, 1, 1, 0)]


def rotation(w, x, y, z):
    """Of a quaternion of whole numbers: its entries are fractions."""
    n = Fraction(1, w * w + x * x + y * y + z * z)
    return [
        [1 - 2 * n * (y * y + z * z), 2 * n * (x * y - w * z), 2 * n * (x * z + w * y)],
        [2 * n * (x * y + w * z), 1 - 2 * n * (x * x + z * z), 2 * n * (y * z - w * x)],
        [2 * n * (x * z - w * y), 2 * n * (y * z + w * x), 1 - 2 * n * (x * x + y * y)],
    ]


@st.composite
def chains(draw, planar):
    """Joints and bodies of a chain, as fractions."""
    whole = st.integers(-3, 3)
    made = []
    for _ in range(draw(st.integers(1, 4))):
        kind = draw(st.sampled_from("RRP"))
        if planar:
            axis = 2 if kind == "R" else draw(st.integers(0, 1))
            turn = (1, 0, 0, draw(whole))
        else:
            axis = draw(st.integers(0, 2))
            general = st.tuples(*[whole] * 4).filter(any)
            turn = draw(st.one_of(st.sampled_from(QUARTERS), general))
        numbers = [draw(small) for _ in range(9)]
        made.append((kind, axis, rotation(*turn), numbers))
    return made


def links_of(chain, number, masses):
    """The chain with numbers of any kind."""

    def array(x):
        return np.array([[number(e) for e in row] for row in x], dtype=object)

    made = []
    for i, (kind, axis, R, n) in enumerate(chain):
        joint = (Revolute if kind == "R" else Prismatic)(AXES[axis])
        p, com, (a, b, c) = array([n[:3]])[0], array([n[3:6]])[0], n[6:]
        tensor = array([[9 + a, b, c], [b, 8 - a, a], [c, a, 7 + b]])
        body = Moments.of(Inertia(masses[i], com, tensor, checked=False))
        made.append(Link(i - 1, Pose(array(R), p), joint, body, slice(i, i + 1), slice(i, i + 1)))
    return made


def angles_of(chain, planar):
    """Hinges in a plane are added up, others stand for themselves."""
    angles, last = {}, None
    for i, (kind, *_) in enumerate(chain):
        if kind == "R":
            angles[f"q{i}"] = {f"up to {i}": 1, last: -1} if planar and last else {f"up to {i}": 1}
            last = f"up to {i}"
    return angles


@pytest.mark.parametrize("planar", [True, False], ids=["planar", "spatial"])
@given(data=st.data())
@settings(max_examples=25, deadline=None)
def test_recursions_digit_for_digit(planar, data):
    chain = data.draw(chains(planar))
    n = len(chain)
    names = [[f"{letter}{i}" for i in range(n)] for letter in "qvam"]
    ring = Ring([k for row in names for k in row], angles_of(chain, planar))
    at = data.draw(points(ring))
    q, v, a, m = ([ring[k] for k in row] for row in names)
    exactly = [[Exact(at.values[k]) for k in row] for row in names]
    x = [
        Turn(at.turn(k)) if k in ring.angles else e
        for k, e in zip(names[0], exactly[0], strict=True)
    ]
    gravity = np.array([0.5, -9.81, 2.0])

    def terms(tree, q, v, a):
        q, v, a = (np.array(row, dtype=object) for row in (q, v, a))
        steps = placed(tree, q)
        bodies = mass_matrix.composites(steps)
        M = mass_matrix.assembled(steps, bodies, n)
        C = coriolis.assembled(steps, bodies, q, v, n)
        tau = newton_euler(tree, gravity, q, v, a)
        return [*M.ravel(), *C.ravel(), *tau]

    closed = terms(links_of(chain, ring.number, m), q, v, a)
    numbers = terms(links_of(chain, Exact, exactly[3]), x, *exactly[1:3])
    for p, e in zip(closed, numbers, strict=True):
        assert at(p) == (e.value if isinstance(e, Exact) else rational(e))


@given(st.floats(allow_nan=False, allow_infinity=False) | st.integers() | st.fractions())
@example(0.5)
@example(-3.0625)
@example(0.1)
@example(123456789.0625)
@example(True)
def test_numbers_mean_what_they_print(x):
    exact = fraction(x)
    assert Fraction(int(exact.p), int(exact.q)) == Fraction(str(x) if x is not True else 1)
