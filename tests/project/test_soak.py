"""What has a full count runs at it: a test that asks for one is marked for `make soak`."""

import ast
from pathlib import Path

import pytest

from tests.support.counts import examples

TESTS = Path(__file__).parents[1]
ASKED = {"SOAK", "count", "within", "in_little_memory"}  # of tests.support
FILES = sorted(
    path for path in TESTS.rglob("test_*.py") if "tests.support" in path.read_text("utf8")
)


def mentioned(node):
    return {x.id for x in ast.walk(node) if isinstance(x, ast.Name)}


def defined(node):
    """The names that a statement of a file gives a meaning."""
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return {node.name}
    return {
        x.id for x in ast.walk(node) if isinstance(x, ast.Name) and not isinstance(x.ctx, ast.Load)
    }


def unmarked(tree):
    """Tests that use a count, perhaps by way of helpers of their file, and are not marked."""
    asking = {
        alias.name
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tests.support")
        for alias in node.names
    } & ASKED
    helpers = [node for node in tree.body if not any(x.startswith("test_") for x in defined(node))]
    while more := {x for h in helpers if mentioned(h) & asking for x in defined(h)} - asking:
        asking |= more
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            marks = {ast.unparse(x).partition("(")[0] for x in node.decorator_list}
            if mentioned(node) & asking and not marks & {
                "pytest.mark.soak",
                "pytest.mark.spread",
                "examples",
            }:
                yield node.name


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_what_has_a_full_count_is_marked(path):
    assert list(unmarked(ast.parse(path.read_text(encoding="utf-8")))) == []


HELPED = """
from tests.support.counts import count
TOTAL = count(3, 1000)
def helper(): return range(TOTAL)
def test_by_a_helper(): assert helper()
@pytest.mark.soak
def test_marked(): assert helper()
@examples(3, 100)
def test_carried(x): assert x
def test_of_something_else(): assert True
"""


def test_counts_are_seen_through_helpers():
    assert list(unmarked(ast.parse(HELPED))) == ["test_by_a_helper"]


def test_the_setting_carries_the_mark():
    @examples(2, 5)
    def f():
        pass

    assert [mark.name for mark in f.pytestmark] == ["soak"]
