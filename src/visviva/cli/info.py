"""`visviva info`: what a mechanism is."""

from __future__ import annotations

import typer

from visviva.cli.common import Mechanism, system_of


def info(mechanism: Mechanism) -> None:
    """What a mechanism is: bodies, joints, parameters, and what its file's reader did.

    Example: visviva info two_link
    """
    from visviva.describe import catalog

    system = system_of(mechanism)
    if mechanism in catalog.names():
        typer.echo(catalog.describe(mechanism) + "\n")
    typer.echo(repr(system))
    for note in getattr(system, "notes", ()):
        typer.echo(f"note: {note}")
