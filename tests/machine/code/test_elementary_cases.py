"""Functions written as polynomials: special values as in C, and the same bits on all roads."""

import ctypes
import itertools
import math
import platform
import time
from pathlib import Path

import numpy as np
import pytest

import visviva as vv
from tests.machine.code.test_elementary_accuracy import arguments, compiled
from visviva.machine.code import imports
from visviva.machine.code.cpu import Cpu, host
from visviva.machine.code.elementary.definitions import ELEMENTARY, definitions
from visviva.machine.code.module import module_texts
from visviva.machine.program.blocks import split
from visviva.machine.run import fingerprint, kernel

ONE = ("tan", "atan", "asin", "acos", "exp", "log", "sinh", "cosh", "tanh")
INF, NAN, PI = math.inf, math.nan, math.pi
TINY, LEAST, MOST = 5e-324, 2.0**-1022, 1.7976931348623157e308  # subnormal, normal, finite
SPECIAL = {  # ISO C, annex F.10: arguments and results
    "tan": ([0.0, -0.0, INF, -INF, TINY], [0.0, -0.0, NAN, NAN, TINY]),
    "atan": ([0.0, -0.0, INF, -INF, TINY, MOST], [0.0, -0.0, PI / 2, -PI / 2, TINY, PI / 2]),
    "asin": (
        [0.0, -0.0, 1.0, -1.0, 1.5, -INF, -TINY],
        [0.0, -0.0, PI / 2, -PI / 2, NAN, NAN, -TINY],
    ),
    "acos": (
        [1.0, -1.0, 0.0, -0.0, 1.0 + 2 ** (-52), -2.0, INF],
        [0.0, PI, PI / 2, PI / 2, NAN, NAN, NAN],
    ),
    "exp": ([0.0, -0.0, INF, -INF, 710.0, -745.2, -745.1], [1.0, 1.0, INF, 0.0, INF, 0.0, TINY]),
    "log": ([1.0, 0.0, -0.0, -1.0, -TINY, INF, -INF], [0.0, -INF, -INF, NAN, NAN, INF, NAN]),
    "sinh": ([0.0, -0.0, INF, -INF, 710.5, -MOST, -TINY], [0.0, -0.0, INF, -INF, INF, -INF, -TINY]),
    "cosh": ([0.0, -0.0, INF, -INF, 710.5, -MOST, TINY], [1.0, 1.0, INF, INF, INF, INF, 1.0]),
    "tanh": ([0.0, -0.0, INF, -INF, MOST, TINY, -25.0], [0.0, -0.0, 1.0, -1.0, 1.0, TINY, -1.0]),
}
ANGLES = [  # the same of atan2: y, x and the angle
    (0.0, 1.0, 0.0),
    (-0.0, 1.0, -0.0),
    (0.0, 0.0, 0.0),
    (-0.0, 0.0, -0.0),
    (0.0, -0.0, PI),
    (-0.0, -0.0, -PI),
    (0.0, -TINY, PI),
    (-0.0, -MOST, -PI),
    (TINY, 0.0, PI / 2),
    (-MOST, -0.0, -PI / 2),
    (1.0, -INF, PI),
    (-1.0, -INF, -PI),
    (MOST, INF, 0.0),
    (-TINY, INF, -0.0),
    (INF, MOST, PI / 2),
    (-INF, -1.0, -PI / 2),
    (INF, INF, PI / 4),
    (-INF, INF, -PI / 4),
    (INF, -INF, 3 * PI / 4),
    (-INF, -INF, -3 * PI / 4),
    (TINY, MOST, 0.0),
    (-TINY, TINY, -PI / 4),
]
EDGES = [0.0, TINY, 1e-310, LEAST, 1e-300, 1e-20, 1e-8, 0.3, 0.5, 0.6, 1.0, 1.0 + 2**-52, 1.5, 2.0]
EDGES += [22.0, 1e5, 100001.0, 1e22, 709.7, 709.79, 710.4, 745.1, 745.2, 1e300, MOST, INF, NAN]
EDGES = np.array([*EDGES, *(-x for x in EDGES)])
BASELINE = ("x86-64", "+sse2,-avx,-avx2,-fma,-avx512f")
HASWELL = ("haswell", "+sse2,+avx,+avx2,+fma,-avx512f")
on_x86 = pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="x86 code")


def bits(x):
    """What two roads must share; a NaN has no sign."""
    x = np.asarray(x, dtype=float)
    return np.where(np.isnan(x), NAN, x).view(np.int64)


def of_library(name, *arrays):
    """The C library's results."""
    address = imports.addresses()[imports.position(name)]
    f = ctypes.CFUNCTYPE(ctypes.c_double, *[ctypes.c_double] * len(arrays))(address)
    return np.array([f(*xs) for xs in zip(*arrays, strict=True)])


def everything():
    """One program of all functions, in some order."""
    return vv.function(
        lambda y, x: (*(getattr(vv.generic, k)(x) for k in ONE), vv.generic.atan2(y, x)),
        {"y": (), "x": ()},
    )


def run(f, name, features, *arrays):
    """Its results by code for another processor."""
    cpu = Cpu(host().triple, name, features)
    made = kernel.load_kernel(*kernel.compile_program(f.program, cpu), time.perf_counter(), False)
    columns = [np.ascontiguousarray(x)[:, None] for x in arrays]
    columns += [np.empty((len(arrays[0]), 1)) for _ in f.outputs]
    made.run(columns, len(arrays[0]))
    return np.hstack(columns[len(arrays) :])


