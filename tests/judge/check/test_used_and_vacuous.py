"""Names that a claim defines and uses are judged too; claims that say nothing are refused."""

import pytest
import sympy

import visviva as vv
from visviva.errors import ArgumentError

ARM = vv.catalog.two_link()
PENDULUM = vv.Lagrangian("theta", "m l^2 theta'^2/2", "-m g l cos(theta)", parameters="m l g")
CART, DOUBLE = vv.catalog.cart_pole(), vv.catalog.pendulum(2)
BOB, POLE = "a = x + l sin(theta); b = -l cos(theta)", "d/dt(dL/dtheta') - dL/dtheta = 0"
TWO = "a = l1 sin(theta1); b = l1 cos(theta1); c = a + l2 sin(theta1 + theta2); "
TWO += "h = b + l2 cos(theta1 + theta2); v2 = c'^2 + h'^2"
KEPLER = vv.Lagrangian("r theta", "m (r'^2 + r^2 theta'^2)/2", "-k/r", parameters="m k")


@pytest.mark.parametrize(
    ("system", "claim", "right"),
    [
        (PENDULUM, "T = 1/2 m l^2 θ'^2; V = m g l cosθ; L = T + V", [True, False, True]),
        (PENDULUM, "K = 1/2 m l^2 θ'^2; U = m g l cosθ; L = K + U", [True, False, True]),
        (PENDULUM, "T = m l^2 θ'^2; V = -2 m g l cosθ; L = (T - V)/2", [False, False, True]),
        (PENDULUM, "T = 1/2 m l^2 θ'^2; V = -m g l cosθ; L = T - V", [True, True, True]),
        (KEPLER, "p_theta = m r theta'; H = m r'^2/2 + p_theta^2/(2 m) - k/r", [False, True]),
        (KEPLER, "p_theta = m r^2 theta'; H = m r'^2/2 + p_theta^2/(2 m r^2) - k/r", [True, True]),
        (KEPLER, "V = k/r; E = m (r'^2 + r^2 theta'^2)/2 - V", [False, True]),
        (ARM, "x = L1 cos(q1); y = x tan(q1) + L2 sin(q1 + q2)", [False, True]),
        (ARM, "x_e = L1 sin(q1) + L2 sin(q1 + q2); J11 = -x_e", [False, True]),
        (ARM, "y_e = L1 sin(q1) + L2 sin(q1 + q2); J11 = -y_e", [True, True]),
    ],
)
def test_quantities_that_are_used_are_judged(system, claim, right):
    """Each statement by itself, with a word on those that may be abbreviations."""
    verdict = system.check(claim)
    assert [x.is_identical for x in verdict.parts] == right
    assert bool(verdict) == all(right)
    assert "is judged as" in verdict.parts[0].notes[-1]


@pytest.mark.spread(3)
@pytest.mark.parametrize(
    ("system", "claim", "right"),
    [
        (
            CART,
            f"{BOB}; T = m (a'^2 + b'^2)/2; V = m g b; L = T - V; {POLE}",
            [False, True, False, True],
        ),
        (
            CART,
            f"{BOB}; T = M x'^2/2 + m (a'^2 + b'^2)/2; V = m g b; L = T - V; {POLE}",
            [True] * 4,
        ),
        (DOUBLE, f"{TWO}; T = m1 (a'^2 + b'^2) + m2 v2/2; p2 = dT/dtheta2'", [False, True]),
        (ARM, "V = m2 a_g y_c2; G2 = dV/dq2", [False, True]),
        (PENDULUM, "E = T - V; dE/dtheta' = m l^2 theta'", [False, True]),
    ],
)
def test_energies_of_a_derivation_are_judged_however_they_are_written(system, claim, right):
    """T from positions, V from centres, E from the mechanism's own; the last statement is right."""
    verdict = system.check(claim)
    assert [x.is_identical for x in verdict.parts] == right
    assert bool(verdict) == all(right)


@pytest.mark.parametrize(
    ("system", "claim"),
    [
        (KEPLER, "L = m r^2 theta'; E = m r'^2/2 + L^2/(2 m r^2) - k/r"),
        (KEPLER, "V = 2; E = m (r'^2 + r^2 theta'^2)/V - k/r"),
        (PENDULUM, "T = 2 pi sqrt(l/g); V = -4 pi^2 m l^2 cos(theta)/T^2"),
    ],
)
def test_letters_with_another_meaning_are_used_with_a_note(system, claim):
    """A moment of momentum, a number, a period."""
    verdict = system.check(claim)
    assert verdict.is_identical
    assert not verdict.parts
    assert any("not judged as" in x for x in verdict.notes)


def test_a_name_may_stand_for_the_whole_right_side():
    """Used by one other statement, as by two."""
    assert ARM.check("a = I2 + m2 r2^2; M22 = a").is_identical
    assert ARM.check("h = m2 L1 r2 sin(q2); Gamma211 = h").is_identical
    assert ARM.check("a = I2; M22 = a").status == "differs"
    with pytest.raises(ArgumentError, match="nothing is claimed"):
        ARM.check("a = I2; foo = a")


@pytest.mark.parametrize("claim", ["M22 = M22", "M22 = M22 + M11 - M11", "M22 = 2 M22 - M22"])
def test_an_entry_in_terms_of_itself_is_refused(claim):
    """It is true whatever M22 is."""
    with pytest.raises(ArgumentError, match="says nothing"):
        ARM.check(claim)


