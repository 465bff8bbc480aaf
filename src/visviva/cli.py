"""The command `visviva`: mechanisms from the catalogue or from files, and what is true of them."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from visviva import __version__
from visviva.errors import ArgumentError, UnknownNameError, VisvivaError
from visviva.progress import progress

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
FORMS = ("standard", "christoffel", "equations", "steps")
STEPS_TO = ("md", "latex", "html", "ipynb")
INTERRUPTED = 130  # what shells expect of a program that was stopped by Ctrl-C

Mechanism = Annotated[str, typer.Argument(help="A name of the catalogue, or a file.")]


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"visviva {__version__}")
        raise typer.Exit


@app.callback()
def about(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say which.")
    ] = False,
) -> None:
    """Robot and rigid-body dynamics: equations, proven."""


@app.command("list")
def list_() -> None:
    """The mechanisms of the catalogue.

    Example: visviva list
    """
    from visviva.describe import catalog

    for name in catalog.names():
        first = catalog.describe(name).splitlines()[0]
        typer.echo(f"{name:24} {first.partition(': ')[2] or first}")


@app.command()
def info(mechanism: Mechanism) -> None:
    """What a mechanism is: bodies, joints, parameters, and what its file's reader did.

    Example: visviva info two_link
    """
    from visviva.describe import catalog

    system = _system(mechanism)
    if mechanism in catalog.names():
        typer.echo(catalog.describe(mechanism) + "\n")
    typer.echo(repr(system))
    for note in getattr(system, "notes", ()):
        typer.echo(f"note: {note}")


@app.command()
def derive(
    mechanism: Mechanism,
    method: Annotated[
        str,
        typer.Option(
            help="Of steps: lagrange, newton-euler, d-alembert, virtual-work, jacobian, statics, …"
        ),
    ] = "",
    form: Annotated[
        str, typer.Option(help="standard (M, C, g, b), christoffel, equations or steps.")
    ] = "standard",
    to: Annotated[str, typer.Option(help="md, latex, html, python, c; ipynb for steps.")] = "md",
    output: Annotated[Path | None, typer.Option(help="A file to write instead.")] = None,
) -> None:
    """The equations of motion in textbook form, or the way to them step by step.

    Example: visviva derive two_link --form steps --method newton-euler --to html --output arm.html
    """
    _refuse_early(form, method, to, output)
    system = _system(mechanism)
    with progress(f"deriving {mechanism}"):
        text = (
            _steps(system, method or "lagrange", to)
            if form == "steps"
            else _closed(system, form, to)
        )
    if output is None:
        typer.echo(text)
    else:
        output.write_text(text, encoding="utf-8")
        typer.echo(f"written to {output}", err=True)


@app.command()
def check(
    mechanism: Annotated[
        str, typer.Argument(help="A name of the catalogue, or a file; the claims' file may say it.")
    ] = "",
    claim: Annotated[str, typer.Argument(help="An equation, plain or LaTeX.")] = "",
    file: Annotated[
        Path | None, typer.Option(help="Claims: one a line, or TOML with the mechanism.")
    ] = None,
    of: Annotated[str, typer.Option(help="What it is about, if no left side says so.")] = "",
    symbols: Annotated[str, typer.Option(help="Names: theirs=ours,theirs=ours.")] = "",
    shorthand: Annotated[
        bool | None, typer.Option(help="c12 is cos(q1 + q2), s2 is sin(q2).")
    ] = None,
    frame: Annotated[str, typer.Option(help="Whose pose, Jacobian or inertia.")] = "",
    assume: Annotated[str, typer.Option(help="Forces that are zero: tau2 = 0; tau3 = 0.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Verdicts as JSON.")] = False,
) -> None:
    """Is your equation right? A verdict, and if it differs the missing and the extra term.

    Ends with 0 only if every claim is identical, so that a repository can run it as a test; one
    that holds only where some force is zero is not, unless --assume says so.

    Example: visviva check two_link "tau2 = (I2 + m2 r2^2) q2'' + m2 a_g r2 cos(q1 + q2)"
    """
    from visviva.judge.check.files import ClaimFile, load_claims, verdicts

    if file is not None and claim:
        said_twice = f"a claim and --file {file} were both given, expected one of them"
        raise typer.BadParameter(said_twice, param_hint="CLAIM")
    if file is None and not claim:
        raise typer.BadParameter("a claim, or --file with claims", param_hint="CLAIM")
    said = load_claims(file) if file is not None else ClaimFile({"": claim})
    system = _system(mechanism) if mechanism else said.system
    if system is None:
        raise typer.BadParameter("which mechanism are they about?", param_hint="MECHANISM")
    options = {"of": of, "shorthand": shorthand, "frame": frame, "symbols": _pairs(symbols)}
    options["assume"] = assume
    given = {key: x for key, x in options.items() if x or x is False}
    alone = file is None and not as_json
    found = verdicts(system, said.claims, {**said.options, **given}, strict=alone)
    if as_json:
        data = [{"label": label, **v.as_dict()} for label, v in found.items()]
        typer.echo(json.dumps(data, indent=1, ensure_ascii=False))
    else:
        typer.echo("\n\n".join(_shown(label, v) for label, v in found.items()))
        if len(found) > 1:
            right = sum(v.is_identical for v in found.values())
            typer.echo(f"\n{right} of {len(found)} claims are identical{_conditional(found)}")
    raise typer.Exit(0 if all(v.is_identical for v in found.values()) else 1)


@app.command()
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
    _check_output(save, (".nc", ".csv", ".npz"))
    _check_output(plot, (".html",))
    _check_record(record, resume)
    system = _system(mechanism)
    q, v = _start(system, _numbers_of(start, "--start"), _numbers_of(velocity, "--velocity"))
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


@app.command()
def kinematics(
    mechanism: Mechanism,
    frame: Annotated[str, typer.Option(help="Frame of the tip; the last one if not given.")] = "",
    at: Annotated[str, typer.Option(help="Joints, name=value,…; else all a little bent.")] = "",
    pose: Annotated[
        str, typer.Option(help="Target: x,y or x,y,z or x,y,z,roll,pitch,yaw; else where it is.")
    ] = "",
    plot: Annotated[Path | None, typer.Option(help="A page with pictures: .html.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="As data.")] = False,
) -> None:
    """Where it reaches: pose and Jacobian, solutions for a target, singular positions, workspace.

    Example: visviva kinematics puma560 --at joint2=-0.6,joint5=0.4 --plot puma.html
    """
    from visviva.show.kinematics import kinematics_report, typed_target

    _check_output(plot, (".html",))
    target = typed_target(pose) if pose else None
    report = kinematics_report(_system(mechanism), frame, _numbers_of(at, "--at"), target)
    typer.echo(json.dumps(report.as_dict(), indent=1) if as_json else str(report))
    if plot is not None:
        report.save(plot)
        typer.echo(f"drawn in {plot}", err=True)


def _end(system: Any, text: str) -> Any:
    """The event that ends a motion."""
    from visviva.motion.simulation.events.typed import typed_event

    return typed_event(system, text, terminal=True)


def _check_output(path: Path | None, known: tuple[str, ...]) -> None:
    """Refuse files that could not be written, before the work."""
    if path is not None and path.suffix not in known:
        raise ArgumentError(f"the suffix of {path} is none of {', '.join(known)}")
    if path is not None and not path.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {path.parent}")


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


def _numbers_of(text: str, option: str) -> dict[str, float]:
    """a=1,b=2 as numbers."""
    made = {}
    for pair in filter(None, text.split(",")):
        name, sign, value = (x.strip() for x in pair.partition("="))
        try:
            made[name] = float(value)
        except ValueError:
            name = ""
        if not (name and sign):
            raise typer.BadParameter(f"expected name=value, got {pair!r}", param_hint=option)
    return made


def main() -> None:
    """Errors of ours are one line, and so is Ctrl-C; others show where they came from."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # θ on a terminal that has no Greek
    try:
        app()
    except (VisvivaError, OSError) as error:
        typer.echo(f"visviva: {error}", err=True)
        sys.exit(1)
    except (KeyboardInterrupt, SystemExit) as end:  # typer makes the second of the first
        if isinstance(end, SystemExit) and end.code != INTERRUPTED:
            raise
        typer.echo("visviva: interrupted", err=True)
        sys.exit(INTERRUPTED)


