"""Claims about systems that are held: proved on the constraints, or refuted at a point of them."""

from fractions import Fraction

import numpy as np
import pytest
import sympy

import visviva as vv
from visviva.errors import ArgumentError
from visviva.judge.check.compare.balls import ball, whole_power

CIRCLE = vv.catalog.point_on_circle(constrained=True)
SPHERE = vv.catalog.point_on_sphere()
LINKAGE = vv.catalog.four_bar()
ARM = vv.catalog.two_link().with_constraint("q1 = 2*q2")
KNIFE = vv.catalog.knife_edge()
TWICE = vv.Lagrangian(
    "x y", "m*(x'^2 + y'^2)/2", constraints=["x - y", "2*x - 2*y"], parameters="m", name="twice"
)
NOWHERE = vv.Lagrangian("x y", "m*(x'^2 + y'^2)/2", constraints="x^2 + y^2 + 1", parameters="m")

TRUE = [
    (CIRCLE, "m x'' = tau1 + 2 x lambda1"),
    (CIRCLE, "lambda1 = -(m (x'^2 + y'^2) + x tau1 + y tau2)/(2 R^2)"),
    (CIRCLE, "x'' = (y^2 tau1 - x y tau2 - m x (x'^2 + y'^2))/(m R^2)"),
    (CIRCLE, "x^2 + y^2 = R^2"),
    (CIRCLE, "x x'' + y y'' + x'^2 + y'^2 = 0"),
    (CIRCLE, "P = [[y^2, -x y], [-x y, x^2]]/R^2"),
    (CIRCLE, "T = m R^2 x'^2/(2 y^2)"),
    (CIRCLE, "y m x'' - x m y'' = y tau1 - x tau2"),
    (SPHERE, "lambda = -(m (q1'^2 + q2'^2 + q3'^2) + q1 tau1 + q2 tau2 + q3 tau3)/R^2"),
    (SPHERE, "Qc1 = -q1 (m (q1'^2 + q2'^2 + q3'^2) + q1 tau1 + q2 tau2 + q3 tau3)/R^2"),
    (LINKAGE, "l1 cos(theta1) + l2 cos(theta1 + theta2) = l0 + l3 cos(theta3)"),
    (
        LINKAGE,
        "l2 (theta1' + theta2') sin(theta1 + theta2 - theta3) = l1 theta1' sin(theta3 - theta1)",
    ),
    (LINKAGE, "E' = tau1 theta1'"),
    (ARM, "q1 = 2 q2"),
    (ARM, "q1'' = 2 q2''"),
    (TWICE, "x'' = (tau1 + tau2)/(2 m)"),
]
FALSE = [
    (CIRCLE, "lambda1 = -(m (x'^2 + y'^2) + x tau1 + y tau2)/R^2", ""),
    (CIRCLE, "lambda1 = (m (x'^2 + y'^2) + x tau1 + y tau2)/(2 R^2)", "sign of multipliers"),
    (CIRCLE, "lambda1 = -(x tau1 + y tau2)/(2 R^2)", "rate of A"),
    (CIRCLE, "x x'' + y y'' = 0", "rate of A"),
    (CIRCLE, "m x'' = tau1 - x lambda1", ""),
    (CIRCLE, "P = [[x^2, x y], [x y, y^2]]/R^2", "complement"),
    (CIRCLE, "T = m R^2 x'^2/y^2", ""),
    (CIRCLE, "x' = y y'/x", ""),
    (SPHERE, "T = m R^2/2", ""),
    (LINKAGE, "l1 sin(theta1) + l2 sin(theta1 + theta2) = -l3 sin(theta3)", ""),
    (CIRCLE, "E' = tau1 x' - tau2 y'", ""),
    (ARM, "q1'' = 3 q2''", ""),
    (KNIFE, "q1'' = tau1/m", "no multipliers"),
]


@pytest.mark.spread(8)
@pytest.mark.parametrize(("system", "claim"), TRUE)
def test_what_holds_on_the_constraints_is_proved(system, claim):
    verdict = system.check(claim)
    assert verdict.status == "identical", verdict
    assert verdict.proof in str(verdict)


@pytest.mark.spread(3)
@pytest.mark.parametrize(("system", "claim", "mistake"), FALSE)
def test_what_differs_is_shown_at_a_point_of_the_constraints(system, claim, mistake):
    verdict = system.check(claim)
    assert verdict.status == "differs"
    assert verdict.witness.claim != verdict.witness.truth
    assert not mistake or verdict.diagnosis[0].kind == mistake


