"""Energy and co-energy, Legendre's transform, springs, gravity, and particles that are not slow.

A law y(x) between a flow and what it carries (momentum h(v), force f(e) of a spring) has two
integrals: the co-energy ∫ y · dx, a function of x, and the energy ∫ x · dy, a function of y. Each
is the other's Legendre transform, and they sum to x · y. Kinetic co-energy C*(v) is what belongs
into a Lagrangian; for a spring it is the energy P(e) = ∫ f · de.

Examples:
    >>> e, k1, k3 = sympy.symbols("e k1 k3", positive=True)
    >>> element = spring(lambda e: k1 + k3 * e**2, e)
    >>> element.potential, element.co_energy
    (e**4*k3/4 + e**2*k1/2, 3*e**4*k3/4 + e**2*k1/2)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy

from visviva.equations.pencil.areas import law_figure
from visviva.equations.pencil.potentials import integral
from visviva.errors import ArgumentError

if TYPE_CHECKING:
    from visviva.drawing.figure import Figure

Vector = Sequence[Any]


def co_energy(law: Any, x: Any) -> Any:
    """∫ y · dx from 0 to x, of a law y(x) given as expressions; it must have an integral."""
    return integral(_row(law), _row(x))


def energy(law: Any, x: Any) -> Any:
    """∫ x · dy from 0, written over x: x · y - ∫ y · dx."""
    return sympy.expand(_dot(_row(law), _row(x))) - co_energy(law, x)


def plot_energies(
    law: Any, x: Any, at: float, values: Mapping[str, Any] | None = None, *, of: str = "particle"
) -> Figure:
    """Co-energy and energy of a law y(x) as areas under and beside its curve, from 0 to `at`.

    `of` "particle": y is the momentum h(v), with C*(v) and C(h); "spring": the force f(e), with
    P(e) and P*(f). `values` of the symbols in it. A plotly figure.

    Examples:
        >>> v, m, c = sympy.symbols("v m c", positive=True)
        >>> fast = m * v / sympy.sqrt(1 - v**2 / c**2)
        >>> fig = plot_energies(fast, v, 0.8, {"m": 1.0, "c": 1.0})
    """
    return law_figure(law, x, at, dict(values or {}), of)


def legendre(f: Any, x: Any, y: Any) -> Any:
    """f*(y) = x · y - f(x) at y = ∂f/∂x: from co-energy to energy, and back.

    `y` are the symbols of the result. The map from x to y is inverted by SymPy; where it has
    several branches, the one with f* = 0 at y = 0 is meant, or the first.

    Examples:
        >>> v, h, m = sympy.symbols("v h m", positive=True)
        >>> legendre(m * v**2 / 2, v, h)
        h**2/(2*m)
    """
    xs, ys = _row(x), _row(y)
    law = [a - f.diff(b) for a, b in zip(ys, xs, strict=True)]
    solutions = sympy.solve(law, xs, dict=True)
    branches = [sympy.simplify((_dot(xs, ys) - f).subs(s)) for s in solutions if set(xs) <= set(s)]
    if not branches:
        raise ArgumentError(f"{law} cannot be solved for {xs}; legendre_at gives numbers")
    still = dict.fromkeys(ys, 0)
    return next((b for b in branches if sympy.simplify(b.subs(still)) == 0), branches[0])


def legendre_at(f: Any, x: Any, y: Any, start: Any = None) -> tuple[float, np.ndarray]:
    """f*(y) and x at numbers y, by Newton's method from `start`; f must have numbers only."""
    xs, target = _row(x), np.atleast_1d(np.asarray(y, dtype=float))
    at = np.zeros(len(xs)) if start is None else np.atleast_1d(np.asarray(start, dtype=float))
    gradient = [f.diff(a) for a in xs]
    value = sympy.lambdify([xs], [f, *gradient], "math")
    slope = sympy.lambdify([xs], [[g.diff(a) for a in xs] for g in gradient], "math")
    for _ in range(100):
        rest = target - np.array(value(at)[1:], dtype=float)
        step = np.linalg.solve(np.array(slope(at), dtype=float), rest)
        at = at + step
        if np.abs(step).max() <= 1e-15 * max(1.0, np.abs(at).max()):
            break
    else:
        raise ArgumentError(f"no x with gradient {target} found from {start}")
    return float(at @ target - value(at)[0]), at


