"""`sensitivities`: closed forms, 50 digits, symplecticity, manifolds, constraints, batches."""

import mpmath
import numpy as np
import pytest
from scipy.linalg import expm

import visviva as vv
from tests.support.counts import SOAK, count
from visviva.motion.sensitivities import course, forward, linear

BEAD = vv.Lagrangian(  # a bead on a wire, whose inertia changes with its place
    "x",
    "m*(1 + 4*c^2*x^2)*x'^2/2",
    "m*g*c*x^2",
    parameters={"m": 0.7, "c": 0.8, "g": 9.81},
)
OSCILLATOR = vv.Lagrangian("x", "m*x'^2/2", "k*x^2/2", parameters={"m": 0.5, "k": 8.0})
FIXED = ["semi-implicit", "rk4", "dopri5", "dop853", "midpoint", "variational"]
HERE = FIXED if SOAK else ["semi-implicit", "rk4", "dop853", "variational"]
MANY = count(1, 2)  # of the ways to step that a batch is tried with
TIGHT = {"method": "dopri5", "rtol": 1e-12, "atol": 1e-14}  # its code is half that of dop853


def in_many_digits(system, q, v, t, tau, values, **how):
    """∂(q, v)/∂(q, v, tau, parameters) of the steps themselves, by differences of 1e-20."""
    start = {"method": "rk4", "rtol": 1e-9, "atol": 1e-12, "dt": None, "save": 1, **how}
    _, (steps,) = course.courses_of(system, (q, v, t), tau, None, values, start)
    loop = course._loop(steps.integrator, False)
    first = {k: x[0] for k, x in {**steps.first, **steps.given}.items()}
    h = [mpmath.mpf(x) for x in steps.h]

    def end(block, i, change):
        state = {k: [mpmath.mpf(float(y)) for y in np.ravel(x)] for k, x in first.items()}
        state[block][i] += change
        state = {k: x if np.ndim(first[k]) else x[0] for k, x in state.items()}
        after = loop.interpret(state, passes=len(h), each={"h": h})
        return np.concatenate([after["q"], after["v"]])

    columns = []
    with mpmath.workdps(50):
        e = mpmath.mpf("1e-20")
        for block in ("q", "v", "tau", "parameters"):
            for i in range(len(first[block])):
                columns.append((end(block, i, e) - end(block, i, -e)) / (2 * e))
    return np.array(columns).T.astype(float)


@pytest.mark.spread(2)
@pytest.mark.soak
@pytest.mark.parametrize("method", HERE)
def test_derivatives_are_those_of_the_steps_to_the_last_digits(method):
    """Also what they are by the forces and by every parameter."""
    names = ("c", "m")
    values = dict(zip(names, BEAD.parameter_values(names), strict=True))
    asked = {"dt": 0.05, "method": method}
    S = BEAD.sensitivities([0.4], [0.3], 0.2, wrt=("q0", "v0", "tau", *names), tau=[0.5], **asked)
    exact = in_many_digits(BEAD, [0.4], [0.3], 0.2, [0.5], values, **asked)
    np.testing.assert_allclose(S.matrix[-1], exact, atol=1e-12 * np.abs(exact).max())
    assert S.names == ("q0_x", "v0_xd", "tau_x", "c", "m")
    plain = BEAD.simulate([0.4], [0.3], 0.2, tau=[0.5], **asked)
    np.testing.assert_allclose(S.trajectory.q, plain.q, rtol=1e-14)


def test_an_oscillator_in_closed_form():
    m, k, t, x, v, f = 0.5, 8.0, np.linspace(0.0, 1.7, 6), 0.3, -0.4, 0.6
    w = np.sqrt(k / m)
    S = OSCILLATOR.sensitivities([x], [v], t, wrt=("q0", "v0", "tau", "m"), tau=[f], **TIGHT)
    c, s = np.cos(w * t), np.sin(w * t)
    np.testing.assert_allclose(S.q["q0"][:, 0, 0], c, atol=1e-10)
    np.testing.assert_allclose(S.q["v0"][:, 0, 0], s / w, atol=1e-10)
    np.testing.assert_allclose(S.v["q0"][:, 0, 0], -w * s, atol=1e-10)
    np.testing.assert_allclose(S.q["tau"][:, 0, 0], (1 - c) / k, atol=1e-10)
    # x = f/k + (x - f/k) cos wt + v/w sin wt, and dw/dm = -w/(2m)
    by_w = -(x - f / k) * t * s + v * (t * c / w - s / w**2)
    np.testing.assert_allclose(S.q["m"][:, 0], by_w * -w / (2 * m), atol=1e-10)
    assert S.q["m"].shape == (6, 1)
    with pytest.raises(vv.errors.UnknownNameError, match="wrt= says which are wanted: 'k'"):
        _ = S.q["k"]


