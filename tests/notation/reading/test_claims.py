"""Typed claims in plain text and Unicode: what is read, what is refused and how."""

import math
from fractions import Fraction

import pytest

from tests.support.readers.words import SHORT, WORDS, Floats, one
from visviva.errors import ParseError
from visviva.notation.evaluate import evaluate
from visviva.notation.reading.read import canonical, read
from visviva.notation.reading.vocabulary import Vocabulary, looks_like_shorthand, spellings
from visviva.notation.tree import (
    Call,
    Equation,
    Matrix,
    Name,
    Negative,
    Number,
    Power,
    Product,
    Quotient,
    Sum,
    names,
    rewritten,
)

m, l1, a, b, c, x = map(Name, ["m", "l1", "a", "b", "c", "x"])


def test_trees():
    half = Number(Fraction(1, 2))
    assert one("1/2*m*x'^2") == Product((half, m, Power(Name("x", 1), Number(2))))
    assert one("a - b") == Sum((a, Negative(b)))
    assert one("a/b") == Quotient(a, b)
    assert one("a/b/c*x") == Product((Quotient(a, Product((b, c))), x))
    assert one("a*b/c") == Product((a, Quotient(b, c)))
    assert one("sin(a + b)") == Call("sin", (Sum((a, b)),))
    assert one("-x^2") == Negative(Power(x, Number(2)))
    assert one("(-x)^2") == Power(Negative(x), Number(2))
    assert one("tau = a") == Equation(Name("tau"), a)
    assert one("[a, b]") == Matrix(((a,), (b,)))
    assert one("[[a, b], [c, x]]") == Matrix(((a, b), (c, x)))


def test_nodes_know_their_column_and_spelling():
    node = one("a + θ̇₁")
    assert node.terms[1] == Name("theta1", 1)
    assert node.terms[1].column == 4
    assert node.terms[1].text == "θ̇₁"


def test_digits_after_a_dotted_letter_are_its_index():
    for text in ("θ\u03071", "θ\u0307₁", "θ\u0307_1", "θ1\u0307"):
        assert one(text) == Name("theta1", 1), text
    assert one("q\u03081") == one("q\u0307\u03071") == Name("q1", 2)
    assert one("\u1e8b1²") == Power(Name("x1", 1), Number(2))  # ẋ as one character
    for text in ("q1\u03072", "q'2"):  # neither q12 nor a factor
        with pytest.raises(ParseError, match="expected an operator"):
            one(text)


def test_names_and_rewriting():
    node = one("a*x' + b*x' = sin(x)^a*[a, c]")
    assert names(node) == [a, Name("x", 1), b, x, c]
    doubled = rewritten(node, lambda n: Product((Number(2), n)) if n == a else None)
    nested = one("(2*a)*x' + b*x' = sin(x)^(2*a)*[2*a, c]")
    assert doubled == nested
    assert names(doubled) == names(node)
    assert rewritten(node, lambda n: None) == node


