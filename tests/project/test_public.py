"""Every public name exists, is documented, and its examples run; importing is light."""

import ast
import doctest
import importlib
import inspect
import subprocess
import sys
from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest

import visviva as vv
from tests.project.test_line import nodes
from tools.public_names import public_names, words_of_page, words_of_test
from visviva.foreign import Elsewhere

ROOT = Path(vv.__file__).parent
DOCS = Path(__file__).parents[2] / "docs"
MODULES = {
    ".".join(["visviva", *path.relative_to(ROOT).with_suffix("").parts]).removesuffix(
        ".__init__"
    ): path
    for path in sorted(ROOT.rglob("*.py"))
}


def source(path):
    return path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [n for n in vv.__all__ if not n.startswith("_")])
def test_public_names_exist_and_are_documented(name):
    thing = getattr(vv, name)
    assert inspect.getdoc(thing)
    if inspect.isclass(thing):
        data = {item.name for item in fields(thing)} if is_dataclass(thing) else set()
        members = [
            m for m, x in vars(thing).items() if m[0] != "_" and not isinstance(x, Elsewhere)
        ]
        for member in set(members) - data:
            assert inspect.getdoc(getattr(thing, member)), f"{name}.{member}"
    pages = "\n".join(page.read_text(encoding="utf-8") for page in DOCS.rglob("*.md"))
    assert f"vv.{name}" in pages or f"visviva.{name}" in pages, f"no page mentions {name}"


def test_unknown_names_list_the_known_ones():
    with pytest.raises(
        AttributeError,
        match=r"no 'functoin'; did you mean 'function'\? \(available: Actuator, Builder",
    ):
        _ = vv.functoin
    with pytest.raises(AttributeError, match="did you mean 'load'"):
        _ = vv.laod


def test_dir_shows_public_names_and_nothing_else():
    _ = vv.load, vv.catalog.names()  # what they import is not shown either
    assert {name for name in dir(vv) if not name.startswith("__")} == {
        name for name in vv.__all__ if not name.startswith("__")
    }
    assert "__version__" in dir(vv)


def test_modules_say_what_they_are():
    for module, path in MODULES.items():
        assert ast.get_docstring(ast.parse(source(path))), f"{module} says nothing"


@pytest.mark.parametrize("module", [m for m, path in MODULES.items() if ">>>" in source(path)])
def test_docstring_examples(module):
    results = doctest.testmod(importlib.import_module(module), verbose=False)
    assert results.attempted
    assert results.failed == 0


def test_importing_is_light():
    heavy = "sympy jax torch plotly scipy llvmlite casadi viser mujoco flint".split()
    code = f"import sys, visviva; print([m for m in {heavy} if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


@pytest.mark.parametrize("door", [vv.space, vv.pencil, vv.parallel], ids=lambda d: d.__name__)
def test_the_other_doors_list_what_they_have(door):
    names = [name for name in dir(door) if not name.startswith("_")]
    assert len(names) > 8
    reference = (DOCS / "reference.md").read_text(encoding="utf-8")
    for name in names:
        thing = getattr(door, name)
        assert inspect.getdoc(thing), name
        module = thing.__name__ if inspect.ismodule(thing) else thing.__module__
        assert module in reference, f"{name}, of {module}, is not on the reference page"
    with pytest.raises(AttributeError, match=f"{door.__name__} has no 'x' .available: "):
        _ = door.x


def test_doors_open_no_heavy_module_before_they_are_used():
    code = "import sys, visviva as vv; vv.pencil, vv.space; print('sympy' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"


def test_type_checkers_see_the_same_names():
    """Names under TYPE_CHECKING are those of the table."""
    for door in (vv, vv.space, vv.pencil, vv.parallel):
        tree = ast.parse(Path(door.__file__).read_text(encoding="utf-8"))
        (block,) = [n for n in tree.body if isinstance(n, ast.If)]
        typed = {a.asname for n in block.body for a in n.names}
        assert typed == set(door._WHERE), door.__name__


def test_every_error_that_a_user_can_meet_is_in_one_place():
    raised = {
        node.name
        for module, path in MODULES.items()
        if path.name != "errors.py"
        for node in nodes(module)
        if isinstance(node, ast.ClassDef) and node.name.endswith("Error")
    }
    inside = {"DependentError", "NotHereError", "UnencodableError", "UnknownSignError"}
    inside |= {"_TooManyError"}
    assert raised == inside, "these are caught inside"


def test_public_names_that_nobody_mentions_can_be_listed():
    """By tools/public_names.py, of doors, of classes behind them and of what their methods give."""
    names = public_names()
    assert {"vv.load", "Model.frame_pose", "System.mass_matrix", "Solutions.residuals"} <= {*names}
    assert not [name for name in names if "._" in name]
    assert words_of_page("of `arm.mass` it\n```python\nvv.load(x)\n```\nsays") == {
        *("arm", "mass", "vv", "load", "x", "python")
    }
    test = "from a import b\ndef f(x):\n    y = x.mass\n    return g('nq', k=1)"
    assert words_of_test(test) == {"b", "mass", "nq", "k"}
