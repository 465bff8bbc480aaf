"""Forces without a potential, friction, virtual work and d'Alembert's principle."""

import numpy as np
import pytest
import sympy
from sympy import Matrix, cos, diff, sin, symbols

import visviva as vv
from tests.support.generators.bodies import close
from tests.support.generators.lagrangians import g, is_zero, m, rp_arm
from visviva import Lagrangian, pencil
from visviva.pencil import Names, Particle, Turning, d_alembert, equations, rate, virtual_work

k, t = symbols("k t")


def test_C3_forces_without_a_potential():
    """Weight as a potential or as a force: the same equation; a swirl has a force only."""
    K = "m*(x'^2 + y'^2)/2"
    values = {"m": 2, "g": 9.81}
    by_potential = Lagrangian("x y", K, "m*g*y", parameters=values)
    by_force = Lagrangian("x y", K, forces=["0", "-m*g"], parameters=values)
    assert equations(by_potential) == equations(by_force)
    swirl = Lagrangian("x y", K, forces=["-y", "x"], parameters=values)
    close(swirl.inverse_dynamics([1.0, 2.0], [0, 0], [0, 0]), [2.0, -1.0], 0)
    x, y = swirl.names.q
    assert not pencil.is_conservative(swirl.forces, (x, y))


def test_C17_any_friction_law():
    """Stribeck's curve as b(q, v): it is a vector of its own and leaves M, C, g alone."""
    law = ["sign(x')*(Fc + (Fs - Fc)*exp(-(x'/vs)^2)) + beta*x'"]
    values = {"m": 2.0, "Fc": 1.0, "Fs": 1.5, "vs": 0.1, "beta": 0.4}
    s = Lagrangian("x", "m*x'^2/2", dissipation=law, parameters=values)
    close(s.dissipation_forces([0.0], [0.05]), [1.409400392], 1e-9)  # as many digits as given
    close(s.dissipation_forces([0.0], [-0.05]), [-1.409400392], 1e-9)
    tau = s.inverse_dynamics([0.0], [0.05], [3.0])
    close(tau, s.without_dissipation().inverse_dynamics([0.0], [0.05], [3.0])
          + s.dissipation_forces([0.0], [0.05]), 1e-14)  # fmt: skip
    coupled = Lagrangian("x y", "x'^2 + y'^2", dissipation=["x'*y'^2", "x^2*y'"])
    close(coupled.bias_forces([2.0, 0.0], [3.0, 5.0]), [75.0, 20.0], 0)


def test_C19_kinds_of_forces():
    x, y, v, w = symbols("x y v w")
    q, rates = (x, y), (v, w)
    assert pencil.classify([-k * x, -k * y], q, rates) == "conservative"
    assert pencil.classify([-y, x], q, rates) == "circulatory"
    assert pencil.classify([w, -v], q, rates) == "gyroscopic"
    assert pencil.classify([-2 * v + w, v - 3 * w], q, rates) == "dissipative"
    assert pencil.classify([-(v**3), 0], q, rates) == "dissipative"
    assert pencil.classify([sin(t), 0], q, rates, t) == "time-dependent"
    assert pencil.classify([v**3, 2 * w], q, rates) == "driving"
    assert pencil.classify([v * w, 0], q, rates) == "velocity-dependent"
    assert pencil.classify([-k * x - 2 * v, -k * y], q, rates) == "mixed"
    assert pencil.classify([-y + w, x - v], q, rates) == "mixed"
    vortex = [-y / (x**2 + y**2), x / (x**2 + y**2)]
    assert pencil.classify(vortex, q, rates) == "circulatory"  # though without curl
    assert pencil.curl([-y, x], q) == {(1, 0): 2}
    P = pencil.potential([-2 * x * y, -(x**2) - cos(y)], q)
    assert sympy.expand(P - x**2 * y - sin(y)) == 0
    with pytest.raises(vv.errors.ArgumentError, match="no potential: ∂f/∂q is not symmetric"):
        pencil.potential([-y, x], q)


def test_C24_from_d_alembert_to_lagrange():
    """m r̈ · ∂r/∂q = d/dt (∂K/∂q̇) - ∂K/∂q, step by step, for any r(q, t)."""
    names = Names(["q"], [])
    (q,), (v,) = names.q, names.v
    r = sympy.Function("r")(q, t)
    velocity = rate(r, names)
    left = rate(velocity, names) * r.diff(q)
    middle = rate(velocity * r.diff(q), names) - velocity * rate(r.diff(q), names)
    assert sympy.expand(left - middle) == 0
    assert sympy.expand(r.diff(q) - velocity.diff(v)) == 0
    assert sympy.expand(rate(r.diff(q), names) - velocity.diff(q)) == 0
    K = velocity**2 / 2
    right = rate(K.diff(v), names) - K.diff(q)
    assert sympy.expand(left - right) == 0
    (equation,) = equations(Lagrangian("q", K))
    assert sympy.expand(equation - left) == 0


