"""Equations multiplied by what may be zero: they hold there whatever the motion is."""

import pytest
import sympy
from typer.testing import CliRunner

import visviva as vv
from visviva.cli import app
from visviva.errors import ArgumentError, OutsideError
from visviva.judge.exact.field import Field
from visviva.judge.exact.systems import facts
from visviva.judge.exact.zeros import Doubts, common_zeros

ONE = vv.Lagrangian("x", "m*x'^2/2", "k*x^2/2", parameters="m k")
SWING = vv.Lagrangian(
    "theta", "m*l^2*theta'^2/2", "-m*g*l*cos(theta)", parameters={"m": 1, "l": 2, "g": 9.81}
)
SLIDE = vv.catalog.rp_arm()
TWO = vv.Lagrangian("x y", "m*(x'^2 + y'^2)/2", "k*(x^2 + y^2)/2", parameters="m k")
ROPE = vv.Lagrangian("x y", "(m*x'^2 + M*y'^2)/2", constraints="x + 2*y = l", parameters="m M l")
PAIR = vv.Lagrangian(
    "a b",
    "J*(a'^2 + b'^2)/2",
    "k*cos(a)",
    constraints="a = b",
    parameters={"J": 1, "k": 0.5},
    passive=["a", "b"],
)
TURN = "(J a'' + J b'' - k sin(a))"
SKATE = vv.Lagrangian(
    "x y th",
    "m*(x'^2 + y'^2)/2 + J*th'^2/2",
    constraints="x' sin(th) - y' cos(th)",
    parameters="m J",
    passive=["x", "y", "th"],
)
ALONG = "(m x'' cos(th) + m y'' sin(th))"
RIGHT = "(l theta'' + g sin(theta))"
PUSH = "(tau2 - m2 q2'' + m2 q2 q1'^2 - m2 a_g sin(q1))"
FIRST = SLIDE.closed_form().equations[0]
FACTORS = [
    (SWING, f"theta' {RIGHT} = 0", ["thetad != 0"]),
    (SWING, "theta' theta'' = -(g/l) theta' sin(theta)", ["thetad != 0"]),
    (SWING, f"cos(theta) {RIGHT} = 0", ["cos(theta) != 0"]),
    (SWING, f"sin(theta)^2 {RIGHT} = 0", ["sin(theta) != 0"]),
    (SWING, f"(theta - 1) {RIGHT} = 0", ["theta - 1 != 0"]),
    (SWING, f"(l - g) {RIGHT} = 0", ["-g + l != 0"]),
    (SWING, "theta' tau = theta' (m l^2 theta'' + m g l sin(theta))", ["thetad != 0"]),
    (SWING, "theta'' tau = theta'' (m l^2 theta'' + m g l sin(theta))", ["thetadd != 0"]),
    (SLIDE, f"q1' {PUSH} = 0", ["qd1 != 0"]),
    (SLIDE, f"sin(q1) {PUSH} + sin(q1)^2 ({FIRST} - tau1) = 0", ["sin(q1) != 0"]),
    (SLIDE, "q2 tau2 = q2 (m2 q2'' - m2 q2 q1'^2 + m2 a_g sin(q1))", ["q2 != 0"]),
    (TWO, "x' [m x'' + k x, m y'' + k y] = 0", ["xd != 0"]),
    (ROPE, "x' m x'' = x' (tau1 + lambda)", ["xd != 0"]),
    (ROPE, "x' (x'' + 2 y'') = 0", ["xd != 0"]),
    (SWING, f"sqrt(l - 2) {RIGHT} = 0", ["sqrt(l - 2) != 0"]),
    (PAIR, f"sin(a) {TURN} = 0", ["sin(a) != 0"]),
    (PAIR, f"(sin(a) - 1) {TURN} = 0", ["sin(a) - 1 != 0"]),
    (PAIR, f"tan(a) {TURN} = 0", ["sin(a) != 0"]),
    (PAIR, f"sin(2 a) {TURN} = 0", ["cos(a) != 0", "sin(a) != 0"]),
    (PAIR, f"sin(a) {TURN} + a'' - b'' = 0", ["sin(a) != 0"]),
    (SKATE, f"sin(th) {ALONG} = 0", ["sin(th) != 0"]),
    (SKATE, "m x'' x' + m y'' y' = 0", ["xd*cos(th) + yd*sin(th) != 0"]),
]


