"""Constraints whose type is known, each classified exactly and checked by another road.

The other road: at a rational point (angles by the tangent of their half) the curl of the rows on a
basis of what they admit, in rational numbers, gives the second entry of the growth vector.
"""

from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
import pytest
import sympy

import visviva as vv
from visviva.equations.lagrange.constraints import rows

T = sympy.Symbol("t")


@dataclass
class Known:
    q: str
    constraints: object
    kind: str
    growth: tuple
    kinds: str  # h or n, of the rows
    parameters: str = ""
    integrals: tuple = ()
    scleronomic: bool = True
    alone: str = ""  # where it differs
    values: dict = field(default_factory=dict)


SIDE, ROLL = "x' sin(theta) = y' cos(theta)", "x' cos(theta) + y' sin(theta) = r phi'"
DRIVE = "x' cos(theta) + y' sin(theta) = r (phi1' + phi2')/2"
TURN = "theta' = r (phi1' - phi2')/(2 b)"
HOLONOMIC = {
    "circle in disguise": Known(
        "x y", "x x' + y y'", "holonomic", (1,), "h", integrals=("x**2 + y**2",)
    ),
    "sphere in disguise": Known(
        "x y z", "x x' + y y' + z z'", "holonomic", (2,), "h", integrals=("x**2 + y**2 + z**2",)
    ),
    "integrating factor": Known("x y", "y x' - x y'", "holonomic", (1,), "h", integrals=("x/y",)),
    "integrating factor of three variables": Known(
        "x y z",
        "y z x' + 2 x z y' + 3 x y z'",
        "holonomic",
        (2,),
        "h",
        integrals=("x*y**2*z**3",),
    ),
    "exact with sines": Known(
        "r theta",
        "r' sin(theta) + r cos(theta) theta'",
        "holonomic",
        (1,),
        "h",
        integrals=("r*sin(theta)",),
    ),
    "spiral": Known(
        "r theta", "r' = k r theta'", "holonomic", (1,), "h", "k", ("log(r)/k - theta",)
    ),
    "rolling in a straight line": Known(
        "x phi", "x' = r phi'", "holonomic", (1,), "h", "r", ("x - r*phi",)
    ),
    "two wheels on one axle in a straight line": Known(
        "x phi1 phi2",
        ["x' = r phi1'", "x' = r phi2'"],
        "holonomic",
        (1,),
        "hh",
        "r",
        ("x - r*phi1", "x - r*phi2"),
    ),
    "together only": Known(
        "x y z", ["z' = y x'", "y' = 0"], "holonomic", (1,), "hh", "", ("z - x*y", "y"), alone="nh"
    ),
    "blade that does not turn": Known(
        "x y theta",
        [SIDE, "theta' = 0"],
        "holonomic",
        (1,),
        "hh",
        "",
        ("x*sin(theta) - y*cos(theta)", "theta"),
        alone="nh",
    ),
    "parallel cranks": Known("a b c", ["a' = b'", "b' = c'"], "holonomic", (1,), "hh"),
    "driven": Known(
        "x y", "x' = w a cos(w t)", "holonomic", (2,), "h", "w a", ("x - a*sin(w*t)",), False
    ),
    "conveyor": Known("x y", "x' = v0", "holonomic", (2,), "h", "v0", ("x - v0*t",), False),
    "moving together only": Known(
        "x y", ["x' = y", "y' = 1"], "holonomic", (1,), "hh", "", (), False, alone="nh"
    ),
    "bead on a parabola": Known("x z", "z = k x^2", "holonomic", (1,), "h", "k", ("z - k*x**2",)),
    "bead on a rotating wire": Known(
        "x z theta",
        ["z = k x^2", "theta = Omega t"],
        "holonomic",
        (2,),
        "hh",
        "k Omega",
        ("z - k*x**2", "theta - Omega*t"),
        False,
    ),
    "any row on a surface": Known(
        "x y z",
        ["z = k x^2", "y' = z x'"],
        "holonomic",
        (1,),
        "hh",
        "k",
        ("z - k*x**2", "y - k*x**3/3"),
    ),
    "one of its values": Known(
        "x y z", "z' = a y x'", "holonomic", (2,), "h", "a", ("z",), values={"a": 0.0}
    ),
}
NONHOLONOMIC = {
    "knife edge": Known("x y theta", SIDE, "nonholonomic", (2, 3), "n"),
    "contact form": Known("x y z", "z' = y x'", "nonholonomic", (2, 3), "n"),
    "Heisenberg": Known("x y z", "z' = (x y' - y x')/2", "nonholonomic", (2, 3), "n"),
    "Martinet": Known("x y z", "z' = y^2 x'/2", "nonholonomic", (2, 3), "n"),
    "Engel": Known("x y z w", ["y' = z x'", "z' = w x'"], "nonholonomic", (2, 3, 4), "nn"),
    "rolling disc": Known("x y theta phi", [SIDE, ROLL], "nonholonomic", (2, 3, 4), "nn", "r"),
    "sleigh whose mass is ahead": Known(
        "x y theta",
        "x' sin(theta) - y' cos(theta) + a theta' = 0",
        "nonholonomic",
        (2, 3),
        "n",
        "a",
    ),
    "differential drive": Known(
        "x y theta phi1 phi2",
        [SIDE, DRIVE, TURN],
        "mixed",
        (2, 3, 4),
        "nnh",
        "r b",
        ("theta - r*(phi1 - phi2)/(2*b)",),
    ),
    "car": Known(
        "x y theta delta",
        [SIDE, "x' sin(theta + delta) - y' cos(theta + delta) = l theta' cos(delta)"],
        "nonholonomic",
        (2, 3, 4),
        "nn",
        "l",
    ),
    "unicycle with a trailer": Known(
        "x y theta beta",
        [SIDE, "x' sin(beta) - y' cos(beta) = d beta'"],
        "nonholonomic",
        (2, 3, 4),
        "nn",
        "d",
    ),
    "rolling ball": Known(
        "x y psi theta phi",
        [
            "x' = r (theta' sin(psi) - phi' sin(theta) cos(psi))",
            "y' = -r (theta' cos(psi) + phi' sin(theta) sin(psi))",
        ],
        "nonholonomic",
        (3, 5),
        "nn",
        "r",
    ),
    "rolling ball that does not spin": Known(
        "x y psi theta phi",
        [
            "x' = r (theta' sin(psi) - phi' sin(theta) cos(psi))",
            "y' = -r (theta' cos(psi) + phi' sin(theta) sin(psi))",
            "psi' + phi' cos(theta) = 0",
        ],
        "nonholonomic",
        (2, 3, 5),
        "nnn",
        "r",
    ),
    "ball on a turning table": Known(
        "x y psi theta phi",
        [
            "x' + Omega y = r (theta' sin(psi) - phi' sin(theta) cos(psi))",
            "y' - Omega x = -r (theta' cos(psi) + phi' sin(theta) sin(psi))",
        ],
        "nonholonomic",
        (4, 6),
        "nn",
        "r Omega",
        (),
        False,
    ),
    "blade that turns as time passes": Known(
        "x y", "x' sin(w t) = y' cos(w t)", "nonholonomic", (2, 3), "n", "w", (), False
    ),
    "pursuit": Known("x y", "y' = t x'", "nonholonomic", (2, 3), "n", "", (), False),
    "skate in a plane of space": Known(
        "x y z theta", ["z = h", SIDE], "mixed", (2, 3), "hn", "h", ("z - h",)
    ),
}
ALL = HOLONOMIC | NONHOLONOMIC


