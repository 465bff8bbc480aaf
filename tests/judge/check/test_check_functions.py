"""Claims with functions of accelerations and forces, or not linear in them: no false status."""

import pytest
import sympy

import visviva as vv
from visviva.errors import ArgumentError, ShapeError, UnknownNameError
from visviva.judge.check.compare import combinations
from visviva.judge.exact.residues import PRIME

FREE = vv.Lagrangian("x y", "(x'^2 + y'^2)/2", "0")
SPRINGS = vv.Lagrangian(
    "x y", "m*(x'^2 + y'^2)/2", "k*x^2/2 + k*y^2/2", parameters={"m": 1.0, "k": 2.0}
)
SINGULAR = vv.Lagrangian(
    "x y z", "(y' + z')^2/2 + x'^2/2", "k*x^2/2 + k*y^2/2", parameters={"k": 2.0}
)
CART = vv.catalog.cart_pole()
E1, E2 = CART.closed_form().equations


def zero(*names):
    return tuple(sympy.Eq(sympy.Symbol(x), 0) for x in names)


@pytest.mark.parametrize(
    "more",
    ["/abs(y'')", "*exp(1/y'')", "/sin(y'')", "/tan(y'')", "*log(y'')", "*y''/y''", "*y''^(-1)*y''",
     "/(sqrt(4 + y'') - 2)", "/(sqrt(9 + 3*y'') - sqrt(9))", "*log(abs(y''))", "/sqrt(abs(y''))"],
)  # fmt: skip
def test_what_divides_by_zero_under_the_condition_is_no_proof(more):
    for claim in (f"tau1 = x'' + y''{more}", f"tau1 - x'' = y''{more}"):
        with pytest.raises(ArgumentError, match="are zero"):
            FREE.check(claim)


@pytest.mark.parametrize("more", ["abs(y'')", "sin(y'')", "cos(y'') - 1", "y''^2", "exp(y'') - 1"])
def test_what_is_zero_under_the_condition_is_proved(more):
    for claim in (f"tau1 = x'' + {more}", f"tau1 - x'' = {more}"):
        verdict = FREE.check(claim)
        assert (verdict.status, verdict.conditions) == ("identical if", zero("tau2"))


@pytest.mark.parametrize(
    "more", ["(m y'' + k y)^2", "(m y'' + k y)*x''", "abs(m y'' + k y)", "sqrt(m y'' + k y)"]
)
def test_a_claim_that_is_not_linear_in_what_is_zero_holds_there(more):
    verdict = SPRINGS.check(f"tau1 = m x'' + k x + {more}")
    assert (verdict.status, verdict.conditions) == ("identical if", zero("tau2"))
    assert SPRINGS.check(f"tau1 = m x'' + k x + {more}", assume="tau2 = 0").is_identical


@pytest.mark.parametrize(
    "more", ["(m y'' + k x)^2", "x''*y''", "abs(y'')", "cos(m y'' + k y)", "(m y'' - k y)*x''"]
)
def test_a_claim_that_is_not_linear_differs_where_it_does_not_hold(more):
    verdict = SPRINGS.check(f"tau1 = m x'' + k x + {more}")
    assert (verdict.status, verdict.conditions) == ("differs", ())


def test_only_those_forces_are_conditions_that_have_to_be_zero():
    three = vv.Lagrangian("x y z", "(x'^2 + y'^2 + z'^2)/2", "0")
    assert three.check("tau1 = x'' + z''^2").conditions == zero("tau3")
    assert three.check("tau1 = x'' + z''^2 + abs(y'')").conditions == zero("tau2", "tau3")


def test_forces_inside_functions_are_refused_or_zero():
    for claim in ("tau1 = x'' + abs(tau2) - abs(y'')", "tau1 = x'' + sin(tau2)"):
        with pytest.raises(ArgumentError, match="linear in the generalized forces"):
            FREE.check(claim)
    for more in ("abs(tau2)", "sin(tau2)", "x sqrt(tau2)", "tau2^2"):
        assert FREE.check(f"tau2 = 0; tau1 = x'' + {more}").is_identical
        assert FREE.check(f"tau1 = x'' + {more}", assume="tau2 = 0").is_identical
        assert FREE.with_passive(["y"]).check(f"tau1 = x'' + {more}").is_identical
        assert FREE.check(f"x'' = tau1 - {more}", assume="tau2 = 0").is_identical
    with pytest.raises(ArgumentError, match="zero"):
        FREE.check("tau1 = x'' + 1/tau2", assume="tau2 = 0")


