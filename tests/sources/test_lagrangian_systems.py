"""The audit's mechanisms as Lagrangians: what is derived equals what is true, exactly.

`same` decides equality of polynomials in symbols, sines and cosines in the exact ring; SymPy is
asked only where roots or unknown functions leave it.
"""

import numpy as np
import pytest
import sympy
from support.bodies import close
from sympy import Matrix, Rational, cos, diff, sin, sqrt, symbols

import visviva as vv
from visviva.algebra.rationals import OutsideError
from visviva.describe.formulas import Names
from visviva.describe.lagrangian import Lagrangian
from visviva.equations import energies
from visviva.equations.lagrange_ring import Reader
from visviva.equations.lagrange_terms import exact_terms, sympy_terms
from visviva.equations.lagrange_theory import (
    cyclic_coordinates,
    equations,
    invariant_coordinates,
    is_flat_at_sight,
    kinetic_parts,
    leading_minors,
    where_singular,
)
from visviva.equations.lean import lean
from visviva.equations.mass_matrix import composite_rigid_body
from visviva.equations.newton_euler import newton_euler
from visviva.equations.virtual_work import Particle, Turning, d_alembert, kinetic_energy, rate

q1, q2, q3, v1, v2, v3, a1, a2, a3 = symbols("q1 q2 q3 qd1 qd2 qd3 qdd1 qdd2 qdd3")
m, m1, m2, I1, I2, r1, r2, L1, L2, a_g, g = symbols("m m1 m2 I1 I2 r1 r2 L1 L2 a_g g")
c1, s1, c2, s2, c12, s12 = cos(q1), sin(q1), cos(q2), sin(q2), cos(q1 + q2), sin(q1 + q2)


def same(x, y):
    """Whether two formulas, or two arrays of them, are equal: decided, not guessed."""
    pairs = zip(_entries(x), _entries(y), strict=True)
    return all(_is_zero(sympy.sympify(a - b)) for a, b in pairs)


def _entries(x):
    return np.array(x.tolist() if hasattr(x, "tolist") else list(x), dtype=object).ravel().tolist()


def _is_zero(x):
    try:
        return Reader([x], list(x.free_symbols)).poly(x).is_zero
    except OutsideError:
        return sympy.simplify(x) == 0


def gammas(s):
    """Christoffel symbols that are not zero, counted from 1."""
    gamma = sympy_terms(s).christoffel
    n = range(s.nq)
    every = {(i + 1, j + 1, k + 1): gamma[i][j][k] for i in n for j in n for k in n}
    return {key: x for key, x in every.items() if not same([x], [0])}


def two_link():
    """The vertical 2R arm with general centres of mass."""
    p1 = Matrix([r1 * c1, r1 * s1])
    p2 = Matrix([L1 * c1 + r2 * c12, L1 * s1 + r2 * s12])
    names = Names(["q1", "q2"], [])
    bodies = [Particle(m1, p1), Particle(m2, p2)]
    turning = [Turning(I1, q1), Turning(I2, q1 + q2)]
    K = kinetic_energy(names, bodies, turning)
    return Lagrangian("q1 q2", K, a_g * (m1 * p1[1] + m2 * p2[1]), name="two_link")


def agrees_with_the_model(s, model, order=None):
    """The Lagrangian against the catalog's bodies: every number of the standard form."""
    s = s.with_parameters(**{k: x for k, x in model.parameters.items() if k in s.parameter_names})
    order = order or list(range(s.nq))
    rng = np.random.default_rng(0)
    q, v, a = rng.uniform(-1, 1, (3, 20, s.nq))
    x = [y[:, order] for y in (q, v, a)]
    back = np.argsort(order)
    close(s.inverse_dynamics(q, v, a), model.inverse_dynamics(*x)[:, back], 1e-13)
    close(s.mass_matrix(q), model.mass_matrix(x[0])[:, back][:, :, back], 1e-13)
    close(s.gravity_forces(q), model.gravity_forces(x[0])[:, back], 1e-13)


