"""Typed formulas: what is read, what is refused and how, and the way back to text."""

import contextlib
import math
import time

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support.counts import examples
from support.trees import evaluate, trees

from visviva.algebra import generic as g
from visviva.algebra.expr import Graph
from visviva.algebra.expr import evaluate as value_of
from visviva.algebra.parse import FUNCTIONS, LARGEST_EXPONENT, Formulas, ParseError, Table, parse
from visviva.describe.textfile_write import as_text
from visviva.errors import ArgumentError, GraphError, VisvivaError


@pytest.fixture
def graph():
    return Graph()


@pytest.fixture
def names(graph):
    return {name: graph.input(name) for name in ("x", "y", "z", "l1", "θ", "m_2")}


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
    assert parse("sin*sin(sin)", graph, {"sin": x}) is x * g.sin(x)


def test_every_function_of_the_table_can_be_called(graph, names):
    for name in FUNCTIONS:
        made = 0
        for arguments in ("x", "x, y", "x, y, z"):
            try:
                made += parse(f"{name}({arguments})", graph, names).op == FUNCTIONS[name]
            except ParseError as error:
                assert "arguments, got" in str(error)  # noqa: PT017
        assert made == (2 if name in ("min", "max") else 1)  # of three as well


def test_one_more_argument_of_min_is_one_more_min(graph, names):
    x, y, z = (names[n] for n in "xyz")
    assert parse("min(x, y, z)", graph, names) is g.minimum(g.minimum(x, y), z)


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
        ("х", 0, "CYRILLIC SMALL LETTER HA"),
        ("２", 0, "FULLWIDTH DIGIT TWO"),
        ("x²", 1, "SUPERSCRIPT TWO"),
        ("x − y", 2, "MINUS SIGN"),
        ("µ", 0, "MICRO SIGN"),
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
    start = time.perf_counter()
    with pytest.raises(ParseError) as caught:
        parse(text, graph, names)
    assert time.perf_counter() - start < 2.0
    assert len(str(caught.value)) < 1000


def test_branches_do_not_multiply(graph, names):
    """A product of branches that vanish may be folded into one branch within another."""
    text = "*".join(f"where(less(x, {i}), y, 0)" for i in range(380))
    start = time.perf_counter()
    with contextlib.suppress(ParseError):
        parse(text, graph, names)
    assert time.perf_counter() - start < 2.0


def test_long_but_honest_text_is_read(graph, names):
    assert parse("+".join(["x*y"] * 2500), graph, names).op == "add"
    assert parse("(" * 99 + "x" + ")" * 99, graph, names) is names["x"]
    with pytest.raises(ParseError, match="nested at most 100 deep"):
        parse("(" * 100 + "x" + ")" * 100, graph, names)
    assert number("9" * 300) == float("9" * 300)


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


# ---- formulas over parameters, and tables of them


def test_formulas_have_values_and_stay_symbolic():
    f = Formulas({"m": 2.0, "l": 0.5})
    f.define("I", "m*l^2/12")
    assert f.number("2*3") == 6.0
    node = f.number("I + 1")
    assert node is f.names["m"] * (f.names["l"] * f.names["l"]) / 12 + 1
    assert f.value(node) == 2.0 * 0.25 / 12 + 1
    assert f.value(3) == 3.0
    assert f.array([[1, "l"]], (1, 2))[0, 1] is f.names["l"]
    for name in ("I", "m", "sin", "pi", "2x", ""):
        with pytest.raises(ArgumentError, match="expected a new name"):
            f.define(name, 1.0)
    for wrong, message in [
        (True, "expected a number or a formula in quotes, got True"),
        (None, "expected a number"),
        (math.nan, "expected a finite number, got nan"),
        (-math.inf, "expected a finite number"),
        ("1/(m - 2)", "with the value inf"),
        (10**400, "expected a number or a formula"),
    ]:
        with pytest.raises(ArgumentError, match=message):
            f.number(wrong)
    assert f.number(-math.inf, infinite=True) == -math.inf
    with pytest.raises(ArgumentError, match="expected an array of 3 numbers, got 1"):
        f.array(1, (3,))
    with pytest.raises(ArgumentError, match="expected an array of 2 arrays"):
        f.array([[1]], (2, 1))


def test_tables_say_where_things_went_wrong():
    class PlaceError(VisvivaError):
        pass

    data = {"name": "a", "mass": "m + k", "part": [{"name": "lid", "size": 1}], "on": True}
    top = Table(Formulas({"m": 1.0}), PlaceError, "a file", data, "name mass part on")
    assert top.get("name", str) == "a"
    assert top.get("absent", str, "default") == "default"
    with pytest.raises(PlaceError, match=r"^a file: needs the key 'absent'"):
        top.get("absent", str)
    with pytest.raises(PlaceError, match=r"^a file: key 'on': expected text in quotes, got True"):
        top.get("on", str)
    with pytest.raises(PlaceError, match=r"^a file: key 'mass': unknown name 'k'"):
        top.array("mass", ())
    with pytest.raises(
        PlaceError, match=r"^a file: part 1 \('lid'\): unknown key 'size' \(available: 'name'\)"
    ):
        top.tables("part", "name")
    with pytest.raises(PlaceError, match=r"^a file: name: expected a table, got 'a'"):
        top.tables("name", "")


# ---- random trees: as text and back; and against an evaluator that shares nothing


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


@pytest.mark.soak
@examples(300, 20_000)
@given(trees(3, size=25))
def test_text_of_a_tree_is_read_as_that_tree(tree):
    graph = Graph()
    xs = [graph.input(name) for name in "xyz"]
    assume(admissible(tree, xs, graph))
    node = evaluate(tree, xs, graph.constant)
    assert parse(spelled(tree), graph, dict(zip("xyz", xs, strict=True))) is node


@pytest.mark.soak
@examples(300, 20_000)
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


@pytest.mark.soak
@examples(500, 30_000)
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