ROPE = vv.Lagrangian(
    "x y", "(m*x'^2 + M*y'^2)/2", constraints="x + 2*y = l", parameters="m M l", name="rope"
)
BEADS = vv.Lagrangian(
    "x y z w",
    "m*(x'^2 + y'^2 + z'^2 + w'^2)/2",
    "m*g*z",
    constraints=["x = y", "y = 2*z", "w = x"],
    parameters="m g",
    passive=["x", "y", "z", "w"],
    name="beads",
)
SLED = vv.Lagrangian(
    "x y z th",
    "m*(x'^2 + y'^2 + z'^2)/2 + J*th'^2/2",
    constraints=["x' sin(th) - y' cos(th)", "z = x"],
    parameters="m J",
    passive=["x", "y", "z", "th"],
    name="sled",
)
SCALED = "2 x - 2 y = 0; 2 z - y = 0; w = x; m y'' = -2 lambda1 - lambda2; m w'' = lambda3"
SUMS = "x = 2 z; y = 2 z; w = 2 z; m x'' = lambda1; m y'' = lambda2; m w'' = lambda3"
STRING = vv.Lagrangian(
    "x y z",
    "m*(x'^2 + y'^2 + z'^2)/2",
    "m*g*z",
    constraints=["x = y", "y = 2*z"],
    parameters="m g",
    passive=["x", "y", "z"],
    name="string",
)
PAIR = "x = 2 z; y = 2 z; m x'' = lambda1; m y'' = lambda2"
COUNTED = [
    (BEADS, f"{SCALED}; m x'' = 2 lambda1 - lambda3; m z'' = 2 lambda2 - m g", "is 1/2 λ₁ of"),
    (BEADS, f"{SCALED}; m x'' = 2 lambda1 + lambda3; m z'' = 2 lambda2 - m g", ""),
    (BEADS, f"{SUMS}; m z'' = -m g - 2 (lambda1 + lambda2 + lambda3)", "is λ₁ - λ₃ of beads"),
    (BEADS, f"{SUMS}; m z'' = -m g - 2 (lambda1 + lambda2 - lambda3)", ""),
    (
        BEADS,
        f"w = x; {SUMS}; m z'' = -m g - 2 (lambda1 + lambda2 + lambda3)",
        "is λ₁ - λ₃ of beads",
    ),
    (
        BEADS,
        f"{SUMS}; m z'' = -m g - 2 (lambda1 + lambda2 + lambda3); w = x",
        "is λ₁ - λ₃ of beads",
    ),
    (
        BEADS,
        f"x = y; {SUMS}; m z'' = -m g - 2 (lambda1 + lambda2 + lambda3)",
        "is λ₁ - λ₃ of beads",
    ),
    (
        STRING,
        f"x = y; {PAIR}; m z'' = -m g - 2 lambda1 - 2 lambda2",
        "λ₂ of the claim is -λ₁ + λ₂ of string",
    ),
    (STRING, f"x = y; {PAIR}; m z'' = -m g - 2 lambda1 + 2 lambda2", ""),
    (BEADS, f"{SUMS}; m z'' = -m g - 2 lambda1 - 2 lambda2 - 2 lambda3; lambda1 = m g", ""),
    (
        SLED,
        "2 y' cos(th) - 2 x' sin(th) = 0; x = z; m x'' = lambda2 - 2 lambda1 sin(th);"
        "m y'' = 2 lambda1 cos(th); m z'' = -lambda2",
        "λ₁ of the claim is -1/2 λ₁ of sled, λ₂ of the claim is -λ₂",
    ),
    (ROPE, "m x'' = tau1 - lambda1", "λ₁ of the claim is -λ₁ of rope"),
    (ROPE, "l - x - 2 y = 0; m x'' + lambda = tau1; M y'' + 2 lambda = tau2", "is -λ₁ of rope"),
    (ROPE, "x/2 + y = l/2; m x'' = tau1 - lambda/2", "λ₁ of the claim is -2 λ₁ of rope"),
    (
        ROPE,
        "(x + 2 y)/l = 1; m x'' = tau1 + lambda/l; M y'' = tau2 + 2 lambda/l",
        "is l λ₁ of rope",
    ),
    (KNIFE, "m q1'' = tau1 - lambda sin(q3); m q2'' = tau2 + lambda cos(q3)", "is -λ₁ of"),
    (ROPE, "m x'' = tau1 - lambda/2", ""),  # no constraint says that it has half the size
    (ROPE, "m x'' = tau1 - lambda; M y'' = tau2 + 2 lambda", ""),
    (ROPE, "x + 2 y = l; m x'' = tau1 - lambda; M y'' = tau2 + 2 lambda", ""),
    (ROPE, "m x'' = tau1 - lambda; lambda = (M tau1 + 2 m tau2)/(M + 4 m)", "is -λ₁ of rope"),
    (ROPE, "m x'' = tau1 - lambda; lambda = -(M tau1 + 2 m tau2)/(M + 4 m)", ""),
    (ROPE, "lambda = (M tau1 + 2 m tau2)/(M + 4 m)", ""),  # alone, it is the one of the system
]


