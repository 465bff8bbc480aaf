"""Signals during huge batches: heard while they run, and whatever the handler does is safe.

A handler that is called only once the whole batch is done has been called once, however long the
batch; so batches grow until it was called several times during one.
"""

import gc
import signal
import time

import numpy as np

import visviva as vv
from visviva.machine.code import batch

batch.WORK = 2_000_000  # so that small batches are cut as huge ones are
LARGEST = 2**24  # rows


def roads():
    """The ways into a batch, as functions of (x, out)."""
    f = vv.function(lambda x: vv.generic.exp(vv.generic.tan(x)), {"x": 2})
    f(np.ones((4, 2)))
    yield "fast", lambda x, out: f(x)
    yield "careful", lambda x, out: f(x, out=out)
    yield "threads", lambda x, out: f(x, out=out, threads=2)


def long_enough(f, road):
    """Rows of a batch in which signals were heard again and again."""
    heard, rows = [], 2**12
    signal.signal(signal.SIGALRM, lambda *_: heard.append(1))
    while len(heard) < 4:
        rows *= 2
        assert rows <= LARGEST, f"{road}: no signal is heard during a batch"
        x, out = np.ones((rows, 2)), np.empty((rows, 2))
        heard.clear()
        signal.setitimer(signal.ITIMER_REAL, 0.002, 0.002)
        f(x, out)
        signal.setitimer(signal.ITIMER_REAL, 0, 0)
    return 4 * rows


def stopped(f, rows):
    """Interrupt a batch, free its arrays at once, and use the function again; rows left undone."""
    x, out = np.ones((rows, 2)), np.full((rows, 2), np.nan)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.005)
        f(x, out)
        time.sleep(10)  # too fast: the interrupt comes here
    except KeyboardInterrupt:
        pass
    left = np.isnan(out).sum()
    del x, out
    gc.collect()
    assert f(np.zeros((2, 2)), np.empty((2, 2))).tolist() == [[1.0, 1.0], [1.0, 1.0]]
    return left


def main():
    for road, f in roads():
        rows = long_enough(f, road)
        signal.signal(signal.SIGALRM, signal.default_int_handler)
        left = [stopped(f, rows) for _ in range(5)]
        assert road == "fast" or any(left), f"{road}: an interrupted batch runs to its end"
    print("alive", flush=True)


if __name__ == "__main__":
    main()
