"""Constraints of the sources: multipliers, projections and accelerations, exactly."""

import numpy as np
import sympy

import visviva as vv

m, inertia, g, k, W = sympy.symbols("m I g k Omega")
u1, u2, u3 = u = sympy.symbols("tau1 tau2 tau3")
q1, q2, q3, d1, d2, d3 = sympy.symbols("q1 q2 q3 qd1 qd2 qd3")
a1, a2, a3 = sympy.symbols("qdd1 qdd2 qdd3")
x, y, z, dx, dy, dz = sympy.symbols("x y z xd yd zd")
s3, c3 = sympy.sin(q3), sympy.cos(q3)
NO_FORCES = dict.fromkeys(u, 0)


def knife_edge():
    kinetic = "m*(q1'^2 + q2'^2)/2 + I*q3'^2/2"
    held = "q1'*sin(q3) - q2'*cos(q3)"
    return vv.Lagrangian("q1 q2 q3", kinetic, constraints=held, parameters="m I", name="knife_edge")


def on_sphere():
    kinetic, held = "m*(x'^2 + y'^2 + z'^2)/2", "x*x' + y*y' + z*z'"
    return vv.Lagrangian("x y z", kinetic, constraints=held, parameters="m", name="on_sphere")


def bead():
    return vv.Lagrangian(
        "x z theta",
        "m*(x'^2 + z'^2 + x^2*theta'^2)/2",
        "m*g*z",
        constraints=["z - k*x^2", "theta - Omega*t"],
        parameters="m g k Omega",
        name="bead",
    )


def four_bar():
    """Angles of two cranks and of the bar between them, to the ground; three hinges, one closed."""
    T = "(J1*a'^2 + J2*b'^2 + J3*c'^2)/2 + m2*l1*r*a'*b'*cos(a - b)"
    rows = ["l1*cos(a) + l2*cos(b) - l3*cos(c) - d", "l1*sin(a) + l2*sin(b) - l3*sin(c)"]
    return vv.Lagrangian(
        "a b c",
        T,
        "m2*g*l1*sin(a)",
        constraints=rows,
        parameters="J1 J2 J3 m2 l1 l2 l3 d r g",
        name="four_bar",
    )


def is_zero(expr) -> bool:
    """Exactly: multiplied out, with sin² = 1 - cos²."""
    top = sympy.expand(sympy.numer(sympy.together(expr)))
    for sine in top.atoms(sympy.sin):
        top = sympy.rem(top, sine**2 + sympy.cos(sine.args[0]) ** 2 - 1, sine)
    return sympy.expand(top) == 0


def same(value, expected):
    value, expected = sympy.Matrix(value), sympy.Matrix(expected)
    assert value.shape == expected.shape
    for one, other in zip(value, expected, strict=True):
        assert is_zero(one - other), f"{one} is not {other}"


def bare(form):
    """M, h, A and β, and M⁻¹ by SymPy."""
    M = form.mass_matrix
    return M, form.bias_forces, form.constraint_matrix, form.constraint_bias, M.inv()


def test_S7_knife_edge_as_printed():
    form = knife_edge().closed_form()
    same(form.constraint_matrix, [[s3, -c3, 0]])
    # (10.25) to (10.28)
    same(form.multipliers, [(u2 - m * d1 * d3) * c3 - (u1 + m * d2 * d3) * s3])
    same(
        form.forward_dynamics,
        [
            (u1 * c3**2 + (u2 - m * d1 * d3) * c3 * s3 - m * d2 * d3 * s3**2) / m,
            (u2 * s3**2 + (u1 + m * d2 * d3) * c3 * s3 + m * d1 * d3 * c3**2) / m,
            u3 / inertia,
        ],
    )
    P = sympy.Matrix([[c3**2, s3 * c3, 0], [s3 * c3, s3**2, 0], [0, 0, 1]])
    assert form.projection == P
    assert form.projection.rank() == 2
    assert form.force_projection == P
    lam = form.multiplier_symbols[0]
    # (10.22) to (10.24)
    assert list(form.equations) == [m * a1 - lam * s3, m * a2 + lam * c3, inertia * a3]
    along = (m * a1 - u1) * c3 + (m * a2 - u2) * s3
    same(form.projected_equations, [along * c3, along * s3, inertia * a3 - u3])


