"""Secondary objectives by name: their slopes, and what they do to an arm that is moved on."""

import numpy as np
import pytest

import visviva as vv
from visviva.errors import ArgumentError, UnknownNameError

LOW, HIGH = np.full(7, -1.5), np.linspace(1.6, 2.2, 7)
FREE = vv.catalog.human_arm()
RANGES = dict(zip(FREE.joint_names, zip(LOW, HIGH, strict=True), strict=True))
ARM = FREE.with_limits(RANGES)
Q = np.array([0.5, 0.3, 0.2, 1.0, 0.1, 0.4, 0.2])
TWIST = np.array([0.1, -0.2, 0.3, 0.2, 0.1, -0.4])


def room(q):
    """As books have it: minus half the mean square of what joints are off the middle."""
    return -0.5 * np.mean(((q - (LOW + HIGH) / 2) / ((HIGH - LOW) / 2)) ** 2)


VALUES = {
    "limits": room,
    "manipulability": lambda q: float(ARM.manipulability("tool", q, task="pose", length=1.0)),
    "neutral": lambda q: -0.5 * float(q @ q),
}


def slope(f, q, h=1e-6):
    return np.array([(f(q + h * e) - f(q - h * e)) / (2 * h) for e in np.eye(len(q))])


@pytest.mark.parametrize("name", VALUES)
def test_an_objective_grows_by_its_gradient_at_no_cost_to_the_task(name):
    plain = ARM.joint_rates("tool", Q, TWIST)
    told = ARM.joint_rates("tool", Q, TWIST, secondary=name)
    z, N = slope(VALUES[name], Q), plain.null_space
    assert np.abs(told.v - plain.v - N @ (N.T @ z)).max() < 1e-8
    assert np.abs(ARM.jacobian("tool")(Q) @ told.v - TWIST).max() < 1e-12


def test_several_objectives_have_weights():
    told = ARM.joint_rates("tool", Q, TWIST, secondary={"limits": 2.0, "neutral": 0.5})
    z = 2.0 * slope(VALUES["limits"], Q) + 0.5 * slope(VALUES["neutral"], Q)
    same = ARM.joint_rates("tool", Q, TWIST, secondary=z)
    assert np.abs(told.v - same.v).max() < 1e-8


@pytest.mark.spread(0)
def test_a_hand_that_stays_lets_joints_go_to_the_middle_of_their_ranges():
    """Until what is left of the gradient would move the hand: a stationary point of the room."""
    q, before = Q.copy(), room(Q)
    target = ARM.frame_pose("tool", Q)
    for _ in range(60):
        v = ARM.joint_rates("tool", q, np.zeros(6), secondary={"limits": 6.0}).v
        q = ARM.inverse_kinematics("tool", target, seed=q + v).q
    best = ARM.self_motion("tool", Q).best(room, limits=False)
    assert before < room(q) <= best.value + 1e-9
    N = ARM.joint_rates("tool", q, np.zeros(6)).null_space
    assert np.abs(N.T @ slope(room, q)).max() < 1e-6


def test_many_positions_are_one_call():
    rng = np.random.default_rng(0)
    q = rng.uniform(-1, 1, (5, 7))
    told = ARM.joint_rates("tool", q, np.zeros(6), secondary={"limits": 1.0, "manipulability": 1.0})
    for x, v in zip(q, told.v, strict=True):
        one = ARM.joint_rates(
            "tool", x, np.zeros(6), secondary={"limits": 1.0, "manipulability": 1.0}
        )
        assert np.abs(one.v - v).max() < 1e-12


def test_refusals():
    with pytest.raises(UnknownNameError, match="unknown secondary objective 'limit'"):
        ARM.joint_rates("tool", Q, TWIST, secondary="limit")
    for weight in (-1.0, "much", True, np.nan, None):
        with pytest.raises(ArgumentError, match="weight"):
            ARM.joint_rates("tool", Q, TWIST, secondary={"limits": weight})
    with pytest.raises(ArgumentError, match="has both limits; with_limits"):
        FREE.joint_rates("tool", Q, TWIST, secondary="limits")
