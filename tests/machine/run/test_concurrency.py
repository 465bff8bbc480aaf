"""Threads and forks."""

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import visviva as vv
from benchmarks.chains import shapes, torques
from tests.support.counts import count
from tests.support.programs import fork_while_compiling


@pytest.mark.soak
def test_eight_threads_call_one_function():
    f = vv.function(torques(4), shapes(4))
    rng = np.random.default_rng(0)
    states = rng.normal(size=(8, 3, 50, 4))
    wanted = [f(*s) for s in states]
    end = time.monotonic() + count(1, 10)
    calls, wrong = [0] * 8, []

    def work(k):
        while not calls[k] or time.monotonic() < end:
            row = calls[k] % 50
            single = f(*states[k][:, row])
            batch = f(*states[k])
            calls[k] += 1
            if not (np.array_equal(single, wanted[k][row]) and np.array_equal(batch, wanted[k])):
                wrong.append((k, row))

    pool = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in pool:
        thread.start()
    for thread in pool:
        thread.join()
    assert not wrong
    assert min(calls) > 0


@pytest.mark.spread(0)
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform does not fork")
def test_a_fork_may_happen_while_another_thread_compiles():
    """In a process of its own: other libraries of the tests do not survive a fork."""
    script = Path(fork_while_compiling.__file__)
    environment = os.environ | {"VISVIVA_CACHE": "off"}
    run = subprocess.run([sys.executable, script], env=environment, timeout=600)
    assert run.returncode == 0
