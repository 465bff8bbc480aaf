"""Sliders of a picture whose loops stay closed: the other coordinates are brought along."""

from __future__ import annotations

from typing import Any

from visviva.show.laboratory.functions import Functions
from visviva.show.laboratory.javascript import SCRATCH, written
from visviva.show.laboratory.start import speeds_of
from visviva.show.laboratory.subject import subject_of
from visviva.show.page.escaping import json_text
from visviva.show.page.page import Page
from visviva.show.scene.scene import Scene


def assembling(page: Page, scene: Scene) -> dict[str, str]:
    """For `functions=` of a picture: `assemble(q, k)` of a system with loops, else nothing.

    The script that it calls goes into the page.
    """
    system = scene.system
    program = Functions(subject_of(system), ()).close()
    if program is None:
        return {}
    close = written(program, "close", ("q", "held", "t", "p"))
    sizes: dict[str, Any] = {"nq": system.nq, "nv": system.nv, "size": scene.size}
    sizes["speeds"] = speeds_of(system)
    sizes["joined"] = [[] for _ in range(system.nq)]
    for own, rates in system.joint_slices.values():  # one that turns by a quaternion stays whole
        for k in range(own.start, own.stop):
            sizes["joined"][k] = list(range(rates.start, rates.stop))
    page.script("closing.js")
    return {
        "assemble": (
            f"const {SCRATCH} = new Float64Array({close.scratch});\n{close.text}"
            f"const closing = VV.closing(close, {json_text(sizes)});"
            "\nfunction assemble(q, k, t, from) { return closing.assemble(q, k, t, from); }"
        )
    }