def test_S1_planar_body_in_gravity():
    s = Lagrangian("x y phi", "(m*(x'^2 + y'^2) + I*phi'^2)/2", "m*a_g*y",
                   parameters={"m": 1.5, "I": 0.2, "a_g": 9.81})  # fmt: skip
    m, inertia, a_g, xdd, ydd, phidd = symbols("m I a_g xdd ydd phidd")
    assert same(equations(s), [m * xdd, m * ydd + m * a_g, inertia * phidd])
    assert same(sympy_terms(s).mass_matrix, sympy.diag(m, m, inertia).tolist())
    assert same(sympy_terms(s).gravity, [0, m * a_g, 0])
    assert gammas(s) == {}
    assert is_flat_at_sight(s)
    agrees_with_the_model(s, vv.catalog.planar_body())


def test_S2_rp_arm():
    K = (I1 + I2 + m1 * r1**2 + m2 * q2**2) * v1**2 / 2 + m2 * v2**2 / 2
    s = Lagrangian("q1 q2", K, a_g * (m1 * r1 + m2 * q2) * s1)
    u1 = (I1 + I2 + m1 * r1**2 + m2 * q2**2) * a1 + 2 * m2 * q2 * v1 * v2
    u1 += a_g * (m1 * r1 + m2 * q2) * c1
    u2 = m2 * a2 - m2 * q2 * v1**2 + a_g * m2 * s1
    assert same(equations(s), [u1, u2])
    found = gammas(s)
    assert set(found) == {(1, 1, 2), (1, 2, 1), (2, 1, 1)}
    assert same([found[1, 1, 2], found[1, 2, 1], found[2, 1, 1]], [m2 * q2, m2 * q2, -m2 * q2])
    C = Matrix([[m2 * q2 * v2, m2 * q2 * v1], [-m2 * q2 * v1, 0]])
    assert same(Matrix(sympy_terms(s).coriolis_matrix), C)
    M = Matrix(sympy_terms(s).mass_matrix)
    N = M.diff(q1) * v1 + M.diff(q2) * v2 - 2 * C
    assert same(N, -N.T)
    agrees_with_the_model(s, vv.catalog.rp_arm())


def test_S4_point_mass_cartesian_and_polar():
    r, rd, thetad, rdd, thetadd = symbols("r rd thetad rdd thetadd")
    s = Lagrangian("x y", "m*(x'^2 + y'^2)/2", parameters={"m": 1.0})
    assert is_flat_at_sight(s)
    polar = s.in_coordinates("r theta", {"x": "r*cos(theta)", "y": "r*sin(theta)"})
    assert same(
        equations(polar),
        [m * (rdd - r * thetad**2), m * r**2 * thetadd + 2 * m * r * rd * thetad],
    )
    assert same(sympy_terms(polar).mass_matrix, sympy.diag(m, m * r**2).tolist())
    assert {k: sympy.simplify(x) for k, x in gammas(polar).items()} == {
        (1, 2, 2): -m * r,
        (2, 1, 2): m * r,
        (2, 2, 1): m * r,
    }
    agrees_with_the_model(polar, vv.catalog.polar_point(), order=[1, 0])


def test_S5_arm_on_a_cart():
    """World velocities feel the cart's heading, velocities in the cart's axes do not."""
    x, y, phi, beta = symbols("x y phi beta")
    names = Names(["x", "y", "phi", "beta"], [])
    mc, Ic, length = symbols("mc Ic l")
    tip = Matrix([x + L1 * cos(phi), y + L1 * sin(phi)])
    tip += length * Matrix([cos(phi + beta), sin(phi + beta)])
    K = kinetic_energy(names, [Particle(mc, [x, y]), Particle(m, tip)], [Turning(Ic, phi)])
    s = Lagrangian(names.coordinates, K)
    assert invariant_coordinates(s) == ("x", "y")
    assert cyclic_coordinates(s) == ("x", "y")
    M = Matrix(sympy_terms(s).mass_matrix)
    assert not same(M.diff(phi), sympy.zeros(4))
    R = sympy.diag(Matrix([[cos(phi), -sin(phi)], [sin(phi), cos(phi)]]), 1, 1)
    assert same((R.T * M * R).diff(phi), sympy.zeros(4))
    assert sympy.Poly(K, *symbols("xd yd phid betad")).total_degree() == 2


def test_S9_freely_translating_body():
    s = Lagrangian("x", "m*x'^2/2", parameters={"m": 2.0})
    assert equations(s) == [m * symbols("xdd")]
    close(s.inverse_dynamics([0.0], [5.0], [3.0]), [6.0], 0)


