"""Simulated motions against what is known of them: closed forms, and 30 digits of mpmath."""

import mpmath
import numpy as np
import pytest

import visviva as vv
from tests.motion import known
from tests.support.counts import SOAK
from tests.support.oracles import digits

PENDULUM = vv.Lagrangian(
    "theta", "theta'^2/2", "-g*cos(theta)", parameters={"g": 9.81}, name="simple_pendulum"
)
DOUBLE = vv.Lagrangian(
    "a b", "a'^2 + b'^2/2 + a'*b'*cos(a - b)", "-g*(2*cos(a) + cos(b))",
    parameters={"g": 9.81}, name="double_pendulum",
)  # fmt: skip
ORDERS = {"semi-implicit": (1, 0.1), "rk4": (4, 0.1), "dopri5": (5, 0.1), "dop853": (8, 0.3)}


def test_a_pendulum_is_an_elliptic_function():
    run = PENDULUM.simulate([2.5], [0.0], 4.0, rtol=1e-12, atol=1e-13)
    times = np.array([0.37, 1.1, 2.222, 3.9, 4.0])
    exact = np.array([digits.pendulum(2.5, t) for t in times])
    assert np.abs(run.at(times)[0][:, 0] - exact).max() < 1e-10
    assert run.account.closes


@pytest.mark.parametrize("method", ["dop853", "dopri5"])
def test_errors_fall_in_proportion_to_the_tolerance(method):
    exact = digits.pendulum(2.5, 3.0)
    errors = {}
    for rtol in (1e-5, 1e-7, 1e-9, 1e-11):
        run = PENDULUM.simulate([2.5], [0.0], 3.0, method=method, rtol=rtol, atol=rtol * 1e-2)
        errors[rtol] = abs(run.q[-1, 0] - exact)
    slope = np.polyfit(np.log10(list(errors)), np.log10(list(errors.values())), 1)[0]
    assert 0.75 < slope < 1.35, errors
    assert all(error < 300 * rtol for rtol, error in errors.items()), errors


@pytest.mark.parametrize("method", list(ORDERS))
def test_measured_orders_are_the_methods_orders(method):
    """A mass on a spring for 4 s; steps so long that errors are far above rounding."""
    order, near = ORDERS[method]
    spring = vv.Lagrangian("x", "x'^2/2", "x^2/2", name="mass_on_spring")
    counts = {1: [800, 1600, 3200], 4: [60, 120, 240], 5: [60, 90, 120], 8: [8, 12, 16]}[order]
    ends = [spring.simulate([1.0], [0.0], 4.0, dt=4 / n, method=method) for n in counts]
    errors = [np.hypot(run.q[-1, 0] - np.cos(4), run.v[-1, 0] + np.sin(4)) for run in ends]
    slope = -np.polyfit(np.log(counts), np.log(errors), 1)[0]
    assert abs(slope - order) < near, (slope, errors)


@pytest.mark.skipif(not SOAK, reason="a minute of Taylor series: in the soak")
@pytest.mark.soak
def test_the_thirty_digits():
    exact = digits.motion(digits.double_pendulum, [2, 1, 0, 0], 1.0)
    np.testing.assert_allclose(exact, known.DOUBLE_PENDULUM, rtol=1e-15)
    np.testing.assert_allclose(known.tumbling(), known.TUMBLING, rtol=1e-15)
    np.testing.assert_allclose(known.bead(), known.BEAD, rtol=1e-15)


def test_a_double_pendulum_to_thirty_digits():
    for method in ("dop853", "dopri5", "scipy-dop853"):
        run = DOUBLE.simulate([2.0, 1.0], [0.0, 0.0], 1.0, method=method, rtol=1e-12, atol=1e-13)
        assert np.abs(np.append(run.q[-1], run.v[-1]) - known.DOUBLE_PENDULUM).max() < 2e-10, method


def test_a_tumbling_body_keeps_what_nothing_changes():
    """Free of torque: energy, moment in space, and quaternions of length one."""
    body = vv.catalog.tumbling_body()
    run = body.simulate(body.neutral(), [0.01, 2.0, 0.02], 12.0, rtol=1e-11, atol=1e-12)
    assert np.ptp(run.kinetic_energy) < 1e-8
    assert np.abs(np.linalg.norm(run.q, axis=1) - 1).max() < 1e-15
    momentum = run.account.momenta
    assert momentum
    assert all(drift < 1e-8 for drift in run.account.momentum_drift.values())
    assert run.v[:, 1].min() < -1.5, "about its middle axis it turns over"
    between = body.simulate(body.neutral(), [0.01, 2.0, 0.02], [0.0, 3.3, 7.7, 12.0])
    assert np.abs(np.linalg.norm(between.q, axis=1) - 1).max() < 1e-14
    np.testing.assert_allclose(run.at(7.7)[0], between.q[2], atol=1e-6)


