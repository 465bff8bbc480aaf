"""Equilibria of a linkage with one freedom: all that its motion meets."""

import numpy as np
import pytest

import visviva as vv
from visviva.describe.files.toml.read import loads_toml


def toggle():
    """Two links in one line, held by a spring that is shortened most there."""
    b = vv.Builder("toggle", gravity=(0, 0, 0))
    b.body("handle", joint="revolute", joint_name="alpha", axis="z", mass=0.2, com=[0.025, 0, 0],
           limits=[-0.15, 1.4])  # fmt: skip
    b.body("link", parent="handle", joint="revolute", joint_name="beta", axis="z", at=[0.05, 0, 0],
           mass=0.1, com=[0.03, 0, 0])  # fmt: skip
    b.body("plunger", joint="prismatic", joint_name="x", axis="x", mass=0.3)
    b.frame("eye", body="link", at=[0.06, 0, 0]).spring("work", 20000.0, 0.1, joint="x")
    return b.build().with_loop("eye", "plunger", "revolute", axis="z")


WISHBONES = """
name = "wishbones"
gravity = [0, -9.81, 0]
[[body]]
name = "lower"
joint = "revolute"
joint_name = "phi"
axis = "z"
inertia = { mass = 3, com = [0.19, 0, 0], moments = [0, 0.04, 0.04] }
[[body]]
name = "upright"
parent = "lower"
joint = "revolute"
joint_name = "psi"
axis = "z"
at = [0.38, 0, 0]
inertia = { mass = 25, com = [0.05, 0.13, 0], moments = [0.5, 0.5, 0.8] }
[[body]]
name = "upper"
joint = "revolute"
joint_name = "eta"
axis = "z"
at = [0.07, 0.24, 0]
inertia = { mass = 2, com = [0.14, 0, 0], moments = [0, 0.02, 0.02] }
[[frame]]
name = "ball"
body = "upright"
at = [0, 0.26, 0]
[[frame]]
name = "ball2"
body = "upper"
at = [0.28, 0, 0]
[[frame]]
name = "hub"
body = "upright"
at = [0.1, 0.13, 0]
[[constraint]]
name = "joint"
frame1 = "ball"
frame2 = "ball2"
joint = "revolute"
axis = "z"
[[spring]]
name = "strut"
from = { frame = "world", at = [0.1, 0.45, 0] }
to = { frame = "lower", at = [0.266, 0, 0] }
stiffness = 30000
rest = 0.42
damping = 1200
[[spring]]
name = "tyre"
from = { frame = "world", at = [0.48, -0.3, 0] }
to = "hub"
stiffness = 180000
rest = 0.42
"""

LAMP = """
name = "lamp"
gravity = [0, -9.81, 0]
[[body]]
name = "arm"
joint = "revolute"
joint_name = "phi"
axis = "z"
inertia = { mass = 2, com = [0.8, 0, 0] }
[[spring]]
name = "coil"
from = { frame = "world", at = [0, 0.25, 0] }
to = { frame = "arm", at = [0.2, 0, 0] }
stiffness = 313.92
rest = 0
"""


def listed(found, q):
    return any(np.allclose(x, q, atol=1e-5) for x in found)


@pytest.mark.spread(0)
def test_a_toggle_in_one_line_is_an_equilibrium():
    m = toggle()
    found = m.equilibria(starts=5)
    assert listed(found, [0, 0, 0.11])
    assert listed(found, [0.473451, -0.863212, 0.1])
    assert "there may be more" in found.why
    bounds = {"alpha": (-0.1, 0.1), "beta": (-1, 1), "x": (0.1, 0.12)}
    np.testing.assert_allclose(m.equilibria(within=bounds, starts=5).q, [[0, 0, 0.11]], atol=1e-9)


def test_starts_alone_find_it_too():
    """Newton's steps begin with what constraints carry: a position that is nearly one stays."""
    from visviva.motion.stability.balance import Balance

    there = Balance(toggle(), np.zeros(3), np.zeros(3), 0.0).settled(np.array([0.01, 0.02, 0.11]))
    np.testing.assert_allclose(there, [0, 0, 0.11], atol=1e-9)


def test_beside_stops_there_may_be_more():
    found = toggle().with_stops().equilibria(starts=5)
    assert "without stops, which hold it at others too" in found.why
    assert "there may be more" in found.why


@pytest.mark.spread(0)
def test_round_a_closed_curve_there_are_as_many_minima_as_maxima():
    m = loads_toml(WISHBONES)
    found = m.equilibria(starts=5)
    assert "a walk by steps of 0.05 rad or m round 1 curve; there may be more" in found.why
    assert not found.proved
    assert listed(found, [-2.970859, 1.931916, -2.476896])
    said = [str(found.linearized(k).stability.status) for k in range(len(found))]
    assert said.count("unstable") == said.count("asymptotically stable") == 3


@pytest.mark.spread(1)
@pytest.mark.parametrize("starts", [3, 30])
def test_a_slider_crank_has_its_equilibria_along_both_ways(starts):
    """V along the crank's angle, sampled finely: as many changes of slope."""
    m = vv.catalog.slider_crank()
    found = m.equilibria(starts=starts)
    way = m.coupler_curve("piston", "theta1", np.linspace(0.0, 2 * np.pi, 721)[:-1])
    slope = np.diff(np.append(V := m.potential_energy(way.q), V[0]))
    turns = int((slope * np.roll(slope, 1) < 0).sum())
    assert len(found) >= turns


def test_dry_friction_leaves_a_balanced_arm_at_rest_everywhere():
    lamp = loads_toml(LAMP)
    for arm in (lamp, lamp.with_friction(phi=0.5)):
        found = arm.equilibria()
        assert len(found) == 1
        assert "it rests everywhere" in found.why
        assert found.anywhere == ("phi",)
    assert found.stability[0].startswith("undecided: dry friction")


def test_where_none_is_no_value_will_do():
    b = vv.Builder("falling", gravity=(0, -9.81, 0))
    b.body("mass", joint="prismatic", joint_name="y", axis="y", mass=1.0)
    found = b.build().equilibria()
    assert len(found) == 0
    assert found.proved
    assert "forces are left over, and no position changes them" in found.why
    assert "any value will do" not in repr(found)
    assert found.anywhere == ()