def test_a_thrown_body_under_forces_that_change_step_by_step():
    """Steps of fourth order are exact here: x = v t - g t²/2 + Σ f h (t - t_k - h/2) / m."""
    body = vv.Lagrangian("x", "m*x'^2/2", "m*g*x", parameters={"m": 2.0, "g": 9.81})
    table = np.sin(np.arange(8.0))[:, None]
    S = body.sensitivities([1.0], [3.0], 0.8, wrt=("v0", "tau", "g"), tau=table, dt=0.1)
    assert S.q["tau"].shape == (9, 1, 8, 1)
    at = 0.1 * np.arange(8)
    expected = 0.1 * (0.8 - at - 0.05) / 2.0
    np.testing.assert_allclose(S.q["tau"][-1, 0, :, 0], expected, atol=1e-14)
    np.testing.assert_allclose(S.v["tau"][3, 0, :, 0], 0.05 * (at < 0.25), atol=1e-14)
    np.testing.assert_allclose(S.q["g"][:, 0], -(S.t**2) / 2, atol=1e-14)
    adaptive = body.sensitivities([1.0], [3.0], 0.8, wrt="tau", tau=table, method="dopri5")
    np.testing.assert_allclose(adaptive.q["tau"][-1, 0, :, 0], expected, atol=1e-13)


def test_a_pendulum_in_elliptic_functions():
    pendulum = vv.Lagrangian("th", "l^2*th'^2/2", "-g*l*cos(th)", parameters={"l": 1.3, "g": 9.81})
    times = np.linspace(0.0, 3.0, 5)
    S = pendulum.sensitivities([2.0], [0.0], times, wrt=("q0", "g"), **TIGHT)

    def angle(th0, g, t):
        k = mpmath.sin(th0 / 2)
        cd = mpmath.ellipfun("cd", mpmath.sqrt(g / mpmath.mpf("1.3")) * t, m=k * k)
        return 2 * mpmath.asin(k * cd)

    with mpmath.workdps(30):
        for t, by_q, by_g in zip(times, S.q["q0"][:, 0, 0], S.q["g"][:, 0], strict=True):
            exact = [
                mpmath.diff(angle, (2, mpmath.mpf("9.81"), t), n) for n in ((1, 0, 0), (0, 1, 0))
            ]
            np.testing.assert_allclose([by_q, by_g], np.array(exact, float), atol=1e-9)


@pytest.mark.parametrize("how", [{"dt": 0.05, "method": "variational"}, TIGHT])
def test_motions_are_symplectic(how):
    """Sᵀ J S = J with momenta p = M v for velocities; of discrete least action to rounding."""
    S = BEAD.sensitivities([0.4], [0.3], 2.0, **how)
    q, v = S.trajectory.q, S.trajectory.v
    M = BEAD.mass_matrix(q)[:, 0, 0]
    slope = 8 * 0.7 * 0.8**2 * q[:, 0] * v[:, 0]  # ∂p/∂q
    change = np.zeros((len(q), 2, 2))
    change[:, 0, 0], change[:, 1, 0], change[:, 1, 1] = 1.0, slope, M
    canonical = change @ S.matrix @ np.linalg.inv(change[0])
    J = np.array([[0.0, 1.0], [-1.0, 0.0]])
    left = canonical.transpose(0, 2, 1) @ J @ canonical - J
    assert np.abs(left).max() < (1e-12 if "dt" in how else 1e-10)


def test_volumes_shrink_as_damping_says():
    """Liouville: det ∂(x, v)/∂(x₀, v₀) = exp(-d t / m)."""
    damped = vv.Lagrangian(
        "x", "m*x'^2/2", "k*x^4/4", dissipation="d*x'^2/2", parameters={"m": 0.5, "k": 8, "d": 0.3}
    )
    S = damped.sensitivities([1.0], [0.5], 2.0, **TIGHT)
    np.testing.assert_allclose(np.linalg.det(S.matrix), np.exp(-0.3 * S.t / 0.5), rtol=1e-10)


def test_a_controller_that_remembers_is_differentiated_through():
    """A linear loop is a matrix exponential."""
    law = vv.Controller(
        lambda t, q, v, x: -3.0 * q - 0.4 * v - 2.0 * x, start=[0.2], rate=lambda t, q, v, x: q
    )
    S = OSCILLATOR.sensitivities([0.3], [0.1], 1.2, tau=law, wrt=("q0", "v0", "k"), **TIGHT)
    m, k = 0.5, 8.0

    def end(k):
        A = np.array([[0, 1, 0], [-(k + 3) / m, -0.4 / m, -2 / m], [1, 0, 0]])
        return expm(1.2 * A)

    np.testing.assert_allclose(S.matrix[-1][:, :2], end(k)[:2, :2], atol=1e-10)
    start, e = [0.3, 0.1, 0.2], 1e-3
    coarse, fine = ((end(k + x) - end(k - x)) @ start / (2 * x) for x in (2 * e, e))
    np.testing.assert_allclose(S.matrix[-1][:, 2], ((4 * fine - coarse) / 3)[:2], atol=1e-10)


