"""A quantity is a row: its name stands in few files, others read rows.

Rooms that compute with quantities as people do on paper (equations), or ask a system for their
values (solve, motion, show), name those that they want; lists that would have to agree are nowhere.
"""

import ast
import re
from functools import cache

import pytest

from tests.project.test_line import MODULES, nodes
from tools.quantities_code import END, START
from visviva.describe.quantities import QUANTITIES

MOST = 6
COMPUTING = ("visviva.equations", "visviva.solve", "visviva.motion", "visviva.show")
OUTSIDE = [m for m in MODULES if not m.startswith(COMPUTING)]
NAMES = {name for row in QUANTITIES for name in (row.name, row.exact) if name}
NAMES.remove("equations")  # that closed forms, claims and derivations are about
# exact names that are also words for something else, and for what; there the row is meant where it
# is asked for: by a text in the rooms that work with rows, or as an attribute of forms
ORDINARY = {
    "acceleration": "of a point",
    "dissipation": "a field of a Lagrangian",
    "energy": "the module of the equations",
    "gravity": "a field of a Model",
    "inertia": "a field of a Body",
    "jacobian": "the derivative of any function",
    "kinematics": "the science, in sentences, and the module of frames",
    "lagrangian": "the module of the Lagrangian",
    "multipliers": "a way to derive equations, and factors of mimic joints",
    "momenta": "of coordinates, in sentences",
    "momentum": "of a body, in sentences",
    "pose": "a field of what is drawn",
    "poses": "the module of space",
    "position": "of anything, also in a text",
    "rotation": "of a placement",
    "step": "of an integration, a walk, a page",
    "velocity": "a limit of a joint",
}
ROOMS = ("visviva.judge.", "visviva.machine.systems", "visviva.cli", "visviva.describe.quantities")


def by_hand(module):
    """All nodes of a file but those that tools/quantities_code.py writes into it."""
    lines = MODULES[module].read_text(encoding="utf-8").splitlines(keepends=True)
    if START not in lines:
        return nodes(module)
    written = range(lines.index(START) + 1, lines.index(END) + 1)
    return [x for x in nodes(module) if getattr(x, "lineno", 0) not in written]


def texts(code):
    """Strings of the code, all of its nodes, docstrings apart."""
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef)
    told = {id(x.body[0].value) for x in code if isinstance(x, kinds) and is_told(x)}
    constants = (x for x in code if isinstance(x, ast.Constant) and id(x) not in told)
    return [x.value for x in constants if isinstance(x.value, str)]


def is_told(node):
    return bool(node.body) and isinstance(node.body[0], ast.Expr)


def identifiers(code):
    """Names, attributes, arguments and what is defined or imported, but not paths of modules."""
    fields = {"id", "attr", "arg", "name", "asname"}
    for node in code:
        for field in fields.intersection(node._fields):
            word = getattr(node, field, None)
            if isinstance(word, str) and not (isinstance(node, ast.alias) and "." in word):
                yield word


def asked(code):
    """What the forms of a system are asked for as an attribute."""
    for node in code:
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) in ("forms", "form"):
            yield node.attr


def words(code):
    """All words of the code."""
    return {x for text in texts(code) for x in re.findall(r"\w+", text)} | {*identifiers(code)}


@cache
def words_of_modules():
    return {module: words(by_hand(module)) for module in OUTSIDE}


@cache
def asked_by_modules():
    return {m: {*texts(by_hand(m)), *asked(by_hand(m))} for m in OUTSIDE if m.startswith(ROOMS)}


@pytest.mark.parametrize("name", sorted(NAMES))
def test_the_name_of_a_quantity_stands_in_few_files(name):
    modules = asked_by_modules() if name in ORDINARY else words_of_modules()
    where = [m for m, said in modules.items() if name in said]
    assert "visviva.describe.quantities" in where
    assert len(where) <= MOST, where


def test_only_names_that_need_it_are_counted_where_they_are_asked_for():
    for name in ORDINARY:
        assert sum(name in said for said in words_of_modules().values()) > MOST, name


@pytest.mark.parametrize(
    "text",
    [
        "forms.christoffel",
        "def christoffel(): ...",
        "from visviva.equations.coriolis import christoffel",
        "facts.quantity('christoffel')",
        "x = 'christoffel(q) has 27 entries'",
        "f(christoffel=1)",
    ],
)
def test_what_counts_as_a_name(text):
    told = f"def f():\n    '''{text.replace(chr(39), '')}'''"
    assert "christoffel" in words([*ast.walk(ast.parse(text))])
    assert "christoffel" not in words([*ast.walk(ast.parse(told))])


def test_what_a_tool_writes_is_left_out():
    written = [m for m in MODULES if len(by_hand(m)) < len(nodes(m))]
    assert len(written) == 3  # of systems, of bodies, of energies
    for module in written:
        assert (words(nodes(module)) - words(by_hand(module))) & NAMES, module
