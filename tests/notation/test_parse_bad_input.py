"""Typed formulas that are refused: where and why, and at what cost."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.counts import examples, within

from visviva.algebra.expr import Graph
from visviva.errors import ArgumentError, GraphError, VisvivaError
from visviva.notation.formula import ParseError, parse


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("", 0, "expected a number, a name, '-' or '(', got the end of the text"),
        ("   ", 3, "got the end of the text"),
        ("x +", 3, "got the end of the text"),
        ("x + * y", 4, r"got '*'"),
        ("(x + y", 6, "expected ')' or an operator, got the end of the text"),
        ("x + y)", 5, "expected an operator or the end of the text, got ')'"),
        ("2x", 1, "expected an operator or the end of the text, got 'x'"),
        ("x y", 2, "expected an operator"),
        ("1..2", 2, "expected an operator"),
        ("1_000", 1, "expected an operator"),
        ("0x10", 1, "expected an operator"),
        ("x(2)", 0, "x is no function: write x*(...)"),
        ("sin x", 0, "sin is a function: write sin(...)"),
        ("sin()", 4, "expected a number"),
        ("sin(x, y)", 0, "sin takes 1 arguments, got 2"),
        ("atan2(x)", 0, "atan2 takes 2 arguments, got 1"),
        ("min(x)", 0, "min takes 2 arguments, got 1"),
        ("x, y", 1, "expected an operator or the end of the text, got ','"),
        ("l11 + x", 0, "unknown name 'l11'; did you mean 'l1'? (available: 'l1', 'm_2', 'x', 'y'"),
        (
            "x + sine(y)",
            4,
            "unknown function 'sine'; did you mean 'sin'? (available: 'sqrt', 'sin'",
        ),
        ("1/0", 1, "'/' gives inf here, not a real number"),
        ("sqrt(-1)", 0, "'sqrt' gives nan here"),
        ("1e999", 0, "this number is too large"),
        ("x^1e9", 1, "an exponent is at most 1000"),
        ("9**9**9**9", 4, "an exponent is at most 1000"),
        ("x = 2", 2, "the character '=' (EQUALS SIGN) has no meaning here"),
        ("x.y", 1, "the character '.' (FULL STOP)"),
        ("x[0]", 1, "LEFT SQUARE BRACKET"),
        ("x\0", 1, r"the character '\x00' (no name)"),
        ("x\u202ey", 1, "RIGHT-TO-LEFT OVERRIDE"),
        ("х", 0, "unknown name 'х'"),  # Cyrillic
        ("x²", 1, "SUPERSCRIPT TWO"),
        ("aⁿ", 1, "SUPERSCRIPT LATIN SMALL LETTER N"),
        ("2½", 1, "VULGAR FRACTION ONE HALF"),
        ("２", 0, "FULLWIDTH DIGIT TWO"),
        ("x − y", 2, "MINUS SIGN"),
        ("µ", 0, "unknown name 'µ'"),
        ("\ud800", 0, "no name"),
        ("__import__('os').system('true')", 11, "APOSTROPHE"),
        ("__import__(os)", 0, "unknown function '__import__'"),
        ("()", 1, "expected a number"),
        ("().__class__", 2, "FULL STOP"),
        ("lambda: x", 6, "COLON"),
        ("x if x else y", 2, "expected an operator"),
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


@pytest.mark.soak
@examples(500, 50_000)
@given(st.text(ALPHABET, max_size=40))
def test_any_text_is_read_or_refused(text):
    graph = Graph()
    column = 0
    try:
        parse(text, graph, {name: graph.input(name) for name in "xyz"})
    except ParseError as error:
        column = error.column
    assert 0 <= column <= len(text)
