"""The recursions of dynamics over exact polynomials, digit for digit."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.oracles.rings import points, small
from visviva.algebra.exact.rationals import rational
from visviva.algebra.exact.ring import Ring
from visviva.describe.bodies.inertia import Inertia
from visviva.describe.joints.axis import Prismatic, Revolute
from visviva.equations import coriolis
from visviva.equations.bodies import mass_matrix
from visviva.equations.bodies.links import Link, placed
from visviva.equations.bodies.moments import Moments
from visviva.equations.bodies.newton_euler import recursive_newton_euler as newton_euler
from visviva.space.poses import Pose


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


@pytest.mark.spread(0)
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
        C = coriolis.coriolis_columns(steps, bodies, q, v, n)
        tau = newton_euler(tree, gravity, q, v, a)
        return [*M.ravel(), *C.ravel(), *tau]

    closed = terms(links_of(chain, ring.number, m), q, v, a)
    numbers = terms(links_of(chain, Exact, exactly[3]), x, *exactly[1:3])
    for p, e in zip(closed, numbers, strict=True):
        assert at(p) == (e.value if isinstance(e, Exact) else rational(e))
