"""What a Function knows of itself, its derivatives, and how it is traced."""

import pickle

import numpy as np
import pytest

import visviva as vv
from tests.support.generators.affine import A, S, X, affine, assert_right, sums
from visviva.errors import ArgumentError, ShapeError, UnknownNameError

rng = np.random.default_rng(0)


@pytest.fixture(scope="module")
def f():
    return affine()


@pytest.fixture(scope="module")
def g():
    return sums()


class TestWhatItKnows:
    def test_signature(self, f):
        assert dict(f.inputs) == {"x": (3,), "A": (3, 3), "s": ()}
        assert dict(f.outputs) == {"y": (3,), "n": ()}
        assert repr(f) == ("<Function affine(x[3], A[3, 3], s) -> y[3], n: 12 mul, 11 add, 1 sqrt>")
        with pytest.raises(TypeError):
            f.inputs["x"] = ()

    def test_stages_can_be_looked_at(self, f):
        assert "define i64 @vv.batch" in f.llvm_ir
        assert "vv.batch" in f.assembly
        assert f.compile_seconds > 0

    def test_several_outputs_by_tuple(self):
        f = vv.function(lambda x: (x, x[0]), {"x": 2})
        assert dict(f.outputs) == {"out0": (2,), "out1": ()}
        y, first = f([1.0, 2.0])
        assert y.tolist() == [1.0, 2.0]
        assert first == 1.0

    def test_outputs_that_nothing_computes(self):
        f = vv.function(lambda x: [x[1], 3.0, x[0], x[1], 0.0], {"x": 2})
        assert f([1.0, 2.0]).tolist() == [2.0, 3.0, 1.0, 2.0, 0.0]
        assert f(np.ones((20, 2)))[19].tolist() == [1.0, 3.0, 1.0, 1.0, 0.0]

    def test_no_inputs_and_empty_ports(self):
        constant = vv.function(lambda: [1.0, 2.0], {})
        assert constant().tolist() == [1.0, 2.0]
        empty = vv.function(lambda x: x, {"x": 0})
        assert empty(np.zeros((5, 0))).shape == (5, 0)
        assert empty(np.zeros(0)).shape == (0,)

    def test_many_axes(self):
        f = vv.function(lambda x: x.transpose(2, 0, 1), {"x": (2, 3, 4)})
        x = rng.normal(size=(6, 2, 3, 4))
        np.testing.assert_array_equal(f(x), x.transpose(0, 3, 1, 2))


class TestJacobian:
    def test_shapes_names_and_values(self, f):
        jacobian = f.jacobian("x", "A")
        assert dict(jacobian.outputs) == {
            "dy_dx": (3, 3),
            "dy_dA": (3, 3, 3),
            "dn_dx": (3,),
            "dn_dA": (3, 3),
        }
        x, a = X[0, 0], A[0, 0]
        dy_dx, dy_dA, dn_dx, dn_dA = jacobian(x, a, 0.0)
        np.testing.assert_array_equal(dy_dx, a)
        np.testing.assert_array_equal(dy_dA, np.einsum("ij,k->ijk", np.eye(3), x))
        np.testing.assert_allclose(dn_dx, x / np.linalg.norm(x), rtol=1e-15)
        assert not dn_dA.any()

    def test_all_inputs_by_default(self, f):
        assert list(f.jacobian().outputs)[:3] == ["dy_dx", "dy_dA", "dy_ds"]

    def test_second_derivatives(self):
        f = vv.function(lambda x: vv.generic.sin(x[0]) * x[1] ** 2, {"x": 2})
        hessian = f.jacobian("x").jacobian("x")
        a, b = 0.4, 1.5
        want = [[-np.sin(a) * b**2, 2 * np.cos(a) * b], [2 * np.cos(a) * b, 2 * np.sin(a)]]
        np.testing.assert_allclose(hessian([a, b]), want, rtol=1e-15)

    def test_repeated_names(self, f):
        with pytest.raises(ArgumentError, match="named twice"):
            f.jacobian("x", "x")
        with pytest.raises(UnknownNameError):
            f.jacobian(["x"])

    def test_unknown_names(self, f):
        with pytest.raises(
            UnknownNameError,
            match=r"input of affine\(x\[3\], A\[3, 3\], s\) 'B' \(available: 'x', 'A', 's'\)",
        ):
            f.jacobian("B")


