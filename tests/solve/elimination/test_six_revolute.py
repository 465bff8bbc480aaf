"""General arms with six revolute joints: every root found and proved, never too much claimed."""

from types import SimpleNamespace

import flint
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.counts import SOAK, count, examples
from visviva.equations.frames.chain import turns
from visviva.errors import ArgumentError, RotationError, ShapeError
from visviva.solve.elimination.six_revolute import all_solutions

seeds = st.integers(0, 10**9)
DEGREE = np.pi / 180
# Manseur and Doty, A robot manipulator with 16 real inverse kinematic solution sets, Int. J. Rob.
# Res. 8, 1989: rows (a, α, d); and the pose of Raghavan and Roth's example, to six digits there
MANSEUR_DOTY = [
    (0.3, 90 * DEGREE, 0.0),
    (1.0, 1 * DEGREE, 0.0),
    (0.0, 90 * DEGREE, 0.2),
    (1.5, 1 * DEGREE, 0.0),
    (0.0, 90 * DEGREE, 0.0),
    (0.0, 1 * DEGREE, 0.0),
]
# found by search: no two axes of it are parallel, meet or are at a right angle
ANOTHER = [
    (0.31, 1.56, 0.05),
    (1.01, -0.04, 0.03),
    (0.1, 1.67, 0.14),
    (1.4, -0.05, 0.0),
    (-0.19, 1.55, -0.1),
    (-0.06, -0.04, -0.03),
]
REACHED = [2.2456373, -2.93056826, 1.44296773, -2.03791584, 2.28192047, 0.26050853]
PUMA = [
    (0.0, np.pi / 2, 0.0),
    (0.4318, 0.0, 0.0),
    (0.0203, -np.pi / 2, 0.15005),
    (0.0, np.pi / 2, 0.4318),
    (0.0, -np.pi / 2, 0.0),
    (0.0, 0.0, 0.1),
]
UR5 = [
    (0.0, np.pi / 2, 0.089159),
    (-0.425, 0.0, 0.0),
    (-0.39225, 0.0, 0.0),
    (0.0, np.pi / 2, 0.10915),
    (0.0, -np.pi / 2, 0.09465),
    (0.0, 0.0, 0.0823),
]


def chain(axes, points, R=None, p=(0.0, 0.0, 0.0)):
    home = SimpleNamespace(R=np.eye(3) if R is None else R, p=np.asarray(p))
    kinds = ("revolute",) * len(axes)
    return SimpleNamespace(axes=np.array(axes), points=np.array(points), home=home, kinds=kinds)


def from_table(rows):
    X, axes, points = np.eye(4), [], []
    for a, alpha, d in rows:
        axes.append(X[:3, 2])
        points.append(X[:3, 3])
        c, s = np.cos(alpha), np.sin(alpha)
        X = X @ [[1, 0, 0, a], [0, c, -s, 0], [0, s, c, d], [0, 0, 0, 1]]
    return chain(axes, points, X[:3, :3], X[:3, 3])


def random_arm(rng):
    axes = rng.normal(size=(6, 3))
    return chain(
        axes / np.linalg.norm(axes, axis=1, keepdims=True),
        rng.normal(size=(6, 3)),
        turns(np.array([0.0, 0.6, 0.8]), rng.normal()),
        rng.normal(size=3),
    )


def poses(arm, q):
    """(N, 4, 4), by the product of exponentials."""
    q = np.atleast_2d(q)
    X = np.tile(np.eye(4), (len(q), 1, 1))
    X[:, :3, :3], X[:, :3, 3] = arm.home.R, arm.home.p
    for h, o, angle in reversed([*zip(arm.axes, arm.points, q.T, strict=True)]):
        R = turns(h, angle)
        X[:, :3, :3] = R @ X[:, :3, :3]
        X[:, :3, 3] = o + ((X[:, :3, 3] - o)[:, None, :] @ R.transpose(0, 2, 1))[:, 0]
    return X


def nearest(found, q):
    """How far the nearest solution is from q, as points on circles."""
    gap = np.abs(np.exp(1j * found) - np.exp(1j * q)[..., None, :]).max(axis=-1)
    return np.where(np.isnan(gap), np.inf, gap).min(axis=-1)


def angles(rng, n):
    return rng.uniform(-np.pi, np.pi, (n, 6))


@examples(3, 300)
@given(seeds)
def test_every_position_is_found_and_nothing_else(seed):
    """Solutions reach the pose, the generating one is among them, and they come in even numbers."""
    rng = np.random.default_rng(seed)
    arm, n = random_arm(rng), 20
    q = angles(rng, n)
    X = poses(arm, q)
    s = all_solutions(arm, X)
    # a position is known to rounding times the inverse of the smallest singular value there
    assert (nearest(s.q, q) < 1e-6).all()
    for k in range(n):
        there = s.q[k, : s.count[k]]
        assert np.abs(poses(arm, there) - X[k]).max() < 1e-12 * (1 + np.abs(X[k]).max())
        assert np.isnan(s.q[k, s.count[k] :]).all()
    assert (s.count[s.is_complete] % 2 == 0).all()
    assert (s.found <= 16).all()
    assert ((s.found == 16) == s.is_complete).all()


