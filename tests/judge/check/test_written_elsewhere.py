"""Formulas from spreadsheets, old TeX and web pages: read where they are clear, else the way."""

import pytest

import visviva as vv
from visviva.errors import VisvivaError

ARM = vv.catalog.two_link()
PENDULUM = vv.Lagrangian(
    "theta", "m l^2 theta'^2/2", "-m g l cos(theta)", parameters="m g l", name="pendulum"
)


def refused(claim, system=ARM, **options):
    with pytest.raises(VisvivaError) as caught:
        system.check(claim, **options)
    return str(caught.value)


@pytest.mark.parametrize(
    "cosine", ["COS(q2)", "Cos(q2)", "SIN(q2 + PI()/2)", "SIN(2 q2)/(2*SIN(q2))"]
)
def test_functions_of_spreadsheets(cosine):
    assert ARM.check(f"M12 = I2 + m2 (r2^2 + L1 r2 {cosine})").status.startswith("identical")
    assert ARM.check(f"M12 = I2 + m2 (r2^2 - L1 r2 {cosine})").status == "differs"


def test_functions_that_mean_something_else_in_spreadsheets_are_refused():
    assert "write log(...), or log(...)/log(10)" in refused("V = LOG(m2)")
    assert "write atan2(y, x)" in refused("q1 = ATAN2(x, y)")
    assert "write a^b" in refused("M22 = I2 + m2 POWER(r2, 2)")


def test_names_of_the_system_come_before_functions():
    named = vv.Lagrangian("x", "COS x'^2/2", parameters="COS PI")
    assert named.check("M = COS").is_identical
    assert named.check("tau = COS(x'')").is_identical


def test_an_exponent_with_many_digits_is_told_what_exponents_are():
    assert "a whole number or a short fraction" in refused("M22 = I2 + m2 r2^2.0000001")
    assert "at most 1000" in refused("M22 = I2 + m2 r2^2000")


@pytest.mark.parametrize(
    "claim",
    [
        r"\ddot\theta = -{g \over l} \sin\theta",
        r"\ddot\theta = -{{m g} \over {m l}} \sin\theta",
        r"{l \ddot\theta \over 1 + 1} = -{1 \over 2} g \sin\theta",
        "θ(t)'' = -(g/l) sin(θ(t))",
        r"\theta(t)'' = -\frac{g}{l} \sin\theta(t)",
        "theta'' =\u200b -(g/l)\ufeff sin(the\u200bta)\u00ad",
        {"theta''": "-(g/l)\u200b sin(theta)"},
    ],
)
def test_fractions_of_tex_primes_after_time_and_characters_that_nobody_sees(claim):
    assert PENDULUM.check(claim).is_identical


def test_a_fraction_of_tex_divides_all_that_is_in_its_braces():
    assert PENDULUM.check(r"V = {-m g l \over 2} \cos\theta").status == "differs"
    assert PENDULUM.check(r"V = {-2 m g l \cos\theta \over 2}").is_identical
    assert r"write \frac{...}{...}" in refused(r"V = -m g l \over 2", PENDULUM)


@pytest.mark.parametrize("star", [r"\begin{bmatrix} I_1 & m_1 \\ \ast & I_2 \end{bmatrix}"])
def test_a_star_for_an_entry_names_the_way(star):
    assert "write all entries of a matrix" in refused(f"M = {star}")
    assert "write all entries of a matrix" in refused("M = [[I1, m1], [*, I2]]")


@pytest.mark.parametrize(
    "claim",
    [
        "d/dt(dT/d(q2')) - dT/d(q2) + dV/d(q2) = tau2",
        "d/dt(∂T/∂(q2')) - ∂T/∂(q2) + ∂V/∂(q2) = tau2",
        r"\frac{d}{dt}\frac{\partial T}{\partial (\dot q_2)} - \frac{\partial T}{\partial q_2}"
        r" + \frac{\partial V}{\partial (q_2)} = \tau_2",
    ],
)
def test_what_is_derived_by_may_stand_in_brackets(claim):
    assert ARM.check(claim).is_identical


def test_remarks_behind_a_formula_are_told_to_be_left_out():
    assert "write it as a comment, # I think." in refused("M22 = I2 + m2 r2^2, I think.")
    for claim in (
        "M22 = I2 + m2 r2^2 (final answer)",
        "M22 = I2 + m2 r2^2 final answer",
        "M22 = I2 + m2 r2^2 as expected",
    ):
        words = claim.partition("r2^2 ")[2].strip("()")
        assert f"if {words} is a remark, leave it out, or write # {words}" in refused(claim)
    assert "remark" not in refused("M22 = I2 + foo ab r2^2")