def test_S8_a_point_on_a_circle():
    T = "m*(x'^2 + y'^2)/2"
    circle = vv.Lagrangian("x y", T, constraints="x*x' + y*y'", parameters="m").closed_form()
    theta, rate, R = sympy.symbols("theta thetad R")
    there = {x: R * sympy.cos(theta), y: R * sympy.sin(theta)}
    there |= {dx: -R * sympy.sin(theta) * rate, dy: R * sympy.cos(theta) * rate}
    a = circle.forward_dynamics.subs(there)
    tangent = sympy.Matrix([-sympy.sin(theta), sympy.cos(theta)])
    normal = sympy.Matrix([sympy.cos(theta), sympy.sin(theta)])
    # m R² θ̈ = R (-s f_x + c f_y), and R θ̇² towards the centre
    same([m * R * (tangent.dot(a))], [R * (-u1 * normal[1] + u2 * normal[0])])
    same([normal.dot(a)], [-R * rate**2])


def test_S22_point_on_a_sphere_with_three_thrusters():
    form = on_sphere().closed_form()
    q, v, f = sympy.Matrix([x, y, z]), sympy.Matrix([dx, dy, dz]), sympy.Matrix(u)
    assert form.constraint_matrix == q.T
    square = q.dot(q)
    P = sympy.eye(3) - q * q.T / square
    same(form.multipliers, [-(m * v.dot(v) + q.dot(f)) / square])
    same(form.forward_dynamics, P * f / m - q * v.dot(v) / square)
    same(form.projection, P)
    a = sympy.Matrix(form.accelerations)
    same(form.projected_equations, P * (m * a - f))


def test_S41_bead_with_both_constraints():
    form = bead().closed_form()
    turn = sympy.Symbol("thetad")
    assert form.constraint_matrix == sympy.Matrix([[-2 * k * x, 1, 0], [0, 0, 1]])
    assert form.constraint_drift == sympy.Matrix([0, -W])
    lam = form.multipliers.subs(NO_FORCES | {turn: W})
    bend = 1 + 4 * k**2 * x**2
    same(lam, [m * (g + 2 * k * dx**2 + 2 * k * W**2 * x**2) / bend, 2 * m * x * dx * W])
    a = form.forward_dynamics.subs(NO_FORCES | {turn: W})
    same([bend * a[0] + 4 * k**2 * x * dx**2 - W**2 * x + 2 * g * k * x], [0])
    same([lam[0]], [m * (g + a[1])])
    # with z = k x² put in, what is left is the equation of the bead alone
    alone = vv.catalog.bead_on_rotating_wire().closed_form().equations[0]
    same([alone.subs({"xdd": a[0]})], [0])
    # dE/dt is the power of the second constraint
    total = form.kinetic_energy + form.potential_energy
    names = zip((x, z, "theta", dx, dz, turn), (dx, dz, turn, *a), strict=True)
    power = sum(sympy.diff(total, name) * rate for name, rate in names)
    same([power.subs({dz: 2 * k * x * dx, turn: W})], [lam[1] * W])


def test_C43_rank_and_redundant_rows():
    twice = vv.Lagrangian(
        "x y z",
        "m*(x'^2 + y'^2 + z'^2)/2",
        constraints=["x*x' + y*y' + z*z'", "z'", "x*x' + y*y'"],
        parameters="m",
    ).closed_form()
    assert twice.constraint_matrix.rank() == 2
    assert twice.projection.rank() == 1
    two = vv.Lagrangian(
        "x y z", "m*(x'^2 + y'^2 + z'^2)/2", constraints=["z'", "x*x' + y*y'"], parameters="m"
    ).closed_form()
    level = {dz: 0}  # the rows agree on motions that they admit
    same(twice.forward_dynamics.subs(level), two.forward_dynamics)
    same(twice.constraint_forces.subs(level), two.constraint_forces)
    same(twice.projection, two.projection)
    null = twice.constraint_matrix.T.nullspace()[0]
    same([null.dot(twice.multipliers)], [0])  # of minimum norm


