"""The catalogue's masses, inertias and gravity forces are those of the sources."""

import numpy as np
import pytest
import sympy

from tests.support.oracles.by_definition import EXACT, gravity_forces, mass_matrix, positions
from visviva.describe import catalog


def test_robots_with_six_joints():
    for make, count in ((catalog.puma560, 6), (catalog.stanford, 6)):
        assert make().nv == count
    puma = catalog.puma560()
    # shoulder offset 0.1501; upper arm along x, forearm up at zero angles
    p = puma.numeric.frame_pose("tool", np.zeros(6)).p
    assert np.allclose(p, [0.4318 - 0.0203, 0.2435 - 0.0934, 0.4331], atol=EXACT)
    # with the arm stretched out, gravity turns joint 2 most; the value is by hand:
    # link 2 at 0.068, link 3 at a2 + 0.070, wrist at a2 + d4, with the small offsets
    q = np.array([0, 0, np.pi / 2, 0, 0, 0])
    reach = 17.4 * 0.068 + 4.8 * (0.4318 + 0.070) + 0.82 * (0.4318 + 0.4331 - 0.019)
    reach += 0.34 * (0.4318 + 0.4331) + 0.09 * (0.4318 + 0.4331 + 0.032)
    assert gravity_forces(puma, q)[1] == pytest.approx(-9.81 * reach, abs=1e-9)
    # effective motor inertias of the paper's table: 1.14, 4.71, 0.83, 0.200, 0.179, 0.193
    motors = np.concatenate([b.armature for b in puma.numeric.bodies]) - [0.35, 0, 0, 0, 0, 0]
    assert np.allclose(motors, [1.14, 4.71, 0.83, 0.200, 0.179, 0.193], rtol=0.07)
    assert any("triangle inequality" in note for note in puma.notes)


def test_stanford_moments_are_about_the_link_frames():
    arm = catalog.stanford().numeric
    moments = {1: (0.276, 0.255, 0.071), 2: (0.108, 0.018, 0.100), 3: (2.51, 2.51, 0.006)}
    moments |= {4: (0.002, 0.001, 0.001), 5: (0.003, 0.003, 0.0004), 6: (0.013, 0.013, 0.0003)}
    for i, wanted in moments.items():
        frame = arm.frame(f"dh{i}").placement.inverse()
        seen = arm.bodies[i - 1].inertia.moved(frame.R, frame.p)
        assert np.allclose(seen.about([0.0, 0.0, 0.0]), np.diag(wanted), atol=EXACT)
    # at home the boom is drawn in: the hand is above the shoulder, d2 aside
    assert np.allclose(arm.frame_pose("tool", np.zeros(6)).p, [0, 0.154, 0.412 + 0.263])


@pytest.mark.spread(0)
def test_puma_against_the_abbreviated_model_of_its_paper():
    """Terms of Armstrong, Khatib and Burdick's abbreviated formulas, with two or three digits.

    One tolerance for all: 5 % of the largest coefficient, which is what gear ratio² × motor inertia
    and the paper's effective motor inertias differ by. The first diagonal term is not compared: the
    formula gives 3.95 at zero angles, the link data 4.27, and which is right is open.
    """
    puma = catalog.puma560()
    for q in positions(6, 3.0, samples=10):
        M, g = mass_matrix(puma, q), gravity_forces(puma, q)
        s2, c2, s3, c3 = np.sin(q[1]), np.cos(q[1]), np.sin(q[2]), np.cos(q[2])
        s23, c23 = np.sin(q[1] + q[2]), np.cos(q[1] + q[2])
        s5, c5, c4 = np.sin(q[4]), np.cos(q[4]), np.cos(q[3])
        printed = [
            (M[0, 1], 0.690 * s2 - 0.134 * c23 + 0.0238 * c2, 0.690),
            (M[0, 2], -0.134 * c23 - 0.00397 * s23, 0.134),
            (M[1, 1], 6.79 + 0.744 * s3, 6.79),
            (M[1, 2], 0.333 + 0.372 * s3 - 0.0110 * c3, 0.372),
            (M[2, 2], 1.16, 1.16),
            (g[1], -37.2 * c2 - 8.4 * s23 + 1.02 * s2, 37.2),
            (g[2], -8.4 * s23 + 0.25 * c23, 8.4),
            (g[4], -0.028 * (c23 * s5 + s23 * c4 * c5), 0.028),
        ]
        for got, wanted, largest in printed:
            assert got == pytest.approx(wanted, abs=0.05 * largest)


