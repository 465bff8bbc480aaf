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


def hinges(*limits, tool=0.7):
    """Links of 1 m that turn about y, one after the other, each between its limits."""
    b, parent = vv.Builder("hinges"), {}
    for k, some in enumerate(limits, 1):
        at = [1.0, 0, 0] if parent else [0, 0, 0]
        li = vv.Inertia.point(1.0)
        b.body(f"b{k}", joint="revolute", axis="y", at=at, limits=some, inertia=li, **parent)
        parent = {"parent": f"b{k}"}
    b.frame("tool", body=f"b{len(limits)}", at=[tool, 0, 0])
    return b.build()


def test_joints_that_do_not_carry_the_frame_are_within_their_limits():
    """At the seed where that is within, else at the nearest limit; as asked without limits."""
    arm = hinges(None, None, (0.5, 2.0))
    ask = {"task": "position"}
    both = arm.inverse_kinematics("b3", [1.5, 0, -0.5], all=True, **ask)
    assert np.array_equal(both.q[:, 2], [0.5, 0.5])
    for seed, at in ((0.7, 0.7), (3.0, 2.0), (-1.0, 0.5)):
        one = arm.inverse_kinematics("b3", [1.5, 0, -0.5], seed=[0, 0, seed], **ask)
        assert one.q[2] == at
    free = arm.inverse_kinematics("b3", [1.5, 0, -0.5], seed=[0, 0, 3.0], limits=False, **ask)
    assert free.q[2] == 3.0


def test_a_search_leaves_joints_that_do_not_carry_the_frame_at_the_seed():
    """Three joints for a point in a plane, and a fourth behind it; alone, all, and along a path."""
    arm = hinges(None, None, None, (0.01, 0.04))
    at = arm.frame_pose("b4", [0.3, 0.5, 0.4, 0.0]).p
    for seed, kept in ((0.02, 0.02), (0.07, 0.04), (0.0, 0.01)):
        near = [0.2, 0.4, 0.4, seed]
        some = arm.inverse_kinematics("b4", at, task="position", all=True, seed=near)
        assert some.count > 1
        assert (some.q[:, 3] == kept).all()
        one = arm.inverse_kinematics("b4", at, task="position", seed=near)
        assert one.q[3] == kept
        path = arm.inverse_kinematics("b4", [at, at], task="position", seed=near, max_jump=1.0)
        assert (path.q[:, 3] == kept).all()


def test_the_nearest_pose_is_within_the_limits():
    """Against every position of a grid; without limits it says so by itself."""
    arm = hinges((-0.5, 0.5), (0.3, 2.0))
    grid = np.stack(np.meshgrid(np.linspace(-0.5, 0.5, 201), np.linspace(0.3, 2.0, 341)), -1)
    tips = np.asarray(arm.pose("tool")(grid.reshape(-1, 2)))[:, :3, 3]
    for target in ([0, 0, 2.0], [0.3, 0, 2.5], [-1.9, 0, 0.1], [2.0, 0, -1.0]):
        far = arm.inverse_kinematics("tool", target, task="position")
        least = np.linalg.norm(tips - target, axis=1).min()
        assert least - 0.01 < far.distance[0] <= least + 1e-9
        said = f"unreachable: the nearest pose found within the limits is {far.distance[0]:.6g} m"
        assert far.reason == f"{said} away"
    free = arm.inverse_kinematics("tool", [0, 0, 2.0], task="position", limits=False)
    assert free.reason == "unreachable: the nearest pose is 0.3 m away"


def test_how_metres_and_radians_are_weighed_is_said():
    far = vv.catalog.planar_3r(l1=1.0, l2=0.8, l3=0.5).inverse_kinematics("tool", (3.0, 0.0, 0.0))
    assert far.reason == (
        "unreachable: the nearest pose is 0.7 m and 0 rad away, a radian counted as 2.3 m, the "
        "size of the arm"
    )
