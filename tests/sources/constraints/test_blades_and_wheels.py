"""Knife edge and rolling disc: multipliers, projections and motions of the source documents."""

import numpy as np
import pytest
import sympy
from scipy.integrate import solve_ivp
from sympy import Matrix, cos, sin, symbols

import visviva as vv
from tests.support.generators.lagrangians import m, q3, same, same_fractions, v1, v2, v3

# trial points of scipy lie beside the constraints
pytestmark = pytest.mark.filterwarnings("ignore::visviva.errors.DoubtfulWarning")

inertia = symbols("I")
c3, s3 = cos(q3), sin(q3)


def run(s, q, v, t, tau=None):
    """The motion by scipy, at high accuracy: nothing of ours but accelerations."""
    tau = np.zeros(s.nv) if tau is None else tau

    def rate(_, x):
        return np.concatenate([x[s.nv :], s.forward_dynamics(x[: s.nv], x[s.nv :], tau)])

    motion = solve_ivp(
        rate, (0, t), np.concatenate([q, v]), method="DOP853", rtol=1e-12, atol=1e-13
    )
    return motion.y[: s.nv, -1], motion.y[s.nv :, -1]


def test_S7_knife_edge_in_symbols():
    """(10.21) to (10.28): λ, accelerations, P and P_u."""
    form = vv.catalog.knife_edge().closed_form()
    u1, u2, u3 = form.generalized_forces
    lam = (u2 - m * v1 * v3) * c3 - (u1 + m * v2 * v3) * s3
    assert same_fractions(form.multipliers, [lam])
    A = Matrix([[s3, -c3, 0]])
    wanted = Matrix([u1 / m, u2 / m, u3 / inertia]) + A.T * lam / m
    assert same_fractions(form.forward_dynamics, wanted)
    P = Matrix([[c3**2, s3 * c3, 0], [s3 * c3, s3**2, 0], [0, 0, 1]])
    assert same_fractions(form.projection, P)
    assert same_fractions(form.force_projection, P)  # here M commutes with A
    assert P.subs(q3, sympy.Rational(1, 3)).rank() == 2
    assert same_fractions(P * A.T, [0, 0, 0])


def test_S7_knife_edge_left_alone_goes_round_a_circle():
    s = vv.catalog.knife_edge(m=1.7, I=0.3)
    speed, turn, heading = 1.5, 0.7, 0.3
    v = [speed * np.cos(heading), speed * np.sin(heading), turn]
    q, w = run(s, [0.0, 0.0, heading], v, 3.0)
    np.testing.assert_allclose(q, [0.81416352, 3.62727901, 2.4], atol=1e-8)
    radius = speed / turn
    center = radius * np.array([-np.sin(heading), np.cos(heading)])
    np.testing.assert_allclose(np.linalg.norm(q[:2] - center), radius, rtol=1e-11)
    np.testing.assert_allclose(s.constraint_velocity(q, w), 0, atol=1e-11)
    lam = s.multipliers(q, w, np.zeros(3))  # it pushes towards the centre
    np.testing.assert_allclose(np.abs(lam), 1.7 * speed * turn, rtol=1e-11)


def test_S7_knife_edge_on_an_incline_goes_nowhere_downhill_on_average():
    """From rest at the origin, turning with ω: v = (g sin α / ω) sin ωt, and from that q1 and q2.

    q1 = G (1 - cos 2ωt) / 4ω² and q2 = G (t / 2ω - sin 2ωt / 4ω²): sideways, as books say.
    """
    slope, turn, t = 0.4, 1.3, 2.9
    s = vv.catalog.knife_edge(m=0.8, I=0.2, slope=slope)
    q, v = run(s, [0.0, 0.0, 0.0], [0.0, 0.0, turn], t)
    G = 9.81 * np.sin(slope)
    x = G * (1 - np.cos(2 * turn * t)) / (4 * turn**2)
    y = G * (t / (2 * turn) - np.sin(2 * turn * t) / (4 * turn**2))
    np.testing.assert_allclose(q, [x, y, turn * t], atol=1e-10)
    speed = G / turn * np.sin(turn * t)
    np.testing.assert_allclose(v[:2], speed * np.array([np.cos(turn * t), np.sin(turn * t)]),
                               atol=1e-10)  # fmt: skip


def test_S7_knife_edge_with_its_mass_ahead_is_the_sleigh_of_chaplygin():
    """v' = a ω², (I + m a²) ω' = -m a v ω; energy stays and it ends up going straight."""
    values = {"m": 1.3, "I": 0.2}
    a, speed, turn, heading = 0.25, 0.4, 1.1, 0.6
    v = [speed * np.cos(heading), speed * np.sin(heading), turn]
    q = np.array([0.3, -0.2, heading])
    blade, sleigh = (
        vv.catalog.knife_edge(ahead=a, **values),
        vv.catalog.chaplygin_sleigh(a=a, **values),
    )
    for s in (blade, sleigh):
        acc = s.forward_dynamics(q, v, np.zeros(3))
        forward = acc[0] * np.cos(heading) + acc[1] * np.sin(heading)
        J = values["I"] + values["m"] * a**2
        np.testing.assert_allclose(forward, a * turn**2, rtol=1e-12)
        np.testing.assert_allclose(acc[2], -values["m"] * a * speed * turn / J, rtol=1e-12)
    end, w = run(sleigh, q, v, 40.0)
    np.testing.assert_allclose(
        sleigh.kinetic_energy(end, w), sleigh.kinetic_energy(q, v), rtol=1e-10
    )
    assert abs(w[2]) < 1e-5
    assert w[0] * np.cos(end[2]) + w[1] * np.sin(end[2]) > 0  # the blade comes behind


