"""Claims that hold only where forces which they leave out are zero: said so, never in silence."""

import json

import pytest
import sympy
from typer.testing import CliRunner

import visviva as vv
from visviva.cli import app
from visviva.errors import ArgumentError, UnknownNameError, VisvivaError
from visviva.judge.check.files import load_claims, verdicts

ARM = vv.catalog.two_link()
E1, E2 = ARM.closed_form().equations
CART = vv.catalog.cart_pole()  # theta = 0 hangs, and nothing drives it
FREE = CART.with_passive([])
PULL = "m sin(theta) (l theta'^2 + g cos(theta))"
CART_X = f"x'' = (tau1 + {PULL})/(M + m sin(theta)^2)"


def zero(*names):
    return tuple(sympy.Eq(sympy.Symbol(x), 0) for x in names)


def test_a_difference_of_two_equations_is_no_proof_of_one():
    verdict = ARM.check(sympy.Eq(sympy.Symbol("tau1"), E1 - E2))
    assert verdict.status == "identical if"
    assert verdict.conditions == zero("tau2")
    assert not verdict.is_identical


def test_a_forgotten_force_in_an_acceleration_is_a_condition():
    M, h = ARM.closed_form().mass_matrix, sympy.Matrix([E1, E2]).subs({"qdd1": 0, "qdd2": 0})
    tau = sympy.Matrix(sympy.symbols("tau1 tau2"))
    solved = M.inv() * (tau - h)
    whole = ARM.check(sympy.Eq(sympy.Symbol("qdd1"), solved[0]))
    assert whole.is_identical
    forgotten = solved[0].subs({"tau2": 0})
    verdict = ARM.check(sympy.Eq(sympy.Symbol("qdd1"), forgotten))
    assert (verdict.status, verdict.conditions) == ("identical if", zero("tau2"))
    neither = ARM.check(sympy.Eq(sympy.Symbol("qdd1"), forgotten.subs({"tau1": 0})))
    assert neither.conditions == zero("tau1", "tau2")


def test_the_condition_is_in_everything_that_is_shown():
    verdict = ARM.check({"tau1": E1 - E2})
    assert str(verdict).startswith("identical if τ₂ = 0: ")
    assert "identical if τ₂ = 0" in repr(verdict)
    assert "only where τ₂ = 0" in verdict.explanation
    data = json.loads(json.dumps(verdict.as_dict()))
    assert (data["status"], data["conditions"]) == ("identical if", ["tau2 = 0"])
    assert "identical if τ₂ = 0" in verdict._repr_html_()


def test_the_command_ends_with_one_unless_the_force_is_assumed_zero():
    asked = ["check", "two_link", f"tau1 = {E1 - E2}"]
    run = CliRunner().invoke
    plain = run(app, asked)
    assert plain.exit_code == 1
    assert plain.output.startswith("identical if τ₂ = 0")
    (data,) = json.loads(run(app, [*asked, "--json"]).output)
    assert (data["status"], data["conditions"]) == ("identical if", ["tau2 = 0"])
    assumed = run(app, [*asked, "--assume", "tau2 = 0"])
    assert assumed.exit_code == 0
    assert assumed.output.startswith("identical: ")


def test_files_of_claims_may_assume_forces_to_be_zero(tmp_path):
    path = tmp_path / "claims.toml"
    claims = f'[mechanism]\ncatalog = "two_link"\n[claims]\ntau1 = "{E1 - E2}"\n'
    path.write_text(claims)
    said = load_claims(path)
    assert verdicts(said.system, said.claims, said.options)["tau1"].status == "identical if"
    answer = CliRunner().invoke(app, ["check", "--file", str(path)])
    assert answer.exit_code == 1
    path.write_text(f'{claims}[options]\nassume = "tau2 = 0"\n')
    said = load_claims(path)
    assert verdicts(said.system, said.claims, said.options)["tau1"].is_identical


def test_several_files_are_counted_apart(tmp_path):
    lines = tmp_path / "claims.txt"
    lines.write_text(f"tau1 = {E1 - E2}\nM22 = I2 + m2 r2^2\n")
    answer = CliRunner().invoke(app, ["check", "two_link", "--file", str(lines)])
    assert "1 of 2 claims are identical, 1 more if forces that they leave out are zero" in (
        answer.output
    )


