"""Equations (10.21) to (10.28) of document 000 and (96) to (103) of document 002, judged."""

import pytest
import sympy

import visviva as vv


def knife_edge():
    kinetic = "m*(q1'^2 + q2'^2)/2 + I*q3'^2/2"
    held = "q1'*sin(q3) - q2'*cos(q3)"
    return vv.Lagrangian("q1 q2 q3", kinetic, constraints=held, parameters="m I", name="knife_edge")


def bead(**more):
    """Of example 0.7.2: no forces are applied, so that all coordinates are passive."""
    stated = {"parameters": "m g k Omega", "passive": ["x", "z", "theta"], "name": "bead"}
    return vv.Lagrangian(
        "x z theta",
        "m*(x'^2 + z'^2 + x^2*theta'^2)/2",
        "m*g*z",
        constraints=["z - k*x^2", "theta' - Omega"],
        **{**stated, **more},
    )


KNIFE_EDGE = {
    "row": r"\dot{q}_1 \sin q_3 - \dot{q}_2 \cos q_3 = 0",
    "A": r"A = \begin{bmatrix} \sin q_3 & -\cos q_3 & 0 \end{bmatrix}",
    "(10.21)": r"\ddot{q}_1 \sin q_3 + \dot{q}_1 \dot{q}_3 \cos q_3 - \ddot{q}_2 \cos q_3"
    r" + \dot{q}_2 \dot{q}_3 \sin q_3 = 0",
    "(10.22)": r"m\ddot{q}_1 = u_1 + \lambda_1 \sin q_3",
    "(10.23)": r"m\ddot{q}_2 = u_2 - \lambda_1 \cos q_3",
    "(10.24)": r"I\ddot{q}_3 = u_3",
    "(10.25)": r"\ddot{q}_1 = \frac{1}{m} (u_1 \cos^2 q_3 + (u_2 - m\dot{q}_1 \dot{q}_3) \cos q_3"
    r" \sin q_3 - m\dot{q}_2 \dot{q}_3 \sin^2 q_3)",
    "(10.26)": r"\ddot{q}_2 = \frac{1}{m} (u_2 \sin^2 q_3 + (u_1 + m\dot{q}_2 \dot{q}_3) \cos q_3"
    r" \sin q_3 + m\dot{q}_1 \dot{q}_3 \cos^2 q_3)",
    "(10.27)": r"\ddot{q}_3 = \frac{u_3}{I}",
    "(10.28)": r"\lambda_1 = (u_2 - m\dot{q}_1 \dot{q}_3) \cos q_3"
    r" - (u_1 + m\dot{q}_2 \dot{q}_3) \sin q_3",
    "P": r"P = \begin{bmatrix} \cos^2 q_3 & \sin q_3 \cos q_3 & 0 \\ \sin q_3 \cos q_3 & \sin^2 q_3"
    r" & 0 \\ 0 & 0 & 1 \end{bmatrix}",
    "projected": r"\ddot{q}_1 \cos q_3 + \ddot{q}_2 \sin q_3"
    r" = \frac{1}{m}(u_1 \cos q_3 + u_2 \sin q_3)",
}


@pytest.mark.parametrize("claim", KNIFE_EDGE.values(), ids=KNIFE_EDGE)
def test_S7_the_knife_edge_as_it_stands(claim):
    assert knife_edge().check(claim).status == "identical"


BEAD = {
    "(95)": "z' - 2 k x x' = 0",
    "(96), i = 1": "m (x'' - x theta'^2) = -2 k x lambda1",
    "(96), i = 2": "m z'' + m g = lambda1",
    "(97)": "[m*(x'' - x*theta'^2), m*z'' + m*g, m*(x^2*theta'' + 2*x*x'*theta')]"
    " = [[-2*k*x, 0], [1, 0], [0, 1]] [lambda1, lambda2]",
    "(99)": "theta' - Omega = 0",
    "a0": "a0 = [0, -Omega]",
    "(100), one row for each": "A = [[-2 k x, 1, 0], [0, 0, 1]]",
    "(100), transposed": "A = [[-2 k x, 0], [1, 0], [0, 1]]",
    "(101)": "T = 1/2 m (x'^2 (1 + 4 k^2 x^2) + x^2 theta'^2)",
    "(102), corrected": "m x'' (1 + 4 k^2 x^2) + 4 m k^2 x x'^2 - m x theta'^2 + 2 m g k x = 0",
    "(102) with the rate": "(1 + 4 k^2 x^2) x'' + 4 k^2 x x'^2 - Omega^2 x + 2 g k x = 0",
    "(103)": "m (x^2 theta'' + 2 x x' theta') = lambda2",
    "its last line": "2 m x x' theta' = lambda2",
    "S41, wire": "lambda1 = m (g + 2 k x'^2 + 2 k Omega^2 x^2)/(1 + 4 k^2 x^2)",
    "S41, wire by z": "lambda1 = m (g + z'')",
    "S41, torque": "lambda2 = 2 m x x' Omega",
    "S41, V": "V = m g k x^2",
}


