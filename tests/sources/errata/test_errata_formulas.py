"""General formulas as printed, put on the systems of docs/errata/: they give the claims there.

Each test computes with SymPy what the printed formula gives and what is true, from positions, M or
Γ; their difference must be what the verdict calls missing less extra.
"""

import sympy
from sympy import Matrix, Rational, cos, diff, sin, sqrt, symbols

from tests.support.readers.errata import errata, gap, of_row
from tests.support.trig import is_zero

q1, q2, qd1, qd2, qdd1, qdd2 = symbols("q1 q2 qd1 qd2 qdd1 qdd2")
m, m1, m2, I1, I2, r1, r2, L1, L2, a_g = symbols("m m1 m2 I1 I2 r1 r2 L1 L2 a_g")
Q, QD, QDD = (q1, q2), (qd1, qd2), (qdd1, qdd2)
half = Rational(1, 2)
RATES = {q1: qd1, q2: qd2, qd1: qdd1, qd2: qdd2}


def same(a, b):
    """Whether two formulas, or two arrays of them, are one."""
    return all(map(is_zero, Matrix([a]) - Matrix([b])))


def vanishes(x):
    """Zero to 25 digits at a point: quick where simplifying is slow."""
    known = sorted(sympy.sympify(x).free_symbols, key=str)
    values = {s: Rational(7 * k + 3, 11 + k) for k, s in enumerate(known)}
    return max(abs(y.evalf(30)) for y in Matrix([x]).subs(values)) < 1e-25


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


def test_E6_radius_without_its_square():
    """x ẋ + y ẏ = 0 keeps x² + y² what it is at (R, 0)."""
    x, y, R, speed = symbols("x y R speed")
    kept = x**2 + y**2
    assert diff(kept, x) * -y * speed + diff(kept, y) * x * speed == 0  # along (-y, x)
    assert same(gap("E6"), kept.subs({x: R, y: 0}) - R)


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


def test_E14_right_at_constant_energy():
    """Jacobi's form of Maupertuis' principle gives the ellipse of a plane oscillator."""
    s, a, b, kappa = symbols("s a b kappa", positive=True)
    x, y, dx, dy = symbols("x y dx dy")
    E, P = half * kappa * (a**2 + b**2), half * kappa * (x**2 + y**2)
    action = sqrt(2 * (E - P)) * sqrt(dx**2 + dy**2)  # vis viva dt, without the time
    path = {x: a * cos(s), y: b * sin(s)}  # Newton's: r'' = -κ r/m in the time s √(m/κ)
    speed = {dx: diff(path[x], s), dy: diff(path[y], s)}
    for q, dq in ((x, dx), (y, dy)):
        momentum, force = (diff(action, z).subs(speed).subs(path) for z in (dq, q))
        residual = diff(momentum, s) - force
        numbers = {a: 2, b: Rational(1, 2), kappa: 3}
        for value in (Rational(1, 5), 1, 2):
            assert abs(residual.subs(numbers).subs(s, value).evalf(30)) < 1e-25
    straight = {x: s, y: 1 - s}  # a path between two of its points that is none
    momentum = diff(action, dx).subs({dx: 1, dy: -1}).subs(straight)
    wrong = diff(momentum, s) - diff(action, x).subs({dx: 1, dy: -1}).subs(straight)
    assert abs(wrong.subs({a: 1, b: 1, kappa: 3, s: Rational(1, 3)}).evalf()) > 0.1


def test_E14_a_minimum_for_short_times_only():
    """Second variation of Hamilton's action of an oscillator for η = sin(πt/T)."""
    t, T, kappa, mass = symbols("t T kappa m", positive=True)
    eta = sin(sympy.pi * t / T)
    second = sympy.integrate(mass * diff(eta, t) ** 2 - kappa * eta**2, (t, 0, T))
    assert same(second, (sympy.pi**2 * mass - kappa * T**2) / (2 * T))


def test_E8_orientation_of_the_cart():
    x, y, phi, t1, t2, r1, r2, L1 = symbols("x y phi theta1 theta2 r1 r2 L1")
    m0, m1, m2, I0, I1, I2 = symbols("m0 m1 m2 I0 I1 I2")
    q = (x, y, phi, t1, t2)
    rates = dict(zip(q, symbols("xd yd phid td1 td2"), strict=True))
    cart = Matrix([x, y])
    a, b = phi + t1, phi + t1 + t2
    first = cart + r1 * Matrix([cos(a), sin(a)])
    second = cart + L1 * Matrix([cos(a), sin(a)]) + r2 * Matrix([cos(b), sin(b)])
    masses = ((m0, cart), (m1, first), (m2, second))
    T = sum(half * k * rate(c, rates).dot(rate(c, rates)) for k, c in masses)
    T += sum(half * k * rate(angle, rates) ** 2 for k, angle in ((I0, phi), (I1, a), (I2, b)))
    M = sympy.hessian(T, list(rates.values()))
    assert vanishes(gap("E8") - (M[0, 4] - M[0, 4].subs(phi, 0)))
    R = sympy.diag(turn(phi), 1, 1, 1)
    assert not vanishes(M.diff(phi))
    assert vanishes((R.T * M * R).diff(phi))


