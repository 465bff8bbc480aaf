"""One expression, many roads: compiled batch, compiled single call, interpreter, C, JavaScript and
JAX agree with 50 digits, each operation within a stated number of ulp."""

import ctypes
import json
import subprocess

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

import visviva as vv
from tests.support.counts import examples
from tests.support.generators.expressions import RejectedError, evaluate, trees, truth
from tests.support.tools import in_doubles, require

# ulp an operation may be off by. Sine and cosine are within 2, the rest is the C library: below 1
# for most functions, 2.1 for glibc's tanh. V8 is about as good, XLA's hyperbolic ones are looser.
# CasADi unrolls integer powers itself.
OURS, C, JAVASCRIPT, JAX, CASADI = 2.2, 2.2, 3, 16, 40

forests = st.lists(trees(3), min_size=1, max_size=4)
points = st.lists(st.tuples(*[st.floats(-5, 5, allow_subnormal=False)] * 3), min_size=1, max_size=9)


def prepared(forest, point_list, ulps):
    """The function of the forest, points where it is defined, its true values and bounds there."""
    good, values, bounds = [], [], []
    for point in point_list:
        try:
            pairs = [truth(tree, point, ulps) for tree in forest]
        except RejectedError:
            continue
        good.append(point)
        values.append([float(v) for v, _ in pairs])
        # the true value itself is rounded to double before it is compared
        bounds.append([float(b) + np.spacing(abs(float(v))) for v, b in pairs])
    assume(good)
    f = vv.function(lambda x: [evaluate(tree, x) for tree in forest], {"x": 3}, name="f")
    return f, np.array(good), np.array(values), np.array(bounds)


def assert_within(results, values, bounds):
    error = np.abs(np.asarray(results) - values)
    assert (error <= bounds).all(), (error / bounds).max()


@examples(5, 3_000)
@given(forests, points)
def test_compiled_and_interpreted(forest, point_list):
    f, x, values, bounds = prepared(forest, point_list, OURS)
    batch = f(x)
    single = np.array([f(row) for row in x])
    np.testing.assert_array_equal(batch, single)
    assert_within(batch, values, bounds)
    assert_within([np.asarray(f.interpret(row), dtype=float) for row in x], values, bounds)


@examples(4, 1_000)
@given(forests, points)
def test_c_source(tmp_path_factory, forest, point_list):
    compiler = require("cc", "gcc")
    f, x, values, bounds = prepared(forest, point_list, C)
    folder = tmp_path_factory.mktemp("c")
    (folder / "f.c").write_text(f.c_source("f"))
    flags = ["-O2", "-Wall", "-Werror", "-shared", "-fPIC"]
    subprocess.run(
        [compiler, *flags, "f.c", "-o", "f.so", "-lm"], cwd=folder, check=True, capture_output=True
    )
    call = ctypes.CDLL(str(folder / "f.so")).f
    results = np.empty_like(values)
    for row, result in zip(x, results, strict=True):
        call(ctypes.c_void_p(row.ctypes.data), ctypes.c_void_p(result.ctypes.data))
    assert_within(results, values, bounds)


@examples(4, 1_000)
@given(forests, points)
def test_javascript_source(forest, point_list):
    node = require("node", "nodejs")
    f, x, values, bounds = prepared(forest, point_list, JAVASCRIPT)
    script = f"{f.js_source('f')}\nconsole.log(JSON.stringify({json.dumps(x.tolist())}.map(f)));"
    run = subprocess.run([node, "-"], input=script, capture_output=True, text=True, check=True)
    assert_within(json.loads(run.stdout), values, bounds)


@examples(4, 1_000)
@given(forests, points)
def test_jax(forest, point_list):
    in_doubles()
    f, x, values, bounds = prepared(forest, point_list, JAX)
    assert_within(f.to_jax(traced=True)(x), values, bounds)


@examples(4, 1_000)
@given(forests, points)
def test_casadi(forest, point_list):
    f, x, values, bounds = prepared(forest, point_list, CASADI)
    g = f.to_casadi()
    assert_within([np.asarray(g(row)).ravel() for row in x], values, bounds)


@examples(6, 2_000)
@given(forests, points)
def test_nan_in_is_nan_out(forest, point_list):
    """Where an output depends on x₀ at all and is not decided by a comparison, nan gets through."""
    steps = {"lt", "le", "eq", "ne", "where", "pow", "atan2"}
    try:
        f = vv.function(lambda x: [evaluate(tree, x) for tree in forest], {"x": 3})
    except ZeroDivisionError:  # Python's own, of two plain numbers
        assume(False)
    used = f.jacobian("x").program.operations.keys() | f.program.operations.keys()
    assume(not used & steps)
    x = np.array(point_list)
    x[:, 0] = np.nan
    for row in x:
        expected = np.asarray(f.interpret(row), dtype=float)
        np.testing.assert_array_equal(np.isnan(f(row)), np.isnan(expected))
