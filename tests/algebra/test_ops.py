"""The table: complete rows, and loud errors for anything missing."""

import re

import pytest

from visviva.algebra import generic
from visviva.algebra.fold import RULES
from visviva.algebra.ops import OPS, Op
from visviva.algebra.scalars import NUMPY_NAMES
from visviva.errors import UnknownNameError, VisvivaError


@pytest.mark.parametrize("op", OPS.values(), ids=list(OPS))
def test_cells_use_every_argument_and_nothing_else(op):
    for text in (op.c, op.js):
        assert set(re.findall(r"\{(\d)\}", text)) == set(map(str, range(op.arity)))
    assert "{r} = " in op.llvm
    assert op.name in RULES


@pytest.mark.parametrize("cell", ["value", "c", "js", "llvm"])
def test_an_empty_cell_is_refused(cell):
    texts = {"c": "f({0})", "js": "{0}", "llvm": "{r}"}
    cells = {"name": "f", "arity": 1, "value": abs, "derivative": (None,), **texts}
    with pytest.raises(VisvivaError, match=f"operation 'f': the cell '{cell}' is empty"):
        Op(**{**cells, cell: "" if cell != "value" else None})


def test_a_missing_derivative_is_refused():
    with pytest.raises(VisvivaError, match="2 arguments, but 1 derivatives"):
        Op("f", 2, max, (None,), "{0}", "{0}", "{r}")


def test_an_unknown_operation_lists_the_known_ones():
    with pytest.raises(UnknownNameError, match=r"unknown operation 'sine'; did you mean 'sin'\?"):
        OPS["sine"]


def test_generic_has_every_function_documented():
    for name in NUMPY_NAMES:
        assert getattr(generic, name).__doc__
