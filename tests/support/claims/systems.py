"""Mechanisms, what may be claimed of them, and formulas by numbers of fifty digits."""

import random
from dataclasses import dataclass
from functools import cache

import mpmath
import sympy

import visviva as vv
from visviva.describe.energies.lagrangian import Lagrangian
from visviva.notation.names import acceleration_name, velocity_name

DIGITS = 50
SAME = mpmath.mpf(10) ** -30


@cache
def system(name):
    if name in BUILT:
        return BUILT[name]()
    if name != "sphere":
        return vv.catalog.build(name)
    kinetic = "m*R^2*(phi'^2 + cos(phi)^2*psi'^2)/2"
    rayleigh = "c*(phi'^2 + psi'^2)/2"
    values = {"m": 1.0, "R": 0.5, "g": 9.81, "c": 0.1}
    return Lagrangian(
        "phi psi", kinetic, "m*g*R*sin(phi)", rayleigh, parameters=values, name="sphere"
    )


def numbers():
    """An arm without parameters: all its numbers are numbers."""
    b = vv.Builder("numbers", gravity=[0.0, 0.0, -9.81])
    bar = vv.Inertia.from_moments(2.0, [0.0, 0.0, -0.25], [0.5, 0.5, 0.125])
    b.body("upper", joint="revolute", axis="y", joint_name="q1", inertia=bar, damping=0.5)
    b.body(
        "lower",
        parent="upper",
        joint="revolute",
        axis="y",
        joint_name="q2",
        at=[0.0, 0.0, -0.5],
        inertia=bar,
    )
    return b.build()


def hinge():
    """One joint with springs and friction."""
    values = {"m": 1.0, "l": 0.5, "g": 9.81, "k": 2.0, "c": 0.1}
    kinetic, potential = "m*l^2*q'^2/2", "k*q^2/2 - m*g*l*cos(q)"
    return Lagrangian("q", kinetic, potential, "c*q'^2/2", parameters=values, name="hinge")


BUILT = {"numbers": numbers, "hinge": hinge}


@cache
def closed(name):
    return system(name).closed_form(symbols=[]) if name == "numbers" else system(name).closed_form()


@dataclass(frozen=True)
class Subject:
    """What is claimed: a left side and its true value."""

    mechanism: str
    left: str
    truth: object  # SymPy expression or matrix

    @property
    def is_equation(self):
        return self.left.startswith("tau")


@cache
def subjects(name):
    """Everything that may be claimed of a mechanism, by kind."""
    f = closed(name)
    n = len(f.coordinates)
    made = {"gravity": [Subject(name, f"g{i + 1}", x) for i, x in enumerate(f.gravity) if x != 0]}
    if any(f.gravity):
        made["whole gravity"] = [Subject(name, "g", f.gravity)] if n > 1 else []
    if name == "puma560":
        return made
    made["equation"] = [Subject(name, f"tau{i + 1}", x) for i, x in enumerate(f.equations)]
    for kind, letter in (("mass_matrix", "M"), ("coriolis_matrix", "C")):
        A = getattr(f, kind)
        places = [(i, j) for i in range(n) for j in range(n) if A[i, j] != 0]
        made[kind] = [Subject(name, f"{letter}{i + 1}{j + 1}", A[i, j]) for i, j in places]
        made[f"whole {kind}"] = [Subject(name, letter, A)] if n > 1 else []
    gamma = f.christoffel
    places = [(i, j, k) for i in range(n) for j in range(n) for k in range(n) if gamma[i, j, k]]
    made["christoffel"] = [
        Subject(name, "Gamma" + "".join(str(x + 1) for x in p), gamma[p]) for p in places
    ]
    T, V = f.kinetic_energy, f.potential_energy
    pairs = (("T", T), ("V", V), ("E", T + V), ("L", T - V))
    made["energy"] = [Subject(name, x, e) for x, e in pairs if e != 0]
    return {kind: x for kind, x in made.items() if x}


def rates(name):
    """Symbols of velocities and accelerations: (coordinate, dots)."""
    made = {}
    for q in closed(name).coordinates:
        made[velocity_name(q.name)] = (q.name, 1)
        made[acceleration_name(q.name)] = (q.name, 2)
    return made


def value(x, at):
    """An expression at a point, by mpmath."""
    if x.is_Symbol:
        return at[x.name]
    if x.is_Rational:
        return mpmath.mpf(int(x.p)) / int(x.q)
    if x is sympy.pi:
        return +mpmath.pi
    inside = [value(a, at) for a in x.args]
    if x.is_Add:
        return mpmath.fsum(inside)
    if x.is_Mul:
        return mpmath.fprod(inside)
    if x.is_Pow:
        return inside[0] ** int(x.exp) if x.exp.is_Integer else inside[0] ** inside[1]
    return getattr(mpmath, type(x).__name__)(*inside)


def points(names, seed=1, count=3):
    """Random values of names, long decimals."""
    chance = random.Random(seed)
    for _ in range(count):
        yield {n: mpmath.mpf(chance.randrange(3 * 10**15, 2 * 10**16)) / 10**16 for n in names}


def same(a, b):
    """Whether two formulas are one function, judged at three points."""
    if isinstance(a, sympy.MatrixBase):
        return a.shape == b.shape and all(same(x, y) for x, y in zip(a, b, strict=True))
    names = sorted({s.name for x in (a, b) for s in x.free_symbols})
    with mpmath.workdps(DIGITS):
        return all(abs(value(a, at) - value(b, at)) < SAME for at in points(names))
