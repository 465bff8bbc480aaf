"""`python -m benchmarks.first_calls "its name"`: what a large function costs from ask to result.

It prints seconds of processor time, compiled in a fresh process without a cache. The model is
loaded and LLVM is running before; what is compiled beside, for later, is not waited for.
"""

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import visviva as vv
from benchmarks.robots import SOLO, TALOS, Robot

FEET = ("FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT")


def _free(robot: Robot) -> vv.Model:
    return vv.load(robot.path, mimic="expand", base="free").without_dissipation()


def _on_its_feet() -> vv.Model:
    model = _free(SOLO)
    for foot in FEET:
        model = model.with_loop(foot, "world", "spherical")
    return model


def _first(f: vv.Function) -> None:
    rng = np.random.default_rng(0)
    values = [rng.normal(size=shape) for shape in f.inputs.values()]
    f(*values, checked=False)


def _move(model: vv.Model, **how: float) -> None:
    model.simulate(model.neutral(), np.zeros(model.nv), 0.01, **how)


Case = tuple[Callable[[], vv.Model], Callable[[vv.Model], object]]
CASES: dict[str, Case] = {
    "∂(forward dynamics), Talos, free base": (
        lambda: _free(TALOS),
        lambda m: _first(m.forward_dynamics.jacobian("q", "v")),
    ),
    "∂(inverse dynamics), Talos": (
        TALOS.load,
        lambda m: _first(m.inverse_dynamics.jacobian("q", "v")),
    ),
    "∂(forward dynamics), Solo12, feet held": (
        _on_its_feet,
        lambda m: _first(m.forward_dynamics.jacobian("q", "v")),
    ),
    "∂λ, Solo12, feet held": (_on_its_feet, lambda m: _first(m.multipliers.jacobian("q", "v"))),
    "simulate, Talos, free base": (lambda: _free(TALOS), _move),
    "simulate(dt=), Talos, free base": (lambda: _free(TALOS), lambda m: _move(m, dt=1e-3)),
}


def main(name: str) -> None:
    load, call = CASES[name]
    _ = vv.function(lambda x: vv.generic.sin(x) * 2.0, {"x": 1})([1.0])  # LLVM starts up
    model = load()
    start = time.process_time()
    call(model)
    print(time.process_time() - start, flush=True)
    os._exit(0)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        empty = Path(folder) / "cache"
        os.environ["VISVIVA_CACHE"] = str(empty)
        main(*sys.argv[1:])
