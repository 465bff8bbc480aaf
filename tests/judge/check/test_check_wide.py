"""Claims about mechanisms with four and more coordinates, and sums of any number of equations."""

from functools import cache

import mpmath
import pytest
import sympy

import visviva as vv
from visviva.algebra.exact.minors import determinant
from visviva.errors import ArgumentError
from visviva.judge.check.compare import combinations
from visviva.judge.exact import residues
from visviva.judge.exact.field import Field
from visviva.judge.exact.residues import PRIME, Residues

FOUR = vv.catalog.pendulum(4)
FIVE = vv.catalog.mobile_manipulator()
CHAIN = vv.Lagrangian(
    [f"x{k}" for k in range(1, 7)],
    " + ".join(f"m{k}*x{k}'^2/2" for k in range(1, 7)) + " + J*x1'*x6'",
    " + ".join(f"k{k}*(x{k} - x{k + 1})^2/2" for k in range(1, 6)),
    parameters={f"{c}{k}": 1.0 + k for c in "mk" for k in range(1, 7)} | {"J": 0.5},
    name="chain",
)


@cache
def equations(system):
    return list(system.closed_form().equations)


def flipped(equation, which):
    """The equation with the sign of one of its inertial terms changed."""
    terms = [t for t in sympy.Add.make_args(sympy.expand(equation)) if "dd" in str(t)]
    return equation - 2 * terms[which % len(terms)]


@pytest.mark.spread(2)
@pytest.mark.parametrize(("system", "k"), [(FOUR, 3), (FIVE, 0), (FIVE, 2), (FIVE, 3), (FIVE, 4)])
def test_a_wrong_inertial_term_differs_with_four_and_more_coordinates(system, k):
    equation = equations(system)[k]
    wrong, left = flipped(equation, 3 * k), f"tau{k + 1}"
    claims = [(sympy.Eq(sympy.Symbol(left), wrong), ""), (wrong, left)]
    for claim, of in claims if system is FIVE else claims[1:]:
        verdict = system.check(claim, of=of)
        assert (verdict.status, verdict.subject) == ("differs", f"equation {k + 1}")
        assert sympy.expand(verdict.missing - verdict.extra - (equation - wrong)) == 0


def test_a_wrong_term_that_is_zero_without_some_forces_is_told():
    """E3 - E4 is I0 phi'': where these forces are zero, terms with it have any sign."""
    equation = equations(FIVE)[1]
    verdict = FIVE.check(equation - sympy.S("2*L1*m2*phidd*cos(phi + theta1)"), of="tau2")
    assert [str(x.lhs) for x in verdict.conditions] == ["tau3", "tau4"]
    assert "as equation 2 alone it lacks m₂ L₁ cos(φ + θ₁) φ̈ and has" in verdict.notes[-1]


@pytest.mark.spread(0)
def test_a_wrong_equation_without_a_force_is_compared_with_the_nearest():
    for k, equation in enumerate(equations(FIVE)):
        wrong = FIVE.check(sympy.Eq(flipped(equation, k) + sympy.Symbol("L1"), 0))
        assert (wrong.status, wrong.subject) == ("differs", f"equation {k + 1}")


@pytest.mark.spread(0)
def test_a_claim_that_leaves_most_of_an_equation_out_differs_from_it():
    verdict = FOUR.check("tau4 = m4 l4^2 q4''")
    assert (verdict.status, verdict.subject) == ("differs", "equation 4")


@pytest.mark.spread(0)
def test_six_axes_are_judged():
    arm = vv.catalog.stanford()
    solved = arm.check("q6'' = tau6")
    assert solved.status == "differs"
    assert len(solved.conditions) == 5
    assert solved.missing == sympy.Symbol("jointdd6")  # the true one, which nobody writes out
    assert "written out" in solved.notes[0]
    values = [float(x) for x in (solved.witness.truth, solved.witness.claim)]
    assert values[0] != values[1]


@pytest.mark.spread(1)
@pytest.mark.parametrize("system", [FIVE, CHAIN], ids=lambda s: s.name)
def test_sums_of_many_equations_are_proved_or_refuted(system):
    E = list(system.closed_form().equations)
    tau = sympy.symbols(" ".join(f"tau{k + 1}" for k in range(len(E))))
    first = next(iter(system.closed_form().parameters))
    q = system.closed_form().coordinates[-1]
    weights = [1, -2, first, sympy.cos(q), 0, sympy.Rational(1, 3)][: len(E)]
    total = sum(w * e for w, e in zip(weights, E, strict=True))
    forces = sum(w * t for w, t in zip(weights, tau, strict=True))
    right = system.check(sympy.Eq(total, forces, evaluate=False))
    assert right.is_identical, str(right)
    free = system.check(sympy.Eq(total, 0))
    assert free.status == "identical if"
    used = [t for w, t in zip(weights, tau, strict=True) if w != 0]
    assert [x.lhs for x in free.conditions] == used
    one = system.check(sympy.Eq(tau[0], total))
    assert [x.lhs for x in one.conditions] == used[1:]
    for wrong in (total + first * q, total * first + E[-1] * q - q):
        assert system.check(sympy.Eq(wrong, 0)).status == "differs"
        assert system.check(sympy.Eq(wrong, forces, evaluate=False)).status == "differs"