@dataclass(frozen=True)
class Elastic:
    """A spring of deformation e: the force that stretches it, P(e) and P* as functions of e.

    On the body at its end it acts with -force, which is -∂P/∂e.
    """

    deformation: tuple[Any, ...]
    force: tuple[Any, ...]
    potential: Any
    co_energy: Any

    def plot(self, at: float, values: Mapping[str, Any] | None = None) -> Figure:
        """f over e, with P(e) and P*(f) at a stretch as areas; `values` of the symbols. (plotly)

        Examples:
            >>> k, e = sympy.symbols("k e")
            >>> fig = spring(k, e).plot(0.2, {"k": 100.0})
        """
        if len(self.deformation) != 1:
            raise ArgumentError(
                f"plot: a curve is that of one stretch, and this has {len(self.deformation)}"
            )
        return law_figure(self.force[0], self.deformation[0], at, dict(values or {}), "spring")


def spring(stiffness: Any, e: Any) -> Elastic:
    """A spring f = k e, f = k(e) e, or in space f = K e with a symmetric matrix K.

    `stiffness` is a number or symbol, a function of e, or a matrix; `e` an elongation, an angle, or
    a vector. They may be symbols, or expressions in coordinates for a Lagrangian.
    """
    es = _row(e)
    law = [sympy.Dummy(f"e{i}") for i in range(len(es))]
    if callable(stiffness) and not isinstance(stiffness, sympy.Basic):
        f = [stiffness(law[0]) * law[0]]
    elif isinstance(stiffness, (np.ndarray, sympy.MatrixBase)):
        K = sympy.Matrix(stiffness)
        if K.shape != (len(es), len(es)) or sympy.simplify(K - K.T) != sympy.zeros(*K.shape):
            raise ArgumentError(f"a stiffness matrix is symmetric, {len(es)} × {len(es)}, got {K}")
        f = list(K * sympy.Matrix(law))
    else:
        f = [sympy.sympify(stiffness) * x for x in law]
    given = dict(zip(law, es, strict=True))
    parts = (co_energy(f, law), energy(f, law))
    P, P_star = (sympy.expand(x).xreplace(given) for x in parts)
    return Elastic(tuple(es), tuple(x.xreplace(given) for x in f), P, P_star)


def gravity_potential(m: Any, g: Vector, r: Vector, zero: Any = (0, 0, 0)) -> Any:
    """-m g · (r - r₀): g is the acceleration of falling, r₀ any point of the plane of no energy."""
    return -m * _dot(g, [a - b for a, b in zip(r, zero, strict=True)])


def relativistic_co_energy(m: Any, c: Any, v: Any) -> Any:
    """C*(v) = m c² (1 - √(1 - v²/c²)): ½ m v² for slow particles."""
    return m * c**2 * (1 - sympy.sqrt(1 - _dot(_row(v), _row(v)) / c**2))


def relativistic_energy(m: Any, c: Any, h: Any) -> Any:
    """C(h) = √(h² c² + m² c⁴) - m c²."""
    return sympy.sqrt(_dot(_row(h), _row(h)) * c**2 + m**2 * c**4) - m * c**2


def charged_potential(e: Any, phi: Any, A: Vector, v: Vector, c: Any = 1) -> Any:
    """e (φ - v · A / c): the generalized potential of a charge e in the fields of φ and A."""
    return e * (phi - _dot(v, A) / c)


def lorentz_force(
    e: Any, phi: Any, A: Vector, r: Vector, v: Vector, t: Any, c: Any = 1
) -> list[Any]:
    """e (E + v × B / c), E = -∇φ - ∂A/∂t / c, B = ∇ × A."""
    E = sympy.Matrix(
        [-sympy.diff(phi, x) - sympy.diff(a, t) / c for x, a in zip(r, A, strict=True)]
    )
    curl = [sympy.diff(A[(k + 2) % 3], r[(k + 1) % 3]) for k in range(3)]
    B = sympy.Matrix([x - sympy.diff(A[(k + 1) % 3], r[(k + 2) % 3]) for k, x in enumerate(curl)])
    return list(e * (E + sympy.Matrix(v).cross(B) / c))


def generalized_force(potential: Any, q: Vector, v: Vector, a: Vector, t: Any) -> list[Any]:
    """Q = d/dt ∂P/∂v - ∂P/∂q: what a velocity-dependent potential does."""
    forces = []
    for x, y in zip(q, v, strict=True):
        p = sympy.diff(potential, y)
        rate = sum(
            (sympy.diff(p, b) * c for b, c in zip((*q, *v), (*v, *a), strict=True)), p.diff(t)
        )
        forces.append(rate - sympy.diff(potential, x))
    return forces


def _row(x: Any) -> list[Any]:
    one = isinstance(x, sympy.Expr) or not isinstance(x, Iterable)
    return [x] if one else list(x)


def _dot(x: Any, y: Any) -> Any:
    return sum((a * b for a, b in zip(x, y, strict=True)), sympy.S.Zero)