def test_C41_rayleighs_function():
    """From relative velocities, D = ½ β ‖J q̇‖²: B = Jᵀ β J, and 2D is the power that is lost."""
    beta1, beta2 = symbols("beta1 beta2")
    q, names = symbols("q1 q2"), Names(["q1", "q2"], [])
    J = Matrix([[1, 0], [-1, 1], [sin(q[0]), cos(q[1])]])
    V = Matrix(names.v)
    weights = sympy.diag(beta1, beta2, beta1)
    relative = J * V
    D = (relative.T * weights * relative)[0] / 2
    s = Lagrangian("q1 q2", "q1'^2 + q2'^2", dissipation=D)
    b = Matrix(s.closed_form().dissipation)
    assert all(is_zero(x) for x in b - J.T * weights * J * V)
    assert is_zero((V.T * b)[0] - 2 * D)
    single = Lagrangian("q1 q2", 0, dissipation="beta*q1'^2/2", parameters={"beta": 0.5})
    close(single.dissipation_forces([0, 0], [-3.0, 4.0]), [-1.5, 0.0], 0)  # signed, not coupled


def test_C42_viscous_friction_of_joints():
    """A coefficient for each joint, visible as a vector of its own."""
    values = {**dict(vv.catalog.rp_arm().parameters), "V1": 0.3, "V2": 0.7}
    arm = rp_arm()
    s = Lagrangian("q1 q2", arm.kinetic, arm.potential, "(V1*q1'^2 + V2*q2'^2)/2",
                   parameters=values)  # fmt: skip
    q, v, a = np.random.default_rng(1).uniform(0.2, 1, (3, 2))
    b = s.dissipation_forces(q, v)
    close(b, [0.3 * v[0], 0.7 * v[1]], 1e-16)
    close(s.inverse_dynamics(q, v, a), arm.inverse_dynamics(q, v, a) + b, 1e-14)
    close(s.coriolis_matrix(q, v), arm.coriolis_matrix(q, v), 0)


def test_C99_energy_and_balance():
    """What holds a 2R arm up: from ∂V/∂q, from virtual work, and from the balance of its links."""
    q1, q2, m1, m2, L1, r1, r2, g = symbols("q1 q2 m1 m2 L1 r1 r2 g")
    names = Names(["q1", "q2"], [])
    first = Matrix([r1 * cos(q1), r1 * sin(q1), 0])
    elbow = Matrix([L1 * cos(q1), L1 * sin(q1), 0])
    second = elbow + Matrix([r2 * cos(q1 + q2), r2 * sin(q1 + q2), 0])
    V = g * (m1 * first[1] + m2 * second[1])
    by_energy = [diff(V, q) for q in names.q]
    weights = [Particle(m1, first, [0, -m1 * g, 0]), Particle(m2, second, [0, -m2 * g, 0])]
    by_work = [-x for x in virtual_work(names, weights)]
    down = Matrix([0, -g, 0])
    at_elbow = -(second - elbow).cross(m2 * down)[2]
    at_base = -(first.cross(m1 * down) + elbow.cross(m2 * down))[2] + at_elbow
    for x, y, z in zip(by_energy, by_work, [at_base, at_elbow], strict=True):
        assert is_zero(x - y)
        assert is_zero(x - z)


def test_C100_equations_from_forces_and_geometry():
    """A ladder on a wall and a floor: Σ (f - m a) · δr + (τ - I α̈) δα = 0."""
    theta, thetadd, length, inertia = symbols("theta thetadd l J")
    names = Names(["theta"], [])
    centre = [length * sin(theta), length * cos(theta)]
    weight = Particle(m, centre, [0, -m * g])
    (residual,) = d_alembert(names, [weight], [Turning(inertia, theta)])
    true = (inertia + m * length**2) * thetadd - m * g * length * sin(theta)
    assert is_zero(residual - true)
    K = (m * length**2 + inertia) * symbols("thetad") ** 2 / 2
    s = Lagrangian("theta", K, m * g * length * cos(theta))
    assert is_zero(residual - equations(s)[0])