def test_a_tumbling_body_to_thirty_digits():
    """ω of a body without torque: also dn, sn and cn of Jacobi."""
    body = vv.catalog.tumbling_body()  # Ix, Iy, Iz = 1, 2, 3
    run = body.simulate(body.neutral(), [0.5, 0.25, 1.0], 4.0, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(run.v[-1], known.TUMBLING, atol=1e-10)


def test_a_bead_on_a_turning_wire():
    wire = vv.catalog.bead_on_rotating_wire()
    run = wire.simulate([0.4], [0.5], 3.0, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose([run.q[-1, 0], run.v[-1, 0]], known.BEAD, atol=1e-10)
    assert run.account.closes
    assert run.account.jacobi is not None


def on_sphere():
    """A point on a sphere in latitude and longitude, and the same in three coordinates."""
    s = vv.Lagrangian("lat lon", "m*(lat'^2 + cos(lat)^2*lon'^2)/2", "0*lat", parameters={"m": 1.0})
    (a, b), (u, w) = q, v = np.array([0.4, 0.2]), np.array([0.7, -0.5])
    place = lambda a, b: np.array([np.cos(a) * np.cos(b), np.cos(a) * np.sin(b), np.sin(a)])  # noqa: E731
    speed = u * np.array([-np.sin(a) * np.cos(b), -np.sin(a) * np.sin(b), np.cos(a)])
    speed += w * np.array([-np.cos(a) * np.sin(b), np.cos(a) * np.cos(b), 0])
    return s, (q, v), vv.catalog.point_on_sphere(), (place(a, b), speed), place


def test_a_point_on_a_sphere_in_both_coordinates():
    """Great circles: constrained, in angles, and as the formula says."""
    s, angles, held, cartesian, place = on_sphere()
    times = np.linspace(0, 5, 11)
    first = s.simulate(*angles, times, rtol=1e-12, atol=1e-13)
    second = held.simulate(*cartesian, times, rtol=1e-12, atol=1e-13)
    speed = np.linalg.norm(cartesian[1])
    circle = np.outer(np.cos(speed * times), cartesian[0])
    circle += np.outer(np.sin(speed * times), cartesian[1] / speed)
    np.testing.assert_allclose(place(*first.q.T).T, circle, atol=1e-10)
    np.testing.assert_allclose(second.q, circle, atol=1e-10)
    assert np.abs(np.linalg.norm(second.q, axis=1) - 1).max() < 1e-14


def test_a_heavy_top_nods_between_the_roots_of_its_cubic():
    """u' ² = (α - βu)(1 - u²) - (b - au)², released with its axis at rest."""
    top = vv.catalog.heavy_top()
    M, high, I1, I3, g = (top.parameters[x] for x in ("M", "l", "I1", "I3", "g"))
    spin, theta = 150.0, 0.6
    run = top.simulate([0.0, theta, 0.0], [0.0, 0.0, spin], 0.4, rtol=1e-12, atol=1e-12)
    a, beta, u0 = I3 * spin / I1, 2 * M * g * high / I1, np.cos(theta)
    # the second root: β (1 - u²) = a² (u0 - u)
    lower = (a**2 - np.sqrt(a**4 - 4 * beta * (a**2 * u0 - beta))) / (2 * beta)
    t = np.linspace(0, 0.4, 4001)
    q, v = run.at(t)
    u = np.cos(q[:, 1])
    assert abs(u.min() - lower) < 1e-5
    assert abs(u.max() - u0) < 1e-9
    slope = np.sin(q[:, 1]) * v[:, 1]
    expected = beta * (u0 - u) * (1 - u**2) - a**2 * (u0 - u) ** 2
    np.testing.assert_allclose(slope**2, expected, atol=1e-7)
    assert run.account.closes


def test_kepler_in_polar_and_cartesian_coordinates():
    """One revolution of eccentricity 0.6 comes back; half of one is at the far end."""
    polar = vv.Lagrangian("r phi", "(r'^2 + r^2*phi'^2)/2", "-1/r")
    flat = vv.Lagrangian("x y", "(x'^2 + y'^2)/2", "-1/sqrt(x^2 + y^2)")
    fast = np.sqrt(1.6 / 0.4)
    times = np.array([0.0, np.pi, 2 * np.pi])
    one = polar.simulate([0.4, 0.0], [0.0, fast / 0.4], times, rtol=1e-12, atol=1e-13)
    two = flat.simulate([0.4, 0.0], [0.0, fast], times, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(one.q[1:], [[1.6, np.pi], [0.4, 2 * np.pi]], atol=1e-9)
    np.testing.assert_allclose(two.q[1:], [[-1.6, 0.0], [0.4, 0.0]], atol=1e-9)
    assert one.account.momentum_drift["p_phi"] < 1e-10


@pytest.mark.spread(0)
def test_a_cart_that_weighs_a_milligram():
    """Where other solvers report success with errors of order one."""
    cart = vv.Lagrangian(
        "x theta", "(M + m)*x'^2/2 + m*l*x'*theta'*cos(theta) + m*l^2*theta'^2/2",
        "m*g*l*cos(theta)", parameters={"M": 1e-6, "m": 0.1, "l": 0.5, "g": 9.81},
    )  # fmt: skip
    run = cart.simulate([0.0, 0.1], [0.0, 0.0], 1.0)

    def rates(y):
        M, m, r, g = (mpmath.mpf(x) for x in ("1e-6", "0.1", "0.5", "9.81"))
        _, a, u, w = y
        c, s = mpmath.cos(a), mpmath.sin(a)
        x, z = m * r * w * w * s, m * g * r * s
        below = (M + m) * m * r**2 - (m * r * c) ** 2
        return [u, w, (m * r**2 * x - m * r * c * z) / below, ((M + m) * z - m * r * c * x) / below]

    exact = cart.simulate([0.0, 0.1], [0.0, 0.0], 1.0, rtol=1e-13, atol=1e-14)
    short = digits.motion(rates, ["0", "0.1", "0", "0"], 0.25, 20)
    np.testing.assert_allclose(np.append(*exact.at(0.25)), short, atol=1e-8)
    np.testing.assert_allclose(run.q[-1], exact.q[-1], atol=1e-6)
