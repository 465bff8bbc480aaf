"""Compiled functions in JAX: the same numbers, derivatives of any order, its transformations."""

import ctypes
import os
import subprocess
import sys

import numpy as np
import pytest

import visviva as vv
from tests.support.small_systems import SYSTEMS, VERBS, function, state
from tests.support.tools import importing, in_doubles, require
from visviva.errors import ArgumentError, BackendError, DtypeError, ShapeError
from visviva.machine import handover
from visviva.machine.code import xla
from visviva.machine.run import xla as run_xla

g = vv.generic


@pytest.fixture
def jax():
    return in_doubles()


def several(x, A):
    return {"y": A @ g.sin(x), "B": A * x[0], "n": g.sqrt(x @ x)}


@pytest.fixture(scope="module")
def f():
    return vv.function(several, {"x": 2, "A": (3, 2)}, name="several")


X, A = np.array([0.3, -0.4]), np.arange(6.0).reshape(3, 2)


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("name", SYSTEMS)
def test_verbs_and_their_derivatives_to_the_second_order(jax, name, verb):
    """Against differences, in both modes and their mixtures; by entries of quaternions too."""
    from jax.test_util import check_grads

    f = function(name, verb)
    x = state(name, f)
    call = f.to_jax()
    for got, want in zip(jax.tree.leaves(call(*x)), jax.tree.leaves(f(*x)), strict=True):
        np.testing.assert_array_equal(got, want)
    check_grads(call, tuple(x), order=2, modes=("fwd", "rev"), rtol=1e-6, atol=1e-6)


def test_batches_maps_scans_and_checkpoints(jax, f):
    jnp, call = jax.numpy, f.to_jax()
    batch = np.random.default_rng(0).normal(size=(5, 2))
    want = f(batch, A)
    for way in (call, jax.jit(call), jax.vmap(call, (0, None)), jax.vmap(jax.jit(call), (0, None))):
        for got, each in zip(way(batch, A), want, strict=True):
            np.testing.assert_array_equal(got, each)
    across = jax.vmap(lambda x: call(x, A)[0], 1, 1)(batch.T)
    np.testing.assert_array_equal(across, want[0].T)
    J = f.jacobian("x")(X, A)[0]
    for derive in (jax.jacfwd, jax.jacrev, jax.jacobian):
        np.testing.assert_allclose(derive(lambda x: call(x, A)[0])(X), J, rtol=1e-14)

    def rolled(A, keep):
        body = lambda x, _: (call(x, A)[0][:2] / 10, x)  # noqa: E731
        _, xs = jax.lax.scan(jax.checkpoint(body) if keep else body, jnp.asarray(X), None, 20)
        return jnp.sum(xs**2)

    def unrolled(A):
        x, total = X, 0.0
        for _ in range(20):
            x, total = f(x, A)[0][:2] / 10, total + x @ x
        return total

    slope = np.array(
        [
            (unrolled(A + 1e-6 * e) - unrolled(A - 1e-6 * e)) / 2e-6
            for e in np.eye(6).reshape(6, 3, 2)
        ]
    ).reshape(3, 2)
    for keep in (False, True):
        np.testing.assert_allclose(
            jax.jit(jax.grad(rolled), static_argnums=1)(A, keep), slope, atol=1e-8
        )


def test_arguments_by_name_from_lists_and_of_any_real_type(jax, f):
    call = f.to_jax()
    assert call.__name__ == "several"
    for got, want in zip(call(A=A.tolist(), x=[0.3, -0.4]), f(X, A), strict=True):
        np.testing.assert_array_equal(got, want)
    assert [y.dtype for y in call([1, 2], A.astype(int))] == [np.float64] * 3
    assert [y.dtype for y in call(X.astype(np.float32), A)] == [np.float64] * 3


def test_float32_is_computed_in_double_precision(jax, f):
    """A sum that single precision loses; and more rows than are widened at a time."""
    sums = vv.function(lambda x: x[0] + x[1] - x[0], {"x": 2}, name="sums").to_jax()
    assert sums(np.array([1e8, 0.5], np.float32)) == np.float32(0.5)
    x = np.random.default_rng(1).normal(size=(3 * xla.ROWS_WIDENED + 5, 2)).astype(np.float32)
    call = f.to_jax()
    for rows in (x, x[:1], x[0], x[:0]):
        for got, want in zip(call(rows, A.astype(np.float32)), f(rows, A), strict=True):
            assert got.dtype == np.float32
            np.testing.assert_array_equal(got, want.astype(np.float32))
    gradient = jax.grad(lambda x: call(x, A.astype(np.float32))[2])(x[0])
    np.testing.assert_allclose(gradient, x[0] / np.hypot(*x[0]), rtol=1e-6)


