"""What a reader of the sources expects of energies, Lagrange's equation and d'Alembert's."""

import numpy as np
import pytest
import sympy
from support.bodies import close
from sympy import Matrix, Rational, cos, diff, sin, sqrt, symbols

import visviva as vv
from visviva.describe.formulas import Names
from visviva.describe.lagrangian import Lagrangian, coordinates, parameters
from visviva.equations import energies, potentials
from visviva.equations.energy import kinetic_energy as of_bodies
from visviva.equations.energy import potential_energy as of_weights
from visviva.equations.lagrange_terms import dissipation, sympy_terms
from visviva.equations.lagrange_theory import (
    conserved_momenta,
    cyclic_coordinates,
    equations,
    invariant_coordinates,
    is_flat_at_sight,
    kind,
    kinetic_parts,
    leading_minors,
    power_balance,
    where_singular,
)
from visviva.equations.virtual_work import Particle, Turning, d_alembert, rate, virtual_work

m, g, k, t = symbols("m g k t")


def is_zero(x):
    return sympy.simplify(sympy.expand(x)) == 0


def rp_arm():
    K = "(I1 + I2 + m1*r1^2 + m2*q2^2)*q1'^2/2 + m2*q2'^2/2"
    values = dict(vv.catalog.rp_arm().parameters)
    return Lagrangian("q1 q2", K, "a_g*(m1*r1 + m2*q2)*sin(q1)", parameters=values)


def polar():
    s = Lagrangian("x y", "m*(x'^2 + y'^2)/2", parameters={"m": 1.0})
    return s, s.in_coordinates("r theta", {"x": "r*cos(theta)", "y": "r*sin(theta)"})


def steps(f, state, duration, n):
    """Runge and Kutta's fourth-order rule."""
    h = duration / n
    for _ in range(n):
        a = f(state)
        b = f(state + h / 2 * a)
        c = f(state + h / 2 * b)
        d = f(state + h * c)
        state = state + h / 6 * (a + 2 * b + 2 * c + d)
    return state


def test_C1_coordinates_on_lines_and_circles():
    s = Lagrangian("x theta", "x'^2 + theta'^2", angles="theta", forces={"theta": "3"})
    assert s.nq == s.nv == 2
    close(s.difference([0, 0], [7, 7]), [7, 7 - 2 * np.pi], 1e-15)
    close(s.applied_forces([0, 0]), [0, 3], 0)


def test_C2_energies_give_equations():
    theta = coordinates("theta")
    m, length, g = parameters("m l g")
    K = m * length**2 * theta.diff("t") ** 2 / 2
    s = Lagrangian(theta, K, -m * g * length * cos(theta))
    th, thdd, m, length, g = symbols("theta thetadd m l g")
    assert is_zero(equations(s)[0] - m * length**2 * thdd - m * g * length * sin(th))


def test_C3_forces_without_a_potential():
    """Weight as a potential or as a force: the same equation; a swirl has a force only."""
    K = "m*(x'^2 + y'^2)/2"
    values = {"m": 2, "g": 9.81}
    by_potential = Lagrangian("x y", K, "m*g*y", parameters=values)
    by_force = Lagrangian("x y", K, forces=["0", "-m*g"], parameters=values)
    assert equations(by_potential) == equations(by_force)
    swirl = Lagrangian("x y", K, forces=["-y", "x"], parameters=values)
    close(swirl.inverse_dynamics([1.0, 2.0], [0, 0], [0, 0]), [2.0, -1.0], 0)
    x, y = swirl.names.q
    assert not potentials.is_conservative(swirl.forces, (x, y))


def test_C4_momenta_and_those_that_are_conserved():
    _, s = polar()
    r, thetad = symbols("r thetad")
    assert cyclic_coordinates(s) == ("theta",)
    assert is_zero(conserved_momenta(s)["theta"] - m * r**2 * thetad)
    q, v = np.array([0.7, 0.2]), np.array([0.3, 0.8])
    close(s.generalized_momentum(q, v), [0.3, 0.49 * 0.8], 1e-15)
    end = steps(
        lambda y: np.concatenate([y[2:], s.forward_dynamics(y[:2], y[2:], [0, 0])]),
        np.concatenate([q, v]), 1.0, 400,
    )  # fmt: skip
    p = s.generalized_momentum(end[:2], end[2:])
    close(p[1], 0.49 * 0.8, 1e-10)  # the integrator's error
    assert abs(p[0] - 0.3) > 0.1
    braked = Lagrangian("x", "x'^2/2", dissipation="x'^2")
    assert cyclic_coordinates(braked) == ("x",)
    assert conserved_momenta(braked) == {}


