"""Arguments, names and shapes that a Function refuses, with errors that help."""

import numpy as np
import pytest

import visviva as vv
from tests.support.generators.affine import A, S, X, affine
from visviva.errors import ArgumentError, DtypeError, ShapeError, TraceError, UnknownNameError


@pytest.fixture(scope="module")
def f():
    return affine()


class TestRefusals:
    @pytest.mark.parametrize(
        ("bad", "kind"),
        [
            (np.zeros(3, complex), DtypeError),
            (np.zeros(3, object), DtypeError),
            ("abc", DtypeError),
            (["a", "b", "c"], DtypeError),
            (None, DtypeError),
            ({"x": 1}, DtypeError),
            (np.zeros(3, "M8[s]"), DtypeError),
            (np.zeros(3, np.longdouble), DtypeError),
            (np.zeros(2), ShapeError),
            (np.zeros((3, 4)), ShapeError),
            (1.0, ShapeError),
            ([[1.0], [1.0, 2.0]], ShapeError),
        ],
        ids=str,
    )
    def test_arrays(self, f, bad, kind):
        with pytest.raises(kind, match="affine: argument 'x'"):
            f(bad, A[0, 0], 1.0)

    def test_messages_say_asked_and_got(self, f):
        with pytest.raises(
            ShapeError, match=r"argument 'A' has shape \(3,\); expected \(..., 3, 3\)"
        ):
            f(X[0, 0], X[0, 0], 1.0)
        with pytest.raises(
            DtypeError, match=r"holds complex128 \(ndarray\); expected real numbers"
        ):
            f(np.zeros(3, complex), A[0, 0], 1.0)
        with pytest.raises(
            ShapeError,
            match=r"do not broadcast against each other \(x: \(4,\), A: \(5,\), s: \(\)\)",
        ):
            f(np.zeros((4, 3)), np.zeros((5, 3, 3)), 1.0)

    def test_argument_lists(self, f):
        with pytest.raises(
            ArgumentError,
            match=r"affine\(x\[3\], A\[3, 3\], s\) takes 3 arguments, got 1; missing: A, s",
        ):
            f(X[0, 0])
        with pytest.raises(ArgumentError, match="takes 3 arguments, got 0"):
            f()
        with pytest.raises(ArgumentError, match="takes 3 arguments, got 4"):
            f(1, 2, 3, 4)
        with pytest.raises(ArgumentError, match="argument 'x' is given twice"):
            f(X[0, 0], A[0, 0], 1.0, x=X[0, 0])
        with pytest.raises(UnknownNameError, match=r"'thread'; did you mean 'threads'\?"):
            f(X[0, 0], A[0, 0], 1.0, thread=2)

    @pytest.mark.parametrize("threads", [0, -1, 1.5, "2", None, True])
    def test_threads(self, f, threads):
        with pytest.raises(ArgumentError, match="threads is a whole number from 1 on"):
            f(X, A, S, threads=threads)

    @pytest.mark.parametrize("name", ["1x", "a b", "", "lambda", "x-y", 3, "out", "threads"])
    def test_input_names(self, name):
        with pytest.raises(ArgumentError):
            vv.function(lambda x: x, {name: 1})

    @pytest.mark.parametrize("shape", [-1, 1.5, "3", None, (2, -1), (2, "a"), True])
    def test_input_shapes(self, shape):
        with pytest.raises(ShapeError, match="a shape is a length, a tuple or"):
            vv.function(lambda x: x, {"x": shape})

    @pytest.mark.parametrize("value", [None, "text", [None], 1j, object()])
    def test_outputs(self, value):
        with pytest.raises(TraceError, match="output 'out' holds"):
            vv.function(lambda x: value, {"x": 1})

    def test_ragged_outputs(self):
        with pytest.raises(ShapeError, match="output 'out' is ragged"):
            vv.function(lambda x: [[x[0]], [x[0], x[0]]], {"x": 1})

    def test_branches_in_python(self):
        with pytest.raises(TraceError, match="not known while a function is being traced"):
            vv.function(lambda x: x[0] if x[0] > 0 else 0.0, {"x": 1})


def test_masked_entries_are_refused(f):
    some, none = (np.ma.array([1.0, 2.0, 3.0], mask=[k, 0, 0]) for k in (1, 0))
    plain = f(np.array([1.0, 2.0, 3.0]), A[0, 0], 1.0)
    for _ in range(2):  # the second call is machine code
        with pytest.raises(ArgumentError, match="entries of 'x' are masked: fill or drop them"):
            f(some, A[0, 0], 1.0)
        for got, wanted in zip(f(none, A[0, 0], 1.0), plain, strict=True):
            np.testing.assert_array_equal(got, wanted)
