"""Parallel robots: a platform on several legs; z is up.

The key frame "assembled" is the platform in the middle, level, with the legs that reach it. Legs
and arms are driven, all other joints are passive.
"""

from __future__ import annotations

from math import acos, asin, atan2, cos, hypot, pi, radians, sin
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.describe.bodies.inertia import Inertia
from visviva.describe.catalog.entry import Sheet, assembled, diagonal, mechanism
from visviva.describe.model.model import Model
from visviva.errors import ArgumentError, check_known

LEVEL = [0.0, 0.0, 0.0, 1.0]  # as a quaternion
BASE = [radians(x) for x in (-10.0, 10.0, 110.0, 130.0, 230.0, 250.0)]  # where legs stand
PLATFORM = [radians(x) for x in (-50.0, 50.0, 70.0, 170.0, 190.0, 290.0)]  # and what they carry
LEGS = ("UPS", "SPS")


@mechanism(
    "Stewart, A platform with six degrees of freedom, 1965, with numbers of our own",
    rb=0.8,
    rp=0.5,
    m=20.0,
    Ix=1.3,
    Iy=1.3,
    Iz=2.5,
    m1=3.0,
    m2=1.5,
    r1=0.25,
    r2=0.3,
    I1=0.06,
    I2=0.05,
    J1=0.002,
    J2=0.0005,
    g=9.81,
)
def stewart(s: Sheet, *, legs: str = "UPS", height: float = 0.9) -> Model:
    """Stewart platform: a free body on six legs of variable length.

    Leg i stands at a_i on a circle of radius rb about the origin, and carries b_i on a circle of
    radius rp about the platform's centre; legs meet in pairs, nearly. The coordinate `leg1` … is
    the length from a_i to b_i. Each is a cylinder (m1, r1 above a_i, I1 across, J1 about the leg)
    and a piston (m2, r2 below b_i). The loops "b1" … are balls.

    `legs="UPS"`: universal joints at the base, six freedoms. `legs="SPS"`: balls there too, twelve
    freedoms, six of which spin a leg about itself. It is assembled at `height`.
    """
    check_known("kind of legs of stewart", legs, LEGS)
    b = s.under(0.0, 0.0, -s.g)
    body = Inertia(s.m, [0.0] * 3, diagonal(s.Ix, s.Iy, s.Iz))
    b.body("platform", joint="free", joint_name="platform", inertia=body, passive=True)
    foot: dict[str, Any] = {"joint": "spherical"}
    if legs == "UPS":
        foot = {"joint": "universal", "axis": "x", "second": "y"}
    q = [*LEVEL, 0.0, 0.0, height]
    for i, (alpha, beta) in enumerate(zip(BASE, PLATFORM, strict=True), 1):
        a, p = (np.array([cos(x), sin(x), 0.0]) for x in (alpha, beta))
        cylinder = Inertia(s.m1, [0.0, 0.0, s.r1], diagonal(s.I1, s.I1, s.J1))
        piston = Inertia(s.m2, [0.0, 0.0, -s.r2], diagonal(s.I2, s.I2, s.J2))
        foot |= {"joint_name": f"foot{i}", "passive": True}
        b.body(f"cylinder{i}", at=a * s.rb, inertia=cylinder, **foot)
        slide: dict[str, Any] = {"joint": "prismatic", "axis": "z", "joint_name": f"leg{i}"}
        b.body(f"piston{i}", parent=f"cylinder{i}", inertia=piston, **slide)
        b.frame(f"a{i}", at=a * s.rb)
        b.frame(f"b{i}", body="platform", at=p * s.rp)
        way = p * s.values["rp"] + [0.0, 0.0, height] - a * s.values["rb"]
        q += [*FEET[legs](way / np.linalg.norm(way)), float(np.linalg.norm(way))]
    model = b.build()
    for i in range(1, 7):
        model = model.with_loop(f"b{i}", f"piston{i}", "spherical", name=f"b{i}")
    return assembled(model, q)


def _universal(u: Array) -> list[float]:
    """Turns about x and y that take z to u."""
    return [atan2(-u[1], u[2]), asin(u[0])]


