"""`visviva simulate`: how a mechanism moves."""

from __future__ import annotations

import math
import os
import time
from contextlib import suppress
from itertools import product
from pathlib import Path
from typing import Annotated, Any

import typer

from visviva.cli.common import (
    AsData,
    Base,
    Mechanism,
    check_output,
    numbers_of,
    system_of,
    written,
)
from visviva.cli.output import say, say_data, tell
from visviva.errors import ArgumentError, VisvivaError

TRIAL, TRIAL_STEPS = 1.0, 1000  # seconds of a motion, or steps, that show how fast it goes
SEEN = 0.05  # seconds by which a longer trial takes longer
LONG = 100  # trials: shorter motions begin at once
TOLD_SECONDS, MOST_SECONDS = 10.0, 30 * 86400.0
STILL = 1e-12  # rad or m, and in a second
ELSEWHERE, SHORT = 0.5, 0.1  # rad or m, and seconds in which a motion is seen
MOVED = 1e-9  # more than rounding, of a coordinate that is stated
COPIES = 4  # of all states, on the way to a trajectory and its account
UNITS = {"years": 31557600.0, "days": 86400.0, "h": 3600.0, "min": 60.0}


def simulate(
    mechanism: Mechanism,
    duration: Annotated[float, typer.Option(help="In seconds.")] = 10.0,
    start: Annotated[
        str,
        typer.Option(help="Positions at first, name=value,name=value; others are its own start."),
    ] = "",
    velocity: Annotated[
        str, typer.Option(help="Velocities at first, name=value,…; others are its own, or found.")
    ] = "",
    method: Annotated[
        str, typer.Option(help="auto, dop853, dopri5, radau, lsoda, rk4, …")
    ] = "auto",
    dt: Annotated[float | None, typer.Option(help="Steps of this length, in seconds.")] = None,
    every: Annotated[int, typer.Option(help="Of steps of length --dt keep every so many.")] = 1,
    rtol: Annotated[float, typer.Option(help="Relative tolerance of a step.")] = 1e-9,
    save: Annotated[Path | None, typer.Option(help="A file: .nc, .csv or .npz.")] = None,
    plot: Annotated[Path | None, typer.Option(help="A picture to look at: .html or .svg.")] = None,
    record: Annotated[
        Path | None, typer.Option(help="Write it as it goes: a name, or a file .nc, .csv, .npz.")
    ] = None,
    resume: Annotated[bool, typer.Option(help="Go on with the record that is there.")] = False,
    until: Annotated[
        str, typer.Option(help='End where an equation becomes true: "q2 = 0", "theta\' = 1".')
    ] = "",
    base: Base = "fixed",
    as_json: AsData = False,
) -> None:
    """How it moves when it is let go: where its energy goes, as a file and as a picture.

    It starts where its file says it does (start =), else in its neutral position, at rest. Of a
    mechanism with loops or constraints, coordinates and velocities that are stated are kept,
    and the others are found. Before a long run it is said how long it will take.

    \b
    Examples:
      visviva simulate cart_pole --start theta=0.5 --duration 5 --plot swing.html
      visviva simulate two_link --start q1=1 --duration 1e5 --dt 1e-3 --record long.nc
      visviva simulate two_link --start q1=1 --duration 1e5 --dt 1e-3 --record long.nc --resume
    """
    check_output(save, (".nc", ".csv", ".npz"))
    check_output(plot, (".html", ".svg"))
    _check_record(record, resume)
    system = system_of(mechanism, base)
    places, speeds = (
        numbers_of(x, option, system.coordinate_names)
        for x, option in ((start, "--start"), (velocity, "--velocity"))
    )
    q, v = _start(system, places, speeds)
    how: dict[str, Any] = {"method": method, "dt": dt, "rtol": rtol, "save": every}
    end = _end(system, until) if until else None
    _foresee(system, q, v, duration, how, record)
    try:
        run = system.simulate(q, v, duration, events=end, record=record, **how)
    except KeyboardInterrupt as stop:
        for note in getattr(stop, "__notes__", ()):
            tell(f"visviva: {note}; here --resume does")
        raise
    notes = [*run.notes, *_at_rest(system, run)]
    if as_json:
        say_data({**_summary(run), "notes": notes})
    else:
        say("\n".join([f"{run!r}\n\n{run.account}", *(f"note: {x}" for x in notes)]))
    if save is not None:
        run.save(save)
        written(save)
    if plot is not None:
        run.plot().save(plot)
        written(plot, "drawn in")