class TestTracing:
    """What a traced function may do to its arguments, and how it gets them."""

    def test_it_may_overwrite_its_arguments(self):
        def swapped(x):
            x[[0, 1]] = x[[1, 0]]
            x[2] += 1
            return x[0] - 2 * x[1] + x[2]

        assert vv.function(swapped, {"x": 3})([1.0, 10.0, 5.0]) == 10.0 - 2.0 + 6.0

    def test_arguments_go_by_name_where_names_agree(self):
        f = vv.function(lambda a, b: a - b, {"b": (), "a": ()})
        assert f(a=1.0, b=10.0) == -9.0
        assert f(10.0, 1.0) == -9.0
        assert vv.function(lambda x: 2 * x, {"q": ()})(3.0) == 6.0

    def test_a_function_that_cannot_take_the_inputs(self):
        with pytest.raises(ArgumentError, match=r"\(x\) cannot take the inputs a, b: too many"):
            vv.function(lambda x: x, {"a": 1, "b": 1})
        with pytest.raises(ArgumentError, match="takes a Python function to trace, got 'x'"):
            vv.function("x", {"x": 1})
        with pytest.raises(ArgumentError, match="inputs maps names to shapes"):
            vv.function(lambda x: x, ["x"])

    def test_names_follow_python(self):
        f = vv.function(lambda self, x: self + x, {"self": (), "x": ()})
        assert f(self=1.0, x=2.0) == 3.0
        angstrom_sign, letter = "\u212b", {"\u00c5": 2.0}
        assert vv.function(lambda x: x, {angstrom_sign: ()})(**letter) == 2.0

    def test_shapes_may_be_numpy_integers_but_not_absurd(self):
        assert vv.function(lambda x: x, {"x": np.int64(2)})([1.0, 2.0]).shape == (2,)
        with pytest.raises(ShapeError, match="a program has at most 1000000"):
            vv.function(lambda x: x, {"x": 10**9})

    @pytest.mark.parametrize("name", [1, 'a"b', "a*/ int evil; /*", ""])
    def test_output_names_are_identifiers(self, name):
        with pytest.raises(ArgumentError, match="output name must be a Python identifier"):
            vv.function(lambda x: {name: x}, {"x": 1})

    def test_constants_that_fold_to_nan_do_not_warn(self):
        assert np.isnan(vv.function(lambda x: x * np.nan, {"x": 2})([1.0, 2.0])).all()

    def test_a_batch_inside_a_trace_is_explained(self, g):
        with pytest.raises(ShapeError, match="inside a traced function it takes one evaluation"):
            vv.function(lambda x: g(x.reshape(2, 3)), {"x": 6})

    def test_no_outputs_at_all(self):
        assert vv.function(lambda: (), {})() == ()


def test_functions_compose(f):
    """Called on expressions, a function becomes part of the one being traced."""

    def twice(x):
        y, n = f(x, np.eye(3), 1.0)
        return f(y, 2 * np.eye(3), n)[0]

    g = vv.function(twice, {"x": 3})
    x = X[0, 0]
    np.testing.assert_allclose(g(x), 2 * (x + 1) + np.linalg.norm(x), rtol=1e-15)
    assert g.operations.total() <= f.operations.total()


def test_pickling(f):
    twin = pickle.loads(pickle.dumps(f))
    assert repr(twin) == repr(f)
    assert_right(twin(X, A, S), X, A, S)
    jacobian = pickle.loads(pickle.dumps(f.jacobian("x")))
    np.testing.assert_array_equal(jacobian(X[0, 0], A[0, 0], 0.0)[0], A[0, 0])
