"""C and JavaScript text beyond what random expressions reach, and the handover to frameworks."""

import ctypes
import json
import subprocess
import sys

import casadi
import numpy as np
import pytest

import visviva as vv
from benchmarks.chains import shapes, torques
from tests.support.tools import in_doubles, require
from visviva.describe.quantities import QUANTITIES
from visviva.errors import ArgumentError, BackendError, ShapeError, VisvivaError


@pytest.fixture(scope="module")
def f():
    def body(x, A):
        return {"y": A @ x, "B": A * 2.0 - x, "n": x @ x}

    return vv.function(body, {"x": 2, "A": (3, 2)}, name="several")


X, A = np.array([0.5, -2.0]), np.arange(6.0).reshape(3, 2)


def compile_c(folder, text, name):
    compiler = require("cc", "gcc")
    (folder / "f.c").write_text(text)
    command = [compiler, "-O2", "-Wall", "-Werror", "-shared", "-fPIC", "f.c", "-o", "f.so", "-lm"]
    subprocess.run(command, cwd=folder, check=True)
    return getattr(ctypes.CDLL(str(folder / "f.so")), name)


def pointers(*arrays):
    return [ctypes.c_void_p(a.ctypes.data) for a in arrays]


def test_c_with_several_outputs(f, tmp_path):
    call = compile_c(tmp_path, f.c_source("several"), "several")
    outs = [np.empty(3), np.empty((3, 2)), np.empty(1)]
    call(*pointers(X, A, *outs))
    for got, want in zip(outs, f(X, A), strict=True):
        np.testing.assert_allclose(got.reshape(want.shape), want, rtol=1e-15)


def test_c_of_a_whole_mechanism(tmp_path):
    f = vv.function(torques(6), shapes(6), name="torques")
    call = compile_c(tmp_path, f.c_source(), "torques")
    q, v, a = np.random.default_rng(0).normal(size=(3, 6))
    tau = np.empty(6)
    call(*pointers(q, v, a, tau))
    np.testing.assert_allclose(tau, f(q, v, a), rtol=1e-12)


def test_c_alone_needs_nothing_else(f, tmp_path):
    compiler = require("cc", "gcc")
    (tmp_path / "f.c").write_text(f.c_source())
    command = [compiler, "-std=c99", "-O2", "-Wall", "-Wextra", "-Werror", "-pedantic", "-c", "f.c"]
    subprocess.run(command, cwd=tmp_path, check=True)


SYSTEMS = {
    "two_link": vv.catalog.two_link(),
    "four_bar": vv.catalog.four_bar(),
    "top": vv.catalog.heavy_top(),
}


@pytest.mark.parametrize("name", SYSTEMS)
def test_no_compiler_warns_of_any_exported_function(name, tmp_path):
    """Twelve of 83 had arguments that nothing read, such as q of a mass matrix that is constant."""
    compiler, system = require("cc", "gcc"), SYSTEMS[name]
    frame, texts = {"frame": [*system.frame_names, ""][-1]}, []
    for row in (x for x in QUANTITIES if x.name):
        try:
            f = system.function(row.name, **(frame if row.about else {}))
            texts.append(f.c_source(f"{name}_{row.name}"))
            texts.append(f.c_source(f"{name}_{row.name}_single", scalar="float"))
        except (VisvivaError, AttributeError):  # this kind of system has no such quantity
            continue
    constant = (lambda x, y: 2.0, lambda x, y: 0.0 * y, lambda x, y: {"a": x, "b": 1.0})
    for k, body in enumerate(constant):
        f = vv.function(body, {"x": 3, "y": 2}, name="f")
        texts.append(f.c_source(f"{name}_{k}"))
    (tmp_path / "f.c").write_text("\n".join(texts))
    flags = "-std=c99 -Wall -Wextra -Werror -pedantic -Wconversion -Wdouble-promotion".split()
    assert len(texts) > 24
    subprocess.run([compiler, *flags, "-fsyntax-only", "f.c"], cwd=tmp_path, check=True)


def test_names_the_languages_have_taken(tmp_path):
    def body(double, t0, sin):
        return double + t0 * sin

    f = vv.function(body, {"double": 1, "t0": 1, "sin": 1}, name="f")
    call = compile_c(tmp_path, f.c_source(), "f")
    out = np.empty(1)
    call(*pointers(np.array([1.0]), np.array([2.0]), np.array([3.0]), out))
    assert out[0] == 7.0
    for bad in ("int", "sin", "a b", "1f", "f;", ""):
        with pytest.raises(ArgumentError, match="cannot name a C function"):
            f.c_source(bad or " ")
    with pytest.raises(ArgumentError, match="cannot name a JavaScript function"):
        f.js_source("delete")