def test_planar_body():
    body = catalog.planar_body(m=1.5, I=0.2)
    for q in positions(3, 3.0):
        assert np.allclose(mass_matrix(body, q), np.diag([1.5, 1.5, 0.2]), atol=EXACT)
        assert np.allclose(gravity_forces(body, q), [0, 1.5 * 9.81, 0], atol=EXACT)


def test_rp_arm():
    m1, m2, r1, I1, I2, g = 1.3, 0.9, 0.45, 0.07, 0.04, 9.7
    arm = catalog.rp_arm(m1=m1, m2=m2, r1=r1, I1=I1, I2=I2, a_g=g)
    for q1, q2 in positions(2, 3.0):
        M = np.diag([I1 + I2 + m1 * r1**2 + m2 * q2**2, m2])
        assert np.allclose(mass_matrix(arm, [q1, q2]), M, atol=EXACT)
        forces = [g * (m1 * r1 + m2 * q2) * np.cos(q1), g * m2 * np.sin(q1)]
        assert np.allclose(gravity_forces(arm, [q1, q2]), forces, atol=1e-12)


def test_two_link():
    L1, m1, m2, I1, I2, r1, r2, g = 0.9, 1.3, 0.8, 0.11, 0.05, 0.42, 0.37, 9.7
    values = {"L1": L1, "m1": m1, "m2": m2, "I1": I1, "I2": I2, "r1": r1, "r2": r2, "a_g": g}
    arm = catalog.two_link(**values)
    for q1, q2 in positions(2, 3.0):
        c2, s2 = np.cos(q2), np.sin(q2)
        H11 = m1 * r1**2 + I1 + m2 * (L1**2 + r2**2 + 2 * L1 * r2 * c2) + I2
        H12, H22 = m2 * (r2**2 + L1 * r2 * c2) + I2, m2 * r2**2 + I2
        M = mass_matrix(arm, [q1, q2])
        assert np.allclose(M, [[H11, H12], [H12, H22]], atol=EXACT)
        det = I1 * I2 + I1 * m2 * r2**2 + I2 * (m2 * L1**2 + m1 * r1**2)
        det += m1 * m2 * r1**2 * r2**2 + m2**2 * L1**2 * r2**2 * s2**2
        assert np.linalg.det(M) == pytest.approx(det, abs=EXACT)
        G2 = m2 * g * r2 * np.cos(q1 + q2)
        G1 = g * (m1 * r1 + m2 * L1) * np.cos(q1) + G2
        assert np.allclose(gravity_forces(arm, [q1, q2]), [G1, G2], atol=1e-12)


def test_two_point_masses():
    """Craig 6.7."""
    l1, l2, m1, m2, g = 0.7, 0.5, 1.1, 0.6, 9.81
    arm = catalog.two_link(L1=l1, L2=l2, r1=l1, r2=l2, m1=m1, m2=m2, I1=0.0, I2=0.0, a_g=g)
    for q1, q2 in positions(2, 3.0):
        c2 = np.cos(q2)
        M11 = (m1 + m2) * l1**2 + m2 * (l2**2 + 2 * l1 * l2 * c2)
        M12 = m2 * (l2**2 + l1 * l2 * c2)
        M = [[M11, M12], [M12, m2 * l2**2]]
        assert np.allclose(mass_matrix(arm, [q1, q2]), M, atol=EXACT)
        G2 = m2 * g * l2 * np.cos(q1 + q2)
        G = [(m1 + m2) * g * l1 * np.cos(q1) + G2, G2]
        assert np.allclose(gravity_forces(arm, [q1, q2]), G, atol=1e-12)