def test_S14_rigid_body_in_euler_angles():
    s = vv.catalog.euler_body()
    Ix, Iy, Iz = symbols("Ix Iy Iz")
    s3, c3 = sin(q3), cos(q3)
    B = Matrix([[s2 * s3, 0, c2], [c2 * s3, 0, -s2], [c3, 1, 0]])
    inertia = sympy.diag(Ix, Iy, Iz)
    # R = Rz(q1) Rx(q3) Rz(q2), and ω in body axes from Rᵀ Ṙ
    Rz, Rx = sympy.rot_axis3, sympy.rot_axis1  # SymPy turns the axes, not the vector
    R = Rz(-q1) * Rx(-q3) * Rz(-q2)
    names = s.names
    W = R.T * R.applyfunc(lambda x: rate(x, names))
    omega = B * Matrix([v1, v2, v3])
    assert same(Matrix([W[2, 1], W[0, 2], W[1, 0]]), omega)
    M = Matrix(
        [
            [
                Ix * s2**2 * s3**2 + Iy * c2**2 * s3**2 + Iz * c3**2,
                Iz * c3,
                (Ix - Iy) * s2 * c2 * s3,
            ],
            [Iz * c3, Iz, 0],
            [(Ix - Iy) * s2 * c2 * s3, 0, Ix * c2**2 + Iy * s2**2],
        ]
    )
    assert same(Matrix(sympy_terms(s).mass_matrix), M)
    assert same(M, B.T * inertia * B)
    assert same([B.det()], [s3]) or same([B.det()], [-s3])
    assert same([where_singular(s)], [Ix * Iy * Iz * s3**2])
    euler = inertia * omega.applyfunc(lambda x: rate(x, names)) + omega.cross(inertia * omega)
    assert same(Matrix(equations(s)), B.T * euler)


def check_two_link(s, model):
    h = m2 * L1 * r2 * s2
    H11 = m1 * r1**2 + I1 + m2 * (L1**2 + r2**2 + 2 * L1 * r2 * c2) + I2
    H12, H22 = m2 * (r2**2 + L1 * r2 * c2) + I2, m2 * r2**2 + I2
    G1, G2 = a_g * (m1 * r1 * c1 + m2 * (L1 * c1 + r2 * c12)), m2 * a_g * r2 * c12
    tau1 = H11 * a1 + H12 * a2 - h * v2**2 - 2 * h * v1 * v2 + G1
    tau2 = H12 * a1 + H22 * a2 + h * v1**2 + G2
    assert same(equations(s), [tau1, tau2])
    agrees_with_the_model(s, model)
    return h, (H11, H12, H22)


def test_S15_vertical_2r_arm():
    s = two_link()
    h, (H11, H12, H22) = check_two_link(s, vv.catalog.two_link())
    assert same(Matrix(sympy_terms(s).mass_matrix), Matrix([[H11, H12], [H12, H22]]))
    found = gammas(s)
    assert set(found) == {(1, 1, 2), (1, 2, 1), (1, 2, 2), (2, 1, 1)}
    assert same([found[1, 1, 2], found[1, 2, 1], found[1, 2, 2], found[2, 1, 1]], [-h, -h, -h, h])
    C = Matrix([[-h * v2, -h * (v1 + v2)], [h * v1, 0]])
    assert same(Matrix(sympy_terms(s).coriolis_matrix), C)
    det = I1 * I2 + I1 * m2 * r2**2 + I2 * (m2 * L1**2 + m1 * r1**2)
    det += m1 * m2 * r1**2 * r2**2 + m2**2 * L1**2 * r2**2 * s2**2
    assert same([H11 * H22 - H12**2], [det])
    assert same([leading_minors(s)[1]], [det])


def test_S16_pr_arm():
    """A slide along the direction α, and a link at the angle q2 from it."""
    alpha = symbols("alpha")
    names = Names(["q1", "q2"], [])
    slide = Matrix([q1 * cos(alpha), q1 * sin(alpha)])
    centre = slide + r2 * Matrix([cos(alpha + q2), sin(alpha + q2)])
    K = kinetic_energy(
        names, [Particle(m1, slide), Particle(m2, centre)], [Turning(I2, alpha + q2)]
    )
    s = Lagrangian("q1 q2", K, g * (m1 * slide[1] + m2 * centre[1]))
    M = Matrix([[m1 + m2, -m2 * r2 * s2], [-m2 * r2 * s2, I2 + m2 * r2**2]])
    assert same(Matrix(sympy_terms(s).mass_matrix), M)
    found = gammas(s)
    assert set(found) == {(1, 2, 2)}
    assert same([found[1, 2, 2]], [-m2 * r2 * c2])
    gravity = [g * (m1 + m2) * sin(alpha), m2 * g * r2 * cos(alpha + q2)]
    assert same(sympy_terms(s).gravity, gravity)
    agrees_with_the_model(s, vv.catalog.pr_arm())


