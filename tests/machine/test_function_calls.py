"""Calling a Function: shapes, broadcasting, out, special numbers and threads."""

import subprocess
import sys
import threading

import numpy as np
import pytest

import visviva as vv
from tests.support.generators.affine import A, S, X, affine, assert_right, sums
from tests.support.programs import interrupted
from visviva.errors import ArgumentError, DtypeError, ShapeError
from visviva.machine.run import kernel
from visviva.machine.run.sharing import run_shared

rng = np.random.default_rng(0)


@pytest.fixture(scope="module")
def f():
    return affine()


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


@pytest.mark.spread(5)
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
    return sums()


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

    def test_columns_of_one_array_may_be_outputs(self):
        """A state of positions and velocities, in place; what has a number twice is refused."""
        arm = vv.catalog.two_link()
        x, tau = rng.normal(size=(6, 4)), rng.normal(size=(6, 2))
        q, v = arm.step(x[:, :2], x[:, 2:], tau, 0.01)
        for rows in (x, x[0]):
            y, force = rows.copy(), tau[: len(rows)] if rows is x else tau[0]
            q, v = arm.step(y[..., :2], y[..., 2:], force, 0.01)
            arm.step(y[..., :2], y[..., 2:], force, 0.01, out=(y[..., :2], y[..., 2:]))
            assert np.concatenate([q, v], axis=-1).tobytes() == y.tobytes()
        with pytest.raises(ArgumentError, match="share memory"):
            arm.step(q, v, tau[0], 0.01, out=(y[:2], y[1:3]))

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


class TestThreads:
    def test_an_error_in_a_thread_is_raised(self):
        is_helped = threading.Event()

        def work():
            if threading.current_thread() is not threading.main_thread():
                is_helped.set()
                raise MemoryError("no work buffer")
            assert is_helped.wait(60)

        with pytest.raises(MemoryError, match="no work buffer"):
            run_shared(work, 2, [])

    def test_a_small_batch_is_not_shared(self, monkeypatch):
        """A thread would take longer to begin."""
        x, g = np.zeros((1000, 3)), vv.function(lambda x: x * 7.25 - 3.5, {"x": 3})
        g(x)
        monkeypatch.setattr(kernel, "run_shared", None)
        np.testing.assert_array_equal(g(x, threads=2), g(x))

    def test_an_interrupt_waits_for_the_threads(self):
        run = subprocess.run([sys.executable, interrupted.__file__], timeout=600)
        assert run.returncode == 0


@pytest.mark.spread(0)
def test_ten_million_rows():
    f = vv.function(lambda x: x * 2.0 + 1.0, {"x": ()})
    x = np.arange(10_000_000.0)
    np.testing.assert_array_equal(f(x), x * 2 + 1)


def test_threads_give_the_same_bits():
    f = vv.function(lambda x: vv.generic.sincos(x[0])[0] * x[1], {"x": 2})
    x = rng.normal(size=(200_001, 2))
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
