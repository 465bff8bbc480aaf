"""Statements in print that are no formula of one system: what a computation gives instead.

The words computed here are those of docs/errata/; each test bears its row's number.
"""

import numpy as np
import pytest
import sympy
from sympy import Matrix, Rational, cos, diff, sin, symbols

import visviva as vv
from tests.support.readers.errata import errata

half = Rational(1, 2)


def zero(x):
    return sympy.simplify(Matrix([x])).is_zero_matrix


def rate(x, rates):
    """dx/dt, by the chain rule."""
    f = lambda y: sum((diff(y, q) * v for q, v in rates.items()), sympy.S.Zero)  # noqa: E731
    return x.applyfunc(f) if isinstance(x, Matrix) else f(x)


def told(row):
    """What docs/errata/ say was computed, beside a verdict or instead of one."""
    return next(e.computed or e.note for e in errata.errata() if e.row == row)


def test_E9_forces_are_orthogonal_by_the_inverse():
    M, A, u = Matrix([[2, 1], [1, 1]]), Matrix([[0, 1]]), Matrix([1, 2])
    W = M.inv()
    P = sympy.eye(2) - A.T * (A * W * A.T).inv() * A * W
    assert (P * A.T).is_zero_matrix
    working, resisted = P * u, u - P * u
    assert working.dot(W * resisted) == 0
    assert working.dot(M * resisted) == Rational(9, 4)
    assert "9/4 with M." in told("E9")
    v = Matrix([3, 5])  # and motions by M
    assert (P.T * v).dot(M * (v - P.T * v)) == 0


def test_E9c_the_answer_depends_on_the_mass():
    m, r = symbols("m"), Matrix([3, 0, 2])
    R, tensor = Matrix([[0, -1, 0], [1, 0, 0], [0, 0, 1]]), sympy.diag(1, 2, 3)
    moved = R * (tensor + m * (r.dot(r) * sympy.eye(3) - r * r.T)) * R.T
    assert zero(
        moved - Matrix([[2 + 13 * m, 0, 0], [0, 1 + 4 * m, -6 * m], [0, -6 * m, 3 + 9 * m]])
    )
    assert "2 + 13 m" in told("E9c")


def test_E25_one_link_is_not_definite():
    """Kinetic energies of the links of a 2R arm, from their centroids."""
    q1, q2, v1, v2 = symbols("q1 q2 v1 v2")
    m, length, r, inertia = symbols("m L r I", positive=True)
    rates = {q1: v1, q2: v2}
    first = r * Matrix([cos(q1), sin(q1)])
    second = length * Matrix([cos(q1), sin(q1)]) + r * Matrix([cos(q1 + q2), sin(q1 + q2)])
    matrices = []
    for centre, w in ((first, v1), (second, v1 + v2)):
        v = rate(centre, rates)
        matrices.append(sympy.hessian(half * (m * v.dot(v) + inertia * w**2), [v1, v2]))
    assert matrices[0].rank() == 1
    numbers = {m: 1, length: 1, r: half, inertia: Rational(1, 10), q1: 2, q2: 1}
    assert sum(matrices, sympy.zeros(2)).subs(numbers).evalf().is_positive_definite
    arm = vv.catalog.two_link(m2=1e-300, I2=0.0)  # our engine, with the second link gone
    assert np.linalg.matrix_rank(arm.mass_matrix([0.3, 0.7]), tol=1e-12) == 1


def test_E39_one_degree_of_freedom():
    x, z, theta, k, t, m, W = symbols("x z theta k t m Omega", positive=True)
    constraints = Matrix([z - k * x**2, theta - W * t])
    A = constraints.jacobian([x, z, theta])
    assert 3 - A.rank() == 1
    s = sympy.Function("s")(t)  # x along the wire
    position = Matrix([s * cos(W * t), s * sin(W * t), k * s**2])
    sideways = Matrix([-sin(W * t), cos(W * t), 0])
    force = m * position.diff(t, 2).dot(sideways)  # gravity has no part of it
    assert zero(force - 2 * m * s.diff(t) * W)
    assert vv.catalog.bead_on_rotating_wire().nv == 1