def varied(n):
    """Arguments of all kinds, in no order, special ones among them."""
    rng = np.random.default_rng(7)
    xs = np.concatenate([*(arguments(k, n)[0] for k in ONE), EDGES])
    return rng.permutation(xs), rng.permutation(xs)


@pytest.mark.parametrize("name", SPECIAL)
def test_special_values_are_those_of_annex_f(name):
    x, wanted = SPECIAL[name]
    np.testing.assert_array_equal(bits(compiled(name)(x)), bits(wanted))
    assert np.isnan(compiled(name)(NAN))


def test_special_angles_are_those_of_annex_f():
    y, x, wanted = np.array(ANGLES).T
    np.testing.assert_array_equal(bits(compiled("atan2")(y, x)), bits(wanted))
    nan = compiled("atan2")(*np.array(list(itertools.product([NAN], EDGES))).T)
    assert np.isnan(nan).all()
    nan = compiled("atan2")(*np.array(list(itertools.product(EDGES, [NAN]))).T)
    assert np.isnan(nan).all()


@pytest.mark.parametrize("name", [*ONE, "atan2"])
def test_edges_are_where_the_c_library_has_them(name):
    """Zero, with its sign, infinity and NaN alike; all else within 3 ulp of each other."""
    xs = np.array(list(itertools.product(EDGES, EDGES))).T if name == "atan2" else [EDGES]
    ours, theirs = compiled(name)(*xs), of_library(name, *xs)
    usual = np.isfinite(theirs) & (theirs != 0)
    np.testing.assert_array_equal(bits(ours[~usual]), bits(theirs[~usual]))
    apart = np.abs(ours[usual] - theirs[usual]) / np.spacing(np.abs(theirs[usual]))
    assert apart.max() <= 3


@pytest.mark.filterwarnings("ignore::visviva.errors.NotFiniteWarning")
def test_what_a_lane_gets_is_what_a_single_call_gets():
    f = everything()
    y, x = varied(20)
    batch = np.stack(f(y, x), axis=-1)
    alone = np.array([f(*at) for at in zip(y, x, strict=True)])
    np.testing.assert_array_equal(bits(batch), bits(alone))
    rolled = np.stack(f(np.roll(y, 3), np.roll(x, 3)), axis=-1)  # other neighbours
    np.testing.assert_array_equal(bits(np.roll(rolled, -3, axis=0)), bits(batch))


@on_x86
@pytest.mark.skipif(not (host().has("avx2") and host().has("fma")), reason="for AVX2 code")
def test_a_kernel_of_any_width_gives_the_same_bits(monkeypatch):
    f = everything()
    y, x = varied(200)
    wanted = bits(np.stack(f(y, x), axis=-1))
    for lanes, spread in ((2, False), (4, True), (8, False)):
        monkeypatch.setattr(Cpu, "lanes", lanes)
        monkeypatch.setattr(Cpu, "spreads_constants", spread)
        np.testing.assert_array_equal(bits(run(f, *HASWELL, y, x)), wanted)


@on_x86
def test_without_fused_multiply_add_all_are_the_c_library_s():
    y, x = varied(20)
    results = run(everything(), *BASELINE, y, x).T
    for name, result in zip(ONE, results, strict=False):
        np.testing.assert_array_equal(bits(result), bits(of_library(name, x)))
    np.testing.assert_array_equal(bits(results[-1]), bits(of_library("atan2", y, x)))


def test_loops_and_programs_of_several_modules_call_them_too():
    """All functions in a step that is repeated, and in blocks that are compiled apart."""
    g = vv.generic

    def step(x):
        bent = g.tanh(g.tan(g.atan2(x, g.cosh(x)))) + g.asin(g.exp(-g.absolute(x)) / 2)
        return {"x": bent + g.acos(g.atan(x) / 2) - g.log(1.0 + g.absolute(g.sinh(x)))}

    once = vv.function(step, {"x": ()})
    x = start = np.linspace(-3, 3, 11)
    for _ in range(60):
        x = once(x)
    loop = vv.repeat(once, {"x": start}, times=60)
    np.testing.assert_array_equal(bits(loop.state["x"]), bits(x))

    def many(x):
        for k in range(300):  # bent a little otherwise each time, so that nothing is shared
            x = step(x)["x"] + k / 1024
        return x

    f = vv.function(many, {"x": ()})
    assert len(module_texts(split(f.program), host())) > 1
    x = start
    for k in range(300):
        x = once(x) + k / 1024
    np.testing.assert_array_equal(bits(f(start)), bits(x))


def test_their_sources_are_part_of_what_names_code_in_the_cache():
    folder = Path(fingerprint.ROOT, "machine", "code", "elementary")
    named = {Path(path) for path, _ in fingerprint._files(fingerprint.ROOT)}
    assert len(sources := set(folder.glob("*.py"))) > 5
    assert sources <= named


def test_only_rows_that_leave_lanes_to_the_c_library_call_it():
    cpu = Cpu("x86_64-linux-gnu", "skylake-avx512", "+avx,+fma,+avx512f")
    for name, row in ELEMENTARY.items():
        text = definitions({name}, 8, cpu)
        assert ("@vv.libm." in text) == (row.beyond is not None)
        assert text.count(f"@vv.{name}(") == 1
    assert "@vv.libm." not in definitions({"pow"}, 8, cpu)
