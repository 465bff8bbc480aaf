"""General formulas as printed, put on the systems of docs/errata/: they give the claims there.

Each test computes with SymPy what the printed formula gives and what is true, from positions, M or
Γ; their difference must be what the verdict calls missing less extra.
"""

import sympy
from support.errata import errata, gap, of_row
from sympy import Matrix, Rational, cos, diff, sin, sqrt, symbols

q1, q2, qd1, qd2, qdd1, qdd2 = symbols("q1 q2 qd1 qd2 qdd1 qdd2")
m, m1, m2, I1, I2, r1, r2, L1, L2, a_g = symbols("m m1 m2 I1 I2 r1 r2 L1 L2 a_g")
Q, QD, QDD = (q1, q2), (qd1, qd2), (qdd1, qdd2)
half = Rational(1, 2)
RATES = {q1: qd1, q2: qd2, qd1: qdd1, qd2: qdd2}


def same(a, b):
    return sympy.simplify(Matrix([a]) - Matrix([b])).is_zero_matrix


def rate(x, rates=None):
    """dx/dt."""
    rates = RATES if rates is None else rates
    f = lambda y: sum((diff(y, q) * v for q, v in rates.items()), sympy.S.Zero)  # noqa: E731
    return x.applyfunc(f) if isinstance(x, Matrix) else f(x)


def lagrange(L, q, qd, rates=None):
    return rate(diff(L, qd), rates) - diff(L, q)


def christoffel(M, q):
    n = range(len(q))
    return [
        [
            [half * (diff(M[i, j], q[k]) + diff(M[i, k], q[j]) - diff(M[j, k], q[i])) for k in n]
            for j in n
        ]
        for i in n
    ]


