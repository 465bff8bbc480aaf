"""The laboratory as a section of a page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from visviva.errors import VisvivaError
from visviva.show.laboratory.laboratory import Laboratory, laboratory_of
from visviva.show.page.escaping import escaped
from visviva.show.page.page import Page, Section
from visviva.show.page.parts import code, fold, note
from visviva.show.scene.scene import Scene

ID = "laboratory"
HEADING = "Laboratory"
SCRIPTS = ("closing.js", "motion.js", "player.js")  # in this order, before the mechanism's own
LEAD = (
    "Take hold of a link, pull it, let it go. It moves by its own equations, computed here in the "
    "page: change a number and see what it does."
)
PAPER = "On paper nothing moves: open the page in a browser."


def laboratory_section(
    system: Any, scene: Scene, page: Page, parameters: Sequence[str] | None = None
) -> Section:
    """A section in which a reader moves the mechanism; its scripts and data go into the page.

    Where there can be none, the section says why.
    """
    try:
        lab = laboratory_of(system, scene, parameters)
        script = lab.script
    except VisvivaError as error:
        why = f"There is no laboratory of this mechanism: {error}"
        return Section(ID, HEADING, note(f"<p>{escaped(why)}</p>"))
    page.data(
        f"{ID}-data",
        {"motion": lab.as_dict(), "scene": scene.as_dict() | {"timed": scene.is_timed}},
    )
    for text in (*SCRIPTS, script, "laboratory.js"):
        page.script(text)
    page.style("laboratory.css")
    words = f"{system.name}: a laboratory, which needs a browser with scripts"
    html = (
        f'<div class="picture laboratory" data-laboratory="{ID}-data"><div class="stage">'
        f'<p class="instead">{escaped(words)}</p></div></div><p class="on-paper">{PAPER}</p>'
        f"{''.join(f'<p class=small>{escaped(x)}</p>' for x in lab.notes)}"
        f"{fold('What is exact here, and what is not', _told(lab))}"
    )
    return Section(ID, HEADING, html, lead=LEAD)


def _told(lab: Laboratory) -> str:
    """How the page computes, and the lines of Python that compute the same."""
    s, dt = lab.system, lab.dt
    step = f"{dt * 1e3:g} ms"
    said = [
        "Accelerations, energies and places are this mechanism's own functions, written as "
        f"JavaScript operation by operation. Steps are those of Runge and Kutta of fourth order, "
        f"{step} each: the same as simulate takes in Python, so that both give the same motion to "
        "rounding.",
        "The account adds up the power of every force over the same steps. What it leaves open is "
        "the error of the steps, not of your eyes: it is shown.",
        "Your hand is a spring and a damper from the point that you hold to the pointer; its work "
        "is booked. Added friction is the page's own, no part of the mechanism: on every velocity "
        "a force −c v, with c the number of the slider times the inertia that the coordinate has "
        "in the start position.",
    ]
    if s.held_by:
        said.append(
            "Constraints hold to rounding: after every step the position is brought back to them "
            "by two steps of Newton's method, and the velocity by an impulse of the constraints."
        )
    ours = [x for x in lab.sliders if not x.is_stated]
    if ours:
        said.append(f"{ours[0].label} is the size of gravity; its direction stays as it is.")
    lines = [
        f"q, v = {_listed(lab.q)}, {_listed(lab.v)}",
        f'run = system.simulate(q, v, 5.0, method="rk4", dt={dt!r})',
    ]
    unlike = [
        *(["holding by motors"] if lab.slid else []),
        *(["dry friction"] if lab.subject.is_dry else []),
        *(["stops"] if lab.subject.has_stops else []),
    ]
    same = (
        f"The same in Python, but for {' and '.join(unlike)}:" if unlike else "The same in Python:"
    )
    paragraphs = "".join(f"<p>{escaped(x)}</p>" for x in said)
    return f"{paragraphs}<p>{same}</p>{code(chr(10).join(lines))}"


def _listed(x: Any) -> str:
    return f"[{', '.join(repr(float(y)) for y in np.asarray(x))}]"
