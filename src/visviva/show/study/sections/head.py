"""The first thing that is seen: the mechanism in motion, sliders, and facts in numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from visviva.describe.catalog.kinds import sentence
from visviva.drawing.digits import number
from visviva.errors import VisvivaError
from visviva.show.laboratory.closing import assembling
from visviva.show.page.escaping import escaped
from visviva.show.page.page import Page
from visviva.show.page.parts import facts
from visviva.show.page.picture import Motion, picture
from visviva.show.study.part import few, small
from visviva.show.study.studied import Studied

_NAME = "mechanism"  # of the picture, for scripts


def title(s: Studied) -> tuple[str, str]:
    """A name, and a sentence that says what it is."""
    return str(s.system.name), _sentence(s)


def _sentence(s: Studied) -> str:
    if said := sentence(s.system):
        return said
    freedoms = _freedoms(s)
    if not s.has_bodies:
        return f"A system stated by its energies, in {few(s.system.coordinate_names)}: {freedoms}."
    bodies = len(s.system.bodies)
    loops = len(s.system.loops)
    closed = f", {loops} closed loop{'s' * (loops != 1)}" if loops else ""
    read = f", read from {Path(s.source).name}" if s.source else ""
    return f"{bodies} moving bod{'ies' if bodies != 1 else 'y'}{closed}{read}: {freedoms}."


def _freedoms(s: Studied) -> str:
    """In how many ways it moves; constraints take some of its coordinates."""
    n = positions = int(s.system.nv)
    if s.system.held_by:
        try:
            found = s.system.mobility()
        except VisvivaError:
            return f"{n} coordinates, which constraints tie together"
        n, positions = found.freedoms, found.true
    if positions is not None and n != positions:
        return f"positions of {positions} dimensions, {n} velocities free at a time"
    return f"{n} degree{'s' * (n != 1)} of freedom"


def hero(s: Studied, page: Page, more: dict[str, str]) -> str:
    """The picture with its sliders, a line below it, and facts."""
    try:
        motions, words = _motions(s)
        drawn = picture(
            page,
            s.scene,
            _NAME,
            motions=motions,
            autoplay=bool(motions),
            alt=f"{s.name}: the mechanism, drawn in perspective",
            functions=assembling(page, s.scene),
        )
    except VisvivaError as error:
        drawn, words = f"<p>{escaped(f'There is no picture of it: {error}')}</p>", ""
    below = small(words) if words else ""
    return drawn + below + facts(_counted(s, more))


def _motions(s: Studied) -> tuple[list[Motion], str]:
    try:
        found = s.demo_motion
    except VisvivaError as error:
        return [], f"No motion is shown: {error}"
    run = found.run
    seconds = number(run.t[-1], "s", 3)
    said = (
        f"Here it is {found.start.description}: {seconds} of its own motion, "
        f"{found.motors.description}. "
        "Pause it and drag a slider to move it by hand; drag the picture to turn it."
    )
    told = filter(None, (*s.scene.notes, s.scene.begins))
    notes = "".join(f" {x[:1].upper()}{x[1:]}." for x in told)
    return [Motion(found.start.description, run.t, run.q)], said + notes


def _counted(s: Studied, more: dict[str, str]) -> dict[str, str]:
    """Freedoms first, then bodies and mass, then what sections found."""
    first = {k: x for k, x in more.items() if "free" in k or "dimensions" in k}
    system: Any = s.system
    own = {}
    if s.has_bodies:
        own["bodies" if len(system.bodies) != 1 else "body"] = str(len(system.bodies))
        own["moving mass"] = number(system.mass, "kg", 4)
    return {**(first or {"coordinates": str(system.nv)}), **own, **more}
