"""`Speed`: a mechanism's functions, one call and many states, beside other libraries."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.describe.quantities import FUNCTIONS
from visviva.errors import VisvivaError
from visviva.progress import progress
from visviva.show.speed.peers import Peer, peers_of
from visviva.show.speed.timing import (
    TIMES,
    repeated,
    second_level_cache,
    shortest,
    this_machine,
)

MEASURED = ("tau", "a", "M")  # symbols of what is measured: forces, accelerations, masses
SLOPED = ("tau", "a")  # those whose derivatives by q and v are measured too
LARGE_BATCH, SMALL_BATCH = 8192, 1024  # states in a batch
EQUAL = 1e-9  # of the largest entry: what has another result is not compared


@dataclass(frozen=True)
class Compared:
    """A time of another library, in nanoseconds, and how many times ours it is."""

    peer: str
    nanoseconds: float
    ratio: float


@dataclass(frozen=True)
class Measured:
    """A function: nanoseconds of one call from Python, and of one state among many."""

    name: str
    operations: int
    ready_seconds: float  # from asking for it to its first result
    from_cache: bool
    one_call: float
    in_batch: float
    batch: int
    one_compared: tuple[Compared, ...] = ()
    batch_compared: tuple[Compared, ...] = ()


@dataclass(frozen=True)
class Speed:
    """The functions of one mechanism, measured in one run on one thread."""

    name: str
    machine: dict[str, str]
    functions: tuple[Measured, ...]
    notes: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Plain data, for JSON; times of calls in nanoseconds."""
        return asdict(self)

    def __str__(self) -> str:
        rows: list[tuple[str, ...]] = [
            ("", "operations", "ready after", "one call", "of a batch", "others")
        ]
        rows += [self._row(f) for f in self.functions]
        widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
        lines = ["  ".join(x.ljust(w) for x, w in zip(row, widths, strict=True)) for row in rows]
        versions = ", ".join(f"{k} {x}".strip() for k, x in self.machine.items() if x)
        said = [f"{self.name}, one thread, the best of several times", *map(str.rstrip, lines)]
        return "\n".join([*said, *(f"note: {x}" for x in self.notes), versions])

    def _row(self, f: Measured) -> tuple[str, ...]:
        ready = f"{f.ready_seconds:.2g} s" + (" (from disk)" if f.from_cache else "")
        others = [f"{x.peer} {_ns(x.nanoseconds)} ({x.ratio:.3g}×)" for x in f.batch_compared]
        others += [f"one call {_ns(x.nanoseconds)} ({x.ratio:.3g}×)" for x in f.one_compared]
        batch = f"{_ns(f.in_batch)} ({f.batch})"
        return f.name, str(f.operations), ready, _ns(f.one_call), batch, ", ".join(others)


def _ns(x: float) -> str:
    return f"{x:.3g} ns" if x < 1000 else f"{x / 1000:.3g} µs"


def measured_speed(system: Any) -> Speed:
    """Measure the functions of a system; in a few seconds, compiling apart."""
    from visviva.machine.function import function

    function(lambda x: x * 2.0, {"x": 1})([1.0])  # LLVM starts up
    names: dict[str, str] = {}
    for name, row in FUNCTIONS.items():
        names.setdefault(row.symbol, name)
    notes: list[str] = []
    bare, peers = _peers(system, notes)
    made = []
    with progress(f"measuring {system.name}", len(MEASURED) + len(SLOPED)) as at:
        for symbol in MEASURED:
            name = names[symbol]
            for wanted in ((), ("q", "v"))[: 2 if symbol in SLOPED else 1]:
                said = name.replace("_", " ")
                label = f"∂({said})/∂(q, v)" if wanted else said
                at.step(label)
                others = {} if wanted else {k: x[symbol] for k, x in peers.items() if symbol in x}
                try:
                    made.append(_measured(system, bare, name, wanted, label, others, notes))
                except VisvivaError as error:
                    notes.append(f"{label}: {error}")
    return Speed(system.name, this_machine(), tuple(made), tuple(notes))


def _peers(system: Any, notes: list[str]) -> tuple[Any, Any]:
    """What others compute too, a tree without losses and springs; and who has it."""
    if not getattr(system, "bodies", ()) or system.held_by or system.nq != system.nv:
        notes.append("others are asked about trees of turns and slides that nothing holds")
        return system, {}
    bare = system.numeric.without_dissipation()
    if bare.springs:
        notes.append("springs are no part of what others compute: none of them is compared")
        return system, {}
    found, reasons = peers_of(bare)
    notes += reasons
    losses = any(np.any(x) for b in system.numeric.bodies for x in (b.damping, b.friction))
    if losses and found:
        notes.append("compared without damping and friction, which others do not compute")
    return (bare if losses else system), found


