"""Kinds of systems, energies and co-energies, potentials and springs."""

import numpy as np
import sympy
from sympy import Matrix, Rational, diff, sqrt, symbols

import visviva as vv
from tests.support.generators.bodies import close
from tests.support.generators.lagrangians import g, is_zero, m, rp_arm, steps
from visviva import Lagrangian, pencil
from visviva.pencil import Names, equations, formula, kind, kinetic_parts, power_balance, rate

k, t = symbols("k t")


def test_C27_natural_and_not():
    """In a turning frame -C0 acts as a potential and C1 gyroscopically: it has no power."""
    s = vv.catalog.rotating_frame_particle()
    parts = kinetic_parts(s)
    plain = Lagrangian(s.coordinates, parts.C2, s.potential - parts.C0)
    beta = Matrix(parts.beta)
    q, V = Matrix(s.names.q), Matrix(s.names.v)
    gyroscopic = (beta.jacobian(q) - beta.jacobian(q).T) * V
    assert all(is_zero(x) for x in Matrix(equations(s)) - Matrix(equations(plain)) - gyroscopic)
    assert is_zero((V.T * gyroscopic)[0])
    assert kind(plain).natural
    assert not kind(s).natural


def test_C28_kinds_of_systems():
    natural = kind(rp_arm())
    assert natural.natural
    assert not natural.explicit_time
    turning = kind(vv.catalog.rotating_frame_particle())
    assert turning.gyroscopic
    assert not turning.natural
    assert not turning.energy_is_jacobi
    charged = kind(vv.catalog.charged_particle())
    assert charged.generalized_potential
    assert charged.gyroscopic
    timed = kind(Lagrangian("x", "x'^2/2", "x*cos(t)"))
    assert timed.explicit_time
    assert not timed.conservative
    braked = kind(Lagrangian("x", "x'^2/2", dissipation="x'^2"))
    assert braked.natural
    assert not braked.conservative


def test_C29_energy_and_its_balance():
    """dh/dt = -∂L/∂t - v · b + v · Q for h = v · p - L, and h = K + V for natural systems."""
    s = Lagrangian("x y", "(x'^2*(1 + y^2) + y'^2)/2", "x^2*y", "(x' - y')^2", ["x*y'", "0"])
    names = s.names
    accelerations = sympy.solve(equations(s), names.a, dict=True)[0]
    h = formula(s, "jacobi_integral")
    assert is_zero(rate(h, names).subs(accelerations) - power_balance(s))
    assert is_zero(h - s.kinetic - s.potential)
    bead = vv.catalog.bead_on_rotating_wire()
    m, k, W, g, x, xd = symbols("m k Omega g x xd")
    jacobi = m * (xd**2 * (1 + 4 * k**2 * x**2) - W**2 * x**2) / 2 + m * g * k * x**2
    assert is_zero(formula(bead, "jacobi_integral") - jacobi)
    assert power_balance(bead) == 0
    energy = bead.kinetic + bead.potential  # not conserved: the motor works
    a = sympy.solve(equations(bead)[0], symbols("xdd"))[0]
    assert is_zero(rate(energy, bead.names).subs(symbols("xdd"), a) - 2 * m * W**2 * x * xd)


def test_C30_both_energies_from_a_law():
    m, v = symbols("m v", positive=True)
    assert is_zero(pencil.co_energy(m * v, v) - m * v**2 / 2)
    assert is_zero(pencil.energy(m * v, v) - m * v**2 / 2)
    u = symbols("v1 v2 v3")
    M = sympy.diag(1, 2, 3)
    law = list(M * Matrix(u))
    assert is_zero(pencil.co_energy(law, u) - (Matrix(u).T * M * Matrix(u))[0] / 2)
    cubic = m * v + v**3
    assert is_zero(pencil.co_energy(cubic, v) + pencil.energy(cubic, v) - v * cubic)


def test_C31_legendre_there_and_back():
    m, v, h = symbols("m v h", positive=True)
    C = pencil.legendre(m * v**2 / 2, v, h)
    assert h**2 / (2 * m) == C
    assert is_zero(pencil.legendre(C, h, v) - m * v**2 / 2)
    x, y = symbols("x1 x2"), symbols("y1 y2")
    f = x[0] ** 2 + x[0] * x[1] + x[1] ** 2
    assert is_zero(pencil.legendre(pencil.legendre(f, x, y), y, x) - f)
    value, at = pencil.legendre_at(f, x, [1.0, -2.0])
    close(value, float(pencil.legendre(f, x, y).subs({y[0]: 1, y[1]: -2})), 1e-14)
    close([float(f.diff(z).subs(dict(zip(x, at, strict=True)))) for z in x], [1.0, -2.0], 1e-14)


