"""Tasks: coordinates against SciPy, Jacobians against derivatives, errors against motions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import visviva as vv
from tests.support.counts import examples
from tests.support.oracles.oracle import mechanism, random_state
from visviva.equations.frames.tasks import task, task_coordinates, task_jacobian
from visviva.errors import ArgumentError, ShapeError, UnknownNameError
from visviva.space.euler import CONVENTIONS

WITH_COORDINATES = (
    "position",
    "x z",
    "x y phi",
    "ZYX",
    "euler-xzx",
    "rotation-vector",
    "quaternion",
)
WITHOUT = ("pose", "orientation", "axis", "x-axis", "y-axis", "position axis")
seeds = st.integers(0, 2**32 - 1)


def random_pose(rng):
    X = np.eye(4)
    X[:3, :3] = Rotation.random(random_state=rng).as_matrix()
    X[:3, 3] = rng.normal(size=3)
    return X


def moved(X, V):
    """X after a small world twist, its point moving with v."""
    Y = np.array(X)
    Y[:3, :3] = Rotation.from_rotvec(V[:3]).as_matrix() @ X[:3, :3]
    Y[:3, 3] = X[:3, 3] + V[3:]
    return Y


@pytest.mark.parametrize("name", CONVENTIONS)
def test_euler_angles_of_all_conventions_are_those_of_scipy(name):
    rng = np.random.default_rng(5)
    X = random_pose(rng)
    ours = task(name if name.isupper() else f"euler-{name}").value(X)
    theirs = Rotation.from_matrix(X[:3, :3]).as_euler(name)
    np.testing.assert_allclose(ours, theirs, atol=1e-12)


@examples(15, 4000)
@given(seeds)
def test_rows_are_the_rates_of_values_and_errors_lead_to_the_target(seed):
    """Central differences: 1e-6 apart, of smooth functions, leave 1e-9 where angles are regular."""
    rng = np.random.default_rng(seed)
    X, V = random_pose(rng), rng.normal(size=6)
    h = 1e-6
    for text in WITH_COORDINATES:
        t = task(text)
        rows = t.rows(X)
        if np.abs(rows).max() > 30 or np.abs(t.value(X)).max() > 3.0:
            continue  # near a singularity or a cut of the coordinates themselves
        change = (t.value(moved(X, V * h)) - t.value(moved(X, -V * h))) / (2 * h)
        np.testing.assert_allclose(rows @ V, change, atol=1e-6)
    for text in (*WITH_COORDINATES, *WITHOUT):
        t = task(text)
        if np.abs(t.rows(X)).max() > 30:
            continue
        assert np.abs(t.error(X, X)).max() < 1e-15
        np.testing.assert_allclose(t.error(X, moved(X, V * h)) / h, t.rows(X) @ V, atol=2e-4)


@examples(8, 2000)
@given(seeds)
def test_errors_of_turns_reach_the_target_at_once(seed):
    """Turning by the error of an orientation or an axis is there, however far it is."""
    rng = np.random.default_rng(seed)
    X, Y = random_pose(rng), random_pose(rng)
    w = task("orientation").error(X, Y)
    np.testing.assert_allclose(moved(X, [*w, 0, 0, 0])[:3, :3], Y[:3, :3], atol=1e-12)
    for k, text in enumerate(("x-axis", "y-axis", "axis")):
        t = task(text)
        twist = t.rows(X).T @ t.error(
            X, Y
        )  # two orthonormal rows: their transpose is their inverse
        np.testing.assert_allclose(moved(X, twist)[:3, k], Y[:3, k], atol=1e-12)
    flipped = np.diag([1.0, -1.0, -1.0, 1.0])
    assert np.linalg.norm(task("axis").error(np.eye(4), flipped)) == pytest.approx(np.pi)


@examples(3, 500)
@given(seeds, st.integers(2, 5))
def test_jacobians_are_derivatives_on_random_mechanisms(seed, size):
    """Of trees of all joint types, free ones too: the graph's own derivative, along motions."""
    rng = np.random.default_rng(seed)
    model = mechanism(rng, size).numeric
    q = random_state(rng, model)[0]
    frame = model.frame_names[-1]
    point = rng.normal(size=3)
    for text in ("x y z", "position quaternion"):
        f = model.task(frame, text, point)
        slope = np.array(f.jacobian("q").interpret(q), float)
        J = task_jacobian(model, frame, q, text, point)
        scale = max(1.0, np.abs(J).max())
        np.testing.assert_allclose(J, slope, atol=1e-12 * scale)
        np.testing.assert_allclose(
            task_coordinates(model, frame, q, text, point),
            np.array(f.interpret(q), float),
            atol=1e-12,
        )


def test_a_plane_may_be_any():
    arm = vv.catalog.two_link()
    q = [0.3, 0.7]
    np.testing.assert_allclose(arm.task("tool", "phi")(q), [1.0], atol=1e-15)
    np.testing.assert_allclose(arm.task("tool", "y x phi")(q)[2], np.pi / 2 - 1.0, atol=1e-15)
    np.testing.assert_allclose(arm.task_jacobian("tool", "y x phi")(q)[2], [-1, -1], atol=1e-15)
    assert task("x y z phi").parts[-1] == task("phi").parts[0]
    assert task("planar").names == task("x y phi").names


def test_tasks_are_functions_with_batches_derivatives_and_c():
    arm = vv.catalog.spatial_3r()
    f = arm.task("tool", "position ZYX", [0, 0, 0.1])
    assert f is arm.task("tool", "position  ZYX", [0, 0, 0.1])
    q = np.random.default_rng(1).normal(size=(4, 5, 3))
    assert f(q).shape == (4, 5, 6)
    np.testing.assert_allclose(
        arm.task_jacobian("tool", "position ZYX", [0, 0, 0.1])(q), f.jacobian("q")(q), atol=1e-12
    )
    assert "void " in f.c_source("tip")


@pytest.mark.parametrize(
    ("text", "error", "says"),
    [
        (
            "xyz",
            ArgumentError,
            "'xyz' could be coordinates or turns about fixed axes: write 'x y z'",
        ),
        ("x x", ArgumentError, "has 'x' twice"),
        ("pose ZYX", ArgumentError, "has the orientation twice"),
        ("positon", UnknownNameError, "unknown word of a task 'positon'; did you mean 'position'?"),
        ("", ArgumentError, "a task is a text of words"),
        (3, ArgumentError, "a task is a text of words"),
    ],
)
def test_texts_that_are_no_tasks_are_refused(text, error, says):
    with pytest.raises(error, match=says.replace("?", r"\?")):
        task(text)


def test_bad_questions_about_tasks_are_refused():
    arm = vv.catalog.two_link()
    with pytest.raises(ArgumentError, match="no coordinates for its orientation: name some"):
        arm.task("tool", "pose")
    with pytest.raises(UnknownNameError, match=r"unknown frame 'tip'.*available: 'link1'"):
        arm.task("tip", "x y")
    with pytest.raises(ArgumentError, match="takes the name of a frame and a task"):
        arm.task("tool", [0.3, 0.7])
    with pytest.raises(ShapeError, match="a point has 3 coordinates"):
        arm.task_jacobian("tool", "x y", [1.0])
