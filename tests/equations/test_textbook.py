"""Textbook form: exact, short, the same every time."""

import gc
import subprocess
import sys
import weakref
from fractions import Fraction

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

import visviva as vv
from tests.support.counts import within
from tests.support.tools import importing
from visviva.algebra.exact.poly import Poly, Quotient
from visviva.algebra.exact.ring import Ring
from visviva.describe.bodies.inertia import Inertia
from visviva.describe.by_hand.dh import from_dh
from visviva.equations import coriolis
from visviva.equations.bodies.links import links, placed
from visviva.equations.bodies.mass_matrix import assembled, composites
from visviva.equations.bodies.newton_euler import recursive_newton_euler as newton_euler
from visviva.errors import OutsideError, UnknownNameError
from visviva.notation.names import acceleration_name, velocity_name
from visviva.notation.textbook.writer import from_textbook, textbook

PARALLEL = {  # base names are free text: what they are follows from the map
    "rp_arm": {"q1": {"q1": 1}},
    "two_link": {"q1": {"one": 1}, "q2": {"both": 1, "one": -1}},
    "pr_arm": {"alpha": {"slope": 1}, "q2": {"link": 1, "slope": -1}},
    "craig_6_5": {"theta1": {"a": 1}, "theta2": {"b": 1}},
    "scara": {"theta1": {"a": 1}, "theta2": {"b": 1, "a": -1}},
    "spatial_3r": {"theta1": {"a": 1}, "theta2": {"b": 1}, "theta3": {"c": 1, "b": -1}},
}


class Terms:
    """M, C, g and τ of a model over a ring."""

    def __init__(self, model, angles):
        names = list(model.joint_names)
        rates = [[f(n) for n in names] for f in (velocity_name, acceleration_name)]
        self.ring = ring = Ring([*names, *rates[0], *rates[1], *model.parameters], angles)
        over = model.over({k: ring[k] for k in model.parameters})
        q, v, a = (np.array([ring[n] for n in x]) for x in (names, *rates))
        steps, zero = placed(links(over), q), np.zeros(len(q))
        bodies = composites(steps)
        self.M = assembled(steps, bodies, len(q))
        self.C = coriolis.coriolis_columns(steps, bodies, q, v, len(q))
        self.g = newton_euler(links(over), over.gravity, q, zero, zero)
        self.tau = newton_euler(links(over), over.gravity, q, v, a)

    def written(self, what):
        return [textbook(self.poly(x)) for x in np.ravel(getattr(self, what))]

    def poly(self, x):
        return x if isinstance(x, Poly) else self.ring.number(x)


@pytest.fixture(scope="module")
def terms():
    return {name: Terms(vv.catalog.build(name), angles) for name, angles in PARALLEL.items()}