def system(known):
    kinetic = " + ".join(f"{x}'^2" for x in known.q.split())
    parameters = known.values or known.parameters
    return vv.Lagrangian(known.q, kinetic, constraints=known.constraints, parameters=parameters)


@pytest.mark.spread(12)
@pytest.mark.parametrize("name", ALL)
def test_what_it_is(name):
    known = ALL[name]
    c = system(known).constraints.classify()
    assert (c.kind, c.growth, c.degree) == (known.kind, known.growth, len(known.growth))
    assert "".join(row.kind[0] for row in c.rows) == known.kinds
    assert "".join(row.alone[0] for row in c.rows) == (known.alone or known.kinds)
    assert c.scleronomic == known.scleronomic
    stated = {row.proof for row in c.rows}
    assert stated <= {"proved", "by statement"}
    assert c.proof in stated
    for expected, got in zip(known.integrals, c.integrals, strict=len(known.integrals) > 1):
        assert is_function_of(sympy.sympify(expected), got, known)
    if c.kind == "holonomic":
        assert c.certificate == c.integrals
    else:
        check_bracket(c.certificate)


def is_function_of(f, g, known):
    """df ∧ dg = 0, and neither is constant."""
    x = [*sympy.symbols(known.q), T]
    slopes = [[sympy.diff(h, y) for y in x] for h in (f, g)]
    minors = (
        slopes[0][i] * slopes[1][j] - slopes[0][j] * slopes[1][i]
        for i, j in combinations(range(len(x)), 2)
    )
    return all(any(s != 0 for s in row) for row in slopes) and all(
        sympy.simplify(m) == 0 for m in minors
    )


