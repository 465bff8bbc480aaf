"""Mechanisms stated by their energies: particles in fields and rotating frames, Euler's angles."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, cast

from visviva.describe.catalog.entry import (
    CHOSET,
    checked,
    entered,
    keywords,
    options_of,
    split,
    taken,
)

if TYPE_CHECKING:
    from visviva.describe.energies.lagrangian import Lagrangian

BONA = "Bona, lecture slides on rigid body dynamics"

Recipe = Callable[..., Mapping[str, Any]]


def stated(source: str, **defaults: float) -> Callable[[Recipe], Callable[..., Lagrangian]]:
    """Enter energies under the name of the function that states them.

    What that function takes by keyword are options; `more` in what it states are parameters that
    the energies have with these options only.
    """

    def enter(recipe: Recipe) -> Callable[..., Lagrangian]:
        name, options = recipe.__name__, options_of(recipe)

        def make(**values: Any) -> Lagrangian:
            statement = dict(recipe(**taken(name, options, values)))
            numbers, texts = split(values)
            known = checked(name, {**defaults, **statement.pop("more", {})}, numbers)
            from visviva.describe.energies.lagrangian import (
                Lagrangian,  # SymPy is loaded by who needs it
            )

            made = Lagrangian(**statement, parameters=known, name=name)
            return made.with_parameters(texts) if texts else made

        cast(Any, make).__signature__ = inspect.Signature(
            keywords(defaults, recipe), return_annotation="Lagrangian"
        )
        text = recipe.__doc__ or ""
        return entered(name, text, source, defaults, make, recipe.__module__, options)

    return enter


FIELDS = {"Ex": 0.0, "Ey": 0.0, "Ez": 1.0, "Bx": 0.0, "By": 0.0, "Bz": 2.0}


@stated(f"{BONA}, slide 37, with uniform fields", m=1.0, e=1.0, c=1.0, **FIELDS)
def charged_particle() -> Mapping[str, Any]:
    """A charge in uniform fields E and B, by the generalized potential e (φ - v · A / c).

    φ = -E · r and A = ½ B × r.
    """
    A = ["(By*z - Bz*y)/2", "(Bz*x - Bx*z)/2", "(Bx*y - By*x)/2"]
    along = " + ".join(f"{x}'*({a})" for x, a in zip("xyz", A, strict=True))
    return {
        "coordinates": "x y z",
        "kinetic": "m*(x'^2 + y'^2 + z'^2)/2",
        "potential": f"e*(-(Ex*x + Ey*y + Ez*z) - ({along})/c)",
        "points": {
            "particle": ["x", "y", "z"],
            "E": ["Ex/3 - 0.3", "Ey/3", "Ez/3"],
            "foot of E": [-0.3, 0, 0],
            "B": ["Bx/3", "By/3", "Bz/3"],
        },
        "lines": [("origin", "B", "arrow"), ("foot of E", "E", "arrow")],
        "solids": {"particle": {"ball": 0.04}},
        "start": {"x": 0.5, "y'": 1.0},
    }


@stated(f"{BONA}, slides 25 and 26", m=1.0, c=1.0)
def relativistic_particle() -> Mapping[str, Any]:
    """A free particle near the speed of light c: its mass matrix depends on its velocity."""
    return {
        "coordinates": "x y z",
        "kinetic": "m*c^2*(1 - sqrt(1 - (x'^2 + y'^2 + z'^2)/c^2))",
        "points": {"particle": ["x", "y", "z"]},
        "lines": [("origin", "particle", "arrow")],
        "solids": {"particle": {"ball": 0.04}},
        "start": {"x": 0.5, "y": 0.3, "z": 0.3, "x'": 0.6},
    }


@stated(f"{BONA}, equations 62 and 63, with a system of our own", m=1.0, W=0.7, kappa=2.0)
def rotating_frame_particle() -> Mapping[str, Any]:
    """A particle on a spring, in axes that turn with W about z: C* = C2 + C1 + C0."""
    return {
        "coordinates": "x y",
        "kinetic": "m*((x' - W*y)^2 + (y' + W*x)^2)/2",
        "potential": "kappa*(x^2 + y^2)/2",
        "points": {"particle": ["x*cos(W*t) - y*sin(W*t)", "x*sin(W*t) + y*cos(W*t)", 0]},
        "lines": [("origin", "particle", "spring")],
        "solids": {
            "particle": {"ball": 0.04},
            "table": {"disc": 0.7, "at": [0, 0, -0.05], "rotation": {"axis": "z", "angle": "W*t"}},
        },
        "start": {"x": 0.5, "y'": 0.4},
    }


@stated(f"{BONA}, example 0.7.2", m=0.5, k=1.0, Omega=3.0, g=9.81)
def bead_on_rotating_wire(*, constrained: bool = False) -> Mapping[str, Any]:
    """A bead on the wire z = k x², which turns about the vertical with the rate Omega.

    With `constrained=True` it has the coordinates x, z and theta, and both constraints: it stays on
    the wire, and the wire turns. Their multipliers are the force of the wire, its vertical part,
    and the torque that keeps it turning. Where x = 0 the mass matrix is then singular.
    """
    angle, height = ("theta", "z") if constrained else ("Omega*t", "k*x^2")
    wire = {"curve": ["u", 0, "k*u^2"], "along": ["u", -0.9, 0.9]}
    picture: dict[str, Any] = {
        "points": {
            "bead": [f"x*cos({angle})", f"x*sin({angle})", height],
            "top": [0, 0, "k"],
        },
        "lines": [("origin", "top", "string")],
        "solids": {
            "bead": {"ball": 0.05},
            "wire": {**wire, "rotation": {"axis": "z", "angle": angle}},
        },
        "start": {"x": 0.5},
    }
    if constrained:
        return {
            **picture,
            "coordinates": "x z theta",
            "kinetic": "m*(x'^2 + z'^2 + x^2*theta'^2)/2",
            "potential": "m*g*z",
            "constraints": ["z - k*x^2", "theta' - Omega"],
            "angles": "theta",
        }
    return {
        **picture,
        "coordinates": "x",
        "kinetic": "m*(x'^2*(1 + 4*k^2*x^2) + Omega^2*x^2)/2",
        "potential": "m*g*k*x^2",
    }


@stated(f"{CHOSET}, section 10.3", m=1.0, R=0.5)
def point_on_circle(*, constrained: bool = False) -> Mapping[str, Any]:
    """A point mass on a circle of radius R, pushed by forces f_x and f_y.

    It has the one coordinate theta, from x; with `constrained=True` x and y, where x² + y² = R².
    """
    place = ["x", "y", 0] if constrained else ["R*cos(theta)", "R*sin(theta)", 0]
    picture: dict[str, Any] = {
        "points": {"point": place},
        "lines": [("origin", "point", "string")],
        "solids": {"point": {"ball": 0.03}, "circle": {"ring": "R"}},
    }
    if constrained:
        return {
            **picture,
            "start": {"x": 0.4, "y": 0.3},
            "coordinates": "x y",
            "kinetic": "m*(x'^2 + y'^2)/2",
            "constraints": ["x^2 + y^2 - R^2"],
        }
    return {
        **picture,
        "start": {"theta": 0.6},
        "coordinates": "theta",
        "kinetic": "m*R^2*theta'^2/2",
        "actuators": [["-R*sin(theta)", "R*cos(theta)"]],
        "angles": "theta",
    }


@stated(f"{CHOSET}, problems 11 and 12", m=1.0, R=1.0)
def point_on_sphere() -> Mapping[str, Any]:
    """A point mass on a sphere of radius R about the origin, pushed by three thrusters.

    The constraint is (q · q - R²) / 2 = 0, so that A = qᵀ. No gravity.
    """
    return {
        "coordinates": "q1 q2 q3",
        "kinetic": "m*(q1'^2 + q2'^2 + q3'^2)/2",
        "constraints": ["(q1^2 + q2^2 + q3^2 - R^2)/2"],
        "points": {"point": ["q1", "q2", "q3"]},
        "lines": [("origin", "point", "string")],
        "solids": {
            "point": {"ball": 0.05},
            **{f"circle about {axis}": {"ring": "R", "axis": axis} for axis in "xyz"},
        },
        "start": {"q1": 0.6, "q2": -0.48, "q3": 0.64, "q2'": 0.5, "q1'": 0.4},
    }


@stated("Landau and Lifshitz, Mechanics, section 14, problem 1", m=1.0, l=0.8, g=9.81)
def spherical_pendulum() -> Mapping[str, Any]:
    """A point mass on a rod in space: theta from the downward vertical, phi around it.

    Where sin theta = 0 the mass matrix is singular.
    """
    return {
        "coordinates": "theta phi",
        "kinetic": "m*l^2*(theta'^2 + sin(theta)^2*phi'^2)/2",
        "potential": "-m*g*l*cos(theta)",
        "angles": "theta phi",
        "points": {"bob": ["l*sin(theta)*cos(phi)", "l*sin(theta)*sin(phi)", "-l*cos(theta)"]},
        "lines": [("origin", "bob")],
        "solids": {"bob": {"ball": "l/14"}},
        "start": {"theta": 0.7, "phi'": 2.0},
    }


def _along(length: str) -> list[str]:
    """A point of the top's own axis, z of R = Rz(phi) Rx(theta) Rz(psi)."""
    axis = ("sin(phi)*sin(theta)", "-cos(phi)*sin(theta)", "cos(theta)")
    return [f"{length}*{x}" for x in axis]


