"""A slider-crank, a top, a sleigh and a rattleback; and all motions of the page."""

# ruff: noqa: E501 (text of a page)

from collections.abc import Mapping
from typing import Any

import mpmath
import numpy as np

from tests.support.problems.by_hand import rattleback
from tests.support.problems.linkages import ANDREWS, BRICARD, GOVERNOR, PENDULUM, ROW
from tests.support.problems.problem import PAGE_TOLERANCE, Problem, chosen, digits, state

# others ------------------------------------------------------------------------------------------

SLIDER = Problem(
    "Spatial slider-crank",
    "A crank of 0.08 m about x at (0, 0.1, 0.12), a rod of 0.3 m with a ball on the crank and a "
    "universal joint on a piston along x: lengths and masses of the catalogue, after Haug. The crank is "
    "up and turns with 6 rad/s, a start of our own; gravity is along -z; 5 s.",
    """system = vv.catalog.spatial_slider_crank()
q = system.keyframes["assembled"]
v = system.admitted_velocity(q, [1.0, 0.0, 0.0, 0.0])
v = 6.0 * v / v[0]
""",
    f"run = system.simulate(q, v, 5.0, {PAGE_TOLERANCE})",
    lambda names: chosen("theta x theta'", {t: state(names["run"], t) for t in (1.0, 5.0)}),
    lambda names: chosen(
        "theta x theta'", dict(zip((1.0, 5.0), digits(names, [1, 5]), strict=True))
    ),
    "the interpreted equations, extrapolated to 24 digits",
)


def _top(names: Mapping[str, Any]) -> dict[str, Any]:
    found = chosen("theta phi psi", {1.0: digits(names, [1.0])[0]})
    s = names["system"]
    with mpmath.workdps(30):
        M, high, I1, I3, g = (
            mpmath.mpf(repr(s.parameters[x])) for x in ("M", "l", "I1", "I3", "g")
        )
        a, beta, u0 = I3 * 150 / I1, 2 * M * g * high / I1, mpmath.cos(mpmath.mpf(0.6))
        root = mpmath.sqrt(a**4 - 4 * beta * (a**2 * u0 - beta))
        low, above = (a**2 - root) / (2 * beta), (a**2 + root) / (2 * beta)
        m = (u0 - low) / (above - low)
        w = mpmath.sqrt(beta * (above - low)) / 2
        u = low + (u0 - low) * mpmath.ellipfun("sn", mpmath.ellipk(m) - w, m=m) ** 2
        period = 2 * mpmath.ellipk(m) / w
    return found | {"cos theta at 1 s": u, "period of nutation [s]": period}


def _nodding(names: Mapping[str, Any]) -> dict[str, float]:
    run = names["run"]
    found = chosen("theta phi psi", {1.0: state(run, 1.0)})
    from scipy.optimize import brentq

    rate = lambda t: run.at(t)[1][1]  # noqa: E731
    low, high = 0.08, 0.2
    grid = np.linspace(low, high, 60)
    signs = [rate(t) for t in grid]
    at = next(i for i in range(59) if signs[i] < 0 <= signs[i + 1])
    period = brentq(rate, grid[at], grid[at + 1], xtol=1e-14)
    return found | {
        "cos theta at 1 s": np.cos(found["theta at 1 s"]),
        "period of nutation [s]": period,
    }


TOP = Problem(
    "Heavy top",
    "A symmetric top on its tip, 0.5 kg, the centre of mass 0.06 m above, moments 0.0025 and 0.0008 kg "
    "m²; released with its axis at rest at 0.6 rad from the vertical and a spin of 150 rad/s. It precesses "
    "and nods.",
    """system = vv.catalog.heavy_top()
q, v = [0.0, 0.6, 0.0], [0.0, 0.0, 150.0]        # phi, theta, psi
""",
    f"run = system.simulate(q, v, 1.0, {PAGE_TOLERANCE})",
    _nodding,
    _top,
    "angles by the interpreted equations, extrapolated to 24 digits; cos theta and the period by "
    "elliptic functions",
)


def _sleigh(names: Mapping[str, Any]) -> dict[str, Any]:
    """v = V tanh(k V t + …), the turning goes with 1 / cosh."""
    with mpmath.workdps(30):
        m, J, a = mpmath.mpf(1), mpmath.mpf("0.1"), mpmath.mpf("0.2")
        v0, w0 = mpmath.mpf(-0.8), mpmath.mpf(-3)
        inertia = J + m * a * a
        V = mpmath.sqrt(v0**2 + inertia / m * w0**2)
        k, c = a * m / inertia * V, mpmath.atanh(v0 / V)
        turning = lambda t: -mpmath.sqrt(m / inertia) * V / mpmath.cosh(k * t + c)  # noqa: E731
        gd = lambda z: 2 * mpmath.atan(mpmath.tanh(z / 2))  # noqa: E731
        theta = lambda t: -mpmath.sqrt(m / inertia) * V / k * (gd(k * t + c) - gd(c))  # noqa: E731
        along = lambda t: V * mpmath.tanh(k * t + c)  # noqa: E731
        x = mpmath.quad(lambda t: along(t) * mpmath.cos(theta(t)), mpmath.linspace(0, 5, 11))
        y = mpmath.quad(lambda t: along(t) * mpmath.sin(theta(t)), mpmath.linspace(0, 5, 11))
        return {
            "x at 5 s": x, "y at 5 s": y, "theta at 5 s": theta(5), "theta' at 5 s": turning(5),
            "speed along the blade at 5 s": along(5),
        }  # fmt: skip


