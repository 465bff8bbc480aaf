"""Reference problems of multibody dynamics: how they are stated, and what is true of them.

A problem's `code` makes a system and its start, `call` moves it: both stand on the page as they are
run. `values` takes numbers of the motion; `truth` has the same by another road, with more digits;
`published` what others found.
"""

# ruff: noqa: E501 (text of a page)

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import mpmath
import numpy as np

import visviva as vv
from tests.support.oracles import extrapolation

PAGE_TOLERANCE = "rtol=1e-12, atol=1e-13"


@dataclass(frozen=True)
class Problem:
    """One problem of the page."""

    title: str
    text: str
    code: str
    call: str
    values: Callable[[Mapping[str, Any]], dict[str, float]]
    truth: Callable[[Mapping[str, Any]], dict[str, Any]]
    road: str  # how the truth is found
    published: Mapping[str, float] = field(default_factory=dict)
    source: str = ""
    within: float = 1e-9  # of the truth, relative where numbers are large
    cheap: bool = False  # for every test run; the others compile for longer
    note: str = ""

    def stated(self) -> dict[str, Any]:
        """The names that the code makes."""
        names: dict[str, Any] = {"np": np, "vv": vv}
        exec(self.code, names)
        return names

    def moved(self, names: dict[str, Any]) -> dict[str, Any]:
        """The same, and what the call makes."""
        exec(self.call, names)
        return names


def state(run: Any, t: float) -> dict[str, float]:
    """Coordinates and velocities by name at a time of the samples."""
    q, v = run.at(t)
    return dict(zip(_labels(run.system), [*q, *v], strict=True))


def _labels(system: Any) -> list[str]:
    """Of coordinates and of their rates, which are the velocities of all systems here."""
    return [*system.coordinate_names, *(f"{x}'" for x in system.coordinate_names)]


def digits(names: Mapping[str, Any], times: Any, tau: Any = None, count: int = 24) -> list[Any]:
    """Coordinates and velocities by name at times, by extrapolation of the interpreted program."""
    s = names["system"]
    found = extrapolation.of_system(s, names["q"], names["v"], times, tau, count)
    return [dict(zip(_labels(s), y, strict=True)) for y in found]


def chosen(
    labels: str, states: Mapping[float, Mapping[str, Any]], unit: str = "s"
) -> dict[str, Any]:
    """Numbers of states under labels with their times."""
    return {f"{x} at {t:g} {unit}": y[x] for t, y in states.items() for x in labels.split()}


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
        rates = lambda y: [y[1], -ratio * mpmath.cos(y[0])]  # noqa: E731
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
    early = digits(names, [0.01], count=20)[0]
    s = names["system"]
    late = s.simulate(names["q"], names["v"], 10.0, method="radau", rtol=1e-10, atol=1e-12)
    return chosen("s AC shaft", {0.01: early, 10.0: state(late, 10.0)})


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
    "at 0.01 s the interpreted equations, extrapolated to 20 digits; at 10 s SciPy's Radau with "
    "rtol = 1e-10",
    within=1e-7,
)


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


def _by_scipy(names: Mapping[str, Any]) -> dict[str, Any]:
    how = {"method": "scipy-dop853", "rtol": 1e-13, "atol": 1e-15}
    run = names["system"].simulate(names["q"], names["v"], 1.0, **how)
    return chosen("yaw tilt roll yaw'", {1.0: state(run, 1.0)})


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
    lambda names: chosen("yaw tilt roll yaw'", {1.0: state(names["run"], 1.0)}),
    _by_scipy,
    "SciPy's DOP853 with rtol = 1e-13, so the same equations and numbers of 16 digits",
    within=1e-8,
    note="Within the 20 s it turns with -5.4 to 5.5 rad/s.",
)

MOTIONS = {
    "pendulum": PENDULUM, "n_four_bar": ROW, "andrews": ANDREWS, "bricard": BRICARD,
    "stiff_governor": GOVERNOR, "spatial_slider_crank": SLIDER, "heavy_top": TOP,
    "chaplygin_sleigh": SLEIGH, "rattleback": RATTLEBACK,
}  # fmt: skip
