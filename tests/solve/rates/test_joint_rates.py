"""Joint rates: what they give, what they cost, and what no joint gives."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import visviva as vv
from benchmarks.robots import PANDA, UR5
from tests.support.counts import examples
from visviva.errors import ArgumentError, ShapeError, SingularError, UnknownNameError

g = vv.generic
seeds = st.integers(0, 10**6)
ARM = vv.catalog.human_arm()
FOLDED = np.array([0.0, -1.0, 0.0, 1.0, 0.5, 0.2])  # of a UR5, elbow stretched


def drawn(model, seed, size=6):
    rng = np.random.default_rng(seed)
    return rng, model.random(rng), rng.normal(size=size)


@examples(6, 2000)
@given(seeds)
def test_rates_give_the_twist_and_null_space_gives_nothing(seed):
    """J v = t and J N = 0, with N orthonormal; by the model's own Jacobian."""
    _, q, t = drawn(ARM, seed)
    told = ARM.joint_rates("tool", q, t)
    J = ARM.jacobian("tool")(q)
    scale = max(1.0, np.abs(told.v).max())
    assert np.abs(J @ told.v - t).max() < 1e-12 * scale
    assert (told.rank, told.nullity) == (6, 1)
    N = told.null_space
    assert np.abs(J @ N).max() < 1e-12
    assert np.abs(N.T @ N - np.eye(1)).max() < 1e-12
    assert np.abs(N.T @ told.v).max() < 1e-12 * scale  # least norm
    assert np.abs(told.v - np.linalg.pinv(J) @ t).max() < 1e-10 * scale


@examples(6, 2000)
@given(seeds)
def test_weighted_rates_are_optimal(seed):
    """Kuhn and Tucker: W (v - z) is a combination of rows of J; no v' = v + N y is cheaper."""
    rng, q, t = drawn(ARM, seed)
    z = rng.normal(size=7)
    R = rng.normal(size=(7, 7))
    W = R @ R.T + 0.5 * np.eye(7)
    for weights, matrix in ((W, W), (np.diag(W), np.diag(np.diag(W)))):
        told = ARM.joint_rates("tool", q, t, weights=weights, secondary=z)
        J = ARM.jacobian("tool")(q)
        # the null space of a matrix is known to rounding times its condition
        scale = max(1.0, np.abs(told.v).max()) * np.linalg.cond(matrix) * np.linalg.cond(J)
        assert np.abs(J @ told.v - t).max() < 1e-12 * scale
        assert np.abs(told.null_space.T @ matrix @ (told.v - z)).max() < 1e-12 * scale


@examples(6, 2000)
@given(seeds, st.floats(1e-3, 1.0))
def test_damped_rates_are_tikhonovs(seed, damping):
    """An independent least-squares solve of [A; λ √W] u = [t; 0]."""
    rng, q, t = drawn(ARM, seed)
    w = rng.uniform(0.5, 3.0, size=7)
    told = ARM.joint_rates("tool", q, t, damping=damping, weights=w)
    J = ARM.jacobian("tool")(q)
    stacked = np.vstack([J, damping * np.diag(np.sqrt(w))])
    v = np.linalg.lstsq(stacked, np.concatenate([t, np.zeros(7)]), rcond=None)[0]
    assert np.abs(told.v - v).max() < 1e-11 * max(1.0, np.abs(v).max())
    assert told.residual == pytest.approx(np.abs(J @ v - t).max(), abs=1e-10)


