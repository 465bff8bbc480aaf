"""Interrupt a threaded call, free its arrays at once, and stay alive."""

import gc
import os
import signal
import threading
import time

import numpy as np

import visviva as vv


def main():
    f = vv.function(lambda x: vv.generic.exp(vv.generic.tan(x)), {"x": 8})
    f(np.ones((4, 8)))
    for _ in range(3):
        x = np.ones((400_000, 8)) * np.linspace(0, 1, 400_000)[:, None]
        try:
            threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
            f(x, threads=2)
            while True:  # too fast: the interrupt comes here
                time.sleep(0.5)
        except KeyboardInterrupt:
            pass
        del x
        gc.collect()
        np.ones((400_000, 8))


if __name__ == "__main__":
    main()
