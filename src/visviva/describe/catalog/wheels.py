"""Wheels, discs and blades on a plane, by their energies: constraints on velocities.

Seen from above, x to the right and y up; theta is the angle from x to where it heads:

    sideways  x' sin theta - y' cos theta = 0
    forwards  x' cos theta + y' sin theta
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from visviva.describe.catalog.energies import stated
from visviva.describe.catalog.entry import CHOSET

BLOCH = "Bloch, Nonholonomic Mechanics and Control"
SIDEWAYS = "x'*sin(theta) - y'*cos(theta)"
FORWARDS = "x'*cos(theta) + y'*sin(theta)"
IN_THE_PLANE = "m*(x'^2 + y'^2)/2 + I*theta'^2/2"


@stated(f"{CHOSET}, example 10.3.1", m=1.0, I=0.1)
def knife_edge(*, ahead: float = 0.0, slope: float = 0.0) -> Mapping[str, Any]:
    """A blade at (q1, q2) with the heading q3, which does not move across itself.

    The constraint is q1' sin q3 - q2' cos q3 = 0. The centre of mass is at the contact; with
    `ahead=0.2` it is 0.2 m before it, a parameter `ahead`, and I is about it. With `slope=0.3` the
    plane is inclined by that angle and falls along q1, under g.
    """
    statement: dict[str, Any] = {
        "coordinates": "q1 q2 q3",
        "kinetic": "m*(q1'^2 + q2'^2)/2 + I*q3'^2/2",
        "constraints": ["q1'*sin(q3) - q2'*cos(q3)"],
        "angles": "q3",
        "more": {},
    }
    height = "q1"
    if ahead:
        center = "(q1' - ahead*q3'*sin(q3))^2 + (q2' + ahead*q3'*cos(q3))^2"
        statement |= {"kinetic": f"m*({center})/2 + I*q3'^2/2"}
        statement["more"] |= {"ahead": ahead}
        height = "(q1 + ahead*cos(q3))"
    if slope:
        statement |= {"potential": f"-m*g*sin(slope)*{height}"}
        statement["more"] |= {"slope": slope, "g": 9.81}
    return statement


@stated(f"{BLOCH}, chapter 1", m=1.0, I=0.1, a=0.2)
def chaplygin_sleigh() -> Mapping[str, Any]:
    """A sleigh on a blade at (x, y), its centre of mass a ahead of the blade, I about the centre.

    Without forces v' = a ω² and (I + m a²) ω' = -m a v ω: it ends up going straight, blade behind.
    """
    center = "(x' - a*theta'*sin(theta))^2 + (y' + a*theta'*cos(theta))^2"
    return {
        "coordinates": "x y theta",
        "kinetic": f"m*({center})/2 + I*theta'^2/2",
        "constraints": [SIDEWAYS],
        "angles": "theta",
    }


@stated(f"{BLOCH}, chapter 1", m=1.0, I=0.01, J=0.02, r=0.2)
def rolling_disc() -> Mapping[str, Any]:
    """A disc of radius r that rolls upright on the plane: (x, y) where it touches, psi its turning.

    I is about the vertical, J about its axle. It slips neither sideways nor forwards.
    """
    return {
        "coordinates": "x y theta psi",
        "kinetic": f"{IN_THE_PLANE} + J*psi'^2/2",
        "constraints": [SIDEWAYS, f"{FORWARDS} - r*psi'"],
        "angles": "theta psi",
    }


@stated("Siciliano et al., Robotics: Modelling, Planning and Control, section 11.2", m=8.0, I=0.5)
def unicycle() -> Mapping[str, Any]:
    """A wheeled body that goes where it heads, driven by a force forwards and a steering torque."""
    return {
        "coordinates": "x y theta",
        "kinetic": IN_THE_PLANE,
        "constraints": [SIDEWAYS],
        "actuators": [["cos(theta)", "0"], ["sin(theta)", "0"], ["0", "1"]],
        "angles": "theta",
    }


@stated(
    "Siciliano et al., Robotics: Modelling, Planning and Control, section 11.2",
    m=8.0,
    I=0.5,
    J=0.002,
    r=0.05,
    b=0.15,
)
def differential_drive() -> Mapping[str, Any]:
    """A robot on two wheels of radius r, each b beside (x, y), turned by motors: right and left.

    The centre of mass of all is between the wheels, m and I count the wheels in, J is a wheel about
    its axle. Of its three constraints one combination integrates: theta - r (right - left) / (2 b)
    stays what it is.
    """
    return {
        "coordinates": "x y theta right left",
        "kinetic": f"{IN_THE_PLANE} + J*(right'^2 + left'^2)/2",
        "constraints": [
            SIDEWAYS,
            f"{FORWARDS} + b*theta' - r*right'",
            f"{FORWARDS} - b*theta' - r*left'",
        ],
        "actuators": [["0", "0"], ["0", "0"], ["0", "0"], ["1", "0"], ["0", "1"]],
        "angles": "theta right left",
    }
