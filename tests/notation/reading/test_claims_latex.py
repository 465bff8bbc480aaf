r"""Typed claims in LaTeX, as papers have them, and the way back from our own writers."""

import pytest
import sympy

import visviva as vv
from visviva.errors import ParseError
from visviva.notation.evaluate import evaluate
from visviva.notation.reading.read import read
from visviva.notation.reading.vocabulary import Vocabulary
from visviva.notation.tree import Equation, Name, Product, Sum
from visviva.notation.writing.write import latex

PARAMETERS = "m m1 m2 l l1 l2 lc2 g Izz2 a b c".split()
WORDS = Vocabulary.of(PARAMETERS, ["theta1", "theta2", "q3", "x"])


def one(text, words=WORDS):
    (node,) = read(text, words)
    return node


@pytest.mark.parametrize(
    "line",
    [
        r"theta1 ~ \theta_1 ~ \theta_{1} ~ \vartheta_1 ~ {\theta}_1 ~ \theta1",
        r"theta1 ~ \boldsymbol{\theta}_1",
        r"lc2 ~ l_{c2} ~ l_{c,2} ~ l_{c 2} ~ l_{c_2} ~ l_{c_{2}} ~ l_{\mathrm{c}2} ~ \mathrm{lc}_2",
        r"lc2 ~ l\_c2 ~ l\_{c2} ~ \mathrm{lc\_2} ~ \text{lc\_2} ~ l\_c\_2",  # of Markdown, of text
        r"Izz2 ~ I_{zz,2} ~ I_{\mathrm{zz}2} ~ I_{zz2} ~ \mathit{I}_{zz,2} ~ I_{zz_2}",
        r"m2*l1*lc2 ~ m_2l_1l_{c2} ~ m_{2} l_{1} l_{c2} ~ m_2\,l_1\;l_{c2}",
        r"m2*l1*lc2 ~ m_2\cdot l_1 \times l_{c2}",
        r"m*g*l ~ mgl\, ~ m\,g\,l ~ {m}{g}{l} ~ m g~l",
        r"m2*g*(a + b) ~ m_2 g\{a + b\} ~ m_2 g\left[a + b\right] ~ m_2 g \Bigl(a + b\Bigr)",
        r"m2*(a + b) ~ m_2{\left(a + b\right)} ~ m_2 \left\lbrack a + b \right\rbrack",
        r"a/b ~ \frac{a}{b} ~ \dfrac{a}{b} ~ \tfrac ab ~ \frac ab ~ {a}/{b}",
        r"1/2 ~ \frac12 ~ \frac{1}{2} ~ \frac1{2} ~ \tfrac{1}2 ~ \dfrac 1 2",
        r"1/2*m*x'^2 ~ \frac{1}{2} m \dot{x}^2 ~ \tfrac12 m\dot x^{2} ~ \frac12\,m\,\dot{x}^{2}",
        r"sqrt(a) ~ \sqrt{a} ~ \sqrt a ~ \sqrt(a)",
        r"sqrt(2)*a ~ \sqrt2 a ~ \sqrt{2}a ~ \sqrt2\,a",
        r"sin(theta2) ~ \sin\theta_2 ~ \sin{\theta_2} ~ \sin(\theta_2) ~ \sin\left(\theta_2\right)",
        r"sin(theta2) ~ \mathrm{sin}\,\theta_2 ~ \operatorname{sin}\theta_2",
        r"sin(theta2) ~ \sin\!\left[\theta_2\right]",
        r"sin(theta2)*theta1'^2 ~ \sin\theta_2\dot\theta_1^2 ~ \sin\theta_2 \, \dot{\theta}_1^{2}",
        r"sin(theta2)*theta1'^2 ~ \sin\theta_2\,\dot\theta^2_1 ~ \sin(\theta_2)\dot{\theta_1}^2",
        r"cos(2*theta1) ~ \cos 2\theta_1 ~ \cos(2\theta_1) ~ \cos{2\theta_1}",
        r"cos(1/2*theta1) ~ \cos\tfrac12\theta_1 ~ \cos\frac{1}{2}\theta_1",
        r"cos(theta1/2) ~ \cos\frac{\theta_1}{2} ~ \cos\left(\frac{\theta_1}{2}\right)",
        r"sin(q3)^2 ~ \sin^2 q_3 ~ \sin^{2}q_3 ~ \sin^2(q_3) ~ \sin^2{q_3}",
        r"sin(q3)^2 ~ \left(\sin q_3\right)^2",
        r"sin(q3)*cos(q3) ~ \sin q_3\cos q_3 ~ \sin{q_3}\cos{q_3}",
        r"abs(a) ~ \left|a\right| ~ \lvert a\rvert ~ |a|\,",
        r"sign(x') ~ \operatorname{sgn}(\dot x) ~ \mathrm{sgn}\left(\dot x\right)",
        r"sign(x') ~ \operatorname{sign}(\dot{x})",
        r"atan2(a, b) ~ \operatorname{atan2}(a, b) ~ \mathrm{atan2}\left(a, b\right)",
        r"asin(a) ~ \arcsin a ~ \arcsin(a)",
        r"pi*a ~ \pi a",
        r"x' ~ \dot x ~ \dot{x} ~ \mathbf{\dot x} ~ \dot{\mathbf{x}} ~ x^\prime ~ \frac{dx}{dt}",
        r"x' ~ \frac{\mathrm{d}x}{\mathrm{d}t}",
        r"q3' ~ \dot q_3 ~ \dot{q}_3 ~ \dot{q}_{3} ~ \dot{q_3} ~ {\dot q}_3 ~ \frac{d q_3}{dt}",
        r"q3' ~ q_3^{\prime} ~ q'_3 ~ q_3' ~ \dot q3\,",
        r"q3'' ~ \ddot q_3 ~ \ddot{q}_3 ~ \dot{\dot{q}}_3 ~ \frac{d^2 q_3}{dt^2}",
        r"q3'' ~ \frac{d^{2}q_3}{d t^{2}} ~ \frac{d\dot q_3}{dt} ~ q_3^{\prime\prime} ~ q_3^{''}",
        r"theta1''^2 ~ \ddot\theta_1^2 ~ \ddot{\theta}_{1}^{2} ~ \left(\ddot\theta_1\right)^2",
        r"theta1''^2 ~ \left(\frac{d^2\theta_1}{dt^2}\right)^2",
        r"a*x' + b ~ a\dot x+b ~ $a \dot x + b$ ~ \[a\dot x+b\] ~ \(a\dot x + b\)",
        r"a*x' + b ~ \displaystyle a\dot x + b.",
        r"[[a, b], [c, x]] ~ \begin{bmatrix} a & b \\ c & x \end{bmatrix}",
        r"[[a, b], [c, x]] ~ \begin{pmatrix}a&b\\c&x\\\end{pmatrix}",
        r"[[a, b], [c, x]] ~ \left[\begin{array}{cc} a & b \\ c & x \end{array}\right]",
        r"[[a, b], [c, x]] ~ \left(\begin{matrix}a&b\\c&x\end{matrix}\right)",
        r"[a, b] ~ \begin{bmatrix} a \\ b \end{bmatrix} ~ [a, b]^{\mathsf T} ~ [a, b]^\top",
        r"[a, b] ~ \left[a, b\right]^{\mathrm{T}}",
        r"[[a, b]]^T ~ \begin{bmatrix} a & b \end{bmatrix}^T",
        r"[[a, b]]^T ~ \begin{bmatrix} a & b \end{bmatrix}^{\top}",
        r"M12 = a ~ M_{12} = a ~ M_{1,2} = a ~ \mathbf{M}_{12} = a ~ M_{12}(q) = a",
        r"M12 = a ~ M_{12}(\mathbf q) \triangleq a",
        r"Gamma122 = a ~ \Gamma^1_{22} = a ~ \Gamma_{122} = a ~ \Gamma_{22}^1 = a",
        r"Gamma122 = a ~ \Gamma^{1}_{22} = a ~ \Gamma^1_{2,2} = a",
        r"C = a ~ C(q, \dot q) = a ~ \mathbf{C}(\mathbf{q}, \dot{\mathbf{q}}) = a",
        r"tau1 = a ~ \tau_1 = a ~ \tau_{1} &= a ~ \tau_1 = a \tag{3.2}",
        r"tau1 = a ~ \tau_1 = a \label{eq:tau}, ~ \tau_1 \equiv a",
        r"tau1 = a ~ \begin{equation}\tau_1 = a\end{equation}",
        r"tau1 = a ~ \begin{align*} \tau_1 &= a \end{align*}",
        r"tau = a + b ~ \tau = a \\ + b ~ \begin{aligned}\tau &= a \\ &\quad {} + b\end{aligned}",
        "tau = a*(b + c) ~ \\tau = a\n(b + c) ~ \\tau = a\\left(b \\right.\\\\ \\left. + c\\right)",
        "tau = a ~ \\tau = a % as in the book\n",
    ],
)
def test_spellings_of_one_thing(line):
    first, *others = line.split(" ~ ")
    assert {text: one(text) for text in others} == dict.fromkeys(others, one(first))


