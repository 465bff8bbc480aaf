"""Model: names and numbers, parameters, coupled joints, gravity."""

import re

import numpy as np
import pytest

import visviva as vv
from tests.support.generators.bodies import close, same_pose
from tests.support.generators.small_models import arm, crank
from visviva.describe import catalog
from visviva.describe.bodies.inertia import Inertia
from visviva.describe.by_hand.builder import Builder
from visviva.describe.model.body import Mimic
from visviva.errors import ArgumentError, UnknownNameError, VisvivaError
from visviva.space.poses import Pose

# ---- names and sizes


def test_sizes_and_names():
    m = arm()
    assert (m.nq, m.nv) == (6, 5)
    assert m.joint_names == ("upper_joint", "slider_joint", "wrist")
    assert m.body_names == ("upper", "slider", "hand")
    assert m.frame_names == ("upper", "slider", "hand", "tip")
    assert m.q_index == (slice(0, 1), slice(1, 2), slice(2, 6))
    assert m.v_index == (slice(0, 1), slice(1, 2), slice(2, 5))
    assert [m.body_index(n) for n in m.body_names] == [0, 1, 2]
    assert m.joint_index("wrist") == 2
    assert m.frame("tip").body == 2
    assert m.frame("slider").body == 1
    assert m.mass == 3.5
    close(m.gravity, [0, 0, -9.81], 0)
    assert m.lower.tolist() == [-1.0, 0.0] + [-np.inf] * 4
    assert m.upper.tolist() == [2.0, 0.5] + [np.inf] * 4
    assert m.velocity_limits.tolist() == [3.0] + [np.inf] * 4
    assert m.effort_limits.tolist() == [50.0] + [np.inf] * 4


def test_unknown_names_list_the_known_ones():
    m = arm()
    with pytest.raises(UnknownNameError, match=r"unknown body 'hnad'; did you mean 'hand'\?"):
        m.body_index("hnad")
    with pytest.raises(UnknownNameError, match=r"unknown joint 'x' \(available: 'upper_joint', "):
        m.joint_index("x")
    with pytest.raises(UnknownNameError, match="unknown frame 'tipp'; did you mean 'tip'"):
        m.frame_pose("tipp", m.neutral())
    with pytest.raises(UnknownNameError, match="unknown joint 'wirst'; did you mean 'wrist'"):
        m.q(wirst=[0, 0, 0, 1])


def test_the_table():
    assert repr(arm()) == (
        "arm: nq 6, nv 5, gravity (0, 0, -9.81)\n"
        "   joint         parent  type       limits    mass  body\n"
        "0  upper_joint   world   revolute   [-1, 2]   2     upper\n"
        "1  slider_joint  upper   prismatic  [0, 0.5]  1     slider\n"
        "2  wrist         slider  spherical            0.5   hand\n"
        "1 frame: tip\n"
        "damping: slider_joint 0.3\n"
        "friction: slider_joint 0.2"
    )
    text = repr(crank())
    assert "parameters: l = 0.5, m = 2" in text
    assert "revolute = -2·a_joint + 0.25" in text
    assert "gravity (0, -9.81, 0)" in text
    two = Builder("two").body("a", joint="cylindrical", limits=([-1, 0], [1, 0.5])).build()
    assert "cylindrical  [-1, 1] [0, 0.5]  0" in repr(two)
    assert "1 note: see .notes" in repr(Builder("empty").note("nothing here").build())


# ---- coupled joints


def test_coupled_joints_follow():
    m = crank().numeric
    assert (m.nq, m.nv, m.joint_names) == (1, 1, ("a_joint",))
    q = np.array([0.4])
    close(m.local(1, q), [-2 * 0.4 + 0.25], 1e-15)
    along = Pose.translation([0.5, 0, 0])
    expected = Pose.rotation([0, 0, 1], 0.4) @ along @ Pose.rotation([0, 0, 1], -0.55)
    same_pose(m.frame_pose("b", q), expected, 1e-15)
    close(m.integrate(q, [0.1]), [0.5], 1e-15)
    assert m.random(0).shape == m.neutral().shape == (1,)
    with pytest.raises(ArgumentError, match="joint 'b_joint' is coupled"):
        m.q(b_joint=1.0)


def test_a_joint_may_follow_one_that_comes_later():
    b = Builder("gears").body("follower", joint="revolute", mimic=Mimic("leader_joint", 3.0))
    m = b.body("leader", joint="revolute").build()
    close(m.local(0, np.array([0.5])), [1.5], 0)


def test_a_source_must_exist_and_be_free():
    b = Builder("gears").body("a", joint="revolute", mimic=Mimic("no"))
    with pytest.raises(UnknownNameError, match="unknown joint that 'a_joint' follows 'no'"):
        b.build()
    b = Builder("gears").body("a", joint="revolute")
    b.body("b", joint="revolute", mimic=Mimic("a_joint"))
    with pytest.raises(UnknownNameError, match=r"follows 'b_joint'.*\(available: 'a_joint'\)"):
        b.body("c", joint="revolute", mimic=Mimic("b_joint")).build()


