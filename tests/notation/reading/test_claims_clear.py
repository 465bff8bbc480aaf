"""What is easily misread: arguments without parentheses, (t), numbers of equations, units."""

import pytest

from tests.support.readers.words import one
from visviva.errors import ParseError
from visviva.notation.reading.read import read
from visviva.notation.reading.vocabulary import Vocabulary
from visviva.notation.tree_sympy import to_sympy

WORDS = Vocabulary.of(
    "m l g a k n A omega Omega0 alpha mu phi0 M b I2 l2 t".split(),
    ["theta1", "theta2", "x", "q3"],
)


def trees(text, words=WORDS):
    return read(text, words)


@pytest.mark.parametrize(
    "same",
    [
        r"A*cos(omega*t) ~ A\cos\omega t ~ A\cos{\omega t} ~ A\cos \omega\,t ~ A cos omega t "
        r"~ A cos ωt ~ A cosωt ~ A \cos(\omega t) ~ A\cos\omega{}t",
        r"cos(omega*t)*l ~ \cos\omega t\, l ~ cos ω t l",
        r"cos(omega*t)*x ~ \cos\omega t\, x ~ cos ω t x",
        r"cos(2*omega*t) ~ \cos 2\omega t ~ cos 2ωt",
        r"cos(n*omega*t) ~ \cos n\omega t",
        r"sin(omega*t) + a ~ \sin\omega t + a",
        r"cos(2*pi/a*t) ~ \cos\frac{2\pi}{a} t",
        r"sin(pi*t) ~ \sin\pi t",
        r"sin(omega)*t ~ \sin(\omega) t ~ \sin(\omega)t",
        r"sin(2*theta1)*l ~ \sin 2\theta_1 l ~ \sin2\theta_1\,l",
        r"cos(theta1)*sin(theta2) ~ \cos\theta_1 \sin\theta_2 ~ cosθ₁sinθ₂",
        r"sin(theta1)*m*g ~ \sin\theta_1 m g ~ \sin\theta_1\cdot m g",
        r"sin(theta1)*mu ~ \sin\theta_1\mu",
        r"sin(alpha)*m*g ~ \sin\alpha\,m g ~ \sin{\alpha}mg",
        r"sin(theta1)*(l + a) ~ \sin\theta_1 (l + a)",
        r"sin(x)*x' ~ \sin x\,\dot x",
        r"x^2*x'^2*l ~ x^2(t) x'^2(t) l ~ x^{2}{\left(t \right)} \dot x^{2}{\left(t \right)} l",
        r"m*cos(theta1/2) ~ \cos\frac{\theta_1}{2} m ~ m\cos\tfrac{1}{2}\theta_1",
    ],
)
def test_arguments_of_functions_end_with_an_angle_or_with_t(same):
    first, *others = (x.strip() for x in same.split(" ~ "))
    for other in others:
        assert value(other) == value(first), other


@pytest.mark.parametrize(
    ("text", "readings"),
    [
        ("cos omega*t", "cos(omega) or cos(omega*t)"),
        (r"\cos\omega m", r"cos(\omega) or cos(\omega m)"),
        (r"\cos\omega (t - a)", r"cos(\omega) or cos(\omega (t - a))"),
        (r"\cos{\omega} t", r"cos(\omega) or cos({\omega} t)"),
        (r"\cos{\theta_1}^2", r"cos(\theta_1) or cos({\theta_1}^2)"),
        (r"\cos\omega\frac{t}{2}", r"cos(\omega) or"),
        (r"\sin k x", "sin(k) or sin(k x)"),
        (r"\sin\theta_1 t", r"sin(\theta_1) or sin(\theta_1 t)"),
        (r"\sin\theta_1+\theta_2", r"sin(\theta_1) or sin(\theta_1+\theta_2)"),
        (r"\cos\theta_1 - 2\theta_2 = 0", r"cos(\theta_1) or cos(\theta_1 - 2\theta_2)"),
        (r"\sin\omega t + \phi_0", r"sin(\omega t) or sin(\omega t + \phi_0)"),
        (r"\sin \alpha/2", r"sin(\alpha) or sin(\alpha/2)"),
        (r"\sin\theta_1^2", r"sin(\theta_1) or sin(\theta_1^2)"),
    ],
)
def test_arguments_without_a_clear_end_are_refused_with_both_readings(text, readings):
    with pytest.raises(ParseError) as caught:
        trees(text)
    assert readings in str(caught.value)


