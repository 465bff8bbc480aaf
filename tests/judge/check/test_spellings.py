"""Spellings of books and people: each is read as the plain one, and a wrong claim stays wrong."""

import re

import pytest
import sympy

import visviva as vv
from visviva.errors import VisvivaError

ARM = vv.catalog.two_link()
PENDULUM = vv.Lagrangian(
    "theta", "m*l^2*theta'^2/2", "-m*g*l*cos(theta)", parameters={"m": 1, "l": 1, "g": 9.81}
)
TAU = r"\tau = m l^2 \ddot\theta + m g l \sin\theta"
T = "T = 1/2 m l^2 θ'^2"
V = "V = -m g l cos θ"
WEIGHT = re.compile(r"[+-](?= (?:2 )?(?:\\hat )?m(?: \\cdot|⋅| ) ?g)")


def verdict(claim, system=PENDULUM, **options):
    return system.check(claim, **options)


def refused(claim, system=PENDULUM, **options):
    with pytest.raises(VisvivaError) as error:
        system.check(claim, **options)
    return str(error.value)


DOUBLE = vv.Lagrangian(
    "theta1 theta2",
    "(m1 + m2)*l1^2*theta1'^2/2 + m2*l2^2*theta2'^2/2"
    " + m2*l1*l2*theta1'*theta2'*cos(theta1 - theta2)",
    "-(m1 + m2)*g*l1*cos(theta1) - m2*g*l2*cos(theta2)",
    parameters="m1 m2 l1 l2 g",
)
SECOND = "l2*{1} + l1*{0}*cos(th1 - th2) - l1*{2}^2*sin(th1 - th2) + g*sin(th2) = 0"


@pytest.mark.parametrize(
    "rates",
    [
        ("th1''", "th2''", "th1'"),
        ("ddth1", "ddth2", "dth1"),
        ("thdd1", "thdd2", "thd1"),
        ("thddot1", "th2_ddot", "thdot1"),
    ],
)
def test_th_is_theta_with_its_rates(rates):
    right = SECOND.format(*rates)
    for claim in (right, f"th1 = theta1; th2 = theta2; {right}"):
        assert verdict(claim, DOUBLE).status == "identical"
        assert verdict(claim.replace("+ g", "- g"), DOUBLE).status == "differs"


def test_an_acceleration_in_one_word_is_a_left_side():
    solved = "ddth2 = -(l1*ddth1*cos(th1 - th2) - l1*dth1^2*sin(th1 - th2) + g*sin(th2))/l2"
    assert verdict(solved, DOUBLE, assume="tau2 = 0").status == "identical"
    assert verdict(solved.replace("+ g", "- g"), DOUBLE, assume="tau2 = 0").status == "differs"
    defined = "ddth2 = 3 l; V = -m g ddth2 cos(theta)/3"  # used by another one, so a name
    assert verdict(defined).status == "identical"


@pytest.mark.parametrize(
    ("system", "claim", "pair"),
    [
        (vv.catalog.rp_arm(), "V = m1 a_g r1 sin(q1) + m2 a_g d2 sin(q1)", "{'d2': 'q2'}"),
        (vv.catalog.rp_arm(), "F_2 = m2 q2''", "{'F_2': 'tau2'}"),
        (PENDULUM, "l theta'' + omega0^2 sin(theta) = 0", "{'omega0': '...'}"),
        (vv.catalog.cart_pole(), "T = (M + m) x'^2/2 + m l^2 w'^2/2", "{'w': '...'}"),
    ],
)
def test_the_name_that_is_offered_is_of_the_kind_and_the_index(system, claim, pair):
    assert f"symbols={pair}" in refused(claim, system)


def test_formulas_of_all_equations_in_whatever_sympy_has():
    arm = vv.catalog.rp_arm()
    both = arm.closed_form().equations
    wrong = [both[0], both[1] + 1]
    for make in (list, sympy.Matrix, lambda x: sympy.Matrix([x])):
        for options in ({}, {"of": "equations"}):
            assert verdict(make([*both]), arm, **options).status == "identical"
            assert verdict(make(wrong), arm, **options).status == "differs"
    assert "a formula alone says nothing" in refused(sympy.Matrix(both).subs("qdd1", 0)[:1], arm)