@pytest.mark.parametrize(
    "line",
    [
        "theta1 ~ theta_1 ~ θ1 ~ θ_1 ~ θ₁ ~ ϑ₁ ~ 𝜃₁ ~ theta₁",
        "lc2 ~ l_c2 ~ lc_2 ~ l_c_2 ~ lc₂ ~ 𝑙c2",
        "Izz2 ~ I_zz2 ~ I_zz_2 ~ Izz₂",
        "m2 ~ m_2 ~ m₂ ~ 𝑚₂",
        "m2*l1*lc2 ~ m2 l1 lc2 ~ m2l1lc2 ~ m_2l_1l_c2 ~ m₂l₁lc₂ ~ m2·l1⋅lc2 ~ m2 × l1 ∗ lc2",
        "m2*g*l2 ~ m2gl2 ~ m2 g l2 ~ m₂gl₂",
        "2*m ~ 2m ~ 2 m ~ (2)(m) ~ 2(m)",
        "a*b ~ (a)(b) ~ [a][b] ~ {a}{b} ~ a(b) ~ a[b] ~ a {b} ~ (a) b",
        "a - b ~ a − b ~ a – b",
        "a^2 ~ a**2 ~ a² ~ (a)^2 ~ a^(2) ~ a^(1 + 1)",
        "a^(-1) ~ a^-1 ~ a⁻¹ ~ a**-1",
        "1/2 ~ .5 ~ 0.5 ~ 5e-1 ~ 0.05e1 ~ ½ ~ 2/4",
        "2000 ~ 2e3 ~ 2E+3 ~ 2000. ~ 2000.0",
        "1/2*m*l1^2 ~ 1/2 m l1^2 ~ ½ m l₁² ~ ½m l1² ~ (1/2)m l1**2 ~ 0.5m l1²",
        "sin(theta2) ~ sin theta2 ~ sin θ₂ ~ sinθ₂ ~ sin[θ₂] ~ sin{θ₂} ~ (sin θ₂)",
        "sin(theta2)*theta1'^2 ~ sin θ₂ θ̇₁² ~ sinθ₂θ̇₁² ~ sin(θ₂)θ̇₁² ~ sin(θ₂) θ₁'²",
        "cos(2*theta1) ~ cos 2theta1 ~ cos 2 θ₁ ~ cos(2θ₁)",
        "sin(x)^2 ~ sin^2(x) ~ sin²x ~ sin² x ~ sin**2(x) ~ (sin x)^2",
        "m2*sin(theta2) ~ m2sinθ₂ ~ m2 sin(theta2) ~ m2sin(theta2)",
        "sqrt(a) ~ √a ~ √(a) ~ sqrt a",
        "sqrt(2)*a ~ √2 a ~ √(2)a",
        "abs(a - b) ~ |a - b| ~ Abs(a - b)",
        "a*abs(b)*c ~ a|b|c ~ a |b| c",
        "log(a) ~ ln(a) ~ ln a",
        "atan2(a, b) ~ arctan2(a, b)",
        "asin(a) + acos(a) + atan(a) ~ arcsin(a) + arccos a + arctan(a)",
        "sign(x') ~ sgn(x') ~ sgn(ẋ)",
        "pi*a ~ π a ~ πa ~ 𝜋 a",
        "x' ~ ẋ ~ x.dot ~ xd ~ dx ~ x_dot ~ xdot ~ dx/dt ~ d x/dt ~ Derivative(x(t), t) ~ x'(t)",
        "x' ~ x′",
        "x'' ~ ẍ ~ x.ddot ~ xdd ~ ddx ~ x_ddot ~ xddot ~ d^2 x/dt^2 ~ d²x/dt² ~ x″ ~ x′′ ~ x''(t)",
        "theta1' ~ θ̇₁ ~ thetad1 ~ theta1d ~ theta_1_dot ~ theta_dot_1 ~ dtheta1 ~ dθ₁/dt ~ θ₁'",
        "theta1'' ~ θ̈₁ ~ thetadd1 ~ theta1dd ~ ddtheta_1 ~ theta1.ddot ~ d^2θ₁/dt^2 ~ θ₁''",
        "x'^2 ~ ẋ² ~ x.dot^2 ~ (dx/dt)^2",
        "x ~ x(t)",
        "M12 = a ~ M_12 = a ~ M(1, 2) = a ~ M₁₂ = a ~ M12(q) = a ~ M_12(θ₂) = a",
        "Gamma122 = a ~ Γ¹₂₂ = a ~ Γ122 = a ~ Gamma_122 = a ~ Gamma^1_22 = a",
        "tau1 = a ~ τ₁ = a ~ tau_1 = a ~ τ1 = a ~ tau1(t) = a ~ tau1 == a ~ τ₁ := a",
        "taujoint2 = a ~ tau_joint2 = a ~ tau_joint_2 = a",
        "C = a ~ C(q, qd) = a ~ C(q, q') = a",
        "[a, b] ~ [a; b] ~ [[a], [b]] ~ [a, b]^T ~ [a, b]ᵀ ~ Matrix([[a], [b]]) ~ Matrix([a, b])",
        "[[a, b], [c, x]] ~ [a, b; c, x] ~ [[a, b],\n [c, x]] ~ Matrix([[a, b], [c, x]])",
        "tau = a + b ~ tau = a +\nb ~ tau = a\n + b ~ tau =\na + b ~ Eq(tau, a + b) ~ tau = a + b.",
        "a + b ~ +a + b ~ a - -b ~ --a + b ~ a+b",
    ],
)
def test_spellings_of_one_thing(line):
    first, *others = line.split(" ~ ")
    assert {text: one(text) for text in others} == dict.fromkeys(others, one(first))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 + 2*3", 7.0),
        ("12/3/2", 2.0),
        ("12/3*2", 8.0),
        ("-2^2", -4.0),
        ("2^-2*8", 2.0),
        ("2*-3", -6.0),
        ("6/-3", -2.0),
        ("3(1 + 1)", 6.0),
        ("(1 + 1)(2 + 1)", 6.0),
        ("|1 - 3|(2 + 1)", 6.0),
        ("2^(1/2)*2^0.5", 2.0),
        ("cos 0 + sin(pi/2)", 2.0),
        ("1.25e2 + .5", 125.5),
    ],
)
def test_numbers(text, expected):
    class Pi(Floats):
        def name(self, name):
            return math.pi

    assert evaluate(one(text), Pi()) == pytest.approx(expected, rel=1e-15)


def test_decimals_are_exact():
    assert one("0.1") == Number(Fraction(1, 10))
    assert one("1.25e-3") == Number(Fraction(1, 800))


def test_several_statements():
    a_b, x_c = Equation(a, b), Equation(x, c)
    for text in (
        "a = b\nx = c",
        "a = b; x = c",
        "a = b, x = c",
        "a = b where x = c",
        "a = b, and x = c.",
        "a = b\n\n with x = c",
        "\na = b;\n\n;x = c;\n",
    ):
        assert read(text, WORDS) == (a_b, x_c), text
    assert read("a = b = c", WORDS) == (a_b, Equation(a, c))
    assert read("a\nb", WORDS) == (a, b)