@examples(2, 40)
@given(seeds)
def test_complex_roots_reach_the_pose_too(seed):
    """Each proved root, real or not, satisfies the loop in 40 digits, within its radius."""
    rng = np.random.default_rng(seed)
    arm = random_arm(rng)
    q = angles(rng, 1)
    s = all_solutions(arm, poses(arm, q))
    for root in s.roots[0, : s.found[0]]:
        close = error_of_loop(arm, poses(arm, q)[0], root)
        size = np.exp(np.abs(root.imag).sum())  # of turns by complex angles
        assert close < 1e-12 * size
    flat = np.abs(s.roots[0, : s.found[0]].imag).max(axis=1) == 0.0
    assert flat.sum() == s.is_certified[0].sum()


def error_of_loop(arm, X, theta):
    """|E₁ … E₆ home - X| of complex angles, by FLINT's balls."""
    with flint.ctx.workprec(200):
        T = flint.acb_mat([[*map(float, row)] for row in np.eye(4)])
        for h, o, t in zip(arm.axes, arm.points, theta, strict=True):
            angle = flint.acb(float(t.real), float(t.imag))
            c, s = angle.cos(), angle.sin()
            x, y, z = map(float, h)
            K = flint.acb_mat([[0, -z, y], [z, 0, -x], [-y, x, 0]])
            one = flint.acb_mat([[1, 0, 0], [0, 1, 0], [0, 0, 1]])
            R = one + K * s + K * K * (1 - c)
            point = flint.acb_mat([[float(v)] for v in o])
            shift = point - R * point
            E = [[R[i, j] for j in range(3)] + [shift[i, 0]] for i in range(3)] + [[0, 0, 0, 1]]
            T = T * flint.acb_mat(E)
        home = np.eye(4)
        home[:3, :3], home[:3, 3] = arm.home.R, arm.home.p
        T = T * flint.acb_mat([[float(v) for v in row] for row in home])
        return max(float(abs(T[i, j] - float(X[i, j])).mid()) for i in range(4) for j in range(4))


@pytest.mark.parametrize("rows", [MANSEUR_DOTY, ANOTHER])
def test_arms_with_16_real_solutions(rows):
    arm = from_table(rows)
    X = poses(arm, REACHED)
    s = all_solutions(arm, X)
    assert s.count[0] == s.is_certified[0].sum() == 16
    assert s.is_complete[0]
    assert s.account() == "16 real and 0 complex roots are proved: all 16, no other solution exists"
    assert np.abs(poses(arm, s.q[0]) - X).max() < 1e-13
    gaps = np.abs(np.exp(1j * s.q[0][:, None]) - np.exp(1j * s.q[0])).max(axis=2) + 9 * np.eye(16)
    assert gaps.min() > 1e-3


@pytest.mark.soak
@pytest.mark.parametrize("rows", [PUMA, UR5])
def test_special_arms_are_never_called_complete(rows):
    """They have 8 roots where others have 16: found, but that they are all is not shown here."""
    rng = np.random.default_rng(0)
    arm, q = from_table(rows), angles(rng, count(12, 500))
    s = all_solutions(arm, poses(arm, q))
    assert not s.is_complete.any()
    # near a straight wrist the eliminants of such an arm have double roots, and one may be missed
    assert (nearest(s.q, q) < 1e-6).mean() > 0.99
    assert (s.found <= 8).all()
    assert "not complete" in s.account()


@pytest.mark.spread(1)
@pytest.mark.soak
@pytest.mark.parametrize(("rows", "size"), [(PUMA, 1e-2), (PUMA, 1e-4), (UR5, 1e-4)])
def test_calibrated_arms_keep_all_branches(rows, size):
    """An arm whose axes are a little off has all branches of the one that was meant."""
    rng = np.random.default_rng(1)
    meant = from_table(rows)
    arm = from_table(np.array(rows) + size * rng.normal(size=(6, 3)))
    # away from singular poses, where branches of the two are different in number
    q = angles(rng, 200)
    before = all_solutions(meant, poses(meant, q))
    far = np.flatnonzero((before.radius < 1e-11).sum(axis=1) == 8)[: count(10, 100)]
    s = all_solutions(arm, poses(meant, q)[far])
    for k, j in enumerate(far):
        for branch in before.q[j, :8]:
            assert nearest(s.q[k][None], branch[None])[0] < 60 * size
    assert (s.count >= 8).all()
    # the roots that the meant arm has at infinity are far, and proved in many digits
    far = all_solutions(arm, poses(meant, q)[far][:2], thorough=True)
    assert (far.found == 16).all()
    assert far.is_complete.all()
    assert (far.count == s.count[:2]).all()


