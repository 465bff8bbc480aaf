"""Pendulum, linkages, governor: the library of IFToMM."""

# ruff: noqa: E501 (text of a page)

from collections.abc import Mapping
from typing import Any

import mpmath
import numpy as np

from tests.support.oracles import extrapolation
from tests.support.problems.by_hand import governor
from tests.support.problems.problem import PAGE_TOLERANCE, Problem, chosen, digits, state

# A01 ---------------------------------------------------------------------------------------------


def _pendulum(names: Mapping[str, Any]) -> dict[str, Any]:
    with mpmath.workdps(30):
        m = mpmath.mpf(1) / 2  # sin² of half the amplitude, a right angle
        found = {}
        for t in (1, 10):
            u = mpmath.ellipk(m) - mpmath.sqrt(mpmath.mpf("9.81")) * t
            half = mpmath.sqrt(m) * mpmath.ellipfun("sn", u, m=m)
            theta = -2 * mpmath.asin(half)
            found |= {f"x at {t} s": mpmath.sin(theta), f"y at {t} s": -mpmath.cos(theta)}
        return found


def _bob(names: Mapping[str, Any]) -> dict[str, float]:
    found = {}
    for t in (1, 10):
        theta = names["run"].at(float(t))[0][0]
        found |= {f"x at {t} s": np.sin(theta), f"y at {t} s": -np.cos(theta)}
    return found


PENDULUM = Problem(
    "A01, simple pendulum",
    "A point of 1 kg on a massless bar of 1 m, released at rest with the bar horizontal, the point "
    "at (-1, 0); g = 9.81 m/s², 10 s.",
    """system = vv.catalog.pendulum(n=1)
q, v = [-np.pi / 2], [0.0]                       # the angle from where it hangs
""",
    f"run = system.simulate(q, v, 10.0, {PAGE_TOLERANCE})",
    _bob,
    _pendulum,
    "Jacobi's elliptic functions, 30 digits",
    cheap=True,
)


# A02 ---------------------------------------------------------------------------------------------


def _row(names: Mapping[str, Any]) -> dict[str, Any]:
    """All standing rods are parallel: one angle, I θ'' = -G cos θ with n = 2."""
    with mpmath.workdps(36):
        ratio = mpmath.mpf("9.81") * (mpmath.mpf(3) / 2 + 2) / (mpmath.mpf(3) / 3 + 2)

        def rates(y: Any) -> Any:
            return [y[1], -ratio * mpmath.cos(y[0])]

        found = {}
        for t, (theta, _) in zip(
            (1, 10), extrapolation.motion(rates, [mpmath.pi / 2, -1], [1, 10]), strict=True
        ):
            found |= {
                f"x of B0 at {t} s": mpmath.cos(theta),
                f"y of B0 at {t} s": mpmath.sin(theta),
            }
        return found


def _first_rod(names: Mapping[str, Any]) -> dict[str, float]:
    found = {}
    for t in (1, 10):
        theta = names["run"].at(float(t))[0][0]
        found |= {f"x of B0 at {t} s": np.cos(theta), f"y of B0 at {t} s": np.sin(theta)}
    return found


ROW = Problem(
    "A02, N four-bar linkages",
    "Two windows of five equal rods, 1 m and 1 kg each, upright; the point B0 at the upper left "
    "moves with 1 m/s to the right; 10 s. Ten times it passes positions in which all rods lie on one "
    "line and the linkage could go on in several ways: rows of constraints become dependent there. "
    "(The library also has N = 40.)",
    """system = vv.catalog.n_four_bar(n=2)
q = system.keyframes["assembled"]
v = system.admitted_velocity(q, [-1.0, 1.0, -1.0, 1.0, -1.0])
""",
    f"run = system.simulate(q, v, 10.0, {PAGE_TOLERANCE})",
    _first_rod,
    _row,
    "the equation of one angle, extrapolated to 24 digits",
)


# A03 ---------------------------------------------------------------------------------------------

ANGLES = "beta Theta gamma Phi delta Omega epsilon"
ANDREWS_PUBLISHED = [15.81077119629904, -15.75637105984298, 0.04082224013073101,
                     -0.5347301163226948, 0.5244099658805304, 0.5347301163226948,
                     1.048080741042263]  # fmt: skip

ANDREWS = Problem(
    "A03, Andrews' squeezer",
    "Seven bodies in a plane, three loops, a spring; a motor of 0.033 N m turns the first link from "
    "rest for 0.03 s. Data of Schiehlen's handbook.",
    """system = vv.catalog.andrews()
q, v = system.keyframes["assembled"], np.zeros(7)
motor = [0.033, 0, 0, 0, 0, 0, 0]
""",
    f"run = system.simulate(q, v, 0.03, tau=motor, {PAGE_TOLERANCE})",
    lambda names: chosen(ANGLES, {0.03: state(names["run"], 0.03)}),
    lambda names: chosen(ANGLES, {0.03: digits(names, [0.03], names["motor"])[0]}),
    "the interpreted equations, extrapolated to 24 digits",
    dict(zip([f"{x} at 0.03 s" for x in ANGLES.split()], ANDREWS_PUBLISHED, strict=True)),
    "the reference solution of the Test Set for IVP Solvers (computed there in double precision, "
    "with a tolerance of 1e-14)",
    within=1e-10,
    note="Our two roads agree to 1e-12; the published beta differs from both by 1.1e-9, in its tenth "
    "digit.",
)


