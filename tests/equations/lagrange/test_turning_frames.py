"""Positions r(q, t) = R(ω t) p(q) have the equations that energies stated in the frame have.

In the frame the velocity is p' + ω × p: no time stands in it, and none may be left where positions
were stated instead. Rates are symbols, sums of symbols, and have phases.
"""

import random

import numpy as np
import pytest
import sympy
from sympy import cos, exp, pi, sin, sqrt

import visviva as vv

t, m, W, U, phi, f, k, a, b, c, g, kappa = sympy.symbols("t m W U phi f k a b c g kappa")
x, y, z, u, w = sympy.symbols("x y z u w")
SECONDS = {q: sympy.Symbol(f"{q}dd") for q in (x, y, z, u, w)}
VELOCITIES = {q: sympy.Symbol(f"{q}d") for q in (x, y, z, u, w)}
NUMBERS = {m: 1.3, W: 0.7, U: -1.1, phi: 0.4, f: 0.3, k: 0.9, a: 0.6, b: 1.7, c: 0.35} | {
    g: 9.81,
    kappa: 2.4,
}
TURNS = [W * t, W * t + phi, (W + U) * t, W * t / 2 - phi, 2 * U * t, 2 * pi * f * t + pi / 3,
         sqrt(kappa) * t, (W - U) * t + phi / 4, t * W * k + a, W * t + 0.3]  # fmt: skip
BODIES = [  # coordinates, and points p(q) in the frame
    ([x], (x, 0, k * x**2)),
    ([x, y], (x, y, 0)),
    ([u], (a + b * cos(u), b * sin(u), 0)),
    ([u], (b * sin(u), 0, -b * cos(u))),
    ([u, w], (a * cos(u) + b * cos(u + w), a * sin(u) + b * sin(u + w), 0)),
    ([u, w], (b * sin(u) * cos(w), b * sin(u) * sin(w), b * cos(u))),
    ([x, z], (x * cos(a), c, z + x * sin(a))),
    ([x, u], (x * cos(k * u), x * sin(k * u), c * u)),
]
SYSTEMS = 160


def turning(number):
    """The same system from positions at rest and in its frame; all about one random axis."""
    rng = random.Random(number)
    q, p = BODIES[number % len(BODIES)]
    turn = rng.choice(TURNS)
    axis = rng.choice([(0, 0, 1), (0, 0, 1), (1, 0, 0), (0, 1, 0)])
    p, e = sympy.Matrix(p), sympy.Matrix(axis)
    across = sympy.Matrix(3, 3, [0, -e[2], e[1], e[2], 0, -e[0], -e[1], e[0], 0])
    R = sympy.eye(3) + across * sin(turn) + across**2 * (1 - cos(turn))
    rate, v = turn.diff(t), [VELOCITIES[i] for i in q]
    r = R * p
    inertial = r.jacobian(q) * sympy.Matrix(v) + r.diff(t)
    own = p.jacobian(q) * sympy.Matrix(v) + rate * e.cross(p)
    pull = rng.choice([0, 1])
    rest = rng.choice([0, 1])
    energies = []
    for place, velocity in ((r, inertial), (p, own)):
        V = m * g * place.dot(e) * pull + kappa * place.dot(place) / 2
        V += rest * kappa * (sqrt(place.dot(place) + c**2) - c) ** 2 / 2
        energies.append((m * velocity.dot(velocity) / 2, V))
    loads = []
    for place, velocity in ((r, inertial), (p, own)):
        drag = rng.choice([0, c]) if not loads else loads[0][1]
        Q = [-drag * velocity.dot(place.diff(i)) for i in q]
        loads.append((Q, drag))
    symbols = {
        s for part in (*energies[1], *loads[1][0], turn) for s in sympy.sympify(part).free_symbols
    }
    values = {s.name: x for s, x in NUMBERS.items() if s in symbols}
    return (
        q,
        turn,
        [
            vv.Lagrangian(q, T, V, forces=Q, parameters=values)
            for (T, V), (Q, _) in zip(energies, loads, strict=True)
        ],
    )


@pytest.mark.spread(16)
@pytest.mark.parametrize("number", range(SYSTEMS))
def test_no_time_is_left_of_a_turning_frame(number):
    q, _, (stated, truth) = turning(number)
    assert not any(x.has(t) for x in stated.formulas)
    assert vv.pencil.kind(stated) == vv.pencil.kind(truth)
    form = stated.closed_form()
    assert t not in form.equations.free_symbols
    assert t not in form.kinetic_energy.free_symbols | form.potential_energy.free_symbols
    assert "t" not in stated.inverse_dynamics.inputs
    rng = np.random.default_rng(number)
    q, v, acceleration = rng.uniform(-1.2, 1.2, (3, 5, len(q)))
    np.testing.assert_allclose(
        stated.inverse_dynamics(q, v, acceleration),
        truth.inverse_dynamics(q, v, acceleration),
        rtol=1e-12,
        atol=1e-12 * 40,  # of sums of about forty
    )


