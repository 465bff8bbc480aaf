"""A Monte Carlo on a Dask cluster: the same bits as in one process, also when a worker is killed.

The arms of 14_monte_carlo.py, whose masses are known to a few percent, in blocks of a seed each. A
scheduler and two workers are started on this machine by the commands that it prints, which may as
well be pasted into terminals of several machines; `--scheduler tcp://10.0.0.5:8786` uses those. One
worker is killed in the middle: the other one does what is missing.
"""

import argparse
import contextlib
import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

import visviva as vv

try:
    from dask.distributed import Client, as_completed
except ImportError:
    Client = None

ARM = vv.catalog.planar_3r()
GOAL = np.array([0.9, -0.7, 0.4])
STIFFNESS, DAMPING = np.array([400.0, 250.0, 90.0]), np.array([60.0, 30.0, 9.0])


def law(t, q, v):
    """PD control, with the weights of the data sheet added."""
    return ARM.gravity_forces(q) - STIFFNESS * (q - GOAL) - DAMPING * v


def tips(seed, count):
    """Where the tools of so many arms are after two seconds; the seed decides their masses."""
    random = np.random.default_rng(seed)
    sheet = {name: ARM.parameters[name] for name in ("m1", "m2", "m3")}
    masses = {name: m * random.normal(1.0, 0.03, count) for name, m in sheet.items()}
    how = {"tau": vv.Controller(law), "dt": 2e-3, "save": 1000, "method": "semi-implicit"}
    run = ARM.simulate(np.zeros((count, 3)), np.zeros(3), 2.0, parameters=masses, **how)
    return ARM.pose("tool")(run.q[:, -1])[:, :3, 3]


@contextlib.contextmanager
def started(*words):
    """A process of ours, `dask …`, which is ended with us."""
    print(" $ dask", *words)
    process = subprocess.Popen([sys.executable, "-m", "dask", *words], stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def address_in(file, seconds=60):
    """The address that a scheduler has written."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with contextlib.suppress(OSError, ValueError, KeyError):
            return json.loads(file.read_text())["address"]
        time.sleep(0.05)
    raise SystemExit(f"no scheduler has written {file} in {seconds} s")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--arms", type=int, default=100_000)
    parser.add_argument("--blocks", type=int, default=40, help="into which they are cut")
    parser.add_argument("--scheduler", help="the address of one that is there")
    parser.add_argument("--quick", action="store_true", help="600 arms in 12 blocks")
    options = parser.parse_args()
    if options.quick:
        options.arms, options.blocks = 600, 12
    if Client is None:
        print('this example needs Dask: pip install "visviva[cluster]"')
        return
    work = range(options.blocks), [options.arms // options.blocks] * options.blocks

    with contextlib.ExitStack() as stack:
        victim, address = None, options.scheduler
        if address is None:
            file = Path("scheduler.json").resolve()
            file.unlink(missing_ok=True)
            here = ["--host", "127.0.0.1", "--dashboard-address", "127.0.0.1:0"]
            free = ["--port", "0", "--scheduler-file", str(file), "--idle-timeout", "60"]
            stack.enter_context(started("scheduler", *here, *free))
            address = address_in(file)
            alone = ["--nthreads", "1", "--no-nanny", "--death-timeout", "60"]
            victim, _ = (
                stack.enter_context(started("worker", address, *here, *alone)) for _ in "12"
            )
        client = stack.enter_context(Client(address, timeout=60))
        client.wait_for_workers(2, timeout=60)

        one = np.concatenate(list(map(tips, *work)))
        print(f"{len(one)} arms in one process: {np.std(one, axis=0).max() * 1000:.3f} mm")
        many = np.concatenate(client.gather(client.map(tips, *work, pure=False)))
        print("by the workers: the same to the bit:", np.array_equal(one, many))
        assert np.array_equal(one, many)
        if victim is None:
            return

        futures = client.map(tips, *work, pure=False)
        done = as_completed(futures)
        for _ in range(options.blocks // 4):
            next(done)
        left = sum(future.status != "finished" for future in futures)
        victim.kill()
        many = np.concatenate(client.gather(futures))
        same = np.array_equal(one, many)
        print(f"one worker killed, {left} blocks left to do: the same to the bit:", same)
        assert same


if __name__ == "__main__":
    main()