def test_symbolic_couplings():
    b = Builder("gears", parameters={"ratio": 3.0, "shift": 0.5})
    ratio, shift = b.parameters["ratio"], b.parameters["shift"]
    b.body("a", joint="revolute").body("b", joint="revolute", mimic=Mimic("a_joint", ratio, shift))
    m = b.build()
    assert m.is_symbolic
    assert m.numeric.bodies[1].mimic == Mimic("a_joint", 3.0, 0.5)
    assert "revolute = ratio·a_joint + shift" in repr(m)


# ---- parameters


def test_parameters():
    m = crank()
    assert m.is_symbolic
    assert not m.numeric.is_symbolic
    assert dict(m.parameters) == {"l": 0.5, "m": 2.0}
    assert m.numeric.mass == 6.0
    assert m.with_parameters(m=1.0).numeric.mass == 3.0
    assert dict(m.parameters) == {"l": 0.5, "m": 2.0}  # the first is as it was
    assert m.over({"m": 10.0}).mass == 30.0
    assert dict(m.over({}).parameters) == {}
    close(m.numeric.frame_pose("end", np.array([0.0])).p[:1], [0.5 + 0.25 * np.cos(0.25)], 1e-15)
    for refused in (lambda: m.with_parameters(k=1.0), lambda: m.over({"k": 1.0})):
        with pytest.raises(
            UnknownNameError, match=r"unknown parameter 'k' \(available: 'l', 'm'\)"
        ):
            refused()
    for write, line in (
        (lambda p: p.update(l=1.0), "model.with_parameters({'l': 1.0})"),
        (lambda p: p.__setitem__("l", 1.0), "model.with_parameters({'l': 1.0})"),
        (lambda p: p.__setitem__("k", 1.0), "model.with_parameters({model.parameter_names[0]: 2.0"),
        (lambda p: p.clear(), "model.with_parameters({model.parameter_names[0]: 2.0})"),
    ):
        with pytest.raises(TypeError, match=re.escape(line)):
            write(m.parameters)
    assert m.with_parameters({m.parameter_names[0]: 2.0}).parameters["l"] == 2.0
    assert arm().numeric.mass == arm().mass
    assert not arm().is_symbolic


def test_every_number_of_a_body_may_be_a_parameter():
    b = Builder("screw", parameters={"k": 3.0})
    k = b.parameters["k"]
    shaft = {"damping": k, "friction": 2 * k, "armature": 3 * k, "pitch": 4 * k, "at": [k, 0, 0]}
    b.body("a", joint="helical", inertia=Inertia.point(k), **shaft).frame(
        "f", body="a", at=[0, k, 0]
    )
    body = b.build().numeric.bodies[0]
    assert [*body.damping, *body.friction, *body.armature] == [3.0, 6.0, 9.0]
    assert (body.joint.pitch, body.inertia.mass, body.placement.p[0]) == (12.0, 3.0, 3.0)
    assert b.build().numeric.frames[0].placement.p[1] == 3.0


def test_parameters_as_inputs_of_machine_code():
    """One compiled function over a batch of lengths."""
    m = crank()

    def reach(q, p):
        x = m.over({"l": p[0], "m": p[1]}).frame_pose("end", q).p
        return x[0] * x[0] + x[1] * x[1]

    f = vv.function(reach, {"q": 1, "p": 2})
    lengths = np.linspace(0.1, 1.0, 7)
    got = f(np.array([0.3]), np.column_stack([lengths, np.ones(7)]))
    by_hand = [
        np.sum(m.with_parameters(l=x).numeric.frame_pose("end", np.array([0.3])).p[:2] ** 2)
        for x in lengths
    ]
    close(got, by_hand, 1e-15)


@pytest.mark.parametrize("value", [np.nan, np.inf, "x", None])
def test_parameters_are_finite_numbers(value):
    with pytest.raises(ArgumentError, match="parameter 'a1' is a finite number"):
        catalog.scara().with_parameters(a1=value)


def test_impossible_values_are_refused_at_once():
    with pytest.raises(VisvivaError, match="mass cannot be negative"):
        catalog.scara().with_parameters(m1=-1.0)


def test_another_gravity():
    m = arm()
    moon = m.with_gravity([0, 0, -1.62])
    q = m.random(0)
    close(moon.gravity_forces(q) * 9.81, m.gravity_forces(q) * 1.62, 1e-12)
    assert m.gravity.tolist() == [0, 0, -9.81]
    for bad in (-1.62, [0, 0], [0, 0, np.nan], "moon", None, [[0, 0, 1]]):
        with pytest.raises(ArgumentError, match=r"gravity is 3 finite numbers \[x, y, z\], got"):
            m.with_gravity(bad)