# What books and source documents print, entry by entry; zero entries are left out of the count.
S3 = "(I2 + m2*r2**2 + m3*l1**2)*sin(theta2)*cos(theta2) + (I3 + m3*r3**2)*sin(theta2 + theta3)"
S3 += "*cos(theta2 + theta3) + m3*l1*r3*sin(2*theta2 + theta3)"
T3 = "(m3*l1*r3*cos(theta2) + (I3 + m3*r3**2)*cos(theta2 + theta3))*sin(theta2 + theta3)"
REFERENCES = {
    "rp_arm": {
        "M": ["I1 + I2 + m1*r1**2 + m2*q2**2", "0", "0", "m2"],
        "C": ["m2*q2*qd2", "m2*q2*qd1", "-m2*q2*qd1", "0"],
        "g": ["a_g*(m1*r1 + m2*q2)*cos(q1)", "a_g*m2*sin(q1)"],
    },
    "two_link": {
        "M": [
            "m1*r1**2 + I1 + m2*(L1**2 + r2**2 + 2*L1*r2*cos(q2)) + I2",
            "m2*(r2**2 + L1*r2*cos(q2)) + I2",
            "m2*(r2**2 + L1*r2*cos(q2)) + I2",
            "m2*r2**2 + I2",
        ],
        "C": [
            "-m2*L1*r2*sin(q2)*qd2",
            "-m2*L1*r2*sin(q2)*(qd1 + qd2)",
            "m2*L1*r2*sin(q2)*qd1",
            "0",
        ],
        "g": [
            "a_g*(m1*r1*cos(q1) + m2*(L1*cos(q1) + r2*cos(q1 + q2)))",
            "m2*a_g*r2*cos(q1 + q2)",
        ],
    },
    "pr_arm": {
        "M": ["m1 + m2", "-m2*r2*sin(q2)", "-m2*r2*sin(q2)", "I2 + m2*r2**2"],
        "C": ["0", "-m2*r2*cos(q2)*qd2", "0", "0"],
        "g": ["g*(m1 + m2)*sin(alpha)", "m2*g*r2*cos(alpha + q2)"],
    },
    "craig_6_5": {
        "M": ["M1*L1**2 + M2*(L1 + L2*cos(theta2))**2", "0", "0", "M2*L2**2"],
        "C": [
            "-(L1 + L2*cos(theta2))*M2*L2*sin(theta2)*thetad2",
            "-(L1 + L2*cos(theta2))*M2*L2*sin(theta2)*thetad1",
            "(L1 + L2*cos(theta2))*M2*L2*sin(theta2)*thetad1",
            "0",
        ],
        "g": ["0", "M2*g*L2*cos(theta2)"],
    },
    "scara": {
        "M": [
            "I1 + I2 + I3 + m1*r1**2 + m2*(a1**2 + r2**2 + 2*a1*r2*cos(theta2))"
            " + m3*(a1**2 + a2**2 + 2*a1*a2*cos(theta2))",
            "I2 + I3 + m2*r2*(r2 + a1*cos(theta2)) + m3*a2*(a2 + a1*cos(theta2))",
            "0",
            "I2 + I3 + m2*r2*(r2 + a1*cos(theta2)) + m3*a2*(a2 + a1*cos(theta2))",
            "I2 + I3 + m2*r2**2 + m3*a2**2",
            *["0"] * 3,
            "m3",
        ],
        "C": [
            "-a1*(m2*r2 + m3*a2)*sin(theta2)*thetad2",
            "-a1*(m2*r2 + m3*a2)*sin(theta2)*(thetad1 + thetad2)",
            "0",
            "a1*(m2*r2 + m3*a2)*sin(theta2)*thetad1",
            *["0"] * 5,
        ],
        "g": ["0", "0", "m3*g"],
    },
    "spatial_3r": {
        "M": [
            "I1 + (I2 + m2*r2**2)*cos(theta2)**2 + I3*cos(theta2 + theta3)**2"
            " + m3*(l1*cos(theta2) + r3*cos(theta2 + theta3))**2",
            "0",
            "0",
            "0",
            "I2 + I3 + m2*r2**2 + m3*(l1**2 + r3**2 + 2*l1*r3*cos(theta3))",
            "I3 + m3*r3*(r3 + l1*cos(theta3))",
            "0",
            "I3 + m3*r3*(r3 + l1*cos(theta3))",
            "I3 + m3*r3**2",
        ],
        "C": [
            f"-thetad2*({S3}) - thetad3*{T3}",
            f"-thetad1*({S3})",
            f"-thetad1*{T3}",
            f"thetad1*({S3})",
            "-m3*l1*r3*sin(theta3)*thetad3",
            "-m3*l1*r3*sin(theta3)*(thetad2 + thetad3)",
            f"thetad1*{T3}",
            "m3*l1*r3*sin(theta3)*thetad2",
            "0",
        ],
        "g": [
            "0",
            "g*((m2*r2 + m3*l1)*cos(theta2) + m3*r3*cos(theta2 + theta3))",
            "m3*g*r3*cos(theta2 + theta3)",
        ],
    },
}


def read(text):
    return sympy.parse_expr(text, local_dict={"I": sympy.Symbol("I")})


@pytest.mark.spread(8)
@pytest.mark.parametrize("what", ["M", "C", "g"])
@pytest.mark.parametrize("name", PARALLEL)
def test_equal_to_the_book_and_as_short(terms, name, what):
    t = terms[name]
    references = [read(text) for text in REFERENCES[name][what]]
    for reference, x in zip(references, np.ravel(getattr(t, what)), strict=True):
        assert from_textbook(reference, t.ring) == t.poly(x)
    for reference, made in zip(references, t.written(what), strict=True):
        assert sympy.count_ops(made) <= 1.2 * sympy.count_ops(reference), made


