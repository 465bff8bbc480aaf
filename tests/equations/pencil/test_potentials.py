"""Which forces have a potential where their domain has holes; real potentials."""

import numpy as np
import pytest
import sympy
from sympy import cos, diff, exp, log, pi, sqrt, tan

import visviva as vv
from tests.support.counts import SOAK, count
from visviva.errors import ArgumentError

x, y, z, k, a = sympy.symbols("x y z k a")
R2, R3 = x**2 + y**2, x**2 + y**2 + z**2
VORTEX = [-y / R2, x / R2]


def slope(P, q):
    return [-diff(P, u) for u in q]


def test_a_vortex_is_not_conservative_and_its_circulation_is_shown():
    assert vv.pencil.curl(VORTEX, [x, y]) == {}
    assert vv.pencil.circulations(VORTEX, [x, y]) == {"x = 0, y = 0": 2 * pi}
    assert not vv.pencil.is_conservative(VORTEX, [x, y])
    assert vv.pencil.classify(VORTEX, [x, y], []) == "circulatory"
    with pytest.raises(ArgumentError, match=r"not defined at x = 0, y = 0, .* ∮ f · dq = 2\*pi"):
        vv.pencil.potential(VORTEX, [x, y])
    with pytest.raises(ArgumentError, match="circulation once around"):  # a law is a field too
        vv.pencil.co_energy(VORTEX, [x, y])


def test_a_vortex_line_in_space_is_not_conservative():
    assert vv.pencil.circulations([*VORTEX, z], [x, y, z]) == {"x = 0, y = 0": 2 * pi}
    assert not vv.pencil.is_conservative([*VORTEX, z], [x, y, z])
    charged = slope(log(R2) + 1 / R3, (x, y, z))  # a line, and a point on it
    assert vv.pencil.circulations(charged, [x, y, z]) == {"x = 0, y = 0": 0}


def test_symbols_declared_positive_do_not_hide_the_hole():
    u, w = sympy.symbols("u w", positive=True)
    assert not vv.pencil.is_conservative([-w / (u**2 + w**2), u / (u**2 + w**2)], [u, w])


def test_every_one_of_several_holes_is_told():
    there = (x - a) ** 2 + y**2
    force = [-3 * y / R2 + k * y / there, 3 * x / R2 - k * (x - a) / there]
    assert vv.pencil.circulations(force, [x, y]) == {
        "x = 0, y = 0": 6 * pi,
        "x = a, y = 0": -2 * pi * k,
    }


@pytest.mark.soak
@pytest.mark.parametrize("center", [(1, -2), (0, 0)][: count(1, 2)])
def test_circulations_are_those_of_a_path_in_numbers(center):
    """A skew vortex with a gradient on top, by the trapezoidal rule on a circle around it."""
    u, w = x - center[0], y - center[1]
    form = sympy.expand((u + 2 * w) ** 2 + (u - w) ** 2)
    angle = sympy.atan((u + 2 * w) / (u - w))
    force = [sympy.simplify(3 * diff(angle, s)) - diff(u / form + x * y, s) for s in (x, y)]
    (value,) = vv.pencil.circulations(force, [x, y]).values()
    t = np.linspace(0, 2 * np.pi, 400, endpoint=False)
    f = sympy.lambdify((x, y), force)(center[0] + 0.3 * np.cos(t), center[1] + 0.3 * np.sin(t))
    around = np.mean(-f[0] * 0.3 * np.sin(t) + f[1] * 0.3 * np.cos(t)) * 2 * np.pi
    assert abs(float(value) - around) < 1e-10
    assert abs(float(value)) > 1


FIELDS = {
    "gravity of a point in space": (-k / sqrt(R3), (x, y, z)),
    "the same in the plane": (-k / sqrt(R2), (x, y)),
    "ln r": (k * log(R2) / 2, (x, y)),
    "a dipole": (x / R2, (x, y)),
    "r² ln r": (R2 * log(R2), (x, y)),
    "an essential singularity": (exp(1 / R2), (x, y)),
    "no zero at all": (log(1 + R2), (x, y)),
    "inside of a ball": (-sqrt(1 - R3), (x, y, z)),
    "outside and inside of a sphere": (1 / (R3 - 1), (x, y, z)),
    "walls": (log(cos(x)) + 1 / y, (x, y)),
}


QUICK = ("ln r", "a dipole", "no zero at all", "inside of a ball", "walls")  # the others alike


@pytest.mark.spread(2)
@pytest.mark.soak
@pytest.mark.parametrize("name", FIELDS if SOAK else QUICK)
def test_fields_with_holes_and_no_circulation_have_their_potential(name):
    P, q = FIELDS[name]
    force = slope(P, q)
    assert all(value == 0 for value in vv.pencil.circulations(force, q).values())
    found = vv.pencil.potential(force, q)
    assert not found.has(sympy.I)
    at = dict(zip((x, y, z, k), (0.3, 0.4, 0.5, 1.7), strict=True))
    other = dict(zip((x, y, z, k), (0.6, 0.2, 0.1, 1.7), strict=True))
    steps = [float(V.subs(at) - V.subs(other)) for V in (found, P)]  # equal but for a constant
    assert steps[0] == pytest.approx(steps[1], rel=1e-12)


def test_potentials_have_no_complex_logarithms():
    assert vv.pencil.potential([-1 / x, -1 / y], [x, y]) == log(abs(x)) + log(abs(y))
    P = vv.pencil.potential([tan(x), -y], [x, y])
    assert P.subs({x: 3, y: 1}).is_real  # cos 3 is negative


def test_a_potential_is_whole_wherever_its_force_is():
    """On x > 0 a vortex has the angle for potential: -atan(y/x), and not atan(x/y), which jumps."""
    P = vv.pencil.potential([VORTEX[0] + 1 / x, VORTEX[1]], [x, y])
    above, below = (P.subs({x: 1, y: s * sympy.Rational(1, 10**9)}).evalf() for s in (1, -1))
    assert abs(above - below) < 1e-8


def test_the_place_of_no_energy():
    force = slope(-k / sqrt(R2), (x, y))
    assert vv.pencil.potential(force, [x, y], zero=(3, 4)) == k / 5 - k / sqrt(R2)
    with pytest.raises(ArgumentError, match=r"has no value at zero=\(0, 0\)"):
        vv.pencil.potential(force, [x, y], zero=(0, 0))


@pytest.mark.parametrize(
    "P",
    [1 / (R2 - 1), 1 / (R2 - a), 1 / (x**4 + y**4), abs(x) * x, 1 / (sqrt(R2) - 1)],
    ids=str,
)
def test_domains_that_cannot_be_analysed_are_said_to_be_so(P):
    with pytest.raises(ArgumentError, match=r"is not known: its curl is zero, but the domain"):
        vv.pencil.is_conservative(slope(P, (x, y)) if not P.has(sympy.Abs) else [P, 0], [x, y])


def test_a_force_of_two_kinds_is_mixed():
    v, w = sympy.symbols("v w")
    kinds = {
        "mixed": [-k * x - 2 * v, -k * y],
        "driving": [v, 2 * w],
        "dissipative": [-v, 0],
        "gyroscopic": [x * w, -x * v],
        "velocity-dependent": [v * w, 0],
        "circulatory": [-y, x],
        "conservative": [-k * x, -k * y],
    }
    for kind, force in kinds.items():
        assert vv.pencil.classify(force, [x, y], [v, w]) == kind
    said = vv.pencil.classify.__doc__
    assert all(f'"{kind}"' in said for kind in [*kinds, "time-dependent"])
