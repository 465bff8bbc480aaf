"""Typed formulas: what they mean, alone and in tables."""

import math

import pytest

from visviva.algebra import generic as g
from visviva.algebra.expr import Graph
from visviva.algebra.expr import evaluate as value_of
from visviva.errors import ParseError
from visviva.notation.formula import OPERATIONS as FUNCTIONS
from visviva.notation.formula import parse


def number(text, **values):
    """The value of a formula."""
    graph = Graph()
    node = parse(text, graph, {k: graph.input(k) for k in values})
    return float(value_of(node, values))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1", 1.0),
        ("1.5e-3", 1.5e-3),
        (".5", 0.5),
        ("7.", 7.0),
        ("2E+3", 2000.0),
        ("1 + 2*3", 7.0),
        ("(1 + 2)*3", 9.0),
        ("10 - 4 - 3", 3.0),
        ("12/3/2", 2.0),
        ("12/(3/2)", 8.0),
        ("2*3/4*5", 7.5),
        ("-2^2", -4.0),
        ("(-2)^2", 4.0),
        ("2^-2", 0.25),
        ("2^3^2", 512.0),
        ("2**3**2", 512.0),
        ("2^2*3", 12.0),
        ("-2*-3", 6.0),
        ("--+-2", -2.0),
        ("1 - -1", 2.0),
        ("4^0.5", 2.0),
        ("\t1\r\n +  1 ", 2.0),
        ("pi", math.pi),
        ("π/2", math.pi / 2),
        ("sin(pi/6)", math.sin(math.pi / 6)),
        ("atan2(1, -1)", math.atan2(1, -1)),
        ("min(3, 1, 2) + max(1, 5, 2)", 6.0),
        ("abs(-3) + sign(-2)", 2.0),
        ("sqrt(9) + exp(0) + log(1)", 4.0),
        ("where(less(1, 2), 10, 20)", 10.0),
        ("equal(1, 1) + not_equal(1, 1) + less_equal(2, 1)", 1.0),
        ("2(1 + 2) pi", 6 * math.pi),
        ("½*3² − √4", 2.5),
        (r"\frac{1}{2}\cdot 3^{2} \sqrt{4}", 9.0),
        ("1/3*3", 1.0),
        ("0.1*3/0.3", 0.1 * 3 / 0.3),
        ("3*0.1/0.3*7", 3 * 0.1 / 0.3 * 7),
        ("2^(0.1 + 0.2)", 2 ** (0.1 + 0.2)),
        ("sec(1)*cot(1)*sin(1) + csc(2)*0", 1.0),
        ("tanh(0.3)*cosh(0.3) - sinh(0.3)", math.tanh(0.3) * math.cosh(0.3) - math.sinh(0.3)),
    ],
)
def test_what_formulas_mean(text, expected):
    assert number(text) == expected


def test_names_stand_for_nodes_and_numbers(graph, names):
    x, y, theta = names["x"], names["y"], names["θ"]
    assert parse("x*y + sin(θ)", graph, names) is x * y + g.sin(theta)
    assert parse("l1^2", graph, names) is names["l1"] * names["l1"]
    assert parse("a*x", graph, {"a": 3, "x": x}) is 3 * x
    assert parse("pi", graph, {"pi": x}) is x  # one's own name comes first
    with pytest.raises(ParseError, match="sin is a name of the mechanism and a function"):
        parse("sin*sin(sin)", graph, {"sin": x})


def test_every_function_of_the_table_can_be_called(graph, names):
    for name in FUNCTIONS:
        made = 0
        for arguments in ("x", "x, y", "x, y, z"):
            try:
                made += parse(f"{name}({arguments})", graph, names).op == FUNCTIONS[name]
            except ParseError as error:
                assert "arguments, got" in str(error)  # noqa: PT017
        assert made == (2 if name in ("min", "max") else 1)  # of three as well


def test_names_as_on_paper(graph, names):
    x, y, m, theta = (names[n] for n in ("x", "y", "m_2", "θ"))
    assert parse("2x y", graph, names) is 2 * x * y
    assert parse("x y sin θ", graph, names) is x * y * g.sin(theta)
    assert parse(r"\frac{x}{y} m_{2}", graph, names) is x / y * m
    assert parse("x² − y", graph, names) is x * x - y
    assert parse("m₂*m2", graph, names) is m * m
    alike = {"a1": x, "a_1": y}
    assert parse("a1*a_1", graph, alike) is x * y
    with pytest.raises(ParseError, match="a₁ can be read as 'a1', 'a_1': write it as one"):
        parse("a₁", graph, alike)
    quotient = {"d": x, "dt": y, "dx": theta, "x": m}
    assert parse("d/dt + dx/dt", graph, quotient) is x / y + theta / y


def test_one_more_argument_of_min_is_one_more_min(graph, names):
    x, y, z = (names[n] for n in "xyz")
    assert parse("min(x, y, z)", graph, names) is g.minimum(g.minimum(x, y), z)


def test_long_but_honest_text_is_read(graph, names):
    assert parse("+".join(["x*y"] * 2500), graph, names).op == "add"
    assert parse("(" * 99 + "x" + ")" * 99, graph, names) is names["x"]
    assert parse("x" + "/y*z" * 1500, graph, names).op == "mul"
    assert parse("x^" * 90 + "y", graph, names).op == "pow"
    with pytest.raises(ParseError, match="nested at most 100 deep"):
        parse("(" * 101 + "x" + ")" * 101, graph, names)
    assert number("9" * 300) == float("9" * 300)
