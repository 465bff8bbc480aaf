"""Systems whose small motions are of a kind of their own: gyroscopic, circulatory, damped."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from visviva.describe.catalog.energies import stated

ZIEGLER = "Ziegler 1952, Die Stabilitätskriterien der Elastomechanik, Ingenieur-Archiv 20"


@stated(ZIEGLER, m=1.0, l=1.0, k=1.0, d=0.0, P=1.0)
def follower_column() -> Mapping[str, Any]:
    """Ziegler's column: two links on springs k with dampers d, pushed by P along the upper one.

    Angles q1 and q2 are from the vertical. There are 2 m at the elbow and m at the tip, no gravity.
    P follows the upper link, so that it has no potential: without damping the column flutters
    beyond P l = (7/2 - √2) k, where no other position of rest is near.
    """
    return {
        "coordinates": "q1 q2",
        "kinetic": "m*l^2*(3*q1'^2 + q2'^2 + 2*q1'*q2'*cos(q1 - q2))/2",
        "potential": "k*(q1^2 + (q2 - q1)^2)/2",
        "dissipation": "d*(q1'^2 + (q2' - q1')^2)/2",
        "forces": ["P*l*sin(q1 - q2)", "0"],
        "angles": "",
        "points": {
            "elbow": ["l*sin(q1)", "l*cos(q1)"],
            "tip": ["l*(sin(q1) + sin(q2))", "l*(cos(q1) + cos(q2))"],
            "P": ["l*(sin(q1) + 1.4*sin(q2))", "l*(cos(q1) + 1.4*cos(q2))"],
        },
        "lines": [("origin", "elbow"), ("elbow", "tip"), ("P", "tip", "arrow")],
        "solids": {"elbow": {"ball": "l/12"}, "tip": {"ball": "l/15"}},
        "start": {"q1": 0.1, "q2": 0.25},
    }


@stated("Föppl 1895 and Kimball 1924, with numbers of our own", m=2.0, I=0.02, J=0.03, kx=800.0,
        ky=800.0, kr=50.0, de=0.0, di=0.0, W=30.0)  # fmt: skip
def rotor_on_springs() -> Mapping[str, Any]:
    """A disc that turns with W on a shaft in springs: x, y across, a and b its tilt about x and y.

    I is the disc's inertia about a diameter, J about the shaft: its tilt feels the gyroscopic force
    J W. `de` is the damping of the springs, `di` that of the shaft itself, which turns with it and
    so pushes across the deflection by di W: beyond W = √(k/m) (1 + de/di) that drives a whirl.
    """
    tilt = {"euler": "XYZ", "angles": ["a", "b", "W*t"]}
    posts = {"east": [0.3, 0, 0], "west": [-0.3, 0, 0], "north": [0, 0.3, 0], "south": [0, -0.3, 0]}
    return {
        "coordinates": "x y a b",
        "kinetic": "m*(x'^2 + y'^2)/2 + I*(a'^2 + b'^2)/2 + J*W*(a'*b - a*b')/2",
        "potential": "(kx*x^2 + ky*y^2 + kr*(a^2 + b^2))/2",
        "dissipation": "(de + di)*(x'^2 + y'^2)/2",
        "forces": ["-di*W*y", "di*W*x", "0", "0"],
        "points": {"hub": ["x", "y", 0], **posts},
        "lines": [(post, "hub", "spring") for post in posts],
        "solids": {
            "disc": {"disc": "sqrt(2*J/m)", "at": "hub", "rotation": tilt},
            "shaft": {"cylinder": [0.008, 0.3], "at": "hub", "rotation": tilt},
        },
        "start": {"x": 0.02, "a": 0.1},
    }


@stated("Magnus 1971, Kreisel, with numbers of our own", m=1.0, l=0.1, I=0.02, J=0.005, g=9.81)
def gyroscope() -> Mapping[str, Any]:
    """A top on its tip in Cardan's angles a and b, zero upright, and its spin.

    I is about axes through the tip across the top's own, J about its own. Upright it stands if it
    spins faster than 2 √(I m g l) / J: gyroscopic forces hold what gravity pushes away.
    """
    return {
        "coordinates": "a b spin",
        "kinetic": "I*(a'^2*cos(b)^2 + b'^2)/2 + J*(spin' + a'*sin(b))^2/2",
        "potential": "m*g*l*cos(a)*cos(b)",
        "angles": "a b spin",
        "points": {
            "centre": ["l*sin(b)", "-l*sin(a)*cos(b)", "l*cos(a)*cos(b)"],
            "end": ["1.5*l*sin(b)", "-1.5*l*sin(a)*cos(b)", "1.5*l*cos(a)*cos(b)"],
        },
        "lines": [("origin", "end")],
        "solids": {
            "centre": {
                "disc": "sqrt(2*J/m)",
                "rotation": {"euler": "XYZ", "angles": ["a", "b", "spin"]},
            }
        },
        "start": {"a": 0.2, "b": 0.1, "spin'": 80.0},
    }
