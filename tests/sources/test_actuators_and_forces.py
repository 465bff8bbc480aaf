"""Actuators, generalized forces, and the forces that links pass on."""

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

import visviva as vv
from tests.support.counts import examples
from tests.support.generators.bodies import close
from tests.support.oracles.oracle import along
from visviva import Actuator
from visviva.errors import ActuationError
from visviva.pencil import in_coordinates

seeds = st.integers(0, 2**32 - 1)
s, c = np.sin, np.cos


def test_S3_rp_arm_with_two_thrusters():
    """φ = (q2 c1, q2 s1), T = Jᵀ, det T = -q2, its inverse, and the rank lost at q2 = 0."""
    arm = vv.catalog.rp_arm_thrusters()
    q1, q2 = sympy.symbols("q1 q2", positive=True)
    q = np.array([q1, q2])
    at = arm.frame_pose("link2", q).p
    phi = sympy.Matrix([q2 * sympy.cos(q1), q2 * sympy.sin(q1)])
    assert sympy.simplify(sympy.Matrix(at[:2]) - phi) == sympy.zeros(2, 1)
    T = sympy.Matrix(arm.actuator_map.interpret(q)).applyfunc(sympy.nsimplify)
    S, C = sympy.sin(q1), sympy.cos(q1)
    assert T == phi.jacobian([q1, q2]).T == sympy.Matrix([[-q2 * S, q2 * C], [C, S]])
    assert sympy.simplify(T.det()) == -q2
    inverse = sympy.Matrix([[-S / q2, C], [C / q2, S]])
    assert sympy.simplify(T.inv() - inverse) == sympy.zeros(2, 2)
    made = arm.actuation([0.7, 0.0])
    assert made.rank == 1
    with pytest.raises(ActuationError, match="make 1 of 2"):
        made.forces([1.0, 0.0])
    assert arm.actuation([0.7, 1e-6]).rank == 2


@examples(3, 500)
@given(seeds)
def test_C15_actuators_anywhere(seed):
    """u = T f: the column of a thruster is Jᵀ times its direction, that of a motor its gear."""
    rng = np.random.default_rng(seed)
    arm, (l1, l2, r) = vv.catalog.planar_3r(), (1.0, 0.8, rng.uniform(0, 1))
    d = rng.normal(size=3) * [1, 1, 0]
    d /= np.linalg.norm(d)
    arm = arm.with_actuators(
        [
            Actuator.motor("motor", "theta2", 50.0),
            Actuator.thruster("jet", "link3", d, [r, 0, 0], "world"),
            Actuator.thruster("fin", "link3", d, [r, 0, 0], "body"),
            Actuator.couple("wheel", "link2", [0, 0, 1.0]),
        ]
    )
    q = rng.normal(size=3)
    t = np.cumsum(q)
    ends = [l1, l2, r] * np.array([-s(t), c(t)])  # ∂/∂tᵢ of the point
    J = np.array([ends[:, k:].sum(axis=1) for k in range(3)]).T
    turned = [d[0] * c(t[2]) - d[1] * s(t[2]), d[0] * s(t[2]) + d[1] * c(t[2])]
    T = np.array([[0, 50.0, 0], J.T @ d[:2], J.T @ turned, [1, 1, 0]]).T
    found = arm.actuator_map(q)
    assert found.shape == (3, 4)
    close(found, T)


@examples(5, 1000)
@given(st.floats(-3, 3), st.floats(0.1, 3), st.floats(0.1, 20))
def test_C16_limits_of_virtual_actuators(q1, q2, limit):
    """|f| ≤ F gives |u1| ≤ F q2 (|s1| + |c1|) and |u2| ≤ F (|s1| + |c1|); T⁻¹ goes back."""
    arm = vv.catalog.rp_arm_thrusters()
    arm = arm.with_actuators(
        [
            Actuator.thruster(a.name, a.frame, a.direction, axes="world", limits=(-limit, limit))
            for a in arm.actuators
        ]
    )
    made = arm.actuation([q1, q2])
    reach = limit * (abs(s(q1)) + abs(c(q1)))
    close(made.upper, [q2 * reach, reach])
    close(made.lower, [-q2 * reach, -reach])
    u = np.array([0.3, -0.2])
    f = [-s(q1) / q2 * u[0] + c(q1) * u[1], c(q1) / q2 * u[0] + s(q1) * u[1]]
    close(made.forces(u), f)
    assert made.within(u) == bool(np.max(np.abs(f)) <= limit)
    both = made.T @ np.array([limit, limit])  # a corner: u1 and u2 are not at their limits at once
    assert made.within(both)
    assert not made.within(1.01 * both)
    lost = arm.actuation([q1, 0.0])
    assert (lost.rank, lost.full_rank) == (1, False)
    close([lost.lower[0], lost.upper[0]], [0.0, 0.0])


