"""Panels in rows on one page, with axes, scales and what colours mean."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from math import floor, hypot, log10

import numpy as np

from visviva.solve.statics.free_body import Acting, FreeBody
from visviva.solve.statics.shapes import Drawing
from visviva.solve.statics.view import ARROW_LEAST, View, colour, shown_name

GAP, HEADING, FOOT, ACROSS = 26.0, 30.0, 84.0, 1180.0  # pixels
STYLE = (
    """
.vvfb{--paper:#fff;--ink:#1c2126;--soft:#6b7680;--link:#dfe4e8;--rim:#8b97a1;
--joint:#1f6fb4;--weight:#2b8a3e;--load:#c92a2a;--spring:#b35c00;--actuator:#862e9c}
@media (prefers-color-scheme:dark){.vvfb{--paper:#14181c;--ink:#e8ecef;--soft:#98a4ae;
--link:#343d45;--rim:#76838e;--joint:#6db3f2;--weight:#69db7c;--load:#ff8787;
--spring:#ffb366;--actuator:#da8ee7}}
.vvfb text{font:12px system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;fill:var(--ink)}
.vvfb .fb-name{font-weight:600;font-size:14px}.vvfb .fb-small{fill:var(--soft)}
.vvfb .fb-paper{fill:var(--paper)}
.vvfb .fb-rim{stroke:var(--rim);stroke-width:15;stroke-linecap:round}
.vvfb .fb-link{stroke:var(--link);stroke-width:13;stroke-linecap:round}
.vvfb .fb-pin{fill:var(--paper);stroke:var(--ink);stroke-width:1.6}
.vvfb .fb-centre{fill:var(--weight)}
.vvfb .fb-arm{stroke:var(--soft);stroke-width:1;stroke-dasharray:4 3}
.vvfb .fb-lead{stroke:var(--soft);stroke-width:.7}
.vvfb .fb-axis,.vvfb .fb-bar{stroke:var(--ink);stroke-width:1.4}
.vvfb .fb-turn{stroke-width:1.2!important}.vvfb .fb-head{stroke:none!important}
.vvfb polyline{fill:none}
"""
    + "".join(
        f".vvfb .fb-{k}{{stroke:var(--{k});stroke-width:2.2}}"
        f".vvfb .fb-{k}.fb-head{{fill:var(--{k})}}.vvfb text.fb-{k}{{fill:var(--{k});stroke:none}}"
        for k in ("joint", "weight", "load", "spring", "actuator")
    )
    + ".vvfb .fb-axis.fb-head{fill:var(--ink)}"
)
SAID = {
    "joint": "joints",
    "weight": "weight",
    "load": "loads on the link",
    "spring": "springs",
    "actuator": "actuators",
}


def sheet(name: str, panels: Sequence[Drawing], view: View, bodies: Sequence[FreeBody]) -> str:
    """Panels in rows, a heading over each, and what the colours and lengths mean."""
    boxes = [d.bounds() for d in panels]
    texts = [7.8 * len(b.name) for b in bodies]
    wide = max(max(x[2] - x[0], t) for x, t in zip(boxes, texts, strict=True)) + 2 * GAP
    columns = max(1, min(len(panels), int(ACROSS // wide)))
    rows = [range(k, min(k + columns, len(panels))) for k in range(0, len(panels), columns)]
    out, top = [], HEADING + 24.0
    for row in rows:
        high = max(boxes[k][3] - boxes[k][1] for k in row)
        for j, k in enumerate(row):
            left = j * wide + wide / 2 - (boxes[k][0] + boxes[k][2]) / 2
            down = top + HEADING + high / 2 - (boxes[k][1] + boxes[k][3]) / 2
            link = escape(bodies[k].name)
            out.append(
                f'<text class="fb-name" x="{j * wide + GAP:.0f}" y="{top + 8:.0f}">{link}</text>'
            )
            out.append(
                f'<g transform="translate({left:.1f},{down:.1f})">{"".join(panels[k].parts)}</g>'
            )
        top += high + HEADING + GAP
    legend, needed = _legend(bodies, view, top + 8.0)
    width, height = max(columns * wide, needed), top + FOOT
    title = f"{escape(name)}: free bodies"
    out.append(f'<text class="fb-name" x="{GAP:.0f}" y="24">{title}</text>')
    out.append(legend)
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" class="vvfb" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}" role="img" aria-label="{title}">'
        f"<title>{title}</title><style>{STYLE}</style>"
        f'<rect class="fb-paper" width="100%" height="100%"/>{"".join(out)}</svg>'
    )


def _legend(bodies: Sequence[FreeBody], view: View, top: float) -> tuple[str, float]:
    """Axes, scales and colours, in a line; and how wide that is."""
    d, x, y = Drawing(), GAP + 14.0, top + 18.0
    axes = view.plane.flat(np.eye(3)) * [1.0, -1.0]
    for name, (a, b) in zip("xyz", axes, strict=True):
        if hypot(a, b) > 0.2:
            d.arrow((x, y), (x + 20 * a, y + 20 * b), "fb-axis")
            tip = x + 29 * a - 3, y + 29 * b + 4
            d.add(f'<text class="fb-small" x="{tip[0]:.1f}" y="{tip[1]:.1f}">{name}</text>')
    x += 46.0
    for scale, unit, wanted in _scales(bodies, view):
        long = _round(wanted / scale)
        right = x + long * scale
        d.line((x, y), (right, y), "fb-bar")
        for end in (x, right):
            d.line((end, y - 4), (end, y + 4), "fb-bar")
        d.add(f'<text class="fb-small" x="{x:.1f}" y="{y + 18:.1f}">{long:g} {unit}</text>')
        x = right + 26.0
    for kind, said in SAID.items():
        if any(colour(a) == kind for b in bodies for a in b.acting):
            d.line((x, y), (x + 18, y), f"fb-{kind}")
            d.add(f'<text x="{x + 23:.1f}" y="{y + 4:.1f}">{said}</text>')
            x += 34 + 6.8 * len(said)
    said = f"Arrows shorter than {ARROW_LEAST:g} pixels are drawn that long; "
    said += "dashed: lever arms." if view.flat else "two heads: moments; dashed: from the joint."
    beside = sorted({shown_name(x) for b in bodies for x in b.acting if _is_beside(x, view)})
    said += f" Not drawn: parts out of the plane, of {', '.join(beside)}." if beside else ""
    d.add(f'<text class="fb-small" x="{GAP + 60:.1f}" y="{y + 40:.1f}">{escape(said)}</text>')
    return "".join(d.parts), max(x, GAP + 60.0 + 6.7 * len(said)) + GAP


def _is_beside(x: Acting, view: View) -> bool:
    """Whether a plane picture leaves something out: forces across the plane, moments in it."""
    if not view.flat:
        return False
    across, within = abs(float(view.plane.turning(x.force))), view.plane.flat(x.moment)
    return across > view.least_force or hypot(*within) > view.least_moment


def _scales(bodies: Sequence[FreeBody], view: View) -> list[tuple[float, str, float]]:
    scales = [(view.metre, "m", 60.0), (view.newton, "N", 60.0)]
    turned = any(x.moment.any() for b in bodies for x in b.acting)
    return scales if view.flat or not turned else [*scales, (view.newton_metre, "N m", 60.0)]


def _round(x: float) -> float:
    """The largest of 1, 2, 5, 10, … that is not more."""
    power = 10.0 ** floor(log10(x))
    return max(k for k in (1.0, 2.0, 5.0) if k * power <= x * (1 + 1e-12)) * power
