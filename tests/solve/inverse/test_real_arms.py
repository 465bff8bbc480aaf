"""Puma 560 and UR5: how many solutions there are, also near borders and singular positions."""

import numpy as np
import pytest

import visviva as vv
from tests.support.counts import count
from tests.support.oracles.robots import robot
from visviva.equations.frames.chain import SerialChain
from visviva.solve.inverse.checks.checking import Checker

ARMS = {
    "puma560": (vv.catalog.puma560, "tool"),
    "ur5": (lambda: vv.load(robot("ur5_robot.urdf")), "tool0"),
    "ur10": (lambda: vv.load(robot("ur10_robot.urdf")), "tool0"),
    "stanford": (vv.catalog.stanford, "tool"),
}


def hard_positions(arm, rng, n):
    """A third anywhere, a third near stretched elbows, a third near wrists in line."""
    q = rng.uniform(-np.pi, np.pi, (n, 6))
    small = 10.0 ** rng.uniform(-9, -1, n) * rng.choice([-1.0, 1.0], n)
    third = np.arange(n) % 3
    q[third == 1, 4] = small[third == 1]
    q[third == 2, 2] = small[third == 2]
    if not arm.name.startswith("stanford"):
        return q
    q[:, 2] = rng.uniform(0.2, 1.0, n)
    return q


@pytest.mark.soak
@pytest.mark.parametrize("name", ARMS)
def test_every_solution_meets_its_pose_also_near_singular_ones(name):
    make, frame = ARMS[name]
    arm = make()
    q = hard_positions(arm, np.random.default_rng(0), count(600, 100_000))
    X = np.asarray(arm.pose(frame)(q))
    found = arm.inverse_kinematics_function(frame)(X)
    there = np.isfinite(found).all(axis=-1)
    back = np.asarray(arm.pose(frame)(np.nan_to_num(found)))
    error = np.where(there, np.abs(back - X[:, None]).max(axis=(-1, -2)), 0.0)
    assert error.max() < 1e-12
    off = np.abs(np.angle(np.exp(1j * (found - q[:, None]))))
    if name == "stanford":
        off[..., 2] = np.abs(found[..., 2] - q[:, None, 2])
    away = np.where(there, off.max(axis=-1), np.inf).min(axis=1)
    # near a border or a singular position a joint is known to half the digits and less: there the
    # sum of joints 4 and 6 is, or what the pose shows of both
    anywhere = np.arange(len(q)) % 3 == 0
    assert np.quantile(away[anywhere], 0.99) < 1e-9


def newtons(checker, X, rng, starts):
    """Distinct solutions that Newton's steps find from random positions."""
    theta = rng.uniform(-np.pi, np.pi, (starts, 6))
    goal = np.broadcast_to(X, (starts, 4, 4))
    for _ in range(40):
        left = checker.error(theta, goal)[..., None]
        J = checker.rows(theta)
        down = np.swapaxes(J, -1, -2)
        step = np.linalg.solve(down @ J + 1e-10 * np.eye(6), down @ left)[..., 0]
        theta = theta + step / np.maximum(1.0, np.abs(step).max(axis=1, keepdims=True) / 0.7)
    for _ in range(8):
        left = checker.error(theta, goal)[..., None]
        theta = theta + (np.linalg.pinv(checker.rows(theta), rcond=1e-12) @ left)[..., 0]
    good = theta[np.abs(checker.error(theta, goal)).max(axis=-1) < 1e-11]
    distinct = []
    for t in good:
        if all(np.abs(np.angle(np.exp(1j * (t - d)))).max() > 1e-4 for d in distinct):
            distinct.append(t)
    return distinct


@pytest.mark.soak
@pytest.mark.parametrize("name", ["puma560", "ur5"])
def test_a_dense_multi_start_finds_as_many(name):
    """Where positions are not nearly double: there both would have to say what is one."""
    make, frame = ARMS[name]
    arm = make()
    rng = np.random.default_rng(1)
    q = rng.uniform(-np.pi, np.pi, (count(3, 400), 6))
    q[1::3, 4] = 0.02 * rng.choice([-1.0, 1.0], len(q[1::3]))  # a wrist nearly in line
    q[2::3, 2] = 0.05 * rng.choice([-1.0, 1.0], len(q[2::3]))  # an elbow nearly stretched
    X = np.asarray(arm.pose(frame)(q))
    found = arm.inverse_kinematics(frame, X, all=True, limits=False)
    assert found.complete.all()
    checker = Checker(SerialChain.of(arm, frame) if name == "ur5" else chain_of(arm, frame), "pose")
    for i in range(len(X)):
        distinct = newtons(checker, X[i], rng, count(400, 2000))
        own = found.q[i, : found.count[i]]
        for t in distinct:
            assert np.abs(np.angle(np.exp(1j * (own - t)))).max(axis=1).min() < 1e-5
        assert len(distinct) == found.count[i]


def chain_of(arm, frame):
    return SerialChain.of(arm.numeric, frame)


def test_kinova_is_recognised_as_it_is_written():
    arm = vv.load(robot("kinova.urdf"))
    found = arm.inverse_kinematics_function("j2s6s200_link_6")
    assert found.outputs["q"][0] == 8
