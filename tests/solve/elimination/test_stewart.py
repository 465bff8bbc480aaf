"""Platforms on six legs: all 40 poses, each one proved, and found again by another method."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import visviva as vv
from tests.support.counts import count, examples
from visviva.errors import ArgumentError, ShapeError
from visviva.solve.elimination.legs import SixLegs
from visviva.solve.elimination.platforms.paths import Anchors
from visviva.solve.elimination.platforms.quadrics import pose_of, seven_quadrics
from visviva.solve.elimination.platforms.start import start
from visviva.solve.elimination.stewart import (
    assembly_modes,
    leg_jacobian,
    leg_lengths,
    platform_poses,
)
from visviva.solve.elimination.tangents import skews
from visviva.space import rotations

seeds = st.integers(0, 10**9)
# Dietmaier, The Stewart–Gough platform of general geometry can have 40 real postures, in Advances
# in Robot Kinematics, 1998
DIETMAIER = {
    "base": [
        [0, 0, 0],
        [1.107915, 0, 0],
        [0.549094, 0.756063, 0],
        [0.735077, -0.223935, 0.525991],
        [0.514188, -0.526063, -0.368418],
        [0.590473, 0.094733, -0.205018],
    ],
    "platform": [
        [0, 0, 0],
        [0.542805, 0, 0],
        [0.956919, -0.528915, 0],
        [0.665885, -0.353482, 1.402538],
        [0.478359, 1.158742, 0.107672],
        [-0.137087, -0.235121, 0.353913],
    ],
    "lengths": [1.0, 0.645275, 1.086284, 1.503439, 1.281933, 0.771071],
}


def random_pose(rng):
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = rotations.exp(rng.normal(size=3)), rng.normal(size=3)
    return X


def exponentials(w):
    """Rotations (N, 3, 3) by vectors (N, 3)."""
    angle = np.linalg.norm(w, axis=1)[:, None, None] + 1e-300
    K = skews(w)
    return np.eye(3) + np.sin(angle) / angle * K + 0.5 * np.sinc(angle / (2 * np.pi)) ** 2 * K @ K


def multistart(base, platform, lengths, starts, seed=0):
    """Real poses by damped Newton steps in the six rates, from random poses: a second method."""
    rng = np.random.default_rng(seed)
    q = rng.normal(size=(starts, 4))
    X = np.tile(np.eye(4), (starts, 1, 1))
    X[:, :3, :3] = [rotations.quaternion_matrix(x / np.linalg.norm(x)) for x in q]
    X[:, :3, 3] = rng.normal(size=(starts, 3)) * np.mean(lengths)
    for _ in range(60):
        e = leg_lengths(base, platform, X) - lengths
        J = leg_jacobian(base, platform, X)
        Jt = J.transpose(0, 2, 1)
        damping = 1e-3 * (e**2).sum(1)[:, None, None] * np.eye(6) + 1e-14 * np.eye(6)
        step = -np.linalg.solve(Jt @ J + damping, Jt @ e[..., None])[..., 0]
        step *= np.minimum(1.0, 0.5 / (np.abs(step).max(axis=1) + 1e-300))[:, None]
        X[:, :3, :3] = exponentials(step[:, :3]) @ X[:, :3, :3]
        X[:, :3, 3] += step[:, 3:]
    good = X[np.abs(leg_lengths(base, platform, X) - lengths).max(axis=1) < 1e-10]
    found = []
    for Y in good:
        if all(np.abs(Y - Z).max() > 1e-6 for Z in found):
            found.append(Y)
    return np.array(found).reshape(-1, 4, 4)


def same_poses(a, b, within=1e-7):
    gap = np.abs(a[:, None] - b[None]).max(axis=(2, 3))
    return (gap.min(axis=1) < within).all() and (gap.min(axis=0) < within).all()


@examples(3, 300)
@given(seeds)
def test_general_platforms_have_forty_poses(seed):
    """The generating pose is among them, lengths are right, and 40 are proved to be different."""
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(2, 6, 3))
    X = random_pose(rng)
    L = leg_lengths(a, b, X)
    s = platform_poses(a, b, L)
    assert np.abs(s.poses - X).max(axis=(1, 2)).min() < 1e-8
    assert np.abs(leg_lengths(a, b, s.poses) - L).max() < 1e-12 * (1 + L.max())
    assert s.count % 2 == 0
    assert (s.found, s.expected, s.is_complete) == (40, 40, True)
    assert s.residual < 1e-14


def test_complex_poses_have_the_lengths_too():
    """Over ℂ: R Rᵀ = 1 and (p + R b - a)·(p + R b - a) = L², nothing conjugated."""
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 6, 3))
    a, b = a - a.mean(axis=0), b - b.mean(axis=0)
    L = leg_lengths(a, b, random_pose(rng))
    s = platform_poses(a, b, L)
    R, p = pose_of(s.points)
    size = np.sqrt((a**2).sum(1).mean() + (b**2).sum(1).mean())
    d = size * p[:, None] + b @ R.transpose(0, 2, 1) - a
    large = 1 + np.abs(R).max(axis=(1, 2)) ** 2 + np.abs(size * p).max(axis=1) ** 2
    assert (np.abs((d * d).sum(2) - L**2).max(axis=1) < 1e-11 * large).all()
    assert (np.abs(R @ R.transpose(0, 2, 1) - np.eye(3)).max(axis=(1, 2)) < 1e-12 * large).all()
    # and with a pose its conjugate is one
    x = s.points / np.linalg.norm(s.points, axis=1, keepdims=True)
    overlap = np.abs(x @ x.T)  # of x̄ with all others
    assert (overlap.max(axis=1) > 1 - 1e-9).all()


def test_a_platform_with_forty_real_poses():
    s = platform_poses(**DIETMAIER)
    assert (s.count, s.found, s.is_complete) == (40, 40, True)
    assert repr(s) == "40 real poses, 0 complex ones, all proved: 40, no other pose exists"
    L = DIETMAIER["lengths"]
    assert np.abs(leg_lengths(DIETMAIER["base"], DIETMAIER["platform"], s.poses) - L).max() < 1e-13
    gaps = np.abs(s.poses[:, None] - s.poses[None]).max(axis=(2, 3)) + np.eye(40)
    assert gaps.min() > 1e-3


@pytest.mark.soak
def test_a_second_method_finds_the_same():
    """Newton's method from many starts finds no pose that is not there, and here all that are."""
    rng = np.random.default_rng(8)
    for k in range(count(1, 20)):
        a, b = rng.normal(size=(2, 6, 3))
        L = leg_lengths(a, b, random_pose(rng))
        s = platform_poses(a, b, L)
        assert same_poses(s.poses, multistart(a, b, L, count(300, 2000), seed=k))


