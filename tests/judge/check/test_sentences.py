"""Words around formulas, intermediate lines of homework, spellings of programs, rounded numbers."""

import pytest

import visviva as vv
from visviva.errors import ArgumentError, ParseError

ARM = vv.catalog.two_link()
PLANE = vv.Lagrangian("x y", "m*(x'^2 + y'^2)/2", "m*g*y", parameters="m g")
PENDULUM = vv.Lagrangian(
    "theta",
    "m l^2 theta'^2/2",
    "-m g l cos(theta)",
    parameters={"m": 1, "l": 1, "g": 9.81},
    passive="theta",
)
MASS = vv.Lagrangian(
    "x",
    "m x'^2/2",
    "k x^2/2",
    dissipation="c x'^2/2",
    parameters={"m": 1, "k": 4, "c": 0.1},
    passive="x",
)
KEPLER = vv.Lagrangian(
    "r phi",
    "mu (r'^2 + r^2 phi'^2)/2",
    "-k/r",
    parameters={"mu": 1.0, "k": 1.0},
    passive="r phi",
)
ATWOOD = vv.Lagrangian(
    "x1 x2",
    "m1 x1'^2/2 + m2 x2'^2/2",
    "-m1 g x1 - m2 g x2",
    parameters={"m1": 2, "m2": 1, "g": 9.81, "l": 1},
    constraints="x1 + x2 = l",
    passive="x1 x2",
)
H = "h = -m2 L1 r2 sin(q2)"
C = "C = [[h q2', h (q1' + q2')], [-h q1', 0]]"
STRETCHED = "I2 + m2 r2 (L1 + r2)"
SPEEDS = (
    "v1^2 = r1^2 q1'^2; v2^2 = L1^2 q1'^2 + r2^2 (q1' + q2')^2 + 2 L1 r2 cos(q2) q1' (q1' + q2'); "
)


@pytest.mark.spread(8)
@pytest.mark.parametrize(
    "claim",
    [
        f"Let {H}. Then {C}",
        f"let {H}; {C}",
        rf"\text{{Let }} {H}; {C}",
        f"{C} where {H}",
        "M' - 2C is skew-symmetric",
        r"\dot{M}(q) - 2C(q,\dot q) is skew-symmetric",
        "M is a symmetric matrix",
        "Mdot = C + C^T",
        "tr M = I1 + 2 I2 + m1 r1^2 + m2 (L1^2 + 2 L1 r2 cos q2 + 2 r2^2)",
        r"\operatorname{tr}(M) = I1 + 2 I2 + m1 r1^2 + m2 (L1^2 + 2 L1 r2 \cos q2 + 2 r2^2)",
        "v = J q'",
        "x' = J q'",
        r"\dot{x} = J\dot{q}",
        "x' = J11 q1' + J12 q2'",
        "J11 = ∂x/∂q1",
        "J = [[∂x/∂q1, ∂x/∂q2], [∂y/∂q1, ∂y/∂q2]]",
        "v = [-L1 sin q1 q1' - L2 sin(q1+q2)(q1'+q2'), L1 cos q1 q1' + L2 cos(q1+q2)(q1'+q2')]",
        "v = [-m2 L1 r2 sin q2 (2 q1' q2' + q2'^2), m2 L1 r2 sin(q2) q1'^2]",
        SPEEDS + "T = m1 v1^2/2 + m2 v2^2/2 + I1 q1'^2/2 + I2 (q1' + q2')^2/2",
        "M = {{I1+I2+m1 r1^2+m2 (L1^2+r2^2+2 L1 r2 Cos[q2]), I2+m2 r2 (r2+L1 Cos[q2])},"
        "{I2+m2 r2 (r2+L1 Cos[q2]), I2+m2 r2^2}}",
    ],
)
def test_right_for_an_arm(claim):
    assert ARM.check(claim).is_identical


@pytest.mark.parametrize(
    "claim",
    [
        "C is skew-symmetric",
        "tr M = I1 + I2",
        "J11 = ∂y/∂q1",
        "v = 2 J q'",
        SPEEDS + "T = m1 v1^2/2 + m2 v2^2 + I1 q1'^2/2 + I2 (q1' + q2')^2/2",
        f"Let {H}. Then {C.replace('-h', 'h')}",
    ],
)
def test_wrong_for_an_arm(claim):
    assert ARM.check(claim).status == "differs"


@pytest.mark.parametrize(
    "claim",
    [
        "M12 = {} for q2 = 0",
        "For q2 = 0: M12 = {}",
        "if q2 = 0 then M12 = {}",
        "at q2 = 0, M12 = {}",
        r"M_{{12}} = {} \quad \text{{for }} q_2 = 0",
        r"\left. M_{{12}} \right|_{{q_2 = 0}} = {}",
        "M12|_{{q2=0}} = {}",
    ],
)
def test_values_of_coordinates_in_words(claim):
    verdict = ARM.check(claim.format(STRETCHED))
    assert (verdict.status, str(verdict.conditions[0])) == ("identical if", "Eq(q2, 0)")
    assert ARM.check(claim.format("I2 + m2 r2 L1")).status == "differs"


