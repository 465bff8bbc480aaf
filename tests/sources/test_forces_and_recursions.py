"""Actuators, generalized forces, reactions and the recursions of Newton and Euler."""

import mpmath
import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st
from support.bodies import close
from support.counts import examples
from support.oracle import along, precise
from support.recursion import Link as Printed
from support.recursion import Tally, counted, luh_walker_paul

import visviva as vv
from visviva.describe.actuators import Actuator
from visviva.equations.actuators import ActuationError, actuation, actuator_map
from visviva.equations.dynamics import inverse_dynamics
from visviva.equations.forces import generalized_force, in_coordinates, wrench_forces
from visviva.equations.reactions import newton_euler_formulas, newton_euler_table, reaction_wrenches

seeds = st.integers(0, 2**32 - 1)
s, c = np.sin, np.cos


# ---- actuators (Choset et al., 10.11–10.12)


def test_S3_rp_arm_with_two_thrusters():
    """φ = (q2 c1, q2 s1), T = Jᵀ, det T = -q2, its inverse, and the rank lost at q2 = 0."""
    arm = vv.catalog.rp_arm_thrusters()
    q1, q2 = sympy.symbols("q1 q2", positive=True)
    q = np.array([q1, q2])
    at = arm.frame_pose("link2", q).p
    phi = sympy.Matrix([q2 * sympy.cos(q1), q2 * sympy.sin(q1)])
    assert sympy.simplify(sympy.Matrix(at[:2]) - phi) == sympy.zeros(2, 1)
    T = sympy.Matrix(actuator_map(arm.numeric, q)).applyfunc(sympy.nsimplify)
    S, C = sympy.sin(q1), sympy.cos(q1)
    assert T == phi.jacobian([q1, q2]).T == sympy.Matrix([[-q2 * S, q2 * C], [C, S]])
    assert sympy.simplify(T.det()) == -q2
    inverse = sympy.Matrix([[-S / q2, C], [C / q2, S]])
    assert sympy.simplify(T.inv() - inverse) == sympy.zeros(2, 2)
    made = actuation(arm, [0.7, 0.0])
    assert made.rank == 1
    with pytest.raises(ActuationError, match="make 1 of 2"):
        made.forces([1.0, 0.0])
    assert actuation(arm, [0.7, 1e-6]).rank == 2


@examples(20, 500)
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
    found = actuator_map(arm.numeric, q)
    assert found.shape == (3, 4)
    close(found, T)


@examples(30, 1000)
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
    made = actuation(arm, [q1, q2])
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
    lost = actuation(arm, [q1, 0.0])
    assert (lost.rank, lost.full_rank) == (1, False)
    close([lost.lower[0], lost.upper[0]], [0.0, 0.0])


# ---- generalized forces


@examples(15, 400)
@given(seeds)
def test_C18_forces_and_torques_by_virtual_work(seed):
    """Q_j = Σ f · ∂r/∂q_j + Σ τ · ∂α/∂q_j, derivatives of the points by differences."""
    rng = np.random.default_rng(seed)
    arm = vv.catalog.puma560().numeric
    q = rng.normal(size=6)
    total, wanted = np.zeros(6), np.zeros(6)
    for frame in ("dh2", "dh4", "tool"):
        point, torque, force = rng.normal(size=(3, 3))
        load = np.concatenate([torque, force])
        total += generalized_force(arm, frame, q, load, "world", point)
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


@examples(15, 400)
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
    close(wrench_forces(arm.numeric, q, [("tool", "world", on_robot[0])]), -J.T @ exerted)
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
        close(in_coordinates(u, polar, x), actuation(arm, q).forces(u))
        symbols = sympy.symbols("u1 u2")
        exact = in_coordinates(symbols, polar, x)
        close(
            [e.subs(dict(zip(symbols, u, strict=True))) for e in exact], in_coordinates(u, polar, x)
        )


# ---- forces within an arm