def test_C32_equal_only_for_slow_particles():
    m, c, v, h = symbols("m c v h", positive=True)
    C_star, C = pencil.relativistic_co_energy(m, c, v), pencil.relativistic_energy(m, c, h)
    over_v = C.subs(h, C_star.diff(v))
    numbers = {m: 1, c: 1, v: Rational(4, 5)}
    assert over_v.subs(numbers) - C_star.subs(numbers) == Rational(4, 15)
    assert sympy.series(over_v - C_star, v, 0, 4).removeO() == 0
    # a constant force: momentum grows evenly, the speed never reaches c
    s = vv.catalog.relativistic_particle()
    end = steps(
        lambda y: np.concatenate([y[3:], s.forward_dynamics(y[:3], y[3:], [1.0, 0, 0])]),
        np.zeros(6), 3.0, 3000,
    )  # fmt: skip
    close(s.generalized_momentum(end[:3], end[3:]), [3.0, 0, 0], 1e-10)  # the integrator's error
    close(end[3], 3 / np.sqrt(10), 1e-10)


def test_C35_potential_of_a_force_field():
    x, y, z = symbols("x y z")
    r = sqrt(x**2 + y**2 + z**2 + 1)
    P = -k / r
    force = [-diff(P, u) for u in (x, y, z)]
    assert pencil.is_conservative(force, (x, y, z))
    linear = [-2 * x * y - z, -(x**2), -x]
    P = pencil.potential(linear, (x, y, z))
    assert [sympy.expand(-diff(P, u) - f) for u, f in zip((x, y, z), linear, strict=True)] == [
        0
    ] * 3
    other = pencil.potential(linear, (x, y, z), zero=(1, 2, 3))
    assert (P - other).expand().is_number  # unique up to a constant
    assert other.subs({x: 1, y: 2, z: 3}) == 0


def test_C36_gravity_and_the_plane_of_no_energy():
    names, zero = Names(["x", "y", "z"], []), symbols("x0 y0 z0")
    gx, gy, gz = symbols("gx gy gz")
    P = pencil.gravity_potential(m, (gx, gy, gz), names.q, zero)
    s = Lagrangian("x y z", m * sum(v**2 for v in names.v) / 2, P)
    assert [sympy.expand(x) for x in formula(s, "gravity")] == [-m * gx, -m * gy, -m * gz]
    down = pencil.gravity_potential(m, (0, 0, -g), names.q)
    assert down == m * g * names.q[2]


def test_C37_springs_between_points_and_angles():
    """A spring of rest length l0 from (0, h) to a bead at x, and its force on the bead."""
    x, h, l0, k = symbols("x h l0 k", positive=True)
    length = sqrt(x**2 + h**2)
    element = pencil.spring(k, length - l0)
    s = Lagrangian("x", m * symbols("xd") ** 2 / 2, element.potential)
    x0 = sympy.Symbol("x")
    plain = (k * (1 - l0 / length) * x).xreplace({u: sympy.Symbol(u.name) for u in (x, h, l0, k)})
    assert is_zero(formula(s, "gravity")[0] - plain)
    assert x0 in plain.free_symbols
    turn = pencil.spring(k, symbols("q2") - symbols("q1"))
    pair = Lagrangian("q1 q2", "q1'^2 + q2'^2", turn.potential, parameters={"k": 3.0})
    close(pair.gravity_forces([0.2, 0.5]), [-0.9, 0.9], 1e-15)


def test_C38_potential_co_energy():
    e, f, k1, k3 = symbols("e f k1 k3", positive=True)
    linear = pencil.spring(k1, e)
    assert linear.co_energy == linear.potential
    hard = pencil.spring(lambda e: k1 + k3 * e**2, e)
    assert is_zero(hard.co_energy - hard.potential - k3 * e**4 / 2)
    P = hard.potential.subs({k1: 2, k3: 8})
    for at in (0.1, 0.5, 2.0):
        value, back = pencil.legendre_at(P, e, float(P.diff(e).subs(e, at)), start=1.0)
        close(back, [at], 1e-14)
        close(value, float(hard.co_energy.subs({k1: 2, k3: 8, e: at})), 1e-13)
    assert is_zero(pencil.legendre(linear.potential, e, f) - f**2 / (2 * k1))


def test_C39_potentials_that_depend_on_velocity():
    """P = B (x ẏ - y ẋ)/2 gives the force of a field B across the plane."""
    s = Lagrangian("x y", "m*(x'^2 + y'^2)/2", "B*(x*y' - y*x')/2", parameters={"m": 1, "B": 3})
    close(s.inverse_dynamics([0.3, 0.4], [1.0, 2.0], [0, 0]), [6.0, -3.0], 1e-15)
    names = s.names
    Q = pencil.generalized_force(s.potential, names.q, names.v, names.a, t)
    newton = [m * a - f for a, f in zip(names.a, Q, strict=True)]
    assert [sympy.expand(x - y) for x, y in zip(equations(s), newton, strict=True)] == [0, 0]
    assert list(s.potential_energy.inputs) == ["q", "v"]
