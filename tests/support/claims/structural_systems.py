"""Thirteen mechanisms with one to six coordinates, and their equations by SymPy alone.

The energies are written down here from positions of masses, and Lagrange's equations are SymPy's
derivatives: nothing of the engine under test is in them.
"""

from dataclasses import dataclass
from functools import cache, cached_property

import mpmath
import sympy
from sympy.simplify.fu import TR8

import visviva as vv
from visviva.notation.names import acceleration_name, velocity_name

sin, cos, S = sympy.sin, sympy.cos, sympy.Symbol


@dataclass(frozen=True, eq=False)
class Mechanism:
    """A system, its symbols, and (M a + h) in them."""

    name: str
    system: object
    q: tuple
    v: tuple
    a: tuple
    tau: tuple
    parameters: tuple
    equations: tuple
    numbers: object  # the equations by mpmath, of q, v, a, parameters
    passive: frozenset  # from 0 on

    @cached_property
    def stiffness(self):
        """The factors of a and q, where M is singular and equations are linear in these."""
        names = (*self.q, *self.v, *self.a, *self.parameters)
        M, _ = equations_at(self, {x: mpmath.mpf(3 * k + 2) / 7 for k, x in enumerate(names)})
        if abs(mpmath.det(M)) > mpmath.mpf(10) ** -9:
            return None
        return sympy.Matrix(self.equations).jacobian([*self.a, *self.q])

    @cached_property
    def mass_matrix(self):
        return sympy.Matrix(self.equations).jacobian(self.a)


def lagrange(T, V, D, q, v, a):
    """d/dt ∂T/∂v - ∂T/∂q + ∂V/∂q + ∂D/∂v."""
    made = []
    T, V = (sympy.expand(TR8(sympy.expand(x))) for x in (T, V))  # products of cosines as sums
    for x, xd in zip(q, v, strict=True):
        p = sympy.diff(T, xd)
        rate = sum(sympy.diff(p, y) * yd for y, yd in zip(q, v, strict=True))
        rate += sum(sympy.diff(p, yd) * ydd for yd, ydd in zip(v, a, strict=True))
        made.append(sympy.expand(rate - sympy.diff(T, x) + sympy.diff(V, x) + sympy.diff(D, xd)))
    return tuple(made)


def made(name, system, energies):
    """`energies` of (q, v, rate), where rate is the time derivative of a position."""
    names = list(system.coordinates) if hasattr(system, "coordinates") else system.joint_names
    q, v, a = (tuple(S(f(x)) for x in names) for f in (str, velocity_name, acceleration_name))

    def rate(x):
        return sum(sympy.diff(x, y) * yd for y, yd in zip(q, v, strict=True))

    T, V, D = energies(q, v, rate)
    equations = lagrange(T, V, D, q, v, a)
    used = set().union(*(e.free_symbols for e in equations)) - {*q, *v, *a}
    parameters = tuple(sorted(used, key=str))
    numbers = sympy.lambdify([*q, *v, *a, *parameters], equations, "mpmath", cse=True)
    tau = tuple(S(f"tau{k + 1}") for k in range(len(q)))
    passive = frozenset(k for k, x in enumerate(names) if x in system.passive)
    return Mechanism(name, system, q, v, a, tau, parameters, equations, numbers, passive)


def links(q, rate, start, turned, lengths, centres, masses, inertias, g):
    """T and V of links in a vertical plane; angles are measured from the link before."""
    x, y, angle = *start, turned
    T = V = sympy.S.Zero
    for k, m in enumerate(masses):
        angle = angle + q[k]
        cx, cy = x + centres[k] * cos(angle), y + centres[k] * sin(angle)
        T += m * (rate(cx) ** 2 + rate(cy) ** 2) / 2 + inertias[k] * rate(angle) ** 2 / 2
        V += m * g * cy
        x, y = x + lengths[k] * cos(angle), y + lengths[k] * sin(angle)
    return T, V


def arm(start, turned, count, letters, gravity):
    """Energies of an arm whose parameters are letters with an index; no letter, no such thing."""

    def energies(q, v, rate):
        def of(kind):
            return [S(f"{letters[kind]}{k + 1}") if letters[kind] else 0 for k in range(count)]

        lengths, centres = of("length"), of("centre")
        parts = (lengths, centres, of("mass"), of("inertia"), S(gravity))
        return (*links(q, rate, start, turned, *parts), sympy.S.Zero)

    return energies


RODS = {"length": "L", "centre": "r", "mass": "m", "inertia": "I"}
POINTS = {"length": "l", "centre": "l", "mass": "m", "inertia": ""}
SPONG = {**RODS, "length": "l", "centre": "lc"}
DOWN = -sympy.pi / 2


def cart_pole(q, v, rate):
    (x, theta), (M, m, length, g) = q, sympy.symbols("M m l g")
    px, py = x + length * sin(theta), -length * cos(theta)
    return M * v[0] ** 2 / 2 + m * (rate(px) ** 2 + rate(py) ** 2) / 2, m * g * py, sympy.S.Zero


def polar(q, v, rate):
    (theta, r), m = q, S("m")
    return m * (rate(r * cos(theta)) ** 2 + rate(r * sin(theta)) ** 2) / 2, sympy.S.Zero, 0


def hinge(q, v, rate):
    m, length, g, k, c = sympy.symbols("m l g k c")
    V = k * q[0] ** 2 / 2 - m * g * length * cos(q[0])
    return m * length**2 * v[0] ** 2 / 2, V, c * v[0] ** 2 / 2


