"""Calling a Function: shapes, broadcasting, out, and errors that help."""

import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest
from support import interrupted

import visviva as vv
from visviva.errors import ArgumentError, DtypeError, ShapeError, TraceError, UnknownNameError


@pytest.fixture(scope="module")
def f():
    """Three inputs of different shapes, two outputs."""

    def body(x, A, s):
        return {"y": A @ x + s, "n": vv.generic.sqrt(x @ x)}

    return vv.function(body, {"x": 3, "A": (3, 3), "s": ()}, name="affine")


def expected(x, A, s):
    x, A, s = (np.asarray(v, dtype=float) for v in (x, A, s))
    y = np.einsum("...ij,...j->...i", A, x) + s[..., None]
    return y, np.broadcast_to(np.sqrt((x * x).sum(-1)), y.shape[:-1])


def assert_right(result, *args):
    for got, want in zip(result, expected(*args), strict=True):
        assert type(got) is np.ndarray
        assert got.dtype == np.float64
        assert got.shape == want.shape
        np.testing.assert_allclose(got, want, rtol=1e-14, atol=1e-14)


rng = np.random.default_rng(0)
X, A, S = rng.normal(size=(7, 5, 3)), rng.normal(size=(7, 5, 3, 3)), rng.normal(size=(7, 5))


@pytest.mark.parametrize(
    "args",
    [
        (X[0, 0], A[0, 0], S[0, 0]),
        (X[0, 0].tolist(), A[0, 0].tolist(), 1),
        (X[0], A[0], S[0]),
        (X, A, S),
        (X, A[0, 0], 2.0),
        (X[:, :1], A[:1], S),
        (X[:, 0][:, None], A[0][None], 0.5),
        (X[:0], A[:0], S[:0]),
        (X[::2, ::-1], A[::2, ::-1], S[::2, ::-1]),
        (np.asfortranarray(X), np.asfortranarray(A), S.T.copy().T),
        (X.astype(np.float32), A.astype(">f8"), S.astype(int)),
        (np.broadcast_to(X[0, 0], (4, 3)), A[0, 0].T, np.float64(1)),
    ],
    ids=(
        "vectors lists one-axis two-axes shared outer middle empty reversed fortran dtypes "
        "zero-stride"
    ).split(),
)
def test_results_and_shapes(f, args):
    assert_right(f(*args), *args)
    assert_right(f(x=args[0], s=args[2], A=args[1]), *args)


@pytest.mark.parametrize("rows", [*range(20), 31, 32, 33, 63, 64, 65, 1000])
def test_tails_of_every_length(f, rows):
    x, a, s = rng.normal(size=(rows, 3)), rng.normal(size=(rows, 3, 3)), rng.normal(size=rows)
    assert_right(f(x, a, s), x, a, s)


@pytest.mark.parametrize("columns", [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 40])
def test_ports_of_every_width(columns):
    f = vv.function(lambda x: x[::-1] * 2.0, {"x": columns})
    x = rng.normal(size=(37, columns))
    np.testing.assert_array_equal(f(x), x[:, ::-1] * 2)
    np.testing.assert_array_equal(f(x.T.copy().T), x[:, ::-1] * 2)
    np.testing.assert_array_equal(f(x[0]), x[0, ::-1] * 2)


def test_unaligned_arrays():
    f = vv.function(lambda x: x * 2.0, {"x": 3})
    raw = np.zeros(1 + 8 * 300, dtype=np.uint8)
    x = raw[1:].view(np.float64).reshape(100, 3)
    x[:] = rng.normal(size=(100, 3))
    assert not x.flags.aligned
    np.testing.assert_array_equal(f(x), x * 2)
    np.testing.assert_array_equal(f(x[0]), x[0] * 2)
    out = np.zeros(1 + 8 * 300, dtype=np.uint8)[1:].view(np.float64).reshape(100, 3)
    assert f(x, out=out) is out
    np.testing.assert_array_equal(out, x * 2)


