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
HEADING = {"axis": "z", "angle": "theta"}
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
        "start": {"q3": 0.5, "q3'": 1.0, "q1'": 0.5},
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
    return statement | _skate(bool(ahead), bool(slope))


def _skate(ahead: bool, slope: bool) -> dict[str, Any]:
    """What is seen of the blade, on the level or on a plane that falls along x."""

    def on_plane(x: str, y: str, z: float) -> list[Any]:
        return [f"{x}*cos(slope)", y, f"{z} - {x}*sin(slope)"] if slope else [x, y, z]

    heading = {"axis": "z", "angle": "q3"}
    turned = {"euler": "YZX", "angles": ["slope", "q3", 0]} if slope else heading
    points = {
        "blade": on_plane("q1", "q2", 0.0),
        "front": on_plane("(q1 + 0.2*cos(q3))", "q2 + 0.2*sin(q3)", 0.0),
    }
    solids: dict[str, Any] = {
        "skate": {"box": [0.3, 0.015, 0.06], "at": "blade", "rotation": turned}
    }
    if ahead:
        points["centre"] = on_plane("(q1 + ahead*cos(q3))", "q2 + ahead*sin(q3)", 0.0)
        solids["centre"] = {"ball": 0.03}
    if slope:
        solids["plane"] = {"ring": 0.6, "rotation": {"axis": "y", "angle": "slope"}}
    return {"points": points, "solids": solids, "lines": [("blade", "front", "arrow")]}


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
        "points": {
            "blade": ["x", "y", 0.03],
            "centre": ["x + a*cos(theta)", "y + a*sin(theta)", 0.03],
        },
        "lines": [("blade", "centre")],
        "solids": {
            "blade": {"box": [0.12, 0.01, 0.06], "rotation": HEADING},
            "centre": {"cylinder": ["sqrt(I/m)/4", 0.03], "rotation": HEADING},
        },
        "start": {"x'": 0.5, "theta'": 2.0},
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
        "points": {"touching": ["x", "y", 0], "centre": ["x", "y", "r"]},
        "solids": {
            "centre": {
                "disc": "r",
                "axis": "y",
                "rotation": {"euler": "ZYX", "angles": ["theta", "psi", 0]},
            }
        },
        "start": {"x'": 0.8, "theta'": 1.0, "psi'": 4.0},
    }


def _beside(signs: str) -> list[Any]:
    """Beside (x, y), to the right with the signs +-."""
    return [f"x {signs[0]} 0.17*sin(theta)", f"y {signs[1]} 0.17*cos(theta)", 0.09]


@stated("Siciliano et al., Robotics: Modelling, Planning and Control, section 11.2", m=8.0, I=0.5)
def unicycle() -> Mapping[str, Any]:
    """A wheeled body that goes where it heads, driven by a force forwards and a steering torque."""
    rolling = {"axis": "y", "rotation": HEADING}
    return {
        "coordinates": "x y theta",
        "kinetic": IN_THE_PLANE,
        "constraints": [SIDEWAYS],
        "actuators": [["cos(theta)", "0"], ["sin(theta)", "0"], ["0", "1"]],
        "angles": "theta",
        "points": {
            "middle": ["x", "y", 0.1],
            "front": ["x + 0.4*cos(theta)", "y + 0.4*sin(theta)", 0.16],
        },
        "lines": [("middle", "front", "arrow")],
        "solids": {
            "body": {"box": [0.5, 0.26, 0.1], "at": "middle", "rotation": HEADING},
            **{
                f"{side} wheel": {"cylinder": [0.09, 0.04], "at": at, **rolling}
                for side, at in (("right", _beside("+-")), ("left", _beside("-+")))
            },
        },
        "start": {"theta": 0.5, "x'": 0.5, "theta'": 0.8},
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
        "points": {
            "middle": ["x", "y", "r"],
            "front": ["x + 1.5*b*cos(theta)", "y + 1.5*b*sin(theta)", "r"],
            "right": ["x + b*sin(theta)", "y - b*cos(theta)", "r"],
            "left": ["x - b*sin(theta)", "y + b*cos(theta)", "r"],
        },
        "lines": [("middle", "front", "arrow"), ("left", "right")],
        "solids": {
            "body": {"cylinder": ["0.85*b", "0.8*r"], "at": "middle", "rotation": HEADING},
            **{wheel: {"disc": "r", "axis": "y", "rotation": _rolled(wheel)} for wheel in WHEELS},
        },
        "start": {"x'": 0.225, "theta'": 0.5, "right'": 6.0, "left'": 3.0},
    }


WHEELS = ("right", "left")


def _rolled(angle: str) -> Mapping[str, Any]:
    """Of what heads by theta and has turned about its axle."""
    return {"euler": "ZYX", "angles": ["theta", angle, 0]}