def test_accelerations_of_six_coordinates():
    right = "x3'' = (k2 (x2 - x3) + k3 (x4 - x3) + tau3)/m3"
    assert CHAIN.check(right).is_identical
    alone = CHAIN.check(right.replace("+ tau3", ""))
    assert (alone.status, [str(x.lhs) for x in alone.conditions]) == ("identical if", ["tau3"])
    coupled = "x1'' = (m6 (tau1 + k1 (x2 - x1)) - J (tau6 + k5 (x5 - x6)))/(m1 m6 - J^2)"
    assert CHAIN.check(coupled).is_identical
    held = CHAIN.check(coupled.replace("tau6 + ", ""))
    assert [str(x.lhs) for x in held.conditions] == ["tau6"]
    wrong = CHAIN.check(coupled.replace("m1 m6 - J^2", "m1 m6 + J^2"))
    assert wrong.status == "differs"
    assert not wrong.conditions
    less = CHAIN.check(coupled.replace("tau6 + ", "").replace("x5 - x6", "x6 - x5"))
    assert less.status == "differs"
    assert "tau6" not in str(less.missing)


def test_a_proof_beyond_all_bounds_is_refused_with_the_number(monkeypatch):
    monkeypatch.setattr(combinations, "MOST_PRODUCTS", 500)
    E = equations(FOUR)
    with pytest.raises(ArgumentError, match="500 products of terms"):
        FOUR.check(sympy.Eq(E[0] * sympy.cos(sympy.Symbol("theta2")) + E[1], 0))


def test_numbers_that_vanish_modulo_the_prime_are_no_proof():
    E = equations(FIVE)
    x, a = sympy.symbols("x xdd")
    assert FIVE.check(sympy.Eq(E[0] + E[1] + PRIME * x, 0)).status == "differs"
    assert FIVE.check({"tau4": E[3] + PRIME * a}).status == "differs"
    with pytest.raises(ArgumentError, match=str(PRIME)):
        FIVE.check(sympy.Eq(E[0] + E[1] + x / PRIME, 0))


def test_residues_are_those_of_single_terms(monkeypatch):
    """Short elements are evaluated whole, long or steep ones term by term."""
    facts = FIVE.closed_form().exact.facts
    field = Field(facts.ring, [], [])
    row = field.read(facts.quantity("equations")[2])
    accelerations = [a for _, a in facts.rates]
    point = Residues(field).point(1)
    assert 0 not in point.parts(row, accelerations)
    for x in (row, row * field.ring["m1"] / 3, row / (1 + field.ring["x"]), row * 0):
        whole = point.parts(x, accelerations)
        with monkeypatch.context() as change:
            change.setattr(residues, "MOST_FACTORS", -1)
            assert point.parts(x, accelerations) == whole


def test_massless_coordinates_are_no_loophole():
    """Over fractions, any claim is a multiple of an equation that has no acceleration."""
    s = vv.Lagrangian(
        "x y z w",
        "m*x'^2/2 + m*z'^2/2",
        "k*(x - y)^2/2 + k*(y - z)^2/2 + c*w^2/2",
        parameters={"m": 1, "k": 2, "c": 3},
    )
    for claim in ("m x'' + 77 x = 0", "m x'' + k (x - z)/3 = 0", "m x'' + m z'' = c x"):
        with pytest.raises(ArgumentError, match="combination"):
            s.check(claim)
    assert s.check("m x'' + k (x - y) = 0").is_identical
    assert s.check("tau1 = m x'' + 77 x").status == "differs"
    assert s.check("m x'' + m z'' + k (x - 2 y + z) = 0").status == "identical if"


def test_determinants_of_any_size():
    chance = mpmath.matrix(5, 5)
    for i in range(5):
        for j in range(5):
            chance[i, j] = (7 * i * i + 3 * j + i * j * j) % 11 - 4
    rows = [[int(chance[i, j]) for j in range(5)] for i in range(5)]
    assert determinant(rows) == round(mpmath.det(chance))
    assert determinant([[0, 1], [0, 2]]) == 0