@pytest.mark.spread(4)
@pytest.mark.parametrize(
    "name",
    ["M_PI", "FP_NAN", "__LINE__", "math_errhandling", "NAN", "asm", "typeof", "linux", "floor"],
)
def test_arguments_with_dangerous_names(name, tmp_path):
    f = vv.function(lambda x: x * 2.0, {name: 1}, name="doubled")
    call = compile_c(tmp_path, f.c_source(), "doubled")
    out = np.empty(1)
    call(*pointers(np.array([4.0]), out))
    assert out[0] == 8.0


@pytest.mark.parametrize(
    "name",
    [
        "fma",
        "floor",
        "gamma",
        "y1",
        "index",
        "exit",
        "asm",
        "isnan",
        "HUGE_VAL",
        "float_t",
        "_Bool",
        "__FILE__",
        "EOF",
    ],
)
def test_functions_with_dangerous_names(name):
    with pytest.raises(ArgumentError, match="cannot name a C function"):
        vv.function(lambda x: x, {"x": 1}).c_source(name)


def test_special_constants(tmp_path):
    f = vv.function(lambda x: [x[0] * np.inf, x[0] + np.nan, -1e-320 * x[0]], {"x": 1}, name="f")
    call = compile_c(tmp_path, f.c_source(), "f")
    out = np.empty(3)
    call(*pointers(np.array([-2.0]), out))
    np.testing.assert_array_equal(out, [-np.inf, np.nan, 2e-320])
    np.testing.assert_array_equal(f([-2.0]), out)


def test_javascript_powers_of_one_are_those_of_c():
    node = require("node", "nodejs")
    f = vv.function(lambda a, b: a**b, {"a": (), "b": ()}, name="f")
    calls = "[f(1, NaN), f(1, Infinity), f(-1, -Infinity), f(2, 3), f(0, 0)]"
    script = f"{f.js_source()}\nconsole.log(JSON.stringify({calls}))"
    run = subprocess.run([node, "-"], input=script, capture_output=True, text=True, check=True)
    assert json.loads(run.stdout) == [1, 1, 1, 8, 1]
    assert f([1, 1, -1, 2, 0], [np.nan, np.inf, -np.inf, 3, 0]).tolist() == [1, 1, 1, 8, 1]


def test_javascript_uses_nested_arrays_and_names(f):
    node = require("node", "nodejs")
    call = f"console.log(JSON.stringify(several({X.tolist()}, {A.tolist()})))"
    run = subprocess.run(
        [node, "-"], input=f"{f.js_source()}\n{call}", capture_output=True, text=True, check=True
    )
    got = json.loads(run.stdout)
    for name, want in zip(f.outputs, f(X, A), strict=True):
        np.testing.assert_allclose(got[name], want, rtol=1e-15)


@pytest.mark.spread(0)
def test_jax_batches_maps_jits_and_differentiates(f):
    jax = in_doubles()
    g = f.to_jax(traced=True)
    for got, want in zip(jax.jit(g)(X, A), f(X, A), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-15)
    batch = np.random.default_rng(0).normal(size=(5, 2))
    assert g(batch, A)[1].shape == (5, 3, 2)
    assert jax.vmap(g, (0, None))(batch, A)[1].shape == (5, 3, 2)
    np.testing.assert_allclose(jax.jacobian(lambda x: g(x, A)[0])(X), f.jacobian("x")(X, A)[0])
    with pytest.raises(ArgumentError, match="takes 2 arguments, got 1"):
        g(X)
    for wrong in (np.zeros(1), np.zeros(3), 1.0):
        with pytest.raises(ShapeError, match=r"argument 'x' has shape .* expected \(..., 2\)"):
            g(wrong, A)


def test_casadi_has_names_and_shapes(f):
    g = f.to_casadi()
    assert g.name_in() == ["x", "A"]
    assert g.name_out() == ["y", "B", "n"]
    for got, want in zip(g(X, A), f(X, A), strict=True):
        np.testing.assert_allclose(np.asarray(got).reshape(want.shape), want, rtol=1e-15)
    assert isinstance(g, casadi.Function)
    same = vv.function(lambda x: {"x": x}, {"x": 1}).to_casadi("same")
    assert same.name_out() == ["x_out"]
    with pytest.raises(BackendError, match="give to_casadi another name"):
        f.to_casadi("my f")
    deep = vv.function(lambda x: x, {"x": (2, 2, 2)})
    with pytest.raises(BackendError, match="casadi has matrices at most"):
        deep.to_casadi()


def test_a_missing_framework_is_named(f, monkeypatch):
    monkeypatch.setitem(sys.modules, "casadi", None)
    with pytest.raises(BackendError, match="pip install casadi"):
        f.to_casadi()
    for name, call in (("jax", f.to_jax), ("torch", f.to_torch)):
        monkeypatch.setitem(sys.modules, name, None)
        with pytest.raises(BackendError, match=rf'pip install "visviva\[{name}\]"'):
            call()


def test_letters_of_any_script_have_names_in_c():
    """They were all _, __, ___."""
    f = vv.function(lambda θ, φ: {"ω": θ + φ}, {"θ": (), "φ": ()})
    assert "(const double *theta, const double *phi, double *omega)" in f.c_source("f")