def test_craig_6_5():
    L1, L2, M1, M2, g = 0.6, 0.35, 1.7, 1.2, 9.6
    arm = catalog.craig_6_5(L1=L1, L2=L2, M1=M1, M2=M2, V1=0.3, V2=0.4, g=g)
    for q1, q2 in positions(2, 3.0):
        reach = L1 + L2 * np.cos(q2)
        M = np.diag([M1 * L1**2 + M2 * reach**2, M2 * L2**2])
        assert np.allclose(mass_matrix(arm, [q1, q2]), M, atol=EXACT)
        forces = [0.0, M2 * g * L2 * np.cos(q2)]
        assert np.allclose(gravity_forces(arm, [q1, q2]), forces, atol=1e-12)
    assert [b.damping[0] for b in arm.numeric.bodies] == [0.3, 0.4]


def test_pr_arm():
    m1, m2, I2, r2, alpha, g = 1.1, 0.7, 0.03, 0.25, 0.4, 9.81
    arm = catalog.pr_arm(m1=m1, m2=m2, I2=I2, r2=r2, alpha=alpha, g=g)
    for q in positions(2, 3.0):
        cross = -m2 * r2 * np.sin(q[1])
        M = [[m1 + m2, cross], [cross, I2 + m2 * r2**2]]
        assert np.allclose(mass_matrix(arm, q), M, atol=EXACT)
        forces = [g * (m1 + m2) * np.sin(alpha), m2 * g * r2 * np.cos(alpha + q[1])]
        assert np.allclose(gravity_forces(arm, q), forces, atol=1e-12)


def test_polar_point():
    for theta, r in positions(2, 3.0):
        M = mass_matrix(catalog.polar_point(m=1.7), [theta, r])
        assert np.allclose(M, np.diag([1.7 * r**2, 1.7]), atol=EXACT)


def test_mobile_manipulator_does_not_care_where_it_is():
    """M depends on the heading in world velocities, not in cart velocities."""
    cart = catalog.mobile_manipulator()
    q = np.array([0.3, -0.4, 0.5, 0.7, 0.9])
    M = mass_matrix(cart, q)
    assert np.allclose(mass_matrix(cart, q + np.array([1.0, 2.0, 0, 0, 0])), M, atol=EXACT)
    turned = q + np.array([0, 0, 0.6, 0, 0])
    assert not np.allclose(mass_matrix(cart, turned), M, atol=1e-3)

    def in_cart_axes(at):
        T = np.eye(5)
        c, s = np.cos(at[2]), np.sin(at[2])
        T[:2, :2] = [[c, -s], [s, c]]
        return T.T @ mass_matrix(cart, at) @ T

    assert np.allclose(in_cart_axes(q), in_cart_axes(turned), atol=EXACT)


def test_pendulums():
    """In absolute angles φ, M_ij = l_i l_j cos(φᵢ - φⱼ) Σ m_k for k ≥ max(i, j)."""
    n = 4
    m, length = np.array([1.0, 0.7, 1.3, 0.4]), np.array([0.5, 0.8, 0.3, 0.6])
    values = {f"m{i + 1}": m[i] for i in range(n)} | {f"l{i + 1}": length[i] for i in range(n)}
    model = catalog.pendulum(n, **values)
    sums = np.tril(np.ones((n, n)))  # φ = sums @ θ
    tail = np.cumsum(m[::-1])[::-1]
    for q in positions(n, 3.0):
        phi = sums @ q
        A = np.array(
            [
                [
                    length[i] * length[j] * np.cos(phi[i] - phi[j]) * tail[max(i, j)]
                    for j in range(n)
                ]
                for i in range(n)
            ]
        )
        assert np.allclose(mass_matrix(model, q), sums.T @ A @ sums, atol=EXACT)
        forces = sums.T @ (9.81 * tail * length * np.sin(phi))
        assert np.allclose(gravity_forces(model, q), forces, atol=1e-12)
    assert catalog.pendulum(1).nv == 1
    assert catalog.pendulum(30).nv == 30


