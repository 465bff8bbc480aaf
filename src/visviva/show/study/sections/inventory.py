"""What a mechanism is made of: parameters with units, bodies and joints, notes of its reader."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy

from visviva.describe.model.body import WORLD
from visviva.drawing.digits import number
from visviva.notation.writing.write import mathml
from visviva.show.page.escaping import escaped
from visviva.show.page.formulas import formula
from visviva.show.page.parts import fold, table
from visviva.show.scene.words import words_of
from visviva.show.study.part import Part, few, paragraph
from visviva.show.study.studied import Studied

_MOST_ROWS = 16  # before a table is folded


def inventory(s: Studied) -> Part:
    """Parameters, bodies and joints or energies, and what was noted when it was read."""
    html = _parameters(s) + (_bodies(s) if s.has_bodies else _energies(s)) + _notes(s)
    lines = ["print(system)", "print(system.notes)"]
    values = {k: float(x) for k, x in s.system.parameters.items()}
    if values:
        lines.insert(0, "print(dict(system.parameters))")
    return Part(_lead(s), html, tuple(lines), data={"parameters": values})


def _lead(s: Studied) -> str:
    if s.has_bodies:
        own = "their values are those of this page" if s.system.parameters else "all are numbers"
        return f"Masses in kilograms, lengths in metres, angles in radians; {own}."
    return "It is stated by its energies: the equations below follow from these lines alone."


def _parameters(s: Studied) -> str:
    found = words_of(s.system)
    if not found:
        return ""
    values = s.system.parameters
    rows = [
        [
            mathml(sympy.Symbol(name), s.names, display="inline"),
            escaped(number(values[name])),
            escaped(x.unit),
            escaped(x.text),
        ]
        for name, x in found.items()
    ]
    made = table(["Parameter", "Value", "Unit", "What it is"], rows, html=True)
    if len(rows) <= _MOST_ROWS:
        return f"<h3>Parameters</h3>{made}"
    return fold(f"{len(rows)} parameters", made)


def _bodies(s: Studied) -> str:
    m = s.system.numeric
    rows = []
    for b in m.bodies:
        parent = m.base_name if b.parent == WORLD else m.bodies[b.parent].name
        moments = np.linalg.eigvalsh(np.asarray(b.inertia.tensor, dtype=float))
        rows.append(
            [
                b.name,
                b.joint_name,
                b.joint.kind + (f", follows {b.mimic.joint}" if b.mimic is not None else ""),
                parent,
                _limits(b),
                number(b.inertia.mass, digits=4),
                ", ".join(number(x, digits=3) for x in b.inertia.com),
                ", ".join(number(x, digits=3) for x in moments),
            ]
        )
    head = ["Body", "Joint", "Type", "On", "Limits", "Mass [kg]", "Centre [m]"]
    made = table([*head, "Principal moments [kg m²]"], rows)
    made = f"<h3>Bodies and joints</h3>{made}" if len(rows) <= _MOST_ROWS else fold("Bodies", made)
    return made + "".join(paragraph(x) for x in _sentences(s.system))


def _limits(b: Any) -> str:
    if b.joint.nq != 1 or not np.isfinite([*b.limits.lower, *b.limits.upper]).any():
        return ""
    unit = "rad" if any(b.joint.angular) else "m"
    low, high = float(b.limits.lower[0]), float(b.limits.upper[0])
    return f"{number(low, digits=4)} to {number(high, unit, 4)}"


def _sentences(m: Any) -> list[str]:
    """What there is besides bodies, each kind in a sentence."""
    said = [f"Closed loops: {'; '.join(map(str, m.loops))}."] if m.loops else []
    if m.frames:
        said.append(f"Named frames: {few(f.name for f in m.frames)}.")
    if m.springs:
        said.append(f"Springs: {few(x.name for x in m.springs)}.")
    if m.actuators:
        said.append(f"Actuators: {few(x.name for x in m.actuators)}.")
    if m.passive:
        said.append(f"No motor drives {few(m.passive)}.")
    return said


def _energies(s: Studied) -> str:
    system = s.system
    stated = {"T": system.kinetic, "V": system.potential}
    if not isinstance(system.dissipation, tuple) and system.dissipation != 0:
        stated["D"] = system.dissipation
    lines = [sympy.Eq(sympy.Symbol(k), x, evaluate=False) for k, x in stated.items()]
    words = "Kinetic energy T, potential energy V" + (", Rayleigh's D" if "D" in stated else "")
    html = f"<h3>Energies</h3>{paragraph(f'{words}:')}{formula(lines, s.names, name='energies')}"
    if any(x != 0 for x in system.forces):
        q = map(str, system.coordinates)
        forces = [
            sympy.Eq(sympy.Symbol(f"Q_{k}"), x, evaluate=False)
            for k, x in zip(q, system.forces, strict=True)
        ]
        html += paragraph("Forces that act besides:") + formula(forces, s.names, name="forces")
    if system.constraints:
        rows = [sympy.Eq(sympy.sympify(x), 0, evaluate=False) for x in system.constraints]
        html += paragraph("It is held by constraints:")
        html += formula(rows, s.names, name="constraints")
    return html


def _notes(s: Studied) -> str:
    notes = [str(x) for x in s.system.notes]
    if not notes:
        return ""
    listed = "".join(f"<li>{escaped(x)}</li>" for x in notes)
    made = f"<ul>{listed}</ul>"
    title = f"{len(notes)} note{'s' * (len(notes) != 1)} from reading it"
    return fold(title, made, opened=len(notes) <= 4)
