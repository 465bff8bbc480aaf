"""Where the tip of an arm reaches, and where it loses a direction."""

from __future__ import annotations

from typing import Any

import sympy

from visviva.errors import VisvivaError
from visviva.notation.writing.webpage import prose
from visviva.notation.writing.write import mathml, width_of
from visviva.show.kinematics import kinematics_report
from visviva.show.page.escaping import escaped
from visviva.show.page.formulas import formula
from visviva.show.page.parts import fold, table
from visviva.show.study.part import NotHereError, Part, number, paragraph, small
from visviva.show.study.part import said as printed
from visviva.show.study.studied import Studied

_LONGEST = 900  # characters of a determinant
_MOST_VELOCITIES = 8
_WIDE = 80  # of an equation in a table


def reach(s: Studied) -> Part:
    """Singular positions in formulas and words, the workspace as a picture, the Jacobian."""
    tip = s.tip
    if s.system.nv > _MOST_VELOCITIES:
        raise NotHereError(
            f"With {s.system.nv} velocities this is left to visviva kinematics, frame by frame."
        )
    report = kinematics_report(s.system, tip)
    html, said = "", list[str]()
    data: dict[str, Any] = {}
    asked = {
        _singular: f"print(system.singularities({tip!r}))",
        _workspace: f"print(system.workspace({tip!r}))",
        _columns: f"print(system.jacobian_columns({tip!r}, {s.at(report.q)}))",
    }
    lines = []
    for way, line in asked.items():
        try:
            html += way(s, report, said, data)
            lines.append(line)
        except (VisvivaError, ValueError) as error:  # the last where it reaches a point alone
            reason = str(error).partition("): ")[2] or str(error)
            html += f"<h3>{_NAMES[way.__name__]}</h3>{paragraph(_sentence(reason))}"
    if not said:
        said.append(f"What its last frame, {tip}, can do.")
    return Part(" ".join(said), html, tuple(lines), data=data)


def _singular(s: Studied, report: Any, said: list[str], data: dict[str, Any]) -> str:
    found = s.system.singularities(report.frame)
    n = len(found.sets)
    said.append(
        f"The tip {report.frame!r} loses a direction in {n} famil{'ies' if n != 1 else 'y'} of "
        "positions."
        if n
        else f"The tip {report.frame!r} loses no direction anywhere."
    )
    data["determinant"] = str(found.determinant)[:_LONGEST]
    html = f"<h3>Singular positions</h3>{paragraph(found.why[:1].upper() + found.why[1:] + '.')}"
    short = found.determinant.xreplace(s.numbered)
    if width_of(short, s.names, short=True) < _LONGEST:
        det = sympy.Eq(sympy.Symbol("detJ"), short, evaluate=False)
        html += paragraph(f"{found.what} is zero where a direction is lost:")
        html += formula([det], s.names, short=True, name="determinant")
    rows = [_set(s, one) for one in found.sets]
    if found.determinant.has(sympy.sin, sympy.cos):
        words = "s₂ is the sine of the second coordinate, c₂₃ the cosine of a sum of two"
        html += small(f"{words}; {s.legend}." if s.legend else f"{words}.")
    return html + (table(["", "Where", "What happens there"], rows, html=True) if rows else "")


def _set(s: Studied, one: Any) -> list[str]:
    """A family of singular positions: its name, its equations, its meaning."""
    shown = ""
    for x in one.equations:
        zero = sympy.Eq(x.xreplace(s.numbered), 0, evaluate=False)
        short = width_of(zero, s.names, short=True) < _WIDE
        math = mathml(zero, s.names, short=True, display="inline") if short else "a long formula"
        shown += f'<div class="line">{math}</div>'
    means = prose(_sentence(one.meaning)) if one.meaning else ""
    if not one.is_reached:
        means += " Not within the limits of the joints."
    return [f"<b>{escaped(one.name or 'singular')}</b>", shown, means]


def _sentence(x: str) -> str:
    return f"{x[:1].upper()}{x[1:].rstrip('.')}."


def _workspace(s: Studied, report: Any, said: list[str], data: dict[str, Any]) -> str:
    found = s.system.workspace(report.frame)
    low, high = found.reach
    unit, what = ("m²", "area") if found.plane is not None else ("m³", "volume")
    far = f"{number(low, digits=4)} to {number(high, digits=4)} metres"
    said.append(f"It reaches {far} far.")
    data["reach"] = [float(low), float(high)]
    how = "Exact" if found.is_exact else "From samples"
    sentence = f"{how}: {what} {number(found.size, unit, 4)}; {found.how}."
    drawn = s.page.plot(found.plot(report.q), f"Where {report.frame} of {s.name} can go")
    return f"<h3>Workspace</h3>{paragraph(sentence)}{drawn}"


def _columns(s: Studied, report: Any, said: list[str], data: dict[str, Any]) -> str:
    found = s.system.jacobian_columns(report.frame, report.q)
    return fold(
        "What each joint alone does to the tip, with all joints a little bent", printed(found)
    )


_NAMES = {"_singular": "Singular positions", "_workspace": "Workspace", "_columns": "Jacobian"}