@pytest.mark.spread(5)
@pytest.mark.parametrize("number", range(SYSTEMS))
def test_right_equations_are_proved_and_wrong_ones_differ(number):
    q, turn, (stated, truth) = turning(number)
    row = number % len(q)
    right = truth.closed_form().equations[row]
    spelled = f"tau{row + 1} = {sympy.sstr(right)}"
    assert stated.check(spelled).status == "identical", spelled
    still = f"{spelled} + m*(sin({turn})^2 + cos({turn})^2 - 1)"
    assert stated.check(still).status == "identical"
    wrong = right + m * VELOCITIES[q[0]] / 1000
    verdict = stated.check(f"tau{row + 1} = {sympy.sstr(wrong)}")
    assert verdict.status == "differs"


@pytest.mark.parametrize("number", [0, 2, 3])
def test_positions_of_rest_are_those_of_the_frame(number):
    _, _, (stated, truth) = turning(number)
    found, known = stated.equilibria(), truth.equilibria()
    np.testing.assert_allclose(found.q, known.q, atol=1e-12)
    assert found.stability == known.stability
    assert found.proved == known.proved
    assert not any("time" in x for x in found.stability)


def test_time_that_stays_is_there():
    """Seen from a frame that turns with U, a point that turns with W is where the difference is."""
    arm = sympy.Matrix([a * cos(W * t) + x * cos(U * t), a * sin(W * t) + x * sin(U * t)])
    rate = arm.diff(x) * VELOCITIES[x] + arm.diff(t)
    s = vv.Lagrangian("x", m * rate.dot(rate) / 2, parameters="m a W U")
    assert vv.pencil.kind(s).explicit_time
    claim = "m x'' = m U^2 x + m a W^2 cos((U - W) t) + tau1"
    assert s.check(claim).status == "identical"
    assert s.check(claim.replace("U - W", "U + W")).status == "differs"
    assert s.check(claim.replace("U - W", "U")).status == "differs"


def test_the_documents_particle_and_bead():
    """S33 by `in_coordinates`, S41 by the positions of the bead."""
    point = vv.Lagrangian("X Y", "m*(X'^2 + Y'^2)/2", "kappa*(X^2 + Y^2)/2", parameters="m kappa W")
    there = {"X": "x*cos(W*t) - y*sin(W*t)", "Y": "x*sin(W*t) + y*cos(W*t)"}
    turned = point.in_coordinates("x y", there)
    for claim in (
        "tau1 = m x'' - 2 m W y' - m W^2 x + kappa x",
        "tau2 = m y'' + 2 m W x' - m W^2 y + kappa y",
    ):
        assert turned.check(claim).status == "identical"
    assert not vv.pencil.kind(turned).explicit_time
    p = sympy.Matrix([x * cos(W * t), x * sin(W * t), k * x**2])
    velocity = p.diff(x) * VELOCITIES[x] + p.diff(t)
    bead = vv.Lagrangian("x", m * velocity.dot(velocity) / 2, m * g * p[2], parameters="m g k W")
    verdict = bead.check("(1 + 4 k^2 x^2) x'' + 4 k^2 x x'^2 - W^2 x + 2 g k x = 0")
    assert verdict.status in ("identical", "identical if")
    assert not vv.pencil.kind(bead).explicit_time


def test_velocities_in_sines_are_zero_at_rest():
    s = vv.Lagrangian("x", "m*x'^2/2 + x*sin(x')", "cos(x') + x", parameters={"m": 2.0})
    assert vv.pencil.formula(s, "gravity") == [1]
    assert s.gravity_forces([0.3]) == pytest.approx(1, abs=1e-15)


def test_time_in_other_functions_cancels_too():
    turn = exp(-b) + W * t
    arm = sympy.Matrix([x * cos(turn), x * sin(turn)])
    V = kappa * sympy.Abs(sqrt(arm.dot(arm)) - a)
    s = vv.Lagrangian("x", m * VELOCITIES[x] ** 2 / 2, V, parameters="m b W kappa a")
    assert s.potential.equals(kappa * sympy.Abs(sqrt(x**2) - a))
