"""A computed-torque controller as C: generated, compiled, called, compared and timed.

The controller is stated over the inverse dynamics of a Puma 560, and becomes one C function that
needs nothing but math.h. The system's C compiler builds it; without one, the source is written all
the same.
"""

import argparse
import ctypes
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

import visviva as vv

STIFFNESS, DAMPING = 100.0, 20.0  # of the error: both its roots are at -10 per second
STEP = 1e-3
COMPILERS = ("cc", "gcc", "clang")

LOOP = """
void computed_torque_loop(long n, const double *q, const double *v, const double *q_wanted,
                          const double *v_wanted, const double *a_wanted, double *tau)
{{
    for (long i = 0; i < n * {size}; i += {size})
        computed_torque(q + i, v + i, q_wanted + i, v_wanted + i, a_wanted + i, tau + i);
}}
"""


def controller(arm):
    """τ that makes the error obey ë + 20 ė + 100 e = 0, if the model is right."""

    def computed_torque(q, v, q_wanted, v_wanted, a_wanted):
        a = a_wanted + DAMPING * (v_wanted - v) + STIFFNESS * (q_wanted - q)
        return {"tau": arm.inverse_dynamics(q, v, a)}

    names = ("q", "v", "q_wanted", "v_wanted", "a_wanted")
    return vv.function(computed_torque, dict.fromkeys(names, arm.nv))


def built(source, library):
    """The compiled library, or None where there is no compiler."""
    compiler = next((path for path in map(shutil.which, COMPILERS) if path), None)
    if compiler is None:
        return None
    command = [compiler, "-O2", "-fPIC", "-shared", str(source), "-o", str(library), "-lm"]
    print(" ".join([Path(compiler).name, *command[1:]]))
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"the C compiler failed:\n{done.stderr}")
    return ctypes.CDLL(str(library.resolve()))


def pointers(*arrays):
    """Arrays as C sees them."""
    return [x.ctypes.data_as(ctypes.POINTER(ctypes.c_double)) for x in arrays]


def tracked(arm, control, seconds=1.0):
    """The largest error along a wave, from the moment that the first one should have died out."""
    q, v = np.full(arm.nv, 0.2), np.zeros(arm.nv)
    worst = 0.0
    for k in range(round(seconds / STEP)):
        t = k * STEP
        wave = 0.5 * np.sin(2 * t), np.cos(2 * t), -2 * np.sin(2 * t)
        wanted = [np.full(arm.nv, x) for x in wave]
        v = v + STEP * arm.forward_dynamics(q, v, control(q, v, *wanted))
        q = q + STEP * v
        if t > 0.8 * seconds:
            worst = max(worst, float(np.abs(q - wanted[0]).max()))
    return worst


def best(run, count, repeats=5):
    """Nanoseconds for each of `count` evaluations, in the fastest of several runs."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times) / count * 1e9


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer states")
    parser.add_argument("--out", type=Path, default=Path("study"), help="folder for the C file")
    options = parser.parse_args()
    count = 20_000 if options.quick else 200_000

    arm = vv.catalog.puma560()
    f = controller(arm)
    options.out.mkdir(parents=True, exist_ok=True)
    source = options.out / "computed_torque.c"
    text = f.c_source("computed_torque")
    source.write_text(text + LOOP.format(size=arm.nv), encoding="utf-8")
    print(f"{source}: {len(text.splitlines())} lines, {f.operations}")
    print(text.splitlines()[3], end="\n\n")

    library = built(source, options.out / "computed_torque.so")
    if library is None:
        print(f"no C compiler was found (looked for {', '.join(COMPILERS)}): the source is all")
        return
    single, loop = library.computed_torque, library.computed_torque_loop

    rng = np.random.default_rng(0)
    states = [rng.uniform(-1.0, 1.0, (count, arm.nv)) for _ in f.inputs]
    ours, theirs = f(*states), np.empty((count, arm.nv))
    arguments = (ctypes.c_long(count), *pointers(*states, theirs))
    loop(*arguments)
    error = np.abs(ours - theirs).max() / np.abs(ours).max()
    print(f"{count} states, C against ours: largest difference {error:.1e} of the largest torque")
    assert error < 1e-13

    def in_c(*state):
        tau = np.empty(arm.nv)
        single(*pointers(*state, tau))
        return tau

    worst = tracked(arm, in_c)
    print(f"the arm under the C controller, starting 0.2 rad off: at the end {worst:.4f} rad off")
    assert worst < 0.01

    row = [x[0] for x in states]
    rounds = {
        "C, state by state in a C loop": (lambda: loop(*arguments), count),
        "ours, all states in one call": (lambda: f(*states, out=ours), count),
        "ours, one call a state from Python": (lambda: [f(*row) for _ in range(5000)], 5000),
    }
    print("\nnanoseconds a state, on this machine:")
    for what, (run, evaluations) in rounds.items():
        print(f"  {what:36}{best(run, evaluations):8.1f}")


if __name__ == "__main__":
    main()
