"""Poses: the group, its exponential and logarithm with their derivatives, the adjoint."""

import pickle
import re

import mpmath
import numpy as np
import pytest
import sympy
from hypothesis import given

import visviva as vv
from tests.support.counts import count, examples
from tests.support.generators import bodies
from tests.support.generators.bodies import (
    ANGLES,
    NEAR_PI,
    close,
    compiled,
    mp,
    over_all_scalars,
    same_pose,
    unit,
)
from visviva.describe.joints.axis import Revolute
from visviva.errors import ArgumentError, RotationError, ShapeError
from visviva.space import poses, spatial
from visviva.space.poses import Pose

twists = bodies.vectors(6)


def hat(V):
    M = np.zeros((4, 4))
    M[:3, :3], M[:3, 3] = np.cross(V[:3], np.eye(3)).T, V[3:]
    return M


@examples(8, 5000)
@given(bodies.places(), bodies.places(), bodies.places(), bodies.vectors(3))
def test_group(X, Y, Z, p):
    same_pose((X @ Y) @ Z, X @ (Y @ Z))
    same_pose(X @ X.inverse(), Pose.identity(), 1e-14)
    same_pose(X.inverse() @ X, Pose.identity(), 1e-14)
    close((X @ Y).matrix(), X.matrix() @ Y.matrix())
    close((X @ Y).apply(p), X.apply(Y.apply(p)))
    close(X.apply(p), (X.matrix() @ [*p, 1.0])[:3])
    same_pose(Pose.from_matrix(X.matrix()), X, 0)


@examples(8, 5000)
@given(bodies.places(), bodies.places(), twists, twists)
def test_adjoint_moves_twists_and_wrenches(X, Y, V, F):
    Ad = X.adjoint()
    close(hat(Ad @ V), X.matrix() @ hat(V) @ X.inverse().matrix())  # its definition
    close((X @ Y).adjoint(), Ad @ Y.adjoint())
    close(X.inverse().adjoint() @ Ad, np.eye(6))
    # a wrench in A times a twist in A is the same power in B
    close(F @ (Ad @ V), (Ad.T @ F) @ V)
    same_pose(poses.exp(Ad @ V), X @ poses.exp(V) @ X.inverse())
    close(Ad @ spatial.cross_motion(V, F), spatial.cross_motion(Ad @ V, Ad @ F))


SHIFTS = [[0.3, -2.0, 0.7], [1e-9, 0.0, 0.0]]


@pytest.mark.parametrize("angle", [*ANGLES, *NEAR_PI])
@pytest.mark.parametrize("v", SHIFTS[: count(1, 2)], ids=str)
@pytest.mark.spread(6)
def test_exp_and_log_and_their_derivatives(angle, v):
    """Against mpmath's matrix exponential and its differences."""
    V = np.concatenate([unit([1, 2, -3]) * angle, v])
    with mpmath.workdps(bodies.DIGITS):
        expected = bodies.as_floats(bodies.reference_exp(mp(V)))
    close(over_all_scalars(_exp_matrix, V, tolerance=4e-15), expected, 4e-15)
    D = over_all_scalars(poses.exp_derivative, V, tolerance=4e-15)
    close(D, bodies.reference_derivative(V), 4e-15)
    inverse = over_all_scalars(poses.log_derivative, V, tolerance=2e-14)
    close(inverse, np.linalg.inv(D), 2e-14)
    back = poses.log(poses.exp(V))
    if np.pi - angle > 4e-15:
        np.testing.assert_allclose(back[:3], V[:3], rtol=1e-13, atol=2e-14 * angle)
        close(back[3:], v, 1e-13)
    close(poses.exp(back).matrix(), expected, 1e-14)


def _exp_matrix(V):
    return poses.exp(V).matrix()


def _log_after_exp(V):
    return poses.log(poses.exp(V))


@pytest.mark.parametrize("angle", [*ANGLES, *NEAR_PI[:-2]])
def test_log_over_all_scalars(angle):
    V = np.concatenate([unit([1, 2, -3]) * angle, [0.3, -2.0, 0.7]])
    close(over_all_scalars(_log_after_exp, V, tolerance=1e-13), V, 1e-13)


def test_machine_code_differentiates_log_through_zero():
    for V in (np.zeros(6), np.array([0, 0, 0, 1.0, 2, 3]), np.array([1.0, 0.5, -0.7, 1, 2, 3])):
        close(compiled(_log_after_exp, 6).jacobian("x0")(V), np.eye(6))


@examples(8, 5000)
@given(twists)
def test_constant_twists_add_up(V):
    same_pose(poses.exp(0.3 * V) @ poses.exp(0.7 * V), poses.exp(V))
    same_pose(poses.exp(-V), poses.exp(V).inverse())
    close(poses.exp_derivative(V), poses.exp(-V).adjoint() @ poses.exp_derivative(-V), 1e-11)
    # 1e-11: entries grow with the square of the twist, up to a hundred