def test_S23_point_on_the_sphere_by_latitude_and_longitude():
    f = symbols("f1 f2 f3")
    rates = symbols("xd yd zd")
    free = Lagrangian("x y z", m * sum(x**2 for x in rates) / 2, forces=f)
    where = {"x": c1 * c2, "y": c1 * s2, "z": s1}
    s = free.in_coordinates("q1 q2", where)
    u1 = -s1 * c2 * f[0] - s1 * s2 * f[1] + c1 * f[2]
    u2 = c1 * (-s2 * f[0] + c2 * f[1])
    assert same(s.forces, [u1, u2])
    tau = [m * a1 + m * s1 * c1 * v2**2, m * c1**2 * a2 - 2 * m * s1 * c1 * v1 * v2]
    assert same(equations(s), [tau[0] - u1, tau[1] - u2])
    found = gammas(s)
    assert set(found) == {(1, 2, 2), (2, 1, 2), (2, 2, 1)}
    assert same([found[1, 2, 2], found[2, 1, 2]], [m * s1 * c1, -m * s1 * c1])
    assert same([where_singular(s)], [m**2 * c1**2])


def test_S32_relativistic_particle():
    m, c = symbols("m c", positive=True)
    v, h = symbols("v h", positive=True)
    C_star, C = energies.relativistic_co_energy(m, c, v), energies.relativistic_energy(m, c, h)
    gamma = 1 / sqrt(1 - v**2 / c**2)
    momentum = C_star.diff(v)
    assert sympy.simplify(momentum - gamma * m * v) == 0
    assert sympy.simplify(C.diff(h) - c * h / sqrt(h**2 + m**2 * c**2)) == 0  # v(h)
    slow = symbols("b", positive=True)  # v = c b / √(1 + b²) keeps roots real
    given = {v: c * slow / sqrt(1 + slow**2)}
    total = (C.subs(h, momentum) + C_star - momentum * v).subs(given)
    assert sympy.simplify(total) == 0
    numbers = {m: 1, c: 1, v: Rational(4, 5)}
    assert C_star.subs(numbers) == Rational(2, 5)
    assert C.subs(h, momentum).subs(numbers) == Rational(2, 3)
    s = vv.catalog.relativistic_particle()
    speed = np.array([0.8, 0.0, 0.0])
    close(s.kinetic_energy(np.zeros(3), speed), 0.4, 1e-15)
    close(s.generalized_momentum(np.zeros(3), speed), [0.8 / 0.6, 0, 0], 1e-15)
    close(s.jacobi_integral(np.zeros(3), speed), 2 / 3, 1e-15)
    # along the motion the mass is γ³ m, across it γ m
    close(s.mass_matrix(np.zeros(3), speed), np.diag([0.6**-3, 1 / 0.6, 1 / 0.6]), 1e-14)


def test_S33_particle_in_a_rotating_frame():
    s = vv.catalog.rotating_frame_particle()
    W, kappa = symbols("W kappa")
    x, y, xd, yd, xdd, ydd = symbols("x y xd yd xdd ydd")
    parts = kinetic_parts(s)
    assert parts.alpha == m * sympy.eye(2)
    assert same(parts.beta, m * W * Matrix([-y, x]))
    assert same([parts.gamma], [m * W**2 * (x**2 + y**2) / 2])
    assert same([parts.C2 + parts.C1 + parts.C0], [s.kinetic])
    true = [
        m * xdd - 2 * m * W * yd - m * W**2 * x + kappa * x,
        m * ydd + 2 * m * W * xd - m * W**2 * y + kappa * y,
    ]
    assert same(equations(s), true)


def test_S35_linear_spring():
    k, e, f = symbols("k e f", positive=True)
    element = energies.spring(k, e)
    assert element.potential == k * e**2 / 2
    assert element.force == (k * e,)
    assert energies.legendre(element.potential, e, f) == f**2 / (2 * k)
    assert element.co_energy == element.potential


