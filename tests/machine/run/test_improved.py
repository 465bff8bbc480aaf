"""Large programs run quickly compiled code until the better one is there: the same bits."""

import gc
import os
import subprocess
import sys
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import numpy as np
import pytest

import visviva as vv
from tests.support.counts import count
from visviva.machine.run import jit, kernel, sharing

SECONDS = 60.0  # to wait for a thread; what takes longer has died
MOST_CALLS = 10**7  # until better code is there


@pytest.fixture(autouse=True)
def _new_code(monkeypatch, tmp_path):
    """Programs of these tests are large, and no folder has them."""
    monkeypatch.setenv("VISVIVA_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(kernel, "QUICK", 50)


def long_sum(factor, n=200):
    def body(x):
        total = x[0]
        for k in range(n):
            total = vv.generic.sin(total + factor * k) + x[1] * total
        return total

    return vv.function(body, {"x": 2})


@pytest.fixture
def blocked():
    """The thread that compiles beside waits until it is let go."""
    begun, let = Event(), Event()
    sharing.run_beside(lambda: begun.set() or let.wait())
    assert begun.wait(SECONDS)
    yield let
    let.set()


def finished():
    """All that was to be done beside is done."""
    for thread in threading.enumerate():
        if thread.name == "visviva beside":
            thread.join(SECONDS)


def test_better_code_takes_the_place_of_quick_code_and_gives_the_same_bits(blocked):
    f, rows = long_sum(1.5), np.random.default_rng(0).normal(size=(37, 2))
    before, quick = f(rows).tobytes(), f.kernel
    one, careful = f(rows[0]).tobytes(), f(list(rows[0])).tobytes()
    kind = type(f)
    blocked.set()
    finished()
    assert f.kernel is not quick
    assert f(rows).tobytes() == before
    assert one == careful == f(rows[0]).tobytes() == f([*rows[0]]).tobytes()
    assert type(f).__mro__[1:] == kind.__mro__[1:]  # one class of its own, not two
    assert f.compile_seconds == quick.seconds


def test_the_folder_has_the_better_code_alone(blocked):
    f = long_sum(2.5)
    f([0.1, 0.2])
    assert kernel.cached_kernel(f._name, f._inputs, f._drivers) is None
    blocked.set()
    finished()
    again = long_sum(2.5)
    again([0.1, 0.2])
    assert again.kernel.from_cache


def test_loops_go_on_with_the_better_code(blocked):
    """Also one that has begun, and those that wait to be used again."""
    loop = vv.Loop(vv.function(_swing, {"x": 2}, name="swing"))
    start = {"x": np.random.default_rng(1).normal(size=(5, 2))}
    run = loop.start(start)
    run.advance(10)
    first, quick = loop(start, times=20).state["x"], loop.function.kernel
    blocked.set()
    finished()
    assert loop.function.kernel is not quick
    run.advance(20)
    assert run.state["x"].tobytes() == first.tobytes() == loop(start, times=20).state["x"].tobytes()


def _swing(x):
    for k in range(100):
        x = np.array([x[1] + 0.01 * k, -vv.generic.sin(x[0]) * 0.5])
    return x


def test_what_is_gone_needs_no_better_code(blocked):
    f = long_sum(3.5)
    f([0.1, 0.2])
    code = weakref.ref(f.kernel.code.token)
    gone = weakref.ref(f)
    del f
    gc.collect()
    assert gone() is None
    assert code() is None
    blocked.set()
    finished()  # and is kept all the same
    again = long_sum(3.5)
    again([0.1, 0.2])
    assert again.kernel.from_cache


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.filterwarnings("ignore:os.fork:RuntimeWarning")  # of JAX, where it is loaded
def test_a_child_has_code_though_the_thread_stayed_behind(blocked):
    f = long_sum(4.5)
    right = float(f([0.1, 0.2]))
    child = os.fork()
    if not child:
        other = long_sum(5.5)  # its better code has a thread of the child
        good = float(f([0.1, 0.2])) == right and np.isfinite(other([0.1, 0.2]))
        quick = other.kernel
        finished()
        os._exit(0 if good and other.kernel is not quick else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


SCRIPT = """
import numpy as np, visviva as vv
from visviva.machine.run import kernel
kernel.QUICK = 50
def body(x):
    for k in range(400):
        x = vv.generic.sin(x + k)
    return x
f = vv.function(body, {"x": ()})
f(0.5)
print(f.kernel.from_cache)
"""


def test_a_process_ends_when_its_code_is_kept(tmp_path):
    """A script that ends sooner than its better code is there leaves it to the next."""
    run = [sys.executable, "-c", SCRIPT]
    said = [subprocess.run(run, capture_output=True, text=True, check=True) for _ in range(2)]
    assert [x.stdout.strip() for x in said] == ["False", "True"]
    assert [x.stderr for x in said] == ["", ""]


@pytest.mark.soak
def test_calls_beside_the_change():
    """Threads that call while code is exchanged get what they got before."""
    x = np.array([0.3, -0.2])
    for k in range(count(3, 100)):
        f = long_sum(k + 0.25, 60)
        right = float(f(x))
        quick = f.kernel
        with ThreadPoolExecutor(4) as pool:

            def call(f=f, quick=quick, right=right):
                for _ in range(MOST_CALLS):
                    assert float(f(x)) == right
                    if f.kernel is not quick:
                        break
                return float(f(x)) == right

            assert all(pool.map(lambda _, call=call: call(), range(4)))
        assert f.kernel is not quick


def test_small_programs_are_compiled_once(monkeypatch):
    monkeypatch.setattr(kernel, "QUICK", 10**6)
    f = long_sum(6.5)
    f([0.1, 0.2])
    code = f.kernel
    finished()
    assert f.kernel is code
    assert jit.LEVEL == 1


def test_code_by_address_is_the_better_one_at_once(blocked):
    """Whoever holds an address goes on with what stands there."""
    f, x, y = long_sum(7.5), np.array([0.1, 0.2]), np.zeros(1)
    before = float(f(x))
    address = f.address
    f.ctypes(*map(np.ctypeslib.as_ctypes, (x, y)))
    assert y[0] == before
    blocked.set()
    finished()
    assert f.address == address
    f.ctypes(*map(np.ctypeslib.as_ctypes, (x, y)))
    assert y[0] == before
