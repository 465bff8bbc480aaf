"""Linkages in the vertical plane: x to the right, y up, gravity along -y, all hinges about z.

A tree of links is closed by hinges. Links are uniform but for what is said of them: the centre of
mass is in the middle. The key frame "assembled" is a position in which the linkage is closed. The
crank is driven, what follows it is passive; `with_passive` changes that.
"""

from __future__ import annotations

from math import acos, atan2, cos, hypot, pi, sin
from typing import Any

from visviva.describe.bodies.inertia import Inertia
from visviva.describe.by_hand.builder import Builder
from visviva.describe.catalog.entry import Sheet, assembled, mechanism, rod
from visviva.describe.catalog.planar import hinged
from visviva.describe.model.model import Model
from visviva.errors import ArgumentError

NORTON = "Norton, Design of Machinery"
GONZALEZ = "Gonzalez et al., A benchmarking system for multibody simulation, 2006"


@mechanism(
    f"{NORTON}, chapter 4, with numbers of our own",
    l0=1.0,
    l1=0.4,
    l2=0.9,
    l3=0.7,
    m1=0.5,
    m2=1.2,
    m3=0.9,
    I1=0.01,
    I2=0.08,
    I3=0.04,
    g=9.81,
)
def four_bar(s: Sheet) -> Model:
    """Four-bar linkage: crank l1 and rocker l3 on the ground, l0 apart, joined by the coupler l2.

                 l2
           B ----------- C
        l1 /              \\ l3
          A ------ l0 ---- D

    theta1 is the crank's angle from the ground, theta2 the coupler's from the crank, theta3 the
    rocker's from the ground. The loop "C" joins coupler and rocker. It is assembled with the crank
    at 60 degrees and the rocker's end above the line BD; the other way is crossed.
    """
    b = s.under(0.0, -s.g, 0.0)
    link(b, "crank", "", "theta1", 0.0, s.l1, s.m1, s.I1)
    link(b, "coupler", "crank", "theta2", s.l1, s.l2, s.m2, s.I2, passive=True)
    link(b, "rocker", "", "theta3", s.l0, s.l3, s.m3, s.I3, passive=True)
    model = b.build().with_loop("coupler_end", "rocker_end", "revolute", axis="z", name="C")
    p = s.values
    crank = pi / 3
    coupler, rocker = dyad(
        s, (p["l1"] * cos(crank), p["l1"] * sin(crank)), (p["l0"], 0.0), p["l2"], p["l3"]
    )
    return assembled(model, [crank, coupler - crank, rocker])


@mechanism(
    f"{NORTON}, chapter 4, with numbers of our own",
    l1=0.1,
    l2=0.35,
    m1=0.8,
    m2=0.6,
    m3=0.5,
    I1=0.002,
    I2=0.007,
    g=9.81,
)
def slider_crank(s: Sheet) -> Model:
    """Slider-crank: crank l1, rod l2, and a piston of mass m3 that slides along x at x.

           B
        l1/  ` - . l2
         A          ` [C] ----> x

    theta1 is the crank's angle from x, theta2 the rod's from the crank. The loop "C" hinges the rod
    to the piston. It is assembled with the crank at 60 degrees and the piston to the right.
    """
    b = s.under(0.0, -s.g, 0.0)
    link(b, "crank", "", "theta1", 0.0, s.l1, s.m1, s.I1)
    link(b, "rod", "crank", "theta2", s.l1, s.l2, s.m2, s.I2, passive=True)
    b.body("piston", joint="prismatic", axis="x", joint_name="x", inertia=Inertia.point(s.m3))
    model = b.build().with_loop("piston", "rod_end", "revolute", axis="z", name="C")
    l1, l2, crank = s.values["l1"], s.values["l2"], pi / 3
    height = l1 * sin(crank)
    if l2 <= abs(height):
        raise ArgumentError(f"slider_crank: a rod of {l2:g} does not reach from {height:g} above x")
    along = -atan2(height, (l2**2 - height**2) ** 0.5)
    return assembled(model, [crank, along - crank, l1 * cos(crank) + l2 * cos(along)])


@mechanism(
    "the linkage of 5 bodies and 6 joints in lecture slides on the count of Grübler, with "
    "lengths of our own",
    lambda generic: {"l3": 0.6, "e": 0.3} if generic else {},
    l=0.5,
    a=0.4,
    b=1.0,
    m1=0.6,
    m2=1.5,
    I1=0.0125,
    I2=0.125,
    g=9.81,
)
def parallel_cranks(s: Sheet, *, generic: bool = False) -> Model:
    """Three equal cranks side by side, joined by one bar: counted rigid, and yet it moves.

         1 ------ 2 --------- 3     bar
        l/       l/          l/
        A   a    B           C      ground: B is a, C is b from A

    theta1, theta2, theta3 are the cranks' angles from the ground, phi is the bar's from crank 1.
    The loops "2" and "3" hinge the bar to its cranks. With `generic=True` the third crank has the
    length l3 and stands e further to the right: what was counted is then true.
    """
    p, third = s.values, (s.l3, s.b + s.e) if generic else (s.l, s.b)
    builder = s.under(0.0, -s.g, 0.0)
    link(builder, "crank1", "", "theta1", 0.0, s.l, s.m1, s.I1)
    link(builder, "bar", "crank1", "phi", s.l, s.b, s.m2, s.I2, passive=True)
    link(builder, "crank2", "", "theta2", s.a, s.l, s.m1, s.I1, passive=True)
    link(builder, "crank3", "", "theta3", third[1], third[0], s.m1, s.I1, passive=True)
    builder.frame("at2", body="bar", at=[s.a, 0.0, 0.0])
    model = builder.build().with_loop("at2", "crank2_end", "revolute", axis="z", name="2")
    model = model.with_loop("bar_end", "crank3_end", "revolute", axis="z", name="3")
    if not generic:
        return assembled(model, [pi / 3, -pi / 3, pi / 3, pi / 3])
    # the bar's end goes round C with radius l, the third crank's with l3 round what is e beside
    angle, last = dyad(s, (0.0, 0.0), (p["e"], 0.0), p["l"], p["l3"])
    return assembled(model, [angle, -angle, angle, last])