@pytest.mark.parametrize(("system", "claim", "expected"), FACTORS)
def test_a_factor_that_may_be_zero_is_a_condition(system, claim, expected):
    verdict = system.check(claim)
    assert verdict.status == "identical if"
    assert sorted(verdict.as_dict()["conditions"]) == sorted(expected)
    assert " ≠ 0" in str(verdict)
    assert "≠ 0" in verdict._repr_html_()
    assert "there it says nothing" in verdict.explanation


@pytest.mark.parametrize(
    "factor",
    [
        "m l^2",
        "(m + l)",
        "(m + l sin(theta)^2)",
        "(1 + theta^2)",
        "sqrt(l)",
        "sqrt(1 + theta^2)",
        "3/cos(theta)",
        "(2 - cos(theta))",
    ],
)
def test_a_factor_that_is_never_zero_is_no_condition(factor):
    assert SWING.check(f"{factor}*{RIGHT} = 0").is_identical


def test_where_an_equation_has_no_value_a_factor_is_no_condition():
    orbit = vv.Lagrangian("r phi", "m*(r'^2 + r^2*phi'^2)/2", "-k/r", parameters="m k")
    assert orbit.check("m r^2 r'' - m r^3 phi'^2 + k = 0").is_identical


@pytest.mark.parametrize("claim", ["E = const", "dE/dt = 0", "dE/dt = tau theta'"])
def test_what_a_rate_is_holds_everywhere_and_says_where_it_is_an_equation(claim):
    verdict = SWING.check(claim)
    assert verdict.is_identical is ("tau" in claim)
    assert verdict.where == ("" if "tau" in claim else "τ₁ = 0")
    assert "it holds everywhere, but is equation 1 only where θ̇ ≠ 0" in verdict.notes


def test_the_command_says_the_factor(tmp_path):
    lines = tmp_path / "claims.txt"
    lines.write_text(f"q1' {PUSH} = 0\ntau1 - tau1 + {PUSH} = 0\n")
    answer = CliRunner().invoke(app, ["check", "rp_arm", "--file", str(lines)])
    assert answer.exit_code == 1
    assert "identical if q̇₁ ≠ 0" in answer.output
    assert (
        "1 of 2 claims are identical, 1 more where factors of theirs are not zero" in answer.output
    )


def test_a_factor_beside_a_force_that_is_zero_is_a_condition():
    verdict = ONE.check("tau = (m x'' + k x) x", assume="tau = 0")
    assert verdict.conditions == (sympy.Ne(sympy.Symbol("x"), 0),)
    nonlinear = ONE.check("tau = (m x'' + k x) x''", assume="tau = 0")
    assert nonlinear.conditions == (sympy.Ne(sympy.Symbol("xdd"), 0),)


def test_a_sum_says_nothing_where_all_its_factors_are_zero():
    claim = "x' (m x'' + k x) + y' (m y'' + k y) = 0"
    verdict = TWO.check(claim, assume="tau1 = 0, tau2 = 0")
    assert verdict.as_dict()["conditions"] == ["xd**2 + yd**2 != 0"]


def test_a_claim_that_is_not_linear_says_nothing_where_its_forces_have_no_factor():
    two = vv.Lagrangian("a b", "J (a'^2 + b'^2)/2", "k cos(a)", parameters="J k")
    verdict = two.check("tau1 a = a (J a'' - k sin(a)) + a (J b'')^2")
    assert verdict.as_dict()["conditions"] == ["tau2 = 0", "a != 0"]


@pytest.mark.parametrize("factor", ["(m1 - m2)", "sin(q2)", "-sin(q2)", "q2/2 *"])
def test_a_quantity_times_what_may_be_zero_is_no_formula_for_it(factor):
    arm = vv.catalog.two_link()
    assert arm.check(f"{factor} M22 = {factor} (I2 + m2 r2^2)").relates
    assert not arm.check("2 M22 = 2 (I2 + m2 r2^2)").relates
    with pytest.raises(ArgumentError, match="says nothing"):
        arm.check("(sin(q2)^2 + cos(q2)^2 - 1) M22 = 0")


