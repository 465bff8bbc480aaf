"""`visviva list`: the mechanisms of the catalogue."""

from __future__ import annotations

import typer


def list_() -> None:
    """The mechanisms of the catalogue.

    Example: visviva list
    """
    from visviva.describe import catalog

    for name in catalog.names():
        first = catalog.describe(name).splitlines()[0]
        typer.echo(f"{name:24} {first.partition(': ')[2] or first}")