@examples(15, 400)
@given(seeds)
def test_C95_balance_of_every_link_at_rest(seed):
    """f₋ - f₊ + m g = 0 and N₋ - N₊ + r₋ × f₋ - r₊ × f₊ = 0 about each centroid, in base axes."""
    rng = np.random.default_rng(seed)
    arm = vv.catalog.puma560().numeric
    q, still, tip = rng.normal(size=6), np.zeros(6), rng.normal(size=6)
    poses = arm.body_poses(q)
    passed = reaction_wrenches(
        arm, q, still, still, [("tool", "world", -tip)]
    )  # the arm exerts tip
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


@examples(15, 400)
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
    found = reaction_wrenches(arm.numeric, q, v, a)
    for X, W, f, tau in zip(arm.body_poses(q), found, (f01, f12), (tau1, tau2), strict=True):
        close(X.R @ W[3:], [*f, 0.0])
        close(X.R @ W[:3], [0.0, 0.0, tau])
    close(inverse_dynamics(arm.numeric, q, v, a), [tau1, tau2])
    assert found.shape == (2, 6)


# ---- Craig, exercise 6.5, in formulas

NAMES = "L1 L2 M1 M2 V1 V2 g theta1 theta2 theta1' theta2' theta1'' theta2''".split()
SYMBOLS = {name: sympy.Symbol(name, real=True) for name in NAMES}
L1, L2, M1, M2, V1, V2, g, T1, T2, D1, D2, A1, A2 = SYMBOLS.values()
S2, C2 = sympy.sin(T2), sympy.cos(T2)
F2 = [
    -M2 * (L1 + L2 * C2) * C2 * D1**2 - M2 * L2 * D2**2 + M2 * S2 * g,
    M2 * (L1 + L2 * C2) * S2 * D1**2 + M2 * L2 * A2 + M2 * C2 * g,
    2 * M2 * L2 * S2 * D1 * D2 - M2 * L1 * A1 - M2 * L2 * C2 * A1,
]
CRAIG = {  # by body; None is not printed
    "w": [[0, 0, D1], [S2 * D1, C2 * D1, D2]],
    "alpha": [[0, 0, A1], [S2 * A1 + C2 * D1 * D2, C2 * A1 - S2 * D1 * D2, A2]],
    "a": [[0, 0, g], [-L1 * C2 * D1**2 + S2 * g, L1 * S2 * D1**2 + C2 * g, -L1 * A1]],
    "a_c": [[-L1 * D1**2, L1 * A1, g], [x / M2 for x in F2]],
    "F": [[-M1 * L1 * D1**2, M1 * L1 * A1, M1 * g], F2],
    "N": [[0, 0, 0], [0, 0, 0]],
    "f": [[None] * 3, F2],
    "n": [
        [
            None,
            None,
            (M1 * L1**2 + M2 * (L1 + L2 * C2) ** 2) * A1
            - 2 * (L1 + L2 * C2) * M2 * L2 * S2 * D1 * D2,
        ],
        [
            0,
            M2 * L1 * L2 * A1 - 2 * M2 * L2**2 * S2 * D1 * D2 + M2 * L2**2 * C2 * A1,
            M2 * L2 * (L1 + L2 * C2) * S2 * D1**2 + M2 * L2 * g * C2 + M2 * L2**2 * A2,
        ],
    ],
}
TAU = [CRAIG["n"][0][2] + V1 * D1, CRAIG["n"][1][2] + V2 * D2]


def formulas():
    return newton_euler_formulas(vv.catalog.craig_6_5())


def zero(x):
    return sympy.simplify(x) == 0


def test_S67_craig_6_5():
    """τ, M, V and G as printed at the end, and they are the model's numbers."""
    tau = formulas().tau
    assert all(zero(x - y) for x, y in zip(tau, TAU, strict=True))
    arm = vv.catalog.craig_6_5()
    rng = np.random.default_rng(0)
    states = rng.normal(size=(3, 20, 2))
    evaluate = sympy.lambdify(list(SYMBOLS.values()), TAU)
    values = [arm.parameters[k] for k in NAMES[:7]]
    wanted = np.array([evaluate(*values, *np.ravel(x)) for x in states.transpose(1, 0, 2)])
    close(arm.inverse_dynamics(*states), wanted)


