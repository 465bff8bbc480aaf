"""What it takes to drive a linkage by one joint, and where that joint cannot."""

import re
import warnings

import numpy as np
import pytest

import visviva as vv
from visviva.errors import ArgumentError, UnknownNameError

LINKAGE = vv.catalog.four_bar()
CRANK = vv.catalog.slider_crank()


def test_the_torque_is_that_of_the_one_actuator():
    """Virtual work, and the projection of `actuator_forces`: two roads."""
    drive = LINKAGE.driving_torque("theta1", np.linspace(0.2, 6.0, 9), speed=5.0)
    f = LINKAGE.actuator_forces(drive.q, drive.v, drive.a)
    np.testing.assert_allclose(f[:, 0], drive.torque, rtol=1e-12, atol=1e-12)
    tau = np.pad(drive.torque[:, None], ((0, 0), (0, 2)))
    a = LINKAGE.forward_dynamics(drive.q, drive.v, tau)
    np.testing.assert_allclose(a, drive.a, atol=1e-9)  # it keeps its speed
    assert np.abs(LINKAGE.inverse_dynamics(drive.q, drive.v, drive.a)[:, 0] - f[:, 0]).max() > 1
    assert "largest at theta1 = " in repr(drive)
    assert " N m; from theta1 = " in repr(drive)


def test_at_rest_against_a_load_it_is_the_slope_of_the_work():
    """τ dθ = dV - F dx, of a piston that is pushed."""
    values, load = np.array([0.7, 0.7 + 1e-6, 0.7 - 1e-6]), 40.0
    push = CRANK.driving_torque("theta1", values, wrenches={"piston": [0, 0, 0, -load, 0, 0]})
    x = push.q[:, CRANK.joint_names.index("x")]
    V = CRANK.potential_energy(push.q)
    slope = ((V[1] + load * x[1]) - (V[2] + load * x[2])) / 2e-6
    assert push.torque[0] == pytest.approx(slope, rel=1e-7)
    assert push.plot().data


def test_the_forces_in_the_joints_have_the_load_in_them():
    """m a of the piston: what its pin exerts, and the load."""
    load, speed = 1000.0, 100.0
    drive = CRANK.driving_torque(
        "theta1", [0.0, 0.4], speed=speed, wrenches={"piston": [0, 0, 0, -load, 0, 0]}
    )
    on_rod = drive.reactions[0, 3, 3]  # in one line with the crank
    np.testing.assert_allclose(-on_rod - load, CRANK.parameters["m3"] * drive.a[0, 2], rtol=1e-9)
    assert on_rod == pytest.approx(-357.142857)
    alone = CRANK.driving_torque("theta1", [0.4], speed=speed)
    plain = CRANK.reactions(alone.q, alone.v, alone.tau)
    np.testing.assert_allclose(alone.reactions, plain, rtol=1e-12, atol=1e-12)


