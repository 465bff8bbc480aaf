"""Interrupt first calls at random moments; afterwards every function works; argv: repeats."""

import gc
import os
import random
import signal
import sys
import threading
import time

import numpy as np

import visviva as vv


def main(repeats):
    rng = random.Random(0)
    heard = 0
    functions = []
    stop, armed, fire = threading.Event(), threading.Event(), threading.Event()

    def shoot():
        while not stop.is_set():
            if armed.wait(0.1):
                armed.clear()
                time.sleep(rng.uniform(0, 0.015))
                os.kill(os.getpid(), signal.SIGINT)
                fire.set()

    thread = threading.Thread(target=shoot)
    thread.start()
    for k in range(repeats):
        f = vv.function(lambda x, k=k: vv.generic.sin(x) * (k + 1.5), {"x": 3})
        functions.append(f)
        try:
            fire.clear()
            armed.set()
            f(np.zeros(3))
            gc.collect()
            while not fire.is_set():  # the shot that was too late comes here
                time.sleep(0.001)
            time.sleep(0.001)
        except KeyboardInterrupt:
            heard += 1
        try:
            fire.wait()
        except KeyboardInterrupt:
            heard += 1
        assert f(np.full(3, np.pi / 2)).tolist() == [k + 1.5] * 3
        if k % 3 == 0:
            functions.clear()
    stop.set()
    thread.join()
    assert heard == repeats, heard
    print("alive", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]))
