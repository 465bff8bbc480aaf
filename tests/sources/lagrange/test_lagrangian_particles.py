"""Particles, single bodies and springs by their energies: derived equals true, exactly."""

import numpy as np
import pytest
import sympy
from sympy import Matrix, Rational, cos, sin, sqrt, symbols

import visviva as vv
from tests.support.generators.bodies import close
from tests.support.generators.lagrangians import (
    a1,
    a2,
    agrees_with_the_model,
    c1,
    c2,
    g,
    gammas,
    m,
    q1,
    q2,
    q3,
    s1,
    s2,
    same,
    v1,
    v2,
    v3,
)
from visviva import Lagrangian, pencil
from visviva.pencil import (
    Names,
    Particle,
    d_alembert,
    equations,
    formula,
    kinetic_parts,
    rate,
    where_singular,
)


def test_S1_planar_body_in_gravity():
    s = Lagrangian("x y phi", "(m*(x'^2 + y'^2) + I*phi'^2)/2", "m*a_g*y",
                   parameters={"m": 1.5, "I": 0.2, "a_g": 9.81})  # fmt: skip
    m, inertia, a_g, xdd, ydd, phidd = symbols("m I a_g xdd ydd phidd")
    assert same(equations(s), [m * xdd, m * ydd + m * a_g, inertia * phidd])
    assert same(formula(s, "mass_matrix"), sympy.diag(m, m, inertia).tolist())
    assert same(formula(s, "gravity"), [0, m * a_g, 0])
    assert gammas(s) == {}
    assert gammas(s) == {}
    agrees_with_the_model(s, vv.catalog.planar_body())


def test_S4_point_mass_cartesian_and_polar():
    r, rd, thetad, rdd, thetadd = symbols("r rd thetad rdd thetadd")
    s = Lagrangian("x y", "m*(x'^2 + y'^2)/2", parameters={"m": 1.0})
    assert gammas(s) == {}
    polar = s.in_coordinates("r theta", {"x": "r*cos(theta)", "y": "r*sin(theta)"})
    assert same(
        equations(polar),
        [m * (rdd - r * thetad**2), m * r**2 * thetadd + 2 * m * r * rd * thetad],
    )
    assert same(formula(polar, "mass_matrix"), sympy.diag(m, m * r**2).tolist())
    assert {k: sympy.simplify(x) for k, x in gammas(polar).items()} == {
        (1, 2, 2): -m * r,
        (2, 1, 2): m * r,
        (2, 2, 1): m * r,
    }
    agrees_with_the_model(polar, vv.catalog.polar_point(), order=[1, 0])


def test_S9_freely_translating_body():
    """(10.29): f = m q̈ of the centre of mass in R³, by its energy and of a body on three slides."""
    stated = Lagrangian("x y z", "m*(x'^2 + y'^2 + z'^2)/2", parameters={"m": 2.0}, name="point")
    b = vv.Builder("slides", gravity=[0, 0, 0], parameters={"m": 2.0})
    b.body("x", joint="prismatic", axis="x", joint_name="x")
    b.body("y", parent="x", joint="prismatic", axis="y", joint_name="y")
    b.body("z", parent="y", joint="prismatic", axis="z", joint_name="z", mass=b.parameters["m"])
    for system in (stated, b.build()):
        assert system.check("[tau1, tau2, tau3] = m [x'', y'', z'']").is_identical
        assert system.check("K = m (x'^2 + y'^2 + z'^2)/2").is_identical
        close(system.inverse_dynamics([0, 0, 0], [5.0, 1, 0], [3.0, 0, -1]), [6.0, 0, -2.0], 0)


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
    assert same(formula(s, "mass_matrix"), M)
    assert same(M, B.T * inertia * B)
    assert same([B.det()], [s3]) or same([B.det()], [-s3])
    assert same([where_singular(s)], [Ix * Iy * Iz * s3**2])
    euler = inertia * omega.applyfunc(lambda x: rate(x, names)) + omega.cross(inertia * omega)
    assert same(Matrix(equations(s)), B.T * euler)


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
    C_star, C = pencil.relativistic_co_energy(m, c, v), pencil.relativistic_energy(m, c, h)
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
    element = pencil.spring(k, e)
    assert element.potential == k * e**2 / 2
    assert element.force == (k * e,)
    assert pencil.legendre(element.potential, e, f) == f**2 / (2 * k)
    assert element.co_energy == element.potential


def test_S36_torsion_spring():
    k, delta, tau = symbols("k delta tau", positive=True)
    element = pencil.spring(k, delta)
    assert element.potential == k * delta**2 / 2
    assert pencil.legendre(element.potential, delta, tau) == tau**2 / (2 * k)


def test_S37_spring_that_hardens():
    k1, k3, e = symbols("k1 k3 e", positive=True)
    element = pencil.spring(lambda e: k1 + k3 * e**2, e)
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
    value, at = pencil.legendre_at(P, e, 2.0, start=1.0)
    close(value, 0.625, 1e-15)
    close(at, [0.5], 1e-15)
    u = symbols("u", real=True)  # for a law that SymPy only knows by name
    law = sympy.Function("k")
    named = pencil.spring(lambda e: law(e), u)
    assert sympy.simplify(named.potential.diff(u).doit() - law(u) * u) == 0


def test_S38_anisotropic_spring_in_space():
    K = sympy.diag(*symbols("k1 k2 k3", positive=True))
    e, f = symbols("e1 e2 e3"), symbols("f1 f2 f3")
    element = pencil.spring(K, e)
    E, F = Matrix(e), Matrix(f)
    assert same([element.potential], [(E.T * K * E)[0] / 2])
    assert same(element.force, list(K * E))
    co_energy = pencil.legendre(element.potential, e, f)
    assert sympy.simplify(co_energy - (F.T * K.inv() * F)[0] / 2) == 0
    with pytest.raises(vv.errors.ArgumentError, match="a stiffness matrix is symmetric"):
        pencil.spring(Matrix([[1, 2], [0, 1]]), e[:2])


def test_S39_charged_particle_in_any_field():
    """Unknown functions φ(r, t) and A(r, t): the residual of Lorentz's force is exactly zero."""
    t, e, c = symbols("t e c")
    r, v, a = symbols("x y z"), symbols("xd yd zd"), symbols("xdd ydd zdd")
    phi, *A = (sympy.Function(k)(*r, t) for k in ("phi", "Ax", "Ay", "Az"))
    P = pencil.charged_potential(e, phi, A, v, c)
    force = pencil.lorentz_force(e, phi, A, r, v, t, c)
    Q = pencil.generalized_force(P, r, v, a, t)
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