def test_what_is_solved_for_an_acceleration_says_nothing_of_forces():
    m, k, x, xdd = sympy.symbols("m k x xdd")
    for claim in ("x'' = -k x/m", "-k x/m = x''", sympy.Eq(-k * x / m, xdd)):
        verdict = SPRINGS.check(claim)
        assert (verdict.status, verdict.conditions) == ("identical if", zero("tau1"))
    assert SPRINGS.check("x'' = -k x/m", of="tau1").conditions == zero("tau1")
    assert SPRINGS.check("x'' = -k x/m", assume="tau1 = 0").is_identical
    assert SPRINGS.with_passive(["x"]).check("x'' = -k x/m").is_identical
    both = SPRINGS.check("x'' = -k x/m; y'' = -k y/m")
    assert (both.status, both.conditions) == ("identical if", zero("tau1", "tau2"))
    for claim in ("x'' + k x/m = 0", "m x'' = -k x", "0 = m x'' + k x"):
        assert SPRINGS.check(claim).is_identical
    for claim in ("x'' = 0", "0 = x''"):
        verdict = FREE.check(claim)
        assert (verdict.status, verdict.conditions) == ("identical if", zero("tau1"))


def test_a_singular_mass_matrix_is_no_reason_to_differ():
    for claim in (
        "tau1 = x'' + k x + x (y'' + z'' + k y)",
        "tau1 - x'' = k x + x (y'' + z'' + k y)",
    ):
        verdict = SINGULAR.check(claim)
        assert (verdict.status, verdict.conditions) == ("identical if", zero("tau2"))
    assert SINGULAR.check("tau1 = x'' + k x + x (y'' + z'')").conditions == zero("tau3")
    assert SINGULAR.check("tau1 = x'' + 7 k x").status == "differs"
    assert SINGULAR.check("tau1 = x'' + k x + (y'' + z'')^2").conditions == zero("tau3")
    with pytest.raises(ArgumentError, match="combination"):
        SINGULAR.check("tau1 = x'' + k x + y")  # both forces zero: y = 0
    with pytest.raises(ArgumentError, match="singular"):
        SINGULAR.check("tau1 = x'' + k x + y^2 + y''^2")


def test_of_says_which_equation_it_is():
    assert CART.check(f"{E2} = 0", of="tau2").is_identical
    wrong = CART.check(f"{E2} = 0", of="tau1")
    assert (wrong.status, wrong.subject) == ("differs", "equation 1")
    wrong = SPRINGS.check("m x'' + k x = 0", of="tau2")
    assert (wrong.status, wrong.subject) == ("differs", "equation 2")
    assert SPRINGS.check("m x'' + k x = 0", of="tau1").is_identical
    assert SPRINGS.check("m x'' + k x = 0", of="equations").is_identical
    both = SPRINGS.check("m x'' + k x + m y'' + k y = 0", of="tau1")
    assert both.conditions == zero("tau1", "tau2")
    assert SPRINGS.check("m x'' + k x - tau1 = 0", of="tau1").is_identical
    with pytest.raises(ArgumentError, match=r"tau2 in the equation, of= says equation 1"):
        SPRINGS.check("m y'' + k y - tau2 = 0", of="tau1")
    with pytest.raises(ArgumentError, match="of= says the mass matrix"):
        SPRINGS.check("m x'' + k x = 0", of="mass_matrix")
    with pytest.raises(ArgumentError, match="of= says the mass matrix"):
        SPRINGS.check("x'' = -k x/m", of="mass_matrix")
    with pytest.raises(UnknownNameError, match="tau3"):
        SPRINGS.check("m x'' + k x = 0", of="tau3")
    with pytest.raises(ShapeError, match="2 equations"):
        SPRINGS.check("[[m x'' + k x], [m y'' + k y]] = [[0], [0]]", of="tau1")


def test_a_passive_force_is_zero_wherever_it_is_written():
    free = CART.with_passive([])
    for claim in (f"tau1 + tau2 = {E1}", f"tau1 + tau2 = {E1 - E2}", f"{E2} = 5 tau2"):
        assert CART.check(claim).is_identical
        assert free.check(claim, assume="tau2 = 0").is_identical
        assert free.check(claim).status == "differs"


def test_factors_that_are_zero_are_no_forces():
    with pytest.raises(ArgumentError, match="both sides are the same"):
        SPRINGS.check("(sqrt(m)^2 - m)*tau1 = 0")
    assert SPRINGS.check("(sqrt(m)^2 - m)*tau1 + m y'' + k y = 0").is_identical


