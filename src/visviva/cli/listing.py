"""`visviva list`: the mechanisms of the catalogue."""

from __future__ import annotations

import shutil
import sys
import textwrap
from typing import Annotated, Any

import typer

from visviva.cli.common import AsData
from visviva.cli.output import say, say_data
from visviva.errors import ArgumentError

INDENT = 28  # where what a mechanism is begins
HINT = "visviva info NAME tells more of one, visviva study NAME makes a page of it"


def list_(
    word: Annotated[
        str, typer.Argument(help="Only those that have this in their name, kind or line.")
    ] = "",
    as_json: AsData = False,
) -> None:
    """The mechanisms of the catalogue, by kind.

    \b
    Examples:
      visviva list
      visviva list wheel
      visviva list --json
    """
    found = [row for row in _rows() if word.lower() in " ".join(map(str, row.values())).lower()]
    if as_json:
        say_data(found)
        return
    if not found:
        raise ArgumentError(f"no mechanism has {word!r} in its name, kind or line: visviva list")
    heading = ""
    for row in found:
        if row["kind"] != heading:
            say(("\n" if heading else "") + row["kind"])
            heading = row["kind"]
        say(_line(row["name"], row["line"]))
    say(f"\n{len(found)} mechanisms: {HINT}")


def _rows() -> list[dict[str, Any]]:
    from visviva.describe.catalog.entry import ENTRIES
    from visviva.describe.catalog.kinds import kinds

    return [
        {
            "name": name,
            "kind": kind,
            "line": ENTRIES[name].line,
            "source": ENTRIES[name].source,
            "parameters": dict(ENTRIES[name].parameters),
            "options": dict(ENTRIES[name].options),
        }
        for kind, names in kinds().items()
        for name in names
    ]


def _line(name: str, line: str) -> str:
    """On a terminal broken where it ends; elsewhere one line, for grep."""
    text = f"  {name:<{INDENT - 3}} {line}"
    if not sys.stdout.isatty():
        return text
    width = max(shutil.get_terminal_size().columns, INDENT + 20)
    return textwrap.fill(text, width, subsequent_indent=" " * INDENT, drop_whitespace=True)
