"""From arguments to an exit code: errors without tracebacks, Ctrl-C."""

from __future__ import annotations

import io
import sys

import typer

from visviva.cli.commands import app
from visviva.errors import VisvivaError

INTERRUPTED = 130  # what shells expect of a program that was stopped by Ctrl-C


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
