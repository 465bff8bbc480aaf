"""What shapes are drawn for: colours, words of the legend, which is drawn over which."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from visviva.errors import check_known
from visviva.show.scene.shapes import Segment, Shape

LINKS = "#4f83c4 #e08a4f #55a678 #a277c6 #d0a53c #4aa5b5 #cf6f86 #8b94a3".split()  # of bodies
COLOURS = {
    "ground": "#aab4c0",
    "joint": "#5d6b7c",
    "spring": "#7d8a99",
    "loop": "#c7503a",
    "axis": "#7b5ea7",
    "inertia": "#3b7dd8",
    "trace": "#d1495b",
    "centre": "#3a4654",
    "point": "#5d6b7c",
    "frame": "#5d6b7c",
}
SAID = {  # in the order in which they are drawn, one over the other
    "ground": "ground",
    "inertia": "inertia",
    "loop": "loops",
    "link": "links",
    "spring": "springs",
    "joint": "joints",
    "axis": "joint axes",
    "centre": "centres of mass",
    "point": "points",
    "trace": "traces",
    "frame": "frames",
    "label": "names",
}
PALE = {"inertia": 0.25, "ground": 0.55}
HOVERED = 200  # letters of the names of what is pointed at
HIDDEN = ("inertia", "frame")  # until the legend is clicked
CROWDED, MANY = ("centre", "axis", "label"), 8  # likewise, where there are more bodies


def carrier_of(shape: Shape) -> int:
    """Which carrier a shape belongs to; a bar between two belongs to the second."""
    where: Any = shape.b[0] if isinstance(shape, Segment) else getattr(shape, "on", 0)
    return int(where)


def colour_of(shape: Shape, carriers: Sequence[int]) -> str:
    """By its role; of links by the carrier, among all that have links."""
    if shape.role in COLOURS:
        return COLOURS[shape.role]
    own = carrier_of(shape)
    if own == 0:
        return COLOURS["ground"]
    return LINKS[(carriers.index(own) if own in carriers else own) % len(LINKS)]


def waiting(shapes: Sequence[Shape], shown: Sequence[str] | None) -> tuple[str, ...]:
    """Roles that are not seen until the legend is clicked; `shown` are words of the legend."""
    if shown is not None:
        for word in shown:
            check_known("part of a picture", word, SAID.values())
        return tuple(role for role, word in SAID.items() if word not in shown)
    bodies = sum(shape.role == "centre" for shape in shapes)
    return (*HIDDEN, *CROWDED) if bodies > MANY else HIDDEN
