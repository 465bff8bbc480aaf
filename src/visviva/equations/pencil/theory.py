"""What can be said of energies at sight: their kind, their invariances, what they conserve.

Each function takes any system; of a `Model` its energies, by `Model.as_lagrangian`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

import numpy as np
import sympy

from visviva.algebra.arrays import each
from visviva.algebra.exact.factors import factored
from visviva.algebra.exact.minors import determinant
from visviva.describe.energies.formulas import TIME
from visviva.describe.energies.lagrangian import Lagrangian
from visviva.describe.system import System
from visviva.equations.lagrange.constraints import rows
from visviva.equations.lagrange.terms import dissipation, exact_terms, sympy_terms
from visviva.errors import ArgumentError
from visviva.notation.names import fresh

Options = ParamSpec("Options")
Answer = TypeVar("Answer")


def by_energies(
    function: Callable[Concatenate[Lagrangian, Options], Answer],
) -> Callable[Concatenate[System, Options], Answer]:
    """Of any system, what a function says of its energies."""

    @wraps(function)
    def of_system(s: System, /, *args: Options.args, **options: Options.kwargs) -> Answer:
        if not isinstance(s, System):
            raise ArgumentError(f"{function.__name__} takes a Model or a Lagrangian, got {s!r:.60}")
        return function(s.as_lagrangian(), *args, **options)

    return of_system


@dataclass(frozen=True)
class KineticParts:
    """C* = C2 + C1 + C0 = ½ vᵀ α v + β · v + γ, homogeneous of degree 2, 1, 0 in v."""

    alpha: Any
    beta: Any
    gamma: Any
    C2: Any
    C1: Any
    C0: Any


@by_energies
def kinetic_parts(s: Lagrangian) -> KineticParts:
    """The kinetic co-energy by powers of velocities; -C0 acts as a potential, C1 gyroscopically."""
    v, rest = sympy.Matrix(s.names.v), dict.fromkeys(s.names.v, 0)
    alpha = sympy.hessian(s.kinetic, s.names.v).applyfunc(sympy.simplify)
    if alpha.free_symbols & set(s.names.v):
        raise ArgumentError(f"the kinetic co-energy of {s.name!r} is not quadratic in velocities")
    beta = sympy.Matrix([sympy.expand(s.kinetic.diff(x).subs(rest)) for x in s.names.v])
    gamma = sympy.expand(s.kinetic.subs(rest))
    square, linear = (v.T * alpha * v)[0] / 2, (v.T * beta)[0]
    return KineticParts(alpha, beta, gamma, sympy.expand(square), sympy.expand(linear), gamma)


@dataclass(frozen=True)
class Kind:
    """How a system may be called."""

    natural: bool  # K is quadratic and V does not depend on velocities or time
    explicit_time: bool
    generalized_potential: bool  # V depends on velocities
    gyroscopic: bool  # L has terms linear in velocities that do forces
    conservative: bool  # nothing dissipates or drives, constraints too; time is not explicit
    energy_is_jacobi: bool  # v · p - L is K + V


@by_energies
def kind(s: Lagrangian) -> Kind:
    """By explicit time, by velocities, by what acts."""
    v = set(s.names.v)
    timed = TIME in set().union(*(x.free_symbols for x in s.formulas))
    terms = sympy_terms(s)
    general = bool(s.potential.free_symbols & v)
    linear = terms.is_quadratic and any(sympy.simplify(x) != 0 for x in terms.gyroscopic)
    bent = terms.is_quadratic and sympy.simplify(_skew(terms)) != sympy.zeros(len(v))
    rest = terms.by.at_rest(s.kinetic)
    total = sympy.simplify(terms.jacobi_integral - s.kinetic - s.potential) == 0
    plain = terms.is_quadratic and not linear and not general and not timed
    free = not timed and not any(dissipation(s)) and not any(s.forces)
    free = free and not any(rows(s).constraint_drift)
    return Kind(plain and sympy.simplify(rest) == 0, timed, general, bool(bent), free, total)


def _skew(terms: Any) -> Any:
    B = sympy.Matrix([[terms.by.d(p, x) for x in terms.q] for p in terms.gyroscopic])
    return B - B.T


@by_energies
def cyclic_coordinates(s: Lagrangian) -> tuple[str, ...]:
    """Those that L does not depend on."""
    terms = exact_terms(s) or sympy_terms(s)
    pairs = zip(s.coordinates, terms.q, strict=True)
    return tuple(name for name, x in pairs if _is_zero(terms.by.d(terms.L, x)))


def _is_zero(x: Any) -> bool:
    return bool(sympy.simplify(x) == 0 if isinstance(x, sympy.Basic) else x.is_zero)


@by_energies
def conserved_momenta(s: Lagrangian) -> dict[str, Any]:
    """∂L/∂v of cyclic coordinates on which nothing else acts; they stay what they are.

    No force that is stated, none that dissipates, and none of a constraint: its row of A has a zero
    there.
    """
    A, free = rows(s).constraint_matrix.T, cyclic_coordinates(s)
    acting = zip(s.coordinates, sympy_terms(s).momentum, dissipation(s), s.forces, A, strict=True)
    return {
        name: sympy.simplify(p)
        for name, p, *others, held in acting
        if name in free and all(_is_zero(x) for x in (*others, *held))
    }


@by_energies
def invariant_coordinates(s: Lagrangian) -> tuple[str, ...]:
    """Those that the mass matrix does not depend on."""
    terms = exact_terms(s) or sympy_terms(s)
    used = set().union(*(terms.by.symbols(x) for row in terms.mass_matrix for x in row))
    return tuple(x for x in s.coordinates if x not in used)


@by_energies
def formula(s: Lagrangian, part: str) -> Any:
    """A part of `Terms` in SymPy, a matrix if it is one; in normal form where there is one."""
    exact = exact_terms(s)
    entries = np.array(getattr(exact or sympy_terms(s), part), dtype=object)
    if exact is not None:
        entries = each(exact.by.reader.sympy, entries)
    return sympy.Matrix(entries) if entries.ndim == 2 else entries.tolist()


@by_energies
def equations(s: Lagrangian) -> list[Any]:
    """M a + drift + b - Q in SymPy, one entry for each coordinate: τ, or τ + Aᵀλ if it is held."""
    M, drift = formula(s, "mass_matrix"), formula(s, "drift")
    parts = zip(M.tolist(), drift, dissipation(s), s.forces, strict=True)
    return [
        sum((m * a for m, a in zip(row, s.names.a, strict=True)), d + b - Q)
        for row, d, b, Q in parts
    ]


@by_energies
def power_balance(s: Lagrangian) -> Any:
    """dh/dt of the Jacobi integral along motions with τ = 0: -∂L/∂t - v · b + v · Q - λ · a₀.

    Constraints A v + a₀ = 0 do work where they move by themselves, with λ1, λ2, … of their rows.
    """
    b, v, drift = dissipation(s), s.names.v, rows(s).constraint_drift
    acting = sum((x * (Q - y) for x, Q, y in zip(v, s.forces, b, strict=True)), sympy.S.Zero)
    names = (fresh(f"lambda{k + 1}", s.parameter_names) for k in range(len(drift)))
    moved = sum((sympy.Symbol(x) * a for x, a in zip(names, drift, strict=True)), sympy.S.Zero)
    return acting - moved - s.lagrangian.diff(TIME)


@by_energies
def where_singular(s: Lagrangian) -> Any:
    """det M, simplified: the mass matrix is singular where it vanishes, everywhere if it is 0."""
    return _minor(s, s.nv)


@by_energies
def leading_minors(s: Lagrangian) -> list[Any]:
    """Sylvester's test: M is positive definite where all of these are positive."""
    return [_minor(s, k) for k in range(1, s.nv + 1)]


def _minor(s: Lagrangian, k: int) -> Any:
    """The determinant of the first k rows and columns of M, in factors."""
    exact = exact_terms(s)
    if exact is None:
        return factored(sympy.trigsimp(sympy.Matrix(sympy_terms(s).mass_matrix)[:k, :k].det()))
    p = exact.by.ring.number(0) + determinant([row[:k] for row in exact.mass_matrix[:k]])
    return factored(exact.by.reader.textbook(p))
