"""What it takes to get a robot's functions: traced and compiled, and from the disk cache."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import process_time

import numpy as np

from benchmarks.harness import Row, benchmark, best, share
from benchmarks.robots import (
    CHAINS,
    D_FORWARD,
    D_INVERSE,
    FORWARD,
    INVERSE,
    MASS,
    SOLO,
    TALOS,
    UR5,
    VERBS,
)
from benchmarks.stepping import LOOP

COLD, COLD_TALOS, COLD_TALOS_DERIVATIVES, CACHED = 0.5, 2.0, 10.0, 0.05  # seconds
CEILINGS = {  # seconds of processor time, by the names of `first_calls`
    "∂(forward dynamics), Talos, free base": 4.0,
    "∂(inverse dynamics), Talos": 1.2,
    "∂(forward dynamics), Solo12, feet held": 2.0,
    "∂λ, Solo12, feet held": 2.5,
    "simulate, Talos, free base": 3.0,
    "simulate(dt=), Talos, free base": 4.0,
}
ROOT = Path(__file__).parent.parent
LONG = {INVERSE: 5.0, MASS: 20.0, FORWARD: 8.0}  # for a chain of 100


@benchmark
def dynamics_first_use() -> Iterator[Row]:
    """From asking for a function to its first result, in a fresh process."""
    for robot in (UR5, SOLO, TALOS):
        cold, cached = [], []
        for _ in range(1 if robot is TALOS else 2):
            with tempfile.TemporaryDirectory() as cache:
                cold.append(_seconds(robot.name, cache, from_cache=False))
                cached += [_seconds(robot.name, cache, from_cache=True) for _ in range(3)]
        for verb in VERBS:
            limit = COLD if robot is not TALOS else COLD_TALOS
            if robot is TALOS and verb in (D_INVERSE, D_FORWARD):
                limit = COLD_TALOS_DERIVATIVES
            for how, runs, wanted in (
                ("compiled", cold, limit),
                ("from the cache", cached, CACHED),
            ):
                shortest = min(run[verb] for run in runs)
                what = f"{verb}, {robot.name}, {how}"
                yield Row(what, shortest, "", None, shortest, "seconds", f"<= {wanted}")


@benchmark
def long_chains_first_use() -> Iterator[Row]:
    """The same for chains of joints, and how it grows with their number."""
    before: dict[str, float] = {}
    for chain in CHAINS:
        with tempfile.TemporaryDirectory() as cache:
            seconds = _seconds(chain.name, cache, *LONG, from_cache=False)
        for verb, limit in LONG.items():
            what, wanted = f"{verb}, {chain.name}, compiled", ""
            if chain.links == 100:
                wanted = f"<= {limit}"
            yield Row(what, seconds[verb], "", None, seconds[verb], "seconds", wanted)
            if verb in before:
                growth = seconds[verb] / before[verb]
                what = f"{verb}, {chain.links // 2} to {chain.links} joints"
                yield Row(what, None, "", None, growth, "times as long")
        before = seconds


@benchmark
def first_calls() -> Iterator[Row]:
    """Large functions, from asking to the first result: processor time, nothing cached.

    Ceilings are those of a machine whose forward dynamics of UR5, many rows, takes `LOOP`.
    """
    q, v, tau = np.random.default_rng(0).normal(size=(3, 4096, 6))
    onto = np.empty((4096, 6))
    (loop,) = best(lambda: UR5.model.forward_dynamics(q, v, tau, out=onto), clock=process_time)
    scale = loop / 4096 / LOOP
    for what, most in CEILINGS.items():
        run = [sys.executable, "-m", "benchmarks.first_calls", what]
        said = subprocess.run(run, cwd=ROOT, stdout=subprocess.PIPE, check=True)
        label = f"its ceiling, {most:g} s"
        yield share(f"first call, {what}", float(said.stdout) / scale, label, most, "<= 1")


def _seconds(robot: str, cache: str, *verbs: str, from_cache: bool) -> dict[str, float]:
    run = subprocess.run(
        [sys.executable, "-m", "benchmarks.compile_once", robot, *verbs],
        env=os.environ | {"VISVIVA_CACHE": cache},
        cwd=ROOT,
        stdout=subprocess.PIPE,
        check=True,
    )
    found = json.loads(run.stdout)
    for verb, (_, cached) in found.items():
        if cached != from_cache:
            raise AssertionError(f"{verb}, {robot}: from the cache {cached}, not {from_cache}")
    return {verb: seconds for verb, (seconds, _) in found.items()}
