"""Values that a claim gives to coordinates, rates and parameters: conditions, or refused."""

import pytest

import visviva as vv
from visviva.errors import ArgumentError
from visviva.judge.check.gather import gathered

PENDULUM = vv.Lagrangian(
    "theta", "m*l^2*theta'^2/2", "-m*g*l*cos(theta)", parameters={"m": 1, "l": 2, "g": 9.81}
)
ORBIT = vv.Lagrangian("r theta", "m*(r'^2 + r^2*theta'^2)/2", "-k/r", parameters={"m": 1, "k": 2})
ARM, SLIDE, CART = vv.catalog.two_link(), vv.catalog.rp_arm(), vv.catalog.cart_pole()
REST = "q1' = 0; q2' = 0; q1'' = 0; q2'' = 0"
WEIGHT = "[(m1 r1 + m2 L1) a_g cos(q1) + m2 r2 a_g cos(q1 + q2), m2 a_g r2 cos(q1 + q2)]"


def conditions(verdict):
    return [f"{x.lhs} = {x.rhs}" for x in verdict.conditions]


@pytest.mark.parametrize(
    ("system", "claim"),
    [
        (PENDULUM, "θ = 0; V = 12345"),
        (PENDULUM, "θ = pi; E = m l^2 θ'^2/2 + 7 m g l"),
        (ARM, "q1 = 0; q2 = 90; V = m2 a_g r2"),
    ],
)
def test_at_a_place_another_energy_is_no_other_zero(system, claim):
    assert system.check(claim).status == "differs"


def test_energies_at_a_place():
    right = PENDULUM.check("θ = pi; E = m l^2 θ'^2/2 + m g l")
    assert (right.status, conditions(right)) == ("identical if", ["theta = pi"])
    open_still = ARM.check("q1 = 0; V = m2 a_g r2 sin(q2) + 5")  # q2 is anywhere
    assert open_still.status == "identical up to a constant"
    assert PENDULUM.check("V = -m g l cos(θ) + 5").status == "identical up to a constant"


def test_a_parameter_that_makes_a_claim_true_is_a_condition():
    vacuous = ARM.check("I2 = -m2 r2^2; M22 = 0")
    assert (vacuous.status, conditions(vacuous)) == ("identical if", ["I2 = -m2*r2**2"])
    assert ARM.check("I2 = -m2 r2^2; M22 = I2").status == "differs"
    built = ARM.check("r2 = L2/2; M22 = I2 + m2 L2^2/4")
    assert built.is_identical
    assert built.taken == ("r₂ = 1/2 L₂",)


def test_an_inverse_times_its_matrix_says_nothing_of_it():
    verdict = ARM.check("M^{-1} M = [[1, 0], [0, 1]]")
    assert verdict.is_identical
    assert verdict.relates
    assert ARM.check("M^{-1} M = [[1, 0], [0, 2]]").status == "differs"