def test_several_statements():
    first, second = Equation(Name("tau1"), Name("a")), Equation(Name("tau2"), Name("b"))
    for text in (
        r"\begin{aligned} \tau_1 &= a \\ \tau_2 &= b \end{aligned}",
        r"\begin{cases} \tau_1 = a, \\ \tau_2 = b. \end{cases}",
        r"\left\{\begin{aligned} \tau_1 &= a \\ \tau_2 &= b \end{aligned}\right.",
        r"\left\{ \begin{split} \tau_1 &= a \\ \tau_2 &= b \end{split} \right\}",
        "\\begin{align}\n\\tau_1 &= a \\label{x} \\\\\n\\tau_2 &= b\n\\end{align}",
        r"\tau_1 = a, \quad \tau_2 = b",
        r"\tau_1 = a \quad\text{and}\quad \tau_2 = b",
        "\\tau_1 = a\n\\tau_2 = b",
    ):
        assert read(text, WORDS) == (first, second), text
    chain = read(r"\begin{aligned} \tau_1 &= a \\ &= b \end{aligned}", WORDS)
    assert chain == (first, Equation(Name("tau1"), Name("b")))


def test_letters_are_names_unless_they_are_known_together():
    assert one(r"kx\,") == one(r"k\,x")
    assert one(r"\mathrm{load} + a") == Sum((Name("load"), Name("a")))
    assert one(r"foo\,") == Product((Name("f"), Name("o"), Name("o")))
    assert one(r"\tau_{load}") == Name("tauload")
    assert one(r"m_{\mathrm{load}}\bar{l}_1\hat\beta") == Product(
        (Name("mload"), Name("lbar1"), Name("betahat"))
    )