@pytest.mark.parametrize("claim", BEAD.values(), ids=BEAD)
def test_S41_the_bead_corrected(claim):
    assert bead().check(claim).status == "identical"


def test_X1_both_conventions_of_A_are_read_and_told():
    verdict = bead().check(BEAD["(100), transposed"])
    assert any("a column for each constraint" in note for note in verdict.notes)


def test_98_friction_stands_beside_the_multipliers():
    """d/dt ∂L/∂q̇ - ∂L/∂q + ∂D/∂q̇ = F + A λ, with D = c ẋ²/2 on the wire."""
    s = bead(dissipation="c*x'^2/2", parameters="m g k Omega c", passive=())
    claim = (
        "[m*(x'' - x*theta'^2) + c*x', m*z'' + m*g, m*(x^2*theta'' + 2*x*x'*theta')]"
        " = [tau1, tau2, tau3] + [[-2*k*x, 0], [1, 0], [0, 1]] [lambda1, lambda2]"
    )
    assert s.check(claim).status == "identical"
    assert s.check(claim.replace("+ c*x'", "- c*x'")).status == "differs"


def test_E38_as_printed_differs_by_the_terms_that_are_wrong():
    claim = "m x'' (1 + 4 k^2 x^2) + 4 m k^2 x x'^2 - x theta'^2 = 2 k x (m g - lambda1)"
    verdict = bead().check(claim)
    assert verdict.status == "differs"
    m, x, rate, g, k, lam = sympy.symbols("m x thetad g k lambda1")
    gap = -m * x * rate**2 + 2 * m * g * k * x - (-x * rate**2 - 2 * k * x * (m * g - lam))
    assert sympy.expand(verdict.missing - verdict.extra - gap) == 0
    point = {sympy.Symbol(name): value for name, value in verdict.witness.point.items()}
    assert float(gap.subs(point)) == pytest.approx(-verdict.witness.claim)
    assert verdict.witness.truth == 0


def test_E38_the_multiplier_alone_is_explained():
    claim = "m x'' (1 + 4 k^2 x^2) + 4 m k^2 x x'^2 - m x theta'^2 = -2 k x (m g + lambda1)"
    verdict = bead().check(claim)
    assert verdict.status == "differs"
    assert verdict.diagnosis[0].kind == "constraint used early"
    assert verdict.extra == 2 * sympy.prod(sympy.symbols("k x lambda1"))


def test_E35_the_multiplier_has_the_index_of_the_constraint():
    verdict = bead().check("m z'' + m g = lambda2")
    assert verdict.status == "differs"
    assert verdict.diagnosis[0].kind == "indices of A"


def test_E36_V_as_printed_differs():
    assert bead().check("V = -m g k x^2").status == "differs"


def test_the_rate_of_A_v_is_more_than_A_a():
    """(10.17) lacks its d/dt: read as A a = 0 it is wrong by Ȧ v."""
    verdict = knife_edge().check("q1'' sin(q3) - q2'' cos(q3) = 0")
    assert verdict.status == "differs"
    assert verdict.diagnosis[0].kind == "rate of A"


def test_E9_the_metric_of_forces_is_the_inverse_of_M():
    """P with M where M⁻¹ belongs, of two masses that move alike."""
    s = vv.Lagrangian(
        "x y",
        "m*x'^2/2 + n*y'^2/2",
        constraints="x' - y'",
        parameters="m n",
    )
    assert s.check("P = [[m, n], [m, n]]/(m + n)").status == "identical"
    assert s.check("Pu = [[m, m], [n, n]]/(m + n)").status == "identical"
    verdict = s.check("P = [[n, m], [n, m]]/(m + n)")
    assert verdict.status == "differs"
    assert verdict.diagnosis[0].kind == "metric"


def test_E39_one_degree_of_freedom_is_left():
    """All velocities follow from that of x."""
    said = bead().check("z' = 2 k x x'; theta' = Omega")
    assert [v.status for v in said.parts] == ["identical", "identical"]
