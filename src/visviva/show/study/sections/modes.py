"""Positions of rest, and what small motions about them do: eigenvalues, modes, stability."""

from __future__ import annotations

from typing import Any

import numpy as np

from visviva.drawing.digits import complex_number, number
from visviva.errors import VisvivaError
from visviva.notation.writing.webpage import prose
from visviva.show.laboratory.closing import assembling
from visviva.show.page.escaping import escaped
from visviva.show.page.parts import mark, table
from visviva.show.page.picture import Motion, mode_motion, picture
from visviva.show.study.part import NotHereError, Part, few, small
from visviva.show.study.studied import Studied

_STARTS = 60
_STATUS = {
    "asymptotically stable": "Pushed a little, it comes back to the steadiest of them.",
    "stable": "Pushed a little, it swings about the steadiest of them.",
    "drifts": "Pushed a little, it drifts away at a constant rate.",
    "undecided": "Whether it stays there, the linear equations do not tell.",
    "unstable": "Pushed a little, it leaves all that were looked at.",
}
_MANY = 12  # positions of rest that are listed
_ORDER = ("asymptotically stable", "stable", "drifts", "undecided", "unstable")
_MARKS = {"asymptotically stable": "good", "stable": "good", "unstable": "bad"}
_MOST_MODES = 6  # that are played
_AMPLITUDE = 0.25
_MOST_VELOCITIES = 20
_ROUNDING = 1e-9  # of the largest eigenvalue


def modes(s: Studied) -> Part:
    """Where it can rest, and its own motions about the steadiest of these positions."""
    system = s.system
    if system.nv > _MOST_VELOCITIES:
        raise NotHereError(
            f"With {system.nv} velocities positions of rest are not looked for here; "
            "system.equilibria() does."
        )
    found = system.equilibria(starts=_STARTS)
    if not len(found):
        raise NotHereError(
            "Without motors it rests nowhere; that is proved."
            if found.proved
            else f"No position of rest without motors was found from {_STARTS} random starts."
        )
    anywhere = len(found) > _MANY  # a family of positions, of which some were found
    linear = {k: _linear(found, k) for k in range(1 if anywhere else len(found))}
    known = {k: x for k, x in linear.items() if x is not None}
    if not known:
        raise NotHereError("It has positions of rest, but no linear equations about them.")
    best = min(known, key=lambda k: _ORDER.index(_status(known[k])))
    about = known[best]
    html = _positions(s, found, linear, best) + _table(s, about) + _played(s, about)
    status = _status(about)
    lead = f"Without motors it can rest {_places(found)}. {_STATUS[status]}"
    q = s.at(found[best])
    lines = (
        "print(system.equilibria())",
        f"small = system.linearize({q})",
        "print(small)",
        "print(small.eigenvalues)",
    )
    eigenvalues = [[float(z.real), float(z.imag)] for z in about.eigenvalues]
    data = {"equilibria": found.q.tolist(), "about": found[best].tolist(), "status": status}
    return Part(lead, html, lines, data={**data, "eigenvalues": eigenvalues})


def _linear(found: Any, k: int) -> Any:
    try:
        about = found.linearized(k)
        _ = about.stability, about.modes
    except VisvivaError:
        return None
    return about


def _status(about: Any) -> str:
    """Of the mechanism itself."""
    return str(about.stability.of_rest.partition(":")[0])


def _places(found: Any) -> str:
    n = len(found)
    if len(found.anywhere) == found.system.nv:
        if found.system.held_by:
            said = "anywhere that constraints let it be: no force acts along its motions"
            return said if found.proved else f"{said}, as far as was looked"
        return "anywhere: no force depends on where it is"
    if n > _MANY:
        return "in so many positions that they are not listed; it may rest anywhere"
    free = f", at any {few(found.anywhere)}" if found.anywhere else ""
    said = f"in {n} position{'s' * (n != 1)}{free}"
    bounds = " within limits" if "within limits" in found.why else ""
    return f"{said}, and it is proved that there are no others{bounds}" if found.proved else said


def _positions(s: Studied, found: Any, linear: dict[int, Any], best: int) -> str:
    rows = []
    for k, about in linear.items():
        status = "not linear" if about is None else _status(about)
        at = ", ".join(
            f"{name} = {number(x, unit if unit != '1' else '', 5)}"
            for name, x, unit in zip(s.signs, found[k], s.system.coordinate_units, strict=True)
        )
        chosen = " ◂ shown below" if k == best else ""
        rows.append([escaped(at + chosen), mark(status, _MARKS.get(status, "warn"))])
    html = table(["Position of rest", "Stability"], rows, html=True)
    how = f"Found from {_STARTS} random starts; there may be others."
    if len(found.anywhere) == found.system.nv:
        how = "One of them stands for all."
    elif found.proved:
        bounds = " within limits" if "within limits" in found.why else ""
        how = f"Searched everywhere{bounds} by interval arithmetic: there are no others."
    return html + small(how) + "".join(small(_sentence(x)) for x in found.notes)


def _sentence(x: str) -> str:
    return f"{x[:1].upper()}{x[1:]}."


def _table(s: Studied, about: Any) -> str:
    rows = []
    scale = max((abs(m.eigenvalue) for m in about.modes), default=1.0)
    for k, mode in enumerate(about.modes, 1):
        z = mode.eigenvalue
        still = abs(z.real) < _ROUNDING * scale
        z = complex(0.0, z.imag) if still else z
        size = np.abs(mode.shape)
        largest = [
            f"{name} {number(np.real(x), digits=2)}"
            for name, x, y in zip(s.movers, mode.shape, size, strict=True)
            if y > 0.02
        ]
        rows.append(
            [
                str(k),
                complex_number(z, 4),
                number(mode.frequency, digits=4) if z.imag else "",
                number(0.0 if still else mode.damping_ratio, digits=2) if z.imag else "",
                few(largest),
            ]
        )
    head = ["Mode", "Eigenvalue [1/s]", "Frequency [Hz]", "Damping ratio", "Who moves"]
    why = about.stability.argument
    said = f"{_status(about).capitalize()}: {why}."
    return f"<h3>Small motions</h3><p>{prose(said)}</p>{table(head, rows)}"


def _played(s: Studied, about: Any) -> str:
    """The modes as motions to look at."""
    moving: list[Motion] = []
    for k, mode in enumerate(about.modes[:_MOST_MODES], 1):
        size = float(s.scene.size)
        form = np.asarray(mode.shape)
        slides = np.array(["rad" not in unit for unit in s.system.velocity_units])
        worth = float(np.abs(np.where(slides, form / size, form)).max(initial=0.0))
        if not worth or not abs(mode.eigenvalue):
            continue
        hertz = f", {number(mode.frequency, 'Hz', 3)}" if mode.eigenvalue.imag else ""
        amplitude = _AMPLITUDE / worth * float(np.abs(form).max())
        moving.append(mode_motion(s.system, f"mode {k}{hertz}", about.q, form, amplitude))
    if not moving:
        return ""
    try:
        drawn = picture(
            s.page,
            s.scene,
            "modes-picture",
            motions=moving,
            sliders=False,
            alt=f"The modes of {s.name}, much enlarged",
            functions=assembling(s.page, s.scene),
        )
    except VisvivaError:
        return ""
    below = "Small motions drawn large; all are played at one pace. Choose a mode above."
    return drawn + small(below)
