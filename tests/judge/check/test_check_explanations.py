"""What is said of a wrong claim is true: signs, kinds, numbers, known mistakes."""

from dataclasses import replace

import pytest
import sympy

import visviva as vv
from visviva.describe.model.body import Spring

PENDULUM = vv.Lagrangian(
    "theta", "m*l^2*theta'^2/2", "-m*g*l*cos(theta)", parameters={"m": 1, "l": 2, "g": 9.81}
)
SPRING = vv.Lagrangian("x", "m*x'^2/2", "g*x^2/2", parameters={"m": 1, "g": 2})
ARM = vv.catalog.two_link()


def test_numbers_are_called_rounded_only_where_there_are_decimals():
    near = "m l^2 theta'' + m g l sin(theta) + m l theta'/100000 = tau"
    assert PENDULUM.check(near).diagnosis == ()
    one = vv.Lagrangian("x", "m*x'^2/2", "9.81*m*x", parameters={"m": 1})
    (said,) = one.check("V = 9.8100001 m x").diagnosis
    assert said.kind == "rounding"
    assert said.sentence == "The numbers agree to 7 digits: those of the claim are rounded."
    for claim in ("V = 9.81 m x + 0.0001 m", "V = 9.81 m x + m/100000", "V = 9.81 m x + 0.0001 x"):
        assert all(d.kind != "rounding" for d in one.check(claim).diagnosis)


def test_terms_that_are_very_small_are_no_rounding():
    (said,) = PENDULUM.check("V = -m g l cos(theta) + 1e-12 theta").diagnosis
    assert said.kind == "small terms"
    assert "by nine digits it is right. Leave these out" in said.sentence


def test_a_force_on_the_wrong_side_is_no_other_direction():
    for system, claim in (
        (PENDULUM, "m l^2 theta'' + m g l sin(theta) + tau = 0"),
        (SPRING, "m x'' + g x = -tau"),
    ):
        (said,) = system.check(claim).diagnosis
        assert "the generalized force stands on the wrong side" in said.sentence


def test_a_pole_measured_from_upright_is_told_before_a_wrong_sign():
    cart = vv.catalog.cart_pole()
    for claim in (
        "l theta'' + x'' cos(theta) = g sin(theta)",
        "tau2 = m l^2 theta'' + m l x'' cos(theta) - m g l sin(theta)",
    ):
        first, second, *_ = cart.check(claim).diagnosis
        assert first.kind == "zero"
        assert first.sentence.endswith("it stands for π - θ of cart_pole.")
        assert "wrong sign" in second.sentence
    beside = cart.check("l theta'' - x'' cos(theta) = g sin(theta)")
    assert beside.diagnosis[0].sentence == "θ is measured from another place, off by π."
    alone = PENDULUM.check("m l^2 theta'' - m g l sin(theta) = tau")
    assert "Gravity has the wrong sign" in alone.diagnosis[0].sentence


def test_an_angle_from_the_vertical_counted_the_other_way():
    rod = vv.Lagrangian("q", "m*l^2*q'^2/2", "m*g*l*sin(q)", parameters="m g l")
    kinds = {d.kind: d.sentence for d in rod.check("m l^2 q'' - m g l sin(q) = tau").diagnosis}
    assert "off by π/2" in kinds["zero"] or "π/2 - q" in kinds["zero"]
    pair = vv.Lagrangian(
        "x q",
        "M*x'^2/2 + m*(x'^2 - 2*l*x'*q'*sin(q) + l^2*q'^2)/2",
        "m*g*l*sin(q)",
        parameters="M m g l",
    )
    (said,) = pair.check("l q'' + x'' cos(q) - g sin(q) = 0").diagnosis
    assert said.sentence.endswith("it stands for π/2 - q of lagrangian.")


def test_pi_is_the_number():
    verdict = PENDULUM.check("V = -m g l cos(theta) + pi m g")
    assert verdict.extra == sympy.pi * sympy.Symbol("m") * sympy.Symbol("g")
    verdict = PENDULUM.check("m l^2 theta'' + pi m g l sin(theta) = tau")
    assert verdict.extra.has(sympy.pi)
    names = {s.name for x in (verdict.missing, verdict.extra) for s in x.free_symbols}
    assert names == {"m", "g", "l", "theta"}


def test_a_spring_is_no_gravity_whatever_its_letter():
    verdict = SPRING.check("m x'' = tau")
    assert [t.kind for t in verdict.terms] == ["of position"]
    assert not any("ravity" in d.sentence for d in verdict.diagnosis)
    assert not any("ravit" in d.sentence for d in SPRING.check("m x'' - g x = tau").diagnosis)
    assert not any("direction of g" in d.sentence for d in SPRING.check("V = -g x^2/2").diagnosis)
    verdict = PENDULUM.check("m l^2 theta'' = tau")
    assert [t.kind for t in verdict.terms] == ["gravitational"]
    verdict = PENDULUM.check("g = 9.81; m l^2 theta'' = tau")
    assert [t.kind for t in verdict.terms] == ["gravitational"]


