"""The motion in JavaScript is that of `simulate`, with its parameters, forces and energies."""

import numpy as np
import pytest

import visviva as vv
from tests.show.laboratory.running import Bench

PENDULUM = "double_pendulum.urdf"
# of a state that is of the size of one to a hundred: sines differ in their last bit, and the bits
# grow with the motion
EQUAL = {"rtol": 1e-9, "atol": 1e-9}


@pytest.mark.spread(3)
@pytest.mark.parametrize(
    ("name", "seconds"),
    [
        ("rp_arm", 5.0),
        ("cart_pole", 5.0),
        ("four_bar", 5.0),
        ("knife_edge", 5.0),
        ("tumbling_body", 5.0),
        (PENDULUM, 5.0),
        ("puma560", 1.0),
    ],
)
def test_steps_are_those_of_simulate(name, seconds):
    bench = Bench(name)
    wanted, _ = bench.simulated(seconds)
    np.testing.assert_allclose(bench.states(seconds), wanted, **EQUAL)
    assert np.abs(wanted - wanted[0]).max() > 0.3  # it moved


@pytest.mark.parametrize("name", ["cart_pole", "bead_on_rotating_wire"])
def test_energies_are_those_of_the_trajectory(name):
    bench = Bench(name)
    _, run = bench.simulated(1.0)
    end = bench.run(
        "for (let k = 0; k < 1000; k++) m.step();", "[m.measure(), m.kinetic, m.potential]"
    )
    balanced = run.energy[-1]
    if name == "bead_on_rotating_wire":
        balanced = run.quantity("jacobi_integral")[-1]
    wanted = [balanced, run.kinetic_energy[-1], run.potential_energy[-1]]
    np.testing.assert_allclose(end, wanted, rtol=1e-9, atol=1e-9)


def setting(bench, **values):
    """Sliders at other values."""
    names = bench.lab.parameters
    return "\n".join(f"m.p[{names.index(k)}] = {x};" for k, x in values.items())


def test_sliders_are_parameters():
    bench = Bench("two_link")
    values = {"m2": 2.7, "a_g": 3.7, "L1": 0.6}
    wanted, _ = bench.simulated(2.0, system=bench.system.with_parameters(**values))
    np.testing.assert_allclose(bench.states(2.0, setting(bench, **values)), wanted, **EQUAL)
    assert np.abs(wanted - bench.simulated(2.0)[0]).max() > 0.1


def test_gravity_and_masses_of_a_robot_from_a_file_are_sliders():
    bench = Bench(PENDULUM)
    arm = bench.system
    assert bench.lab.parameters[0] == "gravity"
    heavy = next(x for x in bench.lab.parameters if x.startswith("m_"))
    other = arm.with_gravity([0.0, 0.0, -1.62]).with_parameters(**{heavy: 3.0})
    wanted, _ = bench.simulated(2.0, system=other)
    before = setting(bench, gravity=1.62, **{heavy: 3.0})
    np.testing.assert_allclose(bench.states(2.0, before), wanted, **EQUAL)


def test_forces_that_stay_are_those_of_simulate():
    bench = Bench("two_link")
    tau = [3.0, -1.0]
    wanted, _ = bench.simulated(2.0, tau=tau)
    np.testing.assert_allclose(bench.states(2.0, f"m.tau.set({tau});"), wanted, **EQUAL)


def test_added_friction_is_a_force_against_every_velocity():
    bench = Bench("two_link")
    c = 1.5 * np.array(bench.data["drag"])
    wanted, _ = bench.simulated(2.0, tau=lambda t, q, v: -c * v)
    np.testing.assert_allclose(bench.states(2.0, "m.damping = 1.5;"), wanted, **EQUAL)
    M = bench.system.mass_matrix(bench.data["q"])
    np.testing.assert_allclose(bench.data["drag"], np.diag(M), rtol=1e-12)


def test_motors_hold_and_carry():
    bench = Bench("rp_arm")
    assert [x["held"] for x in bench.data["holdable"]] == [False, True]  # what would slide away
    start, mass = bench.data["q"], bench.data["drag"][1]

    def hold(t, q, v):
        return np.array([0.0, -mass * 60.0 * (60.0 * (q[1] - start[1]) + 2.0 * v[1])])

    wanted, _ = bench.simulated(2.0, tau=hold)
    np.testing.assert_allclose(bench.states(2.0, "m.hold(1, true);"), wanted, **EQUAL)
    still = bench.states(2.0, "m.carried = true;")
    np.testing.assert_allclose(still, still[:1].repeat(len(still), axis=0), atol=1e-9)


