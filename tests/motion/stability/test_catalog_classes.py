"""Mechanisms of the catalog in the classes of linear systems; all equilibria, counted."""

import functools
from dataclasses import replace

import mpmath
import numpy as np
import pytest

import visviva as vv
from tests.support.generators.bodies import close
from visviva.describe.model.body import Spring

m = mpmath.mpf


def pendulum():
    """Two equal points on two equal rods, hanging."""
    A1 = [[m(2), m(1)], [m(1), m(1)]]
    return A1, [[0, 0], [0, 0]], [[2 * m("9.81"), 0], [0, m("9.81")]]


def gyroscope():
    """Upright, without its spin: I (a'' , b'') + J w (b', -a') - m g l (a, b)."""
    turn, fall = m("0.005") * 70, m("0.981")
    return ([[m("0.02"), 0], [0, m("0.02")]], [[0, turn], [-turn, 0]], [[-fall, 0], [0, -fall]])


def rotor(de, di):
    """On springs; tilt and deflection do not meet."""
    W, k, both, push = m(30), m(800), m(de) + m(di), m(di) * 30
    turn = -m("0.03") * W
    A1 = [[m(2), 0, 0, 0], [0, m(2), 0, 0], [0, 0, m("0.02"), 0], [0, 0, 0, m("0.02")]]
    A2 = [[both, 0, 0, 0], [0, both, 0, 0], [0, 0, 0, turn], [0, 0, -turn, 0]]
    A3 = [[k, push, 0, 0], [-push, k, 0, 0], [0, 0, m(50), 0], [0, 0, 0, m(50)]]
    return A1, A2, A3


def column(P, d=0):
    """Ziegler's."""
    A1 = [[m(3), m(1)], [m(1), m(1)]]
    A2 = [[2 * m(d), -m(d)], [-m(d), m(d)]]
    return A1, A2, [[2 - m(P), m(P) - 1], [m(-1), m(1)]]


ROTOR, COLUMN = vv.catalog.rotor_on_springs, vv.catalog.follower_column
STILL = {"di": 0.0, "de": 0.0}
CASES = {  # the mechanism, its velocity and parameters, the matrices by hand; class, verdict
    "pendulum": (vv.catalog.pendulum, None, {}, pendulum, "conservative", "stable"),
    "gyroscope": (vv.catalog.gyroscope, [0, 0, 70.0], {}, gyroscope, "gyroscopic conservative",
                  "drifts"),
    "rotor": (ROTOR, None, STILL, lambda: rotor(0, 0), "gyroscopic conservative", "stable"),
    "rotor, damped": (ROTOR, None, STILL | {"de": 2.0}, lambda: rotor(2, 0), "damped gyroscopic",
                      "stable"),
    "rotor, damped inside": (ROTOR, None, {"di": 3.0, "de": 2.0}, lambda: rotor(2, 3), "general",
                             "stable"),
    "column": (COLUMN, None, {"P": 2.0, "d": 0.0}, lambda: column(2), "circulatory", "stable"),
    "column, damped": (COLUMN, None, {"P": 2.0, "d": 0.1}, lambda: column(2, "0.1"), "general",
                       "unstable"),
}  # fmt: skip
PASSIVE = ("pendulum", "rotor", "rotor, damped")


@functools.cache
def built(build):
    return build()


def exact(A1, A2, A3):
    """Eigenvalues by mpmath, with 40 digits."""
    n = len(A1)
    inverse = mpmath.inverse(mpmath.matrix(A1))
    F = mpmath.zeros(2 * n)
    F[:n, n:] = mpmath.eye(n)
    F[n:, :n] = -inverse * mpmath.matrix(A3)
    F[n:, n:] = -inverse * mpmath.matrix(A2)
    return [complex(x) for x in mpmath.eig(F, left=False, right=False)]


@pytest.mark.parametrize("name", CASES)
def test_classes_of_mechanisms_and_their_eigenvalues(name):
    build, v, values, by_hand, kind, status = CASES[name]
    linear = built(build).linearize(None, v, parameters=values)
    with mpmath.workdps(40):
        left = exact(*by_hand())
    found = [z for z in linear.eigenvalues if z != 0]
    assert len(found) == len(left)
    size = max(abs(z) for z in left)
    for z in found:
        k = int(np.argmin([abs(z - x) for x in left]))
        assert abs(z - left.pop(k)) < 1e-12 * size
    assert (linear.kind, linear.is_passive) == (kind, name in PASSIVE)
    assert linear.stability.status == status


