"""Timing, ratios and tables: what every benchmark is made of.

A benchmark is a function decorated with `@benchmark` that yields rows. Our times and those of the
peers are taken in turns, the best of all repeats counts, and a row shows their ratio beside the
floor or ceiling it is held to.
"""

import json
import os
import platform
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from datetime import date
from importlib import metadata
from pathlib import Path

RESULTS = Path(__file__).parent / "results"
PACKAGES = ["visviva", "numpy", "llvmlite", "jax", "casadi", "pin", "mujoco", "adam-robotics"]
PACKAGES += [
    "torch",
    "roboticstoolbox-python",
    "example-robot-data",
    "heyoka",
    "diffrax",
    "scipy",
    "sympy",
]


@dataclass(frozen=True)
class Row:
    """One line of the table; times in seconds."""

    what: str
    ours: float | None  # None where nothing is timed
    peer: str
    theirs: float | None
    ratio: float | None
    meaning: str  # of the ratio
    wanted: str = ""  # "<= 0.7", ">= 1.7" or nothing

    @property
    def verdict(self) -> str:
        if not self.wanted or self.ratio is None:
            return ""
        sign, bound = self.wanted.split()
        good = self.ratio <= float(bound) if sign == "<=" else self.ratio >= float(bound)
        return "yes" if good else "**falls short**"


Benchmark = Callable[[], Iterator[Row]]
BENCHMARKS: list[Benchmark] = []


def benchmark(f: Benchmark) -> Benchmark:
    """Register a benchmark."""
    BENCHMARKS.append(f)
    return f


def best(
    *calls: Callable[[], object],
    repeats: int = 15,
    seconds: float = 0.05,
    clock: Callable[[], float] = time.perf_counter,
) -> list[float]:
    """The shortest time of each call, taken in turns; quick calls are looped.

    Calls that have one thread can be timed by what the process computes, `time.process_time`: other
    processes that take the core away meanwhile are not counted.
    """
    loops = []
    for call in calls:
        call()
        start = clock()
        call()
        once = clock() - start
        loops.append(max(1, int(seconds / max(once, 1e-9))))
    shortest = [float("inf")] * len(calls)
    for _ in range(repeats):
        for k, call in enumerate(calls):
            start = clock()
            for _ in range(loops[k]):
                call()
            shortest[k] = min(shortest[k], (clock() - start) / loops[k])
    return shortest


def faster(what: str, ours: float, peer: str, theirs: float, wanted: str = "") -> Row:
    """A row that says how many times faster we are."""
    return Row(what, ours, peer, theirs, theirs / ours, "peer / ours", wanted)


def share(what: str, ours: float, peer: str, theirs: float, wanted: str = "") -> Row:
    """A row that says what part of a reference we take."""
    return Row(what, ours, peer, theirs, ours / theirs, "ours / reference", wanted)


def machine() -> dict[str, str]:
    """Where the figures come from."""
    described = {
        "processor": _processor(),
        "cores": str(os.cpu_count()),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
    }
    for package in PACKAGES:
        try:
            described[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            described[package] = "absent"
    return described


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        name = next(line.partition(":")[2].strip() for line in lines if "model name" in line)
    except (OSError, StopIteration):
        name = platform.processor()
    from visviva.machine.code.cpu import host

    return f"{name} ({host().name}, {host().lanes} lanes)"


def in_words(seconds: float | None) -> str:
    if seconds is None:
        return ""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def markdown(rows: list[Row]) -> str:
    head = "| what | visviva | against | theirs | ratio | | wanted | met |\n" + "|---" * 8 + "|\n"
    lines = []
    for r in rows:
        ratio = "" if r.ratio is None else f"{r.ratio:.3g}"
        cells = [r.what, in_words(r.ours), r.peer, in_words(r.theirs), ratio, r.meaning]
        lines.append("| " + " | ".join([*cells, r.wanted, r.verdict]) + " |\n")
    return head + "".join(lines)


def main(only: str = "") -> None:
    """Run everything, or what has `only` in its name; print and write the table."""
    where = machine()
    print("\n".join(f"{k}: {v}" for k, v in where.items()), flush=True)
    rows: list[Row] = []
    measured: list[dict[str, object]] = []
    for run in BENCHMARKS:
        if only in run.__name__:
            title = (run.__doc__ or "").splitlines()[0]
            print(f"\n{run.__name__}: {title}", flush=True)
            for row in run():
                rows.append(row)
                measured.append(asdict(row) | {"benchmark": run.__name__, "title": title})
                ratio = "" if row.ratio is None else f"  {row.ratio:.3g} ({row.meaning})"
                held = f"  wanted {row.wanted}: {row.verdict}" if row.wanted else ""
                print(
                    f"  {row.what}: {in_words(row.ours)} | {row.peer}: "
                    f"{in_words(row.theirs)}{ratio}{held}",
                    flush=True,
                )
    RESULTS.mkdir(exist_ok=True)
    table = markdown(rows)
    name = f"only-{only}" if only else "latest"
    (RESULTS / f"{name}.json").write_text(
        json.dumps({"machine": where, "day": str(date.today()), "rows": measured}, indent=1)
    )
    listed = ", ".join(f"{k} {v}" for k, v in where.items())
    (RESULTS / f"{name}.md").write_text(f"{listed}\n\n{table}")
    short = [r.what for r in rows if "short" in r.verdict]
    print(f"\n{table}\nwritten to {RESULTS}/{name}.json and {name}.md")
    print("falls short: " + ", ".join(short) if short else "every floor and ceiling is met")
