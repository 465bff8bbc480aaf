"""Loops in space: Bennett, Bricard, a slider-crank across space, a governor, a leg; z is up.

The key frame "assembled" is a position in which the loops are closed. Overconstrained loops are
drawn where they are: all bodies have axes of the world there, and that position is zero. Joints
that only follow are passive.
"""

from __future__ import annotations

from math import asin, atan, atan2, cos, pi, sin, tan
from typing import Any

import numpy as np

from visviva.algebra.arrays import Array
from visviva.algebra.generic import sqrt
from visviva.describe.bodies.inertia import Inertia
from visviva.describe.catalog.entry import Sheet, assembled, diagonal, lump, mechanism
from visviva.describe.catalog.linkages import GONZALEZ
from visviva.describe.model.model import Model
from visviva.errors import ArgumentError


@mechanism("Bennett, A new mechanism, Engineering, 1903, with numbers of our own", m=1.0, g=9.81)
def bennett(s: Sheet, *, a: float = 0.5, alpha: float = 0.6, beta: float = 1.1) -> Model:
    """Bennett's linkage: four bars in space, four skew hinges, counted rigid by two, and it moves.

    Opposite bars are equal: two have the length a and the twist alpha between their hinges, two b
    and beta, with a sin beta = b sin alpha. Bars are uniform, of m kilograms each. q1, q2, q3 are
    the turns from the assembled position; the loop "closing" is the fourth hinge.
    """
    if not 0.0 < alpha < pi or not 0.0 < beta < pi or sin((beta - alpha) / 2) == 0.0:
        raise ArgumentError(
            f"bennett: twists are different and between 0 and pi, got alpha = {alpha:g}, "
            f"beta = {beta:g}"
        )
    b = a * sin(beta) / sin(alpha)
    first = 1.2
    ratio = sin((beta + alpha) / 2) / sin((beta - alpha) / 2)
    second = 2.0 * atan(ratio / tan(first / 2))
    turns, lengths, twists = (first, second, -first), (a, b, a), (alpha, beta, alpha)
    R, p = np.eye(3), np.zeros(3)
    hinges, axes = [p], [R[:, 2]]
    for theta, length, twist in zip(turns, lengths, twists, strict=True):
        R = R @ _about_z(theta)
        p, R = p + R[:, 0] * length, R @ _about_x(twist)
        hinges.append(p)
        axes.append(R[:, 2])
    return _ring(s, hinges, axes)


@mechanism(f"{GONZALEZ}, problem A04, in the trihedral form on the edges of a cube", m=1.0, g=9.81)
def bricard(s: Sheet, *, edge: float = 1.0) -> Model:
    """Bricard's linkage: six equal bars at right angles, six hinges, counted rigid, and it moves.

    It is assembled along six edges of a cube with this `edge`; each hinge is across its two bars.
    Bars are uniform, of m kilograms each; the sixth is the ground. q1 … q5 are the turns from the
    assembled position; the loop "closing" is the sixth hinge.
    """
    corners = edge * np.array(
        [[1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 1, 1], [0, 0, 1], [1, 0, 1]], dtype=float
    )
    edges = np.roll(corners, -1, axis=0) - corners
    across = [np.cross(edges[i - 1], edges[i]) / edge**2 for i in range(6)]
    return _ring(s, list(corners), across)


def _ring(s: Sheet, hinges: list[Array], axes: list[Array]) -> Model:
    """Bars from hinge to hinge; the ground goes from the last back to the first."""
    builder, parent = s.under(0.0, 0.0, -s.g), ""
    start = np.zeros(3)
    for i in range(len(hinges) - 1):
        here, end = hinges[i], hinges[i + 1]
        turn: dict[str, Any] = {"joint": "revolute", "axis": axes[i], "joint_name": f"q{i + 1}"}
        turn |= {"passive": i > 0}
        at = here - start if i else here
        builder.body(f"bar{i + 1}", parent=parent, at=at, inertia=_bar(s.m, end - here), **turn)
        parent, start = f"bar{i + 1}", here
    builder.frame("end", body=parent, at=hinges[-1] - start).frame("ground", at=hinges[-1])
    model = builder.build()
    model = model.with_loop("ground", "end", "revolute", axis=axes[-1], name="closing")
    return assembled(model, np.zeros(model.nq))


