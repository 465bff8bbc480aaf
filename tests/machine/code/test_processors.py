"""Code for other processors: fewer lanes, no fused multiply-add."""

import platform
import time

import numpy as np
import pytest

import visviva as vv
from benchmarks.chains import shapes, torques
from visviva.machine.code.cpu import Cpu, host
from visviva.machine.run.kernel import compile_program, load_kernel

pytestmark = pytest.mark.skipif(
    platform.machine() not in ("x86_64", "AMD64"), reason="the processors below are x86"
)

BASELINE = ("x86-64", "+sse2,-avx,-avx2,-fma,-avx512f")
HASWELL = ("haswell", "+sse2,+avx,+avx2,+fma,-avx512f")


def processor(name, features):
    return Cpu(host().triple, name, features)


def test_lanes_follow_the_features():
    assert processor(*BASELINE).lanes == 2
    assert not processor(*BASELINE).has_fma
    assert processor(*HASWELL).lanes == 4
    assert processor(*HASWELL).has_fma
    assert processor("skylake-avx512", "+avx,+fma,+avx512f").lanes == 8


@pytest.mark.spread(4)
@pytest.mark.parametrize("which", [BASELINE, HASWELL], ids=["baseline", "haswell"])
@pytest.mark.parametrize("rows", [1, 5, 64, 1001])
def test_results_are_the_same(which, rows):
    if which is HASWELL and not (host().has("avx2") and host().has("fma")):
        pytest.skip("this machine cannot run AVX2 code")
    f = vv.function(torques(3), shapes(3))
    kernel = load_kernel(*compile_program(f.program, processor(*which)), time.perf_counter(), False)
    rng = np.random.default_rng(0)
    arrays = [rng.normal(size=(rows, 3)) for _ in range(3)] + [np.empty((rows, 3))]
    kernel.run(arrays, rows)
    np.testing.assert_allclose(arrays[3], f(*arrays[:3]), rtol=1e-12, atol=1e-12)


@pytest.mark.spread(2)
@pytest.mark.skipif(not (host().has("avx2") and host().has("fma")), reason="for AVX2 code")
@pytest.mark.parametrize(("lanes", "spread"), [(2, False), (4, False), (8, True), (8, False)])
def test_a_kernel_of_any_width_gives_the_same_bits(monkeypatch, lanes, spread):
    """Which products are part of sums is no matter of LLVM's, nor where constants are."""
    f = vv.function(torques(3), shapes(3))
    rng = np.random.default_rng(1)
    arrays = [rng.normal(size=(101, 3)) for _ in range(3)]
    results = []
    for _ in range(2):
        out = [*arrays, np.empty((101, 3))]
        kernel = load_kernel(
            *compile_program(f.program, processor(*HASWELL)), time.perf_counter(), False
        )
        kernel.run(out, 101)
        results.append(out[3])
        monkeypatch.setattr(Cpu, "lanes", lanes)
        monkeypatch.setattr(Cpu, "spreads_constants", spread)
    np.testing.assert_array_equal(*results)
