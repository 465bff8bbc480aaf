"""Joint torques of a UR5 at a million states in one call, and what one state costs.

    python examples/06_million_torques.py                  # a UR5, if example-robot-data is there
    python examples/06_million_torques.py my_robot.urdf

Without that package (`pip install example-robot-data`) or a file, it is the Puma 560 of the
catalog. All times are those of the machine it runs on.
"""

import argparse
import os
import time
from importlib import metadata
from pathlib import Path

import numpy as np

import visviva as vv

REPEATS = 5


def ur5():
    """A UR5 from the package example-robot-data, or else a Puma 560."""
    try:
        files = metadata.files("example-robot-data") or []
    except metadata.PackageNotFoundError:
        files = []
    for file in files:
        if file.name == "ur5_robot.urdf":
            return vv.load(file.locate())
    print("pip install example-robot-data for a UR5; meanwhile:")
    return vv.catalog.puma560()


def best(run):
    """Seconds of the fastest of several runs."""
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("urdf", type=Path, nargs="?", help="another robot")
    parser.add_argument("--quick", action="store_true", help="fewer states")
    options = parser.parse_args()
    count = 50_000 if options.quick else 1_000_000

    arm = vv.load(options.urdf) if options.urdf else ur5()
    if arm.nq != arm.nv:
        parser.error("positions drawn entry by entry need joints with one number each")
    print(arm, end="\n\n")
    torque = arm.inverse_dynamics
    done = "loaded from the cache" if torque.kernel.from_cache else "compiled"
    print(f"inverse dynamics: {torque.operations}; {done} in {torque.compile_seconds:.2f} s")

    rng = np.random.default_rng(0)
    q = rng.uniform(np.maximum(arm.lower, -np.pi), np.minimum(arm.upper, np.pi), (count, arm.nq))
    v, a = rng.normal(size=(2, count, arm.nv))
    tau = np.empty((count, arm.nv))
    torque(q, v, a, out=tau)  # the first touch of new memory is not ours to measure

    print(f"\n{count} states, best of {REPEATS} runs:")
    for threads in sorted({1, os.cpu_count() or 1}):
        seconds = best(lambda threads=threads: torque(q, v, a, out=tau, threads=threads))
        each = seconds / count * 1e9
        print(f"  {threads} thread(s): {seconds * 1e3:7.1f} ms, {each:6.1f} ns a state")

    few = list(zip(q[:2000], v[:2000], a[:2000], strict=True))
    seconds = best(lambda: [torque(*state) for state in few])
    each = seconds / len(few) * 1e9
    print(f"  one call a state:        {each:6.0f}   ns, with the loop in Python")

    # Two checks: single calls give the same bits, and forward dynamics gives back what went in.
    assert all(np.array_equal(torque(*state), row) for state, row in zip(few, tau, strict=False))
    error = np.abs(arm.forward_dynamics(q, v, tau) - a).max()
    print(f"\nforward dynamics of all torques returns the accelerations within {error:.1e}")
    assert error < 1e-6


if __name__ == "__main__":
    main()
