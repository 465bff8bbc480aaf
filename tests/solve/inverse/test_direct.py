"""The nearest solution by machine code is what `answers_of` says, which looks at everything.

Poses are anywhere, near singular positions down to 1e-6 rad, at them, at limits, and out of reach.
"""

import pickle
from dataclasses import fields, replace

import numpy as np
import pytest

import visviva as vv
from tests.solve.inverse.test_counts import ARMS, ELBOW, SHOULDER, WRIST, hard_positions
from tests.support.counts import count
from visviva.solve.inverse.inverse import answers_of, problem_of
from visviva.solve.inverse.solutions import NearestSolutions, Solutions
from visviva.solve.inverse.targets import targets

PUMA = vv.catalog.puma560()
HOME = np.array([0.3, -0.7, 0.4, 0.5, 0.6, 0.7])
RIGHT = np.array([0.0, np.pi / 2, -np.pi / 2, np.pi])


def positions(model, frame, n):
    """(n, nq): a third each near singular positions, anywhere, and with right angles and limits."""
    rng = np.random.default_rng(5)
    q, _ = hard_positions(model, frame, rng, n)
    low, high = np.maximum(model.lower, -4.0), np.minimum(model.upper, 4.0)
    q[n // 3 :] = rng.uniform(low, high, (n - n // 3, model.nq))
    special = rng.choice([*RIGHT, 1e-7, 1e-9], q.shape)
    special = np.where(rng.random(q.shape) < 0.4, rng.choice([low, high], n), special)
    chosen = (rng.random(q.shape) < 0.3) & (np.arange(n) >= 2 * n // 3)[:, None]
    return np.where(chosen, np.clip(special, model.lower, model.upper), q)


def seeds_of(model, q):
    """Near to what solutions are wanted: neutral, the position itself, far away, right angles."""
    rng = np.random.default_rng(6)
    kinds = [np.tile(model.neutral(), (len(q), 1)), q, rng.uniform(-9, 9, q.shape)]
    kinds.append(rng.choice([*RIGHT, 2 * np.pi], q.shape))
    return np.choose(rng.integers(0, 4, len(q))[:, None], kinds)


def everything(model, frame, X, seeds, limits, task="pose"):
    problem = problem_of(model, frame, task, limits, False)
    X, single = targets(problem.path, task, X)
    return answers_of(problem, X, seeds, single, {})


def assert_same(one, other):
    for field in fields(Solutions):
        a, b = getattr(one, field.name), getattr(other, field.name)
        if field.name == "nearest":
            pairs = zip(a, b, strict=True) if isinstance(a, tuple) else [(a, b)]
            assert all((x is None) == (y is None) for x, y in pairs)
        elif isinstance(a, np.ndarray) and a.dtype == float:
            assert np.allclose(a, b, rtol=0, atol=1e-12, equal_nan=True), field.name
        else:
            assert np.array_equal(a, b) if isinstance(a, np.ndarray) else a == b, field.name


@pytest.mark.soak
@pytest.mark.parametrize("limits", [True, False])
@pytest.mark.parametrize("name", ARMS)
def test_poses_have_the_solutions_of_the_careful_road(name, limits):
    make, frame = ARMS[name]
    arm, n = make(), count(300, 10_000)
    q = positions(arm, frame, n)
    X, seeds = np.asarray(arm.pose(frame)(q)), seeds_of(arm, q)
    X[::60, :3, 3] *= 4.0
    found = arm.inverse_kinematics(frame, X, seed=seeds, limits=limits)
    assert isinstance(found, NearestSolutions)
    assert (found.count[::60] == 0).any()
    assert_same(found, everything(arm, frame, X, seeds, limits))
    direct = problem_of(arm, frame, "pose", limits, False).direct
    anywhere = slice(n // 3, 2 * n // 3)
    assert direct.nearest(X[anywhere], seeds[anywhere])[2].mean() > 0.8
    for i in range(0, n, max(n // 40, 1)):
        alone = arm.inverse_kinematics(frame, X[i], seed=seeds[i], limits=limits)
        assert np.allclose(alone.q, found.q[i], rtol=0, atol=1e-12, equal_nan=True)
        assert (alone.count, alone.complete) == (found.count[i], found.complete[i])


@pytest.mark.parametrize("task", ["pose", "position"])
@pytest.mark.parametrize("name", ["scara", "planar_3r", "spatial_3r", "stanford", "cylindrical"])
def test_other_arms_too(name, task):
    arm = getattr(vv.catalog, name)()
    rng = np.random.default_rng(7)
    q = rng.uniform(np.maximum(arm.lower, -3.0), np.minimum(arm.upper, 3.0), (60, arm.nq))
    q[::4] = np.clip(rng.choice(RIGHT, q[::4].shape), arm.lower, arm.upper)
    X = np.asarray(arm.pose("tool")(q))
    X = X if task == "pose" else X[:, :3, 3].copy()
    problem = problem_of(arm, "tool", task, True, False)
    if problem.direct is None:
        pytest.skip("no closed form")
    found = arm.inverse_kinematics("tool", X, task=task, seed=seeds_of(arm, q))
    assert_same(found, everything(arm, "tool", X, seeds_of(arm, q), True, task))


def test_of_two_solutions_that_are_as_near_the_first_is_taken():
    arm = vv.catalog.two_link(L1=1.0, L2=1.0)
    both = arm.inverse_kinematics("tool", [1.0, 0.0], task="position", all=True)
    assert both.count == 2
    one = arm.inverse_kinematics("tool", [1.0, 0.0], task="position")
    assert np.array_equal(one.q, both.q[0])


@pytest.mark.parametrize("joint", [SHOULDER, ELBOW, WRIST])
def test_positions_at_limits_are_reached(joint):
    for end in (PUMA.lower, PUMA.upper):
        q = HOME.copy()
        q[joint] = end[joint]
        one = PUMA.inverse_kinematics("tool", PUMA.frame_pose("tool", q), seed=q)
        assert np.abs(one.q - q).max() < 1e-12
        assert np.array_equal(one.q, np.clip(one.q, PUMA.lower, PUMA.upper))


def test_limits_are_those_of_the_model_that_is_asked():
    X = PUMA.frame_pose("tool", HOME)
    assert np.abs(PUMA.inverse_kinematics("tool", X, seed=HOME).q - HOME).max() < 1e-12
    narrow = PUMA.with_limits({"joint1": (1.0, 2.0)})
    none = narrow.inverse_kinematics("tool", X, seed=HOME)
    assert none.count == 0
    assert none.reason.startswith("the limits exclude all ")
    free = narrow.inverse_kinematics("tool", X, seed=HOME, limits=False)
    assert np.abs(free.q - HOME).max() < 1e-12


def test_what_is_looked_at_later_is_said_of_the_pose_as_it_was_given():
    """Targets and seeds that are written over afterwards change nothing."""
    X, p = PUMA.frame_pose("tool", HOME).matrix(), np.array([0.5, 0.3, 0.1])
    seed, seeds = HOME.copy(), np.stack([HOME, HOME])
    one = PUMA.inverse_kinematics("tool", X, seed=seed)
    many = PUMA.inverse_kinematics("tool", np.stack([X, X]), seed=seeds)
    arm = vv.catalog.spatial_3r()
    point = arm.inverse_kinematics("tool", p, task="position")
    for array in (X, seed, seeds, p):
        array[:] = 100.0
    assert (one.complete, one.outside) == (True, 2)
    assert many.outside.tolist() == [2, 2]
    assert point.complete
    assert not one.q.flags.writeable


@pytest.mark.parametrize("looked_at", [False, True])
def test_solutions_are_copied_and_sent_to_other_processes(looked_at):
    X = PUMA.frame_pose("tool", HOME)
    for one in (
        PUMA.inverse_kinematics("tool", X, seed=HOME),
        PUMA.inverse_kinematics("tool", [X, X], seed=HOME),
    ):
        if looked_at:
            _ = one.complete
        again = pickle.loads(pickle.dumps(one))
        assert np.array_equal(again.q, one.q)
        assert np.array_equal(again.outside, one.outside)
        assert str(again) == str(one)
        other = replace(one, frame="hand")
        assert (other.frame, str(other.complete)) == ("hand", str(one.complete))


def test_solutions_are_printed_as_those_of_the_careful_road():
    X = PUMA.frame_pose("tool", HOME).matrix()
    one = PUMA.inverse_kinematics("tool", X, seed=HOME)
    full = everything(PUMA, "tool", X, HOME[None], True)
    assert str(one) == str(full)
    assert {type(one.count), type(one.complete), type(one.outside)} == {int, bool}
    assert [x.shape for x in (one.q, one.residuals, one.distance)] == [(6,), (), (2,)]
    assert (one.reason, one.free, one.nearest) == ("", (), None)


def test_seeds_far_away_are_left_to_the_careful_road():
    X = PUMA.frame_pose("tool", HOME)
    for turns in (20, 10**6):
        seed = HOME + 2 * np.pi * turns
        far = PUMA.inverse_kinematics("tool", X, seed=seed, limits=False)
        assert np.abs(far.q - seed).max() < 1e-8