def rubbing():
    b = vv.Builder("rubbing")
    b.body("link", joint="revolute", axis="y", mass=2.0, com=[0.0, 0.0, -0.4], friction=0.8)
    return b.frame("tip", body="link", at=[0.0, 0.0, -0.8]).build()


def test_dry_friction_is_rounded_off_and_said_to_be():
    arm = rubbing()
    bench = Bench(arm)
    (width,), size = bench.data["rounding"], 0.8
    smooth = arm.without_dry_friction()
    tanh = vv.generic.tanh

    def drag(t, q, v):
        return np.array([-size * tanh(v[0] / width)])

    wanted, _ = bench.simulated(3.0, system=smooth, tau=drag)
    np.testing.assert_allclose(bench.states(3.0), wanted, **EQUAL)
    assert "Dry friction sticks" in bench.data["notes"][0]
    true = arm.simulate(bench.data["q"], bench.data["v"], 3.0)  # which sticks in the end
    assert abs(bench.states(3.0)[-1, 0] - true.q[-1, 0]) < 0.02
    assert width < 0.1


def test_stops_give_back_a_part_of_the_speed():
    b = vv.Builder("ball")
    b.body("ball", joint="prismatic", axis="z", limits=(0.0, 9.0), mass=1.0)
    ball = b.build().with_stops(0.5)
    bench = Bench(ball, q=[1.0], v=[0.0])
    heights = bench.states(0.8, every=1)[:, 0]
    true = ball.simulate([1.0], [0.0], np.linspace(0.0, 0.8, len(heights))).q[:, 0]
    np.testing.assert_allclose(heights, true, atol=0.01)  # the impact comes a millisecond late
    assert heights.min() == 0.0
    assert "stop" in bench.data["notes"][0]


def test_a_joint_of_a_loop_stops_where_the_loop_is_closed():
    linkage = vv.catalog.four_bar()
    q = np.asarray(linkage.assembled())
    linkage = linkage.with_limits({"theta3": (q[2] - 0.1, q[2] + 0.1)}).with_stops(0.5)
    bench = Bench(linkage)
    states = bench.states(2.0, every=1)
    angle, limit = states[:, 2], q[2] + np.array([-0.1, 0.1])
    assert np.ptp(angle) > 0.05
    assert min((angle - limit[0]).min(), (limit[1] - angle).min()) > -1e-12
    assert np.isclose(angle, limit[0]).any() or np.isclose(angle, limit[1]).any()  # it came there
    errors = [np.abs(linkage.constraint_error(x[:3])).max() for x in states[::50]]
    assert max(errors) < 1e-9


def test_points_that_loops_hold_still_are_not_offered():
    bars = [x["name"] for x in Bench("bennett").data["tips"]]
    assert bars == ["bar1", "bar2"]  # the third one turns about the axis that its point is on


def test_what_is_stated_with_a_spin_starts_with_it():
    top = Bench("heavy_top")
    np.testing.assert_array_equal(top.data["v"], top.lab.scene.velocity)
    assert np.abs(top.data["v"]).max() > 10.0


def test_a_system_that_the_time_moves():
    driven = vv.Lagrangian(
        "theta",
        "m*(l^2*theta'^2 + 2*l*a*w*cos(w*t)*theta'*sin(theta) + (a*w*cos(w*t))^2)/2",
        "-m*g*(l*cos(theta) - a*sin(w*t))",
        parameters={"m": 1.0, "l": 0.5, "g": 9.81, "a": 0.05, "w": 9.0},
        angles=["theta"],
        name="driven pendulum",
    )
    bench = Bench(driven, q=[0.7], v=[0.0])
    wanted, _ = bench.simulated(2.0)
    np.testing.assert_allclose(bench.states(2.0), wanted, **EQUAL)
    error, given = bench.run("for (let k = 0; k < 2000; k++) m.step();", "[m.error(), m.work.time]")
    assert abs(given) > 1e-2
    assert abs(error) < 1e-8
