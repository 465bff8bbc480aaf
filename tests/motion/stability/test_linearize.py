"""Linear systems about equilibria and steady motions, by several roads."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import visviva as vv
from tests.support.counts import examples
from tests.support.generators.bodies import close
from visviva.errors import ArgumentError, ConstrainedError, EquilibriumError, ShapeError


def by_differences(s, q, v, tau=0.0, h=1e-6):
    """∂(q̇, a)/∂(q, v), of a system whose velocities are the rates of its coordinates."""
    n = s.nv
    tau = np.zeros(n) + tau

    def rates(x):
        return np.concatenate([x[n:], s.forward_dynamics(x[:n], x[n:], tau)])

    x = np.concatenate([q, v])
    columns = [(rates(x + e) - rates(x - e)) / (2 * h) for e in h * np.eye(2 * n)]
    return np.array(columns).T


@pytest.mark.parametrize("name", ["cart_pole", "acrobot", "pendulum", "follower_column"])
def test_the_state_matrix_is_the_derivative_of_the_rates(name):
    s = vv.catalog.build(name)
    linear = s.linearize(np.zeros(s.nq))
    close(linear.state_matrix, by_differences(s, np.zeros(s.nq), np.zeros(s.nv)), 1e-7)
    A, B, C, D = linear.state_space()
    assert (A.shape, C.shape) == ((2 * s.nv,) * 2,) * 2
    assert D.shape == B.shape
    close(B[s.nv :], np.linalg.inv(s.mass_matrix(np.zeros(s.nq))) @ s.actuator_map(s.neutral()))


@given(st.integers(0, 10_000))
@examples(6, 2000)
def test_modes_are_motions_of_their_own(seed):
    """F x = λ x for every mode, of random matrices; eigenvalues by another road."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 5))
    R = rng.normal(size=(n, n))
    M = R @ R.T + np.eye(n)
    parts = rng.integers(0, 2, 4)
    A2, A3 = (rng.normal(size=(n, n)) for _ in range(2))
    A2 = parts[0] * (A2 + A2.T) + parts[1] * (A2 - A2.T)
    A3 = parts[2] * (A3 + A3.T) + parts[3] * (A3 - A3.T)
    linear = vv.Linearization.of(M, A2, A3)
    F = np.asarray(linear.state_matrix)
    assert (
        sorted(np.abs(np.poly(linear.eigenvalues) - np.poly(F)))[-1]
        < 1e-9 * np.abs(np.poly(F)).max()
    )
    for mode in linear.modes:
        z, x = mode.eigenvalue, mode.shape
        left = (M * z**2 + A2 * z + A3) @ x
        assert np.abs(left).max() < 1e-9 * max(1.0, abs(z) ** 2) * np.abs(M).max()


def test_the_bicycle_is_that_of_the_benchmark():
    """Meijaard, Papadopoulos, Ruina, Schwab 2007, table 2: eigenvalues at 0 and 5 m/s."""
    bicycle = vv.catalog.bicycle()
    q = bicycle.assembled()
    N = bicycle.displacements(q)
    published = {
        0.0: [5.53094371765393, 3.13164324790656, -3.13164324790656, -5.53094371765393],
        5.0: [-0.32286642900409, -0.77534188219585 + 4.46486771378823j, -14.07838969279822],
    }
    for speed, values in published.items():
        v = N @ np.linalg.lstsq(N[[0, 2, 3, 7]], [0, 0, speed, 0], rcond=None)[0]
        linear = bicycle.linearize(q, v)
        moving = [z for z in linear.eigenvalues if abs(z) > 1e-6 and z.imag >= 0]
        assert len(moving) == len(values)
        assert np.abs(np.array(moving) - np.array(values)).max() < 1e-11
        close(linear.state_matrix, in_the_null_space(bicycle, linear), 2e-5)  # differences
        with pytest.raises(ArgumentError, match="second order"):
            _ = linear.A1


def in_the_null_space(s, linear, h=1e-3):
    """F by differences between states that constraints admit, found by projection.

    Changes of position are seen from the steady motion, which may turn.
    """
    n = s.nv
    rows = [s.motion_names.index(x) for x in linear.names]
    rows += [n + s.velocity_names.index(x) for x in linear.rates]

    def rates(x):
        step = linear.basis @ x
        q = s.assembled(s.integrate(linear.q, step[:n]))
        v = s.admitted_velocity(q, linear.v + step[n:])
        later = [
            s.difference(s.integrate(linear.q, linear.v * t), s.integrate(q, v * t))
            for t in (-h, h)
        ]
        away = (later[1] - later[0]) / (2 * h)
        return np.concatenate([away, s.forward_dynamics(q, v, np.zeros(n))])[rows]

    columns = [(rates(e) - rates(-e)) / (2 * h) for e in h * np.eye(len(rows))]
    return np.array(columns).T