def test_C102_every_vector_as_a_formula_and_as_numbers():
    """Outward and inward in Craig's frames: each entry of the table, for symbols and for floats."""
    table = formulas()
    rng = np.random.default_rng(1)
    arm = vv.catalog.craig_6_5()
    q, v, a = rng.normal(size=(3, 2))
    numbers = newton_euler_table(arm, q, v, a)
    values = dict(zip(SYMBOLS.values(), [*arm.parameters.values(), *q, *v, *a], strict=True))
    for name, rows in CRAIG.items():
        for i, row in enumerate(rows):
            for k, printed in enumerate(row):
                if printed is None:
                    continue
                assert zero(getattr(table, name)[i, k] - printed), (name, i, k)
                close([getattr(numbers, name)[i, k]], [sympy.sympify(printed).subs(values)])
    close(numbers.tau, arm.inverse_dynamics(q, v, a))
    close(np.hstack([numbers.n, numbers.f]), arm.reaction_wrenches(q, v, a))


def test_E53_the_inner_product_has_the_velocity():
    """W1 × (W1 × P), not W1 × (Ẇ1 × P)."""
    W, rise, P = sympy.Matrix([0, 0, D1]), sympy.Matrix([0, 0, A1]), sympy.Matrix([L1, 0, 0])
    rest = rise.cross(P) + sympy.Matrix([0, 0, g])
    ours = sympy.Matrix(formulas().a_c[0])
    assert (W.cross(W.cross(P)) + rest - ours).applyfunc(sympy.simplify).is_zero_matrix
    assert not (W.cross(rise.cross(P)) + rest - ours).applyfunc(sympy.simplify).is_zero_matrix


def test_E54_an_acceleration_lost_a_dot():
    found = formulas().alpha[1, 1]
    assert zero(found - (C2 * A1 - S2 * D1 * D2))
    assert not zero(found - (C2 * D1 - S2 * D1 * D2))


def test_E55_weight_in_the_moment_of_link_2():
    """+ M2 L2 g C2, not - M2 g C2."""
    weight = formulas().n[1, 2].expand().coeff(g)
    assert zero(weight - M2 * L2 * C2)
    assert not zero(weight + M2 * C2)


def test_E56_moment_of_the_first_force():
    table = formulas()
    P, F = sympy.Matrix([L1, 0, 0]), sympy.Matrix(table.F[0])
    right = sympy.Matrix([0, -M1 * g * L1, M1 * L1**2 * A1])
    printed = sympy.Matrix([0, -M1 * g * sympy.cos(T1), M1 * L1 * A1])
    assert (P.cross(F) - right).applyfunc(sympy.simplify).is_zero_matrix
    assert not (right - printed).is_zero_matrix


def test_E57_a_lost_term_is_harmless_for_the_first_torque():
    """M2 L2 θ̈2 in the second entry of ²F2 turns into the plane that τ1 does not feel."""
    table = formulas()
    assert table.F[1, 1].expand().coeff(A2) == M2 * L2
    assert table.n[0, 2].expand().coeff(A2) == 0
    assert table.n[0, 1].expand().coeff(A2) != 0


def test_E58_a_cosine_lost_its_square():
    inertia = formulas().n[0, 2].expand().coeff(A1)
    right = M1 * L1**2 + M2 * L1**2 + M2 * L2**2 * C2**2 + 2 * M2 * L1 * L2 * C2
    assert zero(inertia - right)
    assert not zero(inertia - right.subs(C2**2, C2))


# ---- the recursion of Luh, Walker and Paul, in classic DH frames


