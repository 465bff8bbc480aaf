"""Newton's method from many starts: targets that are reached are found, within limits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import visviva as vv
from benchmarks.robots import PANDA, UR5
from tests.support.counts import count, examples
from tests.support.generators.bodies import JOINTS
from visviva.errors import ArgumentError, ShapeError, UnknownNameError
from visviva.solve.numeric.newton import newton_of, solve_many
from visviva.space import rotations

ARMS = {"ur5": UR5, "panda": PANDA}


def positions(model, number, seed=0):
    rng = np.random.default_rng(seed)
    return np.array([model.random(rng) for _ in range(number)])


def errors(X, Y):
    """Angle and distance between poses, by the logarithm of each."""
    turned = [rotations.log(a[:3, :3].T @ b[:3, :3]) for a, b in zip(X, Y, strict=True)]
    return np.linalg.norm(turned, axis=1), np.linalg.norm(X[:, :3, 3] - Y[:, :3, 3], axis=1)


@pytest.mark.spread(1)
@pytest.mark.soak
@pytest.mark.parametrize("name", ARMS)
def test_random_reachable_targets_are_reached_within_limits(name):
    model, tip = ARMS[name].model, ARMS[name].tip
    q = positions(model, count(500, 100_000), seed=3)
    X = model.pose(tip)(q)
    found = solve_many(model, tip, X)
    assert found.converged.mean() >= count(1.0, 0.9999)
    good = found.converged
    angle, distance = errors(model.pose(tip)(found.q)[good][:2000], X[good][:2000])
    assert angle.max() < 1e-9
    assert distance.max() < 1e-9
    assert np.median(found.residual) < 1e-14
    # joints that the tip does not hang on stay neutral, whatever their limits
    way = newton_of(model, tip).reach.coordinates
    assert (found.q[:, way] >= model.lower[way]).all()
    assert (found.q[:, way] <= model.upper[way]).all()
    others = np.setdiff1d(np.arange(model.nq), way)
    assert (found.q[:, others] == model.neutral()[others]).all()


def chain(rng, kinds):
    """Joints one after the other, at random places; `shoulder` … so that all types take part."""
    b, parent = vv.Builder("chain"), ""
    for k, kind in enumerate(kinds):
        turn = rotations.exp(rng.normal(size=3))
        at = 0.5 * rng.normal(size=3)
        b.body(f"body{k}", parent=parent, joint=JOINTS[kind], at=at, rotation=turn)
        parent = f"body{k}"
    return b.frame("tip", body=parent, at=[0.1, 0.2, 0.3]).build()


@examples(2, 200)
@given(st.integers(0, 10**6), st.lists(st.sampled_from(sorted(JOINTS)), min_size=1, max_size=4))
def test_chains_of_any_joints_find_back(seed, kinds):
    """Also where joints are too few to reach every pose: the pose was reached once."""
    rng = np.random.default_rng(seed)
    model = chain(rng, [*kinds, "revolute"])
    q = positions(model, 8, seed)
    X = model.pose("tip")(q)
    found = solve_many(model, "tip", X)
    assert found.converged.all()
    # a double root is found to the square root of rounding: the residual is what counts
    assert np.abs(model.pose("tip")(found.q) - X).max() < 1e-9


@pytest.mark.spread(1)
@pytest.mark.parametrize("task", ["position axis", "x y phi"])
def test_tasks_leave_the_rest_free(task):
    model, tip = UR5.model, UR5.tip
    X = model.pose(tip)(positions(model, 50, seed=5))
    found = solve_many(model, tip, X, task=task)
    assert found.converged.all()
    Y = model.pose(tip)(found.q)
    if "position" in task:
        assert np.abs(Y[:, :3, 3] - X[:, :3, 3]).max() < 1e-10
    if "axis" in task:
        assert np.abs(Y[:, :3, 2] - X[:, :3, 2]).max() < 1e-10
    if "y" in task.split():
        assert np.abs(Y[:, 1, 3] - X[:, 1, 3]).max() < 1e-10
    assert (np.abs(Y - X).max(axis=(1, 2)) > 1e-3).any()


def test_a_seed_that_solves_it_stays():
    model, tip = PANDA.model, PANDA.tip
    q = positions(model, 20)
    found = solve_many(model, tip, model.pose(tip)(q), seed=q)
    assert (found.starts == 1).all()
    assert np.abs(found.q - q).max() < 1e-12
    near = solve_many(model, tip, model.pose(tip)(q), seed=q + 1e-4)
    assert np.abs(near.q - q).max() < 3e-2


def test_what_goes_round_is_put_within_limits_or_near_the_seed():
    wheel = vv.Builder("wheel").body("arm", joint="revolute", axis="z")
    model = wheel.frame("tip", body="arm", at=[1.0, 0.0, 0.0]).build()
    X = model.pose("tip")([[0.5]])
    assert solve_many(model, "tip", X).q[0, 0] == pytest.approx(0.5, abs=1e-12)
    twice = solve_many(model, "tip", X, seed=[12.0]).q[0, 0]
    assert twice == pytest.approx(0.5 + 4 * np.pi, abs=1e-12)


def test_unreachable_targets_have_the_nearest_position_and_say_so():
    model, tip = UR5.model, UR5.tip
    X = model.pose(tip)(positions(model, 4))
    X[1, :3, 3] *= 10.0
    X[2, 0, 3] = np.nan
    found = solve_many(model, tip, X)
    assert found.converged.tolist() == [True, False, False, True]
    assert found.residual[1] > 1.0
    assert str(found) == "Found(2 of 4 targets, residual at most " + str(found).split()[-1]


def test_limits_are_held_or_left_out_as_asked():
    """A target that only a position beyond the limits reaches."""
    b = vv.Builder("arm").body("one", joint="revolute", axis="z", limits=(0.0, 1.0))
    model = b.frame("tip", body="one", at=[1.0, 0.0, 0.0]).build()
    X = model.pose("tip")([[1.5]])
    inside, outside = (solve_many(model, "tip", X, limits=x) for x in (True, False))
    assert not inside.converged[0]
    assert inside.q[0, 0] == pytest.approx(1.0)
    assert outside.q[0, 0] == pytest.approx(1.5, abs=1e-12)


def test_a_run_again_gives_the_same():
    model, tip = PANDA.model, PANDA.tip
    X = model.pose(tip)(positions(model, 100, seed=9))
    one, other = (solve_many(model, tip, X) for _ in range(2))
    assert (one.q == other.q).all()


def test_what_is_wrong_is_said():
    model, tip = UR5.model, UR5.tip
    with pytest.raises(ShapeError, match=r"poses are an array \(N, 4, 4\), got shape \(4, 4\)"):
        solve_many(model, tip, np.eye(4))
    with pytest.raises(ShapeError, match=r"seed is a position \(6,\)"):
        solve_many(model, tip, np.eye(4)[None], seed=[0.0])
    with pytest.raises(UnknownNameError, match="tool0"):
        solve_many(model, "tool", np.eye(4)[None])
    with pytest.raises(UnknownNameError, match="word of a task"):
        solve_many(model, tip, np.eye(4)[None], task="positon")
    with pytest.raises(ArgumentError, match="loops or other constraints"):
        solve_many(vv.catalog.four_bar(), vv.catalog.four_bar().frame_names[0], np.eye(4)[None])
    with pytest.raises(ArgumentError, match="no joint of 'ur5' moves the pose of 'base_link'"):
        solve_many(model, "base_link", np.eye(4)[None])