@examples(3, 400)
@given(seeds)
def test_C18_forces_and_torques_by_virtual_work(seed):
    """Q_j = Σ f · ∂r/∂q_j + Σ τ · ∂α/∂q_j, derivatives of the points by differences."""
    rng = np.random.default_rng(seed)
    arm = vv.catalog.puma560()
    q = rng.normal(size=6)
    total, wanted = np.zeros(6), np.zeros(6)
    for frame in ("dh2", "dh4", "tool"):
        point, torque, force = rng.normal(size=(3, 3))
        load = np.concatenate([torque, force])
        pushed = arm.with_frame("pushed", point, on=frame)
        total += pushed.function("external_forces", wrenches={"pushed": "world"})(q, [load])
        R = arm.frame_pose(frame, q).R
        for j, e in enumerate(np.eye(6)):
            dr = along(arm, lambda x, f=frame, p=point: arm.frame_pose(f, x).apply(p), q, e)
            dR = along(arm, lambda x, f=frame: arm.frame_pose(f, x).R, q, e)
            W = dR @ R.T
            wanted[j] += force @ dr + torque @ [W[2, 1], W[0, 2], W[1, 0]]
    close(total, wanted)


def tool_jacobian(q, l1=1.0, l2=0.8):
    """Of the planar two-link arm, to (moment about z, force x, force y)."""
    a, b = q[0], q[0] + q[1]
    return np.array(
        [
            [1, 1],
            [-l1 * s(a) - l2 * s(b), -l2 * s(b)],
            [l1 * c(a) + l2 * c(b), l2 * c(b)],
        ]
    )


@examples(3, 400)
@given(seeds)
def test_C20_E45_motors_and_contact_in_both_sign_conventions(seed):
    """Q = τ + Jᵀ F_ext with F_ext = -(N, f), a force and no work: f, N are exerted by the arm."""
    rng = np.random.default_rng(seed)
    arm = vv.catalog.two_link()
    q, v, a = rng.normal(size=(3, 2))
    N, fx, fy = exerted = rng.normal(size=3)
    J = tool_jacobian(q)
    free = arm.inverse_dynamics(q, v, a)  # Q = M a + C v + g
    f = arm.function("inverse_dynamics", wrenches={"tool": "world"})
    on_robot = -np.array([[0, 0, N, fx, fy, 0]])
    tau = f(q, v, a, on_robot)
    close(tau + J.T @ -exerted, free)  # what acts on the robot
    close(tau - J.T @ exerted, free)  # what the robot exerts
    external = arm.function("external_forces", wrenches={"tool": "world"})
    close(external(q, on_robot), -J.T @ exerted)
    g = arm.function("forward_dynamics", wrenches={"tool": "world"})
    close(g(q, v, tau, on_robot), a, 1e-11)  # the condition of M is about 50
    assert tau.shape == (2,)


def test_C21_change_of_coordinates():
    """Q' = (∂q/∂q')ᵀ Q: angles to the ground have τ1 - τ2 and τ2; Cartesian ones the forces."""
    tau1, tau2 = 5.0, 2.0
    relative = in_coordinates([tau1, tau2], lambda x: [x[0], x[1] - x[0]], [0.3, 0.9])
    assert relative.tolist() == [tau1 - tau2, tau2]
    back = in_coordinates(relative, lambda q: [q[0], q[0] + q[1]], [0.3, 0.6])
    assert back.tolist() == [tau1, tau2]

    def polar(x):
        return [vv.generic.atan2(x[1], x[0]), vv.generic.sqrt(x[0] * x[0] + x[1] * x[1])]

    rng = np.random.default_rng(0)
    arm = vv.catalog.rp_arm_thrusters()
    for q in rng.uniform(0.2, 1.5, (10, 2)):
        u, x = rng.normal(size=2), arm.frame_pose("link2", q).p[:2]
        close(in_coordinates(u, polar, x), arm.actuation(q).forces(u))
        symbols = sympy.symbols("u1 u2")
        exact = in_coordinates(symbols, polar, x)
        close(
            [e.subs(dict(zip(symbols, u, strict=True))) for e in exact], in_coordinates(u, polar, x)
        )