def _bar(m: Any, way: Array) -> Inertia:
    """A uniform thin bar along `way`."""
    square = way @ way
    tensor = [
        [m * ((square * (i == j) - way[i] * way[j]) / 12) for j in range(3)] for i in range(3)
    ]
    return Inertia(m, way / 2, tensor)


def _about_z(x: float) -> Array:
    return np.array([[cos(x), -sin(x), 0.0], [sin(x), cos(x), 0.0], [0.0, 0.0, 1.0]])


def _about_x(x: float) -> Array:
    return np.array([[1.0, 0.0, 0.0], [0.0, cos(x), -sin(x)], [0.0, sin(x), cos(x)]])


@mechanism(
    "Haug, Computer Aided Kinematics and Dynamics of Mechanical Systems, with masses of our own",
    l1=0.08,
    l2=0.3,
    ya=0.1,
    za=0.12,
    m1=0.12,
    m2=0.5,
    m3=2.0,
    I1=0.0001,
    I2=0.004,
    g=9.81,
)
def spatial_slider_crank(s: Sheet) -> Model:
    """A crank that turns about x at (0, ya, za) and pushes a piston along x by a rod in space.

    The crank, l1 long, points up at theta = 0. The rod, l2 long, is on the piston by a universal
    joint, (phi_first, phi_second) about z and y of the world, and its other end is a ball on the
    crank: the loop "pin". It is assembled with the crank up and the piston at positive x.
    """
    b = s.under(0.0, 0.0, -s.g)
    crank = Inertia(s.m1, [0.0, 0.0, s.l1 / 2], diagonal(s.I1, s.I1, 0.0))
    place = [0.0, s.ya, s.za]
    b.body("crank", joint="revolute", axis="x", joint_name="theta", at=place, inertia=crank)
    b.body("piston", joint="prismatic", axis="x", joint_name="x", inertia=Inertia.point(s.m3))
    joint: dict[str, Any] = {"joint": "universal", "axis": "z", "second": "y", "joint_name": "phi"}
    joint |= {"passive": True}
    mass = Inertia(s.m2, [-s.l2 / 2, 0.0, 0.0], diagonal(0.0, s.I2, s.I2))
    b.body("rod", parent="piston", inertia=mass, **joint)
    b.frame("pin", body="crank", at=[0.0, 0.0, s.l1])
    b.frame("rod_end", body="rod", at=[-s.l2, 0.0, 0.0])
    model = b.build().with_loop("pin", "rod_end", "spherical", name="pin")
    p = s.values
    y, z = p["ya"], p["za"] + p["l1"]
    square = p["l2"] ** 2 - y**2 - z**2
    if square <= 0.0:
        raise ArgumentError(f"spatial_slider_crank: a rod of {p['l2']:g} does not reach the crank")
    x = square**0.5
    # the rod's direction -x after the turns is (-x, y, z) / l2
    second = asin(z / p["l2"])
    return assembled(model, [0.0, x, atan2(-y, x), second])


