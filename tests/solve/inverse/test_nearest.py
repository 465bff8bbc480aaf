"""Positions by search: the nearest to the seed that is found, whole turns and limits in view."""

import numpy as np

import visviva as vv

UR5 = vv.from_dh(
    [
        (0.0, np.pi / 2, 0.089159, 0.0, "R"),
        (-0.425, 0.0, 0.0, 0.0, "R"),
        (-0.39225, 0.0, 0.0, 0.0, "R"),
        (0.0, np.pi / 2, 0.10915, 0.0, "R"),
        (0.0, -np.pi / 2, 0.09465, 0.0, "R"),
        (0.0, 0.0, 0.0823, 0.0, "R"),
    ],
    convention="standard",
)
UR5 = UR5.with_limits(dict.fromkeys(UR5.joint_names, (-2 * np.pi, 2 * np.pi)))
AT = np.array([0.3, -1.1, 0.8, -0.4, 0.6, 0.2])


def test_of_a_continuum_the_position_nearest_to_the_seed_is_found():
    """A point reached by six joints: no whole turns, and no slope along the self-motion."""
    p = UR5.frame_pose("tool", AT).p
    one = UR5.inverse_kinematics("tool", p, task="position")
    assert "the nearest solution found" in str(one)
    same = UR5.inverse_kinematics("tool", p, task="position", seed=UR5.neutral())
    assert np.array_equal(one.q, same.q)
    turned = AT + 2 * np.pi * np.array([1, 0, 0, 0, -1, 0])
    for seed in (UR5.neutral(), AT, AT + 0.5, turned):
        q = UR5.inverse_kinematics("tool", p, task="position", seed=seed).q
        assert np.abs(UR5.frame_pose("tool", q).p - p).max() < 1e-10
        others = UR5.inverse_kinematics("tool", p, task="position", all=True).q
        far = np.linalg.norm(q - seed)
        assert far <= np.linalg.norm(others - seed, axis=1).min() + 1e-9
        assert far <= np.linalg.norm(AT - seed) + 1e-9
        J = UR5.jacobian("tool")(q)[3:]
        assert np.abs(np.linalg.svd(J)[2][3:] @ (q - seed)).max() < 1e-4


def test_the_nearest_on_a_self_motion_is_within_limits():
    arm = vv.catalog.human_arm()
    arm = arm.with_limits(dict.fromkeys(arm.joint_names, (-1.2, 1.2)))
    rng = np.random.default_rng(0)
    for _ in range(4):
        at = rng.uniform(-1.0, 1.0, 7)
        X, seed = arm.frame_pose("tool", at), at + rng.normal(size=7) * 0.4
        q = arm.inverse_kinematics("tool", X, seed=seed).q
        assert (np.abs(q) <= 1.2 + 1e-9).all()
        assert np.linalg.norm(q - seed) <= np.linalg.norm(at - seed) + 1e-9
    X = np.array([arm.frame_pose("tool", x).matrix() for x in rng.uniform(-1.0, 1.0, (3, 7))])
    many = arm.inverse_kinematics("tool", X).q
    alone = [arm.inverse_kinematics("tool", x).q for x in X]
    assert np.abs(many - alone).max() < 1e-5