@pytest.mark.parametrize("name", ["heavy_top", "cart_pole", "acrobot"])
def test_others_of_the_catalog_have_their_classes(name):
    s = vv.catalog.build(name)
    if name != "heavy_top":
        assert s.linearize(np.zeros(2)).kind == "conservative"
        return
    # a slow and a fast precession: (I1 - I3) cos θ p² - I3 s p + M g l = 0 where s = ψ' at p
    I1, I3, mass, high, g = (float(s.parameters[x]) for x in ("I1", "I3", "M", "l", "g"))
    tilt, slow = 0.6, 2.5
    spin = (mass * g * high - (I3 - I1) * np.cos(tilt) * slow**2) / (I3 * slow)
    linear = s.linearize([0.0, tilt, 0.0], [slow, 0.0, spin])
    assert linear.kind == "gyroscopic conservative"
    assert linear.stability.status == "drifts"


@pytest.mark.parametrize("Omega", [1.0, 8.0])
def test_all_equilibria_of_the_bead(Omega):
    """On a parabola (2 g k - Ω²) x = 0 has one root; on a circle sin a (Ω² cos a - g / r) four."""
    bead = vv.catalog.bead_on_rotating_wire(Omega=Omega)
    found = bead.equilibria(within={"x": (-4.0, 5.0)})
    assert found.proved
    assert found.q.tolist() == [[0.0]]
    hoop = vv.Lagrangian("a", "r^2*(a'^2 + W^2*sin(a)^2)/2", "-g*r*cos(a)", angles="a",
                         parameters={"r": 0.3, "W": Omega, "g": 9.81})  # fmt: skip
    ring = hoop.equilibria()
    ratio = 9.81 / (0.3 * Omega**2)
    roots = [0.0, np.pi] if ratio > 1 else [-np.arccos(ratio), 0.0, np.arccos(ratio), np.pi]
    assert ring.proved
    close(ring.q[:, 0], roots, 1e-12)


def test_a_linkage_on_a_spring_against_null_space_and_a_reduced_coordinate():
    """A four-bar on a torsion spring: its frequency by multipliers, and by energy on its path."""
    bare = vv.catalog.four_bar()
    name = bare.joint_names[0]
    home = bare.assembled()
    spring = Spring("coil", 40.0, float(home[0]) + 0.1, joint=name)
    linkage = replace(bare, springs=(*bare.springs, spring))
    stable = (x for x in linkage.equilibria(starts=20) if linkage.linearize(x).modes[0].frequency)
    q = next(stable)
    linear = linkage.linearize(q)
    assert linear.kind == "conservative"
    (mode,) = linear.modes
    N, A = linkage.displacements(q), linkage.constraint_matrix(q)
    pull = np.linalg.lstsq(A.T, linkage.bias_forces(q, np.zeros(3)), rcond=None)[0]
    h = 1e-6

    def left(x):
        return linkage.bias_forces(x, np.zeros(3)) - linkage.constraint_matrix(x).T @ pull

    slope = np.array([(left(q + e) - left(q - e)) / (2 * h) for e in h * np.eye(3)]).T
    inertia = (N.T @ linkage.mass_matrix(q) @ N).item()
    by_null_space = np.sqrt((N.T @ slope @ N).item() / inertia)
    assert abs(mode.eigenvalue.imag) == pytest.approx(by_null_space, rel=1e-8)
    path = linkage.tracked(q, name, q[0] + 1e-3 * np.arange(-2, 3))
    V = linkage.potential_energy(path)
    second = (-V[0] + 16 * V[1] - 30 * V[2] + 16 * V[3] - V[4]) / (12 * 1e-6)
    t = (path[0] - 8 * path[1] + 8 * path[3] - path[4]) / (12 * 1e-3)
    reduced = np.sqrt(second / (t @ linkage.mass_matrix(q) @ t))
    assert abs(mode.eigenvalue.imag) == pytest.approx(reduced, rel=1e-7)
