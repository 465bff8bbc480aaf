"""Mechanisms: a picture, joints or energies, parameters."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from visviva.describe.energies.lagrangian import Lagrangian
from visviva.describe.model.model import Model
from visviva.describe.model.printed import HEADINGS, body_rows
from visviva.errors import VisvivaError
from visviva.notation.writing.write import mathml
from visviva.show.cards.parts import boxed, grid, line, listed, short
from visviva.show.page.escaping import escaped

_MOST_BODIES, _MOST_PARAMETERS, _MOST_WRITTEN = 16, 8, 600  # rows; letters of an energy


def model_card(model: Model) -> str:
    """Joints and bodies in a table, parameters, what else acts, and a picture."""
    rows = body_rows(model)
    shown = grid(HEADINGS[1:], [row[1:] for row in rows[:_MOST_BODIES]])
    if len(rows) > _MOST_BODIES:
        shown += line(f"… and {len(rows) - _MOST_BODIES} more; print it to see all of them")
    more = "".join(map(line, [*map(str, model.constraints), *_noted(model.notes)]))
    return boxed(
        f"{model.name}: {model.nv} velocities, {len(model.bodies)} bodies",
        _picture(model),
        shown + more,
        _parameters(model.parameters),
    )


def lagrangian_card(system: Lagrangian) -> str:
    """Energies, constraints and parameters, and a picture where points are stated."""
    stated = [("T", system.kinetic), ("V", system.potential)]
    if system.dissipation not in (0, ()):
        stated.append(("D", system.dissipation))
    rows = [f"<tr><td>{name} = </td><td>{_formula(x, system)}</td></tr>" for name, x in stated]
    rows += [f"<tr><td>0 = </td><td>{_formula(x, system)}</td></tr>" for x in system.constraints]
    return boxed(
        f"{system.name}: q = ({', '.join(system.coordinates)})",
        _picture(system),
        f"<table><tbody>{''.join(rows)}</tbody></table>",
        _parameters(system.parameters),
    )


def _formula(x: Any, system: Lagrangian) -> str:
    if len(str(x)) > _MOST_WRITTEN:  # first: MathML of a long one takes seconds
        return short(x)
    written: str = mathml(x, system.coordinates)
    return written


def _parameters(values: Any) -> str:
    shown = dict(list(values.items())[:_MOST_PARAMETERS])
    left = len(values) - len(shown)
    return listed(shown) + (line(f"… and {left} more parameters") if left else "")


def _noted(notes: Iterable[str]) -> list[str]:
    count = len(list(notes))
    return [f"{count} notes on what was read: see .notes"] if count else []


def _picture(system: Any) -> str:
    """Its picture where there is one: a card without it is better than none."""
    try:
        svg: str = system.picture().svg
    except VisvivaError as error:
        return f'<div style="opacity:.7">{escaped(f"no picture: {error}")}</div>'
    fitted = svg.replace("<svg ", '<svg style="max-width:100%;height:auto" ', 1)
    return f'<div style="width:260px">{fitted}</div>'
