"""What is certified is true, and what is not a solution is not certified."""

import mpmath
import numpy as np
import pytest

import visviva as vv
from benchmarks.robots import PANDA, UR5
from tests.support.counts import count
from visviva.equations.frames.kinematics import kinematics
from visviva.errors import ShapeError
from visviva.solve.numeric.certified import certify
from visviva.solve.numeric.newton import solve_many
from visviva.solve.numeric.several import all_by_search


def reachable(model, tip, number, seed=2):
    rng = np.random.default_rng(seed)
    q = np.array([model.random(rng) for _ in range(number)])
    return q, model.pose(tip)(q)


def solved_exactly(model, tip, q, target):
    """The solution near q with 40 digits, by Newton's method on mpmath's numbers."""
    with mpmath.workdps(40):
        x = np.array([mpmath.mpf(float(v)) for v in q], dtype=object)
        for _ in range(4):
            X, J = kinematics(model.numeric, tip, x)
            turn = target[:3, :3] @ X[:3, :3].T
            w = [(turn[i, j] - turn[j, i]) / 2 for i, j in ((2, 1), (0, 2), (1, 0))]
            e = mpmath.matrix([*w, *(target[:3, 3] - X[:3, 3])])
            step = mpmath.lu_solve(mpmath.matrix(J.tolist()), e)
            x = x + np.array([*step], dtype=object)
        return np.array([float(abs(a - b)) for a, b in zip(x, q, strict=True)]), step


def test_a_true_solution_is_within_the_radius():
    """Another road: Newton's method with 40 digits lands within it."""
    model, tip = UR5.model, UR5.tip
    _, X = reachable(model, tip, 3)
    found = solve_many(model, tip, X)
    proved = certify(model, tip, found.q, X)
    assert proved.certain.all()
    assert proved.is_unique.all()
    for q, target, radius in zip(found.q, X, proved.radius, strict=True):
        away, last = solved_exactly(model, tip, q, target)
        assert max(abs(x) for x in last) < 1e-30
        assert away.max() <= radius
        assert away.max() < 1e-13


def test_positions_that_solve_nothing_are_not_certified():
    model, tip = UR5.model, UR5.tip
    q, X = reachable(model, tip, 50)
    assert certify(model, tip, q, X).certain.mean() > 0.9
    for off in (1e-5, 1e-3, 0.3, np.pi):
        assert not certify(model, tip, q + off * np.eye(6)[5], X).certain.any()


def test_half_a_turn_away_conditions_hold_and_are_not_taken_for_the_target():
    wheel = vv.Builder("wheel").body("arm", joint="revolute", axis="z")
    model = wheel.frame("tip", body="arm").build()
    X = model.pose("tip")([[0.5]])
    assert certify(model, "tip", [[0.5]], X).certain[0]
    assert not certify(model, "tip", [[0.5 + np.pi]], X).certain[0]


def test_singular_solutions_are_left_open():
    """An arm stretched out: two solutions meet there, and neither is proved."""
    model = vv.catalog.planar_3r()
    X = model.pose("tool")([[0.3, 0.0, 0.0]])
    assert not certify(model, "tool", [[0.3, 0.0, 0.0]], X).certain[0]


def test_redundant_arms_and_arms_of_few_joints():
    q, X = reachable(PANDA.model, PANDA.tip, 20)
    proved = certify(PANDA.model, PANDA.tip, q, X)
    assert proved.certain.all()
    assert not proved.is_unique.any()
    planar = vv.catalog.planar_3r()
    q, X = reachable(planar, "tool", 10)
    proved = certify(planar, "tool", q, X)
    assert proved.certain.all()
    assert proved.unmoved.max() < 1e-290  # out of the plane nothing moves, nothing is left
    assert str(proved) == "Certificates(10 of 10 proved, within 1e-10)"
    X[:, 2, 3] = 1e-4  # above the plane
    assert not certify(planar, "tool", q, X).certain.any()


@pytest.mark.parametrize("task", ["position axis", "x y phi", "position ZYX"])
def test_tasks_are_certified(task):
    model, tip = UR5.model, UR5.tip
    q, X = reachable(model, tip, 10)
    assert certify(model, tip, q, X, task=task).certain.all()


@pytest.mark.soak
def test_a_search_finds_eight_solutions_of_a_ur5_each_proved():
    model, tip = UR5.model, UR5.tip
    q, X = reachable(model, tip, count(12, 2000))
    some = all_by_search(model, tip, X)
    assert not some.complete.any()
    there = np.arange(some.q.shape[1]) < some.count[:, None]
    assert np.isnan(some.q[~there]).all()
    assert set(some.count) <= {2, 4, 6, 8}
    assert 8 in some.count
    assert np.isfinite(some.radius[there]).mean() > 0.99
    Y = model.pose(tip)(np.nan_to_num(some.q))
    assert np.abs(Y - X[:, None])[there].max() < 1e-9
    # the position that the target was made of is among them, modulo turns
    away = np.abs(np.exp(1j * some.q) - np.exp(1j * q)[:, None]).max(axis=2)
    assert np.nanmin(away, axis=1).max() < 1e-6
    # and all are distinct by more than their radii
    for x, n in zip(some.q, some.count, strict=True):
        for i in range(n):
            others = np.abs(np.exp(1j * x[:n]) - np.exp(1j * x[i])).max(axis=1)
            assert (np.delete(others, i) > 1e-6).all()
    assert "there may be others" in str(some)


def test_a_search_where_nothing_is_found():
    model, tip = UR5.model, UR5.tip
    X = np.eye(4)[None].copy()
    X[0, 0, 3] = 50.0
    none = all_by_search(model, tip, X, starts=16)
    assert none.count.tolist() == [0]
    assert none.q.shape == (1, 0, 6)


def test_shapes_are_checked():
    with pytest.raises(ShapeError, match=r"a position for every pose, \(1, 6\); got shape \(6,\)"):
        certify(UR5.model, UR5.tip, np.zeros(6), np.eye(4)[None])