def test_structured_rows():
    rows = np.zeros(50, dtype=[("id", "i2"), ("x", "f8", (3,))])
    rows["x"] = rng.normal(size=(50, 3))
    f = vv.function(lambda x: x.sum(), {"x": 3})
    np.testing.assert_allclose(f(rows["x"]), rows["x"].sum(1), rtol=1e-14, atol=1e-15)


@pytest.fixture(scope="module")
def g():
    return vv.function(lambda x: np.cumsum(x), {"x": 3})


class TestOut:
    def test_it_is_filled_and_returned(self, g):
        x, out = rng.normal(size=(10, 3)), np.empty((10, 3))
        assert g(x, out=out) is out
        np.testing.assert_allclose(out, np.cumsum(x, 1), rtol=1e-14)
        single = np.empty(3)
        assert g(x[0], out=single) is single

    @pytest.mark.parametrize("shift", [0, 1, 2, 3, -1])
    def test_it_may_overlap_the_input(self, g, shift):
        memory = rng.normal(size=140)
        x = memory[20:80].reshape(20, 3)
        out = memory[20 + shift : 80 + shift].reshape(20, 3)
        want = np.cumsum(x, 1)
        g(x, out=out)
        np.testing.assert_allclose(out, want, rtol=1e-14)

    def test_it_may_be_strided(self, g):
        x, memory = rng.normal(size=(10, 3)), np.full((20, 7), 9.0)
        g(x, out=memory[::2, 1:4])
        np.testing.assert_allclose(memory[::2, 1:4], np.cumsum(x, 1), rtol=1e-14)
        assert (memory[1::2] == 9).all()
        assert (memory[:, [0, 4, 5, 6]] == 9).all()
        g(x, out=memory.T[:3, :10].T)
        np.testing.assert_allclose(memory[:10, :3], np.cumsum(x, 1), rtol=1e-14)

    def test_axes_that_cannot_be_merged(self, g):
        x, memory = rng.normal(size=(4, 5, 3)), np.zeros((5, 4, 3))
        g(x, out=memory.transpose(1, 0, 2))
        np.testing.assert_allclose(memory.transpose(1, 0, 2), np.cumsum(x, -1), rtol=1e-14)

    def test_several_outputs_take_a_tuple(self, f):
        y, n = np.empty((7, 5, 3)), np.empty((7, 5))
        assert_right(f(X, A, S, out=(y, n)), X, A, S)
        assert_right((y, n), X, A, S)

    def test_refusals(self, g, f):
        x = np.zeros((4, 3))
        with pytest.raises(ShapeError, match=r"out for 'out' must have shape \(4, 3\), got \(3,\)"):
            g(x, out=np.empty(3))
        with pytest.raises(DtypeError, match="must be a float64 array, got float32"):
            g(x, out=np.empty((4, 3), dtype=np.float32))
        with pytest.raises(DtypeError, match="must be a float64 array, got list"):
            g(np.zeros(3), out=([0, 0, 0],))
        frozen = np.empty((4, 3))
        frozen.flags.writeable = False
        with pytest.raises(ArgumentError, match="out for 'out' is read-only"):
            g(x, out=frozen)
        with pytest.raises(ArgumentError, match="read-only"):
            g(x, out=np.broadcast_to(np.zeros(3), (4, 3)))
        with pytest.raises(ArgumentError, match=r"out is a tuple of 2 arrays, for .*; got one arr"):
            f(X, A, S, out=np.empty(3))
        with pytest.raises(ArgumentError, match=r"out is an array, for 'out'; got a list of 3"):
            g(np.zeros(3), out=[0, 0, 0])
        memory = np.empty((7, 5, 4))
        with pytest.raises(ArgumentError, match="two of the arrays in out share memory"):
            f(X, A, S, out=(memory[..., :3], memory[..., 2]))


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


