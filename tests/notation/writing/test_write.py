"""Results as text: LaTeX and MathML well formed, Python and C executed."""

import ctypes
import re
import shutil
import subprocess

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from visviva.errors import ArgumentError, UnknownNameError
from visviva.notation.writing.write import (
    Names,
    c_source,
    latex,
    markdown,
    mathml,
    python_source,
    width_of,
)

a, b, q1, q2, qd1, qdd1, m1, m2, L1, r2 = sympy.symbols("a b q1 q2 qd1 qdd1 m1 m2 L1 r2")
T = sympy.Symbol("t")
SAMPLES = [
    sympy.Integer(0),
    sympy.Rational(-3, 4),
    sympy.Float("1.5e-9") * a,
    -a / 2,
    a / (2 * b),
    (a + b) ** 2 / 3 - a * (b - 1),
    1 / sympy.sqrt(a + 1),
    a**b,
    2**a * 3**b,
    sympy.sin(q1) ** 2 * sympy.cos(q1 + q2 / 2),
    sympy.atan2(a, b) + sympy.Abs(a) ** 2 + sympy.exp(-a) + sympy.tanh(a),
    sympy.Piecewise((a, a > 0), (0, True)),
    sympy.pi * a,
    sympy.Function("q1")(T).diff(T, 2),
    sympy.Function("f")(a, b) + sympy.Function("V")(a).diff(a),
    sympy.Integral(a, a),
    sympy.Symbol("m_link%1") * sympy.Symbol("100&<x>"),
    sympy.Matrix([[a, -b], [0, a / b]]),
    sympy.Eq(a, b + 1),
    sympy.Le(a, b),
]


def balanced(text):
    """Braces, \\left and \\right, \\begin and \\end belong together."""
    depth = 0
    for c in re.sub(r"\\[{}]", "", text):
        depth += (c == "{") - (c == "}")
        assert depth >= 0
    assert depth == 0
    assert text.count(r"\left") == text.count(r"\right")
    stack = []
    for kind, name in re.findall(r"\\(begin|end)\{(\w+)\}", text):
        if kind == "begin":
            stack.append(name)
        else:
            assert stack.pop() == name
    assert not stack
    assert not re.search(r"(?<!\\)[%#$]", text)


def parsed(text):
    """MathML parsed as XML; every element has as many children as it must."""
    root = etree.fromstring(text)
    children = {"mfrac": 2, "msub": 2, "msup": 2, "mover": 2, "munder": 2, "msubsup": 3}
    leaves = {"mi", "mn", "mo", "mtext"}
    for e in root.iter():
        tag = etree.QName(e).localname
        assert etree.QName(e).namespace == "http://www.w3.org/1998/Math/MathML"
        if tag in children:
            assert len(e) == children[tag]
        if tag in leaves:
            assert len(e) == 0
            assert e.text
        else:
            assert not (e.text or "").strip()
    return root


@pytest.mark.parametrize("x", SAMPLES, ids=str)
@pytest.mark.parametrize("short", [False, True])
def test_well_formed(x, short):
    balanced(latex(x, short=short))
    parsed(mathml(x, short=short))
    balanced(latex([x, x], short=short, width=5))
    parsed(mathml([x, x], short=short, width=5))


@st.composite
def expressions(draw):
    leaves = st.sampled_from([a, b, q1, qd1, m1, sympy.Integer(-2), sympy.Rational(1, 3)])

    def grow(inner):
        pair = st.tuples(inner, inner)
        return st.one_of(
            pair.map(lambda p: p[0] + p[1]),
            pair.map(lambda p: p[0] * p[1]),
            inner.map(lambda x: x**2),
            inner.map(sympy.sin),
            inner.map(lambda x: 1 / (x + 3) if x != -3 else x),
        )

    return draw(st.recursive(leaves, grow, max_leaves=10))


@given(expressions())
@settings(max_examples=60, deadline=None)
def test_any_expression_is_well_formed(x):
    balanced(latex(x))
    parsed(mathml(x))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("m1", "m_{1}"),
        ("lc2", "l_{c2}"),
        ("I_xx1", "I_{xx1}"),
        ("Ixx1", "I_{xx1}"),
        ("a_g", "a_{g}"),
        ("theta1", r"\theta_{1}"),
        ("alpha", r"\alpha"),
        ("omegax", r"\omega_{x}"),
        ("θ1", r"\theta_{1}"),
        ("qd1", r"\dot{q}_{1}"),
        ("thetadd2", r"\ddot{\theta}_{2}"),
        ("q1''", r"\ddot{q}_{1}"),
        ("kd", "k_{d}"),
        ("m_link1", r"m_{\mathrm{link1}}"),
        ("shoulder1", r"\mathrm{shoulder}_{1}"),
        ("x_1_2", r"x_{\mathrm{1\_2}}"),
    ],
)
def test_names(name, text):
    assert latex(sympy.Symbol(name)) == text


