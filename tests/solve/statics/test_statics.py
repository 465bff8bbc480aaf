"""Statics against other roads: Pinocchio, MuJoCo, plane linkages by hand; conventions; refusals."""

from dataclasses import replace

import mujoco
import numpy as np
import pinocchio as pin
import pytest

import visviva as vv
from tests.support.generators.bodies import close
from tests.support.oracles import robots
from visviva.errors import (
    ArgumentError,
    AssemblyError,
    EquilibriumError,
    ShapeError,
    UnknownNameError,
)

Q = np.array([0.3, -1.2, 1.0, 0.3, 0.5, 0.2])


def test_gravity_torques_and_reactions_of_a_ur5_are_pinocchios():
    path = robots.robot("urdf/ur5_robot.urdf")
    arm, other = robots.load(path, "fixed"), robots.load_peer(path, "fixed")
    data = other.createData()
    s = arm.statics(Q)
    close(s.torques, pin.computeGeneralizedGravity(other, data, Q))
    # a load at the last joint, and what every joint bears, in its own axes: (force, moment) there
    tip = np.array([1.0, -2.0, 0.5, 3.0, 4.0, -5.0])  # (moment, force) on the robot, body axes
    last = arm.bodies[-1].name
    fext = [pin.Force.Zero() for _ in range(other.njoints)]
    fext[-1] = pin.Force(tip[3:], tip[:3])
    still = np.zeros(6)
    tau = pin.rnea(other, data, Q, still, still, fext)
    s = arm.statics(Q, {last: tip}, axes="body", acting="on robot")
    close(s.torques, tau)
    for i, b in enumerate(arm.bodies, 1):
        expected = np.concatenate([data.f[i].angular, data.f[i].linear])
        close(s.wrench(b.joint_name, b.name), expected)
        close(s.wrench(b.joint_name, b.name, order="force first"), data.f[i].vector)
        close(s.wrench(b.joint_name, b.name, on="parent"), -expected)


ARM = """
<mujoco><compiler angle="radian"/><option gravity="1 -9 2"/><worldbody>
  <body name="a" pos="0 0 1"><joint name="j1" axis="0 0.6 0.8"/>
    <inertial mass="2" pos="0.3 0.1 0" diaginertia="1 1 1"/>
    <body name="b" pos="0.7 0 0.1"><joint name="j2" type="slide" axis="1 0 0"/>
      <inertial mass="1" pos="0 0.2 0" diaginertia="1 1 1"/>
      <body name="c" pos="0.2 0.1 0"><joint name="j3" axis="0 1 0"/>
        <inertial mass="0.5" pos="0.1 0 0.3" diaginertia="1 1 1"/></body></body></body>
</worldbody></mujoco>"""


def test_gravity_torques_and_joint_forces_are_mujocos(tmp_path):
    path = tmp_path / "arm.xml"
    path.write_text(ARM)
    arm, q = vv.load(path), np.array([0.4, -0.2, 1.1])
    m = mujoco.MjModel.from_xml_string(ARM)
    d = mujoco.MjData(m)
    d.qpos[:] = q
    mujoco.mj_forward(m, d)
    push, turn = np.array([2.0, -1.0, 3.0]), np.array([0.3, 0.2, -0.1])
    s = arm.statics(q, [{"frame": "c", "force": push, "moment": turn, "point": m.body_ipos[3]}],
                    acting="on robot")  # fmt: skip
    felt = np.zeros(3)
    mujoco.mj_applyFT(m, d, push, turn, d.xipos[3], 3, felt)
    close(s.torques, d.qfrc_bias - felt)
    # at rest under the torques: forces on bodies, (moment, force) about the tree's centre of mass
    d.qfrc_applied[:] = s.torques
    d.xfrc_applied[3] = np.concatenate([push, turn])
    mujoco.mj_forward(m, d)
    close(d.qacc, np.zeros(3))
    mujoco.mj_rnePostConstraint(m, d)
    for i, name in enumerate(("j1", "j2", "j3"), 1):
        close(s.wrench(name, about=d.subtree_com[1]), d.cfrc_int[i])


def planar_system(links, pins, loads):
    """Forces of pins and one couple on link 0, from three equations for each link, by hand.

    `pins` are (link or -1, other link, point): the force acts on the other link.
    """
    n = len(links)
    A, b = np.zeros((3 * n, 2 * len(pins) + 1)), np.zeros(3 * n)
    for k, (one, other, p) in enumerate(pins):
        for link, sign in ((one, -1.0), (other, 1.0)):
            if link >= 0:
                A[3 * link, 2 * k] = A[3 * link + 1, 2 * k + 1] = sign
                A[3 * link + 2, 2 * k : 2 * k + 2] = sign * np.array([-p[1], p[0]])
    A[2, -1] = 1.0  # the motor's couple, from the ground
    for link, p, f in (*((i, c, w) for i, (c, w) in enumerate(links)), *loads):
        b[3 * link : 3 * link + 2] -= f
        b[3 * link + 2] -= p[0] * f[1] - p[1] * f[0]
    return np.linalg.solve(A, b)