@pytest.mark.parametrize(
    "claim",
    [
        "det J = det J",
        "det J - det J = 0",
        "1*det J = det J",
        "2 det J = det J + det J",
        "det J + 1 = 1 + det J",
        "det J*2 = 2*det J",
        "x_e + 0 = x_e",
        "2 J q' = J q' + J q'",
        "J^{-1} = J^{-1}",
        "q1'' = d/dt(q1')",
        "q1'' = d/dt(q1') + 0",
        "2 q1'' = 2 d/dt(q1')",
        "q1'' = 2 d/dt(q1') - q1''",
        "d^2/dt^2(q1) = q1''",
        "q1' = d/dt(q1)",
        "x_c2 = x_c2",
        "x_c2 = 2 x_c2 - x_c2",
        "2 x_c2 = 2 x_c2",
        "x_c2' = d/dt(x_c2)",
        "C = C",
    ],
)
def test_other_quantities_in_terms_of_themselves_are_refused(claim):
    with pytest.raises(ArgumentError, match="says nothing"):
        ARM.check(claim)


def test_an_equation_with_what_it_is_about_on_both_sides_is_a_relation():
    claims = "det J = -det J + {} L1 L2 sin(q2)", "M22 = {} (I2 + m2 r2^2) - M22"
    for claim in claims:
        verdict = ARM.check(claim.format(2))
        assert verdict.is_identical
        assert verdict.relates
        assert ARM.check(claim.format(3)).status == "differs"


@pytest.mark.parametrize(
    "claim",
    [
        "det J = J11 J22 - J12 J21",
        "J11 J22 - J12 J21 = det J",
        "sin(q2) det J = L1 L2 sin(q2)^2",
        "(L1 - L2) det J = (L1 - L2) L1 L2 sin(q2)",
        "q1 x_e = q1 (L1 cos(q1) + L2 cos(q1 + q2))",
        "J J^{-1} = [[1, 0], [0, 1]]",
    ],
)
def test_a_determinant_by_entries_is_a_relation(claim):
    """On either side, as M22 times what may be zero is one."""
    verdict = ARM.check(claim)
    assert verdict.is_identical
    assert verdict.relates


def test_formulas_for_what_the_tip_does_are_none():
    formulas = ("det J = L1 L2 sin(q2)", "L1 L2 sin(q2) = det J", "2 det J = 2 L1 L2 sin(q2)")
    rates = ("x_e' = -L1 sin(q1) q1' - L2 sin(q1 + q2) (q1' + q2')", "phi_e' = q1' + q2'")
    assert not any(ARM.check(x).relates for x in (*formulas, *rates))


@pytest.mark.parametrize(
    "claim",
    [
        "v = x'; v dv/dx = -(k/m) x",
        "d/dx(x'^2/2) = -(k/m) x",
        "d/dx(x'^2/2) = 0",
        "W = x'; W dW/dx = 0",
        "W = x'; W dW/dx = -(k/m) x",
        "P = x'; W = P^2/2; dW/dx = 0",
        "diff_1 = x'; diff_1 ddiff_1/dx = 0",
        r"\frac{d}{dx}(x'^2/2) = 0",
        "d/dx(m x'^2/2 - V) = -k x",
    ],
)
def test_a_derivative_along_motions_or_with_velocities_fixed_is_not_guessed(claim):
    spring = vv.Lagrangian("x", "m x'^2/2", "k x^2/2", parameters="m k")
    plane = vv.Lagrangian("x y", "m (x'^2 + y'^2)/2", "k (x^2 + y^2)/2", parameters="m k")
    for system in (spring, plane):
        with pytest.raises(ArgumentError, match=r"along motions.*fixed"):
            system.check(claim)


@pytest.mark.parametrize(
    "claim",
    [
        "∂/∂x(x'^2/2) = 0",
        "W = x'; ∂W/∂x = 0",
        r"\frac{\partial}{\partial x}(x'^2/2) = 0",
        "d/dt(dL/dx') - dL/dx = 0",
        "L = m (x'^2 + y'^2)/2 - k (x^2 + y^2)/2; dL/dx = -k x",
        "T = m (x'^2 + y'^2)/2; dT/dx = 0",
        "Lag = m (x'^2 + y'^2)/2 - k (x^2 + y^2)/2; d/dt(dLag/dx') - dLag/dx = 0",
        "d/dx(x^2 y') = 2 x y'",
    ],
)
def test_derivatives_that_are_clear(claim):
    """By ∂, of energies by their letters, in equations that derive by velocities too."""
    plane = vv.Lagrangian("x y", "m (x'^2 + y'^2)/2", "k (x^2 + y^2)/2", parameters="m k")
    assert plane.check(claim).status == "identical"
    spring = vv.Lagrangian("x", "m x'^2/2", "k x^2/2", parameters="m k")
    verdict = spring.check("d/dt(x'^2/2)/x' = -(k/m) x")
    assert verdict.conditions == (sympy.Eq(sympy.Symbol("tau1"), 0),)


def test_parameters_that_vanish_are_conditions():
    """m2 = 0; M22 = I2 is no answer to what M22 is."""
    verdict = ARM.check("m2 = 0; M22 = I2")
    assert verdict.status == "identical if"
    assert verdict.where == "m₂ = 0"
    assert not verdict
    assert "forces" not in verdict.explanation
    assert verdict.as_dict()["conditions"] == ["m2 = 0"]
    half = ARM.check("r2 = L2/2; M22 = I2 + m2 L2^2/4")
    assert half.is_identical
    assert half.taken == ("r₂ = 1/2 L₂",)


def test_a_verdict_is_true_where_it_is_identical():
    """So that `assert arm.check(...)` asserts something."""
    assert ARM.check("M22 = I2 + m2 r2^2")
    assert not ARM.check("M22 = I2")
    assert not ARM.check("M22 = I2 + m2 r2^2; M12 = I2")