def dh_arm(rng, kinds):
    """A random arm: its table, the same as links of the recursion, and as a model."""
    rows = [(*rng.normal(size=4), kind) for kind in kinds]
    masses = rng.uniform(0.5, 3.0, len(kinds))
    clouds = [rng.normal(size=(4, 3)) for _ in kinds]
    inertias = [
        vv.Inertia.point_masses([m / 4] * 4, x) for m, x in zip(masses, clouds, strict=True)
    ]
    gravity = rng.normal(size=3) * 5
    model = vv.from_dh(rows, convention="standard", inertias=inertias, gravity=gravity)

    def links(q):
        made = []
        for (a, alpha, d, theta, kind), inertia, x in zip(rows, inertias, q, strict=True):
            t, d = (theta + x, d) if kind == "R" else (theta, d + x)
            R = np.array(
                [
                    [c(t), -s(t) * c(alpha), s(t) * s(alpha)],
                    [s(t), c(t) * c(alpha), -c(t) * s(alpha)],
                    [0, s(alpha), c(alpha)],
                ]
            )
            shift = np.array([a, d * s(alpha), d * c(alpha)])  # in frame k
            parts = R, shift, inertia.com, inertia.mass, inertia.tensor
            made.append(Printed(*parts, slides=kind == "P"))
        return made

    return model, links, gravity


@examples(20, 1000)
@given(seeds, st.text("RP", min_size=1, max_size=7))
def test_C103_luh_walker_paul_with_load_and_sliding_joints(seed, kinds):
    """Classic DH, a0 = -g, a load at the end effector, prismatic joints too."""
    rng = np.random.default_rng(seed)
    arm, links, gravity = dh_arm(rng, kinds)
    q, v, a = rng.normal(size=(3, len(kinds)))
    force, torque = rng.normal(size=(2, 3))
    wanted = luh_walker_paul(links(q), gravity, v, a, (force, torque))
    load = (f"dh{len(kinds)}", "body", np.concatenate([-torque, -force]))
    close(inverse_dynamics(arm, q, v, a, [load]), wanted)
    close(inverse_dynamics(arm, q, v, a), luh_walker_paul(links(q), gravity, v, a))


def test_C104_inverse_dynamics_of_a_trajectory():
    """One call for all instants; the work done is the energy gained."""
    arm, links, gravity = dh_arm(np.random.default_rng(2), "RPRRPR")
    t = np.linspace(0.0, 1.0, 401)[:, None]
    k = np.arange(1, 7)
    q, v, a = s(k * t), k * c(k * t), -(k**2) * s(k * t)
    tau = arm.inverse_dynamics(q, v, a)
    assert tau.shape == (401, 6)
    for i in range(0, 401, 50):
        close(tau[i], luh_walker_paul(links(q[i]), gravity, v[i], a[i]))
    power = (tau * v).sum(axis=1)
    weights = np.ones(401)
    weights[1:-1:2], weights[2:-1:2] = 4, 2
    work = weights @ power / 1200  # Simpson's rule

    def energy(q, v):
        heights = [
            X.apply(b.inertia.com) for b, X in zip(arm.bodies, arm.body_poses(q), strict=True)
        ]
        fall = sum(
            b.inertia.mass * arm.gravity @ r for b, r in zip(arm.bodies, heights, strict=True)
        )
        return v @ arm.mass_matrix(q) @ v / 2 - fall

    gained = energy(q[-1], v[-1]) - energy(q[0], v[0])
    assert abs(work - gained) < 1e-7 * np.abs(power).max()  # the error of the quadrature