def test_C5_standard_form():
    s = rp_arm()
    q, v, a = np.random.default_rng(0).uniform(0.2, 1, (3, 2))
    tau = s.mass_matrix(q) @ a + s.coriolis_matrix(q, v) @ v + s.gravity_forces(q)
    close(s.inverse_dynamics(q, v, a), tau, 1e-14)
    terms, V = sympy_terms(s), Matrix(s.names.v)
    total = Matrix(terms.mass_matrix) * Matrix(s.names.a) + Matrix(terms.gravity)
    total += Matrix(terms.coriolis_matrix) * V
    assert all(is_zero(x) for x in total - Matrix(equations(s)))


def test_C6_mass_matrix_from_kinetic_energy():
    s = rp_arm()
    M, V = Matrix(sympy_terms(s).mass_matrix), Matrix(s.names.v)
    assert is_zero((V.T * M * V)[0] / 2 - s.kinetic)
    for i, x in enumerate(s.names.v):
        for j, y in enumerate(s.names.v):
            assert is_zero(M[i, j] - diff(s.kinetic, x, y))


def test_C7_where_the_mass_matrix_is_positive():
    """By Sylvester's minors; determinant and trace alone decide nothing beyond 2 × 2."""
    s = rp_arm()
    m2 = symbols("m2")
    minors = leading_minors(s)
    assert is_zero(minors[1] - m2 * minors[0])
    odd = Lagrangian("x y z", "(-x'^2 - y'^2 + 5*z'^2)/2")
    M = Matrix(sympy_terms(odd).mass_matrix)
    assert (M.det(), M.trace()) == (5, 3)
    assert leading_minors(odd) == [-1, 1, 5]
    assert is_zero(where_singular(polar()[1]) - m**2 * symbols("r") ** 2)
    body = vv.catalog.euler_body()
    assert np.linalg.matrix_rank(body.mass_matrix([0.3, 0.2, 0.0])) == 2


def test_C8_christoffel_symbols():
    s = rp_arm()
    q = np.array([0.4, 0.6])
    gamma = s.christoffel(q)
    h = s.parameters["m2"] * 0.6
    expected = np.zeros((2, 2, 2))
    expected[0, 0, 1] = expected[0, 1, 0] = h
    expected[1, 0, 0] = -h
    close(gamma, expected, 1e-15)


def test_C10_as_a_vector_of_quadratic_forms():
    for s in (rp_arm(), vv.catalog.euler_body()):
        gamma, V = sympy_terms(s).christoffel, Matrix(s.names.v)
        one = Matrix([(V.T * Matrix(plane) * V)[0] for plane in gamma])
        other = Matrix(sympy_terms(s).coriolis_matrix) * V
        assert all(is_zero(x) for x in one - other)


def test_C11_the_coriolis_matrix_that_is_passive():
    """C from Γ makes Ṁ - 2C skew; another C with the same C v does not."""
    s = rp_arm()
    q, v = s.names.q, s.names.v
    M, C = Matrix(sympy_terms(s).mass_matrix), Matrix(sympy_terms(s).coriolis_matrix)
    rates = sum((M.diff(x) * y for x, y in zip(q, v, strict=True)), sympy.zeros(2))
    N = rates - 2 * C
    assert (N + N.T).applyfunc(sympy.expand) == sympy.zeros(2)
    other = C + Matrix([[v[1], -v[0]], [0, 0]])
    assert (other * Matrix(v) - C * Matrix(v)).applyfunc(sympy.expand) == sympy.zeros(2, 1)
    N = rates - 2 * other
    assert (N + N.T).applyfunc(sympy.expand) != sympy.zeros(2)