def test_coordinates_decide_what_is_a_rate():
    d, dd, ddd, elbowd = sympy.symbols("d dd ddd elbowd")
    names = Names(["d", "elbow"])
    assert latex(d + dd, names) == r"\dot{d} + d"
    assert latex(ddd, ["d"]) == r"\ddot{d}"
    assert latex(elbowd, names) == r"\dot{\mathrm{elbow}}"
    assert latex(ddd) == "d_{dd}"


@pytest.mark.parametrize(
    ("x", "text"),
    [
        (m2 * L1 * r2 * sympy.sin(q2) * qd1, r"m_{2} L_{1} r_{2} \sin(q_{2}) \dot{q}_{1}"),
        (q1 + qdd1 - qd1, r"\ddot{q}_{1} - \dot{q}_{1} + q_{1}"),
        (m2 * L1 + m1 * r2, "m_{1} r_{2} + m_{2} L_{1}"),
        (qd1**2 * sympy.cos(q1) ** 2, r"\cos^{2}(q_{1}) \dot{q}_{1}^{2}"),
        (-a * (b + 1) / 2, r"-\frac{1}{2} a \left(b + 1\right)"),
        (a - (b + 1) * (b + 2), r"a - \left(b + 1\right) \left(b + 2\right)"),
        (a / (b * (a + b)), r"\frac{a}{b \left(a + b\right)}"),
        (sympy.Float("0.50") * a, "0.5 a"),
        (sympy.Float("1.5e-9") * a, r"1.5 \cdot 10^{-9} a"),
        (2 * 3**a, r"2 \cdot 3^{a}"),
        (sympy.Eq(a, b, evaluate=False), "a = b"),
    ],
)
def test_as_a_person_writes(x, text):
    assert latex(x) == text


@pytest.mark.parametrize(
    ("x", "text"),
    [
        (sympy.cos(q1 + q2) ** 2, "c_{12}^{2}"),
        (sympy.sin(q2), "s_{2}"),
        (sympy.sin(sympy.Symbol("alpha")), r"s_{\alpha}"),
        (sympy.cos(sympy.Symbol("q10") + q2), "c_{2,10}"),
        (sympy.cos(q1 - q2), r"\cos(q_{1} - q_{2})"),
        (sympy.cos(2 * q2), r"\cos(2 q_{2})"),
        (sympy.cos(q1 + sympy.Symbol("alpha")), r"\cos(\alpha + q_{1})"),
    ],
)
def test_short_sines(x, text):
    assert latex(x, short=True) == text


def test_mathml_of_a_rate():
    root = parsed(mathml(qdd1**2))
    texts = [e.text for e in root.iter() if e.text]
    assert texts == ["q", "¨", "1", "2"]
    assert [etree.QName(e).localname for e in root] == ["msubsup"]


def brackets(x):
    """Whether each opening bracket grows."""
    found = [e for e in parsed(mathml(x)).iter() if e.text == "("]
    return [e.get("stretchy") == "true" for e in found]


def test_brackets_grow_with_what_is_tall():
    assert brackets(a * (b + sympy.cos(q1))) == [False, False]
    assert brackets(a * (b + 1 / q1)) == [True]
    assert brackets(sympy.cos(a / b) * (a + b)) == [False, True]
    assert brackets(sympy.sin(sympy.sqrt(a + 1)) + (a + sympy.sqrt(1 / b)) ** 3) == [True, False]


def test_signs_and_spaces_in_mathml():
    text = mathml(-m1 * sympy.cos(q1) - L1)
    signs = [(e.text, e.get("form")) for e in parsed(text).iter() if e.text == "−"]
    assert signs == [("−", None), ("−", "infix")]  # the first is the browser's to decide
    assert '<mo rspace="0.167em">' in text  # m₁ cos, not m₁cos
    assert '<mo rspace="0.167em">' not in mathml(m1 * sympy.cos(q1), short=True)
    assert '<mi mathvariant="normal">Γ</mi>' in mathml(sympy.Symbol("Gamma_112"))


def test_exponentials_stand_after_parameters():
    assert latex(a * m1 * sympy.exp(-b)) == r"m_{1} a \exp(-b)"


def test_widths():
    assert width_of(m1) == 2
    assert width_of(sympy.Matrix([[m1, a + b], [a, b]])) == 2 + 2 + 2 + width_of(a + b)
    assert width_of(sympy.Eq(m1, b, evaluate=False)) == 6
    assert width_of(sympy.sqrt(m1)) == 4
    assert width_of(sympy.cos(q1 + q2), short=True) < width_of(sympy.cos(q1 + q2))


