"""The bicycle of Whipple with the numbers of the benchmark: two wheels that roll; z is up."""

from __future__ import annotations

from math import pi
from typing import Any

import numpy as np

from visviva.algebra.generic import sincos
from visviva.describe.bodies.inertia import Inertia
from visviva.describe.catalog.entry import Sheet, assembled, diagonal, mechanism
from visviva.describe.model.model import Model

# fmt: off
BENCHMARK = {
    "w": 1.02, "c": 0.08, "tilt": pi / 10,
    "rR": 0.3, "mR": 2.0, "IRxx": 0.0603, "IRyy": 0.12,
    "xB": 0.3, "zB": 0.9, "mB": 85.0, "IBxx": 9.2, "IBxz": -2.4, "IByy": 11.0, "IBzz": 2.8,
    "xH": 0.9, "zH": 0.7, "mH": 4.0, "IHxx": 0.05892, "IHxz": 0.00756, "IHyy": 0.06,
    "IHzz": 0.00708,
    "rF": 0.35, "mF": 3.0, "IFxx": 0.1405, "IFyy": 0.28,
}
# fmt: on


@mechanism(
    "Meijaard, Papadopoulos, Ruina and Schwab, Linearized dynamics equations for the balance and "
    "steer of a bicycle: a benchmark and review, 2007",
    **BENCHMARK,
    g=9.81,
)
def bicycle(s: Sheet) -> Model:
    """Whipple's bicycle: a frame with a rigid rider, a front assembly, two wheels that roll.

                    B
                 H  \\\\
             __       \\  steering axis, tilt from the vertical
           /    \\     / \\
          |  R   |   | F |
        ---\\-__-/-----\\_/-\\------> x      w from contact to contact, c trail
           P                Q

    As published, but for z, which is up here: zB and zH are heights, and products of inertia have
    the other sign. Upright and straight is the position zero: the frame's origin is then the point
    P where the rear wheel touches, x ahead and y to the left. `delta` is the steer, positive to the
    right; lean to the right is a positive turn about x. `rear` and `front` are the wheels' turns.
    The loops "rear" and "front" roll on the plane z = 0: nine velocities, six rows, of which two
    are about positions.
    """
    b = s.under(0.0, 0.0, -s.g)
    si, co = sincos(s.tilt)
    body = Inertia(s.mB, [s.xB, 0.0, s.zB], _symmetric(s.IBxx, s.IByy, s.IBzz, s.IBxz))
    b.body("frame", joint="free", joint_name="frame", inertia=body, passive=True)
    spin: dict[str, Any] = {"joint": "revolute", "axis": "y"}
    wheel = Inertia(s.mR, [0.0] * 3, diagonal(s.IRxx, s.IRyy, s.IRxx))
    b.body("rear", parent="frame", joint_name="rear", at=[0.0, 0.0, s.rR], inertia=wheel, **spin)
    at = [s.w + s.c, 0.0, 0.0]  # where the steering axis meets the ground
    center = [s.xH - s.w - s.c, 0.0, s.zH]
    front = Inertia(s.mH, center, _symmetric(s.IHxx, s.IHyy, s.IHzz, s.IHxz))
    steer: dict[str, Any] = {"joint": "revolute", "axis": [si, 0.0, -co], "joint_name": "delta"}
    b.body("fork", parent="frame", at=at, inertia=front, **steer)
    wheel = Inertia(s.mF, [0.0] * 3, diagonal(s.IFxx, s.IFyy, s.IFxx))
    spin |= {"passive": True}
    b.body("front", parent="fork", joint_name="front", at=[-s.c, 0.0, s.rF], inertia=wheel, **spin)
    model = b.build()
    for name, radius in (("rear", s.rR), ("front", s.rF)):
        model = model.with_loop("world", name, "rolling_disc", axis="y", radius=radius, name=name)
    return assembled(model, [0.0, 0.0, 0.0, 1.0, *np.zeros(6)])


def _symmetric(x: Any, y: Any, z: Any, xz: Any) -> list[list[Any]]:
    return [[x, 0.0, xz], [0.0, y, 0.0], [xz, 0.0, z]]