LENGTHS, POSE = (1.0, 0.8, 0.5), (-1.2, 0.3, 2.5)


def printed_inverse(pose, angle):
    """Joint angles by lines 183 to 195; `angle` of (y, x) is the arctangent."""
    (x, y, phi), (l1, l2, l3) = pose, LENGTHS
    xw, yw = x - l3 * np.cos(phi), y - l3 * np.sin(phi)
    rr = xw**2 + yw**2
    theta2 = np.pi - np.arccos((l1**2 + l2**2 - rr) / (2 * l1 * l2))
    gamma = np.arccos((rr + l1**2 - l2**2) / (2 * l1 * np.sqrt(rr)))
    theta1 = angle(yw, xw) - gamma
    return theta1, theta2, phi - theta1 - theta2


def test_E42_the_quadrant_is_lost():
    arm = vv.catalog.planar_3r(l1=LENGTHS[0], l2=LENGTHS[1], l3=LENGTHS[2])

    def reached(pose, angle):
        return arm.frame_pose("tool", np.array(printed_inverse(pose, angle))).p[:2]

    as_printed = reached(POSE, lambda y, x: np.arctan(y / x))
    np.testing.assert_allclose(as_printed, [0.399, 0.298], atol=5e-4)
    np.testing.assert_allclose(reached(POSE, np.arctan2), POSE[:2], atol=1e-12)
    assert "(0.399, 0.298)" in told("E42")
    rng, wrong = np.random.default_rng(0), 0
    for q in rng.uniform(-np.pi, np.pi, (200, 3)):
        pose = *arm.frame_pose("tool", q).p[:2], q.sum()
        np.testing.assert_allclose(reached(pose, np.arctan2), pose[:2], atol=1e-9)
        off = reached(pose, lambda y, x: np.arctan(y / x)) - pose[:2]
        wrong += np.abs(off).max() > 1e-6
    assert 80 < wrong < 120  # about half of all poses have the wrist on the left


def cranks(angle, third):
    """Rank of 12 constraints on 4 moving bodies, a level bar on three cranks, and their lengths.

    The pivot of the third crank is at `third`; those of the others and the holes of the bar are one
    metre apart.
    """
    pivots, holes = np.array([[0, 0], [1, 0], third]), np.array([[0, 0], [1, 0], [1.7, 0]])
    bar = 0.5 * np.array([np.cos(angle), np.sin(angle)])  # its left end
    levers, rows = bar + holes - pivots, []

    def moved_by(r):
        """Velocity of the point at r of a body that moves with (vx, vy, w)."""
        return np.array([[1, 0, -r[1]], [0, 1, r[0]]])

    for i, (lever, hole) in enumerate(zip(levers, holes, strict=True)):
        ground, joint = np.zeros((2, 12)), np.zeros((2, 12))
        ground[:, 3 * i : 3 * i + 3] = moved_by(np.zeros(2))
        joint[:, 3 * i : 3 * i + 3] = moved_by(lever)
        joint[:, 9:] = -moved_by(hole)
        rows += [ground, joint]
    return np.linalg.matrix_rank(np.vstack(rows), tol=1e-9), np.linalg.norm(levers, axis=1)


def test_E49_the_linkage_moves():
    assert 3 * (5 - 1 - 6) + 6 == 0
    for angle in np.linspace(0.2, 3.0, 15):
        rank, lengths = cranks(angle, third=(1.7, 0))
        np.testing.assert_allclose(lengths, 0.5, atol=1e-15)  # of one mechanism, all along
        assert rank == 11
    rank, _ = cranks(1.0, third=(1.4, 0.1))
    assert rank == 12


