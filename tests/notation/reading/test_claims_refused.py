"""Typed claims: values of matrices, and what is refused, where and how."""

import numpy as np
import pytest

from tests.support.readers.words import WORDS, Floats, one, value
from visviva.errors import ArgumentError, ParseError, VisvivaError
from visviva.notation.evaluate import evaluate
from visviva.notation.reading.read import read
from visviva.notation.reading.vocabulary import Vocabulary
from visviva.notation.tree import Number


def test_matrices_have_values():
    A = value("[[a, b], [c, x]]")
    v = value("[a, b]")
    assert A.shape == (2, 2)
    assert v.shape == (2, 1)
    assert A.dtype == object
    same = {
        "[[a, b], [c, x]] [a, b]": A @ v,
        "2 [a, b] - [a, b]/2": 1.5 * v,
        "[[a, b], [c, x]]^T": A.T,
        "[[a, b]] [a, b]": (v.T @ v)[0, 0],
        "[[a, b]] [[a, b], [c, x]] [a, b]": (v.T @ A @ v)[0, 0],
        "[a, b] [[a, b]]": v @ v.T,
        "[[a]] + 1": A[0, 0] + 1,
        "[[a]] [a, b]": A[0, 0] * v,
        "[a, b] = [b, a]": np.array([[v[0, 0] - v[1, 0]], [v[1, 0] - v[0, 0]]]),
    }
    for text, wanted in same.items():
        np.testing.assert_allclose(np.asarray(value(text), float), np.asarray(wanted, float), 1e-14)


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("a + [a, b]", 4, "expected terms of one shape, got a number and a 2×1 matrix"),
        ("[a, b] + [[a, b]]", 9, "got a 2×1 matrix and a 1×2 matrix"),
        ("[a, b] [a, b]", 7, "expected matrices whose shapes fit, got a 2×1 matrix times a 2×1"),
        ("sin([a, b])", 4, "expected a number here, got a 2×1 matrix"),
        ("a/[a, b]", 2, "expected a number here"),
        ("[a, b]^2", 0, "expected a number here"),
        ("[a, b*[a, c]]", 4, "expected a number here"),
        ("1/(a - a)", 3, "expected something other than zero here"),
    ],
)
def test_shapes_that_do_not_fit(text, column, message):
    with pytest.raises(ParseError) as caught:
        value(text)
    assert message in str(caught.value)
    assert caught.value.column == column


