"""Simulates long runs that are recorded; killed from outside, the next one goes on."""

import os
import sys
import tempfile

import numpy as np

import visviva as vv
from visviva.motion.simulation import integrate, recording, stiff

ARM = vv.catalog.two_link()
LINKAGE = vv.catalog.four_bar()
BODY = vv.catalog.tumbling_body()
MANY = np.random.default_rng(3).uniform(-1, 1, (9, 2))
PID = vv.Controller(
    lambda t, q, v, x: -9 * q - 2 * v - 3 * x,
    start=(0.0, 0.0),
    rate=lambda t, q, v, x: q,
    period=0.05,
)
CLOSED = LINKAGE.assembled()
TURNS = LINKAGE.admitted_velocity(CLOSED, [6.0, 0.0, 0.0])


def shorter_blocks(numbers=200):
    """Blocks of so many numbers, however fast the machine is: a short run has many of them."""
    recording.PAUSE, recording.FIRST, recording.NUMBERS = 1e9, 16, numbers
    integrate.WAITING, stiff.STEPS_OF_A_BLOCK = 0, 32


RUNS = {  # at full length
    "adaptive": lambda n, **how: ARM.simulate([0.3, 0], [0, 0], 40 * n, method="dop853", **how),
    "batch": lambda n, **how: ARM.simulate(MANY, [0, 0], 4.0 * n, **how),
    "sampled": lambda n, **how: ARM.simulate([0.3, 0], [0, 0], 6.0 * n, tau=PID, **how),
    "fixed": lambda n, **how: ARM.simulate(
        MANY, [0, 0], 5.0 * n, dt=1e-3, save=10, tau=PID, threads=2, **how
    ),
    "variational": lambda n, **how: BODY.simulate(
        [0, 0, 0, 1.0], [0.01, 3, 0.01], 20.0 * n, dt=1e-2, save=4, method="variational", **how
    ),
    "constrained": lambda n, **how: LINKAGE.simulate(CLOSED, TURNS, 2.0 * n, dt=2e-3, **how),
}


def lives(name, length, path):
    """A process for every line of input, which knows all code already: its number is printed, and
    behind a second line how it ended, as subprocess.Popen.returncode says it."""
    while sys.stdin.readline():
        child = os.fork()
        if not child:
            RUNS[name](length, record=path)
            os._exit(0)
        print(child, flush=True)
        sys.stdin.readline()
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


if __name__ == "__main__":
    shorter_blocks(1000)
    name, length, path, *several = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:  # compiles what is no part of the cache
        RUNS[name](0.1, record=f"{folder}/short")
    if several:
        lives(name, int(length), path)
    else:
        RUNS[name](int(length), record=path)
