"""What type checkers and help() are told: typed results, real signatures, a `self` of one class."""

import ast
import inspect
import pydoc
import re
import subprocess
import sys
from pathlib import Path

import pytest

import visviva as vv
from tests.project.test_line import MODULES, nodes

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "tests/project/typical_use.py"
ARRAYS = {
    "ndarray[Any, dtype[Any]]": "Array",
    "ndarray[Any, dtype[float64]]": "FloatArray",
    "ndarray[Any, dtype[complex128]]": "ComplexArray",
    "ndarray[Any, dtype[bool[bool]]]": "BoolArray",
}
SELF_IS_ANY = {  # exact polynomials come from python-flint, which has no types; any class else
    ("visviva.algebra.exact.poly", "__rsub__"),
    ("visviva.algebra.exact.poly", "__pos__"),
    ("visviva.algebra.exact.poly", "__bool__"),
    ("visviva.algebra.exact.poly", "power"),
    ("visviva.foreign", "_refuse_attribute"),
    ("visviva.foreign", "set_attribute"),
    ("visviva.motion.samples.sending", "__reduce__"),
}


def in_short(revealed):
    """A type without the modules of its classes, arrays by their own names."""
    text = re.sub(r"(?:\w+\.)+(\w+)", r"\1", revealed)
    for name, ours in ARRAYS.items():
        text = text.replace(name, ours)
    return text


def test_types_of_typical_use():
    stated = {
        k: line.partition("  # ")[2]
        for k, line in enumerate(PAGE.read_text(encoding="utf-8").splitlines(), 1)
        if line.startswith("reveal_type(")
    }
    how = ["--follow-imports=silent", "--cache-dir=/dev/null", str(PAGE)]
    run = subprocess.run(
        [sys.executable, "-m", "mypy", *how], cwd=ROOT, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stdout + run.stderr
    revealed = {
        int(line): in_short(name)
        for line, name in re.findall(r':(\d+): note: Revealed type is "(.*)"', run.stdout)
    }
    assert revealed == stated
    assert not [name for name in stated.values() if re.search(r"\bAny\b|^$", name)]


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        (vv.Model, ("name", "bodies", "frames", "gravity")),
        (vv.Lagrangian, ("coordinates", "kinetic", "potential", "dissipation")),
        (vv.Trajectory, ("system", "t", "q", "v", "tau")),
        (vv.Controller, ("law", "start", "rate", "period")),
    ],
)
def test_classes_have_their_own_signatures(kind, names):
    signature = inspect.signature(kind)
    assert tuple(signature.parameters)[: len(names)] == names
    kinds = {x.kind for x in signature.parameters.values()}
    assert not kinds & {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}
    assert all(x.annotation is not inspect.Parameter.empty for x in signature.parameters.values())
    text = pydoc.render_doc(kind, renderer=pydoc.plaintext)
    assert f"{kind.__name__}({names[0]}: " in text  # the line of help() that says how to make one


@pytest.mark.parametrize("kind", [vv.Model, vv.Lagrangian])
def test_help_of_a_method_has_its_parameters_and_says_what_they_are(kind):
    text = pydoc.render_doc(kind.simulate, renderer=pydoc.plaintext)
    first, _, rest = text.partition("simulate(")[2].partition("\n")
    source = ast.parse(inspect.getsource(inspect.unwrap(kind.simulate)).lstrip()).body[0]
    parameters = [*source.args.args, *source.args.kwonlyargs]
    assert re.findall(r"(\w+): '", first) == [x.arg for x in parameters[1:]]
    assert first.endswith("-> 'Trajectory'")
    assert "args" not in first
    assert rest.split() == ast.get_docstring(source).split()
    assert "The motion from q0 (nq,) and v0 (nv,)" in rest


def test_what_self_is_is_said_but_in_a_few_methods():
    found = {
        (module, node.name)
        for module in MODULES
        for node in nodes(module)
        if isinstance(node, ast.FunctionDef)
        for x in node.args.args[:1]
        if x.arg == "self" and x.annotation is not None and ast.unparse(x.annotation) == "Any"
    }
    assert found == SELF_IS_ANY