@pytest.mark.parametrize(
    "rate",
    [
        'theta"',
        "theta.diff(t, 2)",
        "theta(t).diff(t).diff(t)",
        "theta.diff(t, t)",
        "D[theta, t, t]",
        "D[theta[t], t, t]",
    ],
)
def test_second_rates_as_programs_write_them(rate):
    assert verdict(f"l*{rate} + g*sin(theta) = 0").status == "identical"
    assert verdict(f"l*{rate} - g*sin(theta) = 0").status == "differs"


@pytest.mark.parametrize(
    ("claim", "way"),
    [
        ("l theta'' + g sind(theta) = 0", "degrees, which are not read: write sin(theta)"),
        ("A = [0 1; 0 0]", "numbers in a row need commas, [0, 1; 1, 0]"),
        ('"V = -m g l"', "(QUOTATION MARK) has no meaning"),
    ],
)
def test_what_cannot_be_read_names_the_way(claim, way):
    assert way in refused(claim)


def test_products_of_rates_as_sympy_writes_them():
    t, (q1, q2) = sympy.Symbol("t"), (sympy.Function(f"q_{k}") for k in (1, 2))
    arm = vv.catalog.rp_arm()
    whole = arm.closed_form().equations[0]
    for k, q in ((1, q1(t)), (2, q2(t))):
        whole = whole.subs({f"qdd{k}": q.diff(t, 2), f"qd{k}": q.diff(t), f"q{k}": q})
    claim = sympy.latex(sympy.Eq(whole, sympy.Symbol("tau_1")))
    assert r"q_{1}{\left(t \right)} \frac{d}{d t} q_{2}" in claim
    assert verdict(claim, arm).status == "identical"
    assert verdict(claim.replace(" + 2 m", " - 2 m"), arm).status == "differs"
    unclear = claim.replace(r"\frac{d}{d t} q_{2}{", "q_{2}{")
    assert "where the derived formula ends is not clear" in refused(unclear, arm)


TRIMMINGS = [
    rf"\boxed{{{TAU}}}",
    rf"\therefore {TAU}",
    rf"\Rightarrow\quad {TAU}",
    rf"\implies {TAU}.",
    rf"{TAU} \quad\text{{(1)}}",
    rf"{TAU} \tag{{1}}",
    rf"{TAU} \label{{eq:motion}}",
    rf"\fbox{{${TAU}$}} \qed",
    rf"\color{{red}} {TAU}",
    r"\tau = \textcolor{red}{m l^2} \ddot\theta + m g l \sin\theta",
    r"\tau = \underbrace{m l^2}_{\text{inertia}} \ddot\theta + m g l \sin\theta",
    r"\tau = \boxed{m l^2 \ddot\theta + m g l \sin\theta}",
    r"\tau = \underline{\underline{m l^2 \ddot\theta + m g l \sin\theta}}",
    r"\tau &= m l^2 \ddot\theta \\ &\quad + m g l \sin\theta \\",
    r"\tau = \mathrm{m} \, \ell^2 \; \ddot{\theta} + m \cdot g \times l \operatorname{sin}\left("
    r"\theta\right)",
    r"\tau = \hat m l^2 \ddot\theta + \hat m g l \sin\theta",
    r"\tau = m \bar l^2 \ddot\theta + m g \bar l \sin\theta",
    "∴ τ = m l² θ¨ + m g l sinθ ✓",
    "=> τ = m l² θ̈ + m g l sin(θ)",
    "⇒ τ = m·l²·θ'' + m⋅g⋅l⋅sinθ,",
    "Equation of motion: τ = m l² θ'' + m g l sinθ",
    "τ = m l² θ'' + m g l sinθ  # by Lagrange",
    "% by Lagrange\nτ = m l² θ'' + m g l sinθ",
    "τ = 0,5 m l² θ'' + ½ m l² θ'' + m g l sinθ",
    "τ = m l² θ'' - m g l cos(θ + 90°)",
    "τ = m l² θ'' - m g l cos(θ + 90 deg)",
    r"\tau = m l^2 \ddot\theta - m g l \cos(\theta + 90^\circ)",
    r"\tau = m l^2 \ddot\theta + 2 m g l \sin 30^{\circ} \sin\theta",
]