def test_tumbling_body():
    body = catalog.tumbling_body(Ix=1.0, Iy=2.0, Iz=3.0).numeric
    assert (body.nq, body.nv) == (4, 3)
    assert np.allclose(body.bodies[0].inertia.tensor, np.diag([1.0, 2.0, 3.0]))
    assert not body.gravity.any()


def by_sympy(names, points, height, values, tops=()):
    """Inverse dynamics of (mass, place) and of (moment, angular velocity), by SymPy's Lagrange."""
    t, g = sympy.Symbol("t"), sympy.Symbol("g")
    q = [sympy.Function(name)(t) for name in names]
    T = sum(m * p.diff(t).dot(p.diff(t)) / 2 for m, p in points(*q))
    T += sum(moment * w**2 / 2 for moment, w in (tops(*q, t) if tops else ()))
    V = sum(m * g * height(p) for m, p in points(*q))
    forces = [(T.diff(x.diff(t))).diff(t) - T.diff(x) + V.diff(x) for x in q]
    plain = sympy.symbols(f"s:{3 * len(q)}")
    motion = [*(x.diff(t, 2) for x in q), *(x.diff(t) for x in q), *q]
    swap = dict(zip(motion, (*plain[2 * len(q) :], *plain[len(q) : -len(q)], *plain), strict=False))
    ready = [f.doit().subs(values).subs(swap) for f in forces]
    return sympy.lambdify(plain, ready)


def test_a_cart_pole_obeys_lagrange():
    M, m, L, g = 1.1, 0.4, 0.7, 9.7

    def points(x, th):
        s = sympy.Symbol("l")
        bob = sympy.Matrix([x + s * sympy.sin(th), -s * sympy.cos(th)])
        return [(sympy.Symbol("M"), sympy.Matrix([x, 0])), (sympy.Symbol("m"), bob)]

    values = {"M": M, "m": m, "l": L, "g": g}
    forces = by_sympy(["x", "th"], points, lambda p: p[1], values)
    model = catalog.cart_pole(**values)
    for z in positions(6, 2.0):
        tau = model.inverse_dynamics(z[:2], z[2:4], z[4:])
        assert np.allclose(tau, forces(*z), atol=1e-12)
        _, th, _, dth, ddx, ddth = z  # and as books have it
        F = (M + m) * ddx + m * L * ddth * np.cos(th) - m * L * dth**2 * np.sin(th)
        turn = m * L * ddx * np.cos(th) + m * L**2 * ddth + m * g * L * np.sin(th)
        assert np.allclose(tau, [F, turn], atol=1e-12)
    assert np.allclose(model.frame_pose("tip", [0.3, np.pi / 2]).p, [0.3 + L, 0, 0])


def test_an_acrobot_obeys_lagrange():
    values = {"m1": 0.9, "m2": 1.2, "l1": 0.8, "lc1": 0.3, "lc2": 0.5, "I1": 0.07, "I2": 0.2}
    values |= {"g": 9.7}

    def points(q1, q2):
        l1, c1, c2 = sympy.symbols("l1 lc1 lc2")
        along = [sympy.Matrix([sympy.sin(a), -sympy.cos(a)]) for a in (q1, q1 + q2)]
        places = c1 * along[0], l1 * along[0] + c2 * along[1]
        return list(zip(sympy.symbols("m1 m2"), places, strict=True))

    def turns(q1, q2, t):
        return zip(sympy.symbols("I1 I2"), (q1.diff(t), (q1 + q2).diff(t)), strict=True)

    forces = by_sympy(["q1", "q2"], points, lambda p: p[1], values, turns)
    model = catalog.acrobot(**values)
    for z in positions(6, 2.0):
        tau = model.inverse_dynamics(z[:2], z[2:4], z[4:])
        assert np.allclose(tau, forces(*z), atol=1e-12)
    # Spong's terms, with his angles from the horizontal
    d1 = 0.9 * 0.3**2 + 1.2 * (0.8**2 + 0.5**2 + 2 * 0.8 * 0.5 * np.cos(0.4)) + 0.07 + 0.2
    assert model.mass_matrix([0.1, 0.4])[0, 0] == pytest.approx(d1, rel=1e-14)
    phi = (0.9 * 0.3 + 1.2 * 0.8) * 9.7 * np.cos(0.1 - np.pi / 2)
    phi += 1.2 * 0.5 * 9.7 * np.cos(0.1 + 0.4 - np.pi / 2)
    assert model.gravity_forces([0.1, 0.4])[0] == pytest.approx(phi, rel=1e-13)


