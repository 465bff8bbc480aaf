"""The commands in the order of the help."""

from __future__ import annotations

from typing import Annotated

import typer

from visviva import __version__
from visviva.cli.check import check
from visviva.cli.convert import convert
from visviva.cli.derive import derive
from visviva.cli.info import bench, info
from visviva.cli.kinematics import kinematics
from visviva.cli.listing import list_
from visviva.cli.output import say
from visviva.cli.simulate import simulate
from visviva.cli.study import study
from visviva.cli.view import view

DEBUG = "--debug"
EPILOG = (
    "Ends with 0 if all is well; 1 if what was asked cannot be done, or a claim is not identical; "
    "2 if it was asked in a wrong way; 130 after Ctrl-C."
)

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["--help", "-h"]},
)


def _version(asked: bool) -> None:
    if asked:
        say(f"visviva {__version__}")
        raise typer.Exit


@app.callback(epilog=EPILOG)
def about(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say which.")
    ] = False,
    debug: Annotated[
        bool,
        typer.Option(DEBUG, help="Show where an error came from; also after the command."),
    ] = False,
) -> None:
    """Robot and rigid-body dynamics: equations, proven; machine code; motion.

    Example: visviva info two_link
    """


app.command("list")(list_)
for command in (study, view, info, derive, check, simulate, kinematics, bench, convert):
    app.command()(command)
