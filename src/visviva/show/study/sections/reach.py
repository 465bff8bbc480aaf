"""Where the tip of an arm reaches and loses a direction; of a linkage its dead points."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy

from visviva.describe.model.body import WORLD
from visviva.drawing.digits import number
from visviva.errors import OutOfTimeError, VisvivaError
from visviva.notation.writing.webpage import prose
from visviva.notation.writing.write import mathml, width_of
from visviva.show.kinematics import kinematics_report
from visviva.show.page.escaping import escaped
from visviva.show.page.formulas import formula
from visviva.show.page.parts import fold, table
from visviva.show.study.linkage import Turned, turned
from visviva.show.study.part import NotHereError, Part, paragraph, sign, small
from visviva.show.study.part import said as printed
from visviva.show.study.patience import within
from visviva.show.study.studied import Studied

_LONGEST = 900  # characters of a determinant
_MOST_VELOCITIES = 8
_WIDE = 80  # of an equation in a table
_EACH = 40.0  # seconds for each of the questions


def reach(s: Studied) -> Part:
    """Singular positions in formulas and words, the workspace as a picture, the Jacobian."""
    tip = s.tip
    if s.system.nv > _MOST_VELOCITIES:
        raise NotHereError(
            f"With {s.system.nv} velocities this is left to visviva kinematics, frame by frame."
        )
    if s.is_held:
        return _linkage(s)
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
            with within(_EACH):
                html += way(s, report, said, data)
            lines.append(line)
        except OutOfTimeError:
            longer = f"It takes longer than a page may. visviva kinematics {s.command} computes it"
            html += f"<h3>{_NAMES[way.__name__]}</h3>{paragraph(f'{longer}; so does {line}.')}"
        except (VisvivaError, ValueError) as error:  # the last where it reaches a point alone
            reason = str(error).partition("): ")[2] or str(error)
            html += f"<h3>{_NAMES[way.__name__]}</h3>{paragraph(_sentence(reason))}"
    if not said:
        said.append(f"What its last frame, {tip}, can do.")
    return Part(" ".join(said), html, tuple(lines), data=data)


def _linkage(s: Studied) -> Part:
    """Loops tie its joints together: what the motor's turn does, instead of what free joints do."""
    found = turned(s.system, s.start)
    if found is None:
        raise NotHereError(
            "Closed loops tie its joints together, and it has no single motor on the ground that "
            "moves all of it: ask for one position by system.singularity(frame, q), or for the "
            f"open arm by system.without_constraints().singularities({s.tip!r})."
        )
    at = f"turn = np.linspace({found.values[0]:.9g}, {found.values[-1]:.9g}, {len(found.values)})"
    start, name = s.at(found.q[0]), sign(found.joint, s.names)
    lines = ["import numpy as np", at]
    html = f"<h3>Dead points</h3>{_ends(s, found)}"
    angle = ""
    try:
        known = s.system.transmission_angle(found.joint, found.values, q0=found.q[0])
        low, high = np.degrees([known.angle.min(), known.angle.max()])
        angle = f" The transmission angle goes from {low:.4g}° to {high:.4g}°."
        text = (
            f"Between the line of {known.coupler}, along which it pushes, and that of "
            f"{known.output}, across which that moves: at 90° all of the force moves it, near 0° "
            f"and 180° it jams. It goes from {low:.4g}° to {high:.4g}°; designers keep to 45° to "
            "135°, which is shaded."
        )
        html += f"<h3>Transmission angle</h3>{paragraph(text)}"
        html += s.page.plot(known.plot(), f"Transmission angle of {s.name} over {name}")
        lines.append(f"print(system.transmission_angle({found.joint!r}, turn, q0={start}))")
    except VisvivaError:  # several bodies are driven, or it moves in space
        pass
    try:
        body, point = _coupler(s)
        how = {"q0": found.q[0], "point": point}
        curve = s.system.coupler_curve(body, found.joint, found.values, **how)
        html += "<h3>Coupler curve</h3>"
        html += paragraph(f"The path of the centre of mass of {body} while {name} turns.")
        html += s.page.plot(curve.plot(), f"The path of {body} of {s.name}")
        own = f"point={s.at(point)}, q0={start}"
        lines.append(f"system.coupler_curve({body!r}, {found.joint!r}, turn, {own})")
    except VisvivaError:
        pass
    goes = "turns all the way round" if found.is_whole else "swings"
    n = len(found.dead)
    dead = f"{n} dead point{'s' * (n != 1)}" if n else "no dead points"
    lead = f"The motor at {name} {goes}, with {dead} of the other joints on the ground.{angle}"
    points = [{"joint": x.output, "input": x.value, "at": x.at} for x in found.dead]
    data = {"input": found.joint, "whole_turn": found.is_whole, "dead_points": points}
    return Part(lead, html, tuple(lines), data=data)


def _ends(s: Studied, found: Turned) -> str:
    """How far the motor goes, and where the other joints turn back."""
    units = {x: s.system.coordinate_units[y[0].start] for x, y in s.system.joint_slices.items()}
    name = sign(found.joint, s.names)
    if found.is_whole:
        said = f"The motor at {name} turns all the way round: it has no dead point."
    else:
        low, high = (_value(x, "rad") for x in found.values[[0, -1]])
        said = (
            f"The motor at {name} goes from {low} to {high} and turns back at both ends: "
            "there the other joints would have to move infinitely fast."
        )
    if not found.dead:
        return paragraph(f"{said} No other joint on the ground turns back on the way.")
    said += (
        " The joints below stand still for a moment and turn back: at these dead points a motor at "
        "them cannot start the linkage, however strong it is, while a small torque at "
        f"{name} holds a large force there (toggle)."
    )
    rows = [
        [
            sign(x.output, s.names),
            _value(x.at, units[x.output]),
            _value(x.value % (2 * np.pi), "rad"),
        ]
        for x in found.dead
    ]
    return paragraph(said) + table(["Turns back", "there at", f"with {name} at"], rows)


def _value(x: float, unit: str) -> str:
    return number(np.degrees(x), "°", 5).replace(" °", "°") if unit == "rad" else number(x, unit, 5)


def _coupler(s: Studied) -> tuple[str, Any]:
    """A body that is joined to no ground, and its centre of mass, which draws its own curve."""
    free = [b for b in s.system.numeric.bodies if b.parent != WORLD]
    body = free[0] if free else s.system.numeric.bodies[-1]
    return str(body.name), np.asarray(body.inertia.com, dtype=float)


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
    far = f"{number(low, digits=4)} to {number(high, digits=4)} metres"
    said.append(f"It reaches {far} far.")
    data["reach"] = [float(low), float(high)]
    how = "Exact" if found.is_exact else "From samples"
    sentence = f"{how}: {found.extent}; {found.how}."
    drawn = s.page.plot(found.plot(report.q), f"Where {report.frame} of {s.name} can go")
    return f"<h3>Workspace</h3>{paragraph(sentence)}{drawn}"


def _columns(s: Studied, report: Any, said: list[str], data: dict[str, Any]) -> str:
    found = s.system.jacobian_columns(report.frame, report.q)
    return fold(
        "What each joint alone does to the tip, with all joints a little bent", printed(found)
    )


_NAMES = {"_singular": "Singular positions", "_workspace": "Workspace", "_columns": "Jacobian"}