def test_springs_and_weights_of_one_equation_are_told_apart():
    both = vv.Lagrangian(
        "x", "m*x'^2/2", "g*x^2/2 + m*a_g*x", parameters={"m": 1, "g": 2, "a_g": 9.81}
    )
    verdict = both.check("m x'' = tau")
    kinds = {t.kind: str(t.formula) for t in verdict.terms}
    assert kinds == {"of position": "g*x", "gravitational": "a_g*m"}


@pytest.mark.parametrize("gravity", [[0.0, 0.0, -9.81], [0.0, 0.0, 0.0]])
def test_springs_of_a_model_whose_gravity_is_a_number(gravity):
    b = vv.Builder("lift", gravity=gravity)
    b.body(
        "mass",
        joint="prismatic",
        axis="z",
        joint_name="x",
        inertia=vv.Inertia.point(2.0, [0.0, 0.0, 0.0]),
    )
    model = replace(b.build(), springs=(Spring("spring", 3.0, 0.0, joint="x"),))
    verdict = model.check("tau1 = 2 x''")
    kinds = {t.kind: sympy.nsimplify(t.formula) for t in verdict.terms}
    spring = {"of position": 3 * sympy.Symbol("x")}
    weight = {"gravitational": sympy.Rational(1962, 100)} if any(gravity) else {}
    assert kinds == spring | weight


def test_diagnoses_do_not_contradict_each_other():
    arm = vv.catalog.rp_arm()
    for factor, why in ((1, "here it has it once"), (4, "not four times")):
        claim = f"(m1 r1^2 + I1 + m2 q2^2 + I2) q1'' + {factor} m2 q2 q1' q2'"
        verdict = arm.check(f"tau1 = {claim} + (m1 r1 + m2 q2) a_g cos(q1)")
        said = [d.sentence for d in verdict.diagnosis]
        assert all(("once" in x) == ("once" in why) for x in said if "pair" in x)
        assert why in said[0]


def test_of_each_kind_of_mistake_one_is_named():
    """q2 is not both π/2 and -π/2 away from its place."""
    body = vv.catalog.euler_body()
    T = str(body.closed_form().kinetic_energy.subs("q2", sympy.Symbol("q2") + sympy.pi / 2))
    for system, claim in (
        (body, f"T = {T}"),
        (ARM, "M22 = I1 + m2 r2^2"),
        (PENDULUM, "m l^2 theta'' - m g l sin(theta) = tau"),
    ):
        verdict = system.check(claim)
        kinds = [d.kind for d in verdict.diagnosis]
        assert kinds
        assert len(kinds) == len(set(kinds))
        assert str(verdict).count("diagnosis: ") == 1  # the others stand after "or"
        assert str(verdict).count("  or: ") == len(kinds) - 1


VALUED = vv.Lagrangian(
    "theta",
    "m*l^2*theta'^2/2",
    "-m*g*l*cos(theta)",
    parameters={"m": 2.0, "l": 0.5, "g": 9.81},
    name="swing",
)


@pytest.mark.parametrize(
    ("claim", "values"),
    [
        ("theta'' = -19.62 sin(theta)", "l = 0.5; g = 9.81"),
        ("m l^2 theta'' + 9.81 m l sin(theta) = tau", "g = 9.81"),
        ("V = -9.81 cos(theta)", "m = 2; l = 0.5; g = 9.81"),
        ("theta'' = -2 g sin(theta) + 9.81 - 9.81", "l = 0.5"),
        ("M = 1/2", "m = 2; l = 0.5"),
    ],
)
def test_numbers_that_are_the_systems_own_values_are_named(claim, values):
    verdict = VALUED.check(claim)
    assert verdict.status == "differs"  # it is no formula in m, l and g
    (diagnosis,) = verdict.diagnosis
    assert diagnosis.kind == "values"
    assert "It holds at the values of 'swing'" in diagnosis.sentence
    assert diagnosis.sentence.endswith(f"write {values}; {claim}")
    assert VALUED.check(f"{values}; {claim}").is_identical


@pytest.mark.parametrize(
    ("claim", "term"),
    [
        (
            "G1 = 2 m1 a_g r1 cos(q1) + m2 a_g (L1 cos(q1) + r2 cos(q1 + q2))",
            "m₁ a_g r₁ cos(q₁) has 2",
        ),
        (
            "G1 = m1 a_g r1 cos(q1) + m2 a_g (L1 cos(q1) + r2 cos(q1 + q2)/2)",
            "m₂ a_g r₂ cos(q₁ + q₂) has 1/2",
        ),
        ("M11 = I1 + 2 I2 + m1 r1^2 + m2 (L1^2 + r2^2 + 2 L1 r2 cos(q2))", "I₂ has 2"),
    ],
)
def test_a_term_among_others_is_named(claim, term):
    (diagnosis,) = vv.catalog.two_link().check(claim).diagnosis
    assert diagnosis.sentence == f"The term {term} times its true size."


