"""Single bodies, arms in space and the arm types named after their workspace; z is up."""

from __future__ import annotations

from math import pi
from typing import Any

from visviva.describe.bodies.inertia import Inertia
from visviva.describe.by_hand.dh import from_dh, turn_x
from visviva.describe.catalog.entry import CHOSET, Sheet, diagonal, lump, mechanism, rod
from visviva.describe.catalog.planar import TANG, hinged
from visviva.describe.model.model import Model


@mechanism(f"{CHOSET}, problem 10", m=1.0, Ix=1.0, Iy=2.0, Iz=3.0)
def tumbling_body(s: Sheet) -> Model:
    """A rigid body that turns freely about its centre of mass; q is a quaternion (x, y, z, w)."""
    b = s.under(0.0, 0.0, 0.0)
    mass = Inertia(s.m, [0.0, 0.0, 0.0], diagonal(s.Ix, s.Iy, s.Iz))
    return b.body("body", joint="spherical", joint_name="attitude", inertia=mass).build()


@mechanism(
    f"{CHOSET}, section 10.2 (a mention; the mechanism is our own)",
    m0=10.0,
    I0=0.6,
    L1=0.6,
    m1=1.5,
    m2=1.0,
    I1=0.05,
    I2=0.03,
    r1=0.3,
    r2=0.25,
    L2=0.5,
    g=9.81,
)
def mobile_manipulator(s: Sheet) -> Model:
    """A cart on a level floor, q = (x, y, phi), with a horizontal 2R arm pivoted at its centre."""
    b = s.under(0.0, 0.0, -s.g)
    b.body("slide_x", joint="prismatic", axis="x", joint_name="x")
    b.body("slide_y", parent="slide_x", joint="prismatic", axis="y", joint_name="y")
    cart = lump(s.m0, s.I0)
    b.body("cart", parent="slide_y", joint="revolute", joint_name="phi", inertia=cart)
    hinged(b, "link1", "cart", "theta1", 0.0, rod(s.m1, s.r1, s.I1))
    hinged(b, "link2", "link1", "theta2", s.L1, rod(s.m2, s.r2, s.I2))
    return b.frame("tool", body="link2", at=[s.L2, 0.0, 0.0]).build()


ARTICULATED = {
    "l1": 0.6,
    "l2": 0.4,
    "m1": 3.0,
    "m2": 2.0,
    "m3": 1.0,
    "r2": 0.3,
    "r3": 0.2,
    "I1": 0.05,
    "I2": 0.06,
    "I3": 0.0135,
    "g": 9.81,
}


@mechanism(f"{TANG}, spatial arm with three joints; masses are our own", **ARTICULATED)
def spatial_3r(s: Sheet) -> Model:
    """Spatial 3R arm: theta1 about the vertical, theta2 and theta3 lift links l1 and l2."""
    return _three_turns(s, 0.0)


@mechanism(f"{TANG}, articulated robot; height and masses are our own", h=0.5, **ARTICULATED)
def articulated(s: Sheet) -> Model:
    """Articulated robot, 3R: the spatial arm on a column of height h."""
    return _three_turns(s, s.h)


def _three_turns(s: Sheet, height: object) -> Model:
    b = s.under(0.0, 0.0, -s.g)
    column = lump(s.m1, s.I1)
    b.body("column", joint="revolute", joint_name="theta1", at=[0, 0, height], inertia=column)
    up: dict[str, Any] = {"joint": "revolute", "axis": "-y"}
    mass = rod(s.m2, s.r2, s.I2), rod(s.m3, s.r3, s.I3)
    b.body("upper", parent="column", joint_name="theta2", inertia=mass[0], **up)
    b.body("fore", parent="upper", joint_name="theta3", at=[s.l1, 0, 0], inertia=mass[1], **up)
    return b.frame("tool", body="fore", at=[s.l2, 0, 0]).build()


@mechanism(
    "Craig, Introduction to Robotics, exercise 6.5",
    L1=0.5,
    L2=0.4,
    M1=2.0,
    M2=1.5,
    V1=0.1,
    V2=0.2,
    g=9.81,
)
def craig_6_5(s: Sheet) -> Model:
    """Non-planar 2R arm: point masses at the ends of the links, viscous friction V1 and V2."""
    return from_dh(
        [(0.0, 0.0, 0.0, 0.0, "R"), (s.L1, pi / 2, 0.0, 0.0, "R")],
        convention="modified",
        inertias=[Inertia.point(s.M1, [s.L1, 0, 0]), Inertia.point(s.M2, [s.L2, 0, 0])],
        name=s.name,
        gravity=(0.0, 0.0, -s.g),
        parameters=s.values,
        tool=turn_x(s.L2, 0.0),
        details=[
            {"joint_name": "theta1", "damping": s.V1},
            {"joint_name": "theta2", "damping": s.V2},
        ],
    )