def test_a_four_bar_is_balanced_as_by_hand():
    m = vv.catalog.four_bar()
    q, p = m.tracked(m.assembled(), "theta1", [2.3])[0], m.parameters
    X = {name: m.frame_pose(name, q).p[:2] for name in m.frame_names}
    D = np.array([p["l0"], 0.0])
    middle = [X[f"{x}_end"] / 2 + X[x] / 2 for x in ("crank", "coupler", "rocker")]
    weights = [np.array([0.0, -p[k] * p["g"]]) for k in ("m1", "m2", "m3")]
    F = np.array([3.0, -7.0])
    pins = [(-1, 0, np.zeros(2)), (0, 1, X["coupler"]), (-1, 2, D), (1, 2, X["rocker_end"])]
    by_hand = planar_system(
        list(zip(middle, weights, strict=True)), pins, [(1, X["coupler_end"], F)]
    )
    s = m.statics(q, {"coupler_end": {"force": [*F, 0.0]}}, acting="on robot")
    close(s.torques, [by_hand[-1], 0.0, 0.0])
    for k, name in enumerate(("theta1", "theta2", "theta3", "C")):
        close(s.force(name)[:2], by_hand[2 * k : 2 * k + 2])
    assert set(s.open_components) == set(s.joints)
    assert {x for some in s.open_components.values() for x in some} == {"fz", "mx", "my"}
    assert "does not determine fz, mx, my" in s.notes[0]


def test_forces_in_any_axes_about_any_point():
    arm = vv.catalog.two_link()
    q = np.array([0.3, 0.7])
    s = arm.statics(q, {"tool": [0, 0, 0.5, 2.0, -3.0, 0]})
    R = arm.frame_pose("link2", q).R
    close(s.force("q2", "link2"), R.T @ s.force("q2"))
    about = s.moment("q1", about="tool")
    r = arm.frame_pose("tool", q).p
    close(about, s.moment("q1") - np.cross(r, s.force("q1")))
    close(s.moment("q1", about=r), about)
    close(s.moment("q1")[2], s.torques[0])
    close(s.force("q2", on="parent"), -s.force("q2"))


def test_both_conventions_of_the_documents_go_in_and_out():
    arm, q = vv.catalog.two_link(), [0.3, 0.7]
    by = arm.statics(q, {"tool": [0, 0, 0.5, 2.0, -3.0, 0]})
    for order in ("moment first", "force first"):
        for acting, sign in (("by robot", 1.0), ("on robot", -1.0)):
            W = sign * np.array([0, 0, 0.5, 2.0, -3.0, 0])
            W = W if order == "moment first" else np.roll(W, 3)
            s = arm.statics(q, {"tool": W}, order=order, acting=acting)
            close(s.torques, by.torques, 1e-15)
            close(s.load("tool", order=order, acting=acting), W, 1e-15)
    turned = by.load("tool", axes="body")
    again = arm.statics(q, {"tool": turned}, axes="body")
    close(again.torques, by.torques, 1e-15)


def test_loads_add_up_wherever_they_act():
    arm, q = vv.catalog.puma560(), np.linspace(-1, 1, 6)
    one, two = {"frame": "tool", "force": [1, 2, 3]}, {"frame": "dh3", "moment": [0, 1, 0]}
    three = {"frame": "tool", "force": [0, 1, 0], "point": [0.1, 0, 0.2]}
    parts = [arm.statics(q, [x], gravity=False).torques for x in (one, two, three)]
    close(arm.statics(q, [one, two, three], gravity=False).torques, sum(parts))
    close(arm.statics(q, [one, two, three]).torques - sum(parts), arm.statics(q).torques)
    assert not arm.statics(q, gravity=False).torques.any()
    moon = arm.statics(q, gravity=[0, 0, -1.62]).torques
    close(moon, arm.statics(q).torques * 1.62 / 9.81)


def test_redundant_drives_share_and_it_is_said():
    m = vv.catalog.four_bar()
    q = m.assembled()
    one = m.statics(q)
    all_three = m.statics(q, actuated=["theta1", "theta2", "theta3"])
    assert "2 more drives than it takes" in all_three.notes[0]
    assert "; actuated=['theta1'] names joints that hold alone" in all_three.notes[0]
    N = m.displacements(q)
    close(N.T @ all_three.torques, N.T @ one.torques)  # the same work
    assert np.linalg.norm(all_three.torques) < np.linalg.norm(one.torques)
    assert all_three.disagreement < 1e-12