@pytest.mark.parametrize(("system", "claim", "said"), COUNTED)
def test_multipliers_are_counted_in_one_way_in_all_equations(system, claim, said):
    """φ = 0 and -φ = 0 are one constraint; how λ was taken is told, and two signs differ."""
    verdict = system.check(claim)
    assert verdict.status == ("identical" if said else "differs"), verdict
    parts = [x for x in verdict.parts or [verdict] if "lambda" in x.claim]
    assert all(said in str(x) for x in parts)


def test_the_point_of_a_verdict_is_one_where_constraints_hold():
    """Against the compiled functions, which know nothing of exact fields."""
    point = CIRCLE.check("x + y' + lambda1 + y + x' = R + tau1 + tau2 + m").witness.point
    s = CIRCLE.with_parameters(m=float(point["m"]), R=float(point["R"]))
    q, v, tau = (
        np.array([float(point[x]) for x in names.split()])
        for names in ("x y", "xd yd", "tau1 tau2")
    )
    assert abs(s.constraint_error(q)).max() < 1e-12
    assert abs(s.constraint_velocity(q, v)).max() < 1e-12
    assert s.multipliers(q, v, tau)[0] == pytest.approx(float(point["lambda1"]), abs=1e-12)


def test_true_in_one_assembly_only_differs_and_names_it():
    verdict = CIRCLE.check("y = sqrt(R^2 - x^2)")
    assert verdict.status == "differs"
    assert any("one assembly only" in note for note in verdict.notes)


def test_forces_that_are_left_out_are_conditions():
    verdict = KNIFE.check("lambda1 = -m q1' q3'/cos(q3)")
    assert verdict.status == "identical if"
    assert "τ₁ = 0, τ₂ = 0" in verdict.explanation
    assumed = KNIFE.check("lambda1 = -m q1' q3'/cos(q3)", assume="tau1 = 0; tau2 = 0")
    assert assumed.status == "identical"


def test_forces_that_an_equation_leaves_out_are_conditions_too():
    verdict = CIRCLE.check("y m x'' - x m y'' = y tau1")
    assert verdict.status == "identical if"
    assert [str(x) for x in verdict.conditions] == ["Eq(tau2, 0)"]
    assert CIRCLE.check("y m x'' - x m y'' = y tau1 + x tau2").status == "differs"


def test_a_loop_that_is_turned_by_half_a_turn_is_not_closed():
    """What is compared has no angles: sin(q1 + q2) is zero there too."""
    b = vv.Builder("key")
    b.body("a", joint="revolute", axis="z", joint_name="q1", mass=1, com=[0.5, 0, 0])
    b.body("b", joint="revolute", axis="z", joint_name="q2", parent="a", mass=1, com=[0.3, 0, 0])
    keyed = b.build().with_loop("world", "b", joint="prismatic", axis="z")
    assert abs(keyed.constraint_error([0.3, np.pi - 0.3])).max() > 3
    assert keyed.check("sin(q1 + q2) = 0").is_identical
    assert keyed.check("cos(q1 + q2) = 1").status == "agrees numerically"
    assert keyed.check("cos(q1 + q2) = -1").status == "differs"


def test_multipliers_that_are_not_unique_are_not_judged_in_equations():
    with pytest.raises(ArgumentError, match="not unique"):
        TWICE.check("m x'' = tau1 + lambda1 + 2 lambda2")


def test_constraints_that_hold_nowhere_prove_nothing():
    with pytest.raises(ArgumentError, match="no position was found"):
        NOWHERE.check("x^2 + y^2 = -1")


def test_identities_are_meant_on_the_constraints():
    assert CIRCLE.check("x^2 = R^2 - y^2", of="identity").is_identical
    assert CIRCLE.check("x^2 = R^2 + y^2", of="identity").status == "differs"