@mechanism(
    f"{TANG}, human arm (a mention; sizes and masses are representative of an adult, our own)",
    l1=0.30,
    l2=0.26,
    l3=0.10,
    m1=2.1,
    m2=1.2,
    m3=0.45,
    w1=0.045,
    w2=0.035,
    w3=0.03,
    g=9.81,
)
def human_arm(s: Sheet) -> Model:
    """7-DoF human arm: three turns at the shoulder, one at the elbow, three at the wrist.

    It hangs along -z at q = 0. Upper arm, forearm and hand are cylinders of lengths l1, l2, l3 and
    radii w1, w2, w3.
    """
    b = s.under(0.0, 0.0, -s.g)
    upper, fore, hand = (
        Inertia.cylinder(m, radius=w, height=length).moved(None, [0.0, 0.0, -length / 2])
        for m, w, length in ((s.m1, s.w1, s.l1), (s.m2, s.w2, s.l2), (s.m3, s.w3, s.l3))
    )
    turn: dict[str, Any] = {"joint": "revolute"}
    b.body("flexion", joint_name="shoulder1", axis="-y", **turn)
    b.body("abduction", parent="flexion", joint_name="shoulder2", axis="x", **turn)
    b.body("upper", parent="abduction", joint_name="shoulder3", axis="z", inertia=upper, **turn)
    elbow, wrist = [0.0, 0.0, -s.l1], [0.0, 0.0, -s.l2]
    b.body("fore", parent="upper", joint_name="elbow", axis="-y", at=elbow, inertia=fore, **turn)
    b.body("pronation", parent="fore", joint_name="wrist1", axis="z", at=wrist, **turn)
    b.body("bend", parent="pronation", joint_name="wrist2", axis="-y", **turn)
    b.body("hand", parent="bend", joint_name="wrist3", axis="x", inertia=hand, **turn)
    return b.frame("tool", body="hand", at=[0.0, 0.0, -s.l3]).build()


@mechanism(f"{TANG}, Cartesian robot; masses are our own", m1=8.0, m2=5.0, m3=2.0, g=9.81)
def cartesian(s: Sheet) -> Model:
    """Cartesian robot, PPP, q = (x, y, z)."""
    b = s.under(0.0, 0.0, -s.g)
    previous = ""
    for axis, m in (("x", s.m1), ("y", s.m2), ("z", s.m3)):
        name = f"carriage_{axis}"
        options: dict[str, Any] = {
            "parent": previous,
            "joint": "prismatic",
            "axis": axis,
            "joint_name": axis,
        }
        b.body(name, inertia=Inertia.point(m), **options)
        previous = name
    return b.frame("tool", body=previous).build()


COLUMN = {"m1": 8.0, "m2": 4.0, "m3": 2.0, "I1": 0.2, "I2": 0.1, "I3": 0.15, "g": 9.81}


@mechanism(f"{TANG}, cylindrical robot; masses are our own", **COLUMN)
def cylindrical(s: Sheet) -> Model:
    """Cylindrical robot, q = (theta, z, r): turn, lift, reach; the tool is at (r cos, r sin, z)."""
    b = s.under(0.0, 0.0, -s.g)
    slide: dict[str, Any] = {"joint": "prismatic"}
    b.body("column", joint="revolute", joint_name="theta", inertia=lump(s.m1, s.I1))
    b.body("lift", parent="column", axis="z", joint_name="z", inertia=lump(s.m2, s.I2), **slide)
    b.body("arm", parent="lift", axis="x", joint_name="r", inertia=rod(s.m3, 0.0, s.I3), **slide)
    return b.frame("tool", body="arm").build()


@mechanism(f"{TANG}, spherical robot; masses are our own", **COLUMN)
def spherical(s: Sheet) -> Model:
    """Spherical robot, q = (theta, phi, r): turn, lift angle, reach."""
    b = s.under(0.0, 0.0, -s.g)
    turn: dict[str, Any] = {"joint": "revolute"}
    reach: dict[str, Any] = {"joint": "prismatic", "axis": "x", "joint_name": "r"}
    b.body("column", joint_name="theta", inertia=lump(s.m1, s.I1), **turn)
    b.body("cradle", parent="column", axis="-y", joint_name="phi", inertia=lump(s.m2, s.I2), **turn)
    b.body("arm", parent="cradle", inertia=rod(s.m3, 0.0, s.I3), **reach)
    return b.frame("tool", body="arm").build()


@mechanism(
    f"{TANG}, SCARA as counted there (no wrist); masses are our own",
    a1=0.4,
    a2=0.3,
    m1=6.0,
    m2=4.0,
    m3=1.0,
    r1=0.2,
    r2=0.15,
    I1=0.1,
    I2=0.04,
    I3=0.002,
    g=9.81,
)
def scara(s: Sheet) -> Model:
    """SCARA, q = (theta1, theta2, d): two turns about the vertical, then a slide along it, up."""
    b = s.under(0.0, 0.0, -s.g)
    b.body("link1", joint="revolute", joint_name="theta1", inertia=rod(s.m1, s.r1, s.I1))
    hinged(b, "link2", "link1", "theta2", s.a1, rod(s.m2, s.r2, s.I2))
    slide: dict[str, Any] = {"joint": "prismatic", "axis": "z", "joint_name": "d"}
    b.body("quill", parent="link2", at=[s.a2, 0, 0], inertia=lump(s.m3, s.I3), **slide)
    return b.frame("tool", body="quill").build()
