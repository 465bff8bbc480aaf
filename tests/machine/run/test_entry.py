"""The fast entry point: the same results, no leaks, and no argument list that could crash it."""

import array
import gc
import inspect
import os
import sys
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import visviva as vv
from tests.support.counts import examples, tick
from visviva.errors import ArgumentError, NotFiniteWarning
from visviva.machine import function as function_module
from visviva.machine.function import Function
from visviva.machine.run import entry

pytestmark = pytest.mark.skipif(
    not entry.available() and os.environ.get("CI") != "true",
    reason="this platform has no fast entry",
)


@pytest.fixture(scope="module")
def f():
    return vv.function(lambda x, A, s: {"y": A @ x + s, "n": x @ x}, {"x": 3, "A": (3, 3), "s": ()})


def good_arguments():
    return np.array([1.0, 2.0, 3.0]), np.arange(9.0).reshape(3, 3), np.array(0.5)


def test_a_compiled_function_calls_machine_code(f):
    f(*good_arguments())
    assert isinstance(f, Function)
    assert type(type(f).__call__).__name__ == "builtin_function_or_method"


def test_it_keeps_its_documentation(f):
    f(*good_arguments())
    assert f.__doc__.endswith(inspect.cleandoc(Function.__doc__))
    assert type(f).__doc__ == Function.__doc__
    assert str(inspect.signature(f)) == "(x, A, s, *, out=None, threads=1, checked=True)"


def test_it_equals_the_careful_path(f):
    args = good_arguments()
    for fast, careful in zip(f(*args), Function.__call__(f, *args), strict=True):
        np.testing.assert_array_equal(fast, careful)
        assert fast.shape == careful.shape
        assert fast.flags.owndata
        assert fast.flags.writeable


def refuse_careful_hands(monkeypatch):
    def careful(*args, **named):
        raise AssertionError("careful hands were asked")

    monkeypatch.setattr(function_module, "call", careful)


def test_numbers_and_one_row_for_all_are_taken_as_they_are(f, monkeypatch):
    x, A, s = good_arguments()
    many = np.arange(15.0).reshape(5, 3)
    want = f(np.tile(x, (5, 1)), np.tile(A, (5, 1, 1)), np.arange(5.0))[0]
    refuse_careful_hands(monkeypatch)
    for number in (0.5, np.float64(0.5)):
        np.testing.assert_array_equal(f(x, A, number)[0], f(x, A, s)[0])
        np.testing.assert_array_equal(f(many, A, number)[0][1], f(many[1], A, s)[0])
    np.testing.assert_array_equal(f(x, A, np.arange(5.0))[0], want)


def test_what_is_almost_plain_is_made_plain(f, monkeypatch):
    x, A, s = good_arguments()
    want = f(x, A, s)[0]
    wide = np.tile(x, (4, 2))
    still = x.copy()
    still.flags.writeable = False
    many = f(wide[:, :3].copy(), A, s)[0]
    refuse_careful_hands(monkeypatch)
    for almost in (x.tolist(), tuple(x), x.astype("f4"), x.astype(int), wide[0, :3], still):
        np.testing.assert_array_equal(f(almost, A, s)[0], want)
    noted = A.astype(np.dtype("f8", metadata={"unit": "m"}))
    for order in (A.copy("F"), A.astype(">f8"), A.tolist(), noted):
        np.testing.assert_array_equal(f(x, order, s)[0], want)
    np.testing.assert_array_equal(f(wide[:, :3], A, 0.5)[0], many)
    np.testing.assert_array_equal(f(x, s=1, A=A)[0], want + 0.5)
    np.testing.assert_array_equal(f(x=x, s=s, A=A, threads=2)[0], want)


def test_results_go_where_the_caller_says(f, monkeypatch):
    args = good_arguments()
    want, many = f(*args), np.arange(15.0).reshape(5, 3)
    wanted = f(many, *args[1:])
    refuse_careful_hands(monkeypatch)
    y, n = np.empty(3), np.empty(())
    assert f(*args, out=(y, n))[0] is y
    np.testing.assert_array_equal(y, want[0])
    assert n == want[1]
    x = args[0].copy()
    f(x, *args[1:], out=(x, n))  # in place
    np.testing.assert_array_equal(x, want[0])
    rows = many.copy()
    f(rows, *args[1:], out=(rows, np.empty(5)))
    np.testing.assert_array_equal(rows, wanted[0])


