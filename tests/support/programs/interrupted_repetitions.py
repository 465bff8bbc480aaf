"""Signals during long repetitions: heard while they run, and they can go on afterwards."""

import signal

import numpy as np

import visviva as vv
from visviva.machine.code import batch

batch.WORK = 2_000_000  # so that short repetitions are cut as long ones are
ENDLESS = 10**15  # passes


def ways():
    """Rows and threads: one tile of many passes, many tiles, several threads."""
    yield "one row", 1, 1
    yield "many rows", 30, 1
    yield "threads", 30, 2


def stopped(run, threads, after=0.02):
    """Interrupt what would take years, after some seconds."""
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, after)
    try:
        run.advance(ENDLESS, threads)
    except KeyboardInterrupt:
        return True
    return False


def main():
    rotor = vv.function(
        lambda c, s, n: {"c": s, "s": -c, "n": n + 1.0}, {"c": (), "s": (), "n": ()}, name="rotor"
    )
    loop = vv.Loop(rotor)
    for way, rows, threads in ways():
        angles = np.linspace(0.0, 1.0, rows)
        run = loop.start({"c": np.cos(angles), "s": np.sin(angles), "n": 0.0})
        assert stopped(run, threads), f"{way}: it ran to its end"
        assert stopped(run, threads), f"{way}: the second time it is not heard"
        for after in (0.2, 2.0, 20.0):  # a busy machine may not have begun by now
            if not run.state["n"].any():
                assert stopped(run, threads, after), f"{way}: later on it is not heard"
        now = run.state
        np.testing.assert_array_equal(now["n"], np.repeat(run.tile_pass, run.lanes)[:rows])
        assert now["n"].max() > 0.0, f"{way}: nothing was done"
        quarter = now["n"].astype(int) % 4  # of a turn: every state is a whole number of passes old
        c, s = np.cos(angles), np.sin(angles)
        np.testing.assert_array_equal(now["c"], np.choose(quarter, [c, s, -c, -s]))
        last = int(now["n"].max()) + 3
        run.advance(last, threads)
        assert (run.state["n"] == last).all(), f"{way}: it does not go on"
    print("alive", flush=True)


if __name__ == "__main__":
    main()