def test_a_claim_states_a_force_as_zero_where_it_writes_that_equation():
    for claim in (f"{E2} = 0", f"0 = m1*({E2})", f"I1*({E2})/m2 = 0"):
        verdict = ARM.check(claim)
        assert verdict.is_identical, str(verdict)
        assert not verdict.conditions
        assert "the claim says τ₂ = 0: two_link can be driven there" in verdict.notes
    assert not any("driven" in x for x in ARM.check(f"{E2} = 0", assume="tau2 = 0").notes)
    combined = ARM.check(f"{E1 + E2} = 0")
    assert combined.conditions == zero("tau1", "tau2")


def test_an_equation_of_one_coordinate_needs_no_condition_but_a_note():
    pendulum = vv.catalog.pendulum(1)
    for claim in ("l1 theta1'' = -g sin(theta1)", "theta1'' = -(g/l1) sin(theta1)"):
        verdict = pendulum.check(claim)
        assert verdict.is_identical
        assert verdict.notes[1:] == ("the claim says τ₁ = 0: pendulum can be driven there",)
        assert not pendulum.check(claim, assume="tau1 = 0").notes[2:]


def test_conditions_are_given_by_the_claim():
    difference = f"tau1 = {E1 - E2}"
    for said in (f"tau2 = 0; {difference}", f"{difference}; 0 = tau2", f"u2 = 0; {difference}"):
        verdict = ARM.check(said)
        assert verdict.is_identical, str(verdict)
    assert FREE.check(f"tau2 = 0; {CART_X}").is_identical
    used = f"tau2 = 0; x'' = (tau1 + 7 tau2 + {PULL})/(M + m sin(theta)^2)"
    assert FREE.check(used).is_identical


def test_an_equation_written_zero_gives_the_condition_to_the_other_statements():
    verdict = ARM.check(f"tau1 = {E1 - E2}; {E2} = 0")
    assert [p.status for p in verdict.parts] == ["identical", "identical"]
    assert verdict.is_identical
    assert "another statement" in verdict.parts[0].notes[-1]
    wrong = ARM.check(f"tau1 = {E1 - E2}; {2 * E2 + E1} = 0")
    assert [p.status for p in wrong.parts] == ["identical if", "differs"]  # tau1 acts


def test_conditions_are_given_by_the_system():
    assert CART.check(CART_X).is_identical
    assert "cart_pole states" in CART.check(CART_X).notes[-1]
    assert FREE.check(CART_X).conditions == zero("tau2")
    acrobot = vv.catalog.acrobot()
    one, two = acrobot.closed_form().equations
    assert acrobot.check(f"tau2 = {two - 3 * one}").is_identical
    assert acrobot.check(f"tau1 = {one - 3 * two}").conditions == zero("tau2")
    sliding = CART.check(f"x'' = {PULL}/(M + m sin(theta)^2)")
    assert sliding.conditions == zero("tau1")


def test_passive_forces_keep_their_entries():
    """What a claim writes down is judged: the entry of a passive joint is its equation."""
    one, two = CART.closed_form().equations
    assert CART.check({"tau2": two}).is_identical
    assert CART.check({"tau2": 2 * two}).is_identical  # 0 = 2 (...) is that equation too
    assert CART.with_passive([]).check({"tau2": 2 * two}).status == "differs"
    assert CART.check(f"{one} = tau1; {two} = tau2").is_identical
    with pytest.raises(ArgumentError, match="nothing is claimed"):
        CART.check("tau2 = 0")


def test_conditions_are_given_by_assume():
    assert FREE.check(CART_X, assume="tau2 = 0").is_identical
    assert FREE.check(CART_X, assume="0 = u2").is_identical
    both = f"x'' = {PULL}/(M + m sin(theta)^2)"
    assert FREE.check(both, assume="tau1 = 0; tau_theta = 0").is_identical
    assert FREE.check(both, assume="tau2 = 0").conditions == zero("tau1")
    assert FREE.check(both, assume="tau1 = tau2 = 0").is_identical
    assert "as was said" in FREE.check(CART_X, assume="tau2 = 0").notes[-1]


@pytest.mark.parametrize(
    "text", ["m = 2", "tau2 = 1", "tau2 = tau1", "tau2", "x = 0", "tau3 = 0", "theta'' = 0", 3]
)
def test_what_else_may_be_assumed_is_refused(text):
    with pytest.raises(VisvivaError, match=r"assume=|tau_?3"):
        FREE.check(CART_X, assume=text)


