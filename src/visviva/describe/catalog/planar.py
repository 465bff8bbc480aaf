"""Arms and bodies in the vertical plane: x to the right, y up, gravity along -y."""

from __future__ import annotations

from math import pi
from typing import Any

from visviva.describe.bodies.inertia import Inertia
from visviva.describe.by_hand.builder import Builder
from visviva.describe.catalog.entry import CHOSET, Sheet, built, entered, mechanism, rod
from visviva.describe.model.actuator import Actuator
from visviva.describe.model.model import Model
from visviva.errors import ArgumentError
from visviva.space.rotations import about_axis

TANG = "Tang, lecture slides on robot kinematics and dynamics, Birmingham"
NORMAL = (0.0, 0.0, 1.0)


@mechanism(f"{CHOSET}, example 10.1.1", m=1.5, I=0.2, a_g=9.81)
def planar_body(s: Sheet) -> Model:
    """A rigid body in a vertical plane, q = (x, y, phi); forces along x and y, moment about z."""
    b = s.under(0.0, -s.a_g, 0.0)
    b.body("slide_x", joint="prismatic", axis="x", joint_name="x")
    b.body("slide_y", parent="slide_x", joint="prismatic", axis="y", joint_name="y")
    lamina = Inertia(s.m, [0.0] * 3, [[s.I / 2, 0, 0], [0, s.I / 2, 0], [0, 0, s.I]])
    b.body("body", parent="slide_y", joint="revolute", joint_name="phi", inertia=lamina)
    return b.build()


RP = {"m1": 1.5, "m2": 1.0, "r1": 0.4, "I1": 0.08, "I2": 0.05, "a_g": 9.81}


@mechanism(f"{CHOSET}, example 10.1.2", **RP)
def rp_arm(s: Sheet) -> Model:
    """RP arm in a vertical plane: q1 turns link 1, link 2 slides; its centre is q2 from the pivot.

    The potential is a_g (m1 r1 + m2 q2) sin q1.
    """
    return _turn_and_slide(s)


@mechanism(f"{CHOSET}, equations 10.11 and 10.12", **RP)
def rp_arm_thrusters(s: Sheet) -> Model:
    """RP arm without motors: two thrusters at the centre of link 2, along x and y of the world."""
    thrusters = [
        Actuator.thruster(f"f{i + 1}", "link2", direction, axes="world")
        for i, direction in enumerate(([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]))
    ]
    return _turn_and_slide(s).with_actuators(thrusters)


def _turn_and_slide(s: Sheet) -> Model:
    b = s.under(0.0, -s.a_g, 0.0)
    b.body("link1", joint="revolute", joint_name="q1", inertia=rod(s.m1, s.r1, s.I1))
    b.body(
        "link2",
        parent="link1",
        joint="prismatic",
        axis="x",
        joint_name="q2",
        inertia=rod(s.m2, 0.0, s.I2),
    )
    return b.frame("tool", body="link2").build()


@mechanism(f"{CHOSET}, section 10.2 and problem 1", m=1.0)
def polar_point(s: Sheet) -> Model:
    """A point mass in the plane, no gravity; polar coordinates in a tree's order, (theta, r)."""
    b = s.under(0.0, 0.0, 0.0)
    b.body("ray", joint="revolute", joint_name="theta")
    b.body(
        "point",
        parent="ray",
        joint="prismatic",
        axis="x",
        joint_name="r",
        inertia=Inertia.point(s.m),
    )
    return b.build()


@mechanism(
    f"{CHOSET}, problems 2 and 3; {TANG}, 2R by Newton–Euler and Lagrange; Craig, Introduction to "
    "Robotics, exercise 6.7, for I1 = I2 = 0, r1 = L1, r2 = L2",
    L1=1.0,
    L2=0.8,
    m1=1.5,
    m2=1.0,
    I1=0.12,
    I2=0.06,
    r1=0.5,
    r2=0.4,
    a_g=9.81,
)
def two_link(s: Sheet) -> Model:
    """Planar 2R arm in a vertical plane; r1 and r2 from each joint to its link's centre of mass."""
    b = s.under(0.0, -s.a_g, 0.0)
    b.body("link1", joint="revolute", joint_name="q1", inertia=rod(s.m1, s.r1, s.I1))
    hinged(b, "link2", "link1", "q2", s.L1, rod(s.m2, s.r2, s.I2))
    return b.frame("tool", body="link2", at=[s.L2, 0.0, 0.0]).build()


@mechanism(
    f"{CHOSET}, problem 4, with a drawing of our own",
    m1=1.2,
    m2=1.0,
    I2=0.05,
    r2=0.35,
    alpha=0.3,
    g=9.81,
)
def pr_arm(s: Sheet) -> Model:
    """PR arm in a vertical plane: q1 slides along a line at alpha, link 2 turns by q2 from it."""
    b = s.under(0.0, -s.g, 0.0)
    b.body(
        "slide",
        joint="prismatic",
        axis="x",
        joint_name="q1",
        rotation=about_axis(NORMAL, s.alpha),
        inertia=Inertia.point(s.m1),
    )
    hinged(b, "link2", "slide", "q2", 0.0, rod(s.m2, s.r2, s.I2))
    return b.frame("tool", body="link2", at=[s.r2, 0.0, 0.0]).build()


