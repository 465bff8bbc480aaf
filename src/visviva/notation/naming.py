"""Names of velocities and accelerations: q1, qd1, qdd1; theta, thetad, thetadd."""

from __future__ import annotations

import re
from collections.abc import Container

INSIDE = "⟨"  # begins the names of symbols that are nobody's: forces, roots, constants


def velocity_name(coordinate: str) -> str:
    """The name of a coordinate's rate: a d before the index, if there is one."""
    return _dotted(coordinate, "d")


def acceleration_name(coordinate: str) -> str:
    """The name of its second rate."""
    return _dotted(coordinate, "dd")


def _dotted(coordinate: str, dots: str) -> str:
    letters = re.sub(r"_?\d+$", "", coordinate)
    return letters + dots + coordinate[len(letters) :]


def inside(kind: str, number: int | str) -> str:
    """A symbol that no name of a system is: ⟨force⟩1."""
    return f"{INSIDE}{kind}⟩{number}"


def fresh(name: str, taken: Container[str]) -> str:
    """The name, with as many _ after it as it needs to be a new one."""
    while name in taken:
        name += "_"
    return name
