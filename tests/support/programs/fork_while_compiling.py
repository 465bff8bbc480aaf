"""Fork again and again while another thread compiles; every child must be able to compile too."""

import os
import threading

import numpy as np

import visviva as vv


def compile_until(stop, started):
    k = 0
    while not stop.is_set():
        k += 1
        f = vv.function(lambda x, k=k: vv.generic.sin(x) * (k + 0.5), {"x": 3})
        started.set()
        f(np.ones(3))


def check_in_child(f):
    assert f(np.array([1.0, 2.0])).tolist() == [2.0, 3.0]
    fresh = vv.function(lambda x: x * 7.0, {"x": 2})
    assert fresh([1.0, 2.0]).tolist() == [7.0, 14.0]
    assert f(np.ones((5000, 2)), threads=2).shape == (5000, 2)


def main(forks=20):
    f = vv.function(lambda x: x + 1.0, {"x": 2})
    f([1.0, 2.0])
    stop, started = threading.Event(), threading.Event()
    thread = threading.Thread(target=compile_until, args=(stop, started))
    thread.start()
    started.wait()
    failures = 0
    for _ in range(forks):
        child = os.fork()
        if child == 0:
            try:
                check_in_child(f)
                os._exit(0)
            except BaseException:
                os._exit(1)
        _, status = os.waitpid(child, 0)
        failures += os.waitstatus_to_exitcode(status) != 0
    stop.set()
    thread.join()
    raise SystemExit(failures)


if __name__ == "__main__":
    main()