def test_C12_only_the_sum_is_a_force():
    """τ′ = Jᵀ τ, while M a and C v do not go over by themselves."""
    cartesian, s = polar()
    r, th = 0.8, 0.5
    J = np.array([[np.cos(th), -r * np.sin(th)], [np.sin(th), r * np.cos(th)]])
    v, a = np.array([0.3, -0.7]), np.array([1.1, 0.4])
    Jd = np.array([[-np.sin(th) * v[1], -v[0] * np.sin(th) - r * np.cos(th) * v[1]],
                   [np.cos(th) * v[1], v[0] * np.cos(th) - r * np.sin(th) * v[1]]])  # fmt: skip
    x = np.array([r * np.cos(th), r * np.sin(th)])
    force = cartesian.inverse_dynamics(x, J @ v, J @ a + Jd @ v)
    q = np.array([r, th])
    close(s.inverse_dynamics(q, v, a), J.T @ force, 1e-14)
    close(s.mass_matrix(q), J.T @ cartesian.mass_matrix(x) @ J, 1e-15)
    assert np.abs(s.coriolis_matrix(q, v) @ v).max() > 0.1
    close(cartesian.coriolis_matrix(x, J @ v), np.zeros((2, 2)), 0)


def test_C13_flat_and_invariant_coordinates():
    cartesian, s = polar()
    assert is_flat_at_sight(cartesian)
    assert not is_flat_at_sight(s)
    assert invariant_coordinates(cartesian) == ("x", "y")
    assert invariant_coordinates(s) == ("theta",)
    assert invariant_coordinates(vv.catalog.euler_body()) == ("q1",)


def test_C14_unforced_motion_is_straight():
    """In polar coordinates the path bends; in the plane it is the straight line to (1.6, 1.6)."""
    _, s = polar()
    end = steps(
        lambda y: np.concatenate([y[2:], s.forward_dynamics(y[:2], y[2:], [0, 0])]),
        np.array([1.0, 0.0, 0.3, 0.8]), 2.0, 2000,
    )  # fmt: skip
    r, th = end[:2]
    close([r * np.cos(th), r * np.sin(th)], [1.6, 1.6], 1e-10)  # the integrator's error


def test_C17_any_friction_law():
    """Stribeck's curve as b(q, v): it is a vector of its own and leaves M, C, g alone."""
    law = ["sign(x')*(Fc + (Fs - Fc)*exp(-(x'/vs)^2)) + beta*x'"]
    values = {"m": 2.0, "Fc": 1.0, "Fs": 1.5, "vs": 0.1, "beta": 0.4}
    s = Lagrangian("x", "m*x'^2/2", dissipation=law, parameters=values)
    close(s.dissipation_forces([0.0], [0.05]), [1.409400392], 1e-9)  # as many digits as given
    close(s.dissipation_forces([0.0], [-0.05]), [-1.409400392], 1e-9)
    tau = s.inverse_dynamics([0.0], [0.05], [3.0])
    close(tau, s.without_dissipation().inverse_dynamics([0.0], [0.05], [3.0])
          + s.dissipation_forces([0.0], [0.05]), 1e-14)  # fmt: skip
    coupled = Lagrangian("x y", "x'^2 + y'^2", dissipation=["x'*y'^2", "x^2*y'"])
    close(coupled.bias_forces([2.0, 0.0], [3.0, 5.0]), [75.0, 20.0], 0)


def test_C19_kinds_of_forces():
    x, y, v, w = symbols("x y v w")
    q, rates = (x, y), (v, w)
    assert potentials.classify([-k * x, -k * y], q, rates) == "conservative"
    assert potentials.classify([-y, x], q, rates) == "circulatory"
    assert potentials.classify([w, -v], q, rates) == "gyroscopic"
    assert potentials.classify([-2 * v + w, v - 3 * w], q, rates) == "dissipative"
    assert potentials.classify([-(v**3), 0], q, rates) == "dissipative"
    assert potentials.classify([sin(t), 0], q, rates, t) == "time-dependent"
    assert potentials.curl([-y, x], q) == {(1, 0): 2}
    P = potentials.potential([-2 * x * y, -(x**2) - cos(y)], q)
    assert sympy.expand(P - x**2 * y - sin(y)) == 0
    with pytest.raises(vv.errors.ArgumentError, match="no potential: ∂f/∂q is not symmetric"):
        potentials.potential([-y, x], q)