@mechanism(
    "Watt's governor, standard textbook system, with numbers of our own",
    l=0.25,
    m=1.2,
    M=3.0,
    m2=0.1,
    J=0.02,
    g=9.81,
)
def flyball_governor(s: Sheet) -> Model:
    """A fly-ball governor: two balls swing out on arms as the shaft turns, and lift a sleeve.

               o  hinge
            l / \\ l
        (m) o     o (m)
             \\   / l
             [ M ] sleeve, at z below the hinge

    `shaft` is the shaft's turn, arm1 and arm2 are the arms' angles from the shaft, outwards, `z` is
    the sleeve's height above the hinge, link1 and link2 the angles of the lower links, of mass m2,
    from the upward shaft, outwards. The loops "ball1" and "ball2" are hinges at the balls. It is
    assembled with the arms at 45 degrees.
    """
    b = s.under(0.0, 0.0, -s.g)
    spin = Inertia(0.0, [0.0] * 3, diagonal(0.0, 0.0, 0.0))
    b.body("shaft", joint="revolute", axis="z", joint_name="shaft", inertia=spin, armature=s.J)
    for i, axis in ((1, "-y"), (2, "y")):
        ball = Inertia.point(s.m, [0.0, 0.0, -s.l])
        turn: dict[str, Any] = {"joint": "revolute", "axis": axis, "joint_name": f"arm{i}"}
        turn |= {"passive": True}
        b.body(f"arm{i}", parent="shaft", inertia=ball, **turn)
        b.frame(f"ball{i}", body=f"arm{i}", at=[0.0, 0.0, -s.l])
    slide: dict[str, Any] = {"joint": "prismatic", "axis": "z", "joint_name": "z"}
    b.body("sleeve", parent="shaft", inertia=Inertia.point(s.M), **slide)
    for i, axis in ((1, "y"), (2, "-y")):
        across = s.m2 * s.l**2 / 12
        mass = Inertia(s.m2, [0.0, 0.0, s.l / 2], diagonal(across, across, 0.0))
        turn |= {"axis": axis, "joint_name": f"link{i}"}
        b.body(f"link{i}", parent="sleeve", inertia=mass, **turn)
        b.frame(f"link{i}_end", body=f"link{i}", at=[0.0, 0.0, s.l])
    model = b.build()
    for i in (1, 2):
        ends = (f"ball{i}", f"link{i}_end")
        model = model.with_loop(*ends, "revolute", axis="y", name=f"ball{i}")
    out = pi / 4
    return assembled(model, [0.0, out, out, -2 * s.values["l"] * cos(out), out, out])


@mechanism(
    "a leg like that of Cassie of Agility Robotics, with numbers of our own",
    thigh=0.12,
    shin=0.44,
    tarsus=0.41,
    heel=0.1,
    m0=10.0,
    m1=3.0,
    m2=1.0,
    m3=0.8,
    m4=0.2,
    g=9.81,
)
def bird_leg(s: Sheet) -> Model:
    """A leg like Cassie's, on a body that slides up and down: hip and knee are driven, no ankle is.

    The thigh hangs on the hip, the shin goes back from the knee, and the tarsus forth from its end.
    A rod with balls at both ends goes from the hip to the heel behind the tarsus, so that shin and
    tarsus keep their angles to each other: the loop "rod", a distance. Angles are about y, zero as
    assembled: thigh straight down, shin 45 degrees back, tarsus 45 degrees forth.
    """
    b = s.under(0.0, 0.0, -s.g)
    lift: dict[str, Any] = {"joint": "prismatic", "axis": "z", "joint_name": "height"}
    b.body("body", inertia=lump(s.m0, s.m0 * 0.01), passive=True, **lift)
    half = 0.5**0.5
    turn: dict[str, Any] = {"joint": "revolute", "axis": "y"}
    back, forth = (np.array([-half, 0.0, -half]), np.array([half, 0.0, -half]))
    down = np.array([0.0, 0.0, -1.0])
    b.body("thigh", parent="body", joint_name="hip", **turn, inertia=_limb(s.m1, s.thigh, down))
    knee, ankle = down * s.thigh, back * s.shin
    shin = _limb(s.m2, s.shin, back)
    b.body("shin", parent="thigh", joint_name="knee", at=knee, inertia=shin, **turn)
    tarsus = _limb(s.m3, s.tarsus, forth)
    passive: dict[str, Any] = {"passive": True, **turn}
    b.body("tarsus", parent="shin", joint_name="ankle", at=ankle, inertia=tarsus, **passive)
    toe = Inertia.point(s.m4, forth * s.tarsus)
    b.body("toe", parent="tarsus", joint="fixed", inertia=toe)
    b.frame("heel", body="tarsus", at=forth * -s.heel)
    b.frame("foot", body="tarsus", at=forth * s.tarsus)
    x, z = -half * s.shin - half * s.heel, half * s.heel - half * s.shin - s.thigh
    model = b.build().with_loop("thigh", "heel", "distance", length=sqrt(x * x + z * z), name="rod")
    return assembled(model, np.zeros(model.nq))


def _limb(m: Any, length: Any, along: Array) -> Inertia:
    """A uniform limb of this length along a direction."""
    tensor = [
        [m * length**2 * ((i == j) - along[i] * along[j]) / 12 for j in range(3)] for i in range(3)
    ]
    return Inertia(m, along * (length * 0.5), tensor)
