"""Multipliers, projections, moving constraints and virtual work, as the documents have them."""

from functools import partial

import numpy as np
import pytest
import sympy
from sympy import Matrix, Symbol, simplify, zeros

import visviva as vv
from tests.support.generators.bodies import close

q1, q2, q3, t = sympy.symbols("q1 q2 q3 t")


def ellipse(**more):
    """A point with two masses, so that M is no multiple of one, on a curve that moves."""
    T = "(m1*x'^2 + m2*y'^2)/2"
    held = "x^2/a^2 + y^2/b^2 - 1 - c*sin(w*t)"
    values = {"m1": 1.5, "m2": 0.7, "a": 1.2, "b": 0.8, "c": 0.1, "w": 3.0, "g": 9.81}
    return vv.Lagrangian("x y", T, "m2*g*y", constraints=held, parameters=values, **more)


def test_C44_the_differentiated_constraint_of_a_moving_row():
    """d/dt (A q̇ + a₀) along any motion x(t), y(t) is A q̈ + β."""
    form = ellipse().closed_form()
    x, y = (sympy.Function(k)(t) for k in "xy")
    along = dict(zip(sympy.symbols("x y xd yd"), (x, y, x.diff(t), y.diff(t)), strict=True))
    A, a0, beta = (Matrix(getattr(form, f"constraint_{k}")) for k in ("matrix", "drift", "bias"))
    rate = (A * Matrix(form.velocities) + a0)[0].subs(along).diff(t)
    accelerations = Matrix([x.diff(t, 2), y.diff(t, 2)])
    assert simplify(rate - (A.subs(along) * accelerations + beta.subs(along))[0]) == 0


def test_C45_the_system_of_n_and_k_equations_solved():
    """Accelerations and multipliers at once, by another elimination than ours."""
    s = vv.catalog.knife_edge()
    form = s.closed_form()
    M, A, h = form.mass_matrix, form.constraint_matrix, form.bias_forces
    n, k = M.shape[0], A.shape[0]
    whole = zeros(n + k, n + k)
    whole[:n, :n], whole[:n, n:], whole[n:, :n] = M, -A.T, A
    forces = Matrix(form.generalized_forces) - h
    right = Matrix([*forces, *(-Matrix(form.constraint_bias))])
    both = whole.LUsolve(right)
    want = Matrix([*form.forward_dynamics, *form.multipliers])
    assert simplify(both - want) == zeros(n + k, 1)
    rng = np.random.default_rng(0)
    q, v, tau = rng.normal(size=(3, 3))
    v = s.admitted_velocity(q, v)
    close(s.constraint_matrix(q) @ s.forward_dynamics(q, v, tau), -s.constraint_bias(q, v), 1e-13)


def test_C48_the_projection_of_motions():
    """P = M⁻¹ P_u M = P_uᵀ, P² = P, and P q̈ = P M⁻¹ (u - C q̇ - g) in the constrained motion."""
    s = ellipse()
    form = s.closed_form()
    M, P, Pu = form.mass_matrix, Matrix(form.projection), Matrix(form.force_projection)
    assert simplify(M.inv() * Pu * M - P) == zeros(2, 2)
    assert simplify(Pu.T - P) == zeros(2, 2)
    assert simplify(P * P - P) == zeros(2, 2)
    assert simplify(Matrix(form.constraint_matrix) * P) == zeros(1, 2)
    forces = Matrix(form.generalized_forces) - form.bias_forces
    left = P * Matrix(form.forward_dynamics) - P * M.inv() * forces
    assert simplify(left) == zeros(2, 1)
    q, v, tau = s.assembled([0.6, 0.5], t=0.4), [0.3, -0.2], [1.0, 2.0]
    v = s.admitted_velocity(q, v, 0.4)
    close(
        s.projection(q),
        np.linalg.solve(s.mass_matrix(q), s.force_projection(q)) @ s.mass_matrix(q),
        1e-13,
    )
    free = s.free_acceleration(q, v, tau)
    close(s.projection(q) @ s.forward_dynamics(q, v, tau, 0.4), s.projection(q) @ free, 1e-12)


def test_C52_moving_constraints_do_work():
    """S41: dE/dt = λ₂ Ω; what the drive puts in is the power of its row alone."""
    bead = vv.catalog.bead_on_rotating_wire(constrained=True)
    form = bead.closed_form()
    Omega, theta = Symbol("Omega"), Symbol("thetad")
    assert Matrix(form.constraint_drift) == Matrix([0, -Omega])
    lam = Matrix(form.multipliers).subs({f"tau{k}": 0 for k in (1, 2, 3)})
    m, x, xd = sympy.symbols("m x xd")
    assert simplify(lam[1] - 2 * m * x * xd * theta) == 0
    k, w, g = (bead.parameters[p] for p in ("k", "Omega", "g"))
    q, v = np.array([0.4, k * 0.16, 0.2]), np.array([0.3, 2 * k * 0.4 * 0.3, w])
    still = np.zeros(3)
    close(bead.constraint_velocity(q, v), [0, 0], 1e-14)
    a, lam = bead.forward_dynamics(q, v, still), bead.multipliers(q, v, still)
    power = v @ bead.mass_matrix(q) @ a + v @ bead.bias_forces(q, v)  # dE/dt, g included
    close(power, lam[1] * w, 1e-12)
    close(bead.constraint_power(q, v, still), lam[1] * w, 1e-12)
    close(lam[0], bead.parameters["m"] * (g + a[1]), 1e-12)