def test_a_ball_that_spins_is_differentiated_along_its_motions():
    """R = R₀ exp(ω t): δ = exp(-ω t) δ₀ + t Φ(ω t) δω, Φ the derivative of exp; three numbers."""
    b = vv.Builder("ball", gravity=(0.0, 0.0, 0.0))
    b.body("ball", joint="spherical", inertia=vv.Inertia.sphere(2.0, radius=0.3))
    ball, t, w = b.build(), 1.5, np.array([0.7, -1.1, 0.4])
    q = ball.random(3)
    turn = vv.space.rotations.exp(w * t)
    by_w = t * vv.space.rotations.exp_derivative(w * t)
    S = ball.sensitivities(q, w, t, dt=0.005, save=300)  # of fourth order: 1e-10 is left
    assert S.matrix.shape[1:] == (6, 6)
    np.testing.assert_allclose(S.q["q0"][-1], turn.T, atol=1e-9)
    np.testing.assert_allclose(S.q["v0"][-1], by_w, atol=1e-9)
    np.testing.assert_allclose(S.v["v0"][-1], np.eye(3), atol=1e-12)


def test_changes_of_a_start_that_constraints_hold_are_those_they_admit():
    """A pendulum as a point on a circle moves as one with an angle does."""
    held = vv.Lagrangian(
        "x y", "(x'^2 + y'^2)/2", "9.81*y", constraints=["x^2 + y^2 - l^2"], parameters={"l": 1.3}
    )
    free = vv.Lagrangian("th", "l^2*th'^2/2", "-9.81*l*cos(th)", parameters={"l": 1.3})
    th, w, end = 0.8, 0.5, 0.9
    along = np.array([np.cos(th), np.sin(th)])  # of the point, when the angle grows
    out = np.array([np.sin(th), -np.cos(th)])
    dt, wrt = {"dt": 0.002, "save": 450}, ("q0", "v0", "l")
    S = held.sensitivities(1.3 * out, 1.3 * w * along, end, wrt=wrt, **dt)
    F = free.sensitivities([th], [w], end, wrt=wrt, **dt)
    T = F.trajectory.q[-1, 0]
    there, outward = np.array([np.cos(T), np.sin(T)]), np.array([np.sin(T), -np.cos(T)])
    np.testing.assert_allclose(S.q["v0"][-1] @ along, there * F.q["v0"][-1, 0, 0], atol=1e-9)
    np.testing.assert_allclose(S.q["v0"][-1] @ out, 0.0, atol=1e-9)  # nothing is left of it
    np.testing.assert_allclose(S.q["q0"][-1] @ out, 0.0, atol=1e-9)
    # of a start that is brought back, the speed stays and not the rate of the angle
    slower = F.q["l"][-1, 0] - F.q["v0"][-1, 0, 0] * w / 1.3
    np.testing.assert_allclose(S.q["l"][-1], 1.3 * there * slower + outward, atol=1e-8)
    np.testing.assert_allclose(out @ along, 0.0, atol=1e-15)


@pytest.mark.soak
def test_rows_of_a_batch_are_single_motions():
    starts, masses = 0.2 + 0.1 * np.arange(9.0)[:, None], 0.5 + 0.1 * np.arange(9.0)
    asked = {"wrt": ("q0", "m", "tau"), "tau": [0.3]}
    for how in ({"dt": 0.05, "method": "semi-implicit", "save": 4}, {"method": "dopri5"})[:MANY]:
        many = BEAD.sensitivities(
            starts, [0.3], 0.4, parameters={"m": masses}, threads=2, **asked, **how
        )
        assert many.q["tau"].shape == (9, 3 if "dt" in how else 2, 1, 1)
        for k in (0, 4, 8):
            one = BEAD.sensitivities(
                starts[k], [0.3], 0.4, parameters={"m": masses[k]}, **asked, **how
            )
            np.testing.assert_allclose(many.matrix[k, -1], one.matrix[-1], rtol=1e-12)
        assert many.trajectory[3].parameters["m"] == masses[3]