def test_E23_position_in_body_axes():
    q, qd, L = symbols("q qd L")
    w, tip = Matrix([0, 0, qd]), Matrix([L, 0, 0])
    R = sympy.diag(turn(q), 1)
    true = rate(R * tip, {q: qd})
    assert same(true, w.cross(R * tip))
    assert same(gap("E23"), true - w.cross(tip))


def point_masses():
    """Positions of two point masses at the ends of two links."""
    l1, l2 = symbols("l1 l2")
    end = l1 * Matrix([cos(q1), sin(q1)])
    return end, end + l2 * Matrix([cos(q1 + q2), sin(q1 + q2)])


def test_E24_sum_from_the_index_of_the_particle():
    masses, points = (m1, m2), point_masses()

    def energy(first):
        return half * sum(
            mass * r.diff(Q[j]).dot(r.diff(Q[k])) * QD[j] * QD[k]
            for i, (mass, r) in enumerate(zip(masses, points, strict=True))
            for j in range(first(i), 2)
            for k in range(2)
        )

    true = half * sum(k * rate(r).dot(rate(r)) for k, r in zip(masses, points, strict=True))
    assert vanishes(energy(lambda i: 0) - true)
    assert vanishes(gap("E24") - (true - energy(lambda i: i)))


def test_E33_relative_velocity():
    beta = symbols("beta")
    printed, J = half * beta * (qd1**2 + qd2**2), Matrix([[-1, 1]])
    slip = J * Matrix([qd1, qd2])
    true = half * beta * slip.dot(slip)
    assert same(gap("E33"), diff(true, qd1) - diff(printed, qd1))


def test_E35_multipliers_of_constraints():
    x, z, theta, k, t, W = symbols("x z theta k t Omega")
    lam = symbols("lambda1 lambda2")
    A = Matrix([z - k * x**2, theta - W * t]).jacobian([x, z, theta]).T  # n × m
    i = 1  # the equation of z
    printed = sum(lam[i] * A[i, j] for j in range(2))
    true = (A * Matrix(lam))[i]
    assert same(gap("E35"), printed - true)  # both stand on the side of the forces
    assert not same(true, printed)
    assert A.shape[0] > len(lam)  # the third coordinate has no multiplier of its own


def test_E43_where_the_angle_starts():
    theta, thetadd, R, g = symbols("theta thetadd R g")
    thetad = symbols("thetad")
    rates = {theta: thetad, thetad: thetadd}
    printed = (m * g * sin(theta) - m * R * thetadd) * R

    def equation(height):
        return lagrange(half * m * (R * thetad) ** 2 - m * g * height, theta, thetad, rates)

    top, bottom = equation(R * cos(theta)), equation(-R * cos(theta))
    assert same(top, -printed)
    assert same(gap("E43"), bottom + printed)


def test_E65_masses_lost():
    x, xd = symbols("x xd")
    printed = half * diff(x, x) ** 2 * xd**2
    assert same(gap("E65"), half * m * rate(x, {x: xd}) ** 2 - printed)


def test_E66_friction_of_all_joints_in_each():
    beta1, beta2 = symbols("beta1 beta2")
    printed = sum(half * b * (qd1**2 + qd2**2) for b in (beta1, beta2))
    true = half * (beta1 * qd1**2 + beta2 * qd2**2)
    assert same(gap("E66"), diff(true, qd1) - diff(printed, qd1))


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


def test_E51_cross_terms_with_crossed_indices():
    """A's moment is ∫ (x² + y²) dm of r = r_C + c, whose cross terms are 2 c · r."""
    x, y, xc, yc = symbols("x y xc yc")
    about_A = (x + xc) ** 2 + (y + yc) ** 2
    cross_terms = sympy.expand(about_A - (x**2 + y**2) - (xc**2 + yc**2))
    assert same(cross_terms, 2 * (xc * x + yc * y))
    assert same(gap("E51"), cross_terms - (2 * x * yc + 2 * y * xc))


def test_E52_lever_of_the_base():
    """The acceleration of frame 1's origin on a base that turns, by differentiating where it is."""
    t, theta, w0, g, L1 = symbols("t theta1 w0 g L1")
    base = sympy.diag(turn(w0 * t), 1)

    def accelerated(lever):
        """In the axes of frame 1, gravity as an acceleration of the base."""
        seen = base.T * diff(base * lever, t, 2) + Matrix([0, 0, g])
        return sympy.diag(turn(theta), 1).T * seen.applyfunc(sympy.trigsimp)

    true, printed = (accelerated(Matrix([x, 0, 0])) for x in (0, L1))
    assert same(true, Matrix([0, 0, g]))
    assert same(gap("E52"), true - printed)