def test_the_jacobian_is_pinocchios():
    """Rates of a Panda move Pinocchio's tip as wanted; fingers stay."""
    pin = pytest.importorskip("pinocchio")
    theirs = pin.buildModelFromUrdf(str(PANDA.path))
    data = theirs.createData()
    q = PANDA.model.random(3)
    t = np.array([0.1, -0.2, 0.3, 0.4, 0.5, -0.6])
    told = PANDA.model.joint_rates(PANDA.tip, q, t)
    frame = theirs.getFrameId(PANDA.tip)
    J = pin.computeFrameJacobian(theirs, data, q, frame, pin.LOCAL_WORLD_ALIGNED)
    assert np.abs(np.concatenate([(J @ told.v)[3:], (J @ told.v)[:3]]) - t).max() < 1e-9
    assert (told.v[7:] == 0).all()
    assert told.nullity == 1
    kept = PANDA.model.joint_rates(PANDA.tip, q, t, secondary=np.arange(9.0))
    assert (kept.v[7:] == [7.0, 8.0]).all()  # what does not move the tip does as it is told


def test_velocities_in_the_axes_of_the_frame():
    _, q, t = drawn(ARM, 5)
    told = ARM.joint_rates("tool", q, t, reference="body")
    assert np.abs(ARM.jacobian("tool", reference="body")(q) @ told.v - t).max() < 1e-12
    with pytest.raises(ArgumentError, match="whole vectors"):
        ARM.joint_rates("tool", q, t[:3], task="x y phi", reference="body")
    with pytest.raises(UnknownNameError, match="reference"):
        ARM.joint_rates("tool", q, t, reference="space")


def test_a_function_that_should_grow_does_at_no_cost_to_the_task():
    """Its rate is that of the gradient, projected; and larger than without."""
    _, q, t = drawn(ARM, 6)

    def comfort(q):
        return -(q @ q) + g.cos(q[3])

    plain, told = ARM.joint_rates("tool", q, t), ARM.joint_rates("tool", q, t, secondary=comfort)
    h = 1e-6
    slope = np.array([(comfort(q + h * e) - comfort(q - h * e)) / (2 * h) for e in np.eye(7)])
    N = plain.null_space
    assert np.abs(told.v - plain.v - N @ (N.T @ slope)).max() < 1e-8
    assert np.abs(ARM.jacobian("tool")(q) @ told.v - t).max() < 1e-12 * np.abs(told.v).max()
    assert slope @ told.v > slope @ plain.v


def test_gradients_on_joints_with_quaternions():
    """A ball joint has four coordinates and three velocities."""
    b = vv.Builder("ball").body("a", joint="spherical").body("b", parent="a", at=[0, 0, 1.0])
    model = b.body("c", parent="b", joint="revolute", axis="y").build()
    q = model.random(1)
    told = model.joint_rates("c", q, [0.0, 0.0, 0.1], task="orientation", secondary=lambda q: q[0])
    J = model.jacobian("c")(q)[:3]
    assert np.abs(J @ told.v - [0.0, 0.0, 0.1]).max() < 1e-12
    h, z = 1e-6, np.zeros(4)
    for k in range(4):
        e = h * np.eye(4)[k]
        z[k] = (model.integrate(q, e)[0] - model.integrate(q, -e)[0]) / (2 * h)
    N = told.null_space
    assert np.abs(N.T @ (told.v - z)).max() < 1e-8


def test_singular_positions_say_what_is_lost_or_are_damped():
    arm = UR5.model
    J = arm.jacobian("tool0")(FOLDED)
    U, _, _ = np.linalg.svd(J)
    within, lost = J @ np.arange(6.0), U[:, 5]
    told = arm.joint_rates("tool0", FOLDED, within)  # what joints can give is no error
    assert np.abs(J @ told.v - within).max() < 1e-11
    assert (told.rank, told.lost.shape, told.nullity) == (5, (6, 1), 1)
    assert "no joint gives" in str(told)
    with pytest.raises(SingularError, match=r"'ur5' .* 2 along .* singular, rank 5 of 6: damping="):
        arm.joint_rates("tool0", FOLDED, within + 2.0 * lost)
    damped = arm.joint_rates("tool0", FOLDED, within + 2.0 * lost, damping=0.01)
    assert np.abs(damped.v).max() < 30
    assert damped.residual > 0.1
    with pytest.raises(SingularError, match=r"at 1 of 2 positions, first at \(1,\)"):
        arm.joint_rates("tool0", [FOLDED + 0.1, FOLDED], lost)


