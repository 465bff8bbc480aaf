"""What commands share: mechanisms by name or file, lists of name=value, files to write."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from visviva.errors import ArgumentError

Mechanism = Annotated[str, typer.Argument(help="A name of the catalogue, or a file.")]


def system_of(mechanism: str) -> Any:
    """From the catalogue, or from a file if it looks like one."""
    from visviva.describe import catalog
    from visviva.describe.load import load

    if mechanism in catalog.names() or not (Path(mechanism).suffix or "/" in mechanism):
        return catalog.build(mechanism)
    return load(mechanism)


def numbers_of(text: str, option: str) -> dict[str, float]:
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


def pairs_of(text: str) -> dict[str, str]:
    """a=b,c=d."""
    made = {}
    for pair in filter(None, text.split(",")):
        left, sign, right = pair.partition("=")
        if not (left.strip() and sign and right.strip()):
            raise typer.BadParameter(f"expected name=name, got {pair!r}", param_hint="--symbols")
        made[left.strip()] = right.strip()
    return made


def check_output(path: Path | None, known: tuple[str, ...]) -> None:
    """Refuse files that could not be written, before the work."""
    if path is not None and path.suffix not in known:
        raise ArgumentError(f"the suffix of {path} is none of {', '.join(known)}")
    if path is not None and not path.parent.is_dir():
        raise FileNotFoundError(f"there is no folder {path.parent}")