def test_what_constraints_do_not_say_stays_open_off_them():
    """The same claims of the open system are judged without them."""
    free = vv.Lagrangian("x y", "m*(x'^2 + y'^2)/2", parameters="m R")
    assert free.check("T = m R^2 x'^2/(2 y^2)").status == "differs"


def test_powers_of_what_may_be_zero_have_a_value():
    """sin(0)² is no division by zero; FLINT's own powers of a ball around zero are none at all."""
    around = (ball(Fraction(1, 5)) + ball(Fraction(-1, 5))).sin()
    assert not around.is_zero()
    assert whole_power(around, 2).contains(0)
    assert whole_power(ball(Fraction(-2)), 3) == -8
    assert whole_power(ball(Fraction(2)), -2) == ball(Fraction(1, 4))
    assert whole_power(around, 0) == 1


def test_every_branch_of_constraints_is_looked_at():
    """On two lines that cross, what holds on one of them only differs."""
    cross = vv.Lagrangian("x y", "m*(x'^2 + y'^2)/2", constraints="x*y = 0", parameters="m")
    for claim in ("x = 0", "y = 0", "x' = 0", "y' = 0", "x x' = 0", "y'' = tau2/m"):
        assert cross.check(claim).status == "differs", claim
    for claim in ("x' y' = 0", "x y' = 0", "x x' y = 0"):
        assert cross.check(claim).status == "agrees numerically", claim


@pytest.mark.parametrize("again", [["2*x = 2*y"], ["x = y", "x' = y'"]])
def test_claims_without_multipliers_are_judged_where_rows_are_redundant(again):
    rows = ["x = y", *again]
    s = vv.Lagrangian("x y", "m*(x'^2 + y'^2)/2", constraints=rows, parameters="m")
    for claim in ("x = y", "x' = y'", "x'' = y''", "2 m x'' = tau1 + tau2", "T = m x'^2"):
        assert s.check(claim).is_identical, claim
    for claim in ("x = 2 y", "m x'' = tau1 + tau2", "T = 2 m x'^2"):
        assert s.check(claim).status == "differs", claim


@pytest.mark.parametrize(
    "claim", ["x'' = 0", "P = [[0, 0], [0, 0]]", "P = [[1/2, 1/2], [1/2, 1/2]]", "Qc1 = 0"]
)
def test_rows_that_depend_on_each_other_only_where_they_hold_prove_nothing(claim):
    """Off the lines both rows are independent and nothing moves; on them one of them does."""
    rows = ["x^2 - y^2 = 0", "x = y"]
    s = vv.Lagrangian("x y", "m*(x'^2 + y'^2)/2", constraints=rows, parameters="m")
    with pytest.raises(ArgumentError, match="as independent as elsewhere"):
        s.check(claim)
    assert s.check("x' = y'").is_identical


def test_a_row_that_says_the_same_as_a_circle_again_is_no_obstacle():
    rows = ["x^2 + y^2 = R^2", "x + z = 0", "2*z^2 + 2*y^2 = 2*R^2"]
    s = vv.Lagrangian("x y z", "m*(x'^2 + y'^2 + z'^2)/2", constraints=rows, parameters="m R")
    for claim in ("x^2 = R^2 - y^2", "z' = -x'", "y y' = z x'"):
        assert s.check(claim).is_identical, claim
    for claim in ("x^2 = R^2 + y^2", "z' = x'", "y y' = x x'"):
        assert s.check(claim).status == "differs", claim


def turning(constraint):
    return vv.Lagrangian(
        "r phi", "m (r'^2 + r^2 phi'^2)/2", constraints=constraint, parameters="m w"
    )


@pytest.mark.parametrize("constraint", ["phi = w t", "phi' = w"])
def test_what_is_held_linearly_in_time(constraint):
    verdict = turning(constraint).check("r'' = w^2 r")
    assert (verdict.status, verdict.where) == ("identical if", "τ₁ = 0")
    assert turning(constraint).check("r'' = -w^2 r").status == "differs"
    assert turning("phi = w t").check("phi'' = 0").is_identical


def test_terms_of_motion_that_change_with_time():
    system = vv.Lagrangian(
        "x y", "m (1 + t^2) (x'^2 + y'^2)/2", constraints="y = 2 x", parameters="m"
    )
    assert system.check("x'' = -2 t x'/(1 + t^2)").status == "identical if"
    assert system.check("x'' = -t x'/(1 + t^2)").status == "differs"