@pytest.mark.parametrize("claim", TRIMMINGS)
def test_trimmings_say_nothing(claim):
    assert verdict(claim).status == "identical"


@pytest.mark.spread(12)
@pytest.mark.parametrize("claim", TRIMMINGS)
def test_and_hide_nothing(claim):
    wrong = WEIGHT.sub(lambda m: {"+": "-", "-": "+"}[m[0]], claim)
    assert wrong != claim
    assert verdict(wrong).status == "differs"


def test_an_arrow_ends_a_statement():
    both = verdict(f"{T} ⇒ V = m g l cos θ")
    assert [x.status for x in both.parts] == ["identical", "differs"]
    assert verdict("v = l θ' ⇒ T = 1/2 m v^2").status == "identical"
    rows = r"\begin{align} T &= \frac12 m l^2\dot\theta^2 \\ \Rightarrow & V = m g l\end{align}"
    assert [x.status for x in verdict(rows).parts] == ["identical", "differs"]


def test_a_box_around_a_factor_is_a_group():
    assert verdict(r"M = l \boxed{m l + m - m}").status == "identical"
    assert verdict(r"M = l m l + m - m").status == "identical"
    assert verdict(r"M = l \boxed{m l + m} - m").status == "differs"


def test_comments_are_noted():
    found = verdict(f"{V}  # + m g l was here")
    assert "# + m g l was here is a comment, which is not read" in found.notes
    assert "0.5" in refused("V = -50% m g l cosθ")
    assert "write =" in refused("M ≈ m l^2")


def test_decimal_commas():
    found = verdict("T = 0,5 m l^2 θ'^2")
    assert found.status == "identical"
    assert "0,5 is read as 0.5" in found.notes
    assert verdict("T = 0,6 m l^2 θ'^2").status == "differs"
    assert verdict("g = 9,81; V = -9,81 m l cosθ").status == "identical"
    assert verdict("g = 9,81; V = -9,82 m l cosθ").status == "differs"
    assert verdict(r"g = 9{,}81; V = -9.81 m l \cos\theta").status == "identical"
    assert "1000 or 1.000" in refused("g = 1,000; V = -m g l cosθ")
    assert "write 0.5" in refused("T = (0,5 m) l^2 θ'^2")


@pytest.mark.parametrize("unit", ["kgm²", "kgm^2", "kg⋅m²", "kg.m^2", "[kg m^2]"])
def test_units_glued_together(unit):
    found = verdict(f"M = m l^2 {unit}")
    assert found.status == "identical"
    assert "is its unit, which is not judged" in found.notes[0]
    assert verdict(f"M = m l {unit}").status == "differs"


def test_a_hat_is_no_second_name():
    """Where both stand there they are two things."""
    found = verdict(r"M_{22} = \hat I_2 + m_2 \bar r_2^2", ARM)
    assert found.status == "identical"
    assert found.symbols == {"Ihat2": "I2", "rbar2": "r2"}
    assert verdict(r"M_{22} = \hat I_2 - m_2 \bar r_2^2", ARM).status == "differs"
    assert r"unknown name '\\hat I_2'" in refused(r"M_{22} = \hat I_2 + I_2", ARM)


def test_links_by_nested_indices():
    assert verdict(r"M_{22} = I_{\ell_2} + m_{\ell_2} r_2^2", ARM).status == "identical"
    assert verdict(r"M_{22} = I_{\ell_2} + 2 m_{\ell_2} r_2^2", ARM).status == "differs"


def test_sums_of_angles_by_two_digits():
    """Books also mean differences by them, so that is said."""
    y = r"y = L_1 \sin\theta_1 + L_2\sin\theta_{12}"
    assert verdict(y, ARM, shorthand=True).status == "identical"
    assert verdict(y.replace(" + ", " - "), ARM, shorthand=True).status == "differs"
    assert r"if \theta_{12} is q1 + q2, say shorthand=True" in refused(y, ARM)


