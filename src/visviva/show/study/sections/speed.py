"""What the functions of a mechanism cost: operations, compiling, one call, many states at once."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from visviva.errors import VisvivaError
from visviva.show.page.escaping import escaped
from visviva.show.page.parts import table
from visviva.show.study.part import NotHereError, Part, number
from visviva.show.study.studied import Studied

_FUNCTIONS = (
    ("inverse_dynamics", "forces from accelerations"),
    ("forward_dynamics", "accelerations from forces"),
    ("mass_matrix", "M"),
    ("coriolis_matrix", "C"),
    ("gravity_forces", "g"),
    ("constraint_matrix", "A"),
    ("kinetic_energy", "kinetic energy"),
)
_STATES = 4096  # in a batch
_LEAST = 0.02  # seconds that are measured
_ROUNDS = 3
_LARGE = 20_000  # operations of what is still compiled for the table


def speed(s: Studied) -> Part:
    """Counted and measured now, on this machine."""
    rows, data = [], {}
    for name, what in _FUNCTIONS:
        found = _measured(s, name)
        if found is None:
            continue
        f, one, many = found
        count = f.operations
        rows.append(
            [
                escaped(what) + f" <code>{name}</code>",
                str(count.multiplications),
                str(count.additions),
                str(count.total() - count.multiplications - count.additions),
                number(f.compile_seconds, digits=2),
                number(one * 1e6, digits=2),
                number(many * 1e9, digits=2),
            ]
        )
        data[name] = {"operations": count.total(), "one": one, "many": many}
    if not rows:
        raise NotHereError("None of its functions could be measured.")
    head = ["Function", "Products", "Sums", "Other", "Compile [s]", "One call [µs]"]
    html = table([*head, "A state of many [ns]"], rows, html=True)
    threads = "one thread"
    lead = f"Counted, and measured while this page was made: {machine()}, {threads}."
    facts = {}
    if "inverse_dynamics" in data:
        facts["for one inverse dynamics, in a batch"] = number(
            data["inverse_dynamics"]["many"] * 1e9, "ns", 2
        )
    lines = (
        "f = system.inverse_dynamics",
        "print(f.operations, f.compile_seconds)",
        f"# many states at once: f(q, v, a) with arrays of shape ({_STATES}, {s.system.nv})",
    )
    more = (
        "Functions are compiled when they are first called and kept on disk; then the first call "
        f"takes milliseconds. “Of many” is a state of {_STATES} that one call computes together."
    )
    html += f'<p class="small">{escaped(more)}</p>'
    return Part(lead, html, lines, data={"functions": data, "machine": machine()}, facts=facts)


def machine() -> str:
    """What this was measured on: the processor, its cores, Python and the operating system."""
    name = platform.processor() or platform.machine()
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                name = line.partition(":")[2].strip()
                break
    except OSError:
        pass
    return (
        f"{name}, {os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}"
    )


def _measured(s: Studied, name: str) -> tuple[Any, float, float] | None:
    """The function, seconds of one call, and seconds of a state among many."""
    n = s.system.nv
    rng = np.random.default_rng(2)
    steps = 0.1 * rng.standard_normal((_STATES, n))
    try:
        f = getattr(s.system, name)
        if f.operations.total() > _LARGE or (name == "constraint_matrix" and not s.is_held):
            return None
        own = {"v": 0 * steps, "a": steps, "tau": steps, "t": np.zeros(_STATES)}
        q = np.tile(s.start, (_STATES, 1))
        own["q"] = q if s.system.quaternions else q + (steps if q.shape == steps.shape else 0.0)
        many = [own[x] for x in f.inputs]
        one = [x[0] for x in many]
        f(*one)
        f(*many)
    except (VisvivaError, AttributeError, KeyError):
        return None
    return f, _seconds(lambda: f(*one)), _seconds(lambda: f(*many)) / _STATES


def _seconds(call: Callable[[], Any]) -> float:
    """The least of some rounds, as others use the machine too."""
    best, count = np.inf, 1
    for _ in range(_ROUNDS):
        while True:
            start = perf_counter()
            for _ in range(count):
                call()
            took = perf_counter() - start
            if took > _LEAST:
                break
            count *= 4
        best = min(best, took / count)
    return float(best)