@pytest.mark.parametrize(
    ("system", "values", "right", "wrong"),
    [
        (ARM, REST, "tau2 = m2 a_g r2 cos(q1 + q2)", "tau2 = 2 m2 a_g r2 cos(q1 + q2)"),
        (ARM, "q' = 0; q'' = 0", f"tau = {WEIGHT}", f"tau = {WEIGHT.replace('m2 L1', '2 m2 L1')}"),
        (ARM, "q' = 0; q'' = 0", "tau = g", "tau = 2 g"),
        (ARM, "q'' = 0", "tau = C q' + g", "tau = g"),
        (
            SLIDE,
            "q2' = 0; q2'' = 0",
            "tau2 = -m2 q2 q1'^2 + m2 a_g sin(q1)",
            "tau2 = -2 m2 q2 q1'^2 + m2 a_g sin(q1)",
        ),
        (ORBIT, "r' = 0; r'' = 0", "m r^2 θ'' = tau2", "m r^2 θ'' = tau2 + tau1"),
        (ORBIT, "r' = 0; r'' = 0", "tau1 = k/r^2 - m r θ'^2", "tau1 = k/r^2 + m r θ'^2"),
        (
            ARM,
            "q1' = q2' = 0",
            "tau2 = (m2 r2^2 + I2 + m2 L1 r2 cos(q2)) q1'' + (m2 r2^2 + I2) q2''"
            " + m2 a_g r2 cos(q1 + q2)",
            "tau2 = (m2 r2^2 + I2) (q1'' + q2'') + m2 a_g r2 cos(q1 + q2)",
        ),
        (CART, "θ = 0", "F = (M + m) x'' + m l θ''", "F = (M + m) x'' + 2 m l θ''"),
        (CART, "θ'' = 0", "F = (M + m) x'' - m l θ'^2 sin(θ)", "F = (M + m) x''"),
        (
            CART,  # nothing drives the pole, so that θ'' follows
            "x'' = 0",
            "tau1 = -m g sin(θ) cos(θ) - m l θ'^2 sin(θ)",
            "tau1 = -2 m g sin(θ) cos(θ) - m l θ'^2 sin(θ)",
        ),
    ],
)
def test_values_beside_a_force_are_conditions(system, values, right, wrong):
    verdict = system.check(f"{values}; {right}")
    assert verdict.status == "identical if"
    assert len(verdict.conditions) == len(verdict.taken) >= values.count("=") - values.count("= q2")
    assert system.check(f"{values}; {wrong}").status == "differs"


def test_the_accelerations_are_among_the_conditions():
    verdict = ARM.check(f"{REST}; tau2 = m2 a_g r2 cos(q1 + q2)")
    assert conditions(verdict) == ["qd1 = 0", "qd2 = 0", "qdd1 = 0", "qdd2 = 0"]
    chained = ARM.check("q1'' = q2'' = 0; q1' = q2' = 0; tau2 = m2 a_g r2 cos(q1 + q2)")
    assert sorted(conditions(chained)) == sorted(conditions(verdict))


def test_without_a_formula_for_a_force_an_acceleration_is_claimed():
    falling = vv.Lagrangian("x y", "m*(x'^2 + y'^2)/2", "m*g*y", parameters={"m": 1, "g": 9.81})
    assert falling.check("x'' = 0; y'' = -g", assume="tau1 = 0; tau2 = 0").is_identical
    assert falling.check("x'' = 0; y'' = g", assume="tau1 = 0; tau2 = 0").status == "differs"
    assert PENDULUM.check("tau = 0; θ'' = 0").status == "differs"


@pytest.mark.parametrize(
    ("system", "claim", "way"),
    [
        (ARM, "q2 = q1; M12 = I2 + m2 r2^2 + m2 L1 r2 cos(q1)", "give both a value, q2 = 0; q1"),
        (ARM, "q1' = q2'; tau2 = 0*q1''", "q1' in terms of q2' is no value"),
        (ORBIT, "r' = 0; r'' = 0; 2 m r^2 θ'' = tau2", "write them one by one"),
        (ORBIT, "r' = 0; m r θ'^2 = k/r^2", "write tau1 = .* q1'' = 0; tau1 = "),
    ],
)
def test_what_is_no_value_is_refused_with_the_way(system, claim, way):
    with pytest.raises(ArgumentError, match=way):
        system.check(claim)


def test_g_is_the_one_parameter_of_gravity(tmp_path):
    push = "tau2 = m2 q2'' - m2 q2 q1'^2 + {} m2 sin(q1)"
    verdict = SLIDE.check(f"g = 9.81; {push.format('g')}")
    assert verdict.is_identical
    assert verdict.taken == ("a_g = 9.81",)
    assert "g is a_g, the one parameter of gravity of rp_arm" in verdict.notes
    numbers = SLIDE.check(f"g = 9.81; {push.format('9.81')}")
    assert (numbers.is_identical, numbers.notes[:1]) == (True, verdict.notes[:1])
    assert SLIDE.check(f"g = 9.81; {push.format('2*g')}").status == "differs"
    with pytest.raises(ArgumentError, match="may be meant as a_g"):
        SLIDE.check(f"g = 2 m1; {push.format('g')}")
    sheet = tmp_path / "ann.txt"
    sheet.write_text("\n".join(["g = 9.81", *map(push.format, ("g", "9.81", "19.62"))]))
    found = gathered([sheet], SLIDE).verdicts(SLIDE, {})
    assert [x.status for x in found.values()] == ["definition", *["identical"] * 2, "differs"]


