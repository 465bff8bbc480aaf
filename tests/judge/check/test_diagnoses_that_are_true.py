"""Diagnoses say what is true of the system, the likeliest first; terms have the kinds it has."""

import pytest

import visviva as vv

ARM = vv.catalog.two_link()
CHARGE = vv.Lagrangian(
    "x y", "m (x'^2 + y'^2)/2 + q B (x y' - y x')/2", parameters="m q B", name="charge"
)
PAIR = vv.Lagrangian(
    "x1 x2",
    "m (x1'^2 + x2'^2)/2",
    "k x1^2/2 + k x2^2/2 + c (x1 - x2)^2/2",
    parameters="m k c",
)
KEPLER = vv.Lagrangian("r phi", "m (r'^2 + r^2 phi'^2)/2", "-k/r", parameters="m k")
DAMPED = vv.Lagrangian(
    "x y", "m (x'^2 + x^2 y'^2)/2", "k x^2/2", dissipation="c x'^2/2", parameters="m k c"
)


def said(verdict):
    return [d.sentence for d in verdict.diagnosis]


def test_a_mass_matrix_that_is_constant_has_no_rate_to_be_left_out():
    sentences = said(CHARGE.check("p_x = const"))
    assert sentences[0].startswith("∂T/∂x was left out")
    assert not any("rate of the mass matrix" in x for x in sentences)
    assert any(x.startswith("d/dt ∂T/∂q̇ was taken as M q̈") for x in sentences)
    turning = said(ARM.check("tau2 = M21 q1'' + M22 q2'' + m2 L1 r2 sin(q2) q1' (q1' + q2') + g2"))
    assert any("The rate of the mass matrix was left out" in x for x in turning)


def test_friction_that_stands_there_is_a_term_with_a_velocity():
    kept = said(DAMPED.check("tau1 = m x'' + k x + c x'"))
    assert "The velocity terms C v were left out." in kept
    assert not any("All terms with velocities" in x for x in kept)
    (gone,) = said(DAMPED.check("tau1 = m x'' + k x"))
    assert gone.startswith("All terms with velocities were left out")


@pytest.mark.parametrize(
    "claim",
    [
        "m (x1' - x2')^2/2 + (k + c) (x1 - x2)^2/2 = const",
        "m (x1'' - x2'') = -(k + c) (x1 - x2)",
        "(x1 + 3) (m (x1'' - x2'') + (k + c) (x1 - x2)) = 0",
    ],
)
def test_a_wrong_constant_is_compared_with_the_sum_of_equations_that_its_rate_is(claim):
    verdict = PAIR.check(claim)
    assert said(verdict) == ["The term 2 c (x₁ - x₂) has 1/2 times its true size."]
    assert str(verdict.missing) in ("c*(x1 - x2)", "c*x1 - c*x2")
    assert verdict.extra == 0
    right = PAIR.check("m (x1' - x2')^2/2 + (k + 2 c) (x1 - x2)^2/2 = const")
    assert right.status != "differs"


def test_nothing_is_dissipative_where_velocities_stand_below_a_line():
    verdict = KEPLER.check("(r^3 phi'^2 - k/m) cos(phi) - r^2 r' phi' sin(phi) = const")
    assert verdict.status == "differs"
    assert {x.kind for x in verdict.terms} <= {"", "inertial"}


def test_a_wrong_sign_of_gravity_of_an_arm_is_told_first():
    tau2 = (
        "tau2 = (I2 + m2 r2^2) q2'' + (I2 + m2 (r2^2 + L1 r2 cos(q2))) q1''"
        " + m2 L1 r2 sin(q2) q1'^2 - m2 a_g r2 cos(q1 + q2)"
    )
    assert said(ARM.check(tau2))[0].startswith("Gravity has the wrong sign")


def test_a_symmetric_matrix_is_not_called_skew():
    assert said(ARM.check("M is skew-symmetric")) == ["M is symmetric, not skew-symmetric."]
    skew = said(ARM.check("M' - 2C is symmetric"))
    assert skew == ["(M' - 2C) is skew-symmetric, not symmetric."]
    assert not said(ARM.check("C is symmetric"))