def lagrange(links_of, gravity, q, v, a):
    """M from the Jacobians of the centres, Christoffel by differences at 50 digits, ∂V/∂q."""

    def frames(q):
        R, p, made = precise(np.eye(3)), precise(np.zeros(3)), []
        for link in links_of(q):
            z, o = R[:, 2], p
            R = R @ link.R
            p = p + R @ link.d
            made.append((z, o, R, p + R @ link.d_c, link))
        return made

    def cross(x, y):
        return np.array(
            [x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]]
        )

    def mass(q):
        made, n = frames(q), len(q)
        total = precise(np.zeros((n, n)))
        for i, (_, _, R, center, link) in enumerate(made):
            JL, JA = precise(np.zeros((3, n))), precise(np.zeros((3, n)))
            for k in range(i + 1):
                z, o = made[k][:2]
                JL[:, k], JA[:, k] = cross(z, center - o), z
            total = total + JL.T @ JL * link.m + JA.T @ (R @ link.gamma @ R.T) @ JA
        return total

    def potential(q):
        return -sum(link.m * (gravity @ center) for _, _, _, center, link in frames(q))

    h = mpmath.mpf("1e-16")
    n, units = len(q), precise(np.eye(len(q)))
    dM = np.array([(mass(q + e * h) - mass(q - e * h)) / (2 * h) for e in units])  # [k, i, j]
    dV = np.array([(potential(q + e * h) - potential(q - e * h)) / (2 * h) for e in units])
    M, tau = mass(q), list(dV)
    for i in range(n):
        for j in range(n):
            tau[i] += M[i, j] * a[j]
            for k in range(n):
                tau[i] += (dM[k, i, j] + dM[j, i, k] - dM[i, j, k]) / 2 * v[j] * v[k]
    return M, tau


def test_S43_six_revolute_joints():
    """The corrected recursion is Lagrange's equation, and gives M by columns."""
    rng = np.random.default_rng(5)
    with mpmath.workdps(50):
        for _ in range(2):
            arm, links, gravity = dh_arm(rng, "RRRRRR")
            q, v, a = rng.normal(size=(3, 6))

            def exact(q, links=links):
                made = links(np.zeros(6))
                for link, x in zip(made, q, strict=True):  # turned by q, without rounding
                    C, S = mpmath.cos(x), mpmath.sin(x)
                    turn = np.array([[C, -S, 0], [S, C, 0], [0, 0, 1]])
                    link.R = turn @ precise(link.R)
                return made

            M, wanted = lagrange(exact, precise(gravity), precise(q), v, a)
            close(luh_walker_paul(links(q), gravity, v, a), wanted)
            close(arm.inverse_dynamics(q, v, a), wanted)
            columns = [
                np.array(luh_walker_paul(links(q), 0 * gravity, 0 * v, e)) for e in np.eye(6)
            ]
            close(np.array(columns).T, M)
            close(arm.mass_matrix(q), M)
    assert M.shape == (6, 6)


def operations(n):
    """Products and sums of the recursion as it is written, every vector dense."""
    rng = np.random.default_rng(n)
    _, links, gravity = dh_arm(rng, "R" * n)
    plain = links(rng.normal(size=n))
    levers = [link.lever for link in plain]
    tally = Tally()

    class Given(Printed):
        lever = None  # d + d_c is constant: given, not computed

    made = []
    for link, lever in zip(plain, levers, strict=True):
        parts = [counted(x, tally) for x in (link.R, link.d, link.d_c, link.m, link.gamma)]
        one = Given(*parts[:3], parts[3][()], parts[4])
        one.lever = counted(lever, tally)
        made.append(one)
    v, a = (counted(rng.normal(size=n), tally) for _ in range(2))
    luh_walker_paul(made, counted(gravity, tally), v, a)
    return tally.products, tally.sums


def lagrange_products(n):
    """Products of τ = D q̈ + Σ D_ijk q̇ q̇, each D a sum of traces of dense 4 × 4 products."""
    trace = 64 + 16
    total = 0
    for i in range(n):
        for j in range(n):
            total += (n - max(i, j)) * trace + 1
            total += sum((n - max(i, j, k)) * trace + 2 for k in range(n))
    return total


