"""Blocks in slots, geared cranks and limits: what sweeps of linkages make of them."""

import numpy as np
import pytest

import visviva as vv
from visviva.errors import ArgumentError

BAR = vv.Inertia.solid("rod", mass=1.0, length=0.3, axis="x")


def slotted(block_on, offset=0.0):
    """A crank of 0.1 m, 0.25 m above the pivot of a slotted lever; the slot may miss the pivot."""
    b = vv.Builder("shaper", gravity=[0, 0, 0])
    b.body("crank", joint="revolute", joint_name="theta", at=[0, 0.25, 0], inertia=BAR)
    b.body("lever", joint="revolute", joint_name="swing", inertia=BAR)
    b.frame("pin", body="crank", at=[0.1, 0, 0])
    b.frame("slot", body="lever", at=[0, offset, 0])
    if block_on == "lever":
        how = {"parent": "lever", "joint": "prismatic", "axis": "x", "at": [0, offset, 0]}
        b.body("block", joint_name="slide", inertia=BAR, **how)
        return b.build().with_loop("pin", "block", joint="revolute", axis="z")
    at = [0.1, 0, 0]
    b.body("block", parent="crank", joint="revolute", joint_name="turn", at=at, inertia=BAR)
    frames = ("slot", "block") if block_on == "crank" else ("block", "slot")
    return b.build().with_loop(*frames, joint="prismatic", axis="x")


@pytest.mark.spread(1)
@pytest.mark.parametrize("block_on", ["lever", "crank", "crank, slot last"])
def test_a_block_pushes_across_its_slot(block_on):
    found = slotted(block_on).transmission_angle("theta")
    np.testing.assert_allclose(np.degrees(found.angle), 90.0, atol=1e-6)
    assert (found.coupler, found.output) == ("block", "lever")


def test_a_slot_that_misses_the_pivot_pushes_partly_towards_it():
    """The push is across the slot, at the pin; sin(deviation) = offset / distance of the pin."""
    m = slotted("lever", offset=0.05)
    found = m.transmission_angle("theta", np.linspace(0.0, 6.0, 13))
    pin = np.array([m.frame_pose("pin", q).p for q in found.q])
    far = np.linalg.norm(pin, axis=1)
    np.testing.assert_allclose(np.sin(found.deviation), 0.05 / far, rtol=1e-8)


def geared(ratio=-2):
    """A five-bar whose second crank is geared to the first."""
    b = vv.Builder("geared", gravity=[0, -9.81, 0])
    for k, x in (1, 0.0), (2, 0.3):
        b.body(f"crank{k}", joint="revolute", joint_name=f"a{k}", at=[x, 0, 0], inertia=BAR)
        how = {"parent": f"crank{k}", "joint": "revolute", "at": [0.1, 0, 0]}
        b.body(f"link{k}", joint_name=f"b{k}", inertia=BAR, **how)
        b.frame(f"end{k}", body=f"link{k}", at=[0.3, 0, 0])
    m = b.build().with_loop("end1", "end2", joint="revolute", axis="z", name="knee")
    return m.with_constraint(f"a2 = {ratio}*a1", "gear")


def test_a_crank_that_is_geared_to_the_input_is_no_output():
    m = geared()
    with pytest.raises(ArgumentError, match=r"'crank2' goes with 'a1' without a coupler"):
        m.transmission_angle("a1")
    found = m.transmission_angle("a1", [0.4], output="link2")
    knee, *ends = (m.frame_pose(x, found.q[0]).p for x in ("end1", "link1", "link2"))
    one, other = (x - knee for x in ends)
    assert np.cos(found.angle[0]) == pytest.approx(one @ other / 0.09, abs=1e-12)


@pytest.mark.spread(1)
@pytest.mark.parametrize(("ratio", "joint", "turns"), [("-2", "b1", 1), ("-1/2", "b2", 2)])
def test_a_geared_pair_comes_back_after_whole_turns(ratio, joint, turns):
    """The swinging joint turns back as often as its rate changes sign in so many turns."""
    m = geared(ratio)
    dead = m.dead_points(joint)
    assert dead.is_cycle
    assert np.ptp(dead.q[:, 0]) < 2 * np.pi * turns
    sweep = m.driving_torque("a1", np.linspace(0.01, 0.01 + 2 * np.pi * turns, 300), speed=1.0)
    rate = sweep.v[:, m.joint_names.index(joint)]
    assert len(dead) == np.count_nonzero(rate[1:] * rate[:-1] < 0) > 0


def lid(low, high, joint="revolute"):
    b = vv.Builder("lid", gravity=[0, -9.81, 0])
    b.body("lid", joint=joint, joint_name="phi", axis="z", inertia=BAR, limits=[low, high])
    return b.build()


@pytest.mark.spread(3)
@pytest.mark.parametrize(
    ("low", "high", "first", "last"),
    [
        (0.0, 1.5, 0.0, 1.5),
        (-2.0, 1.0, -2.0, 1.0),
        (-np.pi, np.pi, -np.pi, np.pi),
        (-7.0, 7.0, 0.0, 2 * np.pi),
        (1.0, np.inf, 1.0, 1.0 + 2 * np.pi),
        (-np.inf, 1.0, 1.0 - 2 * np.pi, 1.0),
    ],
)
def test_sweeps_without_values_keep_to_limits(low, high, first, last):
    drive = lid(low, high).driving_torque("phi")
    np.testing.assert_allclose(drive.values[[0, -1]], [first, last], atol=1e-12)
    assert len(drive.values) == 121
    assert "limits" not in repr(drive)


def test_slides_have_limits_too_and_values_beyond_are_told():
    slide = lid(-0.2, 0.3, "prismatic")
    assert slide.coupler_curve("lid", "phi").values[[0, -1]].tolist() == [-0.2, 0.3]
    with pytest.raises(ArgumentError, match=r"does not turn: .* or limits"):
        lid(0.0, np.inf, "prismatic").driving_torque("phi")
    for found in (slide.coupler_curve("lid", "phi", [0, 1]), slide.driving_torque("phi", [0, 1])):
        assert repr(found).endswith("; values leave the limits of phi, -0.2 to 0.3")


def test_the_torques_of_all_joints_go_into_reactions():
    m = vv.catalog.four_bar()
    drive = m.driving_torque("theta1", [0.3, 0.9], speed=4.0)
    assert drive.tau.shape == (2, m.nv)
    np.testing.assert_allclose(m.forward_dynamics(drive.q, drive.v, drive.tau), drive.a, atol=1e-9)
    moment = m.reactions(drive.q, drive.v, drive.tau)[:, 0, 2]
    np.testing.assert_allclose(moment, drive.torque, rtol=1e-9)
