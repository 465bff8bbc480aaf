"""Positions by name, quaternions, steps, differences; poses of bodies and frames."""

import numpy as np
import pytest

from tests.support.counts import count
from tests.support.generators.bodies import close, compiled, random_tree, same_pose
from tests.support.generators.small_models import arm
from visviva.describe import catalog
from visviva.describe.by_hand.builder import Builder
from visviva.describe.model.body import WORLD
from visviva.errors import ArgumentError, ShapeError, UnknownNameError
from visviva.space.poses import Pose


def test_positions_by_name():
    m = arm()
    close(m.q(), [0, 0, 0, 0, 0, 1], 0)
    close(m.q(slider_joint=0.3, wrist=[1, 0, 0, 0]), [0, 0.3, 1, 0, 0, 0], 0)
    with pytest.raises(ShapeError, match=r"joint 'wrist' takes 4 values \(x, y, z, w\), got 3"):
        m.q(wrist=[1, 0, 0])
    with pytest.raises(ShapeError, match="joint 'slider_joint' takes 1 value, got 2"):
        m.q(slider_joint=[1, 0])
    close(m.q([1, 2, 0, 0, 0, 1]), [1, 2, 0, 0, 0, 1], 0)
    with pytest.raises(ArgumentError, match=r"a quaternion .* got length 2;"):
        m.q([1] * 6)
    with pytest.raises(ArgumentError, match=r"q takes positions by joint name.*; got \[1, 1"):
        m.q([1] * 6, slider_joint=0.3)
    with pytest.raises(ArgumentError, match=r"joint 'wrist' has a quaternion .* got length 2;"):
        m.q(wrist=[0, 0, 0, 2])


def test_a_free_base_by_name():
    b = Builder("robot").body("hull", joint="free", joint_name="root_joint")
    m = b.body("leg", parent="hull", joint="revolute", joint_name="hip").build()
    up = [0, 0, 0, 1, 0, 0, 0.3]
    X = Pose(p=[0, 0, 0.3])
    close(m.q(root_joint_pz=0.3, hip=0.1), [*up, 0.1], 0)
    close(m.q({"root_joint": X}), [*up, 0], 0)
    close(m.q(root_joint=X.matrix()), [*up, 0], 0)
    turned = Pose.rotation([0, 0, 1], 0.4)
    close(m.q(root_joint=turned, root_joint_px=2)[4:7], [2, 0, 0], 0)
    same_pose(m.frame_pose("hull", m.q(root_joint=turned)), turned)
    with pytest.raises(ShapeError, match=r"7 values \(x, y, z, w, px, py, pz\), got 3: ") as error:
        m.q(root_joint=[0, 0, 0.3])
    first, second = str(error.value).partition(": ")[2].split(" or ")
    assert first == "model.q(root_joint=[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])"
    assert second == "model.q(root_joint=vv.Pose(p=[0, 0, 1]))"
    for name in ("base", "hull", "floating_base"):
        with pytest.raises(UnknownNameError, match=r"here it is model.q\(root_joint=vv.Pose"):
            m.q({name: [0, 0, 1]})
    with pytest.raises(ArgumentError, match=r"has a quaternion .* of length one"):
        m.q(root_joint_x=1.0)
    with pytest.raises(ArgumentError, match="is revolute, and a pose is one of free joints"):
        m.q(hip=X)
    with pytest.raises(ShapeError, match="coordinate 'root_joint_pz' takes 1 value, got 2"):
        m.q(root_joint_pz=[1, 2])
    with pytest.raises(ArgumentError, match=r"the base of .* is fixed"):
        arm().q(base=[0, 0, 1])


@pytest.mark.parametrize("bad", ["x", -1, 1.5])
def test_random_takes_a_seed_or_a_generator(bad):
    with pytest.raises(ArgumentError, match="random takes a seed, a whole number from 0 on"):
        arm().random(bad)