SIDE, UP = "(m x'' + k x)", "(m y'' + k y)"


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        (f"{UP} = 0; x*{SIDE} + {UP} = 0", ["tau1 = 0", "x != 0"]),
        (f"{UP} = tau2; x*{SIDE} + {UP} = x tau1 + tau2", ["x != 0"]),
        (f"tau2 = {UP}; x*{SIDE} + {UP} = x tau1 + tau2", ["x != 0"]),
        (f"{UP} = tau2; (k - m)*{SIDE} + {UP} = (k - m) tau1 + tau2", ["k - m != 0"]),
        (f"{SIDE} = tau1; {UP} = tau2; x*{SIDE} + {UP} = x tau1 + tau2", []),
        (f"{SIDE} + {UP} = tau1 + tau2; {SIDE} - {UP} = tau1 - tau2", []),
        (
            f"{SIDE} + x*{UP} = tau1 + x tau2; x*{SIDE} + {UP} = x tau1 + tau2",
            ["x - 1 != 0", "x + 1 != 0"],
        ),
        (f"y'' = -k y/m + tau2/m; x*{SIDE} + {UP} = x tau1 + tau2", ["x != 0"]),
        (f"x'' = (tau1 - k x)/m; y*{SIDE} + x*{UP} = y tau1 + x tau2", ["x != 0"]),
        (f"x'' = -k x/m; y*{SIDE} + x*{UP} = 0", ["tau1 = 0", "tau2 = 0", "x != 0"]),
        (f"x'' = (tau1 - k x)/m; y'' = (tau2 - k y)/m; {SIDE} + x*{UP} = tau1 + x tau2", []),
        (f"[x'', y''] = [tau1 - k x, tau2 - k y]/m; {SIDE} + x*{UP} = tau1 + x tau2", []),
        (f"[{UP}, x*{SIDE} + {UP}] = [tau2, x tau1 + tau2]", ["x != 0"]),
        (f"[{SIDE}, x*{SIDE} + {UP}] = [tau1, x tau1 + tau2]", []),
        (
            f"[{SIDE} + x*{UP}, x*{SIDE} + {UP}] = [tau1 + x tau2, x tau1 + tau2]",
            ["x - 1 != 0", "x + 1 != 0"],
        ),
        (f"d/dt(∂L/∂x') - ∂L/∂x = tau1; {SIDE} + x*{UP} = tau1 + x tau2", ["x != 0"]),
        (f"{UP} = tau2; d/dt T + d/dt V = tau1 x' + tau2 y'", []),
        (f"{SIDE} = tau1; x'' = (tau1 - k x)/m; {UP} = tau2", []),
    ],
)
def test_statements_say_less_together_where_one_follows_from_the_others(claim, expected):
    verdict = TWO.check(claim)
    assert verdict.status == ("identical if" if expected else "identical")
    assert sorted(verdict.as_dict()["conditions"]) == sorted(expected)


WHEEL = vv.Lagrangian(
    "x y th ph",
    "m*(x'^2 + y'^2)/2 + J*th'^2/2 + I*ph'^2/2",
    constraints=["x' = r ph' cos(th)", "y' = r ph' sin(th)"],
    parameters="m J I r",
)
RING = vv.Lagrangian(
    "x y",
    "m*(x'^2 + y'^2)/2",
    "m*g*y",
    constraints="x^2 + y^2 = l^2",
    parameters="m g l",
    passive=["x", "y"],
)
ROLL = "((I + m r^2) ph'' - tau4 - r tau1 cos(th) - r tau2 sin(th))"


@pytest.mark.parametrize(
    ("system", "claim", "expected"),
    [
        (ROPE, "M y'' = tau2 + 2 L; x (m x'' - tau1 - L) + M y'' = tau2 + 2 L", ["x != 0"]),
        (ROPE, "[M y'', x (m x'' - tau1 - L) + M y''] = [tau2 + 2 L, tau2 + 2 L]", ["x != 0"]),
        (ROPE, "m x'' = tau1 + L; x (m x'' - tau1 - L) + M y'' = tau2 + 2 L", []),
        (ROPE, "x'' = -2 y''; x (m x'' - tau1 - L) + M y'' = tau2 + 2 L", []),
        (ROPE, "M y'' = tau2 + 2 L; 2 m x'' - M y'' = 2 tau1 - tau2", []),
        (WHEEL, f"J th'' = tau3; J th'' - tau3 + ph' {ROLL} = 0", ["phd != 0"]),
        (WHEEL, f"J th'' = tau3; ph' (J th'' - tau3) + {ROLL} = 0", []),
        (WHEEL, "x' = r ph' cos(th); x' cos(th) + y' sin(th) = r ph'", ["sin(th) != 0"]),
        (WHEEL, "x' sin(th) = y' cos(th); x' cos(th) + y' sin(th) = r ph'", []),
        (RING, "m x'' = 2 L x; x y'' - y x'' = -g x", ["x != 0"]),
        (RING, "m y'' = 2 L y - m g; x y'' - y x'' = -g x", ["y != 0"]),
        (RING, "m x'' = 2 L x; m x'' - 2 L x + x (m y'' - 2 L y + m g) = 0", ["x != 0"]),
        (RING, "m x'' = 2 L x; m y'' = 2 L y - m g; x y'' - y x'' = -g x", []),
        (RING, "y'' = -g - y (x'^2 + y'^2 - g y)/l^2; x y'' - y x'' = -g x", []),
        (ROPE, "M y'' = tau2 + 2 L; M y'' + x (x'' + 2 y'') = tau2 + 2 L", []),
        (RING, "x y'' - y x'' = -g x; x x'' + y y'' + x'^2 + y'^2 = 0", []),
    ],
)
def test_statements_of_what_is_held_say_less_together_too(system, claim, expected):
    verdict = system.check(claim.replace("L", "lambda"))
    assert verdict.status == ("identical if" if expected else "identical")
    assert verdict.as_dict()["conditions"] == expected