def test_a_wrong_acceleration_is_compared_where_the_right_one_holds():
    """No torque at the pole is named as missing in a claim that was made without it."""
    wrong = "x'' = (tau1 + m sin(theta) (l theta'^2 - g cos(theta)))/(M + m sin(theta)^2)"
    for system in (FREE, CART):
        verdict = system.check(wrong)
        assert verdict.status == "differs"
        shown = str(verdict.missing) + str(verdict.extra) + str(verdict.explanation)
        assert "tau2" not in shown.replace("where τ₂ = 0", "")
        assert "forces" not in {d.kind for d in verdict.diagnosis}
        gap = sympy.simplify(verdict.missing - verdict.extra)
        m, g, M, theta = sympy.symbols("m g M theta")
        expected = 2 * m * g * sympy.sin(theta) * sympy.cos(theta) / (M + m * sympy.sin(theta) ** 2)
        assert sympy.simplify(gap - expected) == 0
    assert FREE.check(wrong).conditions == zero("tau2")
    assert "compared where τ₂ = 0" in str(FREE.check(wrong))
    assert not CART.check(wrong).conditions


def test_a_wrong_combination_is_compared_as_one():
    wrong = "(M + m sin(theta)^2) x'' = tau1 + m sin(theta) (l theta'^2 - g cos(theta))"
    verdict = FREE.check(wrong)
    assert verdict.status == "differs"
    assert (
        sympy.simplify(verdict.missing - verdict.extra - sympy.S("-2*m*g*sin(theta)*cos(theta)"))
        == 0
    )
    assert verdict.conditions == zero("tau2")


def test_of_several_statements_the_worst_counts():
    right, held, wrong = f"tau2 = {E2}", f"tau1 = {E1 - E2}", f"tau1 = {2 * E1}"
    assert ARM.check(f"M22 = I2 + m2 r2^2; {held}").status == "identical if"
    assert ARM.check(f"M22 = I2 + m2 r2^2; {held}").conditions == zero("tau2")
    assert ARM.check(f"{right}; {wrong}").status == "differs"
    with_both = ARM.check(f"{right}; {held}")  # tau2 acts there
    assert [p.status for p in with_both.parts] == ["identical", "differs"]


def test_formulas_one_by_one_have_all_forces():
    wrong = ARM.check([E1, E1 + E2])
    assert [p.status for p in wrong.parts] == ["identical", "differs"]


def test_names_of_forces_in_conditions_are_those_of_the_claim():
    verdict = ARM.check(f"{E1 - E2} = F", symbols={"F": "tau1", "W": "tau2"})
    assert verdict.conditions == zero("W")


def test_an_unknown_force_is_refused():
    with pytest.raises((ArgumentError, UnknownNameError), match=r"tau9|assume"):
        ARM.check({"tau1": E1 - E2}, assume="tau9 = 0")


def test_a_denominator_that_is_zero_under_the_condition_is_refused():
    masses = vv.Lagrangian(
        "x y", "m*x'^2/2 + M*y'^2/2", "k*(x - y)^2/2", parameters={"m": 1, "M": 2, "k": 3}
    )
    one, two = "m x'' + k (x - y)", "(M y'' + k (y - x))"
    assert masses.check(f"tau1/x'' = ({one} - {two})/x''").status == "identical if"
    assert masses.check(f"tau1 x'' = ({one} - {two}) x''").status == "identical if"
    with pytest.raises(ArgumentError, match="denominator may be zero"):
        masses.check(f"(tau1 - ({one}) + {two})/{two} = 0")


ONE = vv.Lagrangian("x", "m*x'^2/2", "k*x^2/2", parameters="m k")
TWO = vv.Lagrangian("x y", "m*(x'^2 + y'^2)/2", "k*(x^2 + y^2)/2", parameters="m k")
ZERO_FORCES = [
    "tau/5 = m x'' + k x",
    "tau = 5 (m x'' + k x)",
    "tau x = m x'' + k x",
    "(m x'' + k x)/3 = tau",
    "tau = (m x'' + k x)^2",
]