def test_S36_torsion_spring():
    k, delta, tau = symbols("k delta tau", positive=True)
    element = energies.spring(k, delta)
    assert element.potential == k * delta**2 / 2
    assert energies.legendre(element.potential, delta, tau) == tau**2 / (2 * k)


def test_S37_spring_that_hardens():
    k1, k3, e = symbols("k1 k3 e", positive=True)
    element = energies.spring(lambda e: k1 + k3 * e**2, e)
    assert same(element.force, [k1 * e + k3 * e**3])
    assert same([element.potential], [k1 * e**2 / 2 + k3 * e**4 / 4])
    assert same([element.co_energy], [k1 * e**2 / 2 + 3 * k3 * e**4 / 4])
    numbers = {k1: 2, k3: 8, e: Rational(1, 2)}
    assert [x.subs(numbers) for x in (element.force[0], element.potential, element.co_energy)] == [
        2,
        Rational(3, 8),
        Rational(5, 8),
    ]
    P = element.potential.subs({k1: 2, k3: 8})
    value, at = energies.legendre_at(P, e, 2.0, start=1.0)
    close(value, 0.625, 1e-15)
    close(at, [0.5], 1e-15)
    u = symbols("u", real=True)  # for a law that SymPy only knows by name
    law = sympy.Function("k")
    named = energies.spring(lambda e: law(e), u)
    assert sympy.simplify(named.potential.diff(u).doit() - law(u) * u) == 0


def test_S38_anisotropic_spring_in_space():
    K = sympy.diag(*symbols("k1 k2 k3", positive=True))
    e, f = symbols("e1 e2 e3"), symbols("f1 f2 f3")
    element = energies.spring(K, e)
    E, F = Matrix(e), Matrix(f)
    assert same([element.potential], [(E.T * K * E)[0] / 2])
    assert same(element.force, list(K * E))
    co_energy = energies.legendre(element.potential, e, f)
    assert sympy.simplify(co_energy - (F.T * K.inv() * F)[0] / 2) == 0
    with pytest.raises(vv.errors.ArgumentError, match="a stiffness matrix is symmetric"):
        energies.spring(Matrix([[1, 2], [0, 1]]), e[:2])


def test_S39_charged_particle_in_any_field():
    """Unknown functions φ(r, t) and A(r, t): the residual of Lorentz's force is exactly zero."""
    t, e, c = symbols("t e c")
    r, v, a = symbols("x y z"), symbols("xd yd zd"), symbols("xdd ydd zdd")
    phi, *A = (sympy.Function(k)(*r, t) for k in ("phi", "Ax", "Ay", "Az"))
    P = energies.charged_potential(e, phi, A, v, c)
    force = energies.lorentz_force(e, phi, A, r, v, t, c)
    Q = energies.generalized_force(P, r, v, a, t)
    assert [sympy.expand(x - f) for x, f in zip(Q, force, strict=True)] == [0, 0, 0]
    s = Lagrangian("x y z", m * sum(x**2 for x in v) / 2, P)
    newton = [m * x - f for x, f in zip(a, force, strict=True)]
    assert [sympy.expand(x - y) for x, y in zip(equations(s), newton, strict=True)] == [0, 0, 0]


def test_S39_charged_particle_of_the_catalog():
    s = vv.catalog.charged_particle(m=2.0, e=0.5, c=3.0, Ex=1.0, Ey=-2.0, Bx=0.4, By=0.7)
    E, B = np.array([1.0, -2.0, 1.0]), np.array([0.4, 0.7, 2.0])
    rng = np.random.default_rng(0)
    q, v = rng.normal(size=(2, 3))
    close(s.forward_dynamics(q, v, np.zeros(3)), 0.5 * (E + np.cross(v, B) / 3.0) / 2.0, 1e-14)
    # the magnetic part has no power: ½ m v² - e E · r is conserved
    close(s.jacobi_integral(q, v), v @ v - 0.5 * E @ q, 1e-14)