def test_E50_wrists_spins_and_virtual_displacements():
    """A SCARA's fourth joint, ω × I ω in space, and work that vanishes by balance."""
    three = vv.catalog.scara()
    assert three.mobility().true == 3
    rows = [(0.0, a, 0.1, 0.0) for a in (0.4, 0.3, 0.0, 0.0)]
    four = vv.from_dh(rows, convention="standard", joints="RRPR")
    assert four.mobility().true == 4
    q = np.array([0.3, 0.7, 0.05, 0.4])
    J = four.jacobian(four.frame_names[-1])(q)
    driven = J[[2, 3, 4, 5]]  # about and along z, and in the plane
    assert np.linalg.matrix_rank(driven) == 4
    assert np.linalg.matrix_rank(driven[:, :3]) == 3
    inertia, spin = np.diag([1.0, 2.0, 3.0]), np.ones(3)
    np.testing.assert_array_equal(np.cross(spin, inertia @ spin), [1.0, -2.0, 1.0])
    assert "(1, -2, 1)" in told("E50")
    forces, dx = np.array([[1.0, 2.0], [0.5, -1.0], [-1.5, -1.0]]), np.array([0.3, -0.2])
    assert abs((forces @ dx).sum()) < 1e-15
    assert abs((forces[:2] @ dx).sum()) > 0.1


def test_E67_energy_is_linear_in_the_mass():
    m, length, v = symbols("m l thetad1")
    arm = vv.catalog.pendulum(1)
    K = arm.closed_form().kinetic_energy
    own = {s.name: s for s in K.free_symbols}
    mass, speed = own["m1"], next(s for n, s in own.items() if n not in {"m1", "l1"})
    assert zero(K.subs(mass, 2 * mass) - 2 * K)
    assert zero(K.subs(speed, 2 * speed) - 4 * K)
    by_hand = half * m * (length * v) ** 2
    assert zero(K.subs({mass: m, own["l1"]: length, speed: v}) - by_hand)


def test_E68_both_roads_end_at_the_same_equations():
    r, theta, rd, thetad, rdd, thetadd, m = symbols("r theta rd thetad rdd thetadd m")
    rates = {r: rd, theta: thetad, rd: rdd, thetad: thetadd}
    p = Matrix([r * cos(theta), r * sin(theta)])
    v = rate(p, rates)
    T = half * m * v.dot(v)
    lagrange = Matrix([rate(diff(T, w), rates) - diff(T, q) for q, w in ((r, rd), (theta, thetad))])
    newton = p.jacobian([r, theta]).T * m * rate(v, rates)
    assert zero(lagrange - newton)
    point = vv.catalog.polar_point()
    (tau1, tau2) = (newton[0], newton[1]) if point.joint_names[0] == "r" else reversed(newton)
    assert point.check(sympy.Eq(symbols("tau1"), tau1)).is_identical
    assert point.check(sympy.Eq(symbols("tau2"), tau2)).is_identical


def test_E69_height_is_no_coordinate_at_the_bottom():
    z, zd, k, m = symbols("z zd k m", positive=True)
    x = sympy.sqrt(z / k)
    M = sympy.hessian(half * m * (zd**2 + (diff(x, z) * zd) ** 2), [zd])[0]
    assert zero(M - m * (1 + 4 * k * z) / (4 * k * z))
    assert sympy.limit(M, z, 0, "+") == sympy.oo
    parameters = {"m": 2.0, "k": 0.5}
    bead = vv.Lagrangian("z", "m*z'^2*(1 + 1/(4*k*z))/2", parameters=parameters)
    assert bead.check("M11 = m (1 + 4 k z)/(4 k z)").is_identical
    assert bead.mass_matrix([1e-9])[0, 0] == pytest.approx(1e9, rel=1e-6)
    assert len(sympy.solve(k * symbols("x") ** 2 - z, symbols("x"))) == 2


def test_E70_a_moving_frame_sees_another_energy():
    m, u, v = symbols("m u v")

    def K(speed):
        return half * m * speed**2

    assert zero(K(v - u) - K(v) - (half * m * u**2 - m * u * v))
    a = symbols("a")  # other axes at rest do not
    R, w = Matrix([[cos(a), -sin(a)], [sin(a), cos(a)]]), Matrix([u, v])
    assert zero((R * w).dot(R * w) - w.dot(w))


