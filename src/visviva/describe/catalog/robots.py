"""Industrial robots with published data: Puma 560, Stanford arm."""

from __future__ import annotations

from dataclasses import replace
from math import pi, radians
from typing import Any

from visviva.algebra.arrays import vector
from visviva.describe.bodies.inertia import Inertia
from visviva.describe.by_hand.dh import from_dh, turn_z
from visviva.describe.catalog.entry import Sheet, diagonal, mechanism
from visviva.describe.model.model import Model
from visviva.space.rotations import skew

DEGREES = float(radians(1.0))

# fmt: off
PUMA = {
    "a2": 0.4318, "a3": -0.0203, "d2": 0.2435, "d3": -0.0934, "d4": 0.4331,
    "m2": 17.4, "m3": 4.80, "m4": 0.82, "m5": 0.34, "m6": 0.09,
    "rx2": 0.068, "ry2": 0.006, "rz2": -0.016, "ry3": -0.070, "rz3": 0.014,
    "rz4": -0.019, "rz6": 0.032, "Izz1": 0.35, "Ixx2": 0.130, "Iyy2": 0.524, "Izz2": 0.539,
    "Ixx3": 0.066, "Iyy3": 0.0125, "Izz3": 0.086, "Ixx4": 1.8e-3, "Iyy4": 1.8e-3,
    "Izz4": 1.3e-3, "Ixx5": 0.3e-3, "Iyy5": 0.3e-3, "Izz5": 0.4e-3, "Ixx6": 0.15e-3,
    "Iyy6": 0.15e-3, "Izz6": 0.04e-3,
    "J1": 291e-6, "J2": 409e-6, "J3": 299e-6, "J4": 35e-6, "J5": 35e-6, "J6": 35e-6,
    "G1": 62.6111, "G2": 107.815, "G3": 53.7063, "G4": 76.0364, "G5": 71.923, "G6": 76.686,
}
# fmt: on
PUMA_LIMITS = [(-160, 160), (-225, 45), (-45, 225), (-110, 170), (-100, 100), (-266, 266)]


@mechanism(
    "Armstrong, Khatib and Burdick, The explicit dynamic model and inertial parameters of the PUMA "
    "560 arm, ICRA 1986, as it is tabulated in common use; limits as in Fu, Gonzalez and Lee, 1987",
    **PUMA,
    g=9.81,
)
def puma560(s: Sheet) -> Model:
    """Puma 560, six turns, modified DH; motor inertias J reflected by gear ratios G, no friction.

    Izz1, all that the first link shows, is part of joint 1's armature: its mass was not measured.
    """
    armature = [getattr(s, f"J{i}") * getattr(s, f"G{i}") ** 2 for i in range(1, 7)]
    armature[0] = armature[0] + s.Izz1
    model = from_dh(
        [
            (0.0, 0.0, 0.0, 0.0),
            (0.0, -pi / 2, s.d2, 0.0),
            (s.a2, 0.0, s.d3, 0.0),
            (s.a3, pi / 2, s.d4, 0.0),
            (0.0, -pi / 2, 0.0, 0.0),
            (0.0, pi / 2, 0.0, 0.0),
        ],
        joints="RRRRRR",
        convention="modified",
        inertias=[Inertia.point(0.0), *(_puma_link(s, i) for i in range(2, 7))],
        name=s.name,
        gravity=(0.0, 0.0, -s.g),
        limits=[(low * DEGREES, high * DEGREES) for low, high in PUMA_LIMITS],
        parameters=s.values,
        details=[{"armature": x} for x in armature],
    )
    note = (
        "link 3: the measured moments 0.066, 0.0125, 0.086 break the triangle inequality by 10 % "
        "and are kept; some transcriptions have Izz3 = 0.066"
    )
    return replace(model, notes=(*model.notes, note))


def _puma_link(s: Sheet, i: int) -> Inertia:
    m, com, moments = _entries(s, i)
    return Inertia(m, com, diagonal(*moments), checked=i != 3)


# fmt: off
STANFORD = {
    "d1": 0.412, "d2": 0.154, "d6": 0.263,
    "m1": 9.29, "m2": 5.01, "m3": 4.25, "m4": 1.08, "m5": 0.63, "m6": 0.51,
    "ry1": 0.0175, "rz1": -0.1105, "ry2": -0.1054, "rz3": -0.6447, "ry4": 0.0092,
    "rz4": -0.0054, "rz5": 0.0566, "rz6": 0.1554,
    "Ixx1": 0.276, "Iyy1": 0.255, "Izz1": 0.071, "Ixx2": 0.108, "Iyy2": 0.018,
    "Izz2": 0.100, "Ixx3": 2.51, "Iyy3": 2.51, "Izz3": 0.006, "Ixx4": 0.002,
    "Iyy4": 0.001, "Izz4": 0.001, "Ixx5": 0.003, "Iyy5": 0.003, "Izz5": 0.0004,
    "Ixx6": 0.013, "Iyy6": 0.013, "Izz6": 0.0003,
    "J1": 0.953, "J2": 2.193, "J3": 0.782, "J4": 0.106, "J5": 0.097, "J6": 0.020,
}
# fmt: on
INCH = 0.0254
WHOLE, QUARTER = (-170 * DEGREES, 170 * DEGREES), (-90 * DEGREES, 90 * DEGREES)
STANFORD_LIMITS = [WHOLE, WHOLE, (12 * INCH, 50 * INCH), WHOLE, QUARTER, WHOLE]


@mechanism(
    "Paul, Robot Manipulators, 1981, tables 6.5 and 6.6, as they are tabulated in common use; "
    "limits likewise",
    **STANFORD,
    g=9.81,
)
def stanford(s: Sheet) -> Model:
    """Stanford arm, RRPRRR, standard DH; J are the inertias of the actuators at the joints.

    The published moments are taken about the origins of the link frames and the centres in
    centimetres: with metres and with moments about the centres, boom and hand would be several
    times longer than they are. The hand is d6 long.
    """
    model = from_dh(
        [
            (0.0, -pi / 2, s.d1, 0.0),
            (0.0, pi / 2, s.d2, 0.0),
            (0.0, 0.0, 0.0, 0.0),
            (0.0, -pi / 2, 0.0, 0.0),
            (0.0, pi / 2, 0.0, 0.0),
            (0.0, 0.0, 0.0, 0.0),
        ],
        joints="RRPRRR",
        convention="standard",
        inertias=[_stanford_link(s, i) for i in range(1, 7)],
        name=s.name,
        gravity=(0.0, 0.0, -s.g),
        limits=STANFORD_LIMITS,
        parameters=s.values,
        tool=turn_z(0.0, s.d6),
        details=[{"armature": getattr(s, f"J{i}")} for i in range(1, 7)],
    )
    note = "inertias: moments read as about the link frames' origins, centres as centimetres"
    return replace(model, notes=(*model.notes, note))


def _stanford_link(s: Sheet, i: int) -> Inertia:
    m, com, moments = _entries(s, i)
    S = skew(com)
    return Inertia(m, com, vector(diagonal(*moments)) + (S @ S) * m)


def _entries(s: Sheet, i: int) -> tuple[Any, list[Any], list[Any]]:
    """Mass, centre and moments of link i; what is not a parameter is zero."""

    def entry(name: str) -> Any:
        return getattr(s, f"{name}{i}") if f"{name}{i}" in s.values else 0.0

    return entry("m"), [entry(f"r{k}") for k in "xyz"], [entry(f"I{k}{k}") for k in "xyz"]
