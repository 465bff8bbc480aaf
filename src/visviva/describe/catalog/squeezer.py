"""Andrews' squeezer: seven bodies in a plane, three loops, milliseconds."""

from __future__ import annotations

from math import atan2, cos, pi, sin
from typing import Any

from visviva.describe.bodies.inertia import Inertia
from visviva.describe.catalog.entry import Sheet, assembled, diagonal, mechanism
from visviva.describe.catalog.linkages import dyad
from visviva.describe.model.model import Model

# fmt: off
LENGTHS = {
    "d": 0.028, "da": 0.0115, "e": 0.02, "ea": 0.01421, "rr": 0.007, "ra": 0.00092, "ss": 0.035,
    "sa": 0.01874, "sb": 0.01043, "sc": 0.018, "sd": 0.02, "ta": 0.02308, "tb": 0.00916, "u": 0.04,
    "ua": 0.01228, "ub": 0.00449, "zf": 0.02, "zt": 0.04, "fa": 0.01421,
    "xa": -0.06934, "ya": -0.00227, "xb": -0.03635, "yb": 0.03273, "xc": 0.014, "yc": 0.072,
}
MASSES = {
    "m1": 0.04325, "m2": 0.00365, "m3": 0.02373, "m4": 0.00706, "m5": 0.07050, "m6": 0.00706,
    "m7": 0.05498, "I1": 2.194e-6, "I2": 4.410e-7, "I3": 5.255e-6, "I4": 5.667e-7, "I5": 1.169e-5,
    "I6": 5.667e-7, "I7": 1.912e-5,
}
# fmt: on
BETA = -0.0617138900142764496358948458001  # of the published start


@mechanism(
    "Schiehlen (ed.), Multibody Systems Handbook, 1990; Hairer and Wanner, Solving Ordinary "
    "Differential Equations II, section VII.7",
    **LENGTHS,
    **MASSES,
    c0=4530.0,
    l0=0.07785,
)
def andrews(s: Sheet) -> Model:
    """Andrews' squeezer: a motor turns K1, whose rod K2 moves P; three more chains end in P.

        O --K1-- --K2-- P      beta, Theta
        B ------K3----- P      gamma; a spring from C pulls at K3
        A --K5-- --K4-- P      delta, Phi
        A --K7-- --K6-- P      epsilon, Omega

    Angles and lengths as published; no gravity. The loops "K3", "K4", "K6" hinge their ends to P,
    the end of K2. The motor's moment, 0.033 Nm in the benchmark, is the force on beta; all other
    joints are passive. The key frame "assembled" has the published beta; with the published lengths
    it is the published start.
    """
    b = s.under(0.0, 0.0, 0.0)
    A, B = (s.xa, s.ya), (s.xb, s.yb)
    b.body("K1", joint_name="beta", **_hinge(), inertia=_lamina(s.m1, (s.ra, 0.0), s.I1))
    second = _lamina(s.m2, (-s.da, 0.0), s.I2)
    b.body("K2", parent="K1", joint_name="Theta", **_hinge(s.rr, 0.0), inertia=second)
    b.body("K3", joint_name="gamma", **_hinge(*B), inertia=_lamina(s.m3, (s.sb, -s.sa), s.I3))
    b.body("K5", joint_name="delta", **_hinge(*A), inertia=_lamina(s.m5, (s.ta, s.tb), s.I5))
    fourth = _lamina(s.m4, (0.0, s.ea - s.e), s.I4)
    b.body("K4", parent="K5", joint_name="Phi", **_hinge(s.zt, 0.0), inertia=fourth)
    b.body("K7", joint_name="epsilon", **_hinge(*A), inertia=_lamina(s.m7, (s.ub, -s.ua), s.I7))
    sixth = _lamina(s.m6, (s.zf - s.fa, 0.0), s.I6)
    b.body("K6", parent="K7", joint_name="Omega", **_hinge(0.0, -s.u), inertia=sixth)
    b.frame("P", body="K2", at=[-s.d, 0.0, 0.0])
    b.frame("K3_end", body="K3", at=[0.0, -s.ss, 0.0])
    b.frame("K4_end", body="K4", at=[0.0, -s.e, 0.0])
    b.frame("K6_end", body="K6", at=[s.zf, 0.0, 0.0])
    b.frame("C", at=[s.xc, s.yc, 0.0]).frame("D", body="K3", at=[s.sd, -s.sc, 0.0])
    b.spring("spring", s.c0, s.l0, between=("C", "D"))
    model = b.build()
    for name in ("K3", "K4", "K6"):
        model = model.with_loop("P", f"{name}_end", "revolute", axis="z", name=name)
    angles = _angles(s, BETA)
    model = model.with_passive(model.joint_names[1:])
    return assembled(model, [_wrapped(angles[name]) for name in model.joint_names])


def _angles(s: Sheet, beta: float) -> dict[str, float]:
    """All angles by that of K1, in the published assembly: three pairs of links meet."""
    p = s.values
    A, B = (p["xa"], p["ya"]), (p["xb"], p["yb"])
    end = (p["rr"] * cos(beta), p["rr"] * sin(beta))
    second, third = dyad(s, end, B, p["d"], p["ss"])
    P = (end[0] + p["d"] * cos(second), end[1] + p["d"] * sin(second))
    fifth, fourth = dyad(s, A, P, p["zt"], p["e"])
    sixth, seventh = dyad(s, P, A, p["zf"], p["u"])
    gamma, epsilon = third + pi / 2, seventh + pi / 2
    return {
        "beta": beta,
        "Theta": second - pi - beta,
        "gamma": gamma,
        "Phi": fourth - pi / 2 - fifth,
        "delta": fifth,
        "Omega": sixth - pi - epsilon,
        "epsilon": epsilon,
    }


def _wrapped(x: float) -> float:
    return atan2(sin(x), cos(x))


def _hinge(x: Any = 0.0, y: Any = 0.0) -> dict[str, Any]:
    return {"joint": "revolute", "axis": "z", "at": [x, y, 0.0]}


def _lamina(m: Any, at: Any, inertia: Any) -> Inertia:
    """A body of which only the moment about z counts."""
    return Inertia(m, [*at, 0.0], diagonal(inertia / 2, inertia / 2, inertia))