# ---- energies are known up to a constant


def test_an_energy_with_another_zero_is_no_mistake():
    found = verdict("V = m g l (1 - cos θ)")
    assert found.status == "identical up to a constant"
    assert not found
    assert str(found.extra - found.missing) == "g*l*m"
    assert "up to a constant, m g l" in found.explanation
    assert "no force and no equation notices it" in str(found)


@pytest.mark.parametrize(
    ("claim", "wrong"),
    [
        ("V = m g l (1 - cos θ)", "V = m g l (1 - sin θ)"),
        ("V = 5 - m g l cos θ", "V = 5 θ - m g l cos θ"),
        ("E = 1/2 m l^2 θ'^2 + m g l (1 - cos θ)", "E = m l^2 θ'^2 + m g l (1 - cos θ)"),
        ("L = 1/2 m l^2 θ'^2 - m g l (1 - cos θ)", "L = 1/2 m l^2 θ'^2 + m g l (1 - cos θ)"),
        ("V = -m g l cos θ + C", "V = m g l cos θ + C"),
        ("V = -m g l cos θ + const", "V = -2 m g l cos θ + const"),
        ("V = const. - m g l cos θ", "V = const - m g l sin θ"),
        ("V = -m g l cos θ + const.", "V = -m l cos θ + const."),
        ("V = -m g l cos θ + V_0", "V = -m g cos θ + V_0"),
        (r"V = -m g l \cos\theta + \text{const}", r"V = m g l \cos\theta + \text{const}"),
        ("V = m g l (1 - cos θ) - C", "V = m g l (1 - cos 2θ) - C"),
    ],
)
def test_constants_of_energies(claim, wrong):
    assert verdict(claim.replace("const. -", "const -")).status == "identical up to a constant"
    assert verdict(wrong).status == "differs"


def test_constants_that_are_more_are_not_left_out():
    assert "unknown name 'C'" in refused("V = -C m g l cos θ")
    assert "unknown name 'C'" in refused("T = 1/2 m l^2 θ'^2 + C")
    assert verdict("T = 1/2 m l^2 θ'^2 + 1").status == "differs"
    assert verdict("C = m g l; V = C - m g l cos θ").status == "identical up to a constant"
    assert verdict("C = m g l; V = -C cos θ").status == "identical"
    assert verdict(f"{T}; V = m g l (1 - cos θ)").status == "identical up to a constant"


MATLAB = [
    (ARM, "M(2,2) = I(2) + m(2)*r(2)^2 % by hand\nC(2,2) = 0 %none", 2),
    (ARM, "M22 = I2 + m2 .* r2.^2; % by hand", 1),
    (ARM, "h = m2.*L1.*r2.*sin(q(2)); C = [[-h.*qd(2), -h.*(qd(1) + qd(2))], [h.*qd(1), 0]];", 0),
    (ARM, "G(2) = m(2)*lc(2)*g*cos(q(1) + q(2)) # weight", 1),
    (vv.catalog.cart_pole(), "M(1,1) = M + m", 0),
]


@pytest.mark.parametrize(("system", "claim", "comments"), MATLAB)
def test_entries_and_comments_of_programs(system, claim, comments):
    found = verdict(claim, system)
    assert found.is_identical
    assert str(found).count("is a comment, which is not read") == comments


@pytest.mark.parametrize(
    ("claim", "said"),
    [
        ("M22 = 50 % I2", "comments with #"),
        ("g(1) = m g l sin(theta)", "an entry is g1, a product g*1"),
        ("G(0) = m g l sin(theta)", "an entry is G1, as these count from 1"),
        ("a = [[m, 2], [3, l]]; b = a; M = b.*b", "works entry by entry"),
        ("M = [[m, 2], [3, l]].*[[m, 2], [3, l]]", "write * if one side is a number"),
    ],
)
def test_what_programs_write_and_is_not_clear_names_the_way(claim, said):
    assert said in refused(claim)