@pytest.mark.spread(11)
@pytest.mark.parametrize(
    ("system", "claim"),
    [
        (PENDULUM, "let w0 = sqrt(g/l); theta'' + w0^2 sin theta = 0"),
        (PENDULUM, "w0^2 = g/l; theta'' + w0^2 sin theta = 0"),
        (PENDULUM, "x = l sin θ; y = -l cos θ; v^2 = x'^2 + y'^2; T = m v^2/2"),
        (PENDULUM, "theta' = omega; omega' = -(g/l) sin theta"),
        (PENDULUM, r"\ddot\theta = -\frac{g}{l}\sin\theta \quad\text{(pendulum)}"),
        (MASS, "x' = v; v' = -(k/m) x - (c/m) v"),
        (MASS, "beta = c/(2 m); x'' + 2 beta x' + (k/m) x = 0"),
        (MASS, "x'' + 2 delta x' + omega_0^2 x = 0 with delta = c/(2m) and omega_0^2 = k/m"),
        (MASS, "m*diff(x(t),t,2) + c*diff(x(t),t) + k*x(t) = 0"),
        (MASS, "m*diff(x(t),t$2) + c*diff(x,t) + k*x = 0"),
        (MASS, "m*diff(x,t,t) + c*diff(x,t) + k*x = 0"),
        (MASS, "m D[x[t],{t,2}] + c D[x[t],t] + k x[t] == 0"),
        (MASS, "m Derivative[2][x][t] + c x'[t] + k x[t] == 0"),
        (MASS, "m*Derivative(x(t), (t, 2)) + c*Derivative(x(t), t) + k*x(t) = 0"),
        (PENDULUM, "theta'' = -g/l*np.sin(theta)"),
        (PENDULUM, "V = -m.*g.*l.*math.cos(theta)"),
        (PENDULUM, "T = m.*l.^2.*theta'.^2./2"),
        (PLANE, "M = m*eye(2)"),
        (PLANE, "M = m I"),
        (PLANE, "M = m*np.array([[1, 0], [0, 1]])"),
        (KEPLER, "u = 1/r; h = r^2 phi'; r' = -h u'/phi'"),
        (KEPLER, "r^2 phi' = const"),
        (KEPLER, r"p_\phi = \mu r^2 \dot\phi = \text{const.}"),
        (KEPLER, "p_phi is conserved"),
        (PENDULUM, "E = m l^2 theta'^2/2 - m g l cos(theta) = const"),
        (PENDULUM, "T + V is constant"),
        (ATWOOD, "T = -lambda1; m1 x1'' = m1 g - T; m2 x2'' = m2 g - T"),
    ],
)
def test_lines_of_homework(system, claim):
    assert system.check(claim).is_identical


@pytest.mark.parametrize(
    ("system", "claim"),
    [
        (PENDULUM, "w0^2 = g/l; theta'' + w0^4 sin theta = 0"),
        (PENDULUM, "theta' = omega; omega' = (g/l) sin theta"),
        (PLANE, "M = 2*m*np.eye(2)"),
        (PENDULUM, "T = const"),
        (PENDULUM, "m l^2 theta'^2/2 + m g l cos(theta) = const"),
        (KEPLER, "r phi' = const"),
        (KEPLER, "p_r = mu r' = const"),
        (MASS, "E is conserved"),
        (MASS, "x' = v; v' = -(k/m) x + (c/m) v"),
        (MASS, "m*diff(x(t),t,2) + c*diff(x(t),t) - k*x(t) = 0"),
    ],
)
def test_wrong_lines_of_homework(system, claim):
    assert system.check(claim).status == "differs"