def test_parameters_are_inputs_that_have_gradients(jax):
    m = vv.catalog.pendulum(2)
    names = m.parameter_names[:2]
    f = m.function("forward_dynamics", parameters=names)
    q, v, tau = np.random.default_rng(1).normal(size=(3, 7, 2))
    p = np.array([1.1, 1.3])
    got = jax.grad(lambda p: f.to_jax()(q, v, tau, p).sum())(p)
    np.testing.assert_allclose(got, f.jacobian("parameters")(q, v, tau, p).sum((0, 1)), rtol=1e-12)


def test_what_has_no_inputs_or_no_numbers(jax):
    constant = vv.function(lambda: g.sqrt(2.0), {}, name="constant").to_jax()
    assert jax.jit(constant)() == np.sqrt(2.0)
    empty = vv.function(lambda x, e: (2 * x, e), {"x": 2, "e": 0}, name="empty").to_jax()
    y, e = empty(X, np.zeros((4, 0)))
    assert (y.shape, e.shape) == ((4, 2), (4, 0))
    np.testing.assert_array_equal(jax.grad(lambda x: empty(x, np.zeros(0))[0].sum())(X), [2.0, 2.0])
    assert jax.jacobian(lambda e: empty(X, e)[1])(np.zeros(0)).shape == (0, 0)
    nothing = vv.function(lambda x: {"y": x[:0]}, {"x": 2}, name="nothing").to_jax()
    assert jax.jacfwd(nothing)(X).shape == (0, 2)


def test_it_runs_where_jit_is_off(jax, f):
    call = f.to_jax()
    with jax.disable_jit():
        np.testing.assert_array_equal(call(X, A)[0], f(X, A)[0])
        np.testing.assert_allclose(jax.grad(lambda x: call(x, A)[2])(X), X / 0.5)


def test_wrong_arguments_are_refused_in_our_words(jax, f):
    call = f.to_jax()
    with pytest.raises(ArgumentError, match="takes 2 arguments, got 1"):
        call(X)
    with pytest.raises(ShapeError, match=r"argument 'x' has shape \(3,\); expected \(..., 2\)"):
        call(np.zeros(3), A)
    with pytest.raises(ShapeError, match="do not broadcast"):
        call(np.zeros((4, 2)), np.zeros((5, 3, 2)))
    with pytest.raises(DtypeError, match="complex128; expected real numbers"):
        call(X * 1j, A)


def test_other_processors_are_refused_in_words(jax, f):
    for platform in ("cuda", "tpu"):
        with pytest.raises(BackendError, match=rf"compiles for {platform}.*to_jax\(traced=True\)"):
            jax.jit(f.to_jax()).trace(X, A).lower(lowering_platforms=(platform,))
    with jax.default_device(jax.devices("cpu")[0]):
        f.to_jax()(X, A)


def test_an_unknown_jax_is_refused_in_words(jax, f, monkeypatch, tmp_path):
    from visviva.machine import jax_calls

    monkeypatch.setattr(jax, "__version_info__", (0, 4, 38))
    with pytest.raises(BackendError, match=r"pip install 'jax>=0.5'; to_jax\(traced=True\)"):
        f.to_jax()
    assert handover.OLDEST_JAX == (0, 5)
    np.testing.assert_allclose(f.to_jax(traced=True)(X, A)[0], f(X, A)[0])
    monkeypatch.undo()
    header = tmp_path / "xla" / "ffi" / "api" / "c_api.h"
    header.parent.mkdir(parents=True)
    header.write_text("#define XLA_FFI_API_MAJOR 1\n")
    monkeypatch.setattr(jax.ffi, "include_dir", lambda: str(tmp_path))
    jax_calls._check_api.cache_clear()
    with pytest.raises(BackendError, match=r"take an older jax; to_jax\(traced=True\)"):
        f.to_jax()
    header.unlink()
    f.to_jax()
    jax_calls._check_api.cache_clear()


def test_call_frames_are_read_where_their_header_says(jax, tmp_path):
    compiler = require("cc", "gcc")
    fields = [(s, k, n) for s, row in xla.OFFSETS.items() for k, n in row.items()]
    lines = [f'printf("%zu\\n", offsetof({s}, {k}));' for s, k, _ in fields]
    lines += [f'printf("%d\\n", (int){name});' for name in xla.VALUES]
    lines += ['printf("%d\\n", XLA_FFI_API_MAJOR);']
    source = '#include <stdio.h>\n#include "xla/ffi/api/c_api.h"\n'
    (tmp_path / "offsets.c").write_text(f"{source}int main() {{ {' '.join(lines)} return 0; }}\n")
    include = f"-I{jax.ffi.include_dir()}"
    subprocess.run([compiler, include, "offsets.c", "-o", "offsets"], cwd=tmp_path, check=True)
    said = subprocess.run([str(tmp_path / "offsets")], capture_output=True, text=True, check=True)
    known = [*(n for *_, n in fields), *xla.VALUES.values(), xla.MAJOR]
    assert [int(x) for x in said.stdout.split()] == known