@pytest.mark.parametrize(
    "same",
    [
        "x'' + k*x ~ x''[t] + k x[t] ~ x''(t) + k x(t) ~ Derivative(x(t), (t, 2)) + k*x(t) "
        "~ Derivative(x(t), t, t) + k*x(t)",
        r"theta1*m ~ \theta_1(t) m ~ \theta_1{\left(t \right)} m ~ theta1[t] m ~ θ₁(t) m",
        "sin(theta1)*m ~ Sin[theta1[t]] m ~ Sin[θ₁] m",
        "sqrt(a)*atan(x) ~ Sqrt[a] ArcTan[x] ~ Sqrt[a]*ArcTan[x[t]]",
        r"cos(theta1)*theta1'' ~ \cos[\theta_1[t]]\,\theta_1''[t]",
    ],
)
def test_functions_of_time_are_names(same):
    first, *others = (x.strip() for x in same.split(" ~ "))
    for other in others:
        assert one(other, WORDS) == one(first, WORDS), other


@pytest.mark.parametrize("text", ["a + k(t)", "a + k[t]", "a + k(x)", "a + k[x]", r"a + k{(t)}"])
def test_a_parameter_of_something_is_refused(text):
    with pytest.raises(ParseError, match="is not clear: a function"):
        trees(text)


def test_products_with_brackets_are_products():
    assert value("k(x')") == value("k*x'")
    assert value("x''(m + M)") == value("x''*(m + M)")
    assert value("a + k (x)") == value("a + k*x")


@pytest.mark.parametrize(
    "text",
    [
        r"1.  $m\ddot x = a$" + "\n\n" + r"2.  $l\ddot x = b$",
        "1. m x'' = a\n2. l x'' = b",
        "(1) m x'' = a\n(2) l x'' = b",
        "(1) m x'' = a; (2) l x'' = b",
        "[1] m x'' = a\n[2] l x'' = b",
        "1) m x'' = a\n2) l x'' = b",
        "a) m x'' = a\nb) l x'' = b",
        r"(7) $m\ddot x = a$" + "\n" + r"(8) $l\ddot x = b$",
        r"7. $m\ddot x = a$" + "\n" + r"8. $l\ddot x = b$",
        r"m\ddot x = a \qquad (7)" + "\n" + r"l\ddot x = b \qquad (8)",
        r"$m\ddot x = a$ (7)" + "\n" + r"$l\ddot x = b$ (8)",
        r"m\ddot x = a, (7)" + "\n" + r"l\ddot x = b. (8)",
        r"\begin{align} m\ddot x &= a \tag{7}\\ l\ddot x &= b \label{eq:8} \end{align}",
        r"\item m\ddot x = a" + "\n" + r"\item l\ddot x = b",
    ],
)
def test_numbers_of_equations_are_no_factors(text):
    assert trees(text) == trees("m x'' = a; l x'' = b")


@pytest.mark.parametrize(
    "text",
    [
        "2. m l x'' = a",
        r"2. ml\ddot x = a",
        "(3) m x'' = a",
        r"(3)m\ddot x = a",
        r"(3.12) m\ddot x = a",
        "[3] m x'' = a",
        "(a) m x'' = a",
        "m x'' = a (3)",
        "m x'' = 0 (3.7)",
        "m x'' = k (3a)",
        "2. m x'' = a\n4. l x'' = b",
    ],
)
def test_what_may_be_a_number_or_a_factor_is_refused_with_both_readings(text):
    with pytest.raises(ParseError, match=r"may number the equation or be (its first|a) factor"):
        trees(text)


