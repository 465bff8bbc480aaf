"""Whether forces of a `Lagrangian` that have no potential can give it energy, shown in SymPy.

Energy that is least at an equilibrium and never grows bounds every motion near it (Dirichlet). So
that it never grows, v · (Q - b) may not be positive, whatever moves; forces that are there at rest
too must have a potential, and count with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import sympy

from visviva.describe.energies.formulas import TIME
from visviva.describe.energies.lagrangian import Lagrangian
from visviva.equations.lagrange.constraints import rows
from visviva.equations.lagrange.terms import dissipation

ODD = (sympy.tanh, sympy.atan, sympy.sinh, sympy.asinh)  # f(u) = u times what is positive


def may_give_energy(s: Lagrangian, values: Mapping[str, float], rate: Sequence[float]) -> str:
    """Why energy is not shown never to grow; empty if it is.

    `rate`: velocities (n,) along coordinates that nothing depends on. Motions are then seen by one
    who goes along with these: their energy is Jacobi's integral.
    """
    key = ("giving", *sorted(values.items()), *rate)
    return str(s.derived.once(key, lambda _: _why(s, values, rate)))


def _why(s: Lagrangian, values: Mapping[str, float], rate: Sequence[float]) -> str:
    if TIME in set().union(*(x.free_symbols for x in s.formulas)):
        return "its formulas depend on time"
    parameters = {sympy.Symbol(k): _rational(x) for k, x in values.items()}
    real = {x: sympy.Symbol(x.name, real=True) for x in (*s.names.q, *s.names.v)}
    known: dict[Any, Any] = parameters | real
    q, v = ([real[x] for x in xs] for xs in (s.names.q, s.names.v))
    drift = [_rational(x) for x in rate]
    constraints = rows(s)
    for row, a0 in zip(constraints.constraint_matrix, constraints.constraint_drift, strict=True):
        motion_of_row = sum((a * x for a, x in zip(row, drift, strict=True)), sympy.sympify(a0))
        if sympy.simplify(sympy.sympify(motion_of_row).xreplace(parameters)) != 0:
            return "constraints move it"
    seen_rates = dict(zip(v, (x + y for x, y in zip(v, drift, strict=True)), strict=True))
    pairs = zip(s.forces, dissipation(s), strict=True)
    acting = [sympy.sympify(Q - b).xreplace(known).xreplace(seen_rates) for Q, b in pairs]
    if not any(acting):
        return ""
    still = [x.xreplace(dict.fromkeys(v, sympy.S.Zero)) for x in acting]
    if any(x.has(sympy.nan, sympy.zoo, sympy.oo) for x in still):
        return "forces have no value at rest"
    turned = (still[i].diff(a) - still[j].diff(b) for i, b in enumerate(q) for j, a in enumerate(q))
    if any(sympy.simplify(x) != 0 for x in turned):
        return "forces have no potential"
    power = sum((x * (a - b) for x, a, b in zip(v, acting, still, strict=True)), sympy.S.Zero)
    stated = s.dissipation if not isinstance(s.dissipation, tuple) else sympy.S.Zero
    D = sympy.sympify(stated).xreplace(known).xreplace(seen_rates)
    if any(_is_never_positive(x, v) for x in _written(power, D, v)):
        return ""
    return "it is not shown that forces without a potential only take energy"


def _rational(x: float) -> Any:
    return sympy.Rational(repr(float(x)))


def _written(power: Any, D: Any, v: Sequence[Any]) -> Iterator[Any]:
    """The power as it stands and in other ways, of which one may show its sign."""
    twice = sum((x * D.diff(x) for x in v), sympy.S.Zero) - 2 * D
    yield power
    yield sympy.expand(power)
    yield sympy.factor(power)
    if sympy.expand(twice) == 0:  # Rayleigh's function as it was typed, in squares
        yield sympy.expand(power + 2 * D) - 2 * D


def _is_never_positive(x: Any, v: Sequence[Any]) -> bool:
    for f in ODD:
        x = x.replace(f, lambda u: u * sympy.Dummy(positive=True))
    if x.is_nonpositive:
        return True
    H = sympy.hessian(x, v)
    square = (sympy.Matrix([v]) * H * sympy.Matrix(v))[0] / 2
    if H.free_symbols or sympy.expand(square - x) != 0:
        return False
    return bool(H.is_negative_semidefinite)