@pytest.mark.parametrize(
    ("system", "claim", "way"),
    [
        (ARM, "M = M'", "M = M^T"),
        (ARM, "M is positive definite", "det M"),
        (ARM, "M12|_0 = 3", "q = 0; M12 = ..."),
        (ARM, "J = ∂p/∂q", "∂x/∂q1"),
        (ARM, "M22 = I2 + m2 zeta^2", "symbols={'zeta'"),
        (PENDULUM, "T = 2 pi sqrt(l/g)", "x.frequency for x in system.linearize(q).modes"),
        (PENDULUM, "ω_0² = g/l", "x.frequency for x in system.linearize(q).modes"),
        (ARM, "omega_2 = q1' + q2'", "phi_e' = ..."),
        (KEPLER, "mu r^2 phi' = l", "write mu r^2 phi' = const"),
        (KEPLER, "h = r^2 phi'", "write r^2 phi' = const"),
        (KEPLER, "r = const", "r' = 0; r'' = 0"),
        (
            KEPLER,
            "mu r'' - mu r phi'^2",
            "write ... = 0, or say which equation of motion it is, of='tau1'",
        ),
        (PENDULUM, "cos(theta) = g/l", "system.equilibria()"),
        (PLANE, "M = [[m, 0], [0, m]].*[[1, 2], [3, 1]]", "entry by entry"),
        (PLANE, "tau = M.*q''", "entry by entry"),
        (PENDULUM, "x = l sin θ; θ'' = -(g/l) sin θ", "leave it out"),
        (KEPLER, "u = 1/r; h = r^2 phi'; r' = -h du/dphi", "u'/phi'"),
        (ATWOOD, "m1 x1'' = m1 g - T; m2 x2'' = m2 g - T", "T = -lambda1"),
        (ATWOOD, "m1 x1'' = m1 g - S; m2 x2'' = m2 g - S", "S = -lambda1"),
    ],
)
def test_what_is_not_clear_names_the_way(system, claim, way):
    with pytest.raises((ArgumentError, ParseError)) as error:
        system.check(claim)
    assert way in str(error.value)


def test_constants_of_the_motion_have_conditions_on_forces():
    assert ARM.check("E = const").where == "τ₁ = 0, τ₂ = 0"
    assert ARM.check("M22 = const").is_identical
    assert ARM.check("M12 = const").status == "differs"


def test_rounded_numbers():
    values = "m2 = 1; r2 = 0.4; a_g = 9.81; q1 = 0.5; q2 = 0.3; "
    for sign in ("=", "≈"):
        verdict = ARM.check(f"{values} g2 {sign} 2.734")
        assert (verdict.status, verdict.digits) == ("agrees numerically", 4)
        assert "2.733877" in verdict.notes[-1]
    assert "a number is rounded" in verdict.explanation
    assert ARM.check(f"{values} g2 = 2.735").status == "differs"
    assert ARM.check(f"{values} g2 = 2.733").status == "differs"


FALLING = vv.Lagrangian("x y", "m (x'^2 + y'^2)/2", "m g y", parameters="m g")
ON_A_PLANE = vv.Lagrangian(
    "x y z", "m (x'^2 + y'^2 + z'^2)/2", "m g y", constraints="y = 2 x", parameters="m g"
)


@pytest.mark.parametrize(
    ("system", "claim", "where"),
    [
        (FALLING, "x' = const", "τ₁ = 0"),
        (FALLING, "m x' = const", "τ₁ = 0"),
        (FALLING, "p_x = const", "τ₁ = 0"),
        (FALLING, "y' + g t = const", "τ₂ = 0"),
        (FALLING, "E = const", "τ₁ = 0, τ₂ = 0"),
        (vv.catalog.spherical_pendulum(), "p_phi is conserved", "τ₂ = 0"),
        (ON_A_PLANE, "m z' = const", "τ₃ = 0"),
        (ON_A_PLANE, "p_z = const", "τ₃ = 0"),
    ],
)
def test_what_is_conserved_says_nothing_of_forces(system, claim, where):
    verdict = system.check(claim)
    assert (verdict.status, verdict.where) == ("identical if", where)
    assert system.check(claim, assume=where.replace(",", ";")).is_identical


def test_of_one_coordinate_too_what_drives_it_is_a_condition():
    free = vv.Lagrangian("x", "m x'^2/2", parameters="m")
    for claim in ("p = const", "x' = const", "E = const"):
        verdict = free.check(claim)
        assert (verdict.status, verdict.where) == ("identical if", "τ₁ = 0")
        assert free.with_passive("x").check(claim).is_identical


HELD = vv.Lagrangian(
    "x y",
    "m (x'^2 + y'^2)/2",
    "m g y",
    constraints="x^2 + y^2 = l^2",
    parameters="m g l",
    passive="x y",
)
DRIVEN = vv.Lagrangian("x", "m x'^2/2", "k x^2/2", parameters="m k")


@pytest.mark.parametrize(
    ("system", "claim"),
    [
        (HELD, "E + lambda = const"),
        (HELD, "lambda (x'^2 + y'^2 + 2 g y) = const"),
        (HELD, "d/dt(lambda x) = lambda x'"),
        (HELD, "lambda = const"),
        (HELD, "lambda' = 3 m g y'/(2 l^2)"),
        (DRIVEN, "E - tau x = const"),
        (DRIVEN, "d/dt(tau x) = tau x'"),
        (DRIVEN, "tau = const"),
        (vv.catalog.two_link(), "E - tau1 q1 - tau2 q2 = const"),
    ],
)
def test_forces_and_multipliers_are_not_constant(system, claim):
    with pytest.raises(ArgumentError, match="in no equation"):
        system.check(claim)
    assert HELD.check("F = m (g y - x'^2 - y'^2)/(2 l^2); F - 3 m g y/(2 l^2) = const").is_identical
    assert DRIVEN.check("dE/dt = tau x'").is_identical