def test_reactions_and_the_load_balance_the_weight():
    """The load is in axes of the world, reactions in those of what they act on."""
    F = np.array([-50.0, 20.0, 0.0])
    drive = LINKAGE.driving_torque("theta1", [1.0], wrenches={"rocker_end": [0, 0, 0, *F]})
    q, m = drive.q[0], LINKAGE.numeric
    turned = {x: m.frame_pose(x, q).R for x in ("crank", "rocker")}
    held = (
        turned["crank"] @ drive.reactions[0, 0, 3:] + turned["rocker"] @ drive.reactions[0, 2, 3:]
    )
    np.testing.assert_allclose(held + F + m.mass * np.array(m.gravity), 0, atol=1e-9)
    assert repr(drive).endswith("; the load at 'rocker_end' is in it and in .reactions")
    with pytest.warns(UserWarning, match="the load at 'rocker_end' is besides") as told:
        tau = drive.tau
    assert "model.function('reactions', wrenches={'rocker_end': 'world'}) takes" in str(
        told[0].message
    )
    assert (told[0].filename, len(told)) == (__file__, 1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert drive.tau is tau  # it is told once
    f = LINKAGE.function("reactions", wrenches={"rocker_end": "world"})
    again = f(q, drive.v[0], tau[0], [[0, 0, 0, *F]])
    np.testing.assert_allclose(again, drive.reactions[0], atol=1e-12)


def test_joints_that_are_held_hold_in_the_reactions_too():
    arm = vv.catalog.two_link()
    drive = arm.driving_torque("q1", [0.3], speed=2.0, fixed={"q2": 0.5})
    tau = arm.inverse_dynamics(drive.q, drive.v, drive.a)
    held = arm.reactions(drive.q, drive.v, tau)
    np.testing.assert_allclose(drive.reactions[:, :, 3:], held[:, :, 3:], atol=1e-9)


def test_a_dead_point_is_said_to_be_one():
    dead = LINKAGE.dead_points("theta3")
    with pytest.raises(ArgumentError, match=r"q0 of .* is a dead point of 'theta3': it stands"):
        LINKAGE.driving_torque("theta3", [dead.values[0]], q0=dead.q[0])


def test_a_position_is_moved_to_where_joints_are_held():
    five = vv.catalog.five_bar()
    held = {"theta3": 1.0}
    q0 = five.assembled()  # with theta3 at 0.8
    begun = five.assembled(theta1=q0[0], theta3=1.0)
    dead = five.dead_points("theta4", q0=q0, fixed=held)
    again = five.dead_points("theta4", q0=begun, fixed=held)
    assert len(dead)
    np.testing.assert_allclose(dead.values, again.values, atol=1e-9)
    for found in (
        five.driving_torque("theta1", [2.0, 2.1], q0=q0, fixed=held),
        five.transmission_angle("theta1", [2.0, 2.1], q0=q0, fixed=held),
        five.coupler_curve("rod1_end", "theta1", [2.0, 2.1], q0=q0, fixed=held),
    ):
        np.testing.assert_allclose(found.q[:, 2], 1.0, atol=1e-12)
    with pytest.raises(vv.VisvivaError, match=r"violates .* assembled\(q\) is the nearest one"):
        five.dead_points("theta4", q0=q0 + 0.1, fixed=held)


@pytest.mark.parametrize("name", ["driving_torque", "transmission_angle"])
def test_what_does_not_turn_fully_says_its_range(name):
    dead = LINKAGE.dead_points("theta3").values
    with pytest.raises(vv.VisvivaError, match=r"dead_points\('theta3'\)") as told:
        getattr(LINKAGE, name)("theta3")
    assert f"'theta3' goes from {dead[0]:.6g} to {dead[1]:.6g}" in str(told.value)
    (values,) = re.findall(r"values=(np\.linspace\(.*?\))", str(told.value))
    found = getattr(LINKAGE, name)("theta3", eval(values, {"np": np}))
    assert np.isfinite(found.q).all()


def test_dead_points_of_a_piston_are_where_crank_and_rod_are_in_one_line():
    dead = CRANK.dead_points("x")
    l1, l2 = CRANK.parameters["l1"], CRANK.parameters["l2"]
    np.testing.assert_allclose(dead.values, [l2 - l1, l2 + l1], rtol=1e-12)
    np.testing.assert_allclose(np.sin(dead.q[:, 0]), 0, atol=1e-12)
    assert dead.is_cycle
    assert len(CRANK.dead_points("theta1")) == 0
    for q0 in dead:  # also from one of them on
        again = CRANK.dead_points("x", q0=q0)
        np.testing.assert_allclose(again.values, dead.values, atol=1e-9)
    assert "driven by x: 0.25, 0.45, along its whole cycle; from theta1 = " in repr(dead)


def test_dead_points_beyond_limits_are_told_apart():
    l1, l2 = CRANK.parameters["l1"], CRANK.parameters["l2"]
    for limits, near, far in (
        ((-0.5, 1.3), [l2 + l1], [l2 - l1]),
        ((0.1, 1.3), [], [l2 - l1, l2 + l1]),
        ((2 * np.pi - 0.5, 2 * np.pi + 3.2), [l2 - l1, l2 + l1], []),
    ):
        held = CRANK.with_limits(theta1=limits)
        dead = held.dead_points("x", q0=held.assembled(theta1=limits[0] + 0.7))
        np.testing.assert_allclose(dead.values, near)
        np.testing.assert_allclose(dead.beyond, far)
    told = repr(CRANK.with_limits(theta1=(0.1, 1.3)).dead_points("x"))
    assert "none along its whole cycle; beyond limits of joints: 0.25, 0.45; from " in told


def test_a_rocker_turns_back_where_the_error_of_its_motion_says():
    dead = LINKAGE.dead_points("theta3")
    assert len(dead) == 2
    np.testing.assert_allclose(np.sin(dead.q[:, 1]), 0, atol=1e-12)  # crank and coupler in line
    with pytest.raises(vv.VisvivaError, match=f"turns back at theta3 = {dead.values[1]:.4f}"):
        LINKAGE.tracked(LINKAGE.assembled(), "theta3", [3.0])


def test_what_cannot_be_asked_names_the_way():
    with pytest.raises(ArgumentError, match=r"moves in 2 here: fixed=\{joint: value\} holds some"):
        vv.catalog.two_link().dead_points("q1")
    with pytest.raises(UnknownNameError, match="did you mean 'theta1'"):
        LINKAGE.driving_torque("theta_1")
    with pytest.raises(ArgumentError, match=r"'x' does not turn: values of it are a list, np\.lin"):
        CRANK.driving_torque("x")
    with pytest.raises(ArgumentError, match=r"wrenches maps frames to \(moment, force\).*got \[1"):
        CRANK.driving_torque("theta1", wrenches=[1.0, 2.0])
    swung = LINKAGE.with_constraint("theta1 = 0.3*sin(2*t)")
    with pytest.raises(ArgumentError, match=r"move with time and do work.*actuator_forces\(q, v"):
        swung.driving_torque("theta2")


def test_without_values_it_is_a_full_turn():
    angle = LINKAGE.transmission_angle("theta1")
    assert angle.values[[0, -1]].tolist() == [0.0, 2 * np.pi]
    assert len(LINKAGE.coupler_curve("coupler", "theta1").values) == 121


def test_a_closed_loop_says_where_the_forces_of_motors_are():
    assert "held: actuator_forces has motors' forces, inverse_dynamics" in repr(LINKAGE)
    assert "held:" not in repr(LINKAGE.without_constraints())
    assert "actuator_forces" in LINKAGE.inverse_dynamics.__doc__


def test_the_joint_that_drives_may_be_left_out_or_named_by_its_body():
    np.testing.assert_array_equal(
        LINKAGE.dead_points("rocker").values, LINKAGE.dead_points("theta3").values
    )
    assert LINKAGE.driving_torque("crank", [0.3]).joint == "theta1"
    assert LINKAGE.transmission_angle(values=[0.3]).joint == "theta1"
    assert CRANK.dead_points("piston").joint == "x"
    with pytest.raises(
        ArgumentError, match=r"which joint of 'slider_crank' drives\? .*'theta1', '"
    ):
        CRANK.driving_torque()
    with pytest.raises(ArgumentError, match=r"here it is .*speed=60 \* 2 \* np\.pi / 60"):
        LINKAGE.driving_torque(rpm=60)
    with pytest.raises(ArgumentError, match=r"wrenches=\{'rocker_end': \[0, 0, 0, 1, 0, 0\]\}"):
        LINKAGE.driving_torque("crank", forces={"rocker": [1, 0, 0]})
    with pytest.raises(ArgumentError, match=r"model\.coupler_curve\(frame, .*argument: 'frame'"):
        LINKAGE.coupler_curve(point=[0.5, 0.3])


def test_a_point_with_two_coordinates_is_in_the_plane():
    short, whole = (
        LINKAGE.coupler_curve("coupler", values=[0.3, 0.4], point=p)
        for p in ([0.5, 0.3], [0.5, 0.3, 0.0])
    )
    np.testing.assert_array_equal(short.points, whole.points)
    b = vv.Builder("upright")
    b.body("arm", joint="revolute", axis="y", mass=1)
    path = b.build().coupler_curve("arm", "arm_joint", [0.0], point=[0.5, 0.3])
    np.testing.assert_allclose(path.points, [[0.5, 0.0, 0.3]], atol=1e-15)
    with pytest.raises(vv.VisvivaError, match="point has 3 entries"):
        LINKAGE.coupler_curve("coupler", values=[0.3], point=[0.5])


def test_sweeps_are_saved(tmp_path):
    values = np.linspace(0.0, 1.0, 5)
    path = LINKAGE.coupler_curve("coupler", values=values, point=[0.5, 0.3], speed=2.0)
    drive = LINKAGE.driving_torque("crank", values, speed=2.0)
    angle = LINKAGE.transmission_angle("crank", values)
    for k, (x, columns) in enumerate(
        (
            (path, [path.values, path.points, path.velocity, path.acceleration]),
            (drive, [drive.values, drive.torque, drive.q, drive.v, drive.a]),
            (angle, [angle.values, angle.angle, np.degrees(angle.angle)]),
        )
    ):
        for suffix in (".csv", ".svg"):
            x.save(tmp_path / f"{k}{suffix}")
        head, *_ = (tmp_path / f"{k}.csv").read_text(encoding="utf-8").splitlines()
        table = np.loadtxt(tmp_path / f"{k}.csv", delimiter=",", skiprows=1)
        np.testing.assert_array_equal(table, np.column_stack(columns))
        assert len(head.split(",")) == table.shape[1]
        with pytest.raises(ArgumentError, match=r"save: one of \.csv, \.svg, \.html.*png"):
            x.save(tmp_path / "x.png")
    path.save(tmp_path / "path.dxf")
    lines = (tmp_path / "path.dxf").read_text(encoding="ascii").splitlines()
    pairs = list(zip(lines[::2], lines[1::2], strict=True))
    start = pairs.index(("0", "VERTEX"))
    xs, ys = ([float(x) for code, x in pairs[start:] if code == c] for c in ("10", "20"))
    np.testing.assert_array_equal(np.stack([xs, ys], axis=1), path.flat)
    assert pairs[-1] == ("0", "EOF")


def test_paths_have_equal_scales_in_pictures():
    """The circle of the crank's end is as wide as it is high."""
    circle = LINKAGE.coupler_curve("crank_end", "theta1").plot()
    found = re.findall(r'class="n" d="M([^"]*)"', circle.svg)
    points = np.array([[float(y) for y in p.split()] for p in found[-1].split("L")])
    wide, high = np.ptp(points, axis=0)
    assert wide > 100
    assert abs(wide - high) < 1  # pixels