def test_buffers_of_another_function_are_refused(jax, f):
    """By the machine code itself, whatever calls it."""
    from visviva.machine import jax_calls

    f.to_jax()(X, A)
    shapes = [jax.ShapeDtypeStruct(s, np.float64) for s in f.outputs.values()]
    call = jax.ffi.ffi_call(jax_calls._target(f), shapes)
    np.testing.assert_array_equal(call(X, A)[0], f(X, A)[0])
    doubled = jax.ffi.ffi_call(jax_calls._target(f), [*shapes, shapes[0]])
    for wrong in (
        lambda: call(X),
        lambda: doubled(X, A),
        lambda: call(X, A.astype(np.float32)),
        lambda: call(X.astype(int), A.astype(int)),
        lambda: call(np.zeros((4, 2)), A),
        lambda: call(np.zeros(3), A),
        lambda: call(np.zeros(()), A),
    ):
        with pytest.raises(Exception, match="other arguments than the function takes"):
            jax.block_until_ready(wrong())


def test_no_memory_is_an_error(jax, f, monkeypatch):
    none = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_size_t)(lambda size: None)

    def table(kernel, plain=run_xla._table):
        numbers = plain(kernel)
        numbers[xla.TABLE_FIELDS.index("malloc")] = ctypes.cast(none, ctypes.c_void_p).value
        return numbers

    monkeypatch.setattr(run_xla, "_table", table)
    address = run_xla.custom_call(f.kernel)
    code = jax.ffi.pycapsule(ctypes.CFUNCTYPE(None)(address))
    jax.ffi.register_ffi_target("visviva_without_memory", code, platform="cpu")
    shapes = [jax.ShapeDtypeStruct(s, np.float64) for s in f.outputs.values()]
    with pytest.raises(Exception, match="no memory is left"):
        jax.block_until_ready(jax.ffi.ffi_call("visviva_without_memory", shapes)(X, A))


def test_llvms_own_loader_places_it_too(jax, f, monkeypatch):
    """As where there are no images of ours: macOS, Windows."""
    elsewhere = _WithoutImages(run_xla.host())
    monkeypatch.setattr(run_xla, "host", lambda: elsewhere)
    code = jax.ffi.pycapsule(ctypes.CFUNCTYPE(None)(run_xla.custom_call(f.kernel)))
    jax.ffi.register_ffi_target("visviva_by_llvm", code, platform="cpu")
    shapes = [jax.ShapeDtypeStruct(s, np.float64) for s in f.outputs.values()]
    got = jax.ffi.ffi_call("visviva_by_llvm", shapes)(X, A)
    np.testing.assert_array_equal(got[0], f(X, A)[0])


class _WithoutImages:
    has_images = False

    def __init__(self, cpu):
        self.triple, self.name, self.features = cpu.triple, cpu.name, cpu.features


TWICE = """
import jax, numpy as np, visviva as vv
m = vv.catalog.pendulum(2)
f = m.forward_dynamics
x = np.full((3, 2), 0.5, np.float32)
print(jax.jit(jax.grad(lambda q: f.to_jax()(q, x[1], x[2]).sum()))(x[0]).tolist())
print(f.vjp("q")(*x, np.ones(2)).tolist())
"""


def test_another_process_finds_what_jax_keeps_on_disk(tmp_path):
    """It names the computation, and no address of the process that compiled it."""
    settings = {
        "JAX_COMPILATION_CACHE_DIR": str(tmp_path),
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
        "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
        "JAX_PLATFORMS": "cpu",
    }
    results, files = [], []
    for _ in range(2):
        run = subprocess.run(
            [sys.executable, "-c", TWICE],
            env=importing() | settings,
            capture_output=True,
            text=True,
        )
        assert run.returncode == 0, run.stderr
        results.append([eval(line) for line in run.stdout.splitlines()])
        files.append({x for x in os.listdir(tmp_path) if x.endswith("-cache")})
    assert results[0] == results[1]
    np.testing.assert_allclose(*results[0], rtol=1e-6)
    assert files[0] == files[1]
    assert files[0]
