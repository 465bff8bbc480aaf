"""What is told of sweeps: limits of all joints, kinks on the way, friction, and ways that work."""

import numpy as np
import pytest

import visviva as vv
from visviva.errors import ArgumentError, AssemblyError

TURN = np.linspace(0.0, 2 * np.pi, 25)
RAM = {"limits": (0.31, 0.5)}


def press(crank=None, ram=None):
    b = vv.Builder("press", gravity=[0, -9.81, 0])
    hinge = {"joint": "revolute", "axis": "z", "mass": 1, "com": [0.1, 0, 0]}
    b.body("crank", joint_name="phi", **hinge, **(crank or {}))
    b.body("rod", parent="crank", joint_name="r", at=[0.2, 0, 0], **hinge)
    b.body("ram", joint="prismatic", joint_name="y", axis="y", mass=1, **(ram or {}))
    b.frame("pin", body="rod", at=[0.5, 0, 0])
    m = b.build().with_loop("pin", "ram", joint="revolute", axis="z")
    return m, {"q0": m.assembled([0.0, 1.5, 0.45])}


def test_joints_that_follow_leave_their_limits_and_are_told():
    m, begin = press(ram=RAM)
    for found in (
        m.driving_torque("phi", TURN, **begin),
        m.coupler_curve("pin", "phi", TURN, **begin),
        m.transmission_angle("phi", TURN, **begin),
    ):
        (own,) = found.beyond
        outside = (found.q[:, 2] < 0.31) | (found.q[:, 2] > 0.5)
        assert own.values.tolist() == TURN[outside].tolist()
        assert "; y leaves its limits, 0.31 to 0.5, at phi = 0.261799 to 4.97419 (14" in repr(found)
    with pytest.warns(UserWarning, match="tracked: y leaves its limits"):
        m.tracked(begin["q0"], "phi", TURN)


def test_within_limits_nothing_is_told():
    m, begin = press(ram={"limits": (0.2, 0.8)})
    found = m.driving_torque("phi", TURN, **begin)
    assert found.beyond == ()
    assert found.notes == ()
    assert "limits" not in repr(found)


def test_effort_velocity_and_friction_of_the_driven_joint_are_told():
    m, begin = press(crank={"effort": 0.2, "velocity": 5.0, "friction": 0.1})
    fast = m.driving_torque("phi", TURN, speed=20.0, **begin)
    over = TURN[np.abs(fast.torque) > 0.2]
    assert f"the effort of phi, 0.2 N m, at phi = {over[0]:.6g} to {over[-1]:.6g}" in repr(fast)
    assert "phi is faster than its velocity limit, 5 rad/s, at phi = 0 to 6.28319" in repr(fast)
    assert "dry friction" not in repr(fast)
    still = m.driving_torque("phi", TURN, **begin)
    assert "dry friction, which can take part of the torque at rest, is not counted" in repr(still)


def test_at_a_kink_a_joint_does_not_turn_back():
    b = vv.Builder("cam", gravity=[0, -9.81, 0])
    b.body("cam", joint="revolute", joint_name="theta", axis="z", mass=1, com=[0, 0, 0.1])
    b.body("follower", joint="prismatic", joint_name="y", axis="y", mass=0.5)
    m = b.build().with_constraint("y = abs(theta)", name="profile")
    with pytest.raises(AssemblyError, match="constraints have a kink at theta = 0, where") as e:
        m.driving_torque("theta", [0.2, 0.1, 0.0, -0.1], q0=[0.2, 0.2])
    assert not e.value.turns_back
    assert "turns back" not in str(e.value)
    assert "goes up to" not in str(e.value)