@pytest.mark.parametrize("length", [0.0, 1 + 1e-5, np.nan])
def test_quaternions_have_length_one(length):
    """Where Python computes; compiled functions look at single states."""
    m = arm()
    q, bad, v = m.neutral(), m.neutral(), np.zeros(m.nv)
    bad[2:] *= length
    for refused in (
        lambda: m.body_poses(bad),
        lambda: m.frame_pose("tip", bad),
        lambda: m.integrate(bad, v),
        lambda: m.difference(q, bad),
        lambda: m.difference(bad, q),
    ):
        with pytest.raises(
            ArgumentError, match=r"joint 'wrist' has a quaternion \(x, y, z, w\) of"
        ):
            refused()
    q[2:] *= 1 + 1e-7  # as files round
    assert m.frame_pose("tip", q).p.shape == (3,)
    other = bad.astype(object)  # other scalars are not looked at
    assert m.frame_pose("tip", other).p.shape == (3,)


@pytest.mark.soak
def test_integrate_and_difference():
    rng = np.random.default_rng(0)
    for _ in range(count(5, 200)):
        m = random_tree(rng, 6)
        q, step = m.random(rng), rng.uniform(-1, 1, m.nv)
        there = m.integrate(q, step)
        close(m.difference(q, there), step, 1e-12)
        close(m.integrate(m.neutral(), np.zeros(m.nv)), m.neutral(), 0)
        target = m.integrate(there, rng.uniform(-1, 1, m.nv))
        again = m.integrate(q, m.difference(q, target))
        for a, b in zip(m.body_poses(again), m.body_poses(target), strict=True):
            same_pose(a, b)
    with pytest.raises(ShapeError, match=r"q of 'tree' has \d+ entries, got shape \(1,\)"):
        m.integrate([0.0], step)
    with pytest.raises(ShapeError, match="step of 'tree' has"):
        m.integrate(q, [0.0])
    with pytest.raises(ShapeError, match="q1 of 'tree' has"):
        m.difference(q, [0.0])


def test_random_positions_respect_limits_and_seeds():
    m = arm()
    for seed in range(20):
        q = m.random(seed)
        assert (m.lower <= q).all()
        assert (q <= m.upper).all()
        assert np.linalg.norm(q[2:]) == pytest.approx(1.0)
        close(q, m.random(seed), 0)
        close(q, m.random(np.random.default_rng(seed)), 0)
    assert not np.array_equal(m.random(0), m.random(1))


@pytest.mark.soak
def test_poses_are_products_along_the_tree():
    rng = np.random.default_rng(1)
    for _ in range(count(5, 200)):
        m = random_tree(rng, 6)
        q = m.random(rng)
        poses = m.body_poses(q)
        for i, b in enumerate(m.bodies):
            above = Pose.identity() if b.parent == WORLD else poses[b.parent]
            here = above @ b.placement @ b.joint.transform(q[m.q_index[i]])
            same_pose(poses[i], here, 1e-14)
            same_pose(m.frame_pose(b.name, q), here, 1e-14)
        f = m.frames[-1]
        same_pose(m.frame_pose(f.name, q), poses[f.body] @ f.placement, 1e-14)


def test_poses_over_machine_code():
    m = random_tree(np.random.default_rng(2), 8)

    def stacked(q):
        return np.array([x.matrix() for x in m.body_poses(q)])

    q = m.random(3)
    close(compiled(stacked, m.nq)(q), stacked(q), 1e-13)


def test_a_frame_on_the_world():
    m = Builder("bench").frame("corner", at=[1, 2, 3]).build()
    assert (m.nq, m.nv, m.mass) == (0, 0, 0.0)
    close(m.frame_pose("corner", []).p, [1, 2, 3], 0)
    assert m.neutral().shape == m.random().shape == (0,)


def test_positions_by_mapping_and_their_mistakes():
    m = catalog.scara()
    np.testing.assert_array_equal(m.q({"theta2": 0.3}, d=0.1), m.q(theta2=0.3, d=0.1))
    assert m.locked({"theta2": 0.3}).nv == 2
    for bad in (None, "x", np.nan):
        with pytest.raises(ArgumentError, match="joint 'd' takes"):
            m.q(d=bad)


def test_poses_check_what_they_are_given():
    m = catalog.scara()
    with pytest.raises(ArgumentError, match="the name comes first"):
        m.frame_pose(m.neutral(), "tool")
    for wrong in (np.zeros(2), np.zeros((3, 1)), np.zeros(9)):
        with pytest.raises(ShapeError, match="q of 'scara' has 3 entries"):
            m.frame_pose("tool", wrong)