def test_S6_rolling_disc():
    """Two Pfaffian rows; brackets of what they admit reach all four dimensions, det = -r²."""
    r, theta = symbols("r theta")
    q = symbols("x y theta psi")
    A = vv.catalog.rolling_disc().closed_form().constraint_matrix
    c, d = cos(theta), sin(theta)
    assert same(A, Matrix([[d, -c, 0, 0], [c, d, 0, -r]]))
    g1, g2 = Matrix([r * c, r * d, 0, 1]), Matrix([0, 0, 1, 0])

    def bracket(f, g):
        return g.jacobian(q) * f - f.jacobian(q) * g

    assert same(A * g1, [0, 0])
    assert same(A * g2, [0, 0])
    g3 = bracket(g1, g2)
    assert same([Matrix.hstack(g1, g2, g3, bracket(g2, g3)).det()], [-(r**2)])


def test_S6_a_disc_that_is_driven_has_its_rolling_inertia():
    """τ on its axle: (m r² + J) ψ'' = τ and m r ψ'' of friction along the way; I θ'' = τ_θ."""
    values = {"m": 1.4, "I": 0.03, "J": 0.05, "r": 0.3}
    disc = vv.catalog.rolling_disc(**values)
    theta, spin, turn = 0.8, 2.0, 0.7
    q = np.array([0.1, 0.2, theta, 0.4])
    v = np.array([0.3 * spin * np.cos(theta), 0.3 * spin * np.sin(theta), turn, spin])
    np.testing.assert_allclose(disc.constraint_velocity(q, v), 0, atol=1e-15)
    tau = np.array([0.0, 0.0, 0.5, 0.9])
    a = disc.forward_dynamics(q, v, tau)
    np.testing.assert_allclose(a[3], 0.9 / (1.4 * 0.09 + 0.05), rtol=1e-12)
    np.testing.assert_allclose(a[2], 0.5 / 0.03, rtol=1e-12)
    lam = disc.multipliers(q, v, tau)
    np.testing.assert_allclose(lam[1], 1.4 * 0.3 * a[3], rtol=1e-12)  # friction drives it forwards
    np.testing.assert_allclose(lam[0], -1.4 * 0.3 * spin * turn, rtol=1e-12)  # and round the bend


def test_S6_wheels_of_a_robot_move_it_as_their_radii_say():
    """Differential drive: the reduced equations in (v, ω), and the angle that wheels count."""
    p = {"m": 8.0, "I": 0.5, "J": 0.02, "r": 0.05, "b": 0.15}
    robot = vv.catalog.differential_drive(**p)
    theta, speed, turn = 0.7, 0.4, 0.9
    right, left = (speed + 0.15 * turn) / 0.05, (speed - 0.15 * turn) / 0.05
    v = np.array([speed * np.cos(theta), speed * np.sin(theta), turn, right, left])
    q = np.array([0.0, 0.0, theta, 0.0, 0.0])
    f = np.array([0.3, 0.1])
    a = robot.forward_dynamics(q, v, robot.actuator_map(q) @ f)
    forward = a[0] * np.cos(theta) + a[1] * np.sin(theta)
    np.testing.assert_allclose(forward, f.sum() / 0.05 / (8.0 + 2 * 0.02 / 0.05**2), rtol=1e-12)
    spin = (f[0] - f[1]) * 0.15 / 0.05 / (0.5 + 2 * 0.02 * (0.15 / 0.05) ** 2)
    np.testing.assert_allclose(a[2], spin, rtol=1e-12)
    end, _ = run(robot, q, v, 2.0, robot.actuator_map(q) @ f)
    np.testing.assert_allclose(end[2] - theta, 0.05 * (end[3] - end[4]) / (2 * 0.15), rtol=1e-10)
    np.testing.assert_allclose(robot.actuator_forces(q, v, a), f, rtol=1e-10)


def test_S6_a_unicycle_is_driven_and_steered():
    s = vv.catalog.unicycle(m=2.0, I=0.3)
    q, v = [0.0, 0.0, 0.5], [0.4 * np.cos(0.5), 0.4 * np.sin(0.5), 1.2]
    a = s.forward_dynamics(q, v, s.actuator_map(q) @ [3.0, 0.6])
    np.testing.assert_allclose(a[0] * np.cos(0.5) + a[1] * np.sin(0.5), 1.5, rtol=1e-12)
    np.testing.assert_allclose(a[2], 2.0, rtol=1e-12)
    np.testing.assert_allclose(s.actuator_forces(q, v, a), [3.0, 0.6], rtol=1e-10)