def _function(system: Any, name: str, wanted: tuple[str, ...]) -> Any:
    f = system.function(name).without_advice()
    return f.jacobian(*wanted) if wanted else f


def _measured(
    system: Any,
    bare: Any,
    name: str,
    wanted: tuple[str, ...],
    label: str,
    others: dict[str, Peer],
    notes: list[str],
) -> Measured:
    began = time.perf_counter()
    f = _function(system, name, wanted)
    state = _states(system, f, 1)
    f(*(x[0] for x in state))
    ready = time.perf_counter() - began
    rows = (
        LARGE_BATCH
        if 8 * LARGE_BATCH * sum(map(np.prod, f.outputs.values())) <= second_level_cache()
        else SMALL_BATCH
    )
    states = _states(system, f, rows)
    first = [x[0] for x in states]
    # what others are compared with, if it is not the function itself
    mine = [f] if bare is system else [f, _function(bare, name, wanted)]
    same = list(_same(mine[-1], first, others, label, notes))
    alone = [(peer, peer.one(*first)) for peer in same if peer.one is not None]
    calls = [*(repeated(g, *first) for g in mine), *(repeated(*call) for _, call in alone)]
    one, one_compared = _beside(shortest(*calls), len(mine), [peer for peer, _ in alone], TIMES)
    calls = [*(_batch(g, states) for g in mine), *(peer.many(*states) for peer in same)]
    many, many_compared = _beside(shortest(*calls), len(mine), same, rows)
    count, cached = f.operations.total(), f.kernel.from_cache
    return Measured(label, count, ready, cached, one, many, rows, one_compared, many_compared)


def _beside(
    seconds: list[float], own: int, peers: list[Peer], times: int
) -> tuple[float, tuple[Compared, ...]]:
    """Nanoseconds of the first, and of peers beside the last of ours."""
    each = [x / times * 1e9 for x in seconds]
    pairs = zip(peers, each[own:], strict=True)
    return each[0], tuple(Compared(peer.label, t, t / each[own - 1]) for peer, t in pairs)


def _batch(f: Any, states: list[Array]) -> Any:
    """Our call on all states, into arrays that are there already."""
    out = tuple(np.empty((len(states[0]), *shape)) for shape in f.outputs.values())
    return lambda: f(*states, out=out if len(out) > 1 else out[0])


def _same(
    f: Any, state: list[Array], others: dict[str, Peer], label: str, notes: list[str]
) -> Iterator[Peer]:
    """Those that have our result; nothing wrong is timed."""
    mine = np.asarray(f(*state))
    for name, peer in others.items():
        try:
            theirs = np.asarray(peer.value(*state))
            gap = float(np.abs(mine - theirs).max() / max(1.0, np.abs(mine).max()))
        except Exception as error:  # of another library: a line, and no end of ours
            notes.append(f"{label}: {name} fails: {type(error).__name__}")
            continue
        if gap <= EQUAL:
            yield peer
        else:
            notes.append(f"{label}: {name} has another result, by {gap:.2g}: not compared")


def _states(system: Any, f: Any, rows: int) -> list[Array]:
    """States of the inputs of a function: positions that exist, other numbers at random."""
    rng = np.random.default_rng(0)
    if system.held_by:
        q = np.tile(np.asarray(system.assembled(), dtype=float), (rows, 1))
    elif getattr(system, "bodies", ()):
        few = [np.asarray(system.random(rng), dtype=float) for _ in range(min(rows, 64))]
        q = np.resize(np.array(few), (rows, system.nq))
    else:
        q = np.asarray(system.neutral(), dtype=float) + rng.uniform(0.3, 0.6, (rows, system.nq))
    made = {name: rng.normal(size=(rows, *shape)) for name, shape in f.inputs.items()} | {"q": q}
    if system.held_by:
        made |= {"v": rng.normal(size=(rows, system.nv)), "t": np.zeros(rows)}
        velocity = system.admitted_velocity
        made["v"] = np.asarray(velocity(*(made[x] for x in velocity.inputs)))
    return [np.ascontiguousarray(made[name]) for name in f.inputs]