def test_factors_are_factors():
    assert value("(2)*m") == value("2*m")
    assert value("(2)(m)") == value("2*m")
    assert value("(2) + m") == value("2 + m")
    assert value("(0.5) m") == value("m/2")
    assert value("2. + m") == value("2 + m")
    assert value("a*sin (2)") == value("a*sin(2)")
    assert trees("x = (a +\n 2) m") == trees("x = (a + 2) m")


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        (r"l = 0.3\,\mathrm{m}", "l = 0.3"),
        (r"l = 0.3~\text{m}.", "l = 0.3"),
        (r"l_2 = 3\times 10^{-1}\,\mathrm{m}", "l2 = 3*10^-1"),
        (r"g = 9.81\,\mathrm{m/s^2}", "g = 9.81"),
        (r"g = 9.81\,\text{m/s}^2", "g = 9.81"),
        (r"g = 9.81\,\mathrm{m\,s^{-2}}", "g = 9.81"),
        (r"g = 9.81\,\frac{\mathrm{m}}{\mathrm{s}^2}", "g = 9.81"),
        (r"I_2 = 0.5\,\mathrm{kg}\cdot\mathrm{m}^2", "I2 = 0.5"),
        (r"m = 2\,\mathrm{kg}, l = 0.3\,\mathrm{m}", "m = 2; l = 0.3"),
        (r"b = 0.1\,\mathrm{N\,m\,s/rad}", "b = 0.1"),
        ("omega = 2 rad/s", "omega = 2"),
        ("m = 2 kg and omega = 3 rad/s", "m = 2; omega = 3"),
        ("M = 2 m", "M = 2*m"),
        ("a = 2 l", "a = 2*l"),
        ("l = 2*m", "l = 2*m"),
        ("l = 2 m^2", "l = 2*m^2"),
        ("k = 2 m g", "k = 2*m*g"),
        ("a = 2 m x'", "a = 2*m*x'"),
    ],
)
def test_units_are_no_factors(text, plain):
    assert trees(text) == trees(plain)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("l = 0.3 m", "m may be a unit or a factor m: leave units out"),
        ("l = 0.3m", "m may be a unit or a factor m"),
        ("g = 9.81 m/s^2", "m/s^2 may be a unit or a factor m"),
        ("where l = 2 m and a = 3 m", "m may be a unit or a factor m"),
        ("m = 3 g", "g may be a unit or a factor g"),
        (r"l = 30\,\mathrm{cm}", "cm is no unit of SI: write the value in kg, m, s"),
    ],
)
def test_what_may_be_a_unit_or_a_factor_is_refused_with_both_readings(text, said):
    with pytest.raises(ParseError) as caught:
        trees(text)
    assert said in str(caught.value)


def test_units_where_nothing_else_has_their_name():
    arm = Vocabulary.of("m1 m2 l1 l2 I2 g".split(), ["q1", "q2"])
    assert trees("l1 = 0.3 m; m1 = 2 kg; g = 9.81 m/s^2; I2 = 0.5 kg m²", arm) == trees(
        "l1 = 0.3; m1 = 2; g = 9.81; I2 = 0.5", arm
    )


@pytest.mark.parametrize("text", ["a + cos(x)", r"a\cos x", "sec(x)", "M = ln(x)"])
def test_names_of_functions_are_no_names(text):
    words = Vocabulary.of(["a"], ["sin", "cos", "sec", "ln", "x"])
    with pytest.raises(ParseError, match="is a name of the mechanism and a function"):
        trees(text, words)
    assert trees("a sin''", words)


def value(text):
    """The tree as SymPy has it: products in any order."""
    return to_sympy(one(text, WORDS))