def test_a_spherical_pendulum_obeys_lagrange():
    values = {"m": 1.3, "l": 0.6, "g": 9.7}

    def points(th, phi):
        L, s = sympy.Symbol("l"), sympy.sin(th)
        place = sympy.Matrix([s * sympy.cos(phi), s * sympy.sin(phi), -sympy.cos(th)])
        return [(sympy.Symbol("m"), L * place)]

    forces = by_sympy(["th", "phi"], points, lambda p: p[2], values)
    system = catalog.spherical_pendulum(**values)
    for z in positions(6, 2.0):
        tau = system.inverse_dynamics(z[:2], z[2:4], z[4:])
        assert np.allclose(tau, forces(*z), atol=1e-12)
    # a conical pendulum: φ̇² = g / (l cos θ) needs no force
    steady = np.sqrt(9.7 / (0.6 * np.cos(0.5)))
    assert np.allclose(system.inverse_dynamics([0.5, 1.0], [0, steady], [0, 0]), 0, atol=1e-12)


@pytest.mark.spread(0)
def test_a_heavy_top_is_a_body_on_its_tip():
    """Energies of a body in space, turned by R = Rz(φ) Rx(θ) Rz(ψ) and differentiated by SymPy."""
    M, L, I1, I3, g = 0.7, 0.2, 0.05, 0.03, 9.7
    top = catalog.heavy_top(M=M, l=L, I1=I1, I3=I3, g=g)
    t = sympy.Symbol("t")
    angles = [sympy.Function(name)(t) for name in ("phi", "theta", "psi")]

    def turn(k, angle):
        return {0: sympy.rot_givens(1, 2, angle, 3), 2: sympy.rot_givens(0, 1, angle, 3)}[k]

    R = turn(2, angles[0]).T * turn(0, angles[1]).T * turn(2, angles[2]).T
    W = R.T * R.diff(t)
    w = W[2, 1], W[0, 2], W[1, 0]
    T = (I1 * (w[0] ** 2 + w[1] ** 2) + I3 * w[2] ** 2) / 2
    V = M * g * L * R[2, 2]
    forces = [T.diff(x.diff(t)).diff(t) - T.diff(x) + V.diff(x) for x in angles]
    plain = sympy.symbols("s:9")
    motion = [x.diff(t, k) for k in (2, 1, 0) for x in angles]
    swap = dict(zip(motion, (*plain[6:], *plain[3:6], *plain[:3]), strict=True))
    number = sympy.lambdify(plain, [f.doit().xreplace(swap) for f in forces])
    for z in positions(9, 2.0):
        tau = top.inverse_dynamics(z[:3], z[3:6], z[6:])
        assert np.allclose(tau, number(*z), atol=1e-12)
    # Goldstein 5.77: steady precession, M g l = φ̇ (I3 ω3 - I1 φ̇ cos θ)
    rate, theta = 1.7, 0.6
    w3 = (M * g * L / rate + I1 * rate * np.cos(theta)) / I3
    v = [rate, 0.0, w3 - rate * np.cos(theta)]
    assert np.allclose(top.inverse_dynamics([0.2, theta, 0.1], v, [0, 0, 0]), 0, atol=1e-12)