@pytest.mark.soak
def test_forty_real_poses_by_a_second_method():
    a, b, L = (np.array(DIETMAIER[k], dtype=float) for k in ("base", "platform", "lengths"))
    found = multistart(a, b, L, count(150, 20_000))
    s = platform_poses(a, b, L)
    gap = np.abs(found[:, None] - s.poses[None]).max(axis=(2, 3)).min(axis=1)
    assert (gap < 1e-6).all()  # no other pose, ever
    assert len(found) >= count(8, 40)


def test_planar_platforms_have_forty_poses_and_those_in_pairs_sixteen():
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(2, 6, 3)) * [1.0, 1.0, 0.0]
    X = random_pose(rng)
    s = platform_poses(a, b, leg_lengths(a, b, X))
    assert (s.found, s.expected, s.is_complete) == (40, 40, True)
    # mirrored in the plane of the base, the poses of a flat platform are poses again
    assert s.count % 2 == 0
    for corners, feet in ((b[[0, 0, 1, 1, 2, 2]], a), (b, a[[0, 1, 1, 2, 2, 0]])):
        L = leg_lengths(feet, corners, X)
        s = platform_poses(feet, corners, L)
        assert (s.found, s.expected, s.is_complete) == (16, 16, True)
        assert np.abs(s.poses - X).max(axis=(1, 2)).min() < 1e-8


@pytest.mark.soak
def test_special_platforms_are_not_called_complete():
    """Points of base and platform on circles, as in the catalogue: fewer than 40 poses."""
    model = vv.catalog.stewart()
    six = SixLegs.of(model)
    rng = np.random.default_rng(0)
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = rotations.exp(0.3 * rng.normal(size=3)), [0.1, 0.05, 0.9]
    L = leg_lengths(six.base, six.platform, X)
    s = assembly_modes(model, L)
    assert (s.found, s.is_complete) == (28, False)
    assert "12 of 40 are multiple, at infinity or not proved: not complete" in repr(s)
    assert np.abs(s.poses - X).max(axis=(1, 2)).min() < 1e-12
    assert same_poses(s.poses, multistart(six.base, six.platform, L, count(300, 3000)))


def test_a_model_and_its_legs():
    for kind in ("UPS", "SPS"):
        model = vv.catalog.stewart(legs=kind)
        six = SixLegs.of(model)
        assert six.joints == tuple(f"leg{i}" for i in range(1, 7))
        q = model.keyframes["assembled"]
        legs = [float(q[model.joint_slices[x][0]][0]) for x in six.joints]
        X = model.frame_pose("platform", q).matrix()
        assert np.abs(leg_lengths(six.base, six.platform, X) - six.lengths(legs)).max() < 1e-14
        s = assembly_modes(model, legs)
        assert np.abs(s.poses - X).max(axis=(1, 2)).min() < 1e-12
    with pytest.raises(
        ArgumentError, match="'delta' is no platform on six sliding legs: of 6 loop"
    ):
        SixLegs.of(vv.catalog.delta())


