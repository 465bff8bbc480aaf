"""The doorway: one base, methods that say what they take, and defaults stated alike twice."""

import ast
import importlib
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import visviva as vv
from visviva.describe.system import System

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("kind", [vv.Model, vv.Lagrangian])
def test_a_kind_of_system_has_one_base(kind):
    assert kind.__bases__ == (System,)
    assert type(kind) is type


def test_methods_of_quantities_are_those_of_the_table():
    tool = [sys.executable, ROOT / "tools/quantities_code.py", "--check"]
    assert subprocess.run(tool, check=False).returncode == 0


def forwarded(kind):
    """Methods that import one function and return what it returns, with that function."""
    tree = ast.parse(inspect.getsource(inspect.getmodule(kind)))
    body = next(x for x in tree.body if isinstance(x, ast.ClassDef) and x.name == kind.__name__)
    for method in body.body:
        if not isinstance(method, ast.FunctionDef) or method.name.startswith("_"):
            continue
        for x in ast.walk(method):
            if isinstance(x, ast.ImportFrom) and len(x.names) == 1:
                module = importlib.import_module(x.module)
                there = getattr(module, x.names[0].name, None)
                there = there or importlib.import_module(f"{x.module}.{x.names[0].name}")
                function = getattr(there, method.name, there)
                is_same = inspect.isfunction(function) and function.__name__ == method.name
                is_same = is_same and function.__module__ in (
                    x.module,
                    f"{x.module}.{x.names[0].name}",
                )
                if is_same and callable(getattr(kind, method.name)):
                    yield getattr(kind, method.name), function


@pytest.mark.parametrize("kind", [System, vv.Model])
def test_a_method_and_its_function_have_the_same_defaults(kind):
    pairs = list(forwarded(kind))
    assert len(pairs) > 10
    for method, function in pairs:
        ours, theirs = (inspect.signature(x).parameters for x in (method, function))
        for name in [*ours][1:]:
            if name in theirs and theirs[name].default is not inspect.Parameter.empty:
                assert ours[name].default == theirs[name].default, f"{method.__name__}: {name}"