def check_bracket(c):
    """[g, h] = Dh g - Dg h, and the value is not zero."""
    x = sympy.symbols(c.coordinates)
    g, h = sympy.Matrix(c.first), sympy.Matrix(c.second)
    b = h.jacobian(x) * g - g.jacobian(x) * h
    assert sympy.simplify(b - sympy.Matrix(c.bracket)).is_zero_matrix
    assert sympy.simplify(c.value) != 0


def at_rational_point(x, seed):
    """Exact values: of coordinates fractions, of sines and cosines those on the unit circle."""
    rng = np.random.default_rng(seed)

    def fraction():
        return sympy.Rational(int(rng.integers(1, 40)), int(rng.integers(1, 12)))

    def sine_and_cosine():
        u = fraction()
        return 2 * u / (1 + u**2), (1 - u**2) / (1 + u**2)

    x = [sympy.expand_trig(e) for e in x]
    angles = sorted({f.args[0] for e in x for f in e.atoms(sympy.sin, sympy.cos)}, key=str)
    at = {}
    for a in angles:
        at[sympy.sin(a)], at[sympy.cos(a)] = sine_and_cosine()
    x = [e.xreplace(at) for e in x]
    symbols = sorted({s for e in x for s in e.free_symbols}, key=str)
    values = {s: fraction() for s in symbols}
    return [e.xreplace(values) for e in x]


@pytest.mark.spread(14)
@pytest.mark.parametrize("name", [k for k in ALL if k not in ("skate in a plane of space",)])
def test_the_curl_of_its_rows_at_a_rational_point(name):
    """dim D₂ = dim D₁ + rank of dω on D₁."""
    known = ALL[name]
    s = system(known)
    r = rows(s)
    x = [*s.names.q] if known.scleronomic else [*s.names.q, T]
    pairs = r.constraint_matrix, r.constraint_drift
    forms = [[*row, a0][: len(x)] for row, a0 in zip(*pairs, strict=True)]
    values = {sympy.Symbol(k): sympy.Rational(str(v)) for k, v in known.values.items()}
    entries = [e for row in forms for e in row]
    entries += [
        f[k].diff(x[j]) - f[j].diff(x[k])
        for f in forms
        for j in range(len(x))
        for k in range(len(x))
    ]
    entries = at_rational_point([sympy.sympify(e).xreplace(values) for e in entries], 4)
    n, k = len(x), len(forms)
    A = sympy.Matrix(k, n, entries[: k * n])
    G = A.nullspace()
    curls = [
        sympy.Matrix(n, n, entries[k * n + i * n * n : k * n + (i + 1) * n * n]) for i in range(k)
    ]
    two = [*combinations(G, 2)]
    table = sympy.Matrix(k, len(two), [(g.T * C * h)[0] for C in curls for g, h in two])
    assert len(G) == known.growth[0]
    rank = table.rank() if table.cols else 0
    assert len(G) + rank == (known.growth[1] if len(known.growth) > 1 else known.growth[0])
    assert all(isinstance(e, sympy.Rational) for e in entries)


def test_the_disc_reaches_everything_and_its_determinant_is_minus_r_squared():
    s = system(ALL["rolling disc"])
    c = s.constraints.classify().certificate
    x, r = sympy.symbols(c.coordinates), sympy.Symbol("r")
    g1, g2 = sympy.Matrix([0, 0, 1, 0]), sympy.Matrix(c.second)

    def bracket(g, h):
        return h.jacobian(x) * g - g.jacobian(x) * h

    assert sympy.Matrix(c.first) == g1
    first = bracket(g1, g2)
    both = sympy.Matrix.hstack(g1, g2, first, bracket(g1, first))
    assert sympy.simplify(both.det()) in (r**2, -(r**2))
