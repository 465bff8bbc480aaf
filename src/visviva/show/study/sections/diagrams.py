"""Free-body diagrams: every body alone, with all that acts on it at rest."""

from __future__ import annotations

from typing import Any

import numpy as np

from visviva.drawing.digits import number
from visviva.errors import VisvivaError
from visviva.show.page.parts import fold, table
from visviva.show.study.part import NotHereError, Part, said, small
from visviva.show.study.studied import Studied

_MOST_BODIES = 12


def diagrams(s: Studied) -> Part:
    """At the start position, held still by its motors."""
    if not s.has_bodies:
        raise NotHereError("It is stated by its energies: there are no bodies to draw apart.")
    system = s.system
    if len(system.bodies) > _MOST_BODIES:
        raise NotHereError(
            f"{len(system.bodies)} bodies are many to draw one by one; "
            "system.statics(q).free_bodies(links) draws some of them."
        )
    found, how = _held(s)
    drawn = found.free_bodies()
    html = f'<div class="wide" tabindex="0">{drawn.svg}</div>'
    torques = np.asarray(found.torques, dtype=float)
    units = [{"rad/s": "N m", "m/s": "N"}.get(x, "") for x in system.velocity_units]
    rows = [
        [name, number(x, digits=5), unit]
        for name, x, unit in zip(s.movers, torques, units, strict=True)
    ]
    html += small(
        "An arrow at a joint is all that the joint passes on, bearings included; a motor gives the "
        "part of it along the joint's own axis, and that is what the table has."
    )
    html += table(["Joint", "Motor alone, along its axis", "Unit"], rows)
    html += fold("All forces and moments as numbers", said(found))
    held = "every joint is held" if how else "motors hold it still"
    lead = f"Every body alone, with all forces on it, while {held} in the position it starts from."
    lines = (f"held = system.statics({s.at(s.start)}{how})", "print(held)", "held.free_bodies()")
    return Part(lead, html, lines, data={"torques": torques.tolist()})


def _held(s: Studied) -> tuple[Any, str]:
    """By its motors; where these are too few, by all joints."""
    try:
        return s.system.statics(s.start), ""
    except VisvivaError:
        names = s.system.joint_names
        return s.system.statics(s.start, actuated=names), ", actuated=system.joint_names"