def test_lengths_in_values_are_the_mechanisms_own():
    points = "I_1 = 0; I_2 = 0; r_1 = l_1; r_2 = l_2; B(Θ) = [[-{} m_2 l_1 l_2 s_2], [0]]"
    right = ARM.check(points.format(2), shorthand=True)
    assert (right.status, conditions(right)) == ("identical if", ["I1 = 0", "I2 = 0"])
    assert ARM.check(points.format(1), shorthand=True).status == "differs"
    halves = "r_2 = l_2/2; x = l_1 cos(q1) + {} l_2 cos(q1 + q2); M22 = I2 + m2 l_2^2/4"
    assert ARM.check(halves.format(1)).is_identical
    assert ARM.check(halves.format(2)).status == "differs"


def test_a_new_length_in_a_value_stays_new():
    assert PENDULUM.check("l = L/2; V = -m g L cos(θ)/2").is_identical  # l is what it gives
    assert ARM.check("r2 = l2/2; x = L1 cos(q1) + L2 cos(q1 + q2)").is_identical
    assert ARM.check("r2 = l2 - L2; M22 = I2 + m2 (l2 - L2)^2").is_identical


@pytest.mark.parametrize("gamma", ["Gamma", "\\Gamma"])
def test_what_symbols_of_christoffel_mean_in_braces(gamma):
    spong = ARM.check(f"c_{{ijk}} = {gamma}_{{kij}}; c_{{121}} = -m2 L1 r2 sin(q2)")
    assert spong.is_identical
    assert "c_ijk = Gamma_kij" in spong.subject
    wrong = ARM.check(f"c_{{ijk}} = {gamma}_{{kij}}; c_{{112}} = -m2 L1 r2 sin(q2)")
    assert wrong.status == "differs"


@pytest.mark.parametrize(
    ("claim", "status"),
    [
        ("theta = 30°; theta'' = -g/(2 l)", "identical if"),
        ("theta = 45°; theta'' = -g sqrt(2)/(2 l)", "identical if"),
        ("theta = 60°; l theta'' + g sqrt(3)/2 = 0", "identical if"),
        ("theta = 60°; l theta'' + g sqrt(2)/2 = 0", "differs"),
        ("l theta'' + 2 g sin(theta) sin(pi/6) = 0", "identical"),
    ],
)
def test_roots_of_numbers_in_equations_without_a_force(claim, status):
    assert PENDULUM.check(claim).status == status


@pytest.mark.parametrize(
    ("system", "claim", "where"),
    [
        (PENDULUM, "l = 1; theta'' = -g sin(theta)", ["l = 1"]),
        (PENDULUM, "l = 2; theta'' = -(g/2) sin(theta)", []),
        (PENDULUM, "l = 4/2; g = 9.81; theta'' = -4.905 sin(theta)", []),
        (PENDULUM, "g = 10; l theta'' = -10 sin(theta)", []),
        (PENDULUM, "g = 9.8; l theta'' = -9.8 sin(theta)", []),
        (PENDULUM, "g = 1.62; l theta'' = -1.62 sin(theta)", ["g = 81/50"]),
        (PENDULUM.with_parameters(g=1.62), "g = 10; l theta'' = -10 sin(theta)", ["g = 10"]),
        (PENDULUM, "l = pi; pi theta'' = -g sin(theta)", ["l = pi"]),
        (PENDULUM, "l = 2 m^2; V = -2 m^3 g cos(theta)", []),
        (ARM, "r2 = 1; M22 = I2 + m2", ["r2 = 1"]),
        (ARM, "m2 = -1; M22 = I2 - r2^2", ["m2 = -1"]),
        (vv.Lagrangian("x", "m x'^2/2", parameters="m"), "m = 3; T = 3 x'^2/2", []),
        (vv.Lagrangian("x", "m x'^2/2", parameters="m"), "m = -3; T = -3 x'^2/2", ["m = -3"]),
        (vv.Lagrangian("x", "x'^2/2", "b x", parameters={"b": -2}), "b = -2; V = -2 x", []),
    ],
)
def test_another_value_than_the_systems_own_is_a_condition(system, claim, where):
    verdict = system.check(claim)
    assert conditions(verdict) == where
    assert verdict.is_identical is not bool(where)
    assert verdict.taken


