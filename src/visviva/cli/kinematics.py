"""`visviva kinematics`: where an arm reaches."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from visviva.cli.common import Mechanism, check_output, numbers_of, system_of


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

    check_output(plot, (".html",))
    target = typed_target(pose) if pose else None
    report = kinematics_report(system_of(mechanism), frame, numbers_of(at, "--at"), target)
    typer.echo(json.dumps(report.as_dict(), indent=1) if as_json else str(report))
    if plot is not None:
        report.save(plot)
        typer.echo(f"drawn in {plot}", err=True)