# A04 ---------------------------------------------------------------------------------------------


def _follower(a: Any) -> tuple[Any, Any]:
    """The turn of the even hinges by that of the odd ones, sin b = sin a / (sin a - 1), and its rate."""
    s = mpmath.sin(a)
    b = mpmath.asin(s / (s - 1))
    return b, -mpmath.cos(a) / ((s - 1) ** 2 * mpmath.cos(b))


def _one_turn(names: Mapping[str, Any]) -> dict[str, Any]:
    """All by the one turn: m(a) a'' + m'(a) a'² / 2 + V'(a) = 0, slopes by differences of 50 digits."""
    s, h = names["system"], mpmath.mpf(10) ** -14

    def energies(a: Any) -> list[Any]:
        b, slope = _follower(a)
        N = np.array([1, slope, 1, slope, 1], dtype=object)
        M = np.array(s.mass_matrix.interpret([a, b, a, b, a]), dtype=object)
        return [N @ M @ N, np.ravel(s.potential_energy.interpret([a, b, a, b, a]))[0]]

    def rates(y: Any) -> list[Any]:
        near = [energies(y[0] + k * h) for k in (-1, 0, 1)]
        dm, dV = ((near[2][i] - near[0][i]) / (2 * h) for i in range(2))
        return [y[1], -(dm * y[1] ** 2 / 2 + dV) / near[1][0]]

    with mpmath.workdps(46):
        found = extrapolation.motion(rates, [0, 0], [1, 10], digits=20, guard=26)
        states = [{"q1": a, "q2": _follower(a)[0], "q1'": w} for a, w in found]
    return chosen("q1 q2 q1'", dict(zip((1.0, 10.0), states, strict=True)))


BRICARD = Problem(
    "A04, Bricard's linkage",
    "Five thin rods of 1 m and 1 kg along edges of a cube, six hinges, each across its two bars; "
    "counted, it has no freedom, and it moves. Released from rest, 10 s. In the library gravity is "
    "along -y and the first rod along x; the catalogue's linkage is its mirror image, x and y "
    "exchanged, so that gravity is along -x here. (An implementation in OpenSim lists a cross section "
    "of 0.1 m; rods are thin here.)",
    """system = vv.catalog.bricard(edge=1.0).with_gravity([-9.81, 0.0, 0.0])
q, v = system.keyframes["assembled"], np.zeros(5)
""",
    "run = system.simulate(q, v, 10.0, rtol=1e-10, atol=1e-12)",
    lambda names: chosen("q1 q2 q1'", {t: state(names["run"], t) for t in (1.0, 10.0)}),
    _one_turn,
    "the equation of one turn, with sin q2 = sin q1 / (sin q1 - 1), extrapolated to 20 digits",
    within=1e-6,
)


# A05 ---------------------------------------------------------------------------------------------


def _governor(names: Mapping[str, Any]) -> dict[str, Any]:
    return chosen("s AC shaft", {t: governor(t, digits=20) for t in (0.01, 10.0)})


GOVERNOR = Problem(
    "A05, stiff fly-ball governor",
    "A shaft of 1 m that turns with 2π rad/s, a slider of 3 kg at s = 0.5 m on it, two rods of 1 m at "
    "30° below the horizontal with 5 kg at their ends; instead of coupler rods there are springs of "
    "8·10⁵ N/m with dampers of 4·10⁴ N s/m between slider and the middle of the rods, 0.5 m long when "
    "relaxed. Rods hang at the shaft's upper end, 0.05 m from its axis. Boxes of 3000 kg/m³. 10 s.",
    """def box(x, y, z):
    return vv.Inertia.box(density=3000.0, x=x, y=y, z=z)

b = vv.Builder("stiff_governor", gravity=[0, 0, -9.81])
b.body("shaft", joint="revolute", axis="z", joint_name="shaft", inertia=box(0.01, 0.01, 1.0))
slides = {"parent": "shaft", "joint": "prismatic", "axis": "z"}
b.body("slider", **slides, joint_name="s", inertia=box(0.1, 0.1, 0.1))
for name, side in (("AC", 1), ("BD", -1)):
    rod = box(1.0, 0.01, 0.01).moved(p=[side / 2, 0, 0]) + vv.Inertia.point(5.0, [side, 0, 0])
    hinge = {"joint": "revolute", "axis": [0, side, 0], "at": [side / 20, 0, 1]}
    b.body(name, parent="shaft", **hinge, joint_name=name, inertia=rod)
    ends = [[side / 20, 0, 0], [side / 2, 0, 0]]
    b.spring(name, 8e5, 0.5, damping=4e4, between=("slider", name), points=ends)
system = b.build()
q, v = [0.0, 0.5, np.pi / 6, np.pi / 6], [2 * np.pi, 0.0, 0.0, 0.0]
""",
    "run = system.simulate(q, v, 10.0)",
    lambda names: chosen("s AC shaft", {t: state(names["run"], t) for t in (0.01, 10.0)}),
    _governor,
    "equations of slider, one rod and a kept angular momentum, derived by hand, by collocation at ten "
    "of Radau's points a step with 32 digits, of which 20 are the same with twelve points",
)