def test_a_floating_coupler_is_no_output():
    b = vv.Builder("four-bar", gravity=[0, -9.81, 0])
    b.body("crank", joint="revolute", joint_name="a", axis="z", mass=1, com=[0.1, 0, 0])
    b.body("rocker", joint="revolute", joint_name="c", axis="z", at=[0.5, 0, 0], mass=1)
    b.body("coupler", joint="planar", joint_name="P", axis="z", mass=1)
    b.frame("A", body="crank", at=[0.2, 0, 0]).frame("B", body="rocker", at=[0.4, 0, 0])
    b.frame("A2", body="coupler").frame("B2", body="coupler", at=[0.5, 0, 0])
    m = b.build().with_loop("A", "A2", joint="revolute", axis="z")
    m = m.with_loop("B", "B2", joint="revolute", axis="z")
    found = m.transmission_angle("a", [0.0])
    assert (found.coupler, found.output) == ("coupler", "rocker")
    # at a = 0 a triangle of 0.5 (coupler), 0.4 (rocker) and 0.5 - 0.2: cos μ by its sides
    assert abs(np.cos(found.angle[0]) - (0.25 + 0.16 - 0.09) / 0.4) < 1e-9


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"speed": np.array([1.0, 2.0])}, r"speed is one number.*actuator_forces\(q, v, a\)"),
        ({"acceleration": 2.0}, r"here it is model\.actuator_forces\(q, v, a\)"),
        ({"wrenches": {"ram": lambda q: q}}, "changes with q ask once for each position"),
    ],
)
def test_what_driving_torque_does_not_take_names_the_way(given, said):
    with pytest.raises(ArgumentError, match=said):
        press()[0].driving_torque("phi", TURN, **given)


def test_a_point_that_is_a_frame_names_the_curve_of_that_frame():
    with pytest.raises(ArgumentError, match=r"coupler_curve\('pin', …\)"):
        press()[0].coupler_curve("rod", "phi", point="pin")


def sweeps(m, **begin):
    yield m.driving_torque("theta1", TURN, speed=2.0, **begin)
    yield m.coupler_curve("coupler", "theta1", TURN, **begin)
    yield m.transmission_angle("theta1", TURN, **begin)
    yield m.dead_points("theta3", **begin)


def test_a_sweep_without_a_position_says_on_which_branch_it_is():
    m = vv.catalog.four_bar()
    start = m.assembled()
    other = max(m.assemblies(fixed={"theta1": start[0]}).q, key=lambda q: abs(q - start).max())
    for found in sweeps(m):
        (note,) = found.notes
        assert repr(found).endswith(f"; {note}")
        assert "theta3 = 1." in note
        assert "on the branch of assembled(); q0= chooses another" in note
    for found in sweeps(m, q0=other):
        assert found.notes == ()
    near, far = next(sweeps(m)), next(sweeps(m, q0=other))
    assert abs(near.torque - far.torque).max() > 1.0
    arm = vv.catalog.pendulum()
    assert arm.driving_torque("theta1", TURN, fixed={"theta2": 0.1}).notes


def test_values_in_the_place_of_a_joint_are_refused_with_the_names_there_are():
    m = vv.catalog.four_bar()
    for joint in (TURN, list(TURN), 3, 0.0):
        for ask in (
            lambda x: m.coupler_curve("rocker", x),
            m.driving_torque,
            m.transmission_angle,
            m.dead_points,
            lambda x: m.tracked(m.assembled(), x, TURN),
        ):
            with pytest.raises(ArgumentError, match=r"one of 'theta1', 'theta2', 'theta3', before"):
                ask(joint)


def test_what_is_no_path_is_refused_wherever_something_is_saved():
    m = vv.catalog.four_bar()
    found = m.driving_torque("theta1", TURN)
    for save in (found.save, found.plot().save):
        for path in (3, TURN):
            with pytest.raises(ArgumentError, match="takes the path of a file, got"):
                save(path)
    run = vv.catalog.pendulum().simulate([0.5, 0.0], [0.0, 0.0], 0.1)
    for save in (run.animate, run.save, run.picture().save):
        with pytest.raises(ArgumentError, match="takes the path of a file, got int"):
            save(3)
