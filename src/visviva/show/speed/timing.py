"""The shortest of several times, and what machine it was taken on."""

from __future__ import annotations

import os
import platform
import time
import timeit
from collections.abc import Callable
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Any

REPEATS = 7
SECONDS = 0.01  # that one repeat takes at least
TIMES = 200  # that a single call is written out in a loop
PACKAGES = ("visviva", "numpy", "llvmlite", "pin", "mujoco")


def shortest(*calls: Callable[[], object], seconds: float = SECONDS) -> list[float]:
    """Seconds of each call, taken in turns: the best of several counts, the others were disturbed.

    What is quick is called often enough to be seen by the clock.
    """
    loops = []
    for call in calls:
        call()
        began = time.perf_counter()
        call()
        loops.append(max(1, int(seconds / max(time.perf_counter() - began, 1e-9))))
    best = [float("inf")] * len(calls)
    for _ in range(REPEATS):
        for k, call in enumerate(calls):
            began = time.perf_counter()
            for _ in range(loops[k]):
                call()
            best[k] = min(best[k], (time.perf_counter() - began) / loops[k])
    return best


def repeated(f: Callable[..., object], *arguments: Any) -> Callable[[], object]:
    """TIMES calls, written out in a loop, so that no wrapper's cost is added to any side."""
    line = ", ".join(f"x{k}" for k in range(len(arguments)))
    names: dict[str, Any] = {f"x{k}": x for k, x in enumerate(arguments)}
    names |= {"f": f, "__name__": __name__}  # it is us who call, no user
    timer = timeit.Timer(f"f({line})", globals=names)
    return partial(timer.timeit, TIMES)


def this_machine() -> dict[str, str]:
    """Where times come from: processor, system and versions; "" of what is not installed."""
    from visviva.machine.code.cpu import host

    described = {
        "processor": f"{_processor()} ({host().name}, {host().lanes} lanes)",
        "cores": str(os.cpu_count()),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
    }
    for package in PACKAGES:
        try:
            described[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            described[package] = ""
    return described


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        return next(line.partition(":")[2].strip() for line in lines if "model name" in line)
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def second_level_cache() -> int:
    """Bytes of it that one core has; results of a batch should fit."""
    try:
        return os.sysconf("SC_LEVEL2_CACHE_SIZE") or 1 << 20
    except (AttributeError, OSError, ValueError):
        return 1 << 20