def test_what_a_claim_states_stays_in_what_it_is_told_to_write():
    (diagnosis,) = VALUED.check("tau = 0; l = 2; theta'' = -4.905 sin(theta)").diagnosis
    way = "l = 2; tau1 = 0; g = 9.81; theta'' = -4.905 sin(theta)"
    assert diagnosis.sentence.endswith(f"write {way}")
    assert VALUED.check(way).where == "l = 2"  # which it is not
    assert VALUED.with_parameters(l=2).check(way).is_identical


@pytest.mark.parametrize("claim", ["theta'' = -19.6 sin(theta)", "M = 1", "V = -9.8 cos(theta)"])
def test_other_numbers_than_the_systems_values_are_not_said_to_hold(claim):
    verdict = VALUED.check(claim)
    assert verdict.status == "differs"
    assert "values" not in {d.kind for d in verdict.diagnosis}


def test_values_hold_under_no_other_condition_than_was_said():
    """A force that a claim forgets is no matter of numbers."""
    cart = vv.catalog.cart_pole().with_parameters(M=2.0, m=1.0, l=1.0, g=9.81)
    one, two = cart.with_passive([]).closed_form().equations
    numbers = {"M": 2, "m": 1, "l": 1, "g": sympy.Rational("9.81")}
    assert cart.check({"tau1": one.subs(numbers)}).diagnosis[0].kind == "values"
    driven = cart.with_passive([]).check({"tau1": (one - two).subs(numbers)})
    assert "values" not in {d.kind for d in driven.diagnosis}


def test_terms_of_time_are_called_so_and_are_no_slopes_of_v():
    shaken = vv.Lagrangian("x", "m*(x' + cos(t))^2/2", parameters="m")
    verdict = shaken.check("m x'' + m sin(t) = tau")
    assert {t.kind for t in verdict.terms} == {"of time"}
    assert "∂V/∂q" not in {d.kind for d in verdict.diagnosis}
    assert "The term of time has the wrong sign." in map(str, verdict.diagnosis)
    driven = vv.Lagrangian("x", "m*x'^2/2", "k*x^2/2 - A*x*cos(omega*t)", parameters="m k A omega")
    left_out = driven.check("m x'' + k x = tau")
    assert [t.kind for t in left_out.terms] == ["of time"]
    slopes = driven.check("m x'' - k x + A cos(omega t) = tau")
    assert slopes.diagnosis[0].sentence.startswith("∂V/∂q has the wrong sign")


@pytest.mark.spread(1)
@pytest.mark.parametrize("of", ["", "tau1"])
def test_absolute_angles_are_named_where_no_force_is_written(of):
    """As homework writes the double pendulum: divided by a length, and = 0."""
    pendulum = vv.catalog.pendulum()
    first = (
        "(m1+m2) l1 theta1'' + m2 l2 theta2'' cos(theta1-theta2)"
        " + m2 l2 theta2'^2 sin(theta1-theta2) + (m1+m2) g sin(theta1) = 0"
    )
    second = (
        "l2 theta2'' + l1 theta1'' cos(theta1-theta2)"
        " - l1 theta1'^2 sin(theta1-theta2) + g sin(theta2) = 0"
    )
    for claim in (first, second):
        verdict = pendulum.check(claim, of=of)
        assert verdict.status == "differs"
        assert verdict.diagnosis[0].kind == "absolute angles"
    wrong = first.replace("(m1+m2) g", "m1 g")
    assert all(d.kind != "absolute angles" for d in pendulum.check(wrong, of=of).diagnosis)


def test_an_equation_without_forces_is_compared_at_the_scale_at_which_it_differs_least():
    pulley = vv.Lagrangian(
        "x",
        "(m1+m2+I/R^2)*x'^2/2",
        "-(m1-m2)*g*x",
        parameters={"m1": 2, "m2": 1, "I": 0.1, "R": 0.2, "g": 9.81},
    )
    verdict = pulley.check("(m1+m2) x'' = g (m1-m2)")
    assert [(t.which, t.kind, str(t.formula)) for t in verdict.terms] == [
        ("missing", "inertial", "I*xdd/R**2")
    ]
    assert [d.sentence for d in verdict.diagnosis] == ["It is the truth for I = 0."]
    assert not any("multiplied" in note for note in verdict.notes)