def test_arrays_that_are_in_the_way_are_written_last(f):
    _, A, s = good_arguments()
    buffer = np.arange(18.0)
    rows, ahead = buffer[:15].reshape(5, 3), buffer[3:].reshape(5, 3)
    want = f(rows.copy(), A, s)[0]
    f(rows, A, s, out=(ahead, np.empty(5)))
    np.testing.assert_array_equal(ahead, want)
    row = np.arange(3.0)
    many = np.tile(row, (5, 1))
    for out in ((many[:, :2], np.empty(5)), (many, many[:, 0]), (many, np.empty(4))):
        with pytest.raises(vv.VisvivaError):
            f(many, A, s, out=out)


def test_what_is_refused_or_doubtful_leaves_its_arrays_alone():
    """In place, as they are read again by who says why."""
    ball = vv.catalog.tumbling_body()
    q, v = np.array([0.0, 0.0, 0.0, 1.0]), np.ones(3)
    ball.step(q, v, v, 0.1)
    for rows in ((), (4,)):
        off, rates = np.full((*rows, 4), 0.6), np.ones((*rows, 3))
        with pytest.raises(ArgumentError, match=r"length one, got length 1\.2"):
            ball.step(off, rates, v, 0.1, out=(off, rates))
        assert (off == 0.6).all()
        assert (rates == 1.0).all()
    half = vv.function(lambda x: 1.0 / x, {"x": 2}, name="half")
    half(v[:2])
    x = np.array([0.0, 2.0])
    with pytest.warns(NotFiniteWarning, match="half"):
        half(x, out=x)
    assert x.tolist() == [np.inf, 0.5]


def test_results_are_new_arrays(f):
    args = good_arguments()
    first, second = f(*args)[0], f(*args)[0]
    assert not np.may_share_memory(first, second)


def test_the_careful_path_alone_gives_the_same(monkeypatch):
    monkeypatch.setattr(entry, "available", lambda: False)
    f = vv.function(lambda x: x * 3.0 + 0.25, {"x": 5})
    x = np.arange(5.0)
    np.testing.assert_array_equal(f(x), x * 3 + 0.25)
    assert type(f) is Function


def leaked(call, watched, repeats=600):
    """By how much reference counts change: the least of three rounds.

    What earlier tests left behind (a thread that ends, a cache that empties) changes the count of
    None once; a leak changes it in every round.
    """

    def one_round():
        gc.collect()
        before = [sys.getrefcount(x) for x in watched]
        for _ in range(repeats):
            call()
        gc.collect()
        return max(abs(sys.getrefcount(x) - n) for x, n in zip(watched, before, strict=True))

    call()
    return min(one_round() for _ in range(3))


@pytest.mark.usefixtures("small_heap")
def test_no_reference_leaks(f):
    args = good_arguments()
    assert leaked(lambda: f(*args), [*args, np.dtype(np.float64), np.ndarray, None, ()]) < 100
    # on the careful path numpy itself makes the arrays, and np.empty leaks references to its dtype
    assert leaked(lambda: f(*args[:2], s=args[2]), [*args, np.ndarray, None, ()]) < 100


@pytest.mark.usefixtures("small_heap")
def test_no_reference_leaks_on_errors(f):
    args = good_arguments()

    def refused():
        for wrong in ((1,), (None, None, None), (args[0], args[0], args[0])):
            with pytest.raises(vv.VisvivaError):
                f(*wrong)

    assert leaked(refused, [*args, np.ndarray, None, ()], repeats=200) < 100


@pytest.mark.usefixtures("small_heap")
@pytest.mark.parametrize("size", [3, 2000], ids=["stack buffer", "heap buffer"])
def test_no_memory_leaks(size):
    f = vv.function(lambda x: (x * 2.0, x[0]), {"x": size})
    x = np.ones(size)
    f(x)
    tracemalloc.start()
    try:
        for _ in range(200):
            f(x)
        gc.collect()
        start, _ = tracemalloc.get_traced_memory()
        for _ in range(3000):
            f(x)
        gc.collect()
        end, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert end - start < 20_000  # one leaked result each would be 48 MB, or 300 kB of headers


