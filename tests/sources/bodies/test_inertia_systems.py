"""Inertia of the bodies that the sources name, with the audit's numbers."""

import numpy as np
import pytest
import sympy

import visviva as vv
from tests.support.generators.bodies import close, same_inertia
from visviva import Inertia
from visviva.space import cross_force

QUARTER_Z = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]])
QUARTER_X = np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]])
ORIGIN = np.zeros(3)


def vanishes(expression):
    return sympy.simplify(sympy.nsimplify(expression)) == 0


def test_S10_planar_body_about_an_axis():
    """I_zz is ∫ρ(x² + y²)dV; it grows by m d² about a parallel axis; τ_z = I_zz q̈."""
    x, y, a, b, d = sympy.symbols("x y a b d", positive=True)
    rho = 1 + x * y / (a * b)
    plate = Inertia.from_density(rho, [(0, a), (0, b), (0, 1)])
    by_hand = sympy.integrate(rho * (x**2 + y**2), (x, 0, a), (y, 0, b))
    assert vanishes(plate.about([0, 0, 0])[2, 2] - by_hand)
    beside = plate.com + np.array([d, 0, 0])
    assert vanishes(plate.about(beside)[2, 2] - plate.tensor[2, 2] - plate.mass * d**2)
    body = plate.mapped(lambda e: float(sympy.sympify(e).subs({a: 0.4, b: 0.7})))
    # about the fixed z axis: the moment of inertia forces, gyroscopic part included
    spin, speeding = np.array([0, 0, 2.0, 0, 0, 0]), np.array([0, 0, 3.0, 0, 0, 0])
    wrench = body.spatial() @ speeding + cross_force(spin, body.momentum(spin))
    close(wrench[2], body.about(ORIGIN)[2, 2] * 3.0)


def test_S12_uniform_solids():
    m, a, b, c, R, h = sympy.symbols("m a b c R h", positive=True)
    box = Inertia.box(m, x=a, y=b, z=c)
    for k, (p, q) in enumerate(((b, c), (a, c), (a, b))):
        assert vanishes(box.tensor[k, k] - m * (p**2 + q**2) / 12)
    egg = Inertia.ellipsoid(density=1, ax=a, ay=b, az=c)
    assert vanishes(egg.mass - sympy.pi * a * b * c * 4 / 3)
    for k, (p, q) in enumerate(((b, c), (a, c), (a, b))):
        assert vanishes(egg.tensor[k, k] - egg.mass * (p**2 + q**2) / 5)
    can = Inertia.cylinder(m, radius=R, height=h)
    assert vanishes(can.tensor[0, 0] - m * (3 * R**2 + h**2) / 12)
    assert vanishes(can.tensor[1, 1] - can.tensor[0, 0])
    assert vanishes(can.tensor[2, 2] - m * R**2 / 2)
    ball = Inertia.sphere(m, radius=R)
    assert all(vanishes(ball.tensor[k, k] - m * R**2 * 2 / 5) for k in range(3))


def test_S13_composite_of_parts():
    """Σ Rᵢ(𝕀ᵢ + mᵢ(‖rᵢ‖²1 - rᵢrᵢᵀ))Rᵢᵀ about the common origin."""
    rng = np.random.default_rng(0)
    total, expected = Inertia.point(0.0), np.zeros((3, 3))
    for k in range(4):
        part = Inertia.box(1.0 + k, x=0.3, y=0.2 + k, z=0.5)
        R, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        R *= np.linalg.det(R)
        r = rng.normal(size=3)
        total = total + part.moved(p=r).rotated(R)
        expected += R @ (part.tensor + part.mass * (r @ r * np.eye(3) - np.outer(r, r))) @ R.T
    close(total.about(ORIGIN), expected, 1e-14)


def test_S17_round_tube():
    tube = Inertia.tube(density=7850.0, inner=0.04, outer=0.05, height=0.5)
    assert tube.mass == pytest.approx(11.097676049, abs=5e-10)  # digits of the audit
    assert tube.tensor[0, 0] == pytest.approx(0.242576702, abs=5e-10)
    assert tube.tensor[2, 2] == pytest.approx(0.022750236, abs=5e-10)
    rho, L, d1, d2 = sympy.symbols("rho L d1 d2", positive=True)
    exact = Inertia.tube(density=rho, inner=d1 / 2, outer=d2 / 2, height=L)
    m = sympy.pi * rho * L * (d2**2 - d1**2) / 4
    assert vanishes(exact.mass - m)
    assert vanishes(exact.tensor[2, 2] - sympy.pi * rho * L * (d2**4 - d1**4) / 32)
    assert vanishes(exact.tensor[0, 0] - m * (3 * (d1**2 + d2**2) + 4 * L**2) / 48)
    hole = Inertia.cylinder(density=7850.0, radius=0.04, height=0.5)
    same_inertia(Inertia.cylinder(density=7850.0, radius=0.05, height=0.5) - hole, tube)