CHAIN = vv.Lagrangian(
    "x1 x2",
    "m*(x1'^2+x2'^2)/2",
    "k*x1^2/2+k*(x2-x1)^2/2+k*x2^2/2",
    parameters={"m": 1, "k": 2},
)


def test_a_wrong_sum_of_equations_is_shown_beside_that_sum():
    verdict = CHAIN.check("u = x1 - x2; m u'' + k u = 0")
    k, x1, x2 = sympy.symbols("k x1 x2")
    assert sympy.expand(verdict.missing - 2 * k * (x1 - x2)) == 0
    assert verdict.extra == 0
    assert "from (equation 1) - (equation 2)" in verdict.notes
    assert CHAIN.check("u = x1 - x2; m u'' + 3 k u = 0; tau1 = 0; tau2 = 0").is_identical


@pytest.mark.parametrize(
    ("claim", "said"),
    [
        ("tau = m l^2 theta'' + m g sin(theta) l/l", "In one term a factor l is missing."),
        ("tau = m l^2 theta'' + m g l^2 sin(theta)", "In one term a factor l is too much."),
        (
            "tau = m l^2 theta'' + m g l cos(theta) tan(theta)/l",
            "In one term a factor l is missing.",
        ),
        ("tau = m l^2 theta'' + m g l", "In one term a factor sin(θ) is missing."),
    ],
)
def test_a_factor_of_one_term_is_named(claim, said):
    assert said in [d.sentence for d in PENDULUM.check(claim).diagnosis]


def said(verdict):
    return [d.sentence for d in verdict.diagnosis]


def test_another_direction_of_a_coordinate_explains_a_whole_text():
    first = "m x1'' + 2 k x1 + k x2 = 0"
    assert said(CHAIN.check(first)) == ["x₁ is counted in the opposite direction."]
    wrong, right = CHAIN.check(f"{first}, m x2'' + 2 k x2 - k x1 = 0").parts
    assert right.status != "differs"
    assert said(wrong) == ["k x₂ has the wrong sign."]
    both = CHAIN.check(f"{first}, m x2'' + 2 k x2 + k x1 = 0").parts
    assert all("opposite direction" in said(x)[0] for x in both)


def test_a_change_of_one_coordinate_without_a_proviso_is_told_first():
    verdict = ARM.check("g1 = g(m1 r1 cos q1 + m2(L1 cos q1 + r2 cos(q1-q2)))")
    assert said(verdict)[0] == "q₂ is counted in the opposite direction."


def test_where_the_systems_own_terms_stand_coordinates_are_its_own():
    verdict = ARM.check("M q'' + C q' - g = tau")
    assert said(verdict)[0].startswith("Gravity has the wrong sign")
    assert not {d.kind for d in verdict.diagnosis} & {"axis", "zero", "absolute angles"}


def test_rows_columns_and_entries_that_are_exchanged():
    x = "-L1 sin(q1) - L2 sin(q1+q2), -L2 sin(q1+q2)"
    y = "L1 cos(q1) + L2 cos(q1+q2), L2 cos(q1+q2)"
    assert said(ARM.check(f"J = [[{y}], [{x}]]")) == ["Rows 1 and 2 are exchanged."]
    swapped = ", ".join("[" + ", ".join(reversed(row.split(", "))) + "]" for row in (x, y))
    assert said(ARM.check(f"J = [{swapped}]")) == ["Columns 1 and 2 are exchanged."]
    place = "L1 sin(q1) + L2 sin(q1+q2), L1 cos(q1) + L2 cos(q1+q2)"
    assert "Entries 1 and 2 are exchanged." in said(ARM.check(f"p = [{place}, 0]"))


def test_a_relative_rate_in_the_energy_of_a_body():
    T = "I1 q1'^2/2 + m1 r1^2 q1'^2/2 + m2 (L1^2 q1'^2 + r2^2 (q1'+q2')^2"
    T += " + 2 L1 r2 cos(q2) q1' (q1'+q2'))/2"
    assert ARM.check(f"T = {T} + I2 (q1'+q2')^2/2").is_identical
    verdict = ARM.check(f"T = {T} + I2 q2'^2/2")
    assert [d.kind for d in verdict.diagnosis] == ["relative rate"]
    assert "In ½ I ω² of link2 ω is the rate of the joint alone" in said(verdict)[0]


@pytest.mark.spread(0)
def test_a_rate_that_constraints_give_with_the_wrong_sign():
    linkage = vv.catalog.four_bar()
    right = "theta3' = -(l1 sin(theta2))/(l3 sin(theta3 - theta1 - theta2)) theta1'"
    assert linkage.check(right).is_identical
    verdict = linkage.check(right.replace("-", "", 1))
    assert said(verdict) == ["The right side has the wrong sign."]
    assert sympy.simplify(verdict.missing + verdict.extra) == 0