def test_C24_from_d_alembert_to_lagrange():
    """m r̈ · ∂r/∂q = d/dt (∂K/∂q̇) - ∂K/∂q, step by step, for any r(q, t)."""
    names = Names(["q"], [])
    (q,), (v,) = names.q, names.v
    r = sympy.Function("r")(q, t)
    velocity = rate(r, names)
    left = rate(velocity, names) * r.diff(q)
    middle = rate(velocity * r.diff(q), names) - velocity * rate(r.diff(q), names)
    assert sympy.expand(left - middle) == 0
    assert sympy.expand(r.diff(q) - velocity.diff(v)) == 0
    assert sympy.expand(rate(r.diff(q), names) - velocity.diff(q)) == 0
    K = velocity**2 / 2
    right = rate(K.diff(v), names) - K.diff(q)
    assert sympy.expand(left - right) == 0
    (equation,) = equations(Lagrangian("q", K))
    assert sympy.expand(equation - left) == 0


@pytest.mark.parametrize("name", ["rp_arm", "two_link", "planar_3r", "craig_6_5", "spatial_3r"])
def test_C25_newton_euler_is_lagrange(name):
    """Energies of the bodies, differentiated, against the recursion of forces."""
    model = vv.catalog.build(name)
    names = Names(model.joint_names, model.parameters)
    p = {k: sympy.Symbol(k) for k in model.parameters}
    over = model.over(p)
    K = of_bodies(over, np.array(names.q), np.array(names.v))
    V = of_weights(over, np.array(names.q))
    exact = {x: sympy.nsimplify(x, rational=True) for e in (K, V) for x in e.atoms(sympy.Float)}
    K, V = K.xreplace(exact), V.xreplace(exact)
    s = Lagrangian(names.coordinates, K, V, parameters=dict(model.parameters))
    q, v, a = np.random.default_rng(0).uniform(-1, 1, (3, 20, s.nq))
    x = s.without_dissipation(), model.without_dissipation()
    ours, theirs = (y.inverse_dynamics(q, v, a) for y in x)
    assert np.abs(ours - theirs).max() <= 1e-13 * np.abs(theirs).max()


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
    h = sympy_terms(s).jacobi_integral
    assert is_zero(rate(h, names).subs(accelerations) - power_balance(s))
    assert is_zero(h - s.kinetic - s.potential)
    bead = vv.catalog.bead_on_rotating_wire()
    m, k, W, g, x, xd = symbols("m k Omega g x xd")
    jacobi = m * (xd**2 * (1 + 4 * k**2 * x**2) - W**2 * x**2) / 2 + m * g * k * x**2
    assert is_zero(sympy_terms(bead).jacobi_integral - jacobi)
    assert power_balance(bead) == 0
    energy = bead.kinetic + bead.potential  # not conserved: the motor works
    a = sympy.solve(equations(bead)[0], symbols("xdd"))[0]
    assert is_zero(rate(energy, bead.names).subs(symbols("xdd"), a) - 2 * m * W**2 * x * xd)


def test_C30_both_energies_from_a_law():
    m, v = symbols("m v", positive=True)
    assert is_zero(energies.co_energy(m * v, v) - m * v**2 / 2)
    assert is_zero(energies.energy(m * v, v) - m * v**2 / 2)
    u = symbols("v1 v2 v3")
    M = sympy.diag(1, 2, 3)
    law = list(M * Matrix(u))
    assert is_zero(energies.co_energy(law, u) - (Matrix(u).T * M * Matrix(u))[0] / 2)
    cubic = m * v + v**3
    assert is_zero(energies.co_energy(cubic, v) + energies.energy(cubic, v) - v * cubic)


def test_C31_legendre_there_and_back():
    m, v, h = symbols("m v h", positive=True)
    C = energies.legendre(m * v**2 / 2, v, h)
    assert h**2 / (2 * m) == C
    assert is_zero(energies.legendre(C, h, v) - m * v**2 / 2)
    x, y = symbols("x1 x2"), symbols("y1 y2")
    f = x[0] ** 2 + x[0] * x[1] + x[1] ** 2
    assert is_zero(energies.legendre(energies.legendre(f, x, y), y, x) - f)
    value, at = energies.legendre_at(f, x, [1.0, -2.0])
    close(value, float(energies.legendre(f, x, y).subs({y[0]: 1, y[1]: -2})), 1e-14)
    close([float(f.diff(z).subs(dict(zip(x, at, strict=True)))) for z in x], [1.0, -2.0], 1e-14)


