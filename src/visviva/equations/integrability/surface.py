"""Where functions of position are zero, with independent coordinates on it: q = Φ(q′, t).

A function is solved for a coordinate that stands in it in the first power, with a factor that does
not move, or is recognised as a circle, an ellipse, a sphere or an ellipsoid about a center that may
move: x = x₀ + r cos θ, y = y₀ + r sin θ. One function after the other, each with what was solved
before put in.

Examples:
    >>> x, z, k = sympy.symbols("x z k")
    >>> surface([z - k * x**2], [x, z]).relations
    {z: k*x**2}
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import sympy

from visviva.algebra.exact.factors import factored
from visviva.describe.energies.formulas import TIME
from visviva.equations.integrability.functions import Functions
from visviva.errors import OutsideError
from visviva.notation.names import velocity_name

ANGLES = ("theta", "phi", "psi")


@dataclass(frozen=True, eq=False)
class Surface:
    """Coordinates q′ and Φ; what could not be solved is left, over q′."""

    coordinates: tuple[Any, ...]
    relations: dict[Any, Any]  # of the old coordinates that are no longer there
    angles: tuple[Any, ...] = ()
    left: tuple[Any, ...] = ()
    assumed: tuple[str, ...] = ()  # of parameters: what was divided by, or has a root

    def on(self, x: Any) -> Any:
        """A formula of the old coordinates."""
        return x.xreplace(self.relations)


@dataclass(frozen=True, eq=False)
class _Step:
    relations: dict[Any, Any]
    angles: tuple[Any, ...] = ()
    assumed: tuple[str, ...] = ()


def surface(functions: Iterable[Any], q: Sequence[Any], taken: Iterable[str] = ()) -> Surface:
    """Solve one function after the other; `taken` are names that new coordinates do not get."""
    functions = list(functions)
    coordinates, relations, waiting = list(q), dict[Any, Any](), functions
    symbols = {s.name for f in functions for s in f.free_symbols} | {x.name for x in q} | {*taken}
    angles: list[Any] = []
    assumed: list[str] = []
    while True:
        waiting = [f for f in map(sympy.expand, waiting) if not _is_zero(f, coordinates)]
        names = _free_names(symbols | {x.name for x in angles})
        steps = [_explicit(f, coordinates) for f in waiting]  # before any angle comes in
        step = next((x for x in steps if x is not None), None)
        if step is None:
            rounds = (_round(f, coordinates, names) for f in waiting)
            step = next((x for x in rounds if x is not None), None)
        if step is None:
            return Surface(
                tuple(coordinates),
                relations,
                tuple(angles),
                tuple(waiting),
                tuple(dict.fromkeys(assumed)),
            )
        place = coordinates.index(next(iter(step.relations)))
        coordinates[place:place] = step.angles
        coordinates = [x for x in coordinates if x not in step.relations]
        relations = {x: e.xreplace(step.relations) for x, e in relations.items()} | step.relations
        waiting = [f.xreplace(step.relations) for f in waiting]
        angles += step.angles
        assumed += step.assumed


def _explicit(f: Any, q: Sequence[Any]) -> _Step | None:
    """Solved for the last coordinate that has a constant factor, a number if there is one."""
    slopes = {y: sympy.expand(f.diff(y)) for y in reversed(q)}
    moving = {*q, TIME}
    fixed = {y: s for y, s in slopes.items() if s != 0 and not s.free_symbols & moving}
    if not fixed:
        return None
    y = min(fixed, key=lambda y: not fixed[y].is_number)
    formula = sympy.expand(-f.xreplace({y: sympy.S.Zero}) / fixed[y])
    return _Step({y: formula}, (), () if fixed[y].is_number else (f"{fixed[y]} ≠ 0",))


def _round(f: Any, q: Sequence[Any], names: Iterator[str]) -> _Step | None:
    """A circle or a sphere, or what becomes one when its axes are stretched."""
    for size in (3, 2):
        for some in reversed(list(combinations(q, size))):
            if (shape := _ellipsoid(f, some, q)) is not None:
                centers, radii = shape
                angles = tuple(sympy.Symbol(next(names)) for _ in range(size - 1))
                units = _unit(angles)
                relations = {
                    y: c + r * u for y, c, r, u in zip(some, centers, radii, units, strict=True)
                }
                roots = {
                    s.args[0] for r in radii for s in r.atoms(sympy.Pow) if s.exp == sympy.S.Half
                }
                return _Step(relations, angles, tuple(f"{x} > 0" for x in sorted(roots, key=str)))
    return None


def _unit(angles: Sequence[Any]) -> list[Any]:
    c, s = sympy.cos(angles[0]), sympy.sin(angles[0])
    return [c, s] if len(angles) == 1 else [s * sympy.cos(angles[1]), s * sympy.sin(angles[1]), c]


def _ellipsoid(f: Any, some: Sequence[Any], q: Sequence[Any]) -> tuple[list[Any], list[Any]] | None:
    """Center and half axes of Σ aᵢ (yᵢ - y₀ᵢ)² = c; the center may depend on other coordinates."""
    squares = [sympy.expand(f.diff(y, 2) / 2) for y in some]
    if any(a == 0 or a.free_symbols & {*q, TIME} for a in squares):
        return None
    if any(sympy.expand(f.diff(y, z)) != 0 for y, z in combinations(some, 2)):
        return None
    at_zero = dict.fromkeys(some, sympy.S.Zero)
    centers = [-f.diff(y).xreplace(at_zero) / (2 * a) for y, a in zip(some, squares, strict=True)]
    bowl = [a * (y - c) ** 2 for y, a, c in zip(some, squares, centers, strict=True)]
    size = sympy.expand(sympy.Add(*bowl) - f)
    if size == 0 or size.free_symbols & {*q}:
        return None
    radii = [_root(size / a) for a in squares]
    if any(r.is_real is False for r in radii):
        return None
    return [sympy.expand(c) for c in centers], radii


def _root(x: Any) -> Any:
    """√x, of a square what was squared: a radius may have either sign."""
    positive = {s: sympy.Dummy(s.name, positive=True) for s in x.free_symbols}
    root = sympy.sqrt(factored(x.xreplace(positive)))
    if any(s.exp == sympy.S.Half for s in root.atoms(sympy.Pow)):
        return sympy.sqrt(x)
    return root.xreplace({dummy: s for s, dummy in positive.items()})


def _free_names(taken: set[str]) -> Iterator[str]:
    """θ, φ, ψ, then θ2, …, but for names that are in use."""
    k = 1
    while True:
        for name in ANGLES if k == 1 else [f"theta{k}"]:
            if not taken & {name, velocity_name(name)}:
                yield name
        k += 1


def _is_zero(f: Any, q: Sequence[Any]) -> bool:
    try:
        return Functions([f], q).is_zero(f)
    except OutsideError:
        return bool(f == 0)
