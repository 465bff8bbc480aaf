"""Names of velocities and accelerations: q1, qd1, qdd1; theta, thetad, thetadd."""

from __future__ import annotations

import re


def velocity_name(coordinate: str) -> str:
    """The name of a coordinate's rate: a d before the index, if there is one."""
    return _dotted(coordinate, "d")


def acceleration_name(coordinate: str) -> str:
    """The name of its second rate."""
    return _dotted(coordinate, "dd")


def _dotted(coordinate: str, dots: str) -> str:
    letters = re.sub(r"_?\d+$", "", coordinate)
    return letters + dots + coordinate[len(letters) :]