def test_S18_inertia_transform_with_the_mass_left_open():
    m = sympy.symbols("m", positive=True)
    part = Inertia(m, [3, 0, 2], np.diag([1, 2, 3]))
    seen = part.rotated(QUARTER_Z).about([0, 0, 0])
    expected = [[2 + 13 * m, 0, 0], [0, 1 + 4 * m, -6 * m], [0, -6 * m, 3 + 9 * m]]
    assert all(vanishes(seen[i, j] - expected[i][j]) for i in range(3) for j in range(3))
    one = np.array([[float(sympy.sympify(e).subs({m: 1})) for e in row] for row in seen])
    close(one, [[15, 0, 0], [0, 5, -6], [0, -6, 12]], 0)
    close(np.linalg.eigvalsh(one), [1.553778, 15, 15.446222], 5e-8)  # digits of the audit
    Inertia(1.0, ORIGIN, np.diag([1.0, 2.0, 3.0]))  # a lamina is possible


def test_S19_barbell():
    ball = Inertia.sphere(density=7850.0, radius=0.1)
    bar = Inertia.cylinder(density=7850.0, radius=0.02, height=0.2)
    barbell = bar + ball.moved(p=[0, 0, 0.2]) + ball.moved(p=[0, 0, -0.2])
    for got, known in (
        (ball.mass, 32.882003),
        (bar.mass, 1.972920),
        (barbell.mass, 67.736926),
        (barbell.tensor[0, 0], 2.900390),
        (barbell.tensor[1, 1], 2.900390),
        (barbell.tensor[2, 2], 0.263451),
    ):
        assert got == pytest.approx(known, abs=5e-7)
    close(barbell.com, ORIGIN, 1e-16)
    assert "moments 2 and 3 are equal" in barbell.principal().notice


def moments(density, corner, place):
    """∫ xⁱ yʲ zᵏ dm of a tetrahedron with edges a, b, c from a corner, seen from a place.

    By the integral of a monomial of barycentric coordinates: i! j! k! / (i + j + k + 3)!.
    """
    u, v, w = sympy.symbols("u v w")
    edges = sympy.diag(2, 3, 1) + sympy.Matrix(3, 3, lambda i, j: sympy.Rational(i - j, 4))
    r = sympy.Matrix(corner) + edges * sympy.Matrix([u, v, w]) - sympy.Matrix(place)
    rho = density(u, v, w)

    def over(f):
        poly, f3 = sympy.Poly(f * rho * edges.det(), u, v, w), sympy.factorial
        return sum(c * f3(i) * f3(j) * f3(k) / f3(i + j + k + 3) for (i, j, k), c in poly.terms())

    return over, r


@pytest.mark.parametrize(
    "density", [lambda u, v, w: 1, lambda u, v, w: 1 + u + 3 * v * w, lambda u, v, w: w**2]
)
def test_S20_parallel_axes_with_products_in_both_signs(density):
    """Both sides are integrated, about the centre of mass and about another point, exactly."""
    corner, A = (1, -2, sympy.Rational(1, 3)), (3, 1, -2)
    over, r = moments(density, corner, A)
    m = over(1)
    c = sympy.Matrix([over(x) for x in r]) / m  # seen from A
    centred, s = moments(density, corner, sympy.Matrix(A) + c)
    assert [centred(x) for x in s] == [0, 0, 0]

    def tensor(integral, r):
        return sympy.Matrix(3, 3, lambda i, j: integral(r.dot(r) * int(i == j) - r[i] * r[j]))

    about_A, about_C = tensor(over, r), tensor(centred, s)
    shift = m * (c.dot(c) * sympy.eye(3) - c * c.T)
    assert about_A == about_C + shift
    assert over(r[0] * r[1]) == centred(s[0] * s[1]) + m * c[0] * c[1]  # the other sign
    wanted = np.array(about_A, dtype=float)
    body = Inertia(m, list(c), np.array(about_C.tolist(), dtype=object))
    close(np.array(body.about([0, 0, 0]), dtype=float), wanted, 1e-14)
    signs = [about_C[i, i] for i in range(3)], [about_C[0, 1], about_C[0, 2], about_C[1, 2]]
    minus = Inertia.from_moments(m, list(c), *signs).about([0, 0, 0])
    plus = Inertia.from_moments(m, list(c), signs[0], [-x for x in signs[1]], sign="integral")
    for found in (minus, plus.about([0, 0, 0])):
        close(np.array(found, dtype=float), wanted, 1e-14)


