"""Joints and systems answer questions: nobody asks what they are, but in one place."""

import ast

import pytest

from tests.project.test_line import MODULES, nodes
from visviva.describe.joints import axis, free
from visviva.describe.joints.joint import Joint

CLASSES = {
    name
    for module in (axis, free)
    for name, x in vars(module).items()
    if isinstance(x, type) and issubclass(x, Joint)
} - {"Joint"}
ASKING = (ast.Call, ast.Compare, ast.Dict, ast.MatchClass)
KINDS = {name.lower() for name in CLASSES}
# a format is a table of its own; the constructors by name are another
MAY = (
    "visviva.describe.joints.",
    "visviva.describe.bodies.solids",  # of inertias: one is that of a planar body
    "visviva.describe.files.mjcf.",
    "visviva.describe.files.urdf.",
    "visviva.describe.files.toml.write",
    "visviva.describe.files.toml.constraints",
    "visviva.describe.model.orders",  # so are orders of other libraries
    "visviva.show.scene.",  # so are pictures; joints that they do not know are drawn, too
)


def names(node):
    return {x.id for x in ast.walk(node) if isinstance(x, ast.Name)}


def called(node):
    """The name of what is called, if it is a plain one."""
    return node.func.id if isinstance(node.func, ast.Name) else ""


def is_ladder(node):
    """Whether a class of joints is asked for: isinstance, type(…), a match, the class's name."""
    if isinstance(node, ast.Call) and called(node) in ("isinstance", "issubclass"):
        return bool(names(node.args[1]) & CLASSES)
    if isinstance(node, ast.Call) and called(node) in ("getattr", "hasattr"):
        return "joint" in ast.unparse(node.args[0]) and isinstance(node.args[1], ast.Constant)
    if isinstance(node, ast.Compare):
        said = ast.unparse(node)
        words = {x.value for x in ast.walk(node) if isinstance(x, ast.Constant)}
        asked = any(x in said for x in ("type(", "__class__", "__name__", ".kind"))
        kind = "kind" in said and bool(words & KINDS)
        return (asked and "joint" in said) or kind or bool(names(node) & CLASSES)
    if isinstance(node, ast.Dict):
        keys = [k for k in node.keys if k is not None]
        words = {k.value if isinstance(k, ast.Constant) else ast.unparse(k) for k in keys}
        return bool(words & (CLASSES | KINDS))
    return isinstance(node, ast.MatchClass) and ast.unparse(node.cls) in CLASSES


def ladders(code):
    return [ast.unparse(x) for x in code if isinstance(x, ASKING) and is_ladder(x)]


def test_nobody_asks_for_the_class_of_a_joint():
    asked = {m: ladders(nodes(m)) for m in MODULES if not m.startswith(MAY)}
    assert not {module: x for module, x in asked.items() if x}


@pytest.mark.parametrize(
    "text",
    [
        "isinstance(link.joint, Revolute)",
        "isinstance(b.joint, (Free, Spherical))",
        "type(b.joint) is Fixed",
        "type(b.joint).subspace_rate is Joint.subspace_rate",
        "b.joint.kind == 'revolute'",
        "kind in ('fixed', 'spherical', 'free')",
        "{'Revolute': 1}.get(type(b.joint).__name__, 0)",
        "TYPES = {Revolute: 'revolute'}",
        "getattr(b.joint, 'axis', None)",
    ],
)
def test_what_counts_as_asking(text):
    assert ladders(ast.walk(ast.parse(text)))


SYSTEMS = {"Model", "Lagrangian", "ModelForms", "EnergyForms"}
COLUMNS = {"BODIES", "ENERGIES", ".stated"}  # how a system is stated, in the table of quantities
# the places that make the exact forms and the picture of a system; files state bodies, and refuse
# all else; errors say what any class has instead
MAY_ASK = (
    "visviva.judge.exact.systems",
    "visviva.describe.load",
    "visviva.show.scene.of",
)


def asks_for_the_kind(node):
    """Whether behaviour is decided by what kind of system something is, or by what it has."""
    if isinstance(node, ast.Call) and called(node) in ("isinstance", "issubclass"):
        attributes = {x.attr for x in ast.walk(node.args[1]) if isinstance(x, ast.Attribute)}
        return bool((names(node.args[1]) | attributes) & SYSTEMS)
    if isinstance(node, ast.Call) and called(node) == "hasattr":
        return ast.unparse(node.args[0]) != "os"  # not all operating systems have all calls
    if isinstance(node, ast.Compare):
        words = names(node) | {x.value for x in ast.walk(node) if isinstance(x, ast.Constant)}
        words |= {f".{x.attr}" for x in ast.walk(node) if isinstance(x, ast.Attribute)}
        return bool(words & (SYSTEMS | COLUMNS))
    return isinstance(node, ast.MatchClass) and ast.unparse(node.cls) in SYSTEMS


def asked_kinds(code):
    return [ast.unparse(x) for x in code if asks_for_the_kind(x)]


def test_nobody_asks_what_kind_of_system_it_is():
    asked = {m: asked_kinds(nodes(m)) for m in MODULES if m not in MAY_ASK}
    assert not {module: x for module, x in asked.items() if x}


@pytest.mark.parametrize("module", MAY_ASK)
def test_where_it_is_asked(module):
    assert asked_kinds(nodes(module))


@pytest.mark.parametrize(
    "text",
    [
        "isinstance(system, Model)",
        "isinstance(system, (Model, Lagrangian))",
        "isinstance(system, model.Model)",
        "hasattr(system, 'kinetic')",
        "type(system) is Lagrangian",
        "system.__class__ == Model",
        "type(system).__name__ == 'Model'",
        "system.stated == BODIES",
        "forms.kind == 'Lagrangian'",
        "match system:\n    case Model():\n        pass",
    ],
)
def test_what_counts_as_asking_for_the_kind_of_system(text):
    assert asked_kinds(ast.walk(ast.parse(text)))
