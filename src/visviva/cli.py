"""The command `visviva`: mechanisms from the catalogue or from files, and what is true of them."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from visviva.errors import UnknownNameError, VisvivaError
from visviva.progress import progress

app = typer.Typer(
    help="Robot and rigid-body dynamics: equations, proven.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
FORMS = ("standard", "christoffel", "equations", "steps")
INTERRUPTED = 130  # what shells expect of a program that was stopped by Ctrl-C

Mechanism = Annotated[str, typer.Argument(help="A name of the catalogue, or a file.")]


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
        str, typer.Option(help="lagrange, newton-euler, d-alembert or virtual-work; for steps.")
    ] = "lagrange",
    form: Annotated[
        str, typer.Option(help="standard (M, C, g, b), christoffel, equations or steps.")
    ] = "standard",
    to: Annotated[str, typer.Option(help="md, latex, html, python, c; ipynb for steps.")] = "md",
    output: Annotated[Path | None, typer.Option(help="A file to write instead.")] = None,
) -> None:
    """The equations of motion in textbook form, or the way to them step by step.

    Example: visviva derive two_link --form steps --method newton-euler --to html --output arm.html
    """
    if form not in FORMS:
        raise UnknownNameError("form", form, FORMS)
    system = _system(mechanism)
    with progress(f"deriving {mechanism}"):
        text = _steps(system, method, to) if form == "steps" else _closed(system, form, to)
    if output is None:
        typer.echo(text)
    else:
        output.write_text(text, encoding="utf-8")
        typer.echo(f"written to {output}", err=True)


def main() -> None:
    """Errors of ours are one line, and so is Ctrl-C; others show where they came from."""
    try:
        app()
    except VisvivaError as error:
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


def _closed(system: Any, form: str, to: str) -> str:
    from visviva.judge.printed import printed

    return printed(system.closed_form(), form, to)


def _steps(system: Any, method: str, to: str) -> str:
    derivation = system.derivation(method)
    ways: dict[str, Callable[[], str]] = {
        "md": derivation.markdown,
        "latex": derivation.latex,
        "html": derivation.html,
        "ipynb": lambda: json.dumps(derivation.notebook(), indent=1),
    }
    if to not in ways:
        raise UnknownNameError("language of a derivation", to, ways)
    return ways[to]()
