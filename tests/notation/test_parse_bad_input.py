"""Typed formulas that are refused: where and why, and at what cost."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.counts import examples, within
from visviva.algebra.expr import Graph
from visviva.errors import ArgumentError, GraphError, ParseError, VisvivaError
from visviva.notation.formula import parse


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("", 0, "expected a formula, got the end of the text"),
        ("   ", 3, "got the end of the text"),
        ("x +", 3, "got the end of the text"),
        ("x + * y", 4, r"got '*'"),
        ("(x + y", 0, "'(' is never closed"),
        ("x + y)", 5, "nothing is open here that ends by ')'"),
        ("2 3", 2, "expected an operator before '3'"),
        ("xy", 0, "unknown name 'xy': declare it, or put blanks or * between the factors of 'x y'"),
        ("x/2y", 3, "what is below the / is not clear: put * after 2"),
        ("1..2", 2, "expected an operator"),
        ("1_000", 2, "expected a name, got '000'"),
        ("0x10", 1, "unknown name 'x10'"),
        ("x(2)", 1, "expected an operator before '2': write * or ^"),
        ("x(y)", 1, "x(y) is not clear: a function? write x or a * before ("),
        ("sin x y", 6, "where the argument of sin ends is not clear"),
        ("sin", 3, "sin needs parentheses here: write sin(...)"),
        ("sin()", 4, "expected something between the brackets"),
        ("sin(x, y)", 0, "sin takes 1 arguments, got 2"),
        ("atan2(x)", 0, "atan2 takes 2 arguments, got 1"),
        ("min(x)", 0, "min takes 2 arguments, got 1"),
        ("x, y", 1, "expected an operator or the end of the text, got ','"),
        ("l11 + x", 0, "unknown name 'l11'; did you mean 'l1'? (available: 'l1', 'm_2', 'x', 'y'"),
        (
            "x + sine(y)",
            4,
            "unknown function 'sine'; did you mean 'sin'? (available: 'sin', 'cos'",
        ),
        ("1/0", 0, "this gives inf, not a real number"),
        ("sqrt(-1)", 0, "this gives nan, not a real number"),
        ("1e999", 0, "a number has at most 400 digits and 10^330 as its factor"),
        ("1e309", 0, "a number of this formula is too large"),
        ("x^1e9", 1, "an exponent is at most 1000"),
        ("9**9**9**9", 4, "an exponent is at most 1000"),
        ("x = 2", 2, "expected a formula, got an equation"),
        ("x; y", 3, "expected one formula, got a second one"),
        ("[x, y]", 0, "expected one formula, got a matrix"),
        ("x'", 0, "x has no rate in this formula"),
        ("x^T", 2, "unknown name 'T'"),
        ("a) x", 1, "nothing is open here"),
        ("x.y", 1, "expected an operator or the end of the text, got '.'"),
        ("x[0]", 1, "expected an operator before '0'"),
        ("x\0", 1, r"the character '\x00' (no name)"),
        ("x\u202ey", 1, "RIGHT-TO-LEFT OVERRIDE"),
        ("х", 0, "unknown name 'х'"),  # Cyrillic
        ("xⁿ", 1, "expected a whole number raised, got 'n'"),
        ("2½", 1, "expected an operator before '1/2'"),
        ("２", 0, "FULLWIDTH DIGIT TWO"),
        ("µ", 0, "unknown name 'µ'"),
        ("\ud800", 0, "no name"),
        ("__import__('os').system('true')", 9, "expected a name, got '_'"),
        ("__import__(os)", 9, "expected a name, got '_'"),
        ("()", 1, "expected something between the brackets"),
        ("().__class__", 11, "expected a name, got '_'"),
        ("lambda: x", 6, "COLON"),
        ("x if x else y", 2, "unknown name 'if'"),
    ],
)
def test_what_is_refused_and_where(graph, names, text, column, message):
    before = len(graph)
    with pytest.raises(ParseError) as caught:
        parse(text, graph, names)
    assert message in str(caught.value)
    assert caught.value.column == column
    assert isinstance(caught.value, (VisvivaError, ValueError))
    assert len(graph) - before < 10


def test_the_mark_stands_under_the_place(graph, names):
    with pytest.raises(ParseError) as caught:
        parse("m_2*(l1 + l3)", graph, names)
    first, text, mark = str(caught.value).split("\n")
    assert "unknown name 'l3'" in first
    assert text[mark.index("^") :] == "l3)"
    long = "x + " * 1000 + "q" + " + x" * 1000
    with pytest.raises(ParseError) as caught:
        parse(long, graph, names)
    first, text, mark = str(caught.value).split("\n")
    assert text[mark.index("^")] == "q"
    assert len(text) < 140


@pytest.mark.soak
@pytest.mark.parametrize(
    "text",
    [
        "(" * 10**6,
        "(" * 5000 + "x" + ")" * 4999,
        "-" * 9999,
        "x^" * 4999 + "x",
        "sin(" * 2400 + "x",
        "x" * 10**6,
        "x" * 9999,
        "1" * 10**7,
        "1+" * 10**6 + "1",
        "9**" * 3000 + "9",
        "9**9**9**9**9**9**9**9",
        "\0" * 10**6,
        "é" * 9999,
    ],
    ids=lambda t: f"{t[:12]!r} of {len(t)}",
)
def test_hostile_text_costs_nothing(graph, names, text):
    with within(2), pytest.raises(ParseError) as caught:
        parse(text, graph, names)
    assert len(str(caught.value)) < 1000


@pytest.mark.soak
def test_branches_do_not_multiply(graph, names):
    """A product of branches that vanish may be folded into one branch within another."""
    text = "*".join(f"where(less(x, {i}), y, 0)" for i in range(380))
    with within(2), contextlib.suppress(ParseError):
        parse(text, graph, names)


def test_the_list_of_names_is_bounded(graph):
    many = {f"parameter_number_{i}": 1.0 for i in range(5000)}
    with pytest.raises(ParseError) as caught:
        parse("p", graph, many)
    assert len(str(caught.value)) < 2000


def test_only_text_is_read_and_graphs_do_not_mix(graph):
    with pytest.raises(ArgumentError, match="a formula is a text, got bytes"):
        parse(b"1", graph, {})
    with pytest.raises(GraphError, match="another trace"):
        parse("x", graph, {"x": Graph().input("x")})


ALPHABET = "xyz012.+-*/^(),e \tπθ=[]'\"\\_\0é"


@examples(72, 50_000)
@given(st.text(ALPHABET, max_size=40))
def test_any_text_is_read_or_refused(text):
    graph = Graph()
    column = 0
    try:
        parse(text, graph, {name: graph.input(name) for name in "xyz"})
    except ParseError as error:
        column = error.column
    assert 0 <= column <= len(text)