def test_C106_operation_counts():
    """Instrumented: 125 n - 24 products, 102 n - 24 sums; in print: 117 n - 24 and 103 n - 21."""
    for n in range(1, 8):
        assert operations(n) == (125 * n - 24, 102 * n - 24)
    printed = {n: (117 * n - 24, 103 * n - 21) for n in range(1, 8)}
    assert printed[6] == (678, 597)
    assert operations(6) == (726, 588)
    six = vv.catalog.puma560().inverse_dynamics.operations
    assert six.multiplications < 678 / 3
    assert six.additions < 597 / 3
    assert operations(6)[0] < 66_271 / 90  # of Lagrange, in print "66.271"
    counts = [lagrange_products(n) for n in range(1, 9)]
    assert np.diff(counts, 5).tolist() == [0, 0, 0]  # it grows with the fourth power
    assert (np.diff(counts, 4) > 0).all()


def test_S43_E39f_counts_are_another_convention():
    """What is printed is not the count of what is printed: eight products per link are missing."""
    gaps = {operations(n)[0] - (117 * n - 24) - 8 * n for n in range(1, 6)}
    assert gaps == {0}
    assert operations(6)[1] != 103 * 6 - 21


# ---- errata of the recursion in print


def wrong(change, seed=3):
    """How far a changed recursion is from the right one, on a random 6R, relative to it."""
    rng = np.random.default_rng(seed)
    arm, links, gravity = dh_arm(rng, "RRRRRR")
    q, v, a = rng.normal(size=(3, 6))
    found, right = change(links(q), gravity, v, a), arm.inverse_dynamics(q, v, a)
    return np.abs(np.array(found) - right).max() / np.abs(right).max()


def printed_recursion(links, gravity, v, a, a_of_center=False, lost_plus=False, turned=False):
    """(114)–(121) in numpy, with the faults of the print by choice."""
    w, alpha, acc, made = np.zeros(3), np.zeros(3), -gravity, []
    k = np.array([0.0, 0.0, 1.0])
    for link, rate, rise in zip(links, v, a, strict=True):
        alpha = link.R.T @ (alpha + np.cross(w, k * rate) + k * rise)
        w = link.R.T @ (w + k * rate)
        to = link.d + link.d_c if a_of_center else link.d
        acc = link.R.T @ acc + np.cross(alpha, to) + np.cross(w, np.cross(w, to))
        swing, pull = np.cross(alpha, link.d_c), np.cross(w, np.cross(w, link.d_c))
        a_c = acc if a_of_center else acc + (swing if lost_plus else swing + pull)
        N = link.gamma @ alpha + np.cross(w, link.gamma @ w)
        made.append((link, link.m * a_c, N))
    f, n, tau = np.zeros(3), np.zeros(3), []
    R = np.eye(3)
    for link, F, N in reversed(made):
        f, n = (R.T @ f, R.T @ n) if turned else (R @ f, R @ n)
        n = n + np.cross(link.d, f) + np.cross(link.d + link.d_c, F) + N
        f = f + F
        tau.insert(0, (link.R @ n)[2])
        R = link.R
    return tau


def test_E39b_the_acceleration_is_that_of_the_origin():
    """Called that of the centre of mass, it would be passed on from there."""
    assert wrong(printed_recursion) < 1e-12
    assert wrong(lambda *x: printed_recursion(*x, a_of_center=True)) > 0.01


def test_E39c_a_plus_is_lost():
    assert wrong(lambda *x: printed_recursion(*x, lost_plus=True)) > 0.01


def test_E39d_forces_turn_back():
    """R from k + 1 to k, not the other way."""
    assert wrong(lambda *x: printed_recursion(*x, turned=True)) > 0.01


def test_E39e_backwards_from_n_to_1_with_a_load_to_start_from():
    """k = n … 1; the start (f, τ) at n + 1 is the load, and it reaches every joint."""
    rng = np.random.default_rng(4)
    _, links, gravity = dh_arm(rng, "RRRRRR")
    q, v, a = rng.normal(size=(3, 6))
    load = tuple(rng.normal(size=(2, 3)))
    free, loaded = (luh_walker_paul(links(q), gravity, v, a, x) for x in (None, load))
    assert len(free) == 6
    assert np.all(np.array(loaded) != np.array(free))