def test_gyroscopic_stabilisation_has_its_threshold():
    """An upright top stands if it spins faster than 2 √(I m g l) / J."""
    top = vv.catalog.gyroscope()
    across, along, m, g, high = (float(top.parameters[x]) for x in ("I", "J", "m", "g", "l"))
    slowest = 2 * np.sqrt(across * m * g * high) / along
    for spin, status in ((1.01 * slowest, "drifts"), (0.99 * slowest, "unstable")):
        assert top.linearize(np.zeros(3), [0, 0, spin]).stability.status == status
    spin = 55.0
    heaviest = top.stability_limit("m", (0.5, 1.5), np.zeros(3), [0, 0, spin])
    assert abs(heaviest - (spin * along / 2) ** 2 / (across * g * high)) < 1e-9


def test_flutter_of_zieglers_column_and_of_a_rotor_with_inner_damping():
    column = vv.catalog.follower_column()
    assert abs(column.stability_limit("P", (1, 3), [0, 0]) - (3.5 - np.sqrt(2))) < 1e-9
    assert column.linearize([0, 0]).kind == "circulatory"
    rotor = vv.catalog.rotor_on_springs(di=3.0, de=2.0)
    fastest = np.sqrt(800 / 2) * (1 + 2 / 3)
    assert abs(rotor.stability_limit("W", (10, 100), np.zeros(4)) - fastest) < 1e-9
    assert vv.catalog.rotor_on_springs().linearize().kind == "gyroscopic conservative"
    assert "x, y: it flutters" in rotor.linearize(parameters={"W": 40.0}).stability.argument


def test_a_free_body_about_its_axes():
    """Spin about the middle axis grows by √((I2 - I1)(I3 - I2) / (I1 I3)); it is on a manifold."""
    body = vv.catalog.tumbling_body()
    rates = [max(body.linearize(body.neutral(), w).eigenvalues.real) for w in np.eye(3)]
    close(np.array(rates), [0, np.sqrt(1 / 3), 0], 1e-12)
    R = vv.Linearization.of(np.eye(1), [[0.0]], [[0.0]])
    assert R.stability.status == "drifts"


def test_linear_motion_is_what_the_simulation_does_nearby():
    arm = vv.catalog.pendulum()
    linear = arm.linearize([0.0, 0.0])
    mode = linear.modes[0]
    start = 1e-5 * mode.shape.real
    run = arm.simulate(start, np.zeros(2), np.linspace(0, 2, 21), rtol=1e-12, atol=1e-15)
    close(run.q, np.outer(np.cos(mode.eigenvalue.imag * run.t), start), 1e-12)


def test_what_is_refused():
    cart = vv.catalog.cart_pole()
    with pytest.raises(ArgumentError, match=r"here it is q = model.q\(\{'theta': 0.5\}\)"):
        cart.linearize({"theta": 0.5})
    with pytest.raises(EquilibriumError, match=r"theta accelerates by .*tau='hold'"):
        cart.linearize([0.0, 0.5])
    assert cart.linearize([0.0, 0.5], tau="hold").tau[1] == pytest.approx(
        0.3 * 9.81 * 0.5 * np.sin(0.5)
    )
    with pytest.raises(EquilibriumError, match=r"not steady|no steady motion"):
        vv.catalog.two_link().linearize([-np.pi / 2, 0.0], [1.0, 0.0])
    with pytest.raises(ShapeError):
        cart.linearize([0.0])
    with pytest.raises(ArgumentError, match="hold"):
        cart.linearize([0.0, 0.0], tau="held")
    with pytest.raises(ValueError, match="unknown parameter"):
        cart.linearize([0.0, 0.0], parameters={"mass": 1.0})
    with pytest.raises(ArgumentError, match="positive definite"):
        vv.Linearization.of(-np.eye(2), np.zeros((2, 2)), np.eye(2))
    with pytest.raises(ArgumentError, match="symmetric"):
        vv.Linearization.of([[1, 1], [0, 1]], np.zeros((2, 2)), np.eye(2))
    with pytest.raises(ArgumentError, match="both ends"):
        vv.catalog.bead_on_rotating_wire().stability_limit("Omega", (1, 2))
    with pytest.raises(ConstrainedError):
        vv.catalog.four_bar().closed_form().linearized()


def test_dry_friction_has_no_linear_form():
    b = vv.Builder("block")
    b.body("slide", joint="prismatic", axis="x", friction=0.3, inertia=vv.Inertia.point(1.0))
    with pytest.raises(EquilibriumError, match="dry friction"):
        b.build().linearize()