def test_E71_weights_belong_to_the_statics():
    """The torques that hold a 2R arm which pushes with F at its tip."""
    arm = vv.catalog.two_link(L2=0.8)
    q, F = np.array([0.3, 0.7]), np.array([2.0, -3.0])
    l1, l2 = arm.parameters["L1"], 0.8
    s1, c1, s12, c12 = np.sin(q[0]), np.cos(q[0]), np.sin(q.sum()), np.cos(q.sum())
    J = np.array([[-l1 * s1 - l2 * s12, -l2 * s12], [l1 * c1 + l2 * c12, l2 * c12]])
    held = arm.function("inverse_dynamics", wrenches={"tool": "world"})
    on_arm = -np.array([0, 0, 0, F[0], F[1], 0])  # the wall pushes back
    tau = held(q, np.zeros(2), np.zeros(2), [on_arm])
    np.testing.assert_allclose(tau, J.T @ F + arm.gravity_forces(q), atol=1e-12)
    assert np.abs(arm.gravity_forces(q)).max() > 1


def test_E72_explicit_time_does_no_harm():
    """A mass on a spring whose end is moved: Q = -∂U/∂q and L = T - U give one equation."""
    q, v, a, t, m, k = symbols("q v a t m k")
    U, T = half * k * (q - sin(t)) ** 2, half * m * v**2
    L = T - U
    rates = {q: v, v: a, t: 1}
    by_force = rate(diff(T, v), rates) - diff(T, q) + diff(U, q)
    by_lagrangian = rate(diff(L, v), rates) - diff(L, q)
    assert zero(by_force - by_lagrangian)
    assert diff(U, t) != 0
    moved = vv.Lagrangian("q", "m*q'^2/2", "k*(q - sin(t))^2/2", parameters={"m": 2.0, "k": 3.0})
    found = moved.inverse_dynamics([0.4], [0.0], [0.5], 0.7)
    assert found[0] == pytest.approx(2.0 * 0.5 + 3.0 * (0.4 - np.sin(0.7)), rel=1e-14)


def test_E73_a_frame_that_turns_in_the_body():
    """At the moment at which its axes are those of the body."""
    A, B, C, s = symbols("A B C s")
    w, dw = Matrix(symbols("omega1:4")), Matrix(symbols("alpha1:4"))
    inertia, turn = sympy.diag(A, B, C), Matrix([0, 0, s])
    torque = inertia * dw + w.cross(inertia * w)
    seen = dw - turn.cross(w)  # rate of the components in the turning frame
    left = torque - (inertia * seen + w.cross(inertia * w))
    assert zero(left - Matrix([-A * s * w[1], B * s * w[0], 0]))


def test_E74_knife_edge_with_its_mass_ahead():
    """Multipliers eliminated by Lagrange's equations and the constraint's derivative."""
    q, v = symbols("q1:4"), symbols("v1:4")
    a, lam = symbols("a1:4"), symbols("lam")
    m, inertia, d, speed, spin = symbols("m I_c d v omega", positive=True)
    rates = dict(zip((*q, *v), (*v, *a), strict=True))
    centre = Matrix([q[0] + d * cos(q[2]), q[1] + d * sin(q[2])])
    vc = rate(centre, rates)
    T = half * m * vc.dot(vc) + half * inertia * v[2] ** 2
    row = [sin(q[2]), -cos(q[2]), 0]
    equations = [
        rate(diff(T, w), rates) - diff(T, x) - lam * c for x, w, c in zip(q, v, row, strict=True)
    ]
    equations.append(rate(sum(c * w for c, w in zip(row, v, strict=True)), rates))
    found = sympy.solve(equations, [*a, lam], dict=True)[0][a[2]]
    rolling = {v[0]: speed * cos(q[2]), v[1]: speed * sin(q[2]), v[2]: spin}
    assert zero(found.subs(rolling) + m * d * spin * speed / (inertia + m * d**2))
    assert zero(found.subs(rolling).subs(d, 0))


def test_E75_three_angles_are_not_that_complex():
    I1, I2, I3, q2, q3 = symbols("Ix Iy Iz q2 q3")
    columns = [[sin(q2) * sin(q3), 0, cos(q2)], [cos(q2) * sin(q3), 0, -sin(q2)], [cos(q3), 1, 0]]
    B = Matrix(columns)
    form = vv.catalog.euler_body().closed_form().mass_matrix
    known = {s: symbols(s.name) for s in form.free_symbols}
    assert zero(form.subs(known) - B.T * sympy.diag(I1, I2, I3) * B)
    assert sympy.count_ops(form) < 50