def test_the_mass_matrix_of_2r_has_only_cos_q2(terms):
    M = terms["two_link"].written("M")
    assert {a for x in M for a in x.atoms(sympy.sin, sympy.cos)} == {sympy.cos(sympy.Symbol("q2"))}
    expected = "I1 + I2 + m1*r1**2 + m2*(L1**2 + 2*L1*r2*cos(q2) + r2**2)"
    assert str(M[0]) == expected


def test_equations_are_sorted_by_accelerations(terms):
    tau = terms["two_link"].written("tau")[0]
    q = sympy.Symbol("qdd1")
    assert tau.is_Add
    (term,) = [x for x in tau.args if x.has(q)]
    assert term / q == terms["two_link"].written("M")[0]


@pytest.mark.parametrize("name", PARALLEL)
def test_equations_come_back(terms, name):
    t = terms[name]
    for x, made in zip(t.tau, t.written("tau"), strict=True):
        assert from_textbook(made, t.ring) == x


# ---- any polynomial

RINGS = [
    Ring(["x", "y", "m", "xd"], {"x": {"x": 1}, "y": {"y": 1}}),
    Ring(["x", "y", "z", "m"], {"x": {"a": 1}, "y": {"b": 1, "a": -1}, "z": {"c": -1, "b": 1}}),
    Ring(["x", "y", "m"], {"x": {"h": 2}, "y": {"y": 1}}),
    Ring(["x", "y", "m"], {"x": {"a": 1, "b": 1}, "y": {"a": 1, "b": -1}}),  # a = (x + y)/2
]
numbers = st.one_of(
    st.integers(-4, 4),
    st.fractions(-3, 3, max_denominator=12),
    st.decimals(-9, 9, places=9, allow_nan=False).map(Fraction),
)


@st.composite
def polynomials(draw, ring=None):
    ring = ring or draw(st.sampled_from(RINGS))
    total = ring.number(draw(numbers))
    for _ in range(draw(st.integers(0, 6))):
        term = ring.number(draw(numbers))
        for name in draw(st.lists(st.sampled_from(ring.generators), max_size=5)):
            term = term * ring.generator(name)
        total = total + term
    return total


@given(polynomials())
@settings(max_examples=300, deadline=None)
def test_the_form_means_the_polynomial(p):
    assert from_textbook(textbook(p), p.ring) == p


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_products_and_fractions(data):
    ring = data.draw(st.sampled_from(RINGS))
    p, q, r = (data.draw(polynomials(ring)) for _ in range(3))
    assert from_textbook(textbook(p * q), ring) == p * q
    if not r.is_zero:
        x = Quotient(p, r)
        over, under = sympy.fraction(sympy.together(textbook(x)))
        assert from_textbook(over, ring) * x.bottom == from_textbook(under, ring) * x.top


def test_angles():
    ring = RINGS[1]
    x, y, z, m = (ring[n] for n in "xyzm")
    X, Y, Z, A = sympy.symbols("x y z m")
    assert textbook((x + y + z).cos() * m) == A * sympy.cos(X + Y + Z)
    assert textbook((y + z).sin() * m) == A * sympy.sin(Y + Z)
    assert textbook((y - x).sin()) == -sympy.sin(X - Y)
    assert textbook(m * y.sin() ** 2) == A * sympy.sin(Y) ** 2
    assert textbook(1 - z.cos() ** 2 + m) == A + sympy.sin(Z) ** 2
    half = RINGS[2]
    assert textbook(half["x"].sin() * half["m"]) == A * sympy.sin(X)
    assert textbook((half["x"] / 2).cos() * half["m"]) == A * sympy.cos(X / 2)
    sums = RINGS[3]  # x = a + b, y = a - b
    middle = (sums["x"] + sums["y"]) / 2
    assert textbook(middle.cos() * sums["m"]) == A * sympy.cos(X / 2 + Y / 2)
    assert textbook(sums["x"].cos() * sums["m"]) == A * sympy.cos(X)
    assert textbook(middle.sin() * middle.cos() * 2) == sympy.sin(X + Y)
    free = RINGS[0]
    product = free["x"].cos() * free["y"].sin()
    assert textbook(product) == sympy.cos(X) * sympy.sin(Y)
    assert textbook((free["x"] + free["y"]).cos()) == sympy.cos(X + Y)


