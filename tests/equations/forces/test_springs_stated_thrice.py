"""Each kind of spring and damper on a `Model`, in a `Builder` and in a `Lagrangian`: one motion.

A carriage that slides along x and y, and a body that turns on it: every kind acts on them alone,
and is written down by hand as energies of (x, y, a).
"""

from dataclasses import replace

import numpy as np
import pytest
import sympy

import visviva as vv
from tests.support.counts import SOAK
from tests.support.generators.bodies import close
from visviva.describe.model.body import Spring

x, y, a = vv.coordinates("x y a")
HOOK, TIP = np.array([0.5, 0.4, 0.0]), np.array([0.3, 0.1, 0.0])
K = np.array([[30.0, 4.0, 1.0], [4.0, 12.0, 2.0], [1.0, 2.0, 9.0]])
C = np.array([[1.0, 0.2, 0.0], [0.2, 2.0, 0.1], [0.0, 0.1, 0.5]])
REST = np.array([0.1, -0.2, 0.0])
TURN = sympy.Matrix([[sympy.cos(a), -sympy.sin(a)], [sympy.sin(a), sympy.cos(a)]])
AT = sympy.Matrix([x, y])


def rate(e):
    return e.diff("t")


def carriage():
    """The bodies, and their kinetic and potential energy by hand."""
    b = vv.Builder("carriage", gravity=[0.0, -9.81, 0.0], parameters={"k1": 2.0, "k3": 8.0})
    b.body("rail", joint="prismatic", axis="x", joint_name="x")
    b.body("slide", parent="rail", joint="prismatic", axis="y", joint_name="y", mass=1.0)
    disc = vv.Inertia(2.0, [0.1, -0.05, 0.0], np.diag([0.1, 0.2, 0.3]))
    b.body("disc", parent="slide", joint="revolute", axis="z", joint_name="a", inertia=disc)
    center = AT + TURN * sympy.Matrix([0.1, -0.05])
    T = rate(AT).dot(rate(AT)) / 2 + rate(center).dot(rate(center)) + 0.15 * rate(a) ** 2
    return b, T, 9.81 * (y + 2 * center[1])


def length():
    """Of the rope from the hook on the ground to the tip of the disc."""
    d = AT + TURN * sympy.Matrix(TIP[:2]) - sympy.Matrix(HOOK[:2])
    return sympy.sqrt(d.dot(d))


def seen():
    """The stretch of an element: the hook, seen from the disc, beyond where it is at rest."""
    return TURN.T * (sympy.Matrix(HOOK[:2]) - AT) - sympy.Matrix(REST[:2])


def half(M, e):
    return (e.T * sympy.Matrix(M[:2, :2]) * e)[0] / 2


ROPE = {"between": ("world", "disc"), "points": (HOOK, TIP)}
ELEMENT = {"between": ("disc", "world"), "points": (np.zeros(3), HOOK)}
BEARING = {"between": ("slide", "disc")}
HARD = vv.Stiffness("k1 + k3*e^2", {"k1": 2.0, "k3": 8.0})
KINDS = {  # stiffness, rest, options; the energy and Rayleigh's function of it by hand
    "linear": (30.0, 0.1, {"joint": "x"}, lambda: 15 * (x - 0.1) ** 2, lambda: 0),
    "torsion": (5.0, 0.2, {"joint": "a"}, lambda: 2.5 * (a - 0.2) ** 2, lambda: 0),
    "k(e)": (HARD, -0.1, {"joint": "y"},
             lambda: (y + 0.1) ** 2 + 2 * (y + 0.1) ** 4, lambda: 0),
    "torsion k(e)": (HARD, 0.3, {"joint": "a"},
                     lambda: (a - 0.3) ** 2 + 2 * (a - 0.3) ** 4, lambda: 0),
    "rope": (40.0, 0.2, ROPE, lambda: 20 * (length() - 0.2) ** 2, lambda: 0),
    "rope k(e)": (HARD, 0.2, ROPE,
                  lambda: (length() - 0.2) ** 2 + 2 * (length() - 0.2) ** 4, lambda: 0),
    "element": (K, REST, ELEMENT, lambda: half(K, seen()), lambda: 0),
    "turning": (0.0, np.zeros(3), BEARING | {"turning": K}, lambda: 4.5 * a**2, lambda: 0),
    "damper": (0.0, 0.0, {"joint": "y", "damping": 0.7}, lambda: 0,
               lambda: 0.35 * rate(y) ** 2),
    "damper on a rope": (40.0, 0.2, ROPE | {"damping": 1.5},
                         lambda: 20 * (length() - 0.2) ** 2,
                         lambda: 0.75 * rate(length()) ** 2),
    "damper of an element": (K, REST, ELEMENT | {"damping": C}, lambda: half(K, seen()),
                             lambda: half(C, rate(seen()))),
    "damper that turns": (0.0, np.zeros(3), BEARING | {"turning": K, "turning_damping": C},
                          lambda: 4.5 * a**2, lambda: 0.25 * rate(a) ** 2),
}  # fmt: skip


def stated(kind):
    """The same spring in a chain of a Builder, on a Model, and as energies."""
    stiffness, rest, options, P, D = KINDS[kind]
    b, T, V = carriage()
    bare = b.build()
    text = "k1 + k3*e^2" if stiffness is HARD else stiffness
    built = b.spring("s", text, rest, **options).build()
    given = {k: v for k, v in options.items() if k not in ("between", "points")}
    if "between" in options:
        ends = options.get("points", (np.zeros(3), np.zeros(3)))
        given |= {"frames": options["between"], "points": ends}
    model = replace(bare, springs=(Spring("s", stiffness, rest, **given),))
    return built, model, vv.Lagrangian([x, y, a], T, V + P(), dissipation=D(), angles="a")


@pytest.mark.spread(6)
@pytest.mark.parametrize("kind", KINDS)
def test_forces_and_energies_are_the_same_however_a_spring_is_stated(kind):
    systems = stated(kind)
    rng = np.random.default_rng(3)
    for _ in range(2):
        q, v, acc = rng.normal(size=(3, 3))
        tau = [np.ravel(s.inverse_dynamics.interpret(q, v, acc)) for s in systems]
        V = [np.ravel(s.potential_energy.interpret(q)) for s in systems]
        for other, energy in zip(tau[1:], V[1:], strict=True):
            close(other, tau[0], 1e-12 * (1 + np.abs(tau[0]).max()))
            close(energy, V[0], 1e-12 * (1 + np.abs(V[0]).max()))


@pytest.mark.soak
@pytest.mark.skipif(not SOAK, reason="seconds each; several at once are in test_spring_kinds")
@pytest.mark.parametrize("kind", KINDS)
def test_motion_and_account_are_the_same_however_a_spring_is_stated(kind):
    systems = stated(kind)
    start = [0.2, -0.1, 0.4], [0.3, 0.5, -1.0]
    times = np.linspace(0, 1, 41)
    runs = [s.simulate(*start, times, rtol=1e-11, atol=1e-12) for s in systems]
    for run in runs:
        assert np.abs(run.account.balance_error).max() < 1e-8
    for run in runs[1:]:
        close(run.q, runs[0].q, 1e-9)  # of the tolerance, over a second
        close(run.account.potential, runs[0].account.potential, 1e-8)
        close(run.account.total_work, runs[0].account.total_work, 1e-8)
    taken = runs[0].account.total_work
    assert (taken[-1] < -1e-3) if "damper" in kind else (np.abs(taken).max() < 1e-9)