def test_S20_parallel_axes_are_proved_in_both_signs():
    """For every body: the moments of the proof are symbols; here those of a solid are put in."""
    proof = vv.proof("parallel-axes")
    lines = [str(line) for line in proof.equations]
    assert {"ᴬI_xy = ᶜI_xy - m x_C y_C", "ᴬJ_xy = ᶜJ_xy + m x_C y_C"} <= set(lines)
    corner, A = (1, -2, 0), (3, 1, -2)
    over, r = moments(lambda u, v, w: 1 + u, corner, A)
    m = over(1)
    c = sympy.Matrix([over(x) for x in r]) / m
    centred, s = moments(lambda u, v, w: 1 + u, corner, sympy.Matrix(A) + c)
    place = sympy.symbols("x y z")
    values = {
        symbol: centred(sympy.Mul(*(s["xyz".index(k)] for k in str(symbol)[1:])))
        for symbol in proof["I_A"].free_symbols
        if str(symbol).startswith("m")
    }
    values |= dict(zip((sympy.Symbol(f"{k}_C") for k in place), c, strict=True))
    wanted = sympy.Matrix(3, 3, lambda i, j: over(r.dot(r) * int(i == j) - r[i] * r[j]))
    assert proof["I_A"].subs(values) == wanted


def test_S26_cylinder_and_prism():
    r, hc, length, w, hp, D = sympy.symbols("r h_c l w h_p D", positive=True)
    two, one = sympy.Integer(2), sympy.Integer(1)
    body = Inertia.cylinder(two, radius=r, height=hc)
    body = body + Inertia.box(one, x=length, y=w, z=hp).moved(p=[D, 0, 0])
    assert vanishes(body.mass - 3)
    assert [vanishes(c - e) for c, e in zip(body.com, (D / 3, 0, 0), strict=True)] == [True] * 3
    common = r**2 / 2 + hc**2 / 6
    assert vanishes(body.tensor[0, 0] - (common + (w**2 + hp**2) / 12))
    assert vanishes(body.tensor[1, 1] - (common + (length**2 + hp**2) / 12 + 2 * D**2 / 3))
    assert vanishes(body.tensor[2, 2] - (r**2 + (length**2 + w**2) / 12 + 2 * D**2 / 3))
    assert all(vanishes(body.tensor[i, j]) for i, j in ((0, 1), (0, 2), (1, 2)))


def test_S29_two_equal_masses():
    pair = Inertia.point_masses([1.0, 1.0], [[1, 2, 0], [3, 2, 0]])
    close(pair.com, [2, 2, 0], 0)
    about_origin = pair.about(ORIGIN)
    close(about_origin, [[8, -8, 0], [-8, 10, 0], [0, 0, 18]], 1e-15)
    close(pair.tensor, np.diag([0, 2, 2]), 1e-15)  # singular, and accepted
    close(about_origin - pair.tensor, [[8, -8, 0], [-8, 8, 0], [0, 0, 16]], 1e-15)
    w = np.array([0, 0, 1.0])
    close(pair.momentum([*w, 0, 0, 0])[:3], [0, 0, 18], 1e-15)
    close(pair.tensor @ w, [0, 0, 2], 1e-15)
    close(np.linalg.eigvalsh(about_origin), [0.93774225, 17.06225775, 18], 5e-10)


def test_S31_rod_in_two_frames():
    gx, gy, gz, rate = sympy.symbols("Gx Gy Gz thetad", positive=True)
    in_b = Inertia(sympy.Integer(1), [0, 0, 0], np.diag([gx, gy, gz]), frame="b")
    in_a = in_b.rotated(QUARTER_X, frame="a")
    expected = np.diag([gx, gz, gy])
    assert all(vanishes(in_a.tensor[i, j] - expected[i, j]) for i in range(3) for j in range(3))
    w_a = np.array([0, 0, rate])
    w_b = QUARTER_X.T @ w_a
    assert w_b.tolist() == [0, rate, 0]
    for body, w in ((in_a, w_a), (in_b, w_b)):
        energy = body.kinetic_energy([*w, 0, 0, 0], frame=body.frame)
        assert vanishes(energy - gy * rate**2 / 2)
