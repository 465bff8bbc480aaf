"""Errors in words, letters and limits of sums: what a computation makes of them."""

import numpy as np
import sympy
from sympy import Matrix, Rational, cos, sin, symbols

import visviva as vv
from tests.sources.errata.test_errata_computed import told
from visviva import Inertia


def test_E5_a_velocity_is_not_its_rate():
    """Of the knife edge: A q̇ and Ȧ q̇ + A q̈ along any motion, and along it twice as fast."""
    t = symbols("t", positive=True)
    q = Matrix([t**2, sin(t), t**3])

    def both(q):
        v = q.diff(t)
        A = Matrix([[sin(q[2]), -cos(q[2]), 0]])
        return (A * v)[0], (A.diff(t) * v + A * v.diff(t))[0]

    speed, rate = both(q)
    assert sympy.simplify(speed.diff(t) - rate) == 0
    faster = [x.subs(t, Rational(1, 3)) for x in both(q.subs(t, 2 * t))]
    at = Rational(2, 3)
    assert sympy.simplify(faster[0] - 2 * speed.subs(t, at)) == 0
    assert sympy.simplify(faster[1] - 4 * rate.subs(t, at)) == 0
    assert abs(sympy.N((speed - rate).subs(t, at))) > 0.1
    assert "doubles and the other grows fourfold" in told("E5")


def test_E9d_a_projection_is_no_momentum():
    P = vv.catalog.knife_edge().closed_form().projection
    assert sympy.simplify(P * P - P).is_zero_matrix
    assert P.shape == (3, 3)
    assert vv.catalog.knife_edge().closed_form().momenta.shape == (3, 1)
    assert "P² = P" in told("E9d")


def test_E13_the_answer_depends_on_every_lost_length():
    r, h, length, w, b, D = lengths = symbols("r h l w b D", positive=True)
    two, one = sympy.Integer(2), sympy.Integer(1)
    body = Inertia.cylinder(two, radius=r, height=h)
    body = body + Inertia.box(one, x=length, y=w, z=b).moved(p=[D, 0, 0])
    exact = sympy.nsimplify(Matrix(body.tensor))
    assert sympy.simplify(sympy.nsimplify(body.com[0]) - D / 3) == 0
    I_xx = r**2 / 2 + h**2 / 6 + (w**2 + b**2) / 12
    assert sympy.simplify(exact[0, 0] - I_xx) == 0
    for x in lengths:
        assert not sympy.simplify(exact.diff(x)).is_zero_matrix
    assert "I_xx = r²/2 + h²/6 + (w² + b²)/12" in told("E13")


def test_E21_the_sum_ends_with_the_torques():
    """A lever about the origin: 3 N at 1 m and 1 N at 3 m, both turning on, held by -6 N m."""
    places, forces = [Matrix([1, 0]), Matrix([0, 3])], [Matrix([0, 3]), Matrix([-1, 0])]
    torques, turn = [-6], 1

    def work(forces, torques):
        moved = [turn * Matrix([-r[1], r[0]]) for r in places]
        return sum(f.dot(dr) for f, dr in zip(forces, moved, strict=True)) + sum(torques) * turn

    assert work(forces, torques) == 0
    assert work(forces, []) == 6
    assert len(forces) > len(torques)  # so that the limit of the first sum asks for another
    assert work([2 * forces[0], forces[1]], torques) == 3  # no equilibrium: δW is not zero
    for text in ("one torque is zero in equilibrium", "leaves 6 J", "is not zero"):
        assert text in told("E21")
    d, shift = Matrix([Rational(1, 10), 0]), Matrix([5, 7])
    F = Matrix([2, 1])
    moved = [(r + d) - r for r in (places[0], places[0] + shift)]
    assert F.dot(moved[0]) == F.dot(moved[1])
    assert F.dot(places[0]) != F.dot(places[0] + shift)