def top(q, v, rate):
    """By the angular velocity in axes that do not spin with the top."""
    (_, theta, _), (phid, thetad, psid) = q, v
    one, three, M, g, length = sympy.symbols("I1 I3 M g l")
    w = (thetad, phid * sin(theta), psid + phid * cos(theta))
    T = (one * (w[0] ** 2 + w[1] ** 2) + three * w[2] ** 2) / 2
    return T, M * g * length * cos(theta), sympy.S.Zero


def manipulator(q, v, rate):
    x, y, phi, *_ = q
    m0, I0 = sympy.symbols("m0 I0")
    T, _ = links(
        q[3:], rate, (x, y), phi, [S("L1"), 0], [S("r1"), S("r2")], [S("m1"), S("m2")],
        [S("I1"), S("I2")], 0,
    )  # fmt: skip
    return T + m0 * (v[0] ** 2 + v[1] ** 2) / 2 + I0 * v[2] ** 2 / 2, sympy.S.Zero, sympy.S.Zero


def train(q, v, rate):
    """Three carts with a pendulum each, springs between them."""
    T = V = sympy.S.Zero
    g, k = sympy.symbols("g k")
    for i in range(3):
        x, theta, M, m, length = q[2 * i], q[2 * i + 1], *sympy.symbols(f"M{i} m{i} l{i}")
        px, py = x + length * sin(theta), -length * cos(theta)
        T += M * v[2 * i] ** 2 / 2 + m * (rate(px) ** 2 + rate(py) ** 2) / 2
        V += m * g * py
    V += k * ((q[2] - q[0]) ** 2 + (q[4] - q[2]) ** 2) / 2
    return T, V, S("b") * v[0] ** 2 / 2


def chain(q, v, rate):
    """Six masses in a row, springs between them; the ends are geared to each other."""
    T = sum(S(f"m{i + 1}") * x**2 for i, x in enumerate(v)) / 2 + S("J") * v[0] * v[5]
    V = sum(S(f"k{i + 1}") * (q[i] - q[i + 1]) ** 2 for i in range(5)) / 2
    return T, V, sympy.S.Zero


def rope(q, v, rate):
    """A mass on a spring, and one that two coordinates move together."""
    (x, y, _), (xd, yd, zd) = q, v
    m, M, k, c = sympy.symbols("m M k c")
    return (m * xd**2 + M * (yd + zd) ** 2) / 2, (k * x**2 + c * y**2) / 2, sympy.S.Zero


def stated(name, coordinates, energies):
    """A `Lagrangian` of energies that are written here."""
    q, v = (tuple(S(f(x)) for x in coordinates) for f in (str, velocity_name))

    def rate(x):
        return sum(sympy.diff(x, y) * yd for y, yd in zip(q, v, strict=True))

    T, V, D = energies(q, v, rate)
    used = sympy.sympify(T + V + D).free_symbols - {*q, *v}
    values = {s.name: 1.0 for s in sorted(used, key=str)}
    return vv.Lagrangian(coordinates, T, V, D, parameters=values, name=name)


PAIRS = ["x1", "theta1", "x2", "theta2", "x3", "theta3"]
BUILT = {
    "pendulum1": (lambda: vv.catalog.pendulum(1), arm((0, 0), DOWN, 1, POINTS, "g")),
    "hinge": (lambda: stated("hinge", ["q"], hinge), hinge),
    "two_link": (vv.catalog.two_link, arm((0, 0), 0, 2, RODS, "a_g")),
    "cart_pole": (vv.catalog.cart_pole, cart_pole),
    "polar_point": (vv.catalog.polar_point, polar),
    "acrobot": (vv.catalog.acrobot, arm((0, 0), DOWN, 2, SPONG, "g")),
    "planar_3r": (vv.catalog.planar_3r, arm((0, 0), 0, 3, {**RODS, "length": "l"}, "g")),
    "rope": (lambda: stated("rope", ["x", "y", "z"], rope), rope),
    "heavy_top": (vv.catalog.heavy_top, top),
    "pendulum4": (lambda: vv.catalog.pendulum(4), arm((0, 0), DOWN, 4, POINTS, "g")),
    "mobile_manipulator": (vv.catalog.mobile_manipulator, manipulator),
    "train": (lambda: stated("train", PAIRS, train), train),
    "chain": (lambda: stated("chain", [f"x{k}" for k in range(1, 7)], chain), chain),
}
NAMES = tuple(BUILT)


@cache
def mechanism(name):
    build, energies = BUILT[name]
    return made(name, build(), energies)


def equations_at(mechanism, point):
    """M and h at a point of q, v and parameters, by mpmath."""
    symbols = (*mechanism.q, *mechanism.v, *mechanism.a, *mechanism.parameters)

    def tau(a):
        at = {**point, **dict(zip(mechanism.a, a, strict=True))}
        return mechanism.numbers(*(at[s] for s in symbols))

    n = len(mechanism.q)
    h = tau([mpmath.mpf(0)] * n)
    columns = [tau([mpmath.mpf(int(i == j)) for i in range(n)]) for j in range(n)]
    M = mpmath.matrix(n, n)
    for i in range(n):
        for j in range(n):
            M[i, j] = columns[j][i] - h[i]
    return M, mpmath.matrix(h)