@pytest.mark.parametrize("claim", ZERO_FORCES)
def test_a_force_that_is_zero_is_zero_on_either_side(claim):
    assert ONE.check(claim).status == "differs"
    assert ONE.check(claim, assume="tau = 0").is_identical
    assert ONE.check(f"tau = 0; {claim}").is_identical
    assert ONE.with_passive("x").check(claim).is_identical
    wrong = claim.replace("k x", "2 k x")
    assert ONE.check(wrong, assume="tau = 0").status == "differs"
    assert TWO.check(claim.replace("tau", "tau1"), assume="tau1 = 0").is_identical
    assert TWO.check(claim.replace("tau", "tau1"), assume="tau2 = 0").status == "differs"


def test_a_zero_force_written_as_the_equation_of_another_one_needs_that_to_be_zero():
    for claim in ("tau1 = m y'' + k y", "m y'' + k y = 7 tau1", "tau1 + m y'' = -k y"):
        verdict = TWO.check(claim, assume="tau1 = 0")
        assert (verdict.status, verdict.conditions) == ("identical if", zero("tau2"))
        assert TWO.check(claim, assume="tau1 = 0; tau2 = 0").is_identical


@pytest.mark.parametrize(
    "claim",
    [
        "tau = [m x'' + k x, 0]",
        "[m x'' + k x, 0] = tau",
        "[tau1, tau2] = [m x'' + k x, 0]",
        r"\begin{bmatrix} \tau_1 \\ \tau_2 \end{bmatrix} "
        r"= \begin{bmatrix} m \ddot x + k x \\ 0 \end{bmatrix}",
        "tau1 = m x'' + k x; tau2 = 0",
    ],
)
def test_a_zero_in_a_vector_of_forces_says_what_it_says_alone(claim):
    assert TWO.check(claim, assume="tau2 = 0").is_identical
    assert TWO.with_passive("y").check(claim).is_identical
    assert TWO.check(claim).is_identical
    wrong = TWO.check(claim.replace("k x", "2 k x"), assume="tau2 = 0")
    assert wrong.status == "differs"


def test_a_wrong_entry_beside_a_force_that_is_zero_differs():
    verdict = TWO.check("tau = [m x'' + k x, 1]", assume="tau2 = 0")
    assert verdict.status == "differs"
    assert verdict.extra == sympy.Matrix([0, 1])
    assert TWO.check("tau = [m x'' + k x, 2 (m y'' + k y)]", assume="tau2 = 0").is_identical
    assert TWO.check("tau = [m x'' + k x, 2 (m y'' + k y)]").status == "differs"
    assert TWO.check("tau = [0, 0]").status == "differs"


@pytest.mark.parametrize(
    "claim",
    [
        "theta'' = -(g/l) sin(theta) - x'' cos(theta)/l",
        "-(g/l) sin(theta) - x'' cos(theta)/l = theta''",
        "-theta'' = (g/l) sin(theta) + x'' cos(theta)/l",
    ],
)
def test_an_acceleration_in_terms_of_another_one_says_nothing_of_forces(claim):
    verdict = FREE.check(claim)
    assert (verdict.status, verdict.conditions) == ("identical if", zero("tau2"))
    assert verdict.subject == "equation 2"
    assert FREE.check(claim, assume="tau2 = 0").is_identical
    assert CART.check(claim).is_identical
    assert FREE.check("l theta'' = -g sin(theta) - x'' cos(theta)").is_identical


def test_an_acceleration_that_is_zero_says_nothing_of_forces():
    sliding = vv.Lagrangian("x phi", "m*(x'^2 + phi'^2)/2", "k*x^2/2", parameters="m k")
    for claim in ("phi'' = 0", "0 = phi''", "2 phi'' = 0"):
        assert sliding.check(claim).conditions == zero("tau2")
    for claim in ("m phi'' = 0", "m phi'' = 0; phi'' = 0"):
        assert sliding.check(claim).is_identical
    rows = sliding.check("[x'', phi''] = [-k x/m, 0]")
    assert rows.conditions == zero("tau1", "tau2")
    assert sliding.check("[m x'', m phi''] = [-k x, 0]").is_identical