class TestSpecialNumbers:
    def test_nan_and_infinity_propagate(self):
        f = vv.function(lambda x: [x[0] * x[1], x[0] + 1, vv.generic.sin(x[0])], {"x": 2})
        for x in ([np.nan, 1.0], [np.inf, 1.0], [-np.inf, 0.0], [1.0, np.nan]):
            with np.errstate(all="ignore"):
                want = [x[0] * x[1], x[0] + 1, np.sin(x[0])]
            np.testing.assert_array_equal(f(x), want)
            np.testing.assert_array_equal(f(np.array([x] * 5))[3], want)

    def test_one_bad_row_does_not_touch_its_neighbours(self):
        f = vv.function(lambda x: vv.generic.sincos(x)[0] / x, {"x": ()})
        x = np.linspace(1, 2, 100)
        clean = f(x)
        x[[3, 50]] = np.nan, np.inf
        np.testing.assert_array_equal(np.delete(f(x), [3, 50]), np.delete(clean, [3, 50]))

    def test_minimum_maximum_sign_and_where(self):
        g = vv.generic
        f = vv.function(
            lambda a, b: [g.minimum(a, b), g.maximum(a, b), g.sign(a), g.where(a < b, a, b)],
            {"a": (), "b": ()},
        )
        values = np.array([-np.inf, -1.0, 0.0, 2.0, np.inf, np.nan])
        a, b = (x.ravel() for x in np.meshgrid(values, values))
        got = f(a, b)
        np.testing.assert_array_equal(got[:, 0], np.minimum(a, b))
        np.testing.assert_array_equal(got[:, 1], np.maximum(a, b))
        np.testing.assert_array_equal(got[:, 2], np.sign(a))
        np.testing.assert_array_equal(got[:, 3], np.where(a < b, a, b))


class TestWhatItKnows:
    def test_signature(self, f):
        assert dict(f.inputs) == {"x": (3,), "A": (3, 3), "s": ()}
        assert dict(f.outputs) == {"y": (3,), "n": ()}
        assert repr(f) == ("<Function affine(x[3], A[3, 3], s) -> y[3], n: 12 mul, 11 add, 1 sqrt>")
        with pytest.raises(TypeError):
            f.inputs["x"] = ()

    def test_stages_can_be_looked_at(self, f):
        assert "define void @vv.batch" in f.llvm_ir
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


class TestThreads:
    def test_an_error_in_a_thread_is_raised(self, g, monkeypatch):
        x = np.zeros((10_000, 3))
        g(x)
        empty = np.empty

        def failing(shape, dtype=float):
            if dtype is np.uint8 and threading.current_thread() is not threading.main_thread():
                raise MemoryError("no work buffer")
            return empty(shape, dtype)

        monkeypatch.setattr(np, "empty", failing)
        with pytest.raises(MemoryError, match="no work buffer"):
            g(x, threads=2)

    def test_an_interrupt_waits_for_the_threads(self):
        run = subprocess.run([sys.executable, interrupted.__file__], timeout=120)
        assert run.returncode == 0


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


def test_ten_million_rows():
    f = vv.function(lambda x: x * 2.0 + 1.0, {"x": ()})
    x = np.arange(10_000_000.0)
    np.testing.assert_array_equal(f(x), x * 2 + 1)


def test_threads_give_the_same_bits():
    f = vv.function(lambda x: vv.generic.sincos(x[0])[0] * x[1], {"x": 2})
    x = rng.normal(size=(20_001, 2))
    one = f(x)
    for threads in (2, 3, 7, 100):
        np.testing.assert_array_equal(f(x, threads=threads), one)


def test_first_calls_from_many_threads_compile_once():
    f = vv.function(lambda x: vv.generic.exp(x) + 0.125, {"x": 4}, name="raced")
    x, results, barrier = np.ones(4), [], threading.Barrier(8)

    def work():
        barrier.wait()
        results.append(f(x))

    pool = [threading.Thread(target=work) for _ in range(8)]
    for thread in pool:
        thread.start()
    for thread in pool:
        thread.join()
    assert len(results) == 8
    for result in results:
        np.testing.assert_array_equal(result, results[0])