def test_an_equation_of_a_paper():
    text = r"""\tau_2 = m_2 l_1 l_{c2} \cos\theta_2\, \ddot{\theta}_1 + \left( m_2 l_{c2}^2 +
        I_{zz,2} \right) \left(\ddot{\theta}_1 + \ddot{\theta}_2\right)
        + m_2 l_1 l_{c2} \sin \theta_2\, \dot{\theta}_1^2 + m_2 g l_{c2}
        \cos(\theta_1 + \theta_2)."""
    plain = """tau2 = m2*l1*lc2*cos(theta2)*theta1'' + (m2*lc2^2 + Izz2)*(theta1'' + theta2'')
        + m2*l1*lc2*sin(theta2)*theta1'^2 + m2*g*lc2*cos(theta1 + theta2)"""
    assert one(text) == one(plain)


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        (r"\foo + a", 0, r"the command \foo has no meaning here"),
        (r"a \pm b", 2, r"the command \pm has no meaning here"),
        (r"\partial a", 0, r"a derivative is written \frac{\partial T}{\partial q_1}"),
        (r"\sin^{-1}\theta_1", 4, "sin^-1 is not clear: write asin(...) or 1/sin(...)"),
        (r"\sin\theta_2\theta_1", 12, "where the argument of sin ends is not clear"),
        (r"\sin\theta_1^2", 12, "where the argument of sin ends is not clear"),
        (r"\cos 2(\theta_1)", 6, "where the argument of cos ends is not clear"),
        (r"\sin\dot\theta_1", 4, "sin needs parentheses here"),
        (r"x^12\,", 2, "^12 is not clear in LaTeX: write ^{12}"),
        (r"x^{(2)}", 2, "^{(2)} is not clear: write ^{2} or dots"),
        (r"x_{1}_{2}", 5, "expected at most one index"),
        (r"q_{i+1}", 4, "expected letters and digits in an index, got '+'"),
        (r"q_{}", 2, "expected a name or an index between these braces"),
        (r"\dot{a b}", 4, "expected a single name between these braces"),
        (r"\dot{a + b}", 4, "expected a single name between these braces"),
        (r"\dot 2", 5, "expected a name, got '2'"),
        (r"\frac{d}{dt} a b", 15, "where the derived formula ends is not clear"),
        (r"\frac{d^2 (a x)}{dt}", 0, "a derivative of order 2 has 1 names below"),
        (r"3\frac{1}{2}", 1, "two numbers side by side are not clear: write * or +"),
        (r"\tau_1 &= a & \tau_2 &= b", 12, "expected '&' beside '='"),
        (r"\frac{a}{0}", 9, "expected something other than zero"),
        (r"\frac{a}", 8, "expected {...}, a digit or a name, got the end of the text"),
        (r"\sqrt[3]{a}", 5, "only square roots can be read"),
        (r"\log_{10} a", 4, "log needs parentheses here"),
        (r"\begin{vmatrix} a \end{vmatrix}", 0, "vmatrix: a determinant cannot be read"),
        (r"\begin{foo} a \end{foo}", 0, "foo: unknown (available: Bmatrix, array"),
        (r"\begin a", 0, r"expected \begin{...} with a short name"),
        (r"\begin{bmatrix} a", 0, r"'\begin{bmatrix}' is never closed"),
        (r"\begin{bmatrix} a \end{pmatrix}", 18, r"expected '\end{bmatrix}', got '\end{pmatrix}'"),
        (r"\begin{bmatrix} a & b \\ c \end{bmatrix}", 25, "expected rows of 2 entries"),
        (r"\begin{bmatrix} a & \end{bmatrix}", 20, r"got '\end{bmatrix}'"),
        (r"\left( a \right]", 15, "expected ')', got ']'"),
        (r"\tau = a \\ b", 12, "this line may go on or begin a statement"),
        ("\\cos a\nb", 7, "this line may go on or begin a statement"),
        (r"a \_", 4, "expected a name, got the end of the text"),  # was read as a
        (r"\_ a", 0, "expected a number, a name, a function or a bracket, got '_'"),
        (r"\tag a", 4, "expected {...} here"),
        ("a \\", 2, "expected a command after '\\'"),
        (r"\{ a", 0, r"'\{' is never closed"),
    ],
)
def test_what_is_refused_and_where(text, column, message):
    with pytest.raises(ParseError) as caught:
        read(text, WORDS)
    assert message in str(caught.value)
    assert caught.value.column == column