def test_forces_of_actuators():
    """τ = T(q) u: as a controller that says so, and by u as by τ, times T, at first."""
    b = vv.Builder("lander", gravity=(0.0, -1.62, 0.0))
    b.body("hull", joint="planar", inertia=vv.Inertia.box(2.0, x=0.5, y=0.3, z=0.3))
    b.frame("nozzle", body="hull", at=[0.1, -0.2, 0.0])
    lander = b.build().with_actuators(
        vv.Actuator("jet", "thruster", frame="nozzle", direction=[0, 1, 0], axes="world")
    )
    q, v, u, dt = [0.3, 0.1, -0.4], [0.2, 0.5, 0.1], [0.7], {"dt": 0.1, "method": "semi-implicit"}
    S = lander.sensitivities(q, v, 0.5, u=u, wrt=("q0", "v0", "u"), **dt)
    law = lander.sensitivities(q, v, 0.5, tau=lambda t, q, v: lander.actuator_map(q) @ u, **dt)
    np.testing.assert_allclose(S.matrix[..., :6], law.matrix, atol=1e-13)
    first = 0.1 * np.linalg.solve(lander.mass_matrix(q), lander.actuator_map(q))
    np.testing.assert_allclose(S.v["u"][1], first, atol=1e-14)


def test_large_systems_and_long_motions_go_another_way_to_the_same(monkeypatch):
    asked = {"wrt": ("q0", "v0", "tau", "m"), "tau": [0.5], "dt": 0.05, "save": 2}
    whole = BEAD.sensitivities([0.4], [0.3], 0.6, **asked)
    monkeypatch.setattr(linear, "LARGEST_IN_CODE", 0)
    monkeypatch.setattr(forward, "IN_CODE", 0)
    monkeypatch.setattr(course, "NUMBERS_AT_A_TIME", 100)
    fresh = vv.Lagrangian(
        "x", "m*(1 + 4*c^2*x^2)*x'^2/2", "m*g*c*x^2", parameters=dict(BEAD.parameters)
    )
    other = fresh.sensitivities([0.4], [0.3], 0.6, **asked)
    np.testing.assert_allclose(other.matrix, whole.matrix, atol=1e-13)
    law = fresh.sensitivities([0.4], [0.3], 0.6, tau=lambda t, q, v: -q, dt=0.05)
    monkeypatch.undo()
    short = BEAD.sensitivities([0.4], [0.3], 0.6, tau=lambda t, q, v: -q, dt=0.05)
    np.testing.assert_allclose(law.matrix, short.matrix, atol=1e-13)


def refused(match, *arguments, error=vv.errors.ArgumentError, system=BEAD, **named):
    with pytest.raises(error, match=match):
        system.sensitivities(*(arguments or ([0.4], [0.3], 0.2)), **named)


def test_what_cannot_be_differentiated_is_refused_in_plain_words():
    refused("is SciPy's; 'dop853'", method="radau")
    refused("leave its period= out", tau=vv.Controller(lambda t, q, v: -q, period=0.1))
    refused("cannot be traced", tau=lambda t, q, v: np.sin(np.asarray(q, dtype=float)))
    refused("those of a controller", tau=lambda t, q, v: -q, wrt="tau")
    refused("forces of this motion are tau=", wrt="u")
    refused("unknown block of wrt 'mass'", wrt="mass", error=vv.errors.UnknownNameError)
    refused("means all that parameters= has", wrt="parameters")
    refused("not differentiated through events", events=[lambda t, q, v: q[0]])
    refused(r"map names to numbers.* are wrt=\['m'\]", parameters=["m"])
    stated = vv.Builder("rod").body("rod", joint="revolute", mass=1.0, com=[0.1, 0, 0]).build()
    lengths = r"'length': by lengths and places .* parameters=\{'l': 0.2\}\) with at=\['l', 0, 0\]"
    refused(lengths, system=stated, wrt=("length",), error=vv.errors.UnknownNameError)
    refused("occurs twice", wrt=("q0", "q0"))
    refused("wrt= lists", wrt=())
    refused("unknown method", method="euler", error=vv.errors.UnknownNameError)
    refused("takes steps of given length", method="rk4")
    refused("controller takes signs", tau=lambda t, q, v: [-vv.generic.sign(v[0])])
    refused("6 rows of forces for 4 steps", tau=np.zeros((6, 1)), dt=0.05,
            error=vv.errors.ShapeError)  # fmt: skip
    rubbing = vv.Builder("rubbing")
    rubbing.body("a", joint="prismatic", axis="x", inertia=vv.Inertia.point(1.0), friction=0.2)
    refused("dry friction", [0.0], [1.0], 1.0, system=rubbing.build())
    away = vv.Lagrangian("x", "x'^2/2", "-x^4", parameters={})
    refused("not finite before", [9.0], [9.0], 5.0, dt=0.5, system=away,
            error=vv.errors.MotionError)  # fmt: skip
