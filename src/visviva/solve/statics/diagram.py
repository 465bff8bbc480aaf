"""Free-body diagrams: every link by itself, with all that acts on it.

All links have the same scale of length and the same scale of forces. Weights pull at centres of
mass, loads act on the link, moments about the normal are arcs; dashed lines are lever arms about
the link's own joint. In space a view is chosen, and moments are arrows with two heads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import atan2, hypot, pi
from typing import TYPE_CHECKING, Any

import numpy as np

from visviva.drawing.svg import Still
from visviva.errors import ArgumentError, check_known
from visviva.solve.statics.free_body import Acting, FreeBody
from visviva.solve.statics.shapes import Drawing, Point
from visviva.solve.statics.sheet import sheet
from visviva.solve.statics.view import View, colour, shown_name, viewed

if TYPE_CHECKING:
    from visviva.solve.statics.statics import Statics

ARC = 17.0  # pixels: the radius of a moment
Label = tuple[Point, str, str, float]  # where, what, in which colour, in which direction from there


@dataclass(frozen=True)
class FreeBodies(Still):
    """Free-body diagrams of links as one picture."""

    links: tuple[str, ...]

    def __repr__(self) -> str:
        return f"free-body diagrams of {self.name!r}: {', '.join(self.links)}; .svg, .save(path)"


def free_body_diagrams(s: Statics, links: Sequence[str], view: Any) -> FreeBodies:
    """Of some links or all."""
    m = s.model
    for name in links:
        check_known(f"link of {m.name!r}", name, m.body_names)
    if not m.bodies:
        raise ArgumentError(f"{m.name!r} has no links to draw")
    chosen = [b for b in s.bodies if b.name in links or not links]
    seen = viewed(m, s.q, s.bodies, view)
    panels = [_panel(b, seen) for b in chosen]
    return FreeBodies(m.name, sheet(m.name, panels, seen, chosen), tuple(b.name for b in chosen))


def _panel(b: FreeBody, view: View) -> Drawing:
    """One link."""
    d = Drawing()
    own, *others = b.acting
    origin = view.at(own.at)
    spots = [view.at(p) for p in (b.centre, *(x.at for x in others))]
    for kind in ("fb-rim", "fb-link"):
        for spot in spots:
            d.line(origin, spot, kind, takes_room=False)
    d.segments += [(origin, spot) for spot in spots]
    labels: list[Label] = []
    for x in b.acting:
        _lever(d, own, x, view, labels)
    for x in b.acting:
        if x.cause in ("joint", "loop"):
            d.circle(view.at(x.at), 4.5, "fb-pin")
    d.circle(view.at(b.centre), 3.0, "fb-centre")
    for x in b.acting:
        _force(d, x, view, labels)
        _moment(d, x, view, labels)
    for where, text, kind, towards in labels:
        d.label(where, text, kind, towards)
    return d


def _force(d: Drawing, x: Acting, view: View, labels: list[Label]) -> None:
    seen = view.plane.flat(x.force) if view.flat else x.force
    size = float(np.linalg.norm(seen))
    if size <= view.least_force:
        return
    a = view.at(x.at)
    dx, dy = view.along(x.force, view.newton)
    kind = f"fb-{colour(x)}"
    if dx or dy:
        d.arrow(a, (a[0] + dx, a[1] + dy), kind)
    towards = atan2(-dy, dx) if dx or dy else pi / 4
    labels.append(((a[0] + dx, a[1] + dy), f"{shown_name(x)} {size:.4g} N", kind, towards))


def _moment(d: Drawing, x: Acting, view: View, labels: list[Label]) -> None:
    about = float(view.plane.turning(x.moment)) if view.flat else 0.0
    size = abs(about) if view.flat else float(np.linalg.norm(x.moment))
    if size <= view.least_moment:
        return
    a, kind = view.at(x.at), f"fb-{colour(x)}"
    if view.flat:
        fx, fy = view.plane.flat(x.force)
        # the gap of the arc is where the force leaves
        away = atan2(fy, fx) if hypot(fx, fy) * view.newton > 1.0 else 0.0
        start = away + (pi / 4 if about > 0 else -pi / 4)
        middle = d.arc(a, ARC, about, kind, start)
        towards = atan2(a[1] - middle[1], middle[0] - a[0])
    else:
        dx, dy = view.along(x.moment, view.newton_metre)
        middle = (a[0] + dx, a[1] + dy)
        towards = atan2(-dy, dx)
        if dx or dy:
            d.arrow(a, middle, f"{kind} fb-turn", heads=2)
    labels.append((middle, f"{shown_name(x)} {size:.4g} N m", kind, towards))


def _lever(d: Drawing, own: Acting, x: Acting, view: View, labels: list[Label]) -> None:
    """From the link's joint to the line along which a force acts; in space, to its point."""
    if x is own or float(np.linalg.norm(x.force)) <= view.least_force:
        return
    if not view.flat:
        d.line(view.at(own.at), view.at(x.at), "fb-arm", takes_room=False)
        return
    r, f = view.plane.flat(x.at - own.at), view.plane.flat(x.force)
    if hypot(*f) <= view.least_force:
        return
    u = f / hypot(*f)
    foot = r - (r @ u) * u
    arm = hypot(*foot)
    if arm * view.metre < 8.0:
        return
    a, at = view.at(own.at), view.at(x.at)
    end = (a[0] + view.metre * foot[0], a[1] - view.metre * foot[1])
    d.line(a, end, "fb-arm")
    d.line(end, at, "fb-arm")
    if x.cause in ("weight", "load"):
        middle = ((a[0] + end[0]) / 2, (a[1] + end[1]) / 2)
        labels.append((middle, f"{arm:.3g} m", "fb-small", atan2(-u[1], -u[0])))
