"""The commands in the order of the help."""

from __future__ import annotations

from typing import Annotated

import typer

from visviva import __version__
from visviva.cli.check import check
from visviva.cli.derive import derive
from visviva.cli.info import info
from visviva.cli.kinematics import kinematics
from visviva.cli.listing import list_
from visviva.cli.simulate import simulate

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


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


app.command("list")(list_)
for command in (info, derive, check, simulate, kinematics):
    app.command()(command)
