"""`visviva study`: all that is known of a mechanism, on one page."""

from __future__ import annotations

import re
import webbrowser
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Annotated

import typer

from visviva.cli.common import AsData, Base, Mechanism, check_output, numbers_of, system_of, written
from visviva.cli.output import say, say_data


def study(
    mechanism: Mechanism,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The page; else NAME-study.html, here."),
    ] = None,
    claims: Annotated[
        list[Path] | None,
        typer.Option(help="Equations to be judged: one a line, CSV, TOML; a folder, or several."),
    ] = None,
    start: Annotated[
        str, typer.Option(help="Where it is shown and let go, name=value,name=value.")
    ] = "",
    patience: Annotated[
        float, typer.Option(help="How many times as long as usual a section may take.")
    ] = 1.0,
    open_it: Annotated[bool, typer.Option("--open", help="Open it in the browser.")] = False,
    base: Base = "fixed",
    as_json: AsData = False,
) -> None:
    """All that is known of a mechanism on one page: picture, laboratory, equations, proofs, motion.

    One HTML file, which opens anywhere without a network. What does not apply to a mechanism says
    so in a sentence. With --claims it ends with 1 unless every claim is right.

    \b
    Examples:
      visviva study rp_arm
      visviva study robot.urdf -o robot.html --open
      visviva study two_link --claims homework.toml
      visviva study robot.urdf --patience 10
    """
    began = perf_counter()
    from visviva.describe import catalog
    from visviva.judge.check.gather import gathered
    from visviva.show.study.study import study as studied

    own = re.sub(r"[(,= )]+", "_", Path(mechanism).stem).strip("_")
    path = output or Path(f"{own}-study.html")
    check_output(path, (".html",))
    source = "" if mechanism.partition("(")[0] in catalog.names() else mechanism
    system, at = system_of(mechanism, base), None
    said = gathered(claims, system) if claims else None
    if places := numbers_of(start, "--start", system.coordinate_names):
        at = system.assembled(**places) if system.held_by else system.q(places)
    found = studied(system, said, source=source, patience=patience, q=at)
    page = found.save(path)
    found = replace(found, seconds=perf_counter() - began)  # with imports, reading and writing
    if as_json:
        say_data({**found.as_dict(), "page": str(page)})
    else:
        say(repr(found))
        written(page, "open")
    if open_it:
        webbrowser.open(page.resolve().as_uri())
    judged = next((x for x in found.sections if x.id == "verdicts"), None)
    if said is not None and judged is not None:
        if not as_json:
            say(judged.missing or judged.lead)
        raise typer.Exit(0 if judged.data.get("all_right") else 1)