@pytest.mark.parametrize(
    "claim",
    [
        "x'' = -k x/m",
        "2 x'' = -2 k x/m",
        "-x'' = k x/m",
        "x'' + 0 = -k x/m",
        "-3 x''/2 = 3 k x/(2 m)",
        "k x/m = -x''",
    ],
)
def test_a_number_times_an_acceleration_alone_is_solved_for_it(claim):
    verdict = TWO.check(claim)
    assert (verdict.status, verdict.conditions) == ("identical if", zero("tau1"))
    assert TWO.check(claim, assume="tau1 = 0").is_identical
    assert ONE.check(claim).is_identical
    for states in ("m x'' = -k x", "x'' + k x/m = 0"):  # these speak of the force
        assert TWO.check(states).is_identical


@pytest.mark.parametrize(
    "claim",
    [
        "[x'', y''] = [-k x/m, -k y/m]",
        "[-k x/m, -k y/m] = [x'', y'']",
        "[x'', y''] = -k/m*[x, y]",
        r"\begin{bmatrix} \ddot x \\ \ddot y \end{bmatrix} = -\frac{k}{m} "
        r"\begin{bmatrix} x \\ y \end{bmatrix}",
    ],
)
def test_a_vector_of_accelerations_has_the_conditions_of_its_rows(claim):
    verdict = TWO.check(claim)
    assert (verdict.status, verdict.conditions) == ("identical if", zero("tau1", "tau2"))
    assert verdict.subject == "accelerations 1, 2"
    half = TWO.check("[x'', y''] = [tau1/m - k x/m, -k y/m]")
    assert (half.status, half.conditions) == ("identical if", zero("tau2"))
    assert TWO.check("[x'', m y''] = [-k x/m, -k y]").conditions == zero("tau1")
    assert TWO.check(claim, assume="tau1 = 0; tau2 = 0").is_identical


def test_a_wrong_vector_of_accelerations_is_told_as_it_is_written():
    """Truth - claim = missing - extra, as of y'' = … + 1 alone."""
    verdict = TWO.check("[x'', y''] = [-k x/m, -k y/m + 1]")
    assert (verdict.missing, verdict.extra) == (sympy.zeros(2, 1), sympy.Matrix([0, 1]))
    assert verdict.witness.claim == pytest.approx(verdict.witness.truth + 1, abs=1e-15)
    assert verdict.conditions == zero("tau1", "tau2")
    assert TWO.check("[2 x'', -y''] = [-2 k x/m + 1, k y/m]").extra == sympy.Matrix([1, 0])
    for claim in ("-x'' = k x/m + 1", "k x/m + 1 = -x''", "2 x'' = 1 - 2 k x/m"):
        assert TWO.check(claim).extra == 1


def test_accelerations_of_a_cart_with_a_pole_as_a_vector():
    xdd, thetadd, tau1, tau2 = sympy.symbols("xdd thetadd tau1 tau2")
    one, two = FREE.closed_form().equations
    a = sympy.solve([one - tau1, two - tau2], [xdd, thetadd])
    left, right = sympy.Matrix([xdd, thetadd]), sympy.Matrix([a[xdd], a[thetadd]])
    assert FREE.check(sympy.Eq(left, right)).is_identical
    assert FREE.check(sympy.Eq(left, right.subs(tau2, 0))).conditions == zero("tau2")
    assert FREE.check(sympy.Eq(left, right + sympy.Matrix([0, 1]))).extra == sympy.Matrix([0, 1])


def test_a_vector_of_some_of_the_forces_says_what_it_says_alone():
    s = vv.Lagrangian("x y z", "m*(x'^2 + y'^2 + z'^2)/2", "k*z^2/2", parameters="m k")
    for claim in ("[tau3, tau1] = [m z'' + k z, 0]", "tau3 = m z'' + k z; tau1 = 0"):
        assert s.check(claim).is_identical
        assert s.check(claim.replace("k z", "2 k z")).status == "differs"


def test_a_wrong_zero_force_without_inertia_differs():
    """No acceleration tells the equations apart, yet c y + 1 = 0 is refuted."""
    s = vv.Lagrangian("x y", "m*x'^2/2", "k*x^2/2 + c*y^2/2", parameters="m k c")
    assert s.check("tau2 = 5 c y", assume="tau2 = 0").is_identical
    assert s.check("tau2 = c y + 1", assume="tau2 = 0").extra == 1
    assert s.check("tau = [m x'' + k x, c y + 1]", assume="tau2 = 0").status == "differs"
