"""Arms by their energies: what is derived equals what is true, exactly.

And two identities that hold for any mechanism: Lagrange from d'Alembert, Christoffel's symmetry.
"""

import numpy as np
import pytest
import sympy
from sympy import Matrix, cos, diff, sin, symbols

import visviva as vv
from tests.support.generators.bodies import close
from tests.support.generators.lagrangians import (
    I1,
    I2,
    L1,
    L2,
    a1,
    a2,
    a_g,
    agrees_with_the_model,
    c1,
    c2,
    c12,
    g,
    gammas,
    m,
    m1,
    m2,
    q1,
    q2,
    q3,
    r1,
    r2,
    s1,
    s2,
    s12,
    same,
    two_link,
    v1,
    v2,
    v3,
)
from visviva import Lagrangian
from visviva.errors import ArgumentError
from visviva.pencil import (
    Names,
    Particle,
    Turning,
    cyclic_coordinates,
    d_alembert,
    equations,
    formula,
    invariant_coordinates,
    kinetic_energy,
    leading_minors,
    rate,
)


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
    assert same(formula(s, "coriolis_matrix"), C)
    M = formula(s, "mass_matrix")
    N = M.diff(q1) * v1 + M.diff(q2) * v2 - 2 * C
    assert same(N, -N.T)
    agrees_with_the_model(s, vv.catalog.rp_arm())


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
    M = formula(s, "mass_matrix")
    assert not same(M.diff(phi), sympy.zeros(4))
    R = sympy.diag(Matrix([[cos(phi), -sin(phi)], [sin(phi), cos(phi)]]), 1, 1)
    assert same((R.T * M * R).diff(phi), sympy.zeros(4))
    assert sympy.Poly(K, *symbols("xd yd phid betad")).total_degree() == 2


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
    assert same(formula(s, "mass_matrix"), Matrix([[H11, H12], [H12, H22]]))
    found = gammas(s)
    assert set(found) == {(1, 1, 2), (1, 2, 1), (1, 2, 2), (2, 1, 1)}
    assert same([found[1, 1, 2], found[1, 2, 1], found[1, 2, 2], found[2, 1, 1]], [-h, -h, -h, h])
    C = Matrix([[-h * v2, -h * (v1 + v2)], [h * v1, 0]])
    assert same(formula(s, "coriolis_matrix"), C)
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
    assert same(formula(s, "mass_matrix"), M)
    found = gammas(s)
    assert set(found) == {(1, 2, 2)}
    assert same([found[1, 2, 2]], [-m2 * r2 * c2])
    gravity = [g * (m1 + m2) * sin(alpha), m2 * g * r2 * cos(alpha + q2)]
    assert same(formula(s, "gravity"), gravity)
    agrees_with_the_model(s, vv.catalog.pr_arm())


def test_S56_2r_arm_by_newton_euler_and_by_lagrange():
    """Bodies by their recursion and energies by their derivatives give the same formulas."""
    s, model = two_link(), vv.catalog.two_link()
    check_two_link(s, model)
    bodies, energies = model.closed_form(), s.closed_form()
    for part in ("mass_matrix", "coriolis_matrix", "gravity", "equations"):
        assert same(getattr(bodies, part), getattr(energies, part)), part
    assert model.crosscheck().proved


def test_S57_generalized_forces_in_absolute_angles():
    T1, T2 = symbols("T1 T2")
    s = two_link()
    with pytest.raises(ArgumentError, match=r"'tau1' can mean two .* which acts at its coordinate"):
        Lagrangian("q1 q2", s.kinetic, s.potential, forces=symbols("tau1 tau2"))
    s = Lagrangian("q1 q2", s.kinetic, s.potential, forces=[T1, T2])
    absolute = s.in_coordinates("phi1 phi2", {"q1": "phi1", "q2": "phi2 - phi1"})
    assert list(absolute.forces) == [T1 - T2, T2]
    assert list(s.forces) == [T1, T2]
    # motors between links, by their virtual work: T1 on link 1 from the base, T2 from link 1
    motors = [
        Lagrangian.torque(T1, angle="phi1"),
        Lagrangian.torque(T2, angle="phi2 - phi1"),
    ]
    again = Lagrangian("phi1 phi2", absolute.kinetic, absolute.potential, forces=motors)
    assert again.forces == absolute.forces


def test_S58_2r_arm_with_an_endpoint_force():
    fx, fy, N, T1, T2 = symbols("fx fy N T1 T2")
    s = two_link()
    tip = [L1 * c1 + L2 * c12, L1 * s1 + L2 * s12]
    # f and N are exerted by the arm; on it act -f and -N
    loads = [
        {"q1": T1, "q2": T2},
        Lagrangian.point_force(tip, [-fx, -fy]),
        Lagrangian.torque(-N, angle=q1 + q2),
    ]
    Q = Lagrangian("q1 q2", s.kinetic, s.potential, forces=loads).forces
    J = Matrix([*tip, q1 + q2]).jacobian([q1, q2])
    assert same(Matrix(Q), Matrix([T1, T2]) + J.T * Matrix([-fx, -fy, -N]))


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
    p = formula(s, "momentum")
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
    C = formula(s, "coriolis_matrix")
    drift = Matrix(formula(s, "drift"))
    assert (C * V - drift).applyfunc(sympy.expand) == sympy.zeros(3, 1)
    N = sum((M.diff(x) * y for x, y in zip(q, v, strict=True)), sympy.zeros(3)) - 2 * C
    assert (N + N.T).applyfunc(sympy.expand) == sympy.zeros(3)
