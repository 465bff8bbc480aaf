"""A joint answers questions: outside of its folder and of formats nobody asks for its class."""

import ast

import pytest

from tests.project.test_line import MODULES, tree
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
MAY = ("visviva.describe.joints.", "visviva.describe.files.mjcf.", "visviva.describe.files.urdf.")


def names(node):
    return {x.id for x in ast.walk(node) if isinstance(x, ast.Name)}


def is_ladder(node):
    """Whether a class of joints is asked for: isinstance, type(…), a match, the class's name."""
    said = ast.unparse(node)
    if isinstance(node, ast.Call) and ast.unparse(node.func) in ("isinstance", "issubclass"):
        return bool(names(node.args[1]) & CLASSES)
    if isinstance(node, ast.Call) and ast.unparse(node.func) in ("getattr", "hasattr"):
        return "joint" in ast.unparse(node.args[0]) and isinstance(node.args[1], ast.Constant)
    if isinstance(node, ast.Compare):
        words = {x.value for x in ast.walk(node) if isinstance(x, ast.Constant)}
        asked = any(x in said for x in ("type(", "__class__", "__name__", ".kind"))
        kind = "kind" in said and bool(words & KINDS)
        return (asked and "joint" in said) or kind or bool(names(node) & CLASSES)
    if isinstance(node, ast.Dict):
        keys = [k for k in node.keys if k is not None]
        words = {k.value if isinstance(k, ast.Constant) else ast.unparse(k) for k in keys}
        return bool(words & (CLASSES | KINDS))
    return isinstance(node, ast.MatchClass) and ast.unparse(node.cls) in CLASSES


def ladders(module):
    return [ast.unparse(x) for x in ast.walk(module) if isinstance(x, ASKING) and is_ladder(x)]


@pytest.mark.parametrize("module", [m for m in MODULES if not m.startswith(MAY)])
def test_nobody_asks_for_the_class_of_a_joint(module):
    assert not ladders(tree(module))


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
    assert ladders(ast.parse(text))