BEAD = vv.Lagrangian(
    "s",
    "m s'^2/2 + m w^2 s^2 sin(alpha)^2/2",
    "m g s cos(alpha)",
    parameters="m w alpha g",
)
TOP = vv.Lagrangian(
    "phi theta psi",
    "A (theta'^2 + sin(theta)^2 phi'^2)/2 + C (psi' + phi' cos(theta))^2/2",
    "m g h cos(theta)",
    parameters="A C m g h",
)
STEADY = "A phi'^2 cos(theta) - C (psi' + phi' cos(theta)) phi' + m g h"
CUBIC = vv.Lagrangian("s", "m s'^2/2", "m (g s^2/2 - w^2 s^3/3)", parameters="m w g")


@pytest.mark.parametrize(
    ("system", "claim", "where", "of"),
    [
        (BEAD, "s'' = 0; w^2 s sin(alpha)^2 = g cos(alpha)", "s̈ = 0", "tau1"),
        (BEAD, "s'' = 0; s = g cos(alpha)/(w^2 sin(alpha)^2)", "s̈ = 0", "tau1"),
        (BEAD, "s' = s'' = 0; m w^2 s sin(alpha)^2 - m g cos(alpha) = 0", "ṡ = 0, s̈ = 0", "tau"),
        (TOP, f"theta'' = 0; {STEADY} = 0", "θ̈ = 0, sin(θ) ≠ 0", "tau2"),
        (TOP, f"theta'' = 0; sin(theta) ({STEADY}) = 0", "θ̈ = 0", "tau2"),
        (ORBIT, "r'' = 0; m r θ'^2 = k/r^2", "r̈ = 0", "tau1"),
        (ORBIT.with_passive("theta"), "r'' = 0; r^3 θ'^2 = k/m", "τ₁ = 0, r̈ = 0", "tau1"),
        (PENDULUM, "θ'' = 3; 3 l = -g sin(θ)", "θ̈ = 3", "tau1"),
        (PENDULUM, "θ'' = 0; sin(θ) = 0", "θ̈ = 0", "tau1"),
        (CUBIC, "s'' = 0; w^2 s = g", "s̈ = 0, s ≠ 0", "tau1"),
        (CUBIC, "s'' = 0; s (s - 1) (w^2 s - g) = 0", "s̈ = 0, s - 1 ≠ 0", "tau1"),
    ],
)
def test_a_balance_beside_given_accelerations_is_an_equation_of_motion(system, claim, where, of):
    for verdict in (system.check(claim), system.check(claim, of=of)):
        assert (verdict.status, verdict.where) == ("identical if", where)


@pytest.mark.parametrize(
    ("system", "claim"),
    [
        (BEAD, "s'' = 0; w^2 s sin(alpha) = g cos(alpha)"),
        (BEAD, "s'' = 0; s = g cos(alpha)/(w^2 sin(alpha))"),
        (BEAD, "s'' = 1; w^2 s sin(alpha)^2 = g cos(alpha)"),
        (TOP, f"theta'' = 0; {STEADY} = m g h"),
        (ORBIT, "r'' = 0; r^2 θ'^2 = k/m"),
        (CUBIC, "s'' = 0; s (w^2 s - 5 g) = 0"),
        (ORBIT, "θ'' = 0; r' (r - 1) = 0"),
    ],
)
def test_a_wrong_balance_differs(system, claim):
    verdict = system.check(claim)
    assert verdict.status == "differs"
    assert verdict.witness is not None


