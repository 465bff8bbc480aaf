"""Positions of rest under loads at frames: by school geometry; statics finds no torque there."""

import numpy as np
import pytest

import visviva as vv
from tests.support.generators.bodies import close
from visviva.errors import ArgumentError, UnknownNameError


def pendulum():
    b = vv.Builder("pendulum", gravity=[0, -10.0, 0])
    b.body("rod", joint="revolute", joint_name="phi", mass=2.0, com=[0, -0.5, 0])
    return b.frame("end", body="rod", at=[0, -1.0, 0]).build()


def test_a_pendulum_that_is_pushed_aside():
    """tan φ = F l / (m g c): hanging, and standing on its head."""
    m = pendulum()
    found = m.equilibria(wrenches={"end": {"force": [6.0, 0.0, 0.0]}})
    assert found.proved
    phi = np.arctan2(6.0 * 1.0, 2.0 * 10.0 * 0.5)
    close(np.sort(found.q[:, 0]), [phi - np.pi, phi])
    text = repr(found)
    assert "]  stable" in text
    assert "unstable" in text
    for q in found:
        s = m.statics(q, {"end": {"force": [6.0, 0.0, 0.0]}}, acting="on robot")
        close(s.torques, [0.0])
    with pytest.raises(ArgumentError, match=r"under wrenches are not offered; statics\(q"):
        found.linearized(0)


def test_an_arm_on_springs_bends_under_its_load():
    arm = vv.catalog.two_link()
    b = vv.Builder("sprung", gravity=[0, -9.81, 0])
    for k, (name, parent) in enumerate((("one", ""), ("two", "one"))):
        b.body(name, parent=parent, joint="revolute", joint_name=f"q{k}", mass=1.0,
               com=[0.5, 0, 0], at=[float(k), 0, 0])  # fmt: skip
        b.spring(f"s{k}", 60.0, 0.3, joint=f"q{k}")
    m = b.frame("tip", body="two", at=[1.0, 0, 0]).build()
    load = [{"frame": "tip", "force": [3.0, -4.0, 0]}, {"frame": "tip", "moment": [0, 0, 0.5]}]
    found = m.equilibria(wrenches=load, within={"q0": (-2, 2), "q1": (-2, 2)})
    assert found.proved
    assert len(found) >= 1
    for q in found:
        s = m.statics(q, load, acting="on robot", actuated=[])
        assert s.disagreement < 1e-12
    assert "stable" in repr(found)
    assert arm.equilibria(wrenches={}).proved  # no loads are none


def test_a_linkage_rests_where_its_load_and_its_weights_balance():
    m = vv.catalog.four_bar().with_passive(["theta1", "theta2", "theta3"])
    load = {"coupler_end": [0, 0, 0, 4.0, 9.0, 0]}
    found = m.equilibria(wrenches=load, starts=25)
    assert len(found) >= 2
    for q in found:
        s = m.statics(q, load, acting="on robot")  # nothing drives it, nothing has to
        assert len(s.efforts) == 0
    assert repr(found).count("stable") == len(found)


def test_refusals():
    m = pendulum()
    with pytest.raises(UnknownNameError, match="unknown frame 'tip'"):
        m.equilibria(wrenches={"tip": np.zeros(6)})
    with pytest.raises(ArgumentError, match=r"at the frame's origin, in world axes; with_frame"):
        m.equilibria(wrenches={"end": {"force": [1, 0, 0], "point": [1, 0, 0]}})
    with pytest.raises(ArgumentError, match="positions of rest, and v is not zero"):
        m.equilibria([1.0], wrenches={"end": np.zeros(6)})
    with pytest.raises(AttributeError, match=r"frames needs bodies.*stated by its energies"):
        vv.catalog.knife_edge().equilibria(wrenches={"end": np.zeros(6)})