@pytest.mark.parametrize("kind", ["parallel", "through a point", "one twice"])
def test_arms_with_families_of_solutions_are_not_complete(kind):
    rng = np.random.default_rng(5)
    arm = random_arm(rng)
    axes, points = arm.axes.copy(), arm.points.copy()
    if kind == "parallel":
        axes[:] = axes[0]
    elif kind == "through a point":
        points[:] = points[0]
    else:
        axes[5], points[5] = axes[4], points[4]
    arm = chain(axes, points)
    s = all_solutions(arm, poses(arm, angles(rng, 3)), thorough=True)
    assert not s.is_complete.any()
    why = "not complete" if kind == "one twice" else "the eliminant vanishes"  # in all orders
    assert why in s.account()


def test_singular_poses_are_not_complete():
    """Two solutions that are one: it is found, and not called simple."""
    rng = np.random.default_rng(4)
    arm = random_arm(rng)
    q = singular_position(arm, angles(rng, 1)[0])
    s = all_solutions(arm, poses(arm, q))
    assert not s.is_complete[0]
    assert nearest(s.q, q[None])[0] < 1e-5
    assert not s.is_certified[0].all()


def singular_position(arm, q):
    """det J = 0 along the second angle, by bisection."""

    def det(x):
        columns = []
        R, p = np.eye(3), np.zeros(3)
        for h, o, t in zip(arm.axes, arm.points, [q[0], x, *q[2:]], strict=True):
            axis, at = R @ h, R @ o + p
            columns.append([*axis, *np.cross(at, axis)])
            turn = turns(h, t)
            R, p = R @ turn, R @ (o - turn @ o) + p
        return np.linalg.det(np.array(columns))

    grid = np.linspace(-np.pi, np.pi, 60)
    values = [det(x) for x in grid]
    k = next(k for k in range(59) if values[k] * values[k + 1] < 0)
    low, high = grid[k], grid[k + 1]
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if det(low) * det(middle) > 0 else (low, middle)
    return np.array([q[0], low, *q[2:]])


def test_half_turns_are_no_special_places():
    """x = tan(θ/2) is infinite at π; angles are points of circles here."""
    rng = np.random.default_rng(2)
    arm = random_arm(rng)
    q = np.where(rng.random((40, 6)) < 0.5, np.pi, angles(rng, 40))
    s = all_solutions(arm, poses(arm, q))
    assert (nearest(s.q, q) < 1e-6).all()
    assert s.is_complete.mean() > 0.8


def test_large_batches_and_units_change_nothing():
    rng = np.random.default_rng(3)
    arm, q = random_arm(rng), angles(rng, 300)
    X = poses(arm, q)
    s = all_solutions(arm, X)
    few = all_solutions(arm, X[:5])
    both = np.isfinite(few.q)
    assert (np.isfinite(s.q[:5]) == both).all()
    assert np.abs(s.q[:5] - few.q)[both].max() < 1e-9
    scaled = chain(arm.axes, 1000 * arm.points, arm.home.R, 1000 * arm.home.p)
    X[:, :3, 3] *= 1000
    again = all_solutions(scaled, X[:5])
    assert np.abs(again.q - few.q)[both].max() < 1e-9
    assert "300 poses, complete for" in repr(s)


def test_what_is_no_pose_or_no_arm_is_refused():
    arm = random_arm(np.random.default_rng(0))
    with pytest.raises(ShapeError, match=r"expected shape \(N, 4, 4\) or \(4, 4\), got \(3, 3\)"):
        all_solutions(arm, np.eye(3))
    stretched = np.diag([1.0, 1.0, 1.1, 1.0])
    with pytest.raises(RotationError, match=r"pose 1 is none: .* off by 0\.21"):
        all_solutions(arm, [np.eye(4), stretched])
    with pytest.raises(RotationError, match="it mirrors"):
        all_solutions(arm, np.diag([1.0, 1.0, -1.0, 1.0]))
    with pytest.raises(RotationError, match="pose 0 is not finite"):
        all_solutions(arm, np.full((4, 4), np.nan))
    short = chain(arm.axes[:5], arm.points[:5])
    with pytest.raises(ArgumentError, match="six revolute joints; this chain has 5"):
        all_solutions(short, np.eye(4))
    assert len(all_solutions(arm, np.zeros((0, 4, 4)))) == 0


@pytest.mark.soak
@pytest.mark.skipif(not SOAK, reason="minutes")
def test_thousands_of_poses_of_many_arms():
    """Every generating position, for 1000 poses of each of 20 arms; nearly all poses complete."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        arm, q = random_arm(rng), angles(rng, 1000)
        s = all_solutions(arm, poses(arm, q))
        assert (nearest(s.q, q) < 1e-6).all()
        assert s.is_complete.mean() > 0.97