def test_functions_are_freed():
    import weakref

    f = vv.function(lambda x: x + 1.5, {"x": 2})
    f(np.zeros(2))
    call = type(f).__call__
    watch = weakref.ref(f)
    del f
    gc.collect()
    assert watch() is not None  # the builtin keeps its code alive
    assert call(np.ones(2)).tolist() == [2.5, 2.5]
    del call
    gc.collect()
    assert watch() is None


class Hostile:
    """Raises from everything numpy may ask."""

    def __array__(self, dtype=None, copy=None):
        raise ValueError("no array here")

    def __float__(self):
        raise OverflowError("no float here")

    def __len__(self):
        return 3

    def __getitem__(self, i):
        raise KeyError(i)


class Subclass(np.ndarray):
    pass


dtypes = st.sampled_from("f8 f4 f2 i8 i4 u1 ? c16 O S3 U3 M8[s] m8[s] >f8 V8".split() + ["f8"] * 12)
shapes = st.one_of(
    st.sampled_from([(3,), (3, 3), (), (1,), (0,), (2, 3), (2, 3, 3), (0, 3)]),
    st.lists(st.integers(0, 4), max_size=4).map(tuple),
)


@st.composite
def arrays(draw):
    dtype, shape = draw(dtypes), draw(shapes)
    x = np.zeros(shape, dtype=dtype)
    if dtype in ("f8", "f4"):
        x[...] = draw(st.sampled_from([0.0, 1.0, -2.5, np.nan, np.inf, 1e30]))
    change = draw(st.sampled_from(["", "", "", "", "T", "rev", "ro", "sub", "step", "0-stride"]))
    if change == "T":
        x = x.T
    elif change == "rev" and x.ndim:
        x = x[::-1]
    elif change == "ro":
        x.flags.writeable = False
    elif change == "sub":
        x = x.view(Subclass)
    elif change == "step" and x.ndim:
        x = np.zeros((*shape[:-1], 2 * shape[-1]), dtype=dtype)[..., ::2]
    elif change == "0-stride":
        x = np.broadcast_to(np.zeros((), dtype), shape)
    return x


oddities = st.sampled_from(
    [
        *(None, 1, 1.5, True, 10**400, 1j, "x", b"x", [], [1, 2, 3], (1.0, 2.0, 3.0), {}, set()),
        *(object(), Hostile(), np.ndarray, np.float64(2), np.nan, range(3), lambda: 0, type),
        *(array.array("d", [1, 2, 3]), memoryview(b"abc"), Ellipsis, [[1.0], [1.0, 2.0]]),
    ]
)
argument_lists = st.lists(st.one_of(arrays(), arrays(), oddities), max_size=5)
keywords = st.dictionaries(
    st.sampled_from(["x", "A", "s", "out", "threads", "y", "é"]),
    st.one_of(arrays(), oddities),
    max_size=2,
)


@examples(144, 300_000)
@given(argument_lists, keywords)
def test_no_argument_list_crashes_it(f, args, named):
    """Either the right result or an error of a kind Python callers expect."""
    tick("argument lists", 20_000)
    try:
        with np.errstate(all="ignore"):
            result = f(*args, **named)
    except (vv.VisvivaError, TypeError, ValueError, OverflowError):
        return
    bound = dict(zip("xAs", args, strict=False)) | named
    x, A, s = (np.asarray(bound[k], dtype=float) for k in "xAs")
    with np.errstate(all="ignore"):
        want = np.einsum("...ij,...j->...i", A, x) + s[..., None]
        np.testing.assert_allclose(result[0], want, rtol=1e-12)


@examples(29, 20_000)
@given(st.data())
def test_good_arguments_always_succeed(f, data):
    layouts = [lambda x: x, np.ndarray.tolist, lambda x: x.copy("F"), np.float32]
    args = [data.draw(st.sampled_from(layouts))(x) for x in good_arguments()]
    got = f(*args)
    np.testing.assert_allclose(got[0], Function.__call__(f, *good_arguments())[0], rtol=1e-12)


def test_deep_recursion_and_reentry(f):
    """Called from within its own fallback: an object whose conversion calls the function again."""

    class Nested:
        def __array__(self, dtype=None, copy=None):
            return f(*good_arguments())[0]

    assert f(Nested(), *good_arguments()[1:])[0].shape == (3,)
