"""Values of exact polynomials at rational points of the circle.

With t rational, the point ((1 - t²)/(1 + t²), 2t/(1 + t²)) has rational coordinates, and turns of
such points stay rational: arithmetic of fractions is the oracle.
"""

from fractions import Fraction

from hypothesis import strategies as st

from visviva.algebra.exact.poly import Poly, Wave
from visviva.algebra.exact.rationals import rational

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
        self.values |= {Wave("cos", b): p[0] for b, p in self.bases.items()}
        self.values |= {Wave("sin", b): p[1] for b, p in self.bases.items()}

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
