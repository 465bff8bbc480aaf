"""Holonomic or not: the brackets of a disc that rolls, the circle behind a velocity constraint."""

import sympy

import visviva as vv


def bracket(g, h, x):
    return h.jacobian(x) * g - g.jacobian(x) * h


def test_S6_and_C51_a_rolling_disc_reaches_every_position():
    """Rank 4: det (g1, g2, [g1, g2], [g2, [g1, g2]]) = ± r², by the order of the fields."""
    s = vv.catalog.rolling_disc()
    c = s.constraints.classify()
    assert (c.kind, c.proof, c.growth, c.degree) == ("nonholonomic", "proved", (2, 3, 4), 3)
    assert c.integrals == ()
    x = sympy.symbols(s.coordinates)
    theta, r = sympy.symbols("theta r")
    roll = sympy.Matrix([r * sympy.cos(theta), r * sympy.sin(theta), 0, 1])
    turn = sympy.Matrix([0, 0, 1, 0])
    A = s.closed_form().constraint_matrix
    assert sympy.simplify(A * sympy.Matrix.hstack(roll, turn)).is_zero_matrix
    aside = bracket(roll, turn, x)
    reached = sympy.Matrix.hstack(roll, turn, aside, bracket(turn, aside, x))
    assert sympy.simplify(reached.det()) in (r**2, -(r**2))
    assert {
        sympy.Matrix(v).as_immutable() for v in (c.certificate.first, c.certificate.second)
    } == {
        roll.as_immutable(),
        turn.as_immutable(),
    }


def test_S8_and_C51_a_velocity_constraint_that_is_a_circle():
    """x x' + y y' = 0 is x² + y² = R²; then m R² θ'' = R (-sin θ fx + cos θ fy)."""
    s = vv.Lagrangian(
        "x y",
        "m*(x'^2 + y'^2)/2",
        constraints="x x' + y y' = 0",
        forces=["fx", "fy"],
        parameters="m fx fy",
    )
    c = s.constraints.classify()
    x, y = sympy.symbols("x y")
    assert (c.kind, c.proof, c.scleronomic) == ("holonomic", "proved", True)
    assert [sympy.expand(2 * f) for f in c.integrals] == [x**2 + y**2]
    reduced = s.reduce().system
    (e,) = reduced.closed_form().equations
    known = sympy.sympify("m*R**2*thetadd - R*(-sin(theta)*fx + cos(theta)*fy)")
    assert sympy.expand(e - known) == 0


def test_C51_a_knife_edge_is_not_holonomic_and_a_bead_on_a_wire_is():
    edge = vv.catalog.knife_edge().constraints.classify()
    assert (edge.kind, edge.growth) == ("nonholonomic", (2, 3))
    bead = vv.catalog.bead_on_rotating_wire(constrained=True)
    c = bead.constraints.classify()
    assert (c.kind, c.scleronomic) == ("holonomic", False)
    (e,) = bead.reduce().system.closed_form().equations
    known = "m*((1 + 4*k**2*x**2)*xdd + 4*k**2*x*xd**2 - Omega**2*x + 2*g*k*x)"
    assert sympy.expand(e - sympy.sympify(known)) == 0