def test_C32_equal_only_for_slow_particles():
    m, c, v, h = symbols("m c v h", positive=True)
    C_star, C = energies.relativistic_co_energy(m, c, v), energies.relativistic_energy(m, c, h)
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
    assert potentials.is_conservative(force, (x, y, z))
    linear = [-2 * x * y - z, -(x**2), -x]
    P = potentials.potential(linear, (x, y, z))
    assert [sympy.expand(-diff(P, u) - f) for u, f in zip((x, y, z), linear, strict=True)] == [
        0
    ] * 3
    other = potentials.potential(linear, (x, y, z), zero=(1, 2, 3))
    assert (P - other).expand().is_number  # unique up to a constant
    assert other.subs({x: 1, y: 2, z: 3}) == 0


def test_C36_gravity_and_the_plane_of_no_energy():
    names, zero = Names(["x", "y", "z"], []), symbols("x0 y0 z0")
    gx, gy, gz = symbols("gx gy gz")
    P = energies.gravity_potential(m, (gx, gy, gz), names.q, zero)
    s = Lagrangian("x y z", m * sum(v**2 for v in names.v) / 2, P)
    assert [sympy.expand(x) for x in sympy_terms(s).gravity] == [-m * gx, -m * gy, -m * gz]
    down = energies.gravity_potential(m, (0, 0, -g), names.q)
    assert down == m * g * names.q[2]


def test_C37_springs_between_points_and_angles():
    """A spring of rest length l0 from (0, h) to a bead at x, and its force on the bead."""
    x, h, l0, k = symbols("x h l0 k", positive=True)
    length = sqrt(x**2 + h**2)
    element = energies.spring(k, length - l0)
    s = Lagrangian("x", m * symbols("xd") ** 2 / 2, element.potential)
    x0 = sympy.Symbol("x")
    plain = (k * (1 - l0 / length) * x).xreplace({u: sympy.Symbol(u.name) for u in (x, h, l0, k)})
    assert is_zero(sympy_terms(s).gravity[0] - plain)
    assert x0 in plain.free_symbols
    turn = energies.spring(k, symbols("q2") - symbols("q1"))
    pair = Lagrangian("q1 q2", "q1'^2 + q2'^2", turn.potential, parameters={"k": 3.0})
    close(pair.gravity_forces([0.2, 0.5]), [-0.9, 0.9], 1e-15)


def test_C38_potential_co_energy():
    e, f, k1, k3 = symbols("e f k1 k3", positive=True)
    linear = energies.spring(k1, e)
    assert linear.co_energy == linear.potential
    hard = energies.spring(lambda e: k1 + k3 * e**2, e)
    assert is_zero(hard.co_energy - hard.potential - k3 * e**4 / 2)
    P = hard.potential.subs({k1: 2, k3: 8})
    for at in (0.1, 0.5, 2.0):
        value, back = energies.legendre_at(P, e, float(P.diff(e).subs(e, at)), start=1.0)
        close(back, [at], 1e-14)
        close(value, float(hard.co_energy.subs({k1: 2, k3: 8, e: at})), 1e-13)
    assert is_zero(energies.legendre(linear.potential, e, f) - f**2 / (2 * k1))


def test_C39_potentials_that_depend_on_velocity():
    """P = B (x ẏ - y ẋ)/2 gives the force of a field B across the plane."""
    s = Lagrangian("x y", "m*(x'^2 + y'^2)/2", "B*(x*y' - y*x')/2", parameters={"m": 1, "B": 3})
    close(s.inverse_dynamics([0.3, 0.4], [1.0, 2.0], [0, 0]), [6.0, -3.0], 1e-15)
    names = s.names
    Q = energies.generalized_force(s.potential, names.q, names.v, names.a, t)
    newton = [m * a - f for a, f in zip(names.a, Q, strict=True)]
    assert [sympy.expand(x - y) for x, y in zip(equations(s), newton, strict=True)] == [0, 0]
    assert list(s.potential_energy.inputs) == ["q", "v"]


