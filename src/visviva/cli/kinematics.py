"""`visviva kinematics`: where an arm reaches."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from visviva.cli.common import (
    AsData,
    Base,
    Mechanism,
    check_output,
    numbers_of,
    system_of,
    written,
)
from visviva.cli.output import say, say_data


def kinematics(
    mechanism: Mechanism,
    frame: Annotated[str, typer.Option(help="Frame of the tip; the last one if not given.")] = "",
    at: Annotated[str, typer.Option(help="Joints, name=value,…; else all a little bent.")] = "",
    pose: Annotated[
        str, typer.Option(help="Target: x,y or x,y,z or x,y,z,roll,pitch,yaw; else where it is.")
    ] = "",
    plot: Annotated[Path | None, typer.Option(help="A page with pictures: .html.")] = None,
    base: Base = "fixed",
    as_json: AsData = False,
) -> None:
    """Where it reaches: pose and Jacobian, solutions for a target, singular positions, workspace.

    \b
    Examples:
      visviva kinematics puma560 --at joint2=-0.6,joint5=0.4 --plot puma.html
      visviva kinematics scara --pose 0.3,0.2,0.1 --json
    """
    from visviva.show.kinematics import kinematics_report, typed_target

    check_output(plot, (".html",))
    target, system = typed_target(pose) if pose else None, system_of(mechanism, base)
    joints = numbers_of(at, "--at", system.coordinate_names)
    report = kinematics_report(system, frame, joints, target)
    if as_json:
        say_data(report.as_dict())
    else:
        say(str(report))
    if plot is not None:
        report.save(plot)
        written(plot, "drawn in")
    if pose and not report.is_solved:
        raise typer.Exit(1)