@examples(3, 500)
@given(seeds)
def test_rows_of_the_jacobian_are_the_rates_of_the_legs(seed):
    """dL/dt = [(R b × u)ᵀ, uᵀ] (ω, v), against differences of fourth order."""
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(2, 6, 3))
    X, twist, h = random_pose(rng), rng.normal(size=6), 1e-3

    def at(t):
        Y = X.copy()
        Y[:3, :3] = rotations.exp(t * twist[:3]) @ X[:3, :3]
        Y[:3, 3] += t * twist[3:]
        return leg_lengths(a, b, Y)

    slope = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h)
    shortest = at(0.0).min()
    assert np.abs(leg_jacobian(a, b, X) @ twist - slope).max() < 1e-8 / min(1.0, shortest) ** 4


def study_point(X):
    """The quaternion (w, x, y, z) of the rotation, and half the product of the position with it."""
    *axis, w = rotations.quaternion(X[:3, :3])
    p = X[:3, 3]
    return np.array([w, *axis, -p @ axis / 2, *((w * p + np.cross(p, axis)) / 2)])


def test_points_and_poses_are_the_same_thing():
    rng = np.random.default_rng(2)
    for _ in range(20):
        X = random_pose(rng)
        x = study_point(X)
        R, p = pose_of(x)
        assert np.abs(R - X[:3, :3]).max() < 1e-14
        assert np.abs(p - X[:3, 3]).max() < 1e-14
        a, b = rng.normal(size=(2, 6, 3))
        squares = leg_lengths(a, b, X) ** 2
        Q = seven_quadrics(a, b, squares + 1.0)
        left = np.einsum("kij,i,j->k", Q, x, x)
        assert np.abs(left[:6] + 1.0).max() < 1e-13  # e·e = 1: an error of L² is one of the quadric
        assert abs(left[6]) < 1e-14


def test_the_start_has_forty_points():
    anchors, x = start()
    assert isinstance(anchors, Anchors)
    left = np.einsum("kij,mi,mj->mk", anchors.quadrics(), x, x)
    assert np.abs(left).max() < 1e-13
    assert (np.abs(np.conj(x) @ x.T) - np.eye(40)).max() < 0.95
    assert np.abs((x[:, :4] ** 2).sum(axis=1)).min() > 1e-4  # poses, all of them


def test_lengths_that_reach_nowhere_have_no_real_pose():
    rng = np.random.default_rng(3)
    a, b = rng.normal(size=(2, 6, 3))
    s = platform_poses(a, b, [0.01, 0.01, 0.01, 9.0, 9.0, 9.0])
    assert s.count == 0
    assert len(s.poses) == 0


def test_bad_platforms_are_refused():
    a = np.eye(6)[:, :3]
    with pytest.raises(
        ShapeError, match=r"base: expected six points, shape \(6, 3\).* got \(5, 3\)"
    ):
        platform_poses(a[:5], a, np.ones(6))
    with pytest.raises(ShapeError, match=r"lengths: expected shape \(6,\), got \(5,\)"):
        platform_poses(a, a, np.ones(5))
    with pytest.raises(ArgumentError, match="lengths of legs are positive; got"):
        platform_poses(a, a, [1, 1, 1, 1, 1, -1])
    with pytest.raises(ShapeError, match=r"poses: expected a pose or shape \(..., 4, 4\), got \(3"):
        leg_lengths(a, a, np.eye(3))


@pytest.mark.parametrize("seed", range(4))
def test_poses_are_poses_or_matrices_and_legs_have_length(seed):
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(2, 6, 3))
    poses = [vv.Pose.rotation(rng.normal(size=3), 0.4) @ vv.Pose.translation(x) for x in a[:3]]
    X = np.stack([x.matrix() for x in poses])
    for f in (leg_lengths, leg_jacobian):
        want = f(a, b, X)
        assert np.array_equal(f(a, b, poses), want)
        assert np.array_equal(f(a, b, poses[1]), want[1])
    b[seed] = poses[2].inverse().apply(a[seed])  # this leg begins where it ends
    rest = np.delete(np.arange(6), seed)
    assert leg_lengths(a, b, poses)[2, seed] < 1e-15
    a, b = np.round(a, 2), np.round(a, 2)
    b[rest] += 1.0
    X = np.tile(np.eye(4), (2, 3, 1, 1))
    X[0, :, 0, 3], X[1, :2, 1, 3] = 1.0, 2.0
    with pytest.raises(ArgumentError, match=rf"leg {seed + 1} has length zero at pose \[1, 2\]"):
        leg_jacobian(a, b, X)
    with pytest.raises(ArgumentError, match=rf"leg {seed + 1} has length zero, where"):
        leg_jacobian(a, b, vv.Pose.identity())
    assert np.isfinite(leg_jacobian(a, b, X[0])).all()


def test_what_is_no_pose_is_refused():
    a = np.eye(6)[:, :3]
    for bad in (vv.Pose, "x", [[0.0]], np.full((4, 4), np.nan)):
        with pytest.raises((ArgumentError, ShapeError), match="poses"):
            leg_lengths(a, a, bad)