def test_E26_letters_and_words_decide():
    bead = vv.Lagrangian(
        "x z",
        "m (x'^2 + z'^2)/2",
        "m g z",
        constraints=["x^2 + z^2 - 1"],
        parameters={"m": 2.0, "g": 9.81},
    )
    q = np.array([0.6, 0.8])
    along = np.array([-0.8, 0.6])  # a virtual displacement
    lam = bead.multipliers(q, along, [0.0, 0.0])
    held = bead.constraint_matrix(q).T @ lam
    assert abs(held @ along) < 1e-12
    assert np.linalg.norm(held) > 1
    assert abs(-bead.gravity_forces(q) @ along + 2.0 * 9.81 * 0.6) < 1e-12
    knife = vv.catalog.knife_edge()
    driven = vv.catalog.bead_on_rotating_wire(constrained=True)
    for system, homogeneous, holonomic in ((knife, True, False), (driven, False, True)):
        form = system.closed_form()
        assert (form.constraint_drift == sympy.zeros(*form.constraint_drift.shape)) == homogeneous
        assert is_holonomic(form) == holonomic
    assert "homogeneous and not holonomic" in told("E26")


def is_holonomic(form):
    """By Frobenius: the bracket of any two allowed directions is allowed, at a place like others.

    Time is a coordinate with the rate one.
    """
    q = [*form.coordinates, sympy.Symbol("t")]
    A = form.constraint_matrix.row_join(form.constraint_drift)
    fields = [Matrix(x) for x in A.nullspace()]
    at = {x: Rational(k + 2, 7) for k, x in enumerate(q)}
    for x in fields:
        for y in fields:
            bracket = y.jacobian(q) * x - x.jacobian(q) * y
            if not sympy.simplify((A * bracket).subs(at)).is_zero_matrix:
                return False
    return True


def test_E34_hamiltons_equations_with_and_without_time():
    """H = p q̇ - L; q̇ = ∂H/∂p and ṗ = -∂H/∂q are Lagrange's equation; dH/dt = -∂L/∂t."""
    q, v, p, t = symbols("q v p t")
    for force, kept in ((sympy.S.Zero, True), (sin(t), False)):
        L = v**2 / 2 + cos(q) + force * q
        H = (p * v - L).subs(v, p)
        acceleration = L.diff(q)  # of d/dt ∂L/∂v = ∂L/∂q, as ∂L/∂v = v
        assert H.diff(p) == p
        assert sympy.simplify(-H.diff(q) - acceleration) == 0
        along = H.diff(q) * H.diff(p) + H.diff(p) * (-H.diff(q)) + H.diff(t)
        assert sympy.simplify(along + L.diff(t)) == 0
        assert (sympy.simplify(along) == 0) == kept
    assert "dH/dt = -∂L/∂t" in told("E34")


def test_E78_joint_torques_stand_in_the_balance_of_link_1():
    """From the motion of the links alone, by Newton and Euler; the package has the same torques."""
    arm = vv.catalog.two_link()
    form = arm.closed_form()
    held = arm.derivation("newton-euler")
    for k, name in enumerate(("τ₁", "τ₂")):
        gap = held[name] - form.equations[k]
        assert sympy.simplify(sympy.expand(sympy.expand_trig(gap))) == 0
    q, v, a = [0.3, 0.7], [0.4, -0.2], [1.0, 0.5]
    tau = arm.inverse_dynamics(q, v, a)
    values = {str(k): x for k, x in form.parameters.items()}
    L1, r1, r2 = (values[x] for x in ("L1", "r1", "r2"))
    m1, m2, I1, I2 = (values[x] for x in ("m1", "m2", "I1", "I2"))
    first, both = q[0], q[0] + q[1]
    spins, turns = (v[0], v[0] + v[1]), (a[0], a[0] + a[1])

    def accelerated(r, angle, spin, turn):
        e, n = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
        return r * (turn * n - spin**2 * e)

    elbow = accelerated(L1, first, spins[0], turns[0])
    c1 = accelerated(r1, first, spins[0], turns[0])
    c2 = elbow + accelerated(r2, both, spins[1], turns[1])
    g = np.array([0.0, -9.81])
    f12, f01 = m2 * (c2 - g), m2 * (c2 - g) + m1 * (c1 - g)

    def turned(r, angle, f):
        return r * (np.cos(angle) * f[1] - np.sin(angle) * f[0])

    tau2 = I2 * turns[1] + turned(r2, both, f12)
    tau1 = tau2 + I1 * turns[0] + turned(r1, first, f01) + turned(L1 - r1, first, f12)
    np.testing.assert_allclose([tau1, tau2], tau, rtol=1e-12)
    assert "with the coefficients 1 and -1" in told("E78")