def test_numbers():
    ring = RINGS[0]
    m, A = ring["m"], sympy.Symbol("m")
    assert textbook(ring.number(0)) == 0
    assert textbook(m * Fraction(2, 3)) == sympy.Rational(2, 3) * A
    assert textbook(m * 0.5) == A / 2
    assert str(textbook(m * 0.12345678)) == "0.12345678*m"
    assert str(textbook(m * Fraction(1, 12345))) == "m/12345"
    q = (m + 1) / (m * 2 + 4)
    assert textbook(q) == (A / 2 + sympy.Rational(1, 2)) / (A + 2)
    tiny = Quotient(ring.number(1), m * Fraction(3, 10**9))
    assert textbook(tiny) == sympy.Rational(10**9, 3) / A  # decimals are not divided and rounded


def test_what_is_no_polynomial():
    ring = RINGS[0]
    with pytest.raises(OutsideError, match="no polynomial"):
        from_textbook(sympy.sqrt(sympy.Symbol("m")), ring)
    with pytest.raises(OutsideError, match="sum of angles"):
        from_textbook(sympy.sin(sympy.Symbol("m")), ring)
    with pytest.raises(UnknownNameError, match="'k'"):
        from_textbook(sympy.Symbol("k"), ring)


# ---- always the same, soon enough

SCRIPT = """
import warnings; warnings.simplefilter("ignore")
from tests.equations.test_textbook import PARALLEL, Terms, textbook
import visviva as vv
t = Terms(vv.catalog.spatial_3r(), PARALLEL["spatial_3r"])
order = [("tau", "C", "M"), ("M", "C", "tau")][{flip}]
made = {{what: t.written(what) for what in order}}
print([made[what] for what in ("M", "C", "tau")])
"""


@pytest.mark.spread(0)
def test_the_same_form_in_every_process():
    made = set()
    for seed in (0, 1):
        run = subprocess.run(
            [sys.executable, "-c", SCRIPT.format(flip=seed)],
            capture_output=True,
            text=True,
            env=importing() | {"PYTHONHASHSEED": str(seed)},
            check=True,
        )
        made.add(run.stdout)
    assert len(made) == 1


def test_a_ring_is_not_kept_alive():
    ring = Ring(["x", "m"], {"x": {"x": 1}})
    textbook(ring["x"].cos() * ring["m"])
    gone = weakref.ref(ring)
    del ring
    gc.collect()
    assert gone() is None


def puma():
    """All sixty inertial parameters and the lengths as symbols."""
    kinds = "m rx ry rz Ixx Iyy Izz Ixy Ixz Iyz".split()
    names = [f"{k}{i}" for i in range(1, 7) for k in kinds] + ["a2", "a3", "d3", "d4"]
    joints = [f"q{i}" for i in range(1, 7)]
    rates = [velocity_name(n) for n in joints]
    angles = {n: {n: 1} for n in joints} | {"q3": {"q2+q3": 1, "q2": -1}}
    ring = Ring([*joints, *rates, *names], angles)
    s = {n: ring[n] for n in names}

    def link(i):
        tensor = [[s[f"I{min(a, b)}{max(a, b)}{i}"] for b in "xyz"] for a in "xyz"]
        return Inertia(s[f"m{i}"], [s[f"r{k}{i}"] for k in "xyz"], tensor, checked=False)

    rows = [(0, 0, 0, 0), (0, -np.pi / 2, 0, 0), (s["a2"], 0, s["d3"], 0)]
    rows += [(s["a3"], -np.pi / 2, s["d4"], 0), (0, np.pi / 2, 0, 0), (0, -np.pi / 2, 0, 0)]
    model = from_dh(
        rows, convention="modified", joints="RRRRRR", inertias=[link(i) for i in range(1, 7)]
    )
    steps = placed(links(model), np.array([ring[n] for n in joints]))
    return ring, steps, composites(steps)


@pytest.mark.spread(0)
@pytest.mark.soak
def test_puma_with_all_inertias():
    ring, steps, bodies = puma()
    M = assembled(steps, bodies, 6)
    with within(15):  # a tenth of what a person would wait
        made = [[textbook(M[i, j]) for j in range(i + 1)] for i in range(6)]
    assert from_textbook(made[0][0], ring) == M[0, 0]
    assert from_textbook(made[5][2], ring) == M[5, 2]