@mechanism(
    f"{TANG}, planar 3R; masses are our own",
    l1=1.0,
    l2=0.8,
    l3=0.5,
    m1=2.0,
    m2=1.5,
    m3=0.6,
    r1=0.5,
    r2=0.4,
    r3=0.25,
    I1=0.17,
    I2=0.08,
    I3=0.0125,
    g=9.81,
)
def planar_3r(s: Sheet) -> Model:
    """Planar 3R arm in a vertical plane; the tool has the angle theta1 + theta2 + theta3."""
    b = s.under(0.0, -s.g, 0.0)
    b.body("link1", joint="revolute", joint_name="theta1", inertia=rod(s.m1, s.r1, s.I1))
    hinged(b, "link2", "link1", "theta2", s.l1, rod(s.m2, s.r2, s.I2))
    hinged(b, "link3", "link2", "theta3", s.l2, rod(s.m3, s.r3, s.I3))
    return b.frame("tool", body="link3", at=[s.l3, 0.0, 0.0]).build()


@mechanism(
    f"{TANG}, planar RPR; masses are our own",
    l3=0.5,
    m1=2.0,
    m2=1.0,
    m3=0.6,
    r1=0.3,
    r3=0.25,
    I1=0.15,
    I2=0.05,
    I3=0.0125,
    g=9.81,
)
def rpr_arm(s: Sheet) -> Model:
    """Planar RPR arm in a vertical plane, q = (theta1, d, theta3); link 2 has its centre at d."""
    b = s.under(0.0, -s.g, 0.0)
    b.body("link1", joint="revolute", joint_name="theta1", inertia=rod(s.m1, s.r1, s.I1))
    b.body(
        "link2",
        parent="link1",
        joint="prismatic",
        axis="x",
        joint_name="d",
        inertia=rod(s.m2, 0.0, s.I2),
    )
    hinged(b, "link3", "link2", "theta3", 0.0, rod(s.m3, s.r3, s.I3))
    return b.frame("tool", body="link3", at=[s.l3, 0.0, 0.0]).build()


def pendulum(n: int = 2, **values: float) -> Model:
    """n point masses m1 … mn on massless rods l1 … ln; joint angles are zero when it hangs."""
    if not isinstance(n, int) or n < 1:
        raise ArgumentError(f"a pendulum has n = 1, 2, … links, got {n!r}")
    return built("pendulum", _pendulum_defaults(n), values, lambda s: _pendulum(s, n))


def _pendulum_defaults(n: int) -> dict[str, float]:
    names = [f"{letter}{i}" for letter in "ml" for i in range(1, n + 1)]
    return dict.fromkeys(names, 1.0) | {"g": 9.81}


def _pendulum(s: Sheet, n: int) -> Model:
    b = s.under(0.0, -s.g, 0.0)
    previous, at = "", [0.0, 0.0, 0.0]
    for i in range(1, n + 1):
        end = [0.0, -getattr(s, f"l{i}"), 0.0]
        bob = Inertia.point(getattr(s, f"m{i}"), end)
        options: dict[str, Any] = {
            "parent": previous,
            "joint": "revolute",
            "joint_name": f"theta{i}",
            "at": at,
        }
        b.body(f"link{i}", inertia=bob, **options)
        previous, at = f"link{i}", end
    return b.frame("tool", body=previous, at=at).build()


pendulum = entered(
    "pendulum",
    pendulum.__doc__ or "",
    "standard textbook system",
    _pendulum_defaults(2),
    pendulum,
    __name__,
    {"n": 2},
)


SWING = {"m1": 1.0, "m2": 1.0, "l1": 1.0, "l2": 2.0, "lc1": 0.5, "lc2": 1.0}


@mechanism(
    "Tedrake, Underactuated Robotics, chapter 3, with other letters for the masses",
    M=1.0,
    m=0.3,
    l=0.5,
    g=9.81,
)
def cart_pole(s: Sheet) -> Model:
    """A cart on a level rail with a point mass on a massless pole; theta = 0 hangs, passive.

    x is driven; theta grows counterclockwise, so that the mass is at (x + l sin θ, -l cos θ).
    """
    b = s.under(0.0, -s.g, 0.0)
    b.body("cart", joint="prismatic", axis="x", joint_name="x", inertia=Inertia.point(s.M))
    pole: dict[str, Any] = {"joint": "revolute", "joint_name": "theta", "passive": True}
    b.body("pole", parent="cart", inertia=Inertia.point(s.m, [0.0, -s.l, 0.0]), **pole)
    return b.frame("tip", body="pole", at=[0.0, -s.l, 0.0]).build()


@mechanism(
    "Spong, The swing up control problem for the acrobot, with angles that are zero when it hangs",
    **SWING,
    I1=0.083,
    I2=0.33,
    g=9.81,
)
def acrobot(s: Sheet) -> Model:
    """Two links in a vertical plane, hanging at zero; q1 at the shoulder is passive, q2 is driven.

    lc1 and lc2 are from each joint to its link's centre of mass, I1 and I2 are about these.
    """
    b = s.under(0.0, -s.g, 0.0)
    down = about_axis(NORMAL, -pi / 2).round()
    first: dict[str, Any] = {"joint": "revolute", "joint_name": "q1", "passive": True}
    b.body("link1", rotation=down, inertia=rod(s.m1, s.lc1, s.I1), **first)
    hinged(b, "link2", "link1", "q2", s.l1, rod(s.m2, s.lc2, s.I2))
    return b.frame("tool", body="link2", at=[s.l2, 0.0, 0.0]).build()


def hinged(
    b: Builder, name: str, parent: str, joint: str, length: object, mass: Inertia, **more: Any
) -> None:
    """A link on a hinge at the end of its parent."""
    options: dict[str, Any] = {"parent": parent, "joint": "revolute", "joint_name": joint}
    b.body(name, at=[length, 0.0, 0.0], inertia=mass, **options, **more)