def test_a_proof_that_fails_with_numbers_is_done_without_them(monkeypatch):
    """Numbers for names on which factors do not depend may make a determinant zero."""
    asked = []

    def zeros(M, r, equations):
        asked.append(M)
        return lambda p: p - p

    monkeypatch.setattr(combinations, "_fixed", zeros)
    verdict = CART.with_passive([]).check(f"cos(theta)*({E1}) + x*({E2}) = 0")
    assert asked
    assert (verdict.status, verdict.conditions[:2]) == ("identical if", zero("tau1", "tau2"))
    assert str(verdict.conditions[2]) == "Ne(x**2 + cos(theta)**2, 0)"  # else it says nothing


def test_a_factor_that_is_zero_modulo_the_prime_is_found():
    m, k, x, xdd, y, ydd = sympy.symbols("m k x xdd y ydd")
    claim = sympy.Eq(x * (m * xdd + k * x) + PRIME * (m * ydd + k * y), 0)
    assert SPRINGS.check(claim).conditions == zero("tau1", "tau2")


def test_a_point_where_the_mass_matrix_is_singular_does_not_make_it_so(monkeypatch):
    """One of the random points has M of lower rank there."""
    honest = combinations.Equations.at

    def unlucky(self, seed):
        point, rows = honest(self, seed)
        return (point, [rows[0], rows[0]]) if seed == combinations.SEEDS[0] else (point, rows)

    monkeypatch.setattr(combinations.Equations, "at", unlucky)
    assert SPRINGS.check("x'' = -k x/m + y", assume="tau1 = 0").status == "differs"


def test_symbols_that_displace_a_name_say_what_that_one_is():
    arm = vv.catalog.two_link()
    with pytest.raises(ArgumentError, match="r2 is a name of 'two_link'"):
        arm.check("M22 = I2 + m2 r2^2", symbols={"r2": "L2"})
    with pytest.raises(ArgumentError, match="tau2 is a name"):
        arm.check("M22 = I2 + m2 r2^2", symbols={"tau2": "tau1"})
    swapped = {"r2": "L2", "L2": "r2"}
    assert arm.check("M22 = I2 + m2 L2^2", symbols=swapped).is_identical
    wrong = arm.check("M22 = I2 + m2 r2^2", symbols=swapped)
    m2, L2, r2 = sympy.symbols("m2 L2 r2")
    assert (wrong.missing, wrong.extra) == (m2 * L2**2, m2 * r2**2)
    assert arm.check("M22 = I2 + m2 r2^2", symbols={"r2": "r2"}).is_identical


@pytest.mark.parametrize(
    "claim",
    [
        "sqrt(k/m) = sqrt(k)/sqrt(m)",
        "sqrt(k m) = m sqrt(k/m)",
        "sqrt(4 k/m^3) = 2 sqrt(k/m)/m",
        "sqrt(k m + k^2) = sqrt(k) sqrt(k + m)",
        "sqrt(k/(m + k)) = sqrt(k)/sqrt(m + k)",
        "(k/m)^(3/2) = k sqrt(k)/(m sqrt(m))",
        "sqrt(m^2 x^2 + m^2) = m sqrt(x^2 + 1)",
        "sqrt(0.18) = 3 sqrt(2)/10",
        "sqrt(6)/3 = sqrt(2/3)",
        "sqrt(44521) = 211",
        "sin(pi/2) = 1",
    ],
)
def test_roots_of_parameters_are_proved(claim):
    verdict = SPRINGS.check(claim, of="identity")
    assert verdict.is_identical
    named = [
        n for n in verdict.notes if n.startswith("under roots parameters are taken as positive")
    ]
    assert len(named) == ("k" in claim or "m" in claim)


def test_roots_of_parameters_are_proved_in_equations():
    free = "omega = sqrt(k/m); sqrt(m) x'' + sqrt(k) omega x = 0"
    assert SPRINGS.check(free).is_identical
    assert SPRINGS.check("omega = sqrt(k/m); V = m omega^2 (x^2 + y^2)/2").is_identical
    assert SPRINGS.check("omega = sqrt(m/k); m x'' + m omega^2 x = 0").status == "differs"


def test_roots_are_not_positive_beyond_parameters():
    """Coordinates and parameters with a negative value have any sign."""
    assert SPRINGS.check("sqrt(k x^2) = x sqrt(k)", of="identity").status == "differs"
    odd = vv.Lagrangian("x", "m*x'^2/2", "c*x", parameters={"m": 1.0, "c": -2.0})
    assert odd.check("sqrt(c^2 x^2) = c sqrt(x^2)", of="identity").status != "identical"


def test_signs_are_told_apart_where_parameters_are_of_any_size():
    """M12 is negative only where r2 is small beside L1."""
    verdict = vv.catalog.two_link().check("M12 = |I2 + m2 r2^2 + m2 L1 r2 cos(q2)|")
    assert verdict.status == "differs"
    assert verdict.witness.truth == -verdict.witness.claim