def test_a_task_of_a_plane_arm_and_the_words_for_what_it_lacks():
    arm = vv.catalog.planar_3r()
    q = [0.4, 0.5, 0.6]
    told = arm.joint_rates("tool", q, [0.1, 0.2, 0.3], task="x y phi")
    assert np.abs(arm.velocity("tool")(q, told.v)[[3, 4, 2]] - [0.1, 0.2, 0.3]).max() < 1e-12
    with pytest.raises(SingularError, match="1 along z is asked for, which no joint gives"):
        arm.joint_rates("tool", q, [0, 0, 0, 0, 0, 1.0])
    stretched = arm.joint_rates("tool", [0.0, 0.0, 0.0], [0.0, 0.0], task="x y")
    assert stretched.lost_directions == ("x",)


def test_many_at_once_are_each_alone():
    rng = np.random.default_rng(0)
    q = np.array([ARM.random(rng) for _ in range(5)])
    t = rng.normal(size=(5, 6))
    both = ARM.joint_rates("tool", q, t, weights=np.arange(1.0, 8.0))
    for k in range(5):
        one = ARM.joint_rates("tool", q[k], t[k], weights=np.arange(1.0, 8.0))
        assert np.abs(both.v[k] - one.v).max() < 1e-11 * max(1.0, np.abs(one.v).max())
        assert np.abs(np.abs(both.null_space[k]) - np.abs(one.null_space)).max() < 1e-10
    assert both.nullity.tolist() == [1] * 5
    assert str(both).startswith("JointRates(for 5 velocities")
    with pytest.raises(ShapeError, match="about one position"):
        _ = both.lost_directions


def test_what_is_wrong_is_said():
    q, t = ARM.neutral(), np.zeros(6)
    with pytest.raises(ShapeError, match="the pose velocity has 6 entries: wx, wy, wz, x, y, z"):
        ARM.joint_rates("tool", q, [1.0])
    with pytest.raises(
        ShapeError, match=r"x, y, z; got shape \(2,\); task= names others, as task="
    ):
        vv.catalog.two_link().joint_rates("tool", [0.1, 1.0], [1.0, 0.0])
    with pytest.raises(ShapeError, match=r"q has 7 entries; got shape \(6,\)"):
        ARM.joint_rates("tool", q[:6], t)
    with pytest.raises(ShapeError, match="do not go together"):
        ARM.joint_rates("tool", np.zeros((2, 7)), np.zeros((3, 6)))
    with pytest.raises(ArgumentError, match="damping is a number from 0 on, got -1"):
        ARM.joint_rates("tool", q, t, damping=-1)
    for weights in ([1.0], -np.ones(7), "heavy", np.triu(np.ones((7, 7)))):
        with pytest.raises(ArgumentError, match="weights are"):
            ARM.joint_rates("tool", q, t, weights=weights)
    with pytest.raises(ArgumentError, match="is one number"):
        ARM.joint_rates("tool", q, t, secondary=lambda q: q)
    with pytest.raises(ShapeError, match="secondary velocities have 7 entries"):
        ARM.joint_rates("tool", q, t, secondary=[1.0])
    with pytest.raises(UnknownNameError, match="tool"):
        ARM.joint_rates("hnad", q, t)


def test_numbers_that_are_none_are_refused():
    arm = vv.catalog.two_link()
    with pytest.raises(ArgumentError, match="q is made of finite numbers"):
        arm.joint_rates("tool", [np.nan, 0.1], [1.0, 0.0], task="x y")
    with pytest.raises(ArgumentError, match="twist is made of finite numbers"):
        arm.joint_rates("tool", [0.3, 0.1], [np.inf, 0.0], task="x y")