def _summary(run: Any) -> dict[str, Any]:
    """What the text says, as data: states by names, energies at first and at last in joules."""
    account, names = run.account, (*run.system.coordinate_names, *run.system.velocity_names)
    states = [dict(zip(names, map(float, (*run.q[k], *run.v[k])), strict=True)) for k in (0, -1)]
    energies = {k: getattr(account, k) for k in ("kinetic", "potential", "energy")}
    return {
        "name": run.system.name,
        "from": float(run.t[0]),
        "to": float(run.t[-1]),
        "samples": len(run.t),
        "statistics": dict(run.statistics),
        "units": dict(run.units),
        "first": states[0],
        "last": states[1],
        **{k: [float(x[0]), float(x[-1])] for k, x in energies.items()},
        "work": {k: float(x[-1]) for k, x in account.work.items()},
        "balance_error": float(abs(account.balance_error).max()),
        "closes": bool(account.closes),
        "ended": run.ended,
    }


def _at_rest(system: Any, run: Any) -> list[str]:
    """That nothing moved, and a start from which something does."""
    if len(run.t) < 2 or max(abs(run.v).max(), abs(run.q - run.q[0]).max()) > STILL:
        return []
    said = f"it starts at rest {_held_by(system, run)}, and nothing moves; start elsewhere: "
    places = reversed(range(0 if system.held_by or system.quaternions else system.nq))
    for k, step in product(places, (ELSEWHERE, -ELSEWHERE)):
        q = run.q[0].copy()
        q[k] += step
        with suppress(VisvivaError):
            if abs(system.simulate(q, run.v[0], SHORT).v).max() > STILL:
                return [f"{said}--start {system.coordinate_names[k]}={q[k]:.6g}"]
    k = system.nv - 1
    if system.held_by:
        ways = abs(system.displacements(run.q[0]))
        if not ways.size:
            return ["its constraints leave it no motion"]
        k = int(ways.max(axis=1).argmax())
    away = -1 if run.contact[0, k] < 0 else 1  # from an upper stop it can only go back
    return [f"{said}--velocity {system.motion_names[k]}={away}"]


def _held_by(system: Any, run: Any) -> str:
    """What keeps at rest what does not move: friction and stops of joints, or balance alone."""
    told = []
    for what, forces in (("friction", run.holding), ("a stop", run.carried)):
        if forces is not None:
            felt = abs(forces).max(axis=0) > STILL
            names = [x for x, y in zip(system.motion_names, felt, strict=True) if y]
            told += [f"{what} of {', '.join(names)}"] if names else []
    if not told:
        return "in equilibrium"
    return f"where {' and '.join(told)} {'hold' if len(told) > 1 else 'holds'} it"


def _foresee(system: Any, q: Any, v: Any, duration: float, how: Any, record: Path | None) -> None:
    """Say how long a long motion takes; refuse what no memory holds and nobody waits for."""
    dt = how["dt"]
    trial = TRIAL if dt is None else TRIAL_STEPS * dt
    if how["save"] < 1 or not 0.0 < trial * LONG < duration < math.inf:
        return
    seconds, steps = _pace(system, q, v, trial, duration / 10, how | {"save": 1})
    seconds, steps = seconds * duration, steps * duration
    size = steps / how["save"] * COPIES * 8 * (1 + system.nq + system.nv)
    said = f"{duration:g} s are about {steps:.2g} steps and {in_words(seconds)}"
    if seconds > MOST_SECONDS:
        raise ArgumentError(f"{said} of work: give a shorter --duration, or a longer --dt")
    if record is None and size > memory():
        raise ArgumentError(
            f"{said}, and their samples {size / 1e9:.2g} GB, more than there is memory: "
            "--dt with --every keeps fewer, --record writes them as they come"
        )
    if seconds > TOLD_SECONDS:
        tell(f"visviva: {said}; Ctrl-C ends it")