def _ball(u: Array) -> list[float]:
    """The quaternion of the smallest turn that takes z to u."""
    w = ((1.0 + u[2]) / 2.0) ** 0.5
    return [-u[1] / (2 * w), u[0] / (2 * w), 0.0, w]


FEET = {"UPS": _universal, "SPS": _ball}


@mechanism(
    "Clavel, Delta, a fast robot with parallel geometry, 1988, with numbers of our own",
    rb=0.2,
    rp=0.05,
    L=0.3,
    l=0.7,
    w=0.05,
    m1=0.4,
    m2=0.1,
    m=0.3,
    I=0.0003,
    g=9.81,
)
def delta(s: Sheet, *, depth: float = 0.7) -> Model:
    """Delta robot: a platform below three driven arms, on three pairs of parallel rods.

    Seen in the plane of an arm, from its shoulder:

        rb        L
        ---- o ------ elbow          angle1 … are from the level, downwards
        base           |
                       | l           two rods, 2 w apart, on universal joints
                  rp --+
                 platform, kept level by the rods

    Arms are uniform, as are the rods; the platform has the mass m and the moment I about every
    axis. The loops "1a", "1b" … are balls. It is assembled `depth` below the base.
    """
    b = s.under(0.0, 0.0, -s.g)
    lump = Inertia(s.m, [0.0] * 3, diagonal(s.I, s.I, s.I))
    b.body("platform", joint="free", joint_name="platform", inertia=lump, passive=True)
    q = [*LEVEL, 0.0, 0.0, -depth]
    for i, turn in enumerate((0.0, 2 * pi / 3, 4 * pi / 3), 1):
        c, d = cos(turn), sin(turn)
        R = np.array([[c, -d, 0.0], [d, c, 0.0], [0.0, 0.0, 1.0]])
        angle, lean = _arm(s, depth)
        across = s.m1 * s.L**2 / 12
        arm = Inertia(s.m1, [s.L / 2, 0.0, 0.0], diagonal(0.0, across, across))
        place: dict[str, Any] = {"at": R @ [s.rb, 0.0, 0.0], "rotation": R}
        b.body(f"arm{i}", joint="revolute", axis="y", joint_name=f"angle{i}", inertia=arm, **place)
        q += [angle]
        for side, sign in (("a", 1.0), ("b", -1.0)):
            across = s.m2 * s.l**2 / 12
            mass = Inertia(s.m2, [0.0, 0.0, -s.l / 2], diagonal(across, across, 0.0))
            elbow: dict[str, Any] = {"joint": "universal", "axis": "y", "second": "x"}
            name = f"rod{i}{side}"
            b.body(
                name,
                parent=f"arm{i}",
                joint_name=f"elbow{i}{side}",
                at=[s.L, s.w * sign, 0.0],
                inertia=mass,
                passive=True,
                **elbow,
            )
            b.frame(f"{name}_end", body=name, at=[0.0, 0.0, -s.l])
            b.frame(f"p{i}{side}", body="platform", at=R @ [s.rp, s.w * sign, 0.0])
            q += [lean - angle, 0.0]
    model = b.build()
    for i in (1, 2, 3):
        for side in "ab":
            ends = (f"p{i}{side}", f"rod{i}{side}_end")
            model = model.with_loop(*ends, "spherical", name=f"{i}{side}")
    return assembled(model, q)


def _arm(s: Sheet, depth: float) -> tuple[float, float]:
    """The arm's angle with the elbow outside, and how far the rods lean from the vertical."""
    p = s.values
    x, z = p["rp"] - p["rb"], -depth  # from the shoulder to where the rods hold the platform
    far = hypot(x, z)
    if not abs(p["L"] - p["l"]) < far < p["L"] + p["l"]:
        raise ArgumentError(
            f"delta: arms of {p['L']:g} and rods of {p['l']:g} do not reach {far:g}"
        )
    inside = acos((p["L"] ** 2 + far**2 - p["l"] ** 2) / (2 * p["L"] * far))
    angle = -(atan2(z, x) + inside)
    rod = (x - p["L"] * cos(angle), z + p["L"] * sin(angle))
    return angle, atan2(-rod[0], -rod[1])