def test_unknown_names_keep_their_spelling_and_dots():
    assert one("L_1*φ̇₂") == Product((Name("L1"), Name("phi2", 1)))
    assert one("Foo_bar") == Name("Foobar")
    assert one("sinφ") == Call("sin", (Name("phi"),))
    assert one("kθ₁") == Product((Name("k"), Name("theta1")))
    assert one("foo") == Name("foo")  # not f*o*o


def test_official_names_come_back():
    assert one("x0") == one("x_0") == Name("x_0")
    assert one("x0'") == Name("x_0", 1)


def test_a_run_with_two_cuts_is_refused_and_both_are_shown():
    words = Vocabulary.of("m g l c2 lc2".split(), [])
    assert one("lc2", words) == Name("lc2")  # the name comes before a product
    with pytest.raises(ParseError, match="can be read as") as caught:
        read("mlc2", words)
    assert "'m l c2'" in str(caught.value)
    assert "'m lc2'" in str(caught.value)
    with pytest.raises(ParseError, match="mu can be read as 'mu', 'm u'"):
        read("mu", Vocabulary.of(["m", "u"], []))


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("a + c1", "a + cos(q1)"),
        ("a + s2", "a + sin(q2)"),
        ("a + C12", "a + cos(q1 + q2)"),
        ("a + S_12", "a + sin(q1 + q2)"),
        ("a + s_{12}", "a + sin(q1 + q2)"),
        ("a + c_{1,3}", "a + cos(q1 + q3)"),
        ("a + c_{123}", "a + cos(q1 + q2 + q3)"),
        ("a + c_2^2", "a + cos(q2)^2"),
        ("a + c₁₂", "a + cos(q1 + q2)"),
        ("a + cq1", "a + cos(q1)"),
        ("m2 l1 lc2 s2", "m2*l1*lc2*sin(q2)"),
        ("m2l1lc2s2", "m2*l1*lc2*sin(q2)"),
        ("C12 = c1 + a", "C12 = cos(q1) + a"),
        ("a + c_{21}", "a + c21"),
        ("a + c4", "a + c4"),
        ("a + c11", "a + c11"),
    ],
)
def test_shorthands(text, meaning):
    assert one(text, SHORT) == one(meaning, Vocabulary(SHORT.known, SHORT.coordinates))


def test_shorthands_are_read_when_asked_for():
    assert one("s12*a") == Product((Name("s12"), a))
    assert looks_like_shorthand("c12")
    assert looks_like_shorthand("S1")
    assert not any(map(looks_like_shorthand, ("c", "c0", "lc2", "c1x", "")))


def test_a_shorthand_that_is_a_name_is_refused():
    words = Vocabulary.of(["c1"], ["q1"], shorthand=True)
    with pytest.raises(ParseError, match="c1 is a name of the mechanism and a shorthand"):
        read("a + c1", words)
    ten = Vocabulary.of([], [f"q{k}" for k in range(1, 13)], shorthand=True)
    assert one("a + c12", ten) == Sum((a, Name("c12")))  # q1 + q2 or q12?
    assert one("a + c_{1,12}", ten).terms[1].function == "cos"


def test_spellings_of_rates():
    made = spellings("theta_1")
    assert made["theta1"] == ("theta_1", 0)
    assert {k for k, v in made.items() if v[1] == 1} == {
        "thetad1",
        "theta1d",
        "dtheta1",
        "theta1dot",
        "thetadot1",
    }
    assert made["thetaddot1"] == made["ddtheta1"] == made["theta1dd"] == ("theta_1", 2)
    assert spellings("d")["dd"] == ("d", 1)
    assert spellings("d")["ddd"] == ("d", 2)


def test_names_win_over_spellings():
    words = Vocabulary.of(["xd", "d"], ["x", "y"])
    assert one("xd", words) == Name("xd")
    assert one("ydot", words) == one("dy/dt", words) == Name("y", 1)
    with pytest.raises(ParseError, match=r"dy can be read as 'dy', 'd y': .*write a rate as x'"):
        read("dy", words)
    with pytest.raises(ParseError, match=r"yd can be read as 'yd', 'y d': .*write a rate as x'"):
        read("yd", words)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("theta_1", "theta1"),
        ("θ₁", "theta1"),
        (r"\theta_{1}", "theta1"),
        ("l_{c,2}", "lc2"),
        (r"\mathbf{M}_{12}", "M12"),
        ("M[1,2]", "M12"),
        (r"\Gamma^1_{22}", "Gamma122"),
        (r"\Gamma_{22}^1", "Gamma122"),
        ("m_link1", "mlink1"),
        ("Ixx_fore arm", "Ixxforearm"),
        ("mθ", "mtheta"),
        ("sin", "sin"),
        ("q-1", "q-1"),
        ("", ""),
    ],
)
def test_canonical_spelling(text, key):
    assert canonical(text) == key
    assert canonical(key) == key