def test_C41_rayleighs_function():
    """From relative velocities, D = ½ β ‖J q̇‖²: B = Jᵀ β J, and 2D is the power that is lost."""
    beta1, beta2 = symbols("beta1 beta2")
    q, names = symbols("q1 q2"), Names(["q1", "q2"], [])
    J = Matrix([[1, 0], [-1, 1], [sin(q[0]), cos(q[1])]])
    V = Matrix(names.v)
    weights = sympy.diag(beta1, beta2, beta1)
    relative = J * V
    D = (relative.T * weights * relative)[0] / 2
    s = Lagrangian("q1 q2", "q1'^2 + q2'^2", dissipation=D)
    b = Matrix(dissipation(s))
    assert all(is_zero(x) for x in b - J.T * weights * J * V)
    assert is_zero((V.T * b)[0] - 2 * D)
    single = Lagrangian("q1 q2", 0, dissipation="beta*q1'^2/2", parameters={"beta": 0.5})
    close(single.dissipation_forces([0, 0], [-3.0, 4.0]), [-1.5, 0.0], 0)  # signed, not coupled


def test_C42_viscous_friction_of_joints():
    """A coefficient for each joint, visible as a vector of its own."""
    values = {**dict(vv.catalog.rp_arm().parameters), "V1": 0.3, "V2": 0.7}
    arm = rp_arm()
    s = Lagrangian("q1 q2", arm.kinetic, arm.potential, "(V1*q1'^2 + V2*q2'^2)/2",
                   parameters=values)  # fmt: skip
    q, v, a = np.random.default_rng(1).uniform(0.2, 1, (3, 2))
    b = s.dissipation_forces(q, v)
    close(b, [0.3 * v[0], 0.7 * v[1]], 1e-16)
    close(s.inverse_dynamics(q, v, a), arm.inverse_dynamics(q, v, a) + b, 1e-14)
    close(s.coriolis_matrix(q, v), arm.coriolis_matrix(q, v), 0)


def test_C99_energy_and_balance():
    """What holds a 2R arm up: from ∂V/∂q, from virtual work, and from the balance of its links."""
    q1, q2, m1, m2, L1, r1, r2, g = symbols("q1 q2 m1 m2 L1 r1 r2 g")
    names = Names(["q1", "q2"], [])
    first = Matrix([r1 * cos(q1), r1 * sin(q1), 0])
    elbow = Matrix([L1 * cos(q1), L1 * sin(q1), 0])
    second = elbow + Matrix([r2 * cos(q1 + q2), r2 * sin(q1 + q2), 0])
    V = g * (m1 * first[1] + m2 * second[1])
    by_energy = [diff(V, q) for q in names.q]
    weights = [Particle(m1, first, [0, -m1 * g, 0]), Particle(m2, second, [0, -m2 * g, 0])]
    by_work = [-x for x in virtual_work(names, weights)]
    down = Matrix([0, -g, 0])
    at_elbow = -(second - elbow).cross(m2 * down)[2]
    at_base = -(first.cross(m1 * down) + elbow.cross(m2 * down))[2] + at_elbow
    for x, y, z in zip(by_energy, by_work, [at_base, at_elbow], strict=True):
        assert is_zero(x - y)
        assert is_zero(x - z)


def test_C100_equations_from_forces_and_geometry():
    """A ladder on a wall and a floor: Σ (f - m a) · δr + (τ - I α̈) δα = 0."""
    theta, thetadd, length, inertia = symbols("theta thetadd l J")
    names = Names(["theta"], [])
    centre = [length * sin(theta), length * cos(theta)]
    weight = Particle(m, centre, [0, -m * g])
    (residual,) = d_alembert(names, [weight], [Turning(inertia, theta)])
    true = (inertia + m * length**2) * thetadd - m * g * length * sin(theta)
    assert is_zero(residual - true)
    K = (m * length**2 + inertia) * symbols("thetad") ** 2 / 2
    s = Lagrangian("theta", K, m * g * length * cos(theta))
    assert is_zero(residual - equations(s)[0])


def test_C112_formulas_leave_the_program():
    """As SymPy, LaTeX and C; the C text has the parameters' values in it."""
    s = rp_arm()
    assert r"\sin" in sympy.latex(equations(s)[1])
    text = s.inverse_dynamics.c_source("rp_arm_tau")
    assert "void rp_arm_tau(const double *" in text
    kept = s.function("inverse_dynamics", parameters=["m2"]).c_source("tau")
    assert "parameters" in kept