# ---- back from our own writers


class SymPy:
    """Names by their official name; rates as closed forms call them."""

    def __init__(self, form):
        self.rates = {}
        for k, q in enumerate(form.coordinates):
            self.rates |= {(str(q), 0): q, (str(q), 1): form.velocities[k]}
            self.rates |= {(str(q), 2): form.accelerations[k]}

    def number(self, value):
        return sympy.Rational(value.numerator, value.denominator)

    def name(self, name):
        return self.rates.get((name.key, name.dots)) or sympy.Symbol(name.key, real=True)

    def call(self, function, *arguments):
        return getattr(sympy, function)(*arguments)

    def power(self, base, exponent):
        return base ** self.number(exponent)


@pytest.fixture(scope="module", params=["two_link", "craig_6_5", "scara", "rp_arm"])
def form(request):
    return getattr(vv.catalog, request.param)().closed_form()


def is_same(found, wanted):
    """Equal as expressions in symbols by their names."""
    symbols = {x: sympy.Symbol(x.name) for x in wanted.free_symbols | found.free_symbols}
    return sympy.expand(found.xreplace(symbols) - wanted.xreplace(symbols)) == 0


def parts_of(form):
    parts = [*form.equations, *form.mass_matrix, *form.coriolis_matrix, *form.gravity]
    return [*parts, form.kinetic_energy, form.potential_energy]


def words_of(form, shorthand=False):
    return Vocabulary.of(map(str, form.parameters), map(str, form.coordinates), shorthand)


def test_what_sympy_prints_is_read_back(form):
    words, scalars = words_of(form), SymPy(form)
    for wanted in parts_of(form):
        assert is_same(evaluate(one(str(wanted), words), scalars), wanted)


@pytest.mark.parametrize("short", [False, True])
def test_our_latex_is_read_back(form, short):
    words, scalars = words_of(form, short), SymPy(form)
    named = [None, list(map(str, form.coordinates))]
    for wanted in parts_of(form):
        for names in named:
            text = latex(wanted, names=names, short=short)
            assert is_same(evaluate(one(f"0 + {text}", words), scalars), wanted), text


def test_lists_and_matrices_are_read_back(form):
    words, scalars = words_of(form), SymPy(form)
    left = [sympy.Symbol(f"tau{k + 1}") for k in range(len(form.equations))]
    text = latex([sympy.Eq(u, e) for u, e in zip(left, form.equations, strict=True)], width=40)
    found = read(text, words)
    assert [node.left.key for node in found] == [u.name for u in left]
    for node, wanted in zip(found, form.equations, strict=True):
        assert is_same(evaluate(node.right, scalars), wanted)
    for text in (latex(form.mass_matrix), str(form.mass_matrix)):
        made = evaluate(one(text, words), scalars)
        assert made.shape == form.mass_matrix.shape
        for i, j in zip(*made.nonzero(), strict=True):
            assert is_same(sympy.sympify(made[i, j]), form.mass_matrix[i, j])