def test_ways_to_state_one():
    same_pose(Pose.translation([1, 2, 3]), Pose(np.eye(3), [1, 2, 3]), 0)
    quarter = Pose.rotation([0, 0, 1], np.pi / 2)
    close(quarter.apply([1, 0, 0]), [0, 1, 0], 1e-15)
    same_pose(Pose.identity(), Pose.from_matrix(np.eye(4)), 0)
    same_pose(pickle.loads(pickle.dumps(quarter)), quarter, 0)


def test_wrong_shapes_are_refused():
    with pytest.raises(ShapeError, match=r"3 × 3 rotation and 3 coordinates, got \(2, 2\)"):
        Pose(np.eye(2), np.zeros(3))
    with pytest.raises(ShapeError, match=r"got \(3, 3\) and \(4,\)"):
        Pose(np.eye(3), np.zeros(4))
    with pytest.raises(ShapeError, match=r"4 × 4, got \(3, 3\)"):
        Pose.from_matrix(np.eye(3))


@pytest.mark.parametrize(
    ("joined", "line"),
    [
        (lambda pose: np.eye(4) @ pose, f"{np.eye(4).tolist()} @ pose.matrix()"),
        (lambda pose: pose @ np.eye(4), f"pose.matrix() @ {np.eye(4).tolist()}"),
        (lambda pose: np.eye(3) @ pose, f"vv.Pose({np.eye(3).tolist()}) @ pose"),
        (lambda pose: pose @ [1, 2, 3], "pose.apply([1, 2, 3])"),
        (lambda pose: pose * pose, "pose @ other"),
    ],
)
def test_what_is_no_pose_is_joined_by_the_line_that_is_named(joined, line):
    with pytest.raises(ArgumentError, match=re.escape(f"here it is {line}") + "$"):
        joined(Pose.translation([1.0, 2.0, 3.0]))


def test_what_knows_poses_itself_is_asked():
    class Cloud:
        def __rmatmul__(self, pose):
            return pose.p.sum()

    assert Pose.translation([1.0, 2.0, 3.0]) @ Cloud() == 6.0


def test_a_matrix_that_stretches_shears_or_mirrors_is_no_pose():
    with pytest.raises(RotationError, match=r"R Rᵀ differs from the unit matrix by 3, got"):
        Pose(2 * np.eye(3), np.zeros(3))
    with pytest.raises(RotationError, match=r"by 0\.1"):
        Pose.from_matrix([[1, 0.1, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
    with pytest.raises(RotationError, match="it mirrors"):
        Pose(np.diag([1.0, 1.0, -1.0]), np.zeros(3))
    with pytest.raises(RotationError, match="by nan"):
        Pose(np.full((3, 3), np.nan), np.zeros(3))
    turned = Revolute([0.0, 0.0, 1.0]).transform([np.nan])  # what joints compute is not looked at
    assert np.isnan((turned @ turned.inverse()).matrix()).any()
    with pytest.raises(ShapeError, match=r"last row .* is 0 0 0 1, got \[0\.0, 0\.0, 0\.0, 2\.0\]"):
        Pose.from_matrix(np.diag([1, 1, 1, 2]))
    Pose(poses.exp([0.3, 0.1, 0.7, 0, 0, 0]).R.round(7), np.zeros(3))  # to seven digits


def test_a_pose_of_symbols_is_taken_as_it_is():
    x = sympy.Symbol("x")
    assert Pose(np.diag([x, x, 1]), np.zeros(3)).R[0, 0] == x


def test_whole_entries_leave_formulas_exact():
    """1.0 · l/3 is l/3 in products, inverses, points, twists, and turns by an angle."""
    L, a = sympy.symbols("l a")
    X = Pose([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]], [0.0, L / 3, 0.0])
    assert [*(X @ X).p] == [-L / 3, L / 3, 0]
    assert [*X.inverse().p] == [-L / 3, 0, 0]
    assert [*X.apply([L / 3, 0.5, 0.0])] == [-sympy.Rational(1, 2), 2 * L / 3, 0]
    assert X.adjoint()[5, 1] == L / 3
    assert Pose.rotation([0, 0, 1], a).R[0, 0] == sympy.cos(a)
    assert Pose.rotation([0, 0, 1], sympy.pi / 3).R[0, 1] == -sympy.sqrt(3) / 2


@pytest.mark.parametrize(
    ("axis", "line"),
    [
        ("x", "vv.Pose.rotation([1.0, 0.0, 0.0], 0.3)"),
        ("Y", "vv.Pose.rotation([0.0, 1.0, 0.0], 0.3)"),
        ("-z", "vv.Pose.rotation([0.0, 0.0, -1.0], 0.3)"),
        (" +X", "vv.Pose.rotation([1.0, 0.0, 0.0], 0.3)"),
        ("yaw", ""),
        ("xy", ""),
        ("--z", ""),
        ("", ""),
    ],
)
def test_the_line_that_an_axis_in_words_is_told_works(axis, line):
    with pytest.raises(ArgumentError) as refused:
        Pose.rotation(axis, 0.3)
    assert f"about z they are [0, 0, 1], got {axis!r}" in str(refused.value)
    assert refused.value.cure == line
    assert not line or eval(line, {"vv": vv}).R.shape == (3, 3)
