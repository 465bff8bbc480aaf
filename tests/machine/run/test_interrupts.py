"""Long compilations and huge batches: they say what they do, and Ctrl-C is answered."""

import io
import os
import re
import signal
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

import visviva as vv
from tests.support.programs import interrupted_batches
from visviva import progress
from visviva.machine.code import module
from visviva.machine.code.cpu import Cpu, host
from visviva.machine.program.blocks import split
from visviva.machine.run.kernel import compile_program, load_kernel

OPERATIONS = 12_000
llvm = SimpleNamespace(module_texts=lambda program, cpu: module.module_texts(split(program), cpu))


def long_sum(x):
    """Some thousand operations that depend on each other, elementary functions among them."""
    y = list(x)
    for k in range(OPERATIONS // 40):
        y = [y[(i + 1) % 10] * (0.25 / (k + i + 1)) - y[i] * 0.5 + x[i] for i in range(10)]
        if k % 100 == 0:
            y = [vv.generic.sin(a) for a in y]
    return y


@pytest.fixture(scope="module")
def long():
    return vv.function(long_sum, {"x": 10})


def test_a_huge_batch_is_interrupted_while_it_runs():
    """In a process of its own: its main thread gets the signals."""
    if not hasattr(signal, "setitimer"):
        pytest.skip("this platform has no timers")
    environment = os.environ | {"VISVIVA_CACHE": "off"}
    command = [sys.executable, interrupted_batches.__file__]
    run = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert (run.returncode, run.stdout) == (0, "alive\n"), run.stderr


def test_a_long_compilation_is_made_of_short_ones(long):
    """LLVM hears nothing while it compiles a module, so no module is large."""
    texts = llvm.module_texts(long.program, host())
    assert len(texts) > 3
    for text in texts:
        assert sum("@vv.block" in line for line in text.splitlines() if "define" in line) <= 2
    short = vv.function(lambda x: x * 2.0, {"x": 3})
    (text,) = llvm.module_texts(short.program, host())
    functions = module.function_texts(split(short.program), host())
    defined = [set(re.findall(r"^define .*(@vv[\w.]*)\(", x, re.M)) for x in (text, *functions)]
    whole = re.findall(r"^define .*(@vv[\w.]*)\(", short.llvm_ir, re.M)
    assert set().union(*defined) == set(whole)
    assert sum(map(len, defined)) == len(whole)  # each in one place


@pytest.mark.spread(1)
@pytest.mark.parametrize("images", [True, False], ids=["ours", "LLVM's"])
def test_modules_that_call_each_other_compute_the_same(long, images, monkeypatch):
    """By our own loader; LLVM's gets one module."""
    if not images:
        monkeypatch.setattr(Cpu, "has_images", False)
    description, code = compile_program(long.program, host())
    assert ("places" in description) == (images and host().has_images)
    kernel = load_kernel(description, code, 0.0, False)
    x = np.random.default_rng(0).normal(size=(13, 10)) / 100
    y = np.empty((13, 10))
    kernel.run([x, y], 13)
    want = [long.interpret(row).astype(float) for row in x]
    np.testing.assert_allclose(y, want, rtol=1e-12)


def test_a_long_compilation_says_how_far_it_is(monkeypatch):
    screen = io.StringIO()
    monkeypatch.setattr(progress, "sys", SimpleNamespace(stderr=screen))
    monkeypatch.delenv("VISVIVA_PROGRESS", raising=False)
    monkeypatch.setenv("VISVIVA_CACHE", "off")
    for name in ("PATIENCE", "IN_PLACE", "IN_LINES"):
        monkeypatch.setattr(progress, name, 0.001)
    f = vv.function(long_sum, {"x": 10}, name="long_sum")
    f(np.zeros(10))
    said = screen.getvalue()
    assert "visviva: tracing long_sum (" in said
    assert f"visviva: compiling {len(f.program.code)} operations: " in said
    assert f" of {len(llvm.module_texts(f.program, host()))} (" in said


def test_no_columns_of_any_number_of_rows():
    """Nothing to compute is done at once, also a million million times."""
    f = vv.function(lambda x: x * 2.0, {"x": 0})
    for rows in (0, 1, 10**12, 10**18):
        assert f(np.zeros((rows, 0))).shape == (rows, 0)
        assert f(x=np.zeros((rows, 0)), threads=2).shape == (rows, 0)
    g = vv.function(lambda x, y: {"a": x, "b": x * 3.0}, {"x": 0, "y": ()})
    assert g(np.zeros((10**18, 0)), 1.0)[1].shape == (10**18, 0)


def test_more_rows_than_memory_are_an_error():
    f = vv.function(lambda x: np.ones(3), {"x": 0})
    with pytest.raises((MemoryError, ValueError)):
        f(np.zeros((10**18, 0)))