def test_thrusters_motors_and_gears_hold():
    jets = vv.catalog.rp_arm_thrusters()
    s = jets.statics([0.7, 1.2])
    close(jets.function("actuator_map")([0.7, 1.2]) @ s.efforts, jets.gravity_forces([0.7, 1.2]))
    close(s.torques, [0.0, 0.0])
    close(s.balance, [0.0, 0.0])
    assert {x.cause for x in s.body("link2").acting} >= {"actuator", "weight"}
    assert max(b.residual for b in s.bodies) < 1e-12
    geared = vv.catalog.two_link().with_constraint("q2 = 2*q1")
    g = geared.without_constraints().gravity_forces([0.3, 0.6])
    s = geared.statics([0.3, 0.6], actuated="q1")
    close(s.torques, [g[0] + 2 * g[1], 0.0])
    close(s.balance, s.torques)


def test_a_free_base_shows_what_has_to_hold_it():
    b = vv.Builder("flyer", gravity=[0, -9.81, 0])
    b.body("base", joint="free", joint_name="base_joint", mass=3, com=[0.1, 0, 0])
    b.body("link1", parent="base", joint="revolute", joint_name="q1", mass=1, com=[0.5, 0, 0])
    b.body("link2", parent="link1", joint="revolute", joint_name="q2", at=[1, 0, 0], mass=1)
    m = b.build()
    q = m.random(3)
    s = m.statics(q)
    assert "free joint 'base_joint' bears nothing" in s.notes[0]
    close(s.force("base_joint"), [0, 9.81 * m.mass, 0])
    with pytest.raises(EquilibriumError, match=r"base_joint.*actuated= names joints that hold"):
        m.statics(q, actuated=["q1", "q2"])
    assert m.statics(q, gravity=False, actuated=["q1", "q2"]).disagreement == 0.0


def test_what_does_not_rest_is_refused_with_what_it_lacks():
    cart = vv.Builder("cart", gravity=[0, 0, -10])
    cart.body("slider", joint="prismatic", axis="x", joint_name="x", mass=1)
    cart.body("pole", parent="slider", joint="revolute", axis="y", joint_name="phi", mass=2,
              com=[0, 0, 0.5], passive=True)  # fmt: skip
    m = cart.build()
    assert not m.statics([0.2, 0.0]).torques.any()
    with pytest.raises(EquilibriumError, match=r"\(x\) cannot hold it.*lacks phi -10 N m.*x, phi"):
        m.statics([0.0, np.pi / 2])
    close(m.statics([0.0, np.pi / 2], actuated=["x", "phi"]).torques, [0.0, -10.0])


@pytest.mark.parametrize("off", [0.0, 1e-10])
def test_a_motor_at_its_dead_point_holds_nothing(off):
    """All singular values are rounding there: none is a measure of the others."""
    m = vv.catalog.four_bar()
    for q in m.dead_points("theta3"):
        with pytest.raises(EquilibriumError, match=r"\(theta3\) cannot hold it.*lacks theta"):
            m.statics(q + off * m.displacements(q)[:, 0], actuated=["theta3"])
        assert np.abs(m.statics(q, actuated=["theta1"]).torques).max() < 100
        weightless = m.statics(q, gravity=False, actuated=["theta3"])
        assert not weightless.torques.any()
        tip = weightless.tip_wrench("rocker_end", [1.0, 0.0, 0.0])
        assert not tip.balanced
        assert not tip.wrench.any()  # no force at what stands still does it


def test_limits_and_friction_are_said():
    arm = vv.Builder("arm", gravity=[0, 0, -10])
    arm.body("link", joint="revolute", axis="y", joint_name="j", mass=2, com=[0.5, 0, 0],
             effort=5.0, friction=0.1)  # fmt: skip
    notes = arm.build().statics([0.0]).notes
    assert "dry friction" in notes[0]
    assert notes[1] == "j takes -10, more than its limit 5"


