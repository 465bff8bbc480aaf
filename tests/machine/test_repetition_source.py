"""The loop in C and JavaScript does what the loop in machine code does."""

import ctypes
import json
import subprocess

import numpy as np
import pytest

import visviva as vv
from tests.machine.test_source import compile_c, pointers
from tests.support.tools import require
from visviva.errors import ArgumentError

where = vv.generic.where
TABLE = np.random.default_rng(0).normal(size=(3, 2, 2))


def turns(x, y, k, u):
    """Multiplications and additions only: the same bits wherever nobody fuses them."""
    return {"x": y[::-1], "y": 0.5 * x - k * y + u @ x, "k": k}


@pytest.fixture(scope="module")
def step():
    return vv.function(turns, {"x": 2, "y": 2, "k": (), "u": (2, 2)}, name="turns")


def start():
    return {"x": np.array([1.0, -2.0]), "y": np.array([0.25, 3.0]), "k": np.array([0.125])}


def c_loop(loop, folder):
    call = compile_c(folder, loop.c_source("go"), "go_repeat")
    call.restype = ctypes.c_long
    return call


def in_javascript(loop, passes, *values):
    node = require("node", "nodejs")
    listed = ", ".join(json.dumps(np.asarray(x).tolist()) for x in values)
    text = f"{loop.js_source('go')}\nconsole.log(JSON.stringify(go_repeat({passes}, {listed})))"
    run = subprocess.run([node, "-"], input=text, capture_output=True, text=True, check=True)
    return json.loads(run.stdout)


def test_tables_and_states_that_change_places(step, tmp_path):
    loop, now = vv.Loop(step, each=["u"]), start()
    wanted = loop({**now, "k": 0.125}, times=11, each={"u": TABLE}).state
    call = c_loop(loop, tmp_path)
    passes = call(ctypes.c_long(11), *pointers(*now.values(), TABLE), ctypes.c_long(3))
    assert passes == 11
    got = in_javascript(loop, 11, [1.0, -2.0], [0.25, 3.0], 0.125, TABLE)
    assert got["passes"] == 11
    plain = loop.interpret({**start(), "k": 0.125}, passes=11, each={"u": TABLE})
    for k, x in wanted.items():
        np.testing.assert_array_equal(now[k].reshape(x.shape), plain[k].astype(float))
        np.testing.assert_array_equal(got["state"][k], plain[k].astype(float))
        np.testing.assert_allclose(x, plain[k].astype(float), rtol=1e-13)


@pytest.mark.parametrize("at_most", [0, 5, 100])
def test_ends(at_most, tmp_path):
    step = vv.function(lambda x, n: {"x": 0.75 * x, "n": n + 1.0}, {"x": (), "n": ()}, name="step")
    until = vv.function(lambda x: where(x < 1.0, 1.0, 0.0), {"x": ()})
    loop = vv.Loop(step, until=until)
    wanted = loop({"x": 20.0, "n": 0.0}, at_most=at_most)
    x, n = np.array([20.0]), np.array([0.0])
    assert c_loop(loop, tmp_path)(ctypes.c_long(at_most), *pointers(x, n)) == wanted.passes
    assert (x[0], n[0]) == (wanted.state["x"], wanted.state["n"])
    got = in_javascript(loop, at_most, 20.0, 0.0)
    assert got == {"state": {"x": x[0], "n": n[0]}, "passes": int(wanted.passes)}


def test_a_swinging_arm(tmp_path):
    """Sines differ in their last bit between libraries."""
    arm = vv.catalog.two_link()

    def body(q, v):
        v = v + 0.01 * arm.forward_dynamics(q, v, [0.0, 0.0])
        return {"q": q + 0.01 * v, "v": v}

    loop = vv.Loop(vv.function(body, {"q": 2, "v": 2}, name="swing"))
    q, v = np.array([0.5, -0.25]), np.zeros(2)
    wanted = loop({"q": q, "v": v}, times=50).state
    got = in_javascript(loop, 50, q, v)["state"]
    c_loop(loop, tmp_path)(ctypes.c_long(50), *pointers(q, v))
    for k, x in (("q", q), ("v", v)):
        np.testing.assert_allclose(x, wanted[k], rtol=1e-13)
        np.testing.assert_allclose(got[k], wanted[k], rtol=1e-13)


NAMES = ["repeat_done", "cycle", "passes", "i", "next", "state", "go", "go_repeat", "t0", "double"]
NAMES += ["long", "let", "M_PI", "sin", "function", "length"]


@pytest.mark.spread(3)
@pytest.mark.parametrize("name", NAMES)
def test_states_may_have_any_name(name, tmp_path):
    step = vv.function(lambda a, b, c: {name: a + b, "b": a}, {name: (), "b": (), "c": ()})
    until = vv.function(lambda a: where(a > 50.0, 1.0, 0.0), {name: ()}, name="large")
    loop = vv.Loop(step, until=until, each=["c"])
    a, b, c = np.array([1.0]), np.array([1.0]), np.zeros(2)
    passes = c_loop(loop, tmp_path)(ctypes.c_long(30), *pointers(a, b, c), ctypes.c_long(2))
    assert (passes, a[0], b[0]) == (8, 55.0, 34.0)
    got = in_javascript(loop, 30, 1.0, 1.0, c)
    assert got == {"state": {name: 55, "b": 34}, "passes": 8}


def test_the_text_bears_the_name_of_the_step(step):
    loop = vv.Loop(step, each=["u"])
    assert "long turns_repeat(long passes, double *x, double *y, double *k," in loop.c_source()
    assert "function turns_repeat(passes, x, y, k, u)" in loop.js_source()
    with pytest.raises(ArgumentError, match="cannot name a C function"):
        loop.c_source("a b")
    with pytest.raises(ArgumentError, match="cannot name a JavaScript function"):
        loop.js_source("delete")


def test_the_text_alone_is_strict_c(step, tmp_path):
    compiler = require("cc", "gcc")
    (tmp_path / "f.c").write_text(vv.Loop(step, each=["u"]).c_source("go"))
    command = [compiler, "-std=c99", "-O2", "-Wall", "-Wextra", "-Werror", "-pedantic", "-c", "f.c"]
    subprocess.run(command, cwd=tmp_path, check=True)