def test_S55_mass_on_a_circular_arc():
    R, theta, thetadd, thetad, r = symbols("R theta thetadd thetad r")
    from_top = Lagrangian("theta", m * R**2 * thetad**2 / 2, m * g * R * cos(theta))
    assert same([sympy.solve(equations(from_top)[0], thetadd)[0]], [g / R * sin(theta)])
    below = Lagrangian("theta", m * R**2 * thetad**2 / 2, -m * g * R * cos(theta))
    assert same([sympy.solve(equations(below)[0], thetadd)[0]], [-g / R * sin(theta)])
    # the rod's force by a superfluous coordinate: hold r = R, read the force on r
    rd, rdd = symbols("rd rdd")
    loose = Lagrangian("theta r", m * (rd**2 + r**2 * thetad**2) / 2, -m * g * r * cos(theta))
    force = equations(loose)[1].subs({rd: 0, rdd: 0, r: R})
    assert same([-force], [m * R * thetad**2 + m * g * cos(theta)])
    # the same by d'Alembert
    names = Names(["theta"], [])
    where = [R * sin(theta), -R * cos(theta)]
    (residual,) = d_alembert(names, [Particle(m, where, [0, -m * g])])
    assert same([residual], equations(below))


def test_S56_2r_arm_by_newton_euler_and_by_lagrange():
    """One ring for both: the recursion over exact polynomials gives the very same elements."""
    s, model = two_link(), vv.catalog.two_link()
    check_two_link(s, model)
    terms = exact_terms(s)
    ring = terms.by.ring
    exact = model.over(
        {k: ring[k] if k in ring.symbols else ring.number(1) for k in model.parameters}
    )
    q, v = (np.array([ring[x.name] for x in xs]) for xs in (s.names.q, s.names.v))
    none = np.array([ring.number(0)] * 2)
    drift = newton_euler(lean(exact), exact.gravity, q, v, none)
    assert list(drift) == terms.drift
    M = composite_rigid_body(lean(exact), q, 2)
    assert M.tolist() == terms.mass_matrix


def test_S57_generalized_forces_in_absolute_angles():
    tau1, tau2 = symbols("tau1 tau2")
    s = two_link()
    s = Lagrangian("q1 q2", s.kinetic, s.potential, forces=[tau1, tau2])
    absolute = s.in_coordinates("phi1 phi2", {"q1": "phi1", "q2": "phi2 - phi1"})
    assert list(absolute.forces) == [tau1 - tau2, tau2]
    assert list(s.forces) == [tau1, tau2]
    # motors between links, by their virtual work: τ1 on link 1 from the base, τ2 from link 1
    motors = [
        Lagrangian.torque(tau1, angle="phi1"),
        Lagrangian.torque(tau2, angle="phi2 - phi1"),
    ]
    again = Lagrangian("phi1 phi2", absolute.kinetic, absolute.potential, forces=motors)
    assert again.forces == absolute.forces


def test_S58_2r_arm_with_an_endpoint_force():
    fx, fy, N, tau1, tau2 = symbols("fx fy N tau1 tau2")
    s = two_link()
    tip = [L1 * c1 + L2 * c12, L1 * s1 + L2 * s12]
    # f and N are exerted by the arm; on it act -f and -N
    loads = [
        {"q1": tau1, "q2": tau2},
        Lagrangian.point_force(tip, [-fx, -fy]),
        Lagrangian.torque(-N, angle=q1 + q2),
    ]
    Q = Lagrangian("q1 q2", s.kinetic, s.potential, forces=loads).forces
    J = Matrix([*tip, q1 + q2]).jacobian([q1, q2])
    assert same(Matrix(Q), Matrix([tau1, tau2]) + J.T * Matrix([-fx, -fy, -N]))


def test_S66_lagrange_from_d_alembert():
    """∂ṗ/∂q̇ = ∂p/∂q and d/dt ∂p/∂q = ∂ṗ/∂q carry one principle into the other, for any p(q, t)."""
    names, t = Names(["q1", "q2"], []), symbols("t")
    p = [sympy.Function(f"p{i}")(q1, q2, t) for i in range(2)]
    f = symbols("f0 f1")
    for x in p:
        for j in range(2):
            q, v = names.q[j], names.v[j]
            assert sympy.expand(rate(x, names).diff(v) - x.diff(q)) == 0
            assert sympy.expand(rate(x.diff(q), names) - rate(x, names).diff(q)) == 0
    points = [Particle(m, p, f)]
    s = Lagrangian("q1 q2", kinetic_energy(names, points), forces=Lagrangian.point_force(p, f))
    direct = d_alembert(names, points)
    assert [sympy.expand(x - y) for x, y in zip(equations(s), direct, strict=True)] == [0, 0]


