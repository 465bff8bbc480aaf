"""`visviva simulate`: how a mechanism moves."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from visviva.cli.common import Mechanism, check_output, numbers_of, system_of
from visviva.errors import ArgumentError


def simulate(
    mechanism: Mechanism,
    duration: Annotated[float, typer.Option(help="In seconds.")] = 10.0,
    start: Annotated[
        str, typer.Option(help="Positions at first, name=value,name=value; others are neutral.")
    ] = "",
    velocity: Annotated[
        str, typer.Option(help="Velocities at first, name=value,…; others are zero.")
    ] = "",
    method: Annotated[
        str, typer.Option(help="auto, dop853, dopri5, radau, lsoda, rk4, …")
    ] = "auto",
    dt: Annotated[float | None, typer.Option(help="Steps of this length, in seconds.")] = None,
    rtol: Annotated[float, typer.Option(help="Relative tolerance of a step.")] = 1e-9,
    save: Annotated[Path | None, typer.Option(help="A file: .nc, .csv or .npz.")] = None,
    plot: Annotated[Path | None, typer.Option(help="A picture to look at: .html.")] = None,
    record: Annotated[
        Path | None, typer.Option(help="Write it as it goes: a name, or a file .nc, .csv, .npz.")
    ] = None,
    resume: Annotated[bool, typer.Option(help="Go on with the record that is there.")] = False,
    until: Annotated[
        str, typer.Option(help='End where an equation becomes true: "q2 = 0", "theta\' = 1".')
    ] = "",
) -> None:
    """How it moves when it is let go: where its energy goes, as a file and as a picture.

    Of a mechanism with loops or constraints the nearest position and velocity that they admit is
    the start.

    Example: visviva simulate cart_pole --start theta=0.5 --duration 5 --plot swing.html

    A long run, and the same after it was interrupted:
    visviva simulate two_link --start q1=1 --duration 1e5 --dt 1e-3 --record long.nc
    visviva simulate two_link --start q1=1 --duration 1e5 --dt 1e-3 --record long.nc --resume
    """
    check_output(save, (".nc", ".csv", ".npz"))
    check_output(plot, (".html",))
    _check_record(record, resume)
    system = system_of(mechanism)
    q, v = _start(system, numbers_of(start, "--start"), numbers_of(velocity, "--velocity"))
    try:
        end = _end(system, until) if until else None
        how: dict[str, Any] = {"method": method, "dt": dt, "rtol": rtol, "record": record}
        run = system.simulate(q, v, duration, events=end, **how)
    except KeyboardInterrupt as stop:
        for note in getattr(stop, "__notes__", ()):
            typer.echo(f"visviva: {note}; here --resume does", err=True)
        raise
    typer.echo(f"{run!r}\n\n{run.account}")
    for note in run.notes:
        typer.echo(f"note: {note}")
    if save is not None:
        run.save(save)
        typer.echo(f"written to {save}", err=True)
    if plot is not None:
        run.plot().write_html(plot, include_plotlyjs=True)
        typer.echo(f"drawn in {plot}", err=True)


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
    """A state by names of coordinates and velocities, that constraints admit."""
    import numpy as np

    from visviva.errors import check_known

    q = np.array(system.neutral())
    v = np.zeros(system.nv)
    rates = {x: i for i, x in enumerate(system.motion_names)}
    rates |= {x: i for i, x in enumerate(system.velocity_names)}
    names = {x: i for i, x in enumerate(system.coordinate_names)}
    for target, known, given, what in (
        (q, names, places, "coordinate"), (v, rates, speeds, "velocity"),
    ):  # fmt: skip
        for name, value in given.items():
            check_known(f"{what} of {system.name!r}", name, known)
            target[known[name]] = value
    if not system.held_by:
        return q, v
    fixed = {name: value for name, value in places.items() if name in system.joint_slices}
    q = system.assembled(q, fixed=fixed) if fixed else system.assembled(q)
    time = (0.0,) if "t" in system.admitted_velocity.inputs else ()
    return q, np.asarray(system.admitted_velocity(q, v, *time))