def test_C54_a_reaction_by_a_superfluous_coordinate():
    """The rod of a pendulum may stretch, for once: its equation has the tension."""
    T, V = "m*(r'^2 + r^2*theta'^2)/2", "-m*g*r*cos(theta)"
    free = vv.Lagrangian("r theta", T, V, parameters={"m": 2.0, "g": 9.81, "l": 0.7})
    held = vv.Lagrangian("r theta", T, V, constraints="r - l", parameters=free.parameters)
    m, g, l, theta, rate = sympy.symbols("m g l theta thetad")  # noqa: E741
    tension = free.closed_form().equations[0].subs({"r": l, "rd": 0, "rdd": 0})
    assert simplify(tension - (-m * l * rate**2 - m * g * sympy.cos(theta))) == 0
    lam = Matrix(held.closed_form().multipliers)[0].subs({"tau1": 0, "tau2": 0, "r": l})
    assert simplify(lam - tension) == 0
    q, v = [0.7, 0.5], [0.0, 1.3]
    a = held.forward_dynamics(q, v, [0, 0])
    close(held.multipliers(q, v, [0, 0])[0], free.inverse_dynamics(q, v, a)[0], 1e-13)


def test_C19_C55_constraint_forces_do_no_virtual_work():
    """They are told apart from τ, g and b, and are orthogonal to all that is admitted."""
    s = ellipse(dissipation="x'^2/2")
    time, tau = 0.4, np.array([1.0, 2.0])
    q = s.assembled([0.6, 0.5], t=time)
    v = s.admitted_velocity(q, [0.3, -0.2], time)
    a, Qc = s.forward_dynamics(q, v, tau, time), s.constraint_forces(q, v, tau, time)
    parts = tau - s.gravity_forces(q) - s.dissipation_forces(q, v)
    close(s.mass_matrix(q) @ a, parts + Qc, 1e-12)
    (move,) = s.displacements(q, time).T
    assert abs(Qc @ move) < 1e-13
    assert abs(parts @ move) > 0.1
    normal = s.constraint_matrix(q)[0]
    close(Qc[0] * normal[1], Qc[1] * normal[0], 1e-12)  # orthogonal to the curve
    assert abs(Qc @ v) > 0.01  # the curve moves: real work
    close(Qc @ v, s.constraint_power(q, v, tau, time), 1e-12)


def test_C56_virtual_and_real_displacements():
    """δq is tangent while time stands still, A δq = 0; q̇ dt goes along, A q̇ = -a₀."""
    s = ellipse()
    q, time = np.array([0.6, 0.5]), 0.4
    move = s.displacements(q, time)
    assert move.shape == (2, 1)
    close(s.constraint_matrix(q) @ move, [[0.0]], 1e-14)
    v = s.admitted_velocity(q, [0.0, 0.0], time)
    close(s.constraint_matrix(q) @ v, -s.constraint_drift(q, time), 1e-14)
    assert np.abs(s.constraint_matrix(q) @ v) > 0.1
    x, y = q
    close(move[1, 0] * y / 0.8**2, -move[0, 0] * x / 1.2**2, 1e-14)


def test_C57_consistent_starts_stay_consistent_when_they_are_projected():
    """Without projection the error grows with every step; with it it is rounding."""
    s = vv.catalog.four_bar()
    q = s.assembled([0.9, -0.5, 1.4])
    v = s.admitted_velocity(q, [3.0, 0.0, 0.0])
    close(s.constraint_error(q), 0 * s.constraint_error(q), 1e-12)
    close(s.constraint_velocity(q, v), 0 * s.constraint_velocity(q, v), 1e-12)
    tau, h, worst = np.zeros(3), 0.01, {}
    accelerations = partial(s.forward_dynamics, tau=tau, checked=False)  # states drift
    for projected in (False, True):
        x, u, errors = q, v, []
        for _ in range(60):
            a = accelerations(x, u)
            half = u + h / 2 * a
            x, u = x + h * half, u + h * accelerations(x + h / 2 * u, half)
            if projected:
                x = s.assembled(x)
                u = s.admitted_velocity(x, u)
            errors.append(np.abs(s.constraint_error(x)).max())
        worst[projected] = max(errors)
    assert worst[False] > 1e-6
    assert worst[True] < 1e-12
    with pytest.raises(vv.errors.AssemblyError, match="assembled"):
        s.check_state(q + 0.01, v)


def test_C96_equilibrium_by_virtual_work():
    """A slider-crank: the torque that a force on the piston balances is F dx/dθ, no reactions."""
    s = vv.catalog.slider_crank(g=0.0)
    r, rod, theta, F = s.parameters["l1"], s.parameters["l2"], 0.9, -40.0
    q = s.assembled(s.q(theta1=theta, x=0.4), fixed={"theta1": theta})
    slope = -r * np.sin(theta) - r**2 * np.sin(theta) * np.cos(theta) / np.sqrt(
        rod**2 - (r * np.sin(theta)) ** 2
    )
    tau = np.array([-F * slope, 0.0, F])
    close(s.forward_dynamics(q, np.zeros(3), tau), np.zeros(3), 1e-10)
    (move,) = s.displacements(q).T
    close(tau @ move, 0.0, 1e-12)
    close(move[2] / move[0], slope, 1e-12)
    assert np.abs(s.forward_dynamics(q, np.zeros(3), tau * [0.9, 1, 1])).max() > 1.0