@pytest.mark.parametrize(
    ("system", "claim", "way"),
    [
        (PENDULUM, "θ'' = 0; m g l sin(θ) = m g", "not decided: write it with its force"),
        (PENDULUM, "θ'' = 0; cos(θ) = 0", "not decided: write it with its force"),
        (CUBIC, "s'' = 0; s (s - 1) = 0", "not decided: write it with its force"),
        (PENDULUM, "θ'' = 0; tau = 0; g sin(θ) = 0", "leave that out"),
        (TOP, f"phi'' = 0; {STEADY} = 0", "write them one by one"),
    ],
)
def test_balances_that_are_not_decided_are_refused(system, claim, way):
    with pytest.raises(ArgumentError, match=way):
        system.check(claim)


DRIVEN = vv.Lagrangian("x y", "m*(x'^2 + y'^2)/2", "m*g*y", parameters={"m": 1, "g": 9.81})
FALLING = DRIVEN.with_passive("y")
PULLED = vv.Lagrangian(
    "x y", "m*(x'^2 + y'^2)/2", "k*x^2/2 + F0*y", parameters="m k F0", passive="y"
)
PUSH = "tau1 = (M + m) x'' + m l θ'' cos(θ) - m l θ'^2 sin(θ)"


@pytest.mark.parametrize(
    ("system", "claim", "status", "where"),
    [
        (FALLING, "m x'' = tau1; y'' = -g", "identical", ""),
        (FALLING, "y'' = -g; x'' = tau1/m", "identical", ""),
        (FALLING, "m x'' = tau1; y'' = g", "differs", ""),
        (FALLING, "m x'' = tau1; y'' = -2 g", "differs", ""),
        (FALLING, "tau1 = m x''; y'' = -3", "differs", ""),
        (FALLING, "tau1 = m x''; y'' = 0", "differs", ""),
        (FALLING, "m = 2; tau1 = 2 x''; y'' = g", "differs", ""),
        (FALLING, "y' = 3; tau1 = m x''; y'' = -g", "identical if", "ẏ = 3"),
        (FALLING, "x'' = 2; tau1 = 2 m; y'' = -g", "identical if", "ẍ = 2"),
        (FALLING, "x'' = 2; tau1 = 2 m; y'' = g", "differs", ""),
        (PULLED, "x'' = 0; tau1 = k x; y'' = 0", "differs", ""),
        (DRIVEN, "tau1 = m x''; y'' = -g", "identical if", "τ₂ = 0"),
        (PULLED, "m x'' + k x = tau1; y'' = -F0/m", "identical", ""),
        (PULLED, "m x'' + k x = tau1; y'' = F0/m", "differs", ""),
        (CART, f"{PUSH}; θ'' = -g/l", "differs", ""),
        (PENDULUM, "tau = m l^2 θ'' + m g l sin(θ); θ'' = -g/l", "differs", ""),
        (
            PENDULUM,
            "θ = pi/2; tau = m l^2 θ'' + m g l; tau = 0; θ'' = -g/l",
            "identical if",
            "θ = 1/2 π",
        ),
        (CART, f"{PUSH}; θ'' = 0", "differs", ""),
        # at θ = 0 the pole needs x'' = 0 for it, which is a condition
        (
            CART,
            "θ = 0; x'' = 0; tau1 = (M + m) x'' + m l θ''; θ'' = 0",
            "identical if",
            "θ = 0, ẍ = 0",
        ),
    ],
)
def test_an_acceleration_that_no_other_statement_needs_is_claimed(system, claim, status, where):
    verdict = system.check(claim)
    assert verdict.status == status
    assert status == "differs" or verdict.where == where