def test_S66_chain_of_links_with_their_own_angular_velocity():
    """Links turn with the sum of the rates, not with the rate of their joint (E47)."""
    names = Names(["q1", "q2"], [])
    p1, p2 = [r1 * c1, r1 * s1], [L1 * c1 + r2 * c12, L1 * s1 + r2 * s12]
    points = [Particle(m1, p1, [0, -m1 * a_g]), Particle(m2, p2, [0, -m2 * a_g])]
    links = [Turning(I1, q1), Turning(I2, q1 + q2)]
    assert same(d_alembert(names, points, links), equations(two_link()))
    wrong = d_alembert(names, points, [Turning(I1, q1), Turning(I2, q2)])
    assert not same(wrong, equations(two_link()))


def test_S68_planar_2r_with_point_masses():
    t1, t2, w1, w2, u1, u2 = symbols("theta1 theta2 thetad1 thetad2 thetadd1 thetadd2")
    l1, l2 = symbols("l1 l2")
    names = Names(["theta1", "theta2"], [])
    p1 = [l1 * cos(t1), l1 * sin(t1)]
    p2 = [p1[0] + l2 * cos(t1 + t2), p1[1] + l2 * sin(t1 + t2)]
    K = kinetic_energy(names, [Particle(m1, p1), Particle(m2, p2)])
    s = Lagrangian("theta1 theta2", K, g * (m1 * p1[1] + m2 * p2[1]))
    c, si, c12, c1 = cos(t2), sin(t2), cos(t1 + t2), cos(t1)
    tau1 = ((m1 + m2) * l1**2 + m2 * (l2**2 + 2 * l1 * l2 * c)) * u1
    tau1 += m2 * (l2**2 + l1 * l2 * c) * u2 - m2 * l1 * l2 * si * (2 * w1 * w2 + w2**2)
    tau1 += (m1 + m2) * g * l1 * c1 + m2 * g * l2 * c12
    tau2 = m2 * l2**2 * u2 + m2 * (l2**2 + l1 * l2 * c) * u1 + m2 * l1 * l2 * si * w1**2
    tau2 += m2 * g * l2 * c12
    assert same(equations(s), [tau1, tau2])
    # every partial derivative on the way
    L, h = s.lagrangian, m2 * l1 * l2 * si
    assert same([diff(L, t1)], [-(m1 + m2) * g * l1 * c1 - m2 * g * l2 * c12])
    assert same([diff(L, t2)], [-h * (w1**2 + w1 * w2) - m2 * g * l2 * c12])
    p = sympy_terms(s).momentum
    assert same([p[1]], [m2 * l2**2 * (w1 + w2) + m2 * l1 * l2 * c * w1])
    model = vv.catalog.two_link(I1=0, I2=0, r1=1.0, L1=1.0, r2=0.8, L2=0.8)
    numeric = s.with_parameters(m1=1.5, m2=1.0, l1=1.0, l2=0.8, g=9.81)
    state = np.random.default_rng(1).normal(size=(3, 10, 2))
    close(numeric.inverse_dynamics(*state), model.inverse_dynamics(*state), 1e-13)


def test_S69_christoffel_symmetrisation():
    """Σ ∂ᵢmₖⱼ vᵢvⱼ = ½ Σ (∂ᵢmₖⱼ + ∂ⱼmₖᵢ) vᵢvⱼ for any symmetric M(q), here of unknown functions."""
    q, v, n = (q1, q2, q3), (v1, v2, v3), range(3)
    names = {
        frozenset((i, j)): sympy.Function(f"m{min(i, j)}{max(i, j)}")(*q) for i in n for j in n
    }
    M = Matrix(3, 3, lambda i, j: names[frozenset((i, j))])
    for k in n:
        one = sum(diff(M[k, j], q[i]) * v[i] * v[j] for i in n for j in n)
        both = sum((diff(M[k, j], q[i]) + diff(M[k, i], q[j])) * v[i] * v[j] for i in n for j in n)
        assert sympy.expand(one - both / 2) == 0
    V = Matrix(v)
    s = Lagrangian("q1 q2 q3", (V.T * M * V)[0] / 2)
    C = Matrix(sympy_terms(s).coriolis_matrix)
    drift = Matrix(sympy_terms(s).drift)
    assert (C * V - drift).applyfunc(sympy.expand) == sympy.zeros(3, 1)
    N = sum((M.diff(x) * y for x, y in zip(q, v, strict=True)), sympy.zeros(3)) - 2 * C
    assert (N + N.T).applyfunc(sympy.expand) == sympy.zeros(3)