def test_C44_the_differentiated_constraint():
    form = knife_edge().closed_form()
    q = sympy.Matrix([q1, q2, q3])
    A, v = form.constraint_matrix, sympy.Matrix(form.velocities)
    rate = (A * v).jacobian(q) * v
    same(form.constraint_bias, rate)
    # (10.21)
    differentiated = A * sympy.Matrix(form.accelerations) + form.constraint_bias
    same(differentiated, [a1 * s3 + d1 * d3 * c3 - a2 * c3 + d2 * d3 * s3])
    # A moving row has ȧ₀ in it: -d²/dt² (Ω t²)
    moving = vv.Lagrangian(
        "x y", "x'^2 + y'^2", constraints="y - Omega*t^2*x", parameters="Omega"
    ).closed_form()
    t = sympy.Symbol("t")
    same(moving.constraint_bias, [-2 * W * x - 4 * W * t * dx])


def test_C45_the_system_of_n_plus_k_equations():
    """q̈ and λ against SymPy's solution of all equations together."""
    for s in (knife_edge(), on_sphere(), bead()):
        form = s.closed_form()
        unknown = [*form.accelerations, *form.multiplier_symbols]
        rows = form.equations - sympy.Matrix(form.generalized_forces)
        more = form.constraint_matrix * sympy.Matrix(form.accelerations) + form.constraint_bias
        solution = sympy.solve([*rows, *more], unknown, dict=True)[0]
        same(form.forward_dynamics, [solution[n] for n in form.accelerations])
        same(form.multipliers, [solution[n] for n in form.multiplier_symbols])


def test_C46_multipliers_in_closed_form():
    for s in (knife_edge(), bead(), four_bar()):
        form = s.closed_form()
        M, h, A, beta, W_ = bare(form)
        if form.name == "four_bar":  # at a point: SymPy's inverse is long
            at = {n: sympy.Rational(i + 2, 7) for i, n in enumerate(_symbols(form))}
            M, h, A, beta, lam = (n.subs(at).evalf(40) for n in (M, h, A, beta, form.multipliers))
            expected = (A * M.inv() * A.T).inv() * (
                -beta + A * M.inv() * (h - sympy.Matrix(u).subs(at))
            )
            assert (lam - expected).norm() < 1e-30
        else:
            right = -beta + A * W_ * (h - sympy.Matrix(u))
            same(form.multipliers, (A * W_ * A.T).inv() * right)


def _symbols(form):
    found = {*form.multipliers.free_symbols, *form.mass_matrix.free_symbols, *u}
    return sorted(found, key=str)


def test_C47_the_projection_of_forces_removes_multipliers():
    for s in (knife_edge(), on_sphere(), bead()):
        form = s.closed_form()
        M, h, A, _, inverse = bare(form)
        n = M.rows
        same(form.force_projection * A.T, sympy.zeros(n, A.rows))
        lift = A.T * (A * inverse * A.T).inv() * A * inverse
        same(form.force_projection, sympy.eye(n) - lift)
        rest = M * sympy.Matrix(form.accelerations) + h - sympy.Matrix(u)
        same(form.projected_equations, form.force_projection * rest)
        assert not form.projected_equations.free_symbols & {*form.multiplier_symbols}


def test_C48_the_projection_of_motions():
    for s in (knife_edge(), on_sphere(), bead()):
        form = s.closed_form()
        M, h, A, beta, inverse = bare(form)
        P = form.projection
        same(P, inverse * form.force_projection * M)
        same(P, form.force_projection.T)
        same(A * P, sympy.zeros(*A.shape))
        a = form.forward_dynamics
        same(P * a, P * inverse * (sympy.Matrix(u) - h))  # (10.20)
        same(A * a + beta, sympy.zeros(A.rows, 1))  # completes it


