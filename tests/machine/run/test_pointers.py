"""Machine code by address: what ctypes, SciPy and numba call."""

import ctypes
import gc
import importlib.util
import pickle
import threading

import numpy as np
import pytest
from scipy import LowLevelCallable, integrate

import visviva as vv
from visviva.errors import ArgumentError
from visviva.machine.code import imports, pointers
from visviva.machine.code.cpu import Cpu
from visviva.machine.run import memory

g = vv.generic
ARM = vv.catalog.puma560()


def pointer(x):
    return x.ctypes.data_as(ctypes.POINTER(ctypes.c_double))


def by_address(f, *arguments):
    """What stands at the address, called as C does."""
    outs = [np.empty(shape) for shape in f.outputs.values()]
    arrays = [np.ascontiguousarray(x, float) for x in (*arguments, *outs)]
    ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * len(arrays))(f.address)(
        *(x.ctypes.data for x in arrays)
    )
    return arrays[len(arguments) :]


def some(f, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=shape) for shape in f.inputs.values()]


LONG = vv.function(lambda x, k: {"y": x * k, "s": x @ x}, {"x": 300, "k": ()})  # moved by tables
NOTHING = vv.function(lambda x: {"none": x[:0], "twice": 2.0 * x}, {"x": 2})
FUNCTIONS = {
    "torques": ARM.inverse_dynamics,
    "several": ARM.forward_dynamics.jacobian(),
    "long": LONG,
    "empty": NOTHING,
}


@pytest.mark.parametrize("way", ["stack", "heap", "LLVM's loader"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_same_bits_as_a_call(name, way, monkeypatch):
    if way != "stack":
        monkeypatch.setenv("VISVIVA_CACHE", "off")
        if way == "heap":
            monkeypatch.setattr(pointers, "STACK_BYTES", 0)
        else:
            monkeypatch.setattr(Cpu, "has_images", False)
    f = pickle.loads(pickle.dumps(FUNCTIONS[name]))
    for seed in range(3):
        given = some(f, seed)
        wanted = f(*given)
        wanted = wanted if isinstance(wanted, tuple) else (wanted,)
        for got, want in zip(by_address(f, *given), wanted, strict=True):
            np.testing.assert_array_equal(got, want)


def test_an_output_may_be_an_input():
    f = vv.function(lambda x, y: {"a": x[::-1] + y, "b": x * y}, {"x": 3, "y": 3})
    x, y = some(f)
    a, b = f(x, y)
    f.ctypes(pointer(x), pointer(y), pointer(y), pointer(x))
    np.testing.assert_array_equal(y, a)
    np.testing.assert_array_equal(x, b)


def test_what_is_not_finite_comes_through():
    """Nothing is looked at: no warning, no error, no quaternion refused."""
    f = vv.function(lambda x: 1.0 / x, {"x": 2})
    assert by_address(f, [0.0, np.nan])[0].tolist()[0] == np.inf
    body = vv.Builder("b").body("body", joint="free", mass=1.0).build()
    assert np.isfinite(by_address(body.gravity_forces, [1.0, 2.0, 3.0, 4.0, 0, 0, 0])[0]).all()


def test_without_memory_results_are_nan(monkeypatch):
    monkeypatch.setattr(pointers, "STACK_BYTES", 0)
    monkeypatch.setenv("VISVIVA_CACHE", "off")
    f = pickle.loads(pickle.dumps(FUNCTIONS["several"]))
    code = f.address  # compiled before there is none
    none = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_size_t)(lambda size: None)
    table, place = imports.addresses(), imports.position("PyMem_RawMalloc")
    kept = table[place]
    table[place] = ctypes.cast(none, ctypes.c_void_p)
    try:
        results = by_address(f, *some(f))
    finally:
        table[place] = kept
    assert f.address == code
    assert all(np.isnan(x).all() for x in results)


def test_any_thread_may_call():
    f, given = ARM.inverse_dynamics, some(ARM.inverse_dynamics)
    wanted, results = f(*given), []
    threads = [
        threading.Thread(target=lambda: results.extend(by_address(f, *given))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 4
    assert all((x == wanted).all() for x in results)


def test_code_stays_while_anything_can_call_it():
    """The address is the function's; what ctypes and SciPy call keeps the code itself."""
    gone = []
    f = vv.function(lambda x: g.exp(-x), {"x": ()}, name="f")
    memory.when_gone(f._code(pointers.Pointers()), gone.append, "pointers")
    memory.when_gone(f._code(pointers.Pointers(), pointers.Integrand()), gone.append, "number")
    assert f.address == f.address
    call, low_level = f.ctypes, f.to_scipy()
    del f
    gc.collect()
    assert not gone
    x, y = np.array([1.0]), np.empty(1)
    call(pointer(x), pointer(y))
    assert y[0] == pytest.approx(np.exp(-1.0), rel=1e-15)
    assert integrate.quad(low_level, 0, 1)[0] == pytest.approx(1 - np.exp(-1), rel=1e-14)
    del call
    gc.collect()
    assert gone == ["pointers"]
    del low_level
    gc.collect()
    assert gone == ["pointers", "number"]


def test_scipy_integrates():
    """The numbers of all inputs, in order: the first is integrated over, others are `args`."""
    f = vv.function(lambda x, k: g.exp(-k[0] * x * x) * g.cos(k[1] * x), {"x": (), "k": 2})
    low_level = f.to_scipy()
    assert isinstance(low_level, LowLevelCallable)
    assert low_level.signature == "double (int, double *)"
    ours = integrate.quad(low_level, 0, 3, args=(1.5, 2.0))
    assert ours == integrate.quad(lambda x: float(f(x, [1.5, 2.0])), 0, 3)
    area = vv.function(lambda x: g.exp(-x[0] * x[1] ** 2), {"x": 2})
    ours = integrate.nquad(area.to_scipy(), [(0, 1), (0, 2)])[0]
    assert ours == pytest.approx(
        integrate.nquad(lambda a, b: float(area([a, b])), [(0, 1), (0, 2)])[0], rel=1e-14
    )


def test_scipy_with_another_count_of_numbers():
    low_level = vv.function(lambda x, k: x * k, {"x": (), "k": ()}).to_scipy()
    with pytest.warns(integrate.IntegrationWarning):
        assert np.isnan(integrate.quad(low_level, 0, 1)[0])


def test_scipy_takes_one_number():
    with pytest.raises(ArgumentError, match=r"gives g\[6\], scipy takes a function of one number"):
        ARM.gravity_forces.to_scipy()


def test_numba_calls_it():
    """In compiled loops, and in a `cfunc` that others call by its own address."""
    if importlib.util.find_spec("numba") is None:
        pytest.skip("this test needs numba, which is no package of the tests: pip install numba")
    numba = importlib.import_module("numba")
    call, q = ARM.gravity_forces.ctypes, some(ARM.gravity_forces)[0]
    array = numba.types.CPointer(numba.types.float64)

    @numba.njit
    def total(rows):
        out, sums = np.empty(6), np.zeros(6)
        for k in range(len(rows)):
            call(rows[k].ctypes, out.ctypes)
            sums += out
        return sums

    @numba.cfunc(numba.types.void(array, array))
    def doubled(x, out):
        call(x, out)
        for k in range(6):
            out[k] *= 2.0

    wanted, out = ARM.gravity_forces(q), np.empty(6)
    np.testing.assert_array_equal(total(np.stack([q, q])), 2.0 * wanted)
    doubled.ctypes(pointer(q), pointer(out))
    np.testing.assert_array_equal(out, 2.0 * wanted)