def _blade(names: Mapping[str, Any]) -> dict[str, float]:
    y = state(names["run"], 5.0)
    along = y["x'"] * np.cos(y["theta"]) + y["y'"] * np.sin(y["theta"])
    return chosen("x y theta theta'", {5.0: y}) | {"speed along the blade at 5 s": along}


SLEIGH = Problem(
    "Chaplygin's sleigh",
    "A body on a blade that does not slip sideways, its centre of mass a = 0.2 m before the blade, 1 kg "
    "and 0.1 kg m² about the centre. It starts backwards, at -0.8 m/s along the blade and turning with "
    "-3 rad/s. Nothing brakes it, and yet it ends up going straight, forwards, with √(v² + (I/m + a²) ω²).",
    """system = vv.catalog.chaplygin_sleigh()
q = np.zeros(3)
v = system.admitted_velocity(q, [-0.8, 0.0, -3.0])
""",
    f"run = system.simulate(q, v, 5.0, {PAGE_TOLERANCE})",
    _blade,
    _sleigh,
    "the closed form: tanh and the Gudermannian, places by quadrature, 30 digits",
)


def _rolled(names: Mapping[str, Any]) -> dict[str, Any]:
    return chosen("yaw tilt roll yaw'", dict(zip((1.0, 2.0), rattleback([1, 2], 20), strict=True)))


RATTLEBACK = Problem(
    "Rattleback",
    "An ellipsoid with half axes of 0.2, 0.03 and 0.02 m that rolls on a plane without slipping; 1 kg, "
    "the centre of mass 0.01 m below the middle, and principal axes of inertia turned against those "
    "of the ellipsoid: numbers of our own. Turned against its preferred sense it begins to rattle, and turns "
    "the other way. No body of the catalogue rolls on an ellipsoid, so it is stated by energies and two "
    "rows of velocities, in more lines than the others.",
    """import sympy

x, y, yaw, tilt, roll = vv.coordinates("x y yaw tilt roll")
turn = sympy.rot_ccw_axis3(yaw) * sympy.rot_ccw_axis1(tilt) * sympy.rot_ccw_axis2(roll)
up = turn.T[:, 2]                                # the vertical in the body's axes
D = sympy.diag("1/25", "9/10000", "1/2500")      # squares of the half axes
J = sympy.Matrix([[20, -2, 0], [-2, 160, 0], [0, 0, 170]]) / 100000
touch = sympy.Matrix([0, 0, "1/100"]) - D * up / sympy.sqrt((up.T * D * up)[0])
height = -(up.T * touch)[0]                      # of the centre of mass
W = turn.T * turn.diff("t")
w = sympy.Matrix([W[2, 1], W[0, 2], W[1, 0]])    # the angular velocity
slip = sympy.Matrix([x, y, height]).diff("t") + turn * w.cross(touch)
T = (x.diff("t") ** 2 + y.diff("t") ** 2 + height.diff("t") ** 2 + (w.T * J * w)[0]) / 2
V = sympy.Rational(981, 100) * height
coordinates = [x, y, yaw, tilt, roll]
system = vv.Lagrangian(coordinates, T, V, constraints=list(slip[:2]), angles="yaw tilt roll", name="rattleback")
q = [0.0, 0.0, 0.0, 0.01, 0.01]
N = system.displacements(q)                      # velocities that do not slip
v = N @ np.linalg.solve(N[2:], [-5.0, 0.0, 0.0])
""",
    f"run = system.simulate(q, v, 20.0, {PAGE_TOLERANCE})",
    lambda names: chosen("yaw tilt roll yaw'", {t: state(names["run"], t) for t in (1.0, 2.0)}),
    _rolled,
    "moments about the point of contact, J ω̇ - m r × (r × ω̇) = …, derived by hand, so that nothing "
    "of the code above is in it, extrapolated to 20 digits",
    note="Within the 20 s it turns with -5.4 to 5.5 rad/s.",
)


MOTIONS = {
    "pendulum": PENDULUM, "n_four_bar": ROW, "andrews": ANDREWS, "bricard": BRICARD,
    "stiff_governor": GOVERNOR, "spatial_slider_crank": SLIDER, "heavy_top": TOP,
    "chaplygin_sleigh": SLEIGH, "rattleback": RATTLEBACK,
}  # fmt: skip