def test_what_dry_friction_is_told_to_do_keeps_the_damping():
    """Of bodies; a Lagrangian has one function for all that dissipates."""
    dry = vv.catalog.two_link().with_friction(0.5, damping=0.3)
    stated = vv.Lagrangian("x", "x'^2/2", "x^2/2", dissipation=["sign(x') + x'/10"])
    for s, way in ((dry, "without_dry_friction"), (stated, "without_dissipation")):
        with pytest.raises(EquilibriumError, match=rf"{way}\(\) gives"):
            s.linearize([0.0] * s.nq, tau="hold")
        assert getattr(s, way)().linearize([0.0] * s.nq, tau="hold") is not None
    lin = dry.without_dry_friction().linearize([0.0, 0.0], tau="hold")
    np.testing.assert_allclose(lin.D, np.diag([0.3, 0.3]), rtol=1e-12, atol=1e-12)


def test_inputs_bear_the_names_of_actuators():
    arm = vv.catalog.two_link()
    motors = [vv.Actuator.motor(f"motor of {n}", n, gear=5.0) for n in arm.joint_names]
    found = arm.with_actuators(motors).linearize([0.1, 0.2], tau="hold")
    assert found.inputs == ("motor of q1", "motor of q2")
    assert arm.linearize([0.1, 0.2], tau="hold").inputs == ("u1", "u2")


def test_what_is_idle_or_continuous_is_said():
    found = vv.catalog.cart_pole().equilibria()
    assert found.proved
    assert len(found) == 2
    assert "any value" in found.notes[0]
    none = vv.Lagrangian("x", "x'^2/2", "-x").equilibria(within={"x": (-5, 5)})
    assert none.proved
    assert len(none) == 0
    flat = vv.Lagrangian("x", "x'^2/2", "x^4").equilibria(within={"x": (-1, 1)})
    assert not flat.proved
    assert "not isolated" in " ".join(flat.notes)


def test_steady_motions_of_the_governor_against_one_coordinate():
    """Arms out by a: cos a = (m + M) g / (m l Ω²), of massless links; all others are upright."""
    governor = vv.catalog.flyball_governor(m2=0.0)
    m, M, arm, g = (float(governor.parameters[x]) for x in ("m", "M", "l", "g"))
    spin = 1.5 * np.sqrt((m + M) * g / (m * arm))
    out = np.arccos((m + M) * g / (m * arm * spin**2))
    found = governor.equilibria([spin, 0, 0, 0, 0, 0], starts=30)
    arms = found.q[:, 1]
    assert np.abs(np.abs(arms) - out).min() < 1e-9
    reduced = vv.Lagrangian(
        "a", f"{m}*{arm}^2*a'^2 + 2*{M}*{arm}^2*sin(a)^2*a'^2",
        f"-2*({m} + {M})*{g}*{arm}*cos(a) - {m}*{arm}^2*{spin}^2*sin(a)^2", angles="a",
    )  # fmt: skip
    alone = reduced.equilibria()
    assert alone.proved
    assert np.abs(alone.q[:, 0] - out).min() < 1e-9
    alike = np.abs(found.q[:, 1] - found.q[:, 2]) < 1e-6
    spread = np.abs(found.q[:, 3]) > 1e-6  # else the sleeve is at the hinge, links folded onto arms
    for a in found.q[alike & spread, 1]:
        turned = np.remainder(alone.q[:, 0] - a + np.pi, 2 * np.pi) - np.pi
        assert np.abs(turned).min() < 1e-7


@pytest.mark.parametrize("angle", [0.4, 1.9, 4.0])
def test_a_linkage_that_its_motor_holds_has_the_stiffness_of_its_energy(angle):
    """V(θ) along the linkage: a constant torque V′ holds it, and V″ over its inertia is λ²."""
    linkage = vv.catalog.four_bar()
    nominal = linkage.assembled(fixed={"theta1": angle})

    def at(x):
        return linkage.assembled(nominal, fixed={"theta1": x})

    step = 1e-4
    V = [float(linkage.potential_energy(at(angle + k * step))) for k in (-2, -1, 0, 1, 2)]
    slope = (V[0] - 8 * V[1] + 8 * V[3] - V[4]) / (12 * step)
    bend = (-V[0] + 16 * V[1] - 30 * V[2] + 16 * V[3] - V[4]) / (12 * step**2)
    v = linkage.admitted_velocity(nominal, [1.0, 0.0, 0.0])
    v = v / v[0]
    inertia = float(v @ linkage.mass_matrix(nominal) @ v)
    about = linkage.linearize(nominal, tau="hold")
    np.testing.assert_allclose(about.tau, [slope, 0.0, 0.0], rtol=1e-7, atol=1e-7)
    found = max(about.eigenvalues**2, key=abs)
    np.testing.assert_allclose(found, -bend / inertia, rtol=1e-5)  # second differences
    assert about.notes == ()


def test_holding_a_linkage_with_motors_everywhere_is_called_ambiguous():
    linkage = vv.catalog.four_bar().with_passive([])
    about = linkage.linearize(linkage.assembled(), tau="hold")
    assert "more forces of actuators than one" in about.notes[0]
    assert np.all(np.isfinite(about.eigenvalues))
