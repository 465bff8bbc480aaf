"""Code for other processors: fewer lanes, no fused multiply-add."""

import platform
import time

import numpy as np
import pytest

import visviva as vv
from benchmarks.chains import shapes, torques
from visviva.machine.code.cpu import Cpu, host
from visviva.machine.run.kernel import compiled, loaded

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


@pytest.mark.parametrize("which", [BASELINE, HASWELL], ids=["baseline", "haswell"])
@pytest.mark.parametrize("rows", [1, 5, 64, 1001])
def test_results_are_the_same(which, rows):
    if which is HASWELL and not (host().has("avx2") and host().has("fma")):
        pytest.skip("this machine cannot run AVX2 code")
    f = vv.function(torques(3), shapes(3))
    kernel = loaded(*compiled(f.program, processor(*which)), time.perf_counter(), False)
    rng = np.random.default_rng(0)
    arrays = [rng.normal(size=(rows, 3)) for _ in range(3)] + [np.empty((rows, 3))]
    kernel.run(arrays, rows)
    np.testing.assert_allclose(arrays[3], f(*arrays[:3]), rtol=1e-12, atol=1e-12)