def test_long_sums_are_broken():
    x = sympy.Add(*sympy.symbols("m1:30"))
    left = sympy.Symbol("tau1")
    text = latex([sympy.Eq(left, x, evaluate=False)], width=30)
    balanced(text)
    assert text.startswith("\\begin{aligned}\n\\tau_{1} &= m_{1} + ")
    rows = text.splitlines()[1:-1]
    assert len(rows) > 3
    assert all(r.startswith(r"&\quad {} + ") for r in rows[1:])
    assert len(parsed(mathml([sympy.Eq(left, x, evaluate=False)], width=30))[0]) == len(rows)


def test_markdown():
    text = markdown("The mass is", m1, [sympy.Eq(a, b)], names=["q1"])
    assert text.startswith("The mass is\n\n$$\nm_{1}\n$$\n\n$$\n\\begin{aligned}")
    assert text.endswith("$$\n")


# ---- functions

ARGUMENTS = {"q": [q1, q2], "m1": m1, "lengths": [L1, r2], "lambda": sympy.Symbol("lambda")}
M = sympy.Matrix([[m1 * (L1**2 + 2 * L1 * r2 * sympy.cos(q2)), r2**3], [sympy.sqrt(L1) / 3, q1]])
OUTPUTS = {
    "M": M,
    "g": sympy.Matrix([m1 * sympy.sin(q1 + q2), sympy.Symbol("lambda") ** 2 * sympy.atan2(q1, q2)]),
    "K": sympy.Rational(1, 3) * m1 * sympy.cos(q2) + sympy.Abs(q1) + sympy.pi,
    "G": sympy.Array([[[m1, L1], [1, 0]], [[sympy.tan(q1), 2], [3, sympy.exp(-q2)]]]),
    "P": sympy.Piecewise((q1, q1 > 0), (-q2, True)),
    "R": sympy.cbrt(L1 + 1),
}
GIVEN = {q1: 0.3, q2: -0.7, m1: 1.5, L1: 0.8, r2: 0.45, sympy.Symbol("lambda"): 2.5}
CALL = [np.array([0.3, -0.7]), 1.5, np.array([0.8, 0.45]), 2.5]


def truth():
    made = []
    for x in OUTPUTS.values():
        y = x.subs(GIVEN)
        values = np.array(getattr(y, "tolist", lambda y=y: y)()).astype(float)
        made.append(values[:, 0] if values.ndim == 2 and values.shape[1] == 1 else values)
    return made


def test_python_runs():
    text = python_source("terms", ARGUMENTS, OUTPUTS)
    space = {}
    exec(compile(text, "terms", "exec"), space)
    for got, expected in zip(space["terms"](*CALL), truth(), strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-14)
        assert np.shape(got) == expected.shape


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs a C compiler")
def test_c_runs(tmp_path):
    text = c_source("terms", ARGUMENTS, OUTPUTS)
    (tmp_path / "terms.c").write_text(text)
    flags = "-std=c99 -Wall -Wextra -Werror -pedantic -O1 -shared -fPIC".split()
    subprocess.run(["gcc", *flags, "terms.c", "-o", "terms.so", "-lm"], cwd=tmp_path, check=True)
    f = ctypes.CDLL(str(tmp_path / "terms.so")).terms
    expected = truth()
    out = [np.full(x.shape, np.nan) for x in expected]
    pointers = [
        x.ctypes.data_as(ctypes.c_void_p) if isinstance(x, np.ndarray) else ctypes.c_double(x)
        for x in (*CALL, *out)
    ]
    f(*pointers)
    for got, e in zip(out, expected, strict=True):
        np.testing.assert_allclose(got, e, rtol=1e-14)


def test_a_third_power_in_c_is_pow_as_everywhere():
    """cbrt has values below zero; powers that are no whole numbers have none, on any road."""
    x = sympy.Symbol("x")
    text = c_source("f", {"x": x}, {"y": x ** sympy.Rational(1, 3), "z": sympy.cbrt(x + 1) ** -1})
    assert "pow(x, 1.0/3.0)" in text
    assert "cbrt" not in text


def test_unused_arguments_do_not_warn(tmp_path):
    text = c_source("f", {"q": [q1, q2], "m": m1}, {"y": q1})
    assert "(void)q2;" in text
    assert "(void)m1;" in text


def test_names_that_a_language_forbids():
    odd = sympy.symbols("lambda for int x0 q1'")
    text = python_source("def", {"q": odd}, {"class": sum(odd), "x1": odd[0] * odd[4]})
    space = {}
    exec(compile(text, "odd", "exec"), space)
    assert space["def_"]([1, 2, 3, 4, 5]) == (15, 5)


def test_errors():
    with pytest.raises(UnknownNameError, match="'b'"):
        python_source("f", {"a": a}, {"y": a + b})
    with pytest.raises(ArgumentError, match="outputs"):
        c_source("f", {"a": a}, {})