@stated(
    "Goldstein, Classical Mechanics, section 5.7",
    M=0.5,
    l=0.06,
    I1=0.0025,
    I3=0.0008,
    g=9.81,
)
def heavy_top() -> Mapping[str, Any]:
    """A symmetric top about its fixed tip in Euler's angles: phi precession, theta nutation, psi.

    I1 is about an axis through the tip across the top's own, I3 about its own; l is from the tip to
    the centre of mass. Where sin theta = 0 the mass matrix is singular.
    """
    return {
        "coordinates": "phi theta psi",
        "kinetic": "I1*(theta'^2 + phi'^2*sin(theta)^2)/2 + I3*(psi' + phi'*cos(theta))^2/2",
        "potential": "M*g*l*cos(theta)",
        "angles": "phi theta psi",
        "points": {"centre": _along("l"), "end": _along("1.6*l")},
        "lines": [("origin", "end")],
        "solids": {
            "centre": {
                "disc": "sqrt(2*I3/M)",
                "rotation": {"euler": "ZXZ", "angles": ["phi", "theta", "psi"]},
            }
        },
        "start": {"theta": 0.4, "psi'": 150.0},
    }


@stated(f"{CHOSET}, equations 10.47 to 10.49", Ix=0.3, Iy=0.4, Iz=0.5)
def euler_body() -> Mapping[str, Any]:
    """A body about its fixed centre in Euler's angles, R = Rz(q1) Rx(q3) Rz(q2).

    q1 is precession, q2 spin, q3 nutation; where sin q3 = 0 the mass matrix is singular.
    """
    wx = "(q1'*sin(q2)*sin(q3) + q3'*cos(q2))"
    wy = "(q1'*cos(q2)*sin(q3) - q3'*sin(q2))"
    wz = "(q1'*cos(q3) + q2')"
    return {
        "coordinates": "q1 q2 q3",
        "kinetic": f"(Ix*{wx}^2 + Iy*{wy}^2 + Iz*{wz}^2)/2",
        "angles": "q1 q2 q3",
        "solids": {
            "body": {
                "box": ["sqrt(Iy + Iz - Ix)", "sqrt(Ix + Iz - Iy)", "sqrt(Ix + Iy - Iz)"],
                "rotation": {"euler": "Z1X3Z2", "angles": ["q1", "q2", "q3"]},
            }
        },
        "start": {"q3": 1.2, "q1'": 0.3, "q3'": 2.0},
    }
