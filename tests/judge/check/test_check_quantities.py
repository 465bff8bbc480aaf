"""What a left side is about where letters and shapes could mean several things."""

import re
from itertools import cycle, product

import pytest

import visviva as vv
from tests.support import catalogue
from tests.support.counts import SOAK
from visviva.errors import ArgumentError, ParseError, VisvivaError

SPRING = vv.Lagrangian(
    "x", "m*x'^2/2", "k*x^2/2", dissipation="c*x'^2/2", parameters="m k c", name="spring"
)
LONG = ("human_arm", "mobile_manipulator", "puma560", "stanford")  # their forms take long
NO_MATRICES = ("relativistic_particle",)  # its mass matrix depends on velocities
CLOSED = [name for name in catalogue.MODELS if catalogue.built(name).held_by]
PRINTED = [name for name in catalogue.NAMES if name not in (*LONG, *NO_MATRICES, *CLOSED)]
PARTS = ("standard", "equations", "christoffel")
LINES = [*product(PRINTED, PARTS)] if SOAK else [*zip(PRINTED, cycle(PARTS))]


@pytest.mark.parametrize("letter", ["b", "d"])
@pytest.mark.parametrize("value", ["[[c x']]", "[c x']", r"\begin{bmatrix} c \dot x \end{bmatrix}"])
def test_friction_in_brackets_is_friction(letter, value):
    verdict = SPRING.check(f"{letter} = {value}")
    assert verdict.is_identical
    assert verdict.subject == "the dissipative forces"
    assert SPRING.check(value, of=letter).is_identical


@pytest.mark.parametrize(
    "claim",
    [
        "M = m",
        "M = [m]",
        "M = [[m]]",
        "B = m",
        "D = m",
        "B = [m]",
        "H = [[m]]",
        "C = [0]",
        "g = [k x]",
        "N = k x",
        "N(q, q') = k x + c x'",
        "N(q, q') = [k x + c x']",
        "h(q, q') = k x + c x'",
        "h(q, q') = 0",
        "h = [0]",
        "b(q, q') = c x'",
        "p = [m x']",
        "T = [m x'^2/2]",
        "V = k x^2/2",
        "V = [0]",
        "V = [k x^2/2]",
        "V(q) = [k x^2/2]",
        "V(q, q') = [[0]]",
    ],
)
def test_with_one_coordinate_brackets_and_indices_may_be_left_out(claim):
    assert SPRING.check(claim).is_identical


def test_v_with_a_vector_is_c_v_with_one_coordinate_too():
    verdict = vv.catalog.pendulum(1).check("V = [0]")
    assert verdict.is_identical
    assert verdict.subject == "the velocity terms C v"
    assert vv.catalog.pendulum(1).check("V = 0").subject == "the potential energy"


def test_names_that_are_defined_in_brackets_are_put_in():
    assert SPRING.check("W = [k/m]; x'' = -W x - c x'/m").is_identical


def test_of_needs_no_index_with_one_coordinate():
    assert SPRING.check("c x'", of="b").is_identical
    assert SPRING.check("m", of="M").is_identical


def printed_lines(system, what):
    return re.findall(r"\\\[(.*?)\\\]", system.closed_form().latex(what), re.DOTALL)


@pytest.mark.spread(14)
@pytest.mark.soak
@pytest.mark.parametrize(("name", "what"), LINES)
def test_what_is_printed_can_be_checked_line_by_line(name, what):
    """Where a parameter is called g or M, the quantity is printed as g(q) and M(q)."""
    system = vv.catalog.build(name).without_constraints()
    if what == "christoffel" and name == "tumbling_body":
        return  # its velocities are no rates of coordinates
    for line in printed_lines(system, what):
        assert system.check(line).is_identical, line


def test_printed_lines_of_one_coordinate_can_be_checked():
    hung = vv.Lagrangian(
        "q",
        "M*q'^2/2",
        "-M*g*q",
        dissipation="b*q'^2/2",
        forces={"q": "F0*cos(t)"},
        parameters={"M": 1, "g": 9.81, "b": 0.1, "F0": 2},
    )
    for system in (hung, SPRING, vv.catalog.pendulum(1)):
        lines = printed_lines(system, "standard")
        assert len(lines) == 4 + (system is hung)
        for line in lines:
            assert system.check(line).is_identical, line
    assert hung.check("Q = [[F0 cos(t)]]").subject == "the forces Q that the system has itself"


def test_a_parameter_with_an_argument_is_a_quantity_or_refused():
    pull = vv.Lagrangian("q", "m*q'^2/2", "g*q^2/2", parameters="m g")
    assert pull.check("g(q) = [g q]").subject == "the forces of gravity and springs"
    for claim in ("g(q) = [-m q'' + tau]", "g(q) = -m q'' + tau", "m(q) = [m]"):
        with pytest.raises(VisvivaError, match=r"write (a product as )?[gm]\*\(\.\.\.\)"):
            pull.check(claim)


ARM = vv.catalog.two_link()
BLOCK = """
M = [[I1 + I2 + m1 r1^2 + m2 (L1^2 + r2^2 + 2 L1 r2 cos(q2)), I2 + m2 (r2^2 + L1 r2 cos(q2))],
     [I2 + m2 (r2^2 + L1 r2 cos(q2)), I2 + m2 r2^2]]
C = m2 L1 r2 sin(q2) [[-q2', -(q1' + q2')], [q1', 0]]
g = [(m1 r1 + m2 L1) a_g cos(q1) + m2 a_g r2 cos(q1 + q2), m2 a_g r2 cos(q1 + q2)]
"""