@examples(3, 400)
@given(seeds)
def test_C95_balance_of_every_link_at_rest(seed):
    """f₋ - f₊ + m g = 0 and N₋ - N₊ + r₋ × f₋ - r₊ × f₊ = 0 about each centroid, in base axes."""
    rng = np.random.default_rng(seed)
    arm = vv.catalog.puma560().numeric
    q, still, tip = rng.normal(size=6), np.zeros(6), rng.normal(size=6)
    poses = arm.body_poses(q)
    reactions = arm.function("reaction_wrenches", wrenches={"tool": "world"})
    passed = reactions(q, still, still, [-tip])  # the arm exerts tip
    joints = [(X.R @ W[3:], X.R @ W[:3], X.p) for X, W in zip(poses, passed, strict=True)]
    joints.append((tip[3:], tip[:3], arm.frame_pose("tool", q).p))
    scale = 1 + np.abs(passed).max()
    for i, (b, X) in enumerate(zip(arm.bodies, poses, strict=True)):
        (f0, N0, p0), (f1, N1, p1) = joints[i], joints[i + 1]
        r = X.apply(b.inertia.com)
        close((f0 - f1 + b.inertia.mass * arm.gravity) / scale, np.zeros(3))
        close((N0 - N1 + np.cross(p0 - r, f0) - np.cross(p1 - r, f1)) / scale, np.zeros(3))
    tau = [(X.R.T @ N)[2] for X, (_, N, _) in zip(poses, joints, strict=False)]  # all axes are z
    close(
        tau, arm.function("inverse_dynamics", wrenches={"tool": "world"})(q, still, still, [-tip])
    )
    assert len(joints) == 7


@examples(3, 400)
@given(seeds)
def test_C101_two_links_by_newton_and_euler(seed):
    """Forces in both joints and torques, from the vector equations of 003."""
    rng = np.random.default_rng(seed)
    p = {k: rng.uniform(0.2, 2.0) for k in ("L1", "L2", "m1", "m2", "I1", "I2", "r1", "r2")}
    arm = vv.catalog.two_link(**p)
    (t1, t2), (w1, w2), (e1, e2) = q, v, a = rng.normal(size=(3, 2))
    g = np.array([0, -9.81])

    def arm_of(angle, rate, rise, r):
        """Position and acceleration of a point at r on a link."""
        u, n = np.array([c(angle), s(angle)]), np.array([-s(angle), c(angle)])
        return r * u, r * (rise * n - rate**2 * u)

    def moment(r, f):
        return r[0] * f[1] - r[1] * f[0]

    c1, a1 = arm_of(t1, w1, e1, p["r1"])
    end, a_end = arm_of(t1, w1, e1, p["L1"])
    c2, own = arm_of(t1 + t2, w1 + w2, e1 + e2, p["r2"])
    a2 = a_end + own
    f12 = p["m2"] * (a2 - g)
    f01 = f12 + p["m1"] * (a1 - g)
    tau2 = p["I2"] * (e1 + e2) - moment(-c2, f12)
    tau1 = tau2 + p["I1"] * e1 - moment(-c1, f01) + moment(end - c1, f12)
    found = arm.reaction_wrenches(q, v, a)
    for X, W, f, tau in zip(arm.body_poses(q), found, (f01, f12), (tau1, tau2), strict=True):
        close(X.R @ W[3:], [*f, 0.0])
        close(X.R @ W[:3], [0.0, 0.0, tau])
    close(arm.inverse_dynamics(q, v, a), [tau1, tau2])
    assert found.shape == (2, 6)