def _pace(system: Any, q: Any, v: Any, trial: float, most: float, how: Any) -> tuple[float, float]:
    """Seconds of work and steps in a second of the motion, by trials that become longer."""
    system.simulate(q, v, trial, **how)  # compiles
    least, length = 0.0, trial
    while True:
        began = time.perf_counter()
        run = system.simulate(q, v, length, **how)
        taken = time.perf_counter() - began
        least = least or taken  # what every call takes
        if taken - least > SEEN or 10 * length > most:
            return max(taken - least, 1e-6) / length, len(run.t) / length
        length *= 10


def in_words(seconds: float) -> str:
    """A time that is a guess: its largest unit."""
    for unit, size in UNITS.items():
        if seconds >= size:
            return f"{seconds / size:.2g} {unit}"
    return f"{seconds:.2g} s"


def memory() -> float:
    """Bytes of it that this machine has; where it does not say, what most have."""
    try:
        return float(os.sysconf("SC_PHYS_PAGES")) * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return 8e9


def _end(system: Any, text: str) -> Any:
    """The event that ends a motion."""
    from visviva.motion.simulation.events.typed import typed_event

    return typed_event(system, text, terminal=True)


def _check_record(record: Path | None, resume: bool) -> None:
    """Refuse to begin where a record is, and to go on where none is."""
    from visviva.motion.simulation.recording import places_of

    if record is None and resume:
        raise ArgumentError("--resume goes on with --record NAME; which?")
    folder = None if record is None else places_of(record)[0]
    if folder is not None and folder.exists() != resume:
        raise ArgumentError(
            f"{folder} is there already: --resume goes on with it, or remove it"
            if folder.exists()
            else f"there is no {folder} to go on with: leave --resume out"
        )


def _start(system: Any, places: dict[str, float], speeds: dict[str, float]) -> tuple[Any, Any]:
    """A state by names of coordinates and velocities, that constraints admit; others as stated."""
    import numpy as np

    from visviva.errors import check_known
    from visviva.motion.regular import regular_start

    q = np.array(system.neutral())
    v = np.zeros(system.nv)
    rates = {x: i for i, x in enumerate(system.motion_names)}
    rates |= {x: i for i, x in enumerate(system.velocity_names)}
    names = {x: i for i, x in enumerate(system.coordinate_names)}
    own = getattr(system, "start", {})
    own_places = {x: own[x] for x in names if x in own}
    own_speeds = {x: own[x] for x in system.velocity_names if x in own}
    if system.held_by:  # beside what is typed the others are found, from where it starts
        q = np.array([own_places.get(x, q[i]) for x, i in names.items()])
        places, speeds = places or own_places, speeds or own_speeds
    else:
        rates_typed = {rates[x] for x in speeds if x in rates}
        own_speeds = {x: y for x, y in own_speeds.items() if rates[x] not in rates_typed}
        places, speeds = own_places | places, own_speeds | speeds
    for target, known, given, what in (
        (q, names, places, "coordinate"), (v, rates, speeds, "velocity"),
    ):  # fmt: skip
        for name, value in given.items():
            check_known(f"{what} of {system.name!r}", name, known)
            target[known[name]] = value
    if not system.held_by:
        q, said = regular_start(system, q, places)
        if said:
            tell(f"visviva: {said}; --start name=value says another")
        return q, v
    fixed = {name: value for name, value in places.items() if name in system.joint_slices}
    q = system.assembled(q, fixed=fixed) if fixed else system.assembled(q)
    for name, value in places.items():  # a part of a joint is not held
        if abs(q[names[name]] - value) > MOVED * (1.0 + abs(value)):
            tell(f"visviva: constraints hold with {name} = {q[names[name]]:.6g}, not {value:g}")
    return q, system.velocities(q, speeds)
