"""`visviva info` and `visviva bench`: what a mechanism is, and how fast its functions are."""

from __future__ import annotations

import math
import os
from typing import Any

from visviva.cli.common import AsData, Base, Mechanism, system_of
from visviva.cli.output import say, say_data
from visviva.errors import VisvivaError


def info(mechanism: Mechanism, base: Base = "fixed", as_json: AsData = False) -> None:
    """What a mechanism is: bodies, joints, limits, frames, mobility, and what a reader did.

    \b
    Examples:
      visviva info two_link
      visviva info robot.urdf --base free
      visviva info four_bar --json
    """
    system = system_of(mechanism, base)
    if as_json:
        say_data(_facts(mechanism, system))
        return
    about = _of_the_catalogue(mechanism)
    if about:
        options = ", ".join(f"{k} = {x!r}" for k, x in about["options"].items())
        said = [about["line"], *([f"options: {options}"] if options else [])]
        say("\n".join([*said, f"source: {about['source']}", ""]))
    say(repr(system))
    say(f"\n{_coordinates(system)}")
    if frames := _frames(system):
        listed = ", ".join(f"{x['name']} ({x['body']})" for x in frames)
        say(f"\nframes, and the bodies that carry them: {listed}")
    try:
        say(f"\n{system.mobility()!r}")
    except VisvivaError as error:
        say(f"\nmobility: {error}")
    for note in getattr(system, "notes", ()):
        say(f"note: {note}")


def _of_the_catalogue(name: str) -> dict[str, Any]:
    from visviva.describe.catalog.entry import ENTRIES

    entry = ENTRIES.get(name)
    if entry is None:
        return {}
    return {"line": entry.line, "options": dict(entry.options), "source": entry.source}


def _coordinates(system: Any) -> str:
    """A line for each: its unit, its limits, where it begins."""
    rows = [("coordinate", "unit", "limits", "largest speed", "largest force", "at first")]
    for x in _listed(system):
        limits = f"[{x['lower']:.4g}, {x['upper']:.4g}]" if _bounded(x) else ""
        most = [f"{x[k]:.4g}" if math.isfinite(x[k]) else "" for k in ("speed", "force")]
        rows.append((x["name"], x["unit"], limits, *most, f"{x['start']:.4g}"))
    used = [k for k in range(6) if any(row[k] for row in rows[1:])]
    widths = {k: max(len(row[k]) for row in rows) for k in used}
    return "\n".join("  ".join(row[k].ljust(widths[k]) for k in used).rstrip() for row in rows)


def _bounded(x: dict[str, Any]) -> bool:
    return math.isfinite(x["lower"]) or math.isfinite(x["upper"])


def _listed(system: Any) -> list[dict[str, Any]]:
    """The coordinates with what is known of each; forces and speeds where they are one each."""
    try:
        q = system.assembled() if system.held_by else system.neutral()
    except VisvivaError:  # what holds it may be unknown, or hold nowhere
        q = system.neutral()
    free = [math.inf] * len(q)
    lower = getattr(system, "lower", [-x for x in free])
    upper = getattr(system, "upper", free)
    speeds = forces = free
    if system.nq == system.nv:
        speeds = getattr(system, "velocity_limits", free)
        forces = getattr(system, "effort_limits", free)
    columns = (system.coordinate_names, system.coordinate_units, lower, upper, speeds, forces, q)
    names = ("name", "unit", "lower", "upper", "speed", "force", "start")
    rows = zip(*(map(_plain, column) for column in columns), strict=True)
    return [dict(zip(names, row, strict=True)) for row in rows]


def _plain(x: Any) -> Any:
    return x if isinstance(x, str) else float(x)


def _frames(system: Any) -> list[dict[str, str]]:
    return [
        {"name": f.name, "body": _carrier(system, f.body)} for f in getattr(system, "frames", ())
    ]


def _carrier(system: Any, body: int) -> str:
    """The name of a body, or of the base where it is none."""
    return str(system.bodies[body].name if body >= 0 else system.base_name)


def _facts(mechanism: str, system: Any) -> dict[str, Any]:
    """All of it as data."""
    bodies = [
        {
            "name": b.name,
            "parent": _carrier(system, b.parent),
            "joint": b.joint_name,
            "kind": b.joint.kind,
            "mass": float(b.inertia.mass),
        }
        for b in getattr(getattr(system, "numeric", system), "bodies", ())
    ]
    return {
        "name": system.name,
        **_of_the_catalogue(mechanism),
        "stated_by": system.stated,
        "nq": system.nq,
        "nv": system.nv,
        "coordinates": _listed(system),
        "velocities": list(system.velocity_names),
        "parameters": {k: float(x) for k, x in system.parameters.items()},
        "bodies": bodies,
        "frames": _frames(system),
        "held_by": list(system.held_by),
        "mobility": _mobility(system),
        "notes": list(getattr(system, "notes", ())),
    }


def _mobility(system: Any) -> dict[str, Any]:
    try:
        found = system.mobility()
    except VisvivaError as error:
        return {"verdict": "unknown", "why": str(error)}
    facts = ("counted", "formula", "true", "verdict", "why", "redundant", "idle", "freedoms")
    return {k: getattr(found, k) for k in facts}


def bench(mechanism: Mechanism, as_json: AsData = False) -> None:
    """How fast its functions are on this machine: operations, one call, a batch, other libraries.

    Forces, accelerations, masses and their derivatives, on one thread, in a few seconds. Pinocchio
    and MuJoCo are measured in the same run if they are installed and have the same result.

    \b
    Examples:
      visviva bench puma560
      visviva bench robot.urdf --json
    """
    from visviva.show.speed.measure import measured_speed

    # nothing is drawn: or MuJoCo looks for OpenGL, in a process that answers Ctrl-C in its own way
    os.environ.setdefault("MUJOCO_GL", "disable")
    measured = measured_speed(system_of(mechanism))
    if as_json:
        say_data(measured.as_dict())
    else:
        say(str(measured))