@mechanism(
    "standard textbook system, with numbers of our own",
    l0=0.3,
    l1=0.3,
    l2=0.45,
    m1=0.6,
    m2=0.4,
    I1=0.005,
    I2=0.007,
    g=9.81,
)
def five_bar(s: Sheet) -> Model:
    """Five-bar linkage: two driven cranks l1 on the ground, l0 apart, whose rods l2 meet in a tip.

               T
        l2  /     \\  l2
          B         D
        l1 \\       / l1
            A --- E   l0

    theta1 and theta3 are the cranks' angles from the ground and driven; theta2 and theta4, the
    rods' from their cranks, are passive. The loop "T" hinges the rods together.
    """
    b = s.under(0.0, -s.g, 0.0)
    link(b, "crank1", "", "theta1", 0.0, s.l1, s.m1, s.I1)
    link(b, "rod1", "crank1", "theta2", s.l1, s.l2, s.m2, s.I2, passive=True)
    link(b, "crank2", "", "theta3", s.l0, s.l1, s.m1, s.I1)
    link(b, "rod2", "crank2", "theta4", s.l1, s.l2, s.m2, s.I2, passive=True)
    model = b.build().with_loop("rod1_end", "rod2_end", "revolute", axis="z", name="T")
    p, left, right = s.values, 2.2, 0.8
    B = (p["l1"] * cos(left), p["l1"] * sin(left))
    D = (p["l0"] + p["l1"] * cos(right), p["l1"] * sin(right))
    first, second = dyad(s, B, D, p["l2"], p["l2"])
    return assembled(model, [left, first - left, right, second - right])


@mechanism(f"{GONZALEZ}, problem A02", l=1.0, m=1.0, g=9.81)
def n_four_bar(s: Sheet, *, n: int = 2) -> Model:
    """n four-bar linkages in a row: n + 1 rods stand on the ground, n rods lie on their ends.

        +---+---+
        |   |   |
        A   B   C

    Equal uniform rods of length l and mass m. theta0 … thetan are the angles of the standing rods
    from x, phi1 … phin those of the lying ones from the rod on their left. With all rods on the
    ground it is singular. It is assembled with the rods upright.
    """
    if n < 1:
        raise ArgumentError(f"n_four_bar has n = 1, 2, … linkages, got {n!r}")
    b, inertia = s.under(0.0, -s.g, 0.0), s.m * s.l**2 / 12
    for i in range(n + 1):
        link(b, f"rod{i}", "", f"theta{i}", i * s.l, s.l, s.m, inertia, passive=i > 0)
        if i < n:
            name = f"bar{i + 1}"
            link(b, name, f"rod{i}", f"phi{i + 1}", s.l, s.l, s.m, inertia, passive=True)
    model = b.build()
    for i in range(1, n + 1):
        model = model.with_loop(f"bar{i}_end", f"rod{i}_end", "revolute", axis="z", name=f"{i}")
    return assembled(model, [pi / 2, *[-pi / 2, pi / 2] * n])


def link(
    b: Builder,
    name: str,
    parent: str,
    joint: str,
    at: Any,
    length: Any,
    m: Any,
    inertia: Any,
    **more: Any,
) -> None:
    """A uniform link on a hinge, with a frame `name`_end at its end."""
    hinged(b, name, parent, joint, at, rod(m, length * 0.5, inertia), **more)
    b.frame(f"{name}_end", body=name, at=[length, 0.0, 0.0])


def dyad(s: Sheet, p: Any, q: Any, one: float, two: float) -> tuple[float, float]:
    """Angles of links from p and q, of these lengths, that meet left of the way from p to q."""
    x, y = q[0] - p[0], q[1] - p[1]
    d = hypot(x, y)
    if not abs(one - two) < d < one + two:
        raise _unreachable(s, one, two, d)
    first = atan2(y, x) + acos((d * d + one * one - two * two) / (2 * d * one))
    end = p[0] + one * cos(first) - q[0], p[1] + one * sin(first) - q[1]
    return first, atan2(end[1], end[0])


def _unreachable(s: Sheet, one: float, two: float, apart: float) -> ArgumentError:
    return ArgumentError(
        f"{s.name} cannot be put together: links of {one:g} and {two:g} do not meet from points "
        f"that are {apart:g} apart"
    )