@pytest.mark.parametrize("constraint", ["y cos(w t) = x sin(w t)", "y = x tan(w t)"])
def test_positions_on_a_line_that_turns_are_found(constraint):
    line = vv.Lagrangian("x y", "m (x'^2 + y'^2)/2", constraints=constraint, parameters="m w")
    assert line.check("E = const").status == "differs"  # the line drives it
    assert line.check("x y' - y x' = w (x^2 + y^2)").status == "agrees numerically"
    assert line.check("x y' - y x' = 2 w (x^2 + y^2)").status == "differs"


ATWOOD = vv.Lagrangian(
    "x y",
    "m1 x'^2/2 + m2 y'^2/2",
    "-m1 g x - m2 g y",
    constraints="x + y = L",
    parameters="m1 m2 g L",
)
LADDER = vv.Lagrangian(
    "x y theta",
    "m (x'^2 + y'^2)/2 + m L^2 theta'^2/24",
    "m g y",
    constraints=["x = L cos(theta)/2", "y = L sin(theta)/2"],
    parameters="m g L",
)
RING = vv.Lagrangian(
    "x y",
    "m (x'^2 + y'^2)/2",
    "k (x^2 + y^2)/2 + m g y",
    constraints="x^2 + y^2 = R^2",
    parameters="m g R k",
)


@pytest.mark.parametrize(
    ("system", "claim", "constant", "wrong"),
    [
        (ATWOOD, "V = (m2 - m1) g x", "m2*g*L", "V = (m1 - m2) g x"),
        (ATWOOD, "E = (m1 + m2) x'^2/2 + (m2 - m1) g x", "m2*g*L", "E = (m2 - m1) g x"),
        (LADDER, "V = m g L (sin(theta) - 1)/2", "-m*g*L/2", "V = m g L (cos(theta) - 1)/2"),
        (RING, "V = m g y", "-k*R^2/2", "V = m g y + k x^2/2"),
    ],
)
def test_an_energy_is_known_up_to_a_constant_where_constraints_hold(system, claim, constant, wrong):
    verdict = system.check(claim)
    assert verdict.status == "identical up to a constant"
    gap = sympy.expand(verdict.extra - verdict.missing - sympy.S(constant.replace("^", "**")))
    assert gap == 0
    assert verdict.proof
    assert system.check(wrong).status == "differs"


def test_a_constant_that_changes_with_time_is_none():
    lift = vv.Lagrangian(
        "x y", "m (x'^2 + y'^2)/2", "m g y", constraints="y = 2 x + w t", parameters="m g w"
    )
    assert lift.check("V = 2 m g x").status == "differs"
    assert lift.check("V = 2 m g x + m g w t").is_identical


@pytest.mark.parametrize(("claim", "of"), [("m z'' = 0", "tau1"), ("y'' = 2 x''", "tau2")])
def test_an_equation_of_another_force_is_not_the_one_that_it_is_said_to_be(claim, of):
    plane = vv.Lagrangian(
        "x y z", "m (x'^2 + y'^2 + z'^2)/2", "m g y", constraints="y = 2 x", parameters="m g"
    )
    assert plane.check(claim).is_identical
    with pytest.raises(ArgumentError, match=f"but holds whatever {of} is"):
        plane.check(claim, of=of)
    assert plane.check("m z'' = 0", of="tau3").is_identical
    assert plane.check("m x'' = -2 lambda1", of="tau1").is_identical
    assert plane.with_passive("x y z").check("m x'' = -2 lambda1", of="tau1").is_identical
    with pytest.raises(ArgumentError, match="but holds whatever tau1 is"):
        plane.check("tau1 = m z'' = 0")


def test_a_formula_for_a_multiplier_has_the_sign_of_the_system():
    """Equations of motion say how λ is counted; a formula for it does not, with q̈ or without."""
    wheel = vv.Lagrangian(
        "x phi",
        "m x'^2/2 + I phi'^2/2",
        "-m g x sin(alpha)",
        constraints="x = R phi",
        parameters="m I R g alpha",
        passive="x phi",
    )
    assert wheel.check("lambda1 = -I phi''/R").is_identical
    other = wheel.check("lambda1 = I phi''/R")
    assert other.status == "differs"
    assert "other sign" in str(other)
    assert wheel.check("I phi'' = R lambda1; m x'' = m g sin(alpha) - lambda1").is_identical
    assert wheel.check("lambda1 = I phi''/R; m x'' = m g sin(alpha) - lambda1").is_identical