def cross(w):
    x, y, z = w
    return Matrix([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def two_link():
    """Centroids, kinetic energy and mass matrix of the 2R arm."""
    c1 = Matrix([r1 * cos(q1), r1 * sin(q1)])
    c2 = Matrix([L1 * cos(q1) + r2 * cos(q1 + q2), L1 * sin(q1) + r2 * sin(q1 + q2)])
    speeds = [rate(c).dot(rate(c)) for c in (c1, c2)]
    T = half * (m1 * speeds[0] + m2 * speeds[1] + I1 * qd1**2 + I2 * (qd1 + qd2) ** 2)
    return (c1, c2), T, sympy.hessian(T, QD)


def test_general_claims_are_all_here():
    named = {e.row for e in errata.errata() if any(c.general for c in e.cases)}
    here = {name.split("_")[1] for name in globals() if name.startswith("test_E")}
    assert named == here


def test_E2_determinant_and_trace():
    """det 5, trace 3, and yet an eigenvalue -1."""
    x, y, z = symbols("xd yd zd")
    M = sympy.diag(-1, -1, 5)
    assert M.det() > 0
    assert M.trace() > 0
    assert not M.is_positive_definite
    assert M[0, 0] == -1
    T = half * (Matrix([[x, y, z]]) * M * Matrix([x, y, z]))[0]
    assert same(gap("E2"), T - sympy.Abs(T))


def test_E3_indices_of_the_coriolis_matrix():
    M = sympy.diag(I1 + I2 + m1 * r1**2 + m2 * q2**2, m2)
    gamma = christoffel(M, Q)
    printed = Matrix(2, 2, lambda i, j: sum(gamma[k][i][j] * QD[k] for k in range(2)))
    true = Matrix(2, 2, lambda i, j: sum(gamma[i][j][k] * QD[k] for k in range(2)))
    assert same(gap("E3"), true - printed)
    skew = rate(M) - 2 * true
    assert same(skew, -skew.T)


def test_E4_density_left_out():
    a, b, c, x, y, z = symbols("a b c x y z", positive=True)
    limits = [(s, -t / 2, t / 2) for s, t in ((x, a), (y, b), (z, c))]
    integral = sympy.integrate(x**2 + y**2, *limits)
    found = gap("E4").subs({s.name: s for s in (a, b, c)})
    assert same(found, m / (a * b * c) * integral - m * integral)


def test_E7_rate_of_the_tensor():
    q, qd, Ix, Iy, Iz = symbols("q qd Ix Iy Iz")
    R = Matrix([[cos(q), -sin(q), 0], [sin(q), cos(q), 0], [0, 0, 1]])
    fixed, w = R * sympy.diag(Ix, Iy, Iz) * R.T, cross((0, 0, qd))
    assert same(gap("E7"), rate(fixed, {q: qd}) - w * fixed)
    assert same(rate(fixed, {q: qd}), w * fixed - fixed * w)


def test_E10_little_adjoint_without_its_minus():
    W = Matrix(symbols("b_wxd b_wyd b_wzd"))
    v = Matrix(symbols("b_vxd b_vyd b_vzd"))
    Ix, Iy, Iz = symbols("Ix Iy Iz")
    G = sympy.diag(Ix, Iy, Iz, m, m, m)
    ad = sympy.BlockMatrix([[cross(W), sympy.zeros(3, 3)], [cross(v), cross(W)]]).as_explicit()
    V = Matrix([*W, *v])
    by_rows = Matrix([*W.cross(G[:3, :3] * W), *(m * W.cross(v))])  # line 16 of the slides
    assert same(gap("E10"), by_rows - ad.T * G * V)


def test_E14_action_without_potential():
    q, qd, qdd, kappa = symbols("q qd qdd kappa")
    T, P = half * m * qd**2, half * kappa * q**2
    rates = {q: qd, qd: qdd}
    assert same(gap("E14"), lagrange(T - P, q, qd, rates) - lagrange(T, q, qd, rates))


def test_E20_tensor_about_the_point():
    x, y, phi, r, inertia = symbols("x y phi r I")
    xd, yd, phid, xdd, ydd, phidd = symbols("xd yd phid xdd ydd phidd")
    rates = {x: xd, y: yd, phi: phid, xd: xdd, yd: ydd, phid: phidd}
    lever, a = r * Matrix([cos(phi), sin(phi)]), Matrix([xdd, ydd])
    moment = m * (lever[0] * a[1] - lever[1] * a[0])  # m S(r) a_P
    printed = moment + inertia * phid * phidd
    v = rate(Matrix([x, y]) + lever, rates)
    T = half * m * v.dot(v) + half * inertia * phid**2
    assert same(gap("E20"), lagrange(T, phi, phid, rates) - printed)


def test_E27_work_of_the_drive():
    """The generalized force of the wire's turning, divided out of f_c · dr = τ₂ dθ."""
    x, xd, xdd, theta, thetad, thetadd, k, g = symbols("x xd xdd theta thetad thetadd k g")
    rates = {x: xd, theta: thetad, xd: xdd, thetad: thetadd}
    r = Matrix([x * cos(theta), x * sin(theta), k * x**2])
    v = rate(r, rates)
    L = half * m * v.dot(v) - m * g * r[2]
    assert same(gap("E27"), lagrange(L, theta, thetad, rates))


def test_E29_momentum_of_a_charge():
    x, y, z, xd, yd, zd, e, c = symbols("x y z xd yd zd e c")
    B, r, v = Matrix(symbols("Bx By Bz")), Matrix([x, y, z]), Matrix([xd, yd, zd])
    A = B.cross(r) / 2
    T, P = half * m * v.dot(v), -e * v.dot(A) / c
    assert same(gap("E29"), diff(T - P, xd) - diff(T, xd))


def test_E32_derivative_of_a_squared_norm():
    beta1 = symbols("beta1")
    D = half * beta1 * (qd1**2 + qd2**2)
    assert same(gap("E32"), diff(D, qd1) - beta1 * sqrt(qd1**2 + qd2**2))


def one_link():
    """Accelerations of centre and end in the link's axes, and d from the end to the centre."""
    q, qd, qdd, L, r = symbols("q qd qdd L r")
    R = Matrix([[cos(q), -sin(q), 0], [sin(q), cos(q), 0], [0, 0, 1]])
    rates = {q: qd, qd: qdd}
    points = [Matrix([s, 0, 0]) for s in (r, L)]
    centre, end = (R.T * rate(rate(R * p, rates), rates) for p in points)
    return centre, end, points, (Matrix([0, 0, qd]), Matrix([0, 0, qdd]))


def test_E39b_acceleration_of_which_point():
    centre, end, (_, tip), (w, alpha) = one_link()
    formula = alpha.cross(tip) + w.cross(w.cross(tip))
    assert same(formula, end)
    assert same(gap("E39b"), centre - formula)


def test_E39c_plus_between_two_terms():
    centre, end, (inner, tip), (w, alpha) = one_link()
    d = inner - tip
    assert same(m * (end + alpha.cross(d) + w.cross(w.cross(d))), m * centre)
    assert same(gap("E39c"), m * centre - m * (end + alpha.cross(d)))


def turn(q):
    return Matrix([[cos(q), -sin(q)], [sin(q), cos(q)]])


def test_E39d_rotation_of_the_inward_pass():
    """Classic DH frames at the ends of the links; f and τ of link 2 handed to link 1."""
    end = L1 * turn(q1)[:, 0]
    tip = end + L2 * turn(q1 + q2)[:, 0]
    f2 = turn(q1 + q2).T * m * rate(rate(tip))
    moment2 = L2 * f2[1]
    printed, right = (moment2 + L1 * (R * f2)[1] for R in (turn(q2).T, turn(q2)))
    v = rate(tip)
    true = lagrange(half * m * v.dot(v), q1, qd1)
    assert same(right, true)
    assert same(gap("E39d"), true - printed)


def test_E39e_the_last_link_is_left_out():
    """k = 1 and 0 of two links: the force of link 1 alone, nothing from beyond."""
    (c1, c2), T, _ = two_link()
    g = Matrix([0, -a_g])
    V = -m1 * g.dot(c1) - m2 * g.dot(c2)
    a, lever = rate(rate(c1)), c1
    f = m1 * (a - g)
    printed = lever[0] * f[1] - lever[1] * f[0] + I1 * qdd1
    assert same(gap("E39e"), lagrange(T - V, q1, qd1) - printed)


def test_E44_index_in_the_gravity_sum():
    centres, _, _ = two_link()
    g, masses = Matrix([0, -a_g]), (m1, m2)
    n = range(2)
    printed = [-sum(masses[j] * g.dot(centres[i].diff(Q[i])) for j in n) for i in n]
    true = [-sum(masses[j] * g.dot(centres[j].diff(Q[i])) for j in n) for i in n]
    assert same(gap("E44"), Matrix(true) - Matrix(printed))


def test_E45_work_for_a_force():
    """τ = m ẍ - J F_ext with J = 1; the printed F_ext is a work."""
    f, delta, x, xdd = symbols("f delta x xdd")
    J = diff(x, x)
    printed, true = (m * xdd - J * F for F in ((-f) * delta, -f))
    assert same(gap("E45"), true - printed)


def polar():
    r, theta, rd, thetad, rdd, thetadd = symbols("r theta rd thetad rdd thetadd")
    rates = {r: rd, theta: thetad, rd: rdd, thetad: thetadd}
    return (r, rd), Matrix([r * cos(theta), r * sin(theta)]), rates


def test_E46_positions_do_not_depend_on_rates():
    (r, rd), p, rates = polar()
    v = rate(p, rates)
    true = m * rate(v, rates).dot(p.diff(r))
    right, printed = (
        m * (rate(v.dot(inner), rates) - v.dot(v.diff(r))) for inner in (v.diff(rd), p.diff(rd))
    )
    assert same(true, right)
    assert same(gap("E46"), true - printed)
    F = Matrix(symbols("Fx Fy"))
    assert same(gap("E46", 1), -F.dot(p.diff(r)) + F.dot(p.diff(rd)))


def test_E47_joint_rates_for_angular_velocities():
    (c1, c2), T, _ = two_link()
    v1, v2 = rate(c1), rate(c2)
    printed = half * (m1 * v1.dot(v1) + m2 * v2.dot(v2) + I1 * qd1**2 + I2 * qd2**2)
    assert same(gap("E47"), T - printed)


def test_E48_symbols_that_are_not_symmetrised():
    _, _, H = two_link()
    gamma, n = christoffel(H, Q), range(2)

    def symbol(i, j, k):
        return diff(H[i, j], Q[k]) - half * diff(H[j, k], Q[i])

    printed = Matrix(2, 2, lambda i, j: sum(symbol(i, j, k) * QD[k] for k in n))
    true = Matrix(2, 2, lambda i, j: sum(gamma[i][j][k] * QD[k] for k in n))
    assert same(gap("E48"), true - printed)
    assert same(true * Matrix(QD), printed * Matrix(QD))
    skew = rate(H) - 2 * printed
    assert not same(skew, -skew.T)
    assert of_row("E48").severity == "C"