def test_bad_input_is_refused_with_names():
    arm, linkage = vv.catalog.two_link(), vv.catalog.four_bar()
    q = [0.3, 0.7]
    with pytest.raises(ShapeError, match=r"q of 'two_link' has 2 entries, got shape \(3,\)"):
        arm.statics([1, 2, 3])
    with pytest.raises(ArgumentError, match="q of 'two_link' is finite"):
        arm.statics([np.nan, 0])
    with pytest.raises(UnknownNameError, match=r"unknown frame 'tip'.*'link1', 'link2', 'tool'"):
        arm.statics(q, {"tip": np.zeros(6)})
    with pytest.raises(
        ShapeError, match=r"wrench at 'tool' has 6 numbers, got shape \(3,\).*force"
    ):
        arm.statics(q, {"tool": [1, 2, 3]})
    with pytest.raises(ArgumentError, match="wrench at 'tool' is finite"):
        arm.statics(q, {"tool": [np.inf, 0, 0, 0, 0, 0]})
    with pytest.raises(UnknownNameError, match=r"part of the load at 'tool' 'forces'.*'force'"):
        arm.statics(q, {"tool": {"forces": [1, 2, 3]}})
    with pytest.raises(ArgumentError, match="has a force, a moment or both"):
        arm.statics(q, {"tool": {"point": [1, 2, 3]}})
    with pytest.raises(ArgumentError, match=r"'world' does nothing.*'link1', 'link2', 'tool'"):
        arm.statics(q, {"world": np.zeros(6)})
    with pytest.raises(ArgumentError, match=r"order is one of 'moment first', 'force first'; got"):
        arm.statics(q, order="Featherstone")
    with pytest.raises(UnknownNameError, match=r"'to robot'.*'by robot', 'on robot'"):
        arm.statics(q, acting="to robot")
    with pytest.raises(UnknownNameError, match=r"'tool'.*'world', 'body'"):
        arm.statics(q, axes="tool")
    with pytest.raises(UnknownNameError, match=r"joint of 'two_link' 'q3'.*'q1', 'q2'"):
        arm.statics(q, actuated=["q3"])
    with pytest.raises(ArgumentError, match="maps frames to wrenches"):
        arm.statics(q, 3.0)
    with pytest.raises(ArgumentError, match="gravity is 3 finite numbers"):
        arm.statics(q, gravity=9.81)
    with pytest.raises(AssemblyError, match=r"violates the constraints of 'four_bar': .*assembled"):
        linkage.statics([0.1, 0.2, 0.3])
    s = arm.statics(q)
    with pytest.raises(UnknownNameError, match=r"joint or loop of 'two_link' 'q9'.*'q1', 'q2'"):
        s.force("q9")
    with pytest.raises(UnknownNameError, match=r"unknown frame 'x'"):
        s.force("q1", "x")
    with pytest.raises(UnknownNameError, match=r"'sibling'.*'child', 'parent'"):
        s.force("q1", on="sibling")
    with pytest.raises(UnknownNameError, match=r"force system 'all'.*'loads', 'weight', 'ground'"):
        s.resultant(of="all")
    moving = arm.with_constraint("q1 = 0.3 + t")
    with pytest.raises(ArgumentError, match="constraints move by themselves"):
        moving.statics(q)


def test_what_is_printed():
    text = str(vv.catalog.four_bar().statics(vv.catalog.four_bar().assembled()))
    for part in ("four_bar at rest", "virtual work", "balance", "theta1", "N m", "rocker", "note:"):
        assert part in text
    s = vv.catalog.two_link().statics([0.3, 0.7], {"tool": [0, 0, 0, 2, -3, 0]})
    assert "  tool   (0, 0, 0)       2      -3       0         0         0         0" in str(s)
    assert "  q1          12.4208    12.4208  N m" in str(s)
    assert "what is left of the balance" in repr(s.body("link1"))


def test_a_loop_that_is_called_as_a_joint_has_a_name_of_its_own():
    m = vv.catalog.four_bar()
    q = m.keyframes["assembled"]
    plain = m.statics(q)
    (loop,) = m.loops
    same = replace(m, constraints=(replace(loop, name="theta1"),)).statics(q)
    close(same.force("theta1 (loop)"), plain.force("C"))
    close(same.force("theta1"), plain.force("theta1"))
    assert "theta1 (loop)" in str(same)


def test_springs_are_told_with_what_they_exert():
    b = vv.Builder("sprung", gravity=[0, -10.0, 0])
    b.body("arm", joint="revolute", joint_name="hinge", mass=2.0, com=[0.5, 0, 0])
    b.frame("end", body="arm", at=[1.0, 0, 0]).frame("post", body="world", at=[1.0, 1.0, 0])
    b.spring("coil", 7.0, 0.2, joint="hinge").spring("line", 8.0, 0.4, between=("end", "post"))
    m = b.build()
    s = m.statics([0.0])
    assert s.joint_springs == {"coil": pytest.approx(1.4)}
    (line,) = [x for x in s.body("arm").acting if x.cause == "spring"]
    close(line.force, [0.0, 8.0 * 0.6, 0.0])
    close(line.at, [1.0, 0.0, 0.0])
    close(s.torques, [20.0 * 0.5 - 4.8 - 1.4])
    close(s.moment("hinge")[2], 10.0 - 4.8)  # the coil is part of the joint
    text = str(s)
    assert "coil    hinge              1.4  N m" in text
    assert "springs between frames" in text