def _system(mechanism: str) -> Any:
    """From the catalogue, or from a file if it looks like one."""
    from visviva.describe import catalog
    from visviva.describe.load import load

    if mechanism in catalog.names() or not (Path(mechanism).suffix or "/" in mechanism):
        return catalog.build(mechanism)
    return load(mechanism)


def _pairs(text: str) -> dict[str, str]:
    """a=b,c=d."""
    made = {}
    for pair in filter(None, text.split(",")):
        left, sign, right = pair.partition("=")
        if not (left.strip() and sign and right.strip()):
            raise typer.BadParameter(f"expected name=name, got {pair!r}", param_hint="--symbols")
        made[left.strip()] = right.strip()
    return made


def _conditional(found: dict[str, Any]) -> str:
    """How many more are identical under conditions."""
    more = sum(v.status == "identical if" for v in found.values())
    return f", {more} more if forces that they leave out are zero" if more else ""


def _shown(label: str, verdict: Any) -> str:
    colors = {"identical": "green", "differs": "red", "unreadable": "red"}
    head, *rest = str(verdict).split("\n")
    status, colon, about = head.partition(":")
    head = typer.style(status, fg=colors.get(status, "yellow"), bold=True) + colon + about
    return "\n".join(([f"{label}: {verdict.claim}"] if label else []) + [head, *rest])


def _refuse_early(form: str, method: str, to: str, output: Path | None) -> None:
    """What cannot be written in the end is refused before it is derived."""
    from visviva.judge.closed.printed import LANGUAGES
    from visviva.judge.derive.steps import METHODS

    if form not in FORMS:
        raise UnknownNameError("form", form, FORMS)
    if form == "steps" and to not in STEPS_TO:
        raise UnknownNameError("language of a derivation", to, STEPS_TO)
    if method and method not in METHODS:
        raise UnknownNameError("method", method, METHODS)
    if method and form != "steps":
        raise ArgumentError(f"--method {method} is for steps: add --form steps")
    if form != "steps" and to not in LANGUAGES:
        raise UnknownNameError("language", to, LANGUAGES)
    if output is not None and (output.is_dir() or not output.parent.is_dir()):
        raise ArgumentError(f"{output} cannot be written: expected a file in a folder that exists")


def _closed(system: Any, form: str, to: str) -> str:
    from visviva.judge.closed.printed import printed

    return printed(system.closed_form(), form, to)


def _steps(system: Any, method: str, to: str) -> str:
    derivation = system.derivation(method)
    ways: dict[str, Callable[[], str]] = {
        "md": derivation.markdown,
        "latex": derivation.latex,
        "html": derivation.html,
        "ipynb": lambda: json.dumps(derivation.notebook(), indent=1),
    }
    return ways[to]()