def test_an_acceleration_of_coupled_equations_and_a_sum_of_these():
    """tau1 - tau2 has (M12 - M22) q2'', which is no more where cos q2 is zero."""
    arm = vv.catalog.two_link()
    solved = arm.closed_form().forward_dynamics
    first, second = arm.closed_form().equations
    claim = f"q1'' = {solved[0]}; tau1 - tau2 = {first - second}"
    assert arm.check(claim).as_dict()["conditions"] == ["cos(q2) != 0"]
    assert arm.check(f"q2'' = {solved[1]}; {claim}").is_identical
    assert arm.check(f"q1'' = {solved[0]}; tau1 = {first}").is_identical  # each says all of its own


def test_what_relates_quantities_has_a_note_where_it_says_no_more():
    lines = "d/dt(∂L/∂x') - ∂L/∂x", "d/dt(∂L/∂y') - ∂L/∂y"
    verdict = TWO.check(f"{lines[0]} = tau1; {lines[0]} + x ({lines[1]}) = tau1 + x tau2")
    note = "it holds everywhere, but says more than the others only where x ≠ 0"
    assert verdict.relates
    assert note in verdict.parts[1].notes


def _many(*factors):
    """Sums of fifteen equations, with a factor of each in every sum."""
    sums = [
        [" + ".join(f.format(k) + x.format(k) for k in range(1, 16)) for x in ("m x{}''", "tau{}")]
        for f in factors
    ]
    return "; ".join(f"{left} = {right}" for left, right in sums)


def test_sums_of_many_equations_say_less_together_or_are_refused():
    names = [f"x{k}" for k in range(1, 16)]
    squares = " + ".join(f"{x}'^2" for x in names)
    many = vv.Lagrangian(" ".join(names), f"m*({squares})/2", "0", parameters="m")
    one = _many("1*").replace("1*m x1'' +", "x1 m x1'' +").replace("1*tau1 +", "x1 tau1 +")
    assert many.check(f"{_many('1*')}; {one}").as_dict()["conditions"] == ["x1 - 1 != 0"]
    with pytest.raises(ArgumentError, match="check them one by one"):
        many.check(_many("x{} ", "x{}^2 "))


def test_what_is_not_linear_is_refused_beside_others():
    two = vv.Lagrangian("a b", "J (a'^2 + b'^2)/2", "k cos(a)", parameters="J k")
    with pytest.raises(ArgumentError, match="check them one by one"):
        two.check("J b'' = 0; tau1 a = a (J a'' - k sin(a)) + a (J b'')^2")


@pytest.mark.parametrize(
    "claim", ["0*E = const", "E - E = const", "0*E + l = const", "5 = const", "[0*E, 0] = const"]
)
def test_that_what_is_fixed_anyhow_is_constant_says_nothing(claim):
    with pytest.raises(ArgumentError, match="says nothing"):
        SWING.check(claim)


def test_a_factor_that_is_zero_everywhere_says_nothing_of_the_others():
    known = facts(vv.Lagrangian("x y", "m (x'^2 + y'^2)/2", "0", parameters="m"))
    field = Field(known.ring, [*known.coordinates], [])
    zero, x, y = field.ring.number(0), *map(field.ring.generator, "xy")
    doubts = Doubts(known, field)
    assert common_zeros([x, zero], doubts) == common_zeros([zero, x], doubts) == (x,)
    assert common_zeros([x, zero, field.ring.number(2)], doubts) == ()
    assert common_zeros([x, zero, y], doubts) == common_zeros([x, y], doubts) != ()
    assert common_zeros([], doubts) == ()
    with pytest.raises(OutsideError, match="it says nothing: all of its factors are zero"):
        common_zeros([zero, zero], doubts)