def test_scalars_may_be_arrays():
    class Many(Floats):
        def name(self, name):
            return np.linspace(0.0, 1.0, 5) + len(name.key)

        def call(self, function, *arguments):
            return getattr(np, function)(*arguments)

    made = evaluate(one("[2*a, sin(b)]"), Many())
    assert made.shape == (2, 1)
    np.testing.assert_allclose(made[1, 0], np.sin(np.linspace(1.0, 2.0, 5)), rtol=1e-15)


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("", 0, "expected a formula, got the end of the text"),
        (" \n ", 3, "expected a formula"),
        ("a +", 3, "expected a number, a name, a function or a bracket, got the end of the text"),
        ("a + * b", 4, "expected a number, a name, a function or a bracket, got '*'"),
        ("= a", 0, "got '='"),
        ("a = ", 3, "got the end of the text"),
        ("(a + b", 0, "'(' is never closed"),
        ("a + b)", 5, "nothing is open here that ends by ')'"),
        ("(a + b]", 6, "expected ')', got ']'"),
        ("(a, b)", 2, "a vector is written [a, b]"),
        ("()", 1, "expected something between the brackets, got ')'"),
        ("[]", 1, "expected something between the brackets"),
        ("(a = b)", 3, "expected ')' or an operator, got '='"),
        ("a, b", 1, "expected an operator or the end of the statement, got ','"),
        ("a = b, c", 5, "got ','"),
        ("1/2m", 3, "what is below the / is not clear: put * after 2"),
        ("a/2 b", 4, "what is below the / is not clear: put * after 2"),
        ("a/b|c|", 3, "what is below the / is not clear"),
        ("a/b c", 4, "what is below the / is not clear"),
        ("a/2(b + c)", 3, "what is below the / is not clear"),
        ("a/cos(b) c", 9, "what is below the / is not clear"),
        ("x 2", 2, "expected an operator before '2': write * or ^"),
        ("2½", 1, "expected an operator before '1/2'"),
        ("a = b c (6.5)", 8, "(6.5) may number the equation or be a factor"),
        ("2(3)", 1, "expected an operator before '3'"),
        ("a & b", 2, "expected '&' beside '=', an operator or a row"),
        ("1.5.2", 3, "expected an operator before '.2'"),
        (
            "sin x^2",
            5,
            "where the argument of sin ends is not clear: put it in parentheses, sin(x)",
        ),
        ("sin x/2", 5, "where the argument of sin ends is not clear"),
        ("sin θ₁ θ₂", 7, "where the argument of sin ends is not clear"),
        ("sin φ₁ φ₂", 7, "where the argument of sin ends is not clear"),
        ("sin 2(a + b)", 5, "where the argument of sin ends is not clear"),
        ("sin ẋ", 4, "sin needs parentheses here"),
        ("sin + a", 4, "sin needs parentheses here: write sin(...)"),
        ("sin2x", 0, "sin2x is not clear: write sin(2x) or sin(...)^2"),
        ("sin^-1(x)", 3, "sin^-1 is not clear: write asin(...) or 1/sin(...)"),
        ("sin^x(a)", 3, "expected a whole number as the power of sin"),
        ("sin^2(x)^2", 8, "sin has a power already"),
        ("sin(a, b)", 0, "sin takes 1 arguments, got 2"),
        ("atan2(a)", 0, "atan2 takes 2 arguments, got 1"),
        ("√2x", 2, "where the root ends is not clear"),
        ("(a + b)'", 7, "only names have dots"),
        ("d/dt a b", 7, "where the derived formula ends is not clear"),
        ("dx/dt^2", 0, "below a derivative of order 1"),
        ("a^b^c", 3, "a power of a power needs parentheses"),
        ("2^1000^1000", 6, "a power of a power needs parentheses"),
        ("2^(1000^1000)", 7, "this power is too large"),
        ("a^(b^2)", 1, "expected an exponent without powers of its own"),
        ("a^1001", 1, "an exponent is at most 1000"),
        ("a^-1e9", 1, "an exponent is at most 1000"),
        ("a^0.00001", 1, "an exponent is a whole number or a short fraction"),
        ("(a^1000)^1000", 8, "this power is too large"),
        ("0^-1", 1, "expected a positive exponent of zero"),
        ("1/0", 2, "expected something other than zero below the fraction"),
        ("1/(2 - 2)", 3, "expected something other than zero below the fraction"),
        ("1e999999", 0, "a number has at most 100 digits"),
        ("1e-99999999999999999999", 0, "a number has at most 100 digits"),
        ("1" * 101, 0, "a number has at most 100 digits"),
        ("*".join(["1e300"] * 12), 60, "the numbers of this formula are too large"),
        ("x" * 101, 0, "a name has at most 100 characters"),
        ("[[a, b], [c]]", 10, "expected rows of 2 entries, got one of 1"),
        ("[a, [b, c]]", 0, "expected either rows in brackets or entries, got both"),
        ("[[[a, b]], [c]]", 1, "expected a row of a matrix, got a matrix"),
        ("[a b; c x]", 0, "blanks are not clear"),
        ("[" + ",".join("a" * 65) + "]", 0, "a matrix has at most 64 rows and columns"),
        ("tau1 = a\n-tau2 = b", 9, "this line may go on or begin a statement"),
        ("a(t) + b", 1, "a(t) is not clear: a function? write a or a * before ("),
        ("a^2(t) + b", 3, "a^2(t) is not clear: at the time t write a^2, for a product a^2*t"),
        ("(a)^2(t) + b", 5, "(a)^2(t) is not clear: at the time t"),
        ("K(x) + a", 1, "K(x) is not clear"),
        ("f(a, b) + a", 1, "f(a, b) is not clear"),
        ("g(x) = a", 0, "g is a parameter: write g*(...), or another left side"),
        ("a.b", 1, "expected an operator, '=' or the end of the statement, got '.'"),
        ("a < b", 2, "the character '<' (LESS-THAN SIGN) has no meaning here (available: numbers"),
        ("∂x", 0, "a derivative is written ∂T/∂q1"),
        ("a\0", 1, r"the character '\x00' (no name)"),
        ("a\u202eb", 1, "RIGHT-TO-LEFT OVERRIDE"),
        ("２", 0, "FULLWIDTH DIGIT TWO"),
        ("\ud800", 0, "no name"),
        ("_a", 0, "got '_'"),
        ("__import__('os').system('true')", 9, "expected a name, got '_'"),
        ("{0.__class__}", 11, "expected a name"),
        ("5%s", 1, "PERCENT SIGN"),
        ('f"{a}"', 1, "QUOTATION MARK"),
        ("lambda: a", 6, "COLON"),
    ],
)
def test_what_is_refused_and_where(text, column, message):
    with pytest.raises(ParseError) as caught:
        read(text, WORDS)
    assert message in str(caught.value)
    assert caught.value.column == column
    assert isinstance(caught.value, (VisvivaError, ValueError))


def test_a_number_or_a_product():
    assert one("2e3") == Number(2000)
    with pytest.raises(ParseError, match="2e3: a number, or a product with e3"):
        read("2e3", Vocabulary.of(["e3"], []))


def test_only_text_is_read():
    with pytest.raises(ArgumentError, match="a claim is a text, got bytes"):
        read(b"1", WORDS)