def test_E79_without_the_constraint_force_the_motion_is_another():
    bead = vv.Lagrangian(
        "x z",
        "m (x'^2 + z'^2)/2",
        "m g z",
        constraints=["x^2 + z^2 - 1"],
        parameters={"m": 2.0, "g": 9.81},
    )
    free = vv.Lagrangian("x z", "m (x'^2 + z'^2)/2", "m g z", parameters={"m": 2.0, "g": 9.81})
    none = [0.0, 0.0]
    corner = np.sqrt(0.5)
    held = bead.forward_dynamics([corner, corner], none, none)
    np.testing.assert_allclose(held, [9.81 / 2, -9.81 / 2], atol=1e-12)
    falls = free.forward_dynamics([corner, corner], none, none)
    np.testing.assert_allclose(falls, [0, -9.81], atol=1e-12)
    top, speed = [0.0, 1.0], [3.0, 0.0]
    np.testing.assert_allclose(bead.forward_dynamics(top, speed, none), [0, -9.0], atol=1e-12)
    np.testing.assert_allclose(free.forward_dynamics(top, speed, none), [0, -9.81], atol=1e-12)
    assert "they stand in the equations" in told("E79")


def test_E80_both_jacobians_and_variations_that_can_be_taken_back():
    arm = vv.catalog.two_link()
    q, v = np.array([0.3, 0.8]), np.array([0.7, -0.4])
    values = {str(k): x for k, x in arm.closed_form().parameters.items()}
    L1, r1, r2 = (values[x] for x in ("L1", "r1", "r2"))
    e = [np.array([-np.sin(x), np.cos(x)]) for x in (q[0], q[0] + q[1])]
    speeds = [r1 * v[0] * e[0], L1 * v[0] * e[0] + r2 * (v[0] + v[1]) * e[1]]
    moving = sum(values[m] * u @ u / 2 for m, u in zip(("m1", "m2"), speeds, strict=True))
    turning = (values["I1"] * v[0] ** 2 + values["I2"] * (v[0] + v[1]) ** 2) / 2
    whole = arm.kinetic_energy(q, v)
    np.testing.assert_allclose(moving + turning, whole, rtol=1e-13)
    assert moving < 0.999 * whole
    assert turning < 0.999 * whole
    weight, lifted, slid = np.array([0, 0, -2 * 9.81]), np.array([0, 0, 1.0]), np.array([1.0, 0, 0])
    on_table = [lambda dr: dr[2] >= 0]
    for dr, reversible in ((slid, True), (lifted, False)):
        assert all(ok(dr) for ok in on_table)
        assert all(ok(-dr) for ok in on_table) == reversible
        assert (weight @ dr == 0) == reversible
    assert weight @ lifted < 0
    assert "-m g for each metre" in told("E80")


def test_E81_eigenvectors_are_to_be_chosen():
    cylinder = Inertia.cylinder(2.0, radius=0.3, height=0.5)
    moments, axes = np.linalg.eigh(np.asarray(cylinder.tensor, dtype=float))
    assert np.isclose(moments, cylinder.tensor[0, 0]).sum() == 2
    chosen = np.array([[1.0, 1, 0], [0, 1, 0], [0, 0, 1]])
    images = cylinder.tensor @ chosen
    np.testing.assert_allclose(images, chosen * np.diag(cylinder.tensor), atol=1e-15)
    inside = chosen.T @ cylinder.tensor @ chosen
    assert abs(inside[0, 1]) > 0.01  # not diagonal
    turned = axes * [1, 1, -np.sign(np.linalg.det(axes))]
    np.testing.assert_allclose(cylinder.tensor @ turned, turned * moments, atol=1e-15)
    np.testing.assert_allclose(np.linalg.det(turned), -1)
    right = cylinder.principal()
    np.testing.assert_allclose(np.linalg.det(right.axes), 1)
    assert right.notice
    assert "the determinant is -1" in told("E81")