def test_C49_working_and_resisted_forces_are_orthogonal():
    for s in (knife_edge(), on_sphere(), bead()):
        form = s.closed_form()
        M, _, A, _, inverse = bare(form)
        P, Pu, one = form.projection, form.force_projection, sympy.eye(3)
        assert P.rank(simplify=True) == 3 - A.rows
        same(P * P, P)
        f, v = sympy.Matrix(u), sympy.Matrix(form.velocities)
        same([(Pu * f).dot(inverse * (one - Pu) * f)], [0])
        same([(P * v).dot(M * (one - P) * v)], [0])


def test_C50_the_force_of_each_row():
    s = bead().with_parameters(m=2.0, g=9.81, k=0.5, Omega=3.0)
    form = s.closed_form()
    rows = form.constraint_matrix.T
    each = [rows[:, j] * form.multipliers[j] for j in range(2)]
    same(form.constraint_forces, each[0] + each[1])
    q, v, tau = [0.4, 0.08, 0.3], [0.3, 0.12, 3.0], [0.1, -0.2, 0.7]
    names = (*form.coordinates, *form.velocities, *form.generalized_forces)
    values = dict(zip(names, (*q, *v, *tau), strict=True)) | form.parameters
    seen = np.array(form.constraint_forces.subs(values), dtype=float)[:, 0]
    np.testing.assert_allclose(seen, s.constraint_forces(q, v, tau), rtol=1e-13)


def test_C52_moving_constraints_do_work():
    form = bead().closed_form()
    v, lam = sympy.Matrix(form.velocities), form.multipliers
    a0 = form.constraint_drift
    turn = sympy.Symbol("thetad")
    held = {sympy.Symbol("zd"): 2 * k * x * dx, turn: W}
    # the power of Aᵀ λ is -λ · a₀ on motions that keep A v + a₀ = 0
    power = (form.constraint_forces.T * v)[0].subs(held)
    same([power], [-(lam.T * a0)[0].subs(held)])
    same([power.subs(NO_FORCES)], [2 * m * x * dx * W**2])


def test_C53_the_reaction_of_a_holonomic_constraint():
    """A = ∂φ/∂q and a₀ = ∂φ/∂t; the pull of a pendulum's rod."""
    pendulum = vv.Lagrangian(
        "x y", "m*(x'^2 + y'^2)/2", "m*g*y", constraints="x^2 + y^2 - l^2", parameters="m g l"
    ).closed_form()
    theta, rate, length = sympy.symbols("theta thetad l")
    assert pendulum.constraint_matrix == sympy.Matrix([[2 * x, 2 * y]])
    there = {x: length * sympy.sin(theta), y: -length * sympy.cos(theta)}
    there |= {dx: length * sympy.cos(theta) * rate, dy: length * sympy.sin(theta) * rate}
    force = pendulum.constraint_forces.subs(there).subs(NO_FORCES)
    pull = m * (g * sympy.cos(theta) + length * rate**2)
    same(force, [-pull * sympy.sin(theta), pull * sympy.cos(theta)])


def test_X1_both_conventions_of_the_constraint_matrix():
    """One document has A with a row for each constraint, the other with a column."""
    form = bead().closed_form()
    rows, columns = form.latex("constraint_matrix"), form.latex("constraint_matrix", "columns")
    assert r"A = \begin{bmatrix} -2 k x & 1 & 0 \\ 0 & 0 & 1 \end{bmatrix}" in rows
    assert r"A = \begin{bmatrix} -2 k x & 0 \\ 1 & 0 \\ 0 & 1 \end{bmatrix}" in columns
    assert "= τ + Aᵀ λ\n\nA v + a₀ = 0" in form.markdown()
    assert "= τ + A λ\n\nAᵀ v + a₀ = 0" in form.markdown(convention="columns")
