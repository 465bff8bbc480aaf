"""Formulas as text and back, and against a calculator that shares nothing with the reader."""

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.support.counts import examples
from tests.support.generators.expressions import evaluate, trees
from visviva.algebra import generic as g
from visviva.algebra.expr import Graph
from visviva.algebra.expr import evaluate as value_of
from visviva.errors import ArgumentError, ParseError
from visviva.notation.formula import OPERATIONS as FUNCTIONS
from visviva.notation.formula import parse
from visviva.notation.reading.bounds import LARGEST_EXPONENT
from visviva.notation.typed import as_text

SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "/", "pow": "^"}
WORDS = {op: name for name, op in FUNCTIONS.items()}


def spelled(tree):
    """Text with every operation in parentheses."""
    kind, *rest = tree
    if kind == "x":
        return "xyz"[rest[0]]
    if kind == "number":
        return f"({rest[0]!r})"
    if kind == "neg":
        return f"(-{spelled(rest[0])})"
    if kind == "sech":  # has no word of its own
        return f"(1/cosh({spelled(rest[0])}))"
    if kind in SIGNS:
        return f"({spelled(rest[0])} {SIGNS[kind]} {spelled(rest[1])})"
    return f"{WORDS[kind]}({', '.join(map(spelled, rest))})"


def admissible(tree, xs, graph):
    """Whether no part of it is a constant that the grammar refuses."""
    kind, *rest = tree
    if kind in ("x", "number"):
        return True
    if not all(admissible(child, xs, graph) for child in rest):
        return False
    node = evaluate(tree, xs, graph.constant)
    if node.is_constant and not math.isfinite(node.value):
        return False
    if kind == "pow":
        exponent = evaluate(rest[1], xs, graph.constant)
        return not (exponent.is_constant and abs(exponent.value) > LARGEST_EXPONENT)
    return True


@examples(44, 20_000)
@given(trees(3, size=25))
def test_text_of_a_tree_is_read_as_that_tree(tree):
    graph = Graph()
    xs = [graph.input(name) for name in "xyz"]
    assume(admissible(tree, xs, graph))
    node = evaluate(tree, xs, graph.constant)
    assert parse(spelled(tree), graph, dict(zip("xyz", xs, strict=True))) is node


@examples(44, 20_000)
@given(trees(3, size=25))
def test_written_nodes_are_read_back_as_themselves(tree):
    graph = Graph()
    xs = [graph.input(name) for name in "xyz"]
    assume(admissible(tree, xs, graph))
    node = evaluate(tree, xs, graph.constant)
    pieces, (text,) = as_text([node])
    names = dict(zip("xyz", xs, strict=True))
    for name, piece in pieces.items():
        names[name] = parse(piece, graph, names)
    assert parse(text, graph, names) is node


def test_what_shares_parts_is_written_in_pieces(graph, names):
    node = names["x"]
    for _ in range(200):
        node = g.sin(node * names["y"]) + node * node  # 2²⁰⁰ leaves as one text
    pieces, (text,) = as_text([node])
    assert sum(map(len, pieces.values())) + len(text) < 200_000
    read = dict(names)
    for name, piece in pieces.items():
        read[name] = parse(piece, graph, read)
    assert parse(text, graph, read) is node
    assert as_text([graph.input("e1") + node])[0].keys().isdisjoint({"e1", "x", "y"})


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("m_2*l1^2/12", "m_2*l1^2/12"),
        ("x - (y - z)", "x - (y - z)"),
        ("(x + y)*z", "z*(x + y)"),
        ("-(x + y)", "-(x + y)"),
        ("x^(y+1)", "x^(y + 1)"),
        ("(-x)^y", "(-x)^y"),
        ("x/(y*z)", "x/(y*z)"),
        ("x^(-y*z)", "x^(-y*z)"),
        ("0.1*x", "x*0.1"),
        ("atan2(x, -2)", "atan2(x, -2)"),
    ],
)
def test_written_text_is_what_one_would_write(graph, names, text, written):
    names = {k: names[k] for k in ("m_2", "l1", "x", "y", "z")}
    assert as_text([parse(text, graph, names)])[1] == [written]


def test_what_cannot_be_written_is_refused(graph):
    with pytest.raises(ArgumentError, match="cannot say inf"):
        as_text([graph.constant(math.inf)])
    for name in ("a-b", "pi", "sin", "", "x" * 101):
        with pytest.raises(ArgumentError, match="cannot be a name"):
            as_text([graph.input(name)])


RANK = {"+": 1, "-": 1, "*": 2, "/": 2, "~": 3, "^": 4}
DO = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "^": lambda a, b: 1 / a if b < 0 else math.prod([a] * int(b)),
}


class Calculator:
    """A second reading of the same language: shunting-yard on characters, floats, no graph."""

    def __init__(self, values):
        self.values = values

    def __call__(self, text):
        out, waiting, before = [], [], "("
        text = text.replace(" ", "")
        i = 0
        while i < len(text):
            c = text[i]
            if c.isdigit():
                k = i
                while k < len(text) and (text[k].isdigit() or text[k] == "."):
                    k += 1
                out.append(float(text[i:k]))
                i = k - 1
            elif c in self.values:
                out.append(self.values[c])
            elif c == "(":
                waiting.append(c)
            elif c == ")":
                while waiting[-1] != "(":
                    self.reduce(out, waiting.pop())
                waiting.pop()
            else:
                if c == "-" and before in "(+-*/^":
                    c = "~"
                elif c != "^":
                    while waiting and RANK.get(waiting[-1], 0) >= RANK[c]:
                        self.reduce(out, waiting.pop())
                else:
                    while waiting and RANK.get(waiting[-1], 0) > RANK[c]:
                        self.reduce(out, waiting.pop())
                waiting.append(c)
            before = text[i] if c != "~" else "-"
            i += 1
        while waiting:
            self.reduce(out, waiting.pop())
        (result,) = out
        return result

    def reduce(self, out, sign):
        b = out.pop()
        out.append(-b if sign == "~" else DO[sign](out.pop(), b))


atoms = st.sampled_from(["x", "y", "1.5", "2", "3", "0.25"])
formulas = st.recursive(
    atoms,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from("+-*/"), inner).map("".join),
        inner.map("({})".format),
        inner.map("-({})".format),
        st.tuples(st.sampled_from(["x", "y", "2"]), st.sampled_from(["^2", "^3", "^-1"])).map(
            "".join
        ),
        st.tuples(inner, st.sampled_from([" - -", " * -", "/-"]), atoms).map("".join),
    ),
    max_leaves=12,
)


@examples(72, 30_000)
@given(formulas, st.floats(0.5, 2), st.floats(-2, -0.5))
def test_values_agree_with_an_independent_calculator(text, x, y):
    try:
        expected = Calculator({"x": x, "y": y})(text)
    except (ZeroDivisionError, OverflowError):
        assume(False)
    graph = Graph()
    try:
        node = parse(text, graph, {"x": graph.input("x"), "y": graph.input("y")})
        found = float(value_of(node, {"x": x, "y": y}))
    except (ZeroDivisionError, ParseError):
        assume(False)  # a part that folds to 1/0
    assert found == expected  # to the last bit: folding is exact


def test_the_calculator_itself():
    calculate = Calculator({"x": 2.0, "y": 3.0})
    assert calculate("-x^2 + y*-x - 1/(x + y)") == -4.0 - 6.0 - 0.2
    assert calculate("2^3^2") == 512.0
    assert calculate("10-4-3") == 3.0