@pytest.mark.parametrize(
    "law",
    [
        "tau = M q'' + C q' + g",
        "M(q) q'' + C(q, q') q' + g(q) = tau",
        "tau - g = M qdd + C qd",
        r"M(q)\ddot q + C(q, \dot q)\dot q + g(q) = \tau",
    ],
)
def test_a_textbook_block_with_its_vector_equation_is_read(law):
    verdict = ARM.check(BLOCK + law)
    assert verdict.is_identical
    assert [p.subject for p in verdict.parts][-1] == "the equations of motion"
    assert len(verdict.parts) == 4
    wrong = ARM.check(BLOCK + law.replace("C", "2 C", 1))
    assert [p.status for p in wrong.parts] == [*["identical"] * 3, "differs"]


def test_quantities_of_a_vector_equation_are_the_mechanisms_own():
    assert ARM.check("tau = M q'' + C q' + g").is_identical
    assert ARM.check("tau = M q'' + C q'").status == "differs"


def test_a_strange_force_gets_the_same_hint_on_both_sides():
    """It names the one force that is not passive, or the first."""
    cart = vv.catalog.cart_pole().with_passive([])
    formula = "(M + m) x'' + m l theta'' cos(theta) - m l theta'^2"
    for claim in (f"F = {formula} sin(theta)", f"{formula} sin(theta) = F"):
        with pytest.raises(VisvivaError, match=r"or say symbols={'F': 'tau1'}"):
            cart.check(claim)
        assert cart.check(claim, symbols={"F": "tau1"}).is_identical
    for claim in ("F = q1''", "q1'' = F"):
        with pytest.raises(VisvivaError, match=r"or say symbols={'F': 'tau2'}"):
            vv.catalog.acrobot().check(claim)


def test_a_hamiltonian_in_momenta():
    swing = vv.Lagrangian("theta", "m*l^2*theta'^2/2", "-m*g*l*cos(theta)", parameters="m l g")
    claim = "H = p_theta^2/(2 m l^2) - m g l cos(theta)"
    assert swing.check(claim).is_identical
    assert not swing.check(claim).relates  # a formula, though p_theta is the mechanism's own
    assert swing.check(claim.replace("- m g l", "+ m g l")).status == "differs"
    assert swing.check(f"p_theta = m l^2 theta'; {claim}").is_identical


def test_errors_quote_the_claim_with_its_brackets():
    with pytest.raises(VisvivaError, match=r": \(-8\)\^\(1/3\) = -2$"):
        SPRING.check("(-8)^(1/3) = -2", of="identity")
    verdict = SPRING.check(r"(m) x'' + c x' + k x = tau; \left(m\right) x'' + c x' + k x = tau")
    assert verdict.parts[1].claim.startswith(r"\left(m\right)")
    assert verdict.parts[0].claim == "(m) x'' + c x' + k x = tau"


MASSES = vv.Lagrangian(
    "x1 x2",
    "m1 x1'^2/2 + m2 x2'^2/2",
    "k1 x1^2/2 + k2 (x2 - x1)^2/2",
    dissipation="c1 x1'^2/2 + c2 (x2' - x1')^2/2",
    parameters={"m1": 1, "m2": 2, "k1": 3, "k2": 4, "c1": 0.1, "c2": 0.2},
)
_TABLE = "[[{0}1 + {0}2, -{0}2], [-{0}2, {0}2]]"
_LOOSE = "[[{0}1, -{0}2], [-{0}2, {0}2]]"
_WHOLE = "M = diag(m1, m2); C = {}; K = {}; M x'' + C x' + K x = 0"


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("M = diag(m1, m2)", "M = diag(m2, m1)"),
        (r"M = \operatorname{diag}(m_1, m_2)", r"M = \mathrm{diag}\left(m_1, m_1\right)"),
        (f"K = {_TABLE.format('k')}", f"K = {_LOOSE.format('k')}"),
        ("K = k1 [[1, 0], [0, 0]] + k2 [[1, -1], [-1, 1]]", "K = k1 [[1, 0], [0, 1]]"),
        ("K12 = -k2", "K_{12} = k2"),
        (f"C = {_TABLE.format('c')}", f"C = {_LOOSE.format('c')}"),
        (f"D = {_TABLE.format('c')}", f"D = {_LOOSE.format('c')}"),
        (
            _WHOLE.format(_TABLE.format("c"), _TABLE.format("k")),
            _WHOLE.format(_TABLE.format("c"), _LOOSE.format("k")),
        ),
    ],
)
def test_matrices_of_masses_springs_and_dampers(right, wrong):
    assert MASSES.check(right).is_identical
    assert MASSES.check(wrong).status == "differs"


def test_stiffness_that_changes_needs_a_place():
    table = "K = [[g ((m1 + m2) l1 + m2 l2), m2 g l2], [m2 g l2, m2 g l2]]"
    double = vv.catalog.pendulum(2)
    with pytest.raises(ArgumentError, match="say first which, theta1 = 0; theta2 = 0; K = "):
        double.check(table)
    assert double.check(f"theta1 = 0; theta2 = 0; {table}").status == "identical if"
    with pytest.raises(ParseError, match="diag takes at most 40 entries"):
        MASSES.check(f"M = diag({', '.join(['m1'] * 41)})")
