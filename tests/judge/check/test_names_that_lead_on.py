"""Names that are read for what they are, or refused with a way that works."""

import pytest

import visviva as vv
from visviva.errors import VisvivaError

ARM = vv.catalog.two_link()
PENDULUM = vv.Lagrangian("theta", "m l^2 theta'^2/2", "-m g l cos(theta)", parameters="m g l")
ROD = vv.Lagrangian("theta", "m L^2 theta'^2/6", "m g L sin(theta)/2", parameters="m L g")
PAIR = vv.Lagrangian(
    "x1 x2",
    "m (x1'^2 + x2'^2)/2",
    "k x1^2/2 + k x2^2/2 + c (x1 - x2)^2/2",
    parameters="m k c",
)
WHEEL = vv.Lagrangian(
    "x phi",
    "m x'^2/2 + I phi'^2/2",
    "-m g x sin(alpha)",
    constraints="x = R phi",
    parameters="m I R g alpha",
    passive="x phi",
)
ROLLING = "m x'' = m g sin(alpha) - {0}; I phi'' = {0} R"


def refused(system, claim, **options):
    with pytest.raises(VisvivaError) as caught:
        system.check(claim, **options)
    return str(caught.value)


@pytest.mark.parametrize("letter", ["f", "F", "N", "S"])
def test_a_force_that_holds_is_offered_as_a_multiplier(letter):
    said = refused(WHEEL, ROLLING.format(letter))
    way = f"symbols={ {letter: 'lambda1'} }"
    assert f"if {letter} is one, with either sign, say {way}" in said
    assert f"or first what it is, {letter} = -lambda1; ..." in said


def test_the_ways_that_are_offered_for_friction_work():
    claim, symbols = ROLLING.format("f"), {"f": "lambda1"}
    verdict = WHEEL.check(claim, symbols=symbols)
    assert verdict.is_identical
    assert all("λ₁ of the claim is -λ₁" in x.notes[-1] for x in verdict.parts)
    assert WHEEL.check(f"f = -lambda1; {claim}").is_identical
    own = "m x'' = m g sin(alpha) + f; I phi'' = -f R"
    assert WHEEL.check(own, symbols=symbols).is_identical
    mixed = "m x'' = m g sin(alpha) - f; I phi'' = -f R"
    assert WHEEL.check(mixed, symbols=symbols).status == "differs"


@pytest.mark.parametrize("start", ["theta_0", "theta0"])
def test_an_initial_value_is_a_constant_of_the_motion(start):
    said = refused(ROD, f"theta'^2 = 3 g/L*(sin({start}) - sin(theta))")
    assert f"if {start} is an initial value, write const for the terms that have it" in said
    assert "symbols=" not in said
    assert ROD.check("theta'^2 = -3 g/L*sin(theta) + const").status.startswith("identical")
    assert "omega0 is an initial value" in refused(ROD, "theta'^2 = omega0^2 - 3 g/L*sin(theta)")
    assert "write x1' = const" in refused(PAIR, "x1' = v0")
    assert "initial" not in refused(ROD, "theta'' = -3 g/L*cos(theta0)")


@pytest.mark.parametrize(
    ("claim", "wrong"),
    [
        ("det(K) = k^2 + 2 k c", "det(K) = k^2 + k c"),
        ("tr K = 2 k + 2 c", "tr K = 2 k + c"),
        ("K = [[k + c, -c], [-c, k + c]]; det K = k^2 + 2 k c", "det K = k^2"),
        ("K is symmetric", "K is skew-symmetric"),
    ],
)
def test_determinant_and_trace_of_the_stiffness_matrix(claim, wrong):
    assert PAIR.check(claim).is_identical
    assert PAIR.check(wrong).status == "differs"


def test_k_is_the_kinetic_energy_where_it_is_a_number():
    assert PAIR.check("K = m (x1'^2 + x2'^2)/2").is_identical
    assert PAIR.check("K = 1/2 q'^T M q'").is_identical


@pytest.mark.parametrize(
    ("claim", "wrong"),
    [
        ("u'^2 = cos(theta/2)^2 theta'^2/4", "u'^2 = cos(theta/2)^2 theta'^2/2"),
        ("u' = cos(theta/2) theta'/2", "u' = sin(theta/2) theta'/2"),
        ("2 m l^2 u'^2/(1 - u^2) + 2 m g l u^2 = const", "m l^2 u'^2 + 2 m g l u^2 = const"),
    ],
)
def test_a_letter_of_forces_that_has_rates_is_what_the_claim_says(claim, wrong):
    verdict = PENDULUM.check(f"u = sin(theta/2); {claim}", assume="tau1 = 0")
    assert verdict.is_identical
    assert "u: a name for what it is said to be, which drives nothing" in verdict.notes
    assert PENDULUM.check(f"u = sin(theta/2); {wrong}").status == "differs"
    assert "rates of forces" in refused(PENDULUM, "m l^2 theta'' = u'")


def test_a_force_that_drives_may_have_its_rate_beside_it():
    law = "u = sin(theta/2); m l^2 theta'' + m g l sin(theta) = u; u' = cos(theta/2) theta'/2"
    assert PENDULUM.check(law).status == "identical if"
    assert PENDULUM.check(law.replace("= u;", "= 2 u;")).status == "differs"


@pytest.mark.parametrize(
    ("claim", "wrong"),
    [
        ("x_e' = -y_e q1' - L2 sin(q1 + q2) q2'", "x_e' = y_e q1' - L2 sin(q1 + q2) q2'"),
        ("x' = -y q1' - L2 sin(q1 + q2) q2'", "x' = -y q1' - L2 sin(q1 + q2) q1'"),
        ("y' = x q1' + L2 cos(q1 + q2) q2'", "y' = -x q1' + L2 cos(q1 + q2) q2'"),
        ("v_x = -y_e q1' - L2 sin(q1 + q2) q2'", "v_x = -x_e q1' - L2 sin(q1 + q2) q2'"),
    ],
)
def test_the_velocity_of_the_tip_by_its_place(claim, wrong):
    assert ARM.check(claim).is_identical
    assert ARM.check(wrong).status == "differs"


@pytest.mark.parametrize(
    "claim", ["tau2 = tau2", "q1'' = q1''", "q1' = q1'", "5 = 5", "tau1 + 1 = tau1 + 1"]
)
def test_what_is_the_same_on_both_sides_is_told_so(claim):
    assert "says nothing: both sides are the same" in refused(ARM, claim)
    assert "both sides are the same" in refused(PENDULUM, "F = F")


def test_an_equation_for_what_of_says_is_told_how_it_is_written():
    said = refused(ARM, "I2 + m2 r2^2 = 5", of="M22")
    assert "of= says entry (2, 2) of the mass matrix: write its formula alone" in said


def test_a_claim_without_real_values_somewhere_says_so():
    for cosine in ("exp(log(cos(q2)))", "sqrt(cos(q2))^2"):
        verdict = ARM.check(f"M12 = I2 + m2 (r2^2 + L1 r2 {cosine})")
        assert verdict.status != "differs"
        assert verdict.notes[-1].startswith("it has no real value everywhere, none at q₂ = ")
    assert not ARM.check("M22 = I2 + m2 sqrt(r2^2)^2").notes[1:]
    root = vv.Lagrangian("x", "m x'^2/2", "k sqrt(x^2 - l^2)", parameters="m k l")
    assert not root.check("V = k sqrt(x^2 - l^2)").notes
