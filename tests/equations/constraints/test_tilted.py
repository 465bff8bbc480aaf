"""A mechanism moves alike however it is turned in space: rows that rounding leaves are no rows."""

import numpy as np
import pytest

import visviva as vv
from visviva.equations.constraints import motion as held
from visviva.space.rotations import exp

TILTS = [np.zeros(3), np.array([0.3, -0.8, 0.5]), np.array([-1.1, 0.4, 2.0]), np.array([2.0, 1, 0])]


def four_bar(R, scale=1.0):
    """In the plane of x and y of R, with a hinge in space that closes it: three rows too many."""
    z = R[:, 2]

    def at(x, y=0.0):
        return R @ np.array([x, y, 0.0]) * scale

    b = vv.Builder("four_bar", gravity=at(0, -9.81))
    b.body("crank", joint="revolute", axis=z, joint_name="q1", mass=1, com=at(0.5))
    b.body("coupler", parent="crank", joint="revolute", axis=z, joint_name="q2", at=at(1), mass=1,
           com=at(1.5, 0.2))  # fmt: skip
    b.body("rocker", joint="revolute", axis=z, joint_name="q3", at=at(4), mass=1, com=at(1))
    b.frame("end", body="coupler", at=at(3)).frame("pin", body="rocker", at=at(2))
    return b.build().with_loop("end", "pin", axis=z, name="hinge")


def motion(model, q):
    """Velocity, acceleration, its slopes, constraint forces and actuator forces."""
    v, tau = model.admitted_velocity(q, [1.0, 0.0, 0.0]), np.array([2.0, 0.0, 0.0])
    a = model.forward_dynamics(q, v, tau)
    slopes = model.forward_dynamics.jacobian("q", "v", "tau")(q, v, tau)
    return [v, a, *slopes, model.constraint_forces(q, v, tau), model.actuator_forces(q, v, a)]


@pytest.mark.spread(0)
def test_a_tilted_linkage_moves_as_the_level_one():
    level, tilted = four_bar(np.eye(3)), four_bar(exp(TILTS[1]))
    q = level.assembled([0.9, -0.4, 2.0])
    for x, y in zip(motion(tilted, q), motion(level, q), strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-10, atol=1e-10 * np.abs(y).max())
    assert tilted.displacements(q).shape == (3, 1)


@pytest.mark.parametrize(("tilt", "scale"), [(TILTS[2], 1e-6), (TILTS[3], 1e3)])
def test_a_linkage_of_any_size_does(tilt, scale):
    level, tilted = four_bar(np.eye(3), scale), four_bar(exp(tilt), scale)
    q = four_bar(np.eye(3)).assembled([0.9, -0.4, 2.0])
    for name in ("projection", "forward_dynamics", "constraint_forces"):
        more = () if name == "projection" else (np.zeros(3), np.array([2.0, 0, 0]) * scale**2)
        x, y = (getattr(held, name)(m, q, *more) for m in (tilted, level))
        np.testing.assert_allclose(x, y, rtol=1e-10, atol=1e-10 * np.abs(y).max())


def test_an_actuator_that_does_no_work_exerts_nothing():
    """Joints 1 and 2 are held by a point: the third alone moves, and only its motor matters."""
    for w in TILTS[2:]:
        R = exp(w)
        b = vv.Builder("arm")
        for k, parent in enumerate(("world", "l1", "l2"), 1):
            b.body(f"l{k}", parent=parent, joint="revolute", axis=R[:, k - 1], joint_name=f"j{k}",
                   at=[0.5, 0.1, 0.3], mass=1, com=[0.3, 0.2, 0.1])  # fmt: skip
        b.frame("tip", body="l2", at=[0.3, 0.3, 0.3])
        q, v = np.array([0.3, 0.4, 0.5]), np.array([0.0, 0.0, 1.0])
        b.frame("there", body="world", at=b.build().frame_pose("tip", q).p)
        arm = b.build().with_loop("there", "tip", "spherical")
        a = arm.forward_dynamics(q, v, [0.0, 0.0, 1.0])
        np.testing.assert_allclose(arm.actuator_forces(q, v, a), [0, 0, 1], atol=1e-11)


def test_a_loop_that_holds_nothing_more_changes_nothing():
    """A slider in a second guide along its own: five rows of rounding errors."""
    for w in TILTS[:2]:
        x = exp(w)[:, 0]
        b = vv.Builder("slider").body("s", joint="prismatic", axis=x, at=[1, 2, 3], mass=2)
        b.body("w", parent="s", joint="revolute", axis=[1, 2, 3], mass=1, com=[0.1, 0.2, 0.3])
        b.frame("guide", body="world", at=[0.3, 0.2, 0.1])
        b.frame("foot", body="s", at=[-0.7, -1.8, -2.9])
        free = b.build()
        guided = free.with_loop("guide", "foot", "prismatic", axis=x)
        state = np.array([0.3, 0.2]), np.array([1.0, 2.0]), np.array([1.0, 0.5])
        np.testing.assert_array_equal(guided.multipliers(*state), np.zeros(5))
        np.testing.assert_allclose(guided.forward_dynamics(*state), free.forward_dynamics(*state))
        assert guided.displacements(state[0]).shape == (2, 2)


def test_small_formulas_hold_as_large_ones():
    """Only loops have rows that rounding leaves: what a formula says in small numbers is said."""
    arm = vv.catalog.two_link()
    small = arm.with_constraint("1e-13*q1 = 2e-13*q2").with_constraint("q1 + q2 = 0.3")
    plain = arm.with_constraint("q1 = 2*q2").with_constraint("q1 + q2 = 0.3")
    state = np.array([0.2, 0.1]), np.zeros(2), np.ones(2)
    for name in ("forward_dynamics", "constraint_forces"):
        said = [getattr(m, name)(*state) for m in (small, plain)]
        np.testing.assert_allclose(*said, rtol=1e-10, atol=1e-12)
    assert small.displacements(state[0]).shape == plain.displacements(state[0]).shape == (2, 0)
